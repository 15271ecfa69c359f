/* SPDX-License-Identifier: MIT
 * spca_deflate: T <- T - sigma u_1 o ... o u_d, u_i = x_i/|x_i|, sigma = T(u_1, ..., u_d), after
 * which T is orthogonal to the term that was taken off */
#include "spca/spca.h"
#include "tensor/tensor.h"

/* T(i_1, ..) -= sigma u_1(i_1) ..., one index after the other */
static void subtract(const crease_space *s, double sigma, double *const *u, double *tensor)
{
    const ptrdiff_t last = s->dim[s->order - 1], rows = crease_size(s) / last;
    for (ptrdiff_t row = 0; row < rows; row++) {
        double product = sigma;
        ptrdiff_t rest = row;
        for (int n = s->order - 2; n >= 0 && product != 0; n--) {
            product *= u[n][rest % s->dim[n]];
            rest /= s->dim[n];
        }
        if (product != 0) axpy(last, -product, u[s->order - 1], tensor + row * last);
    }
}

double crs_spca_deflate(crease_spca *m, double *const *x, double *length)
{
    const crease_space *s = &m->s.shape;
    bool zero = false;
    for (int n = 0; n < s->order; n++) {
        length[n] = crs_norm(s->dim[n], x[n]);
        zero = zero || length[n] == 0;
        for (ptrdiff_t j = 0; j < s->dim[n]; j++)
            m->unit[n][j] = length[n] > 0 ? x[n][j] / length[n] : 0;
    }
    if (zero) return 0;
    crs_spca_slope(m, m->unit, 0);
    const double sigma = crs_dot(s->dim[0], m->t, m->unit[0]);
    subtract(s, sigma, m->unit, m->tensor);
    m->norm = crs_norm(crease_size(s), m->tensor);
    return sigma;
}
