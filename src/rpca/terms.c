/* SPDX-License-Identifier: MIT
 * cp_components: what a CP model says: its tensor, its terms as weights and unit columns, how far
 * it is from the truth */
#include "rpca/rpca.h"
#include "tensor/tensor.h"

bool crease_cp_lowrank(const crease_space *shape, ptrdiff_t rank, const double *const *factor,
                       double *out, crease_error *e)
{
    crs_kruskal k = { .shape = *shape, .rank = rank };
    double *work = crs_doubles(crs_kruskal_scratch(shape, rank), "the low-rank part", e);
    if (!work) return false;
    for (int n = 0; n < shape->order; n++) k.factor[n] = factor[n];
    fill(crease_size(shape), 0, out);
    crs_reconstruct(&k, 1, out, work);
    crs_free(work);
    return true;
}

double crease_relative_error(ptrdiff_t n, const double *x, const double *truth)
{
    const double size = crs_norm(n, truth);
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += square(x[j] - truth[j]);
    return sum == 0 ? 0 : sqrt(sum) / size;
}

/* The norm of a column, with the sign of its entry of largest magnitude unless `plain`. */
static double signed_norm(ptrdiff_t rows, ptrdiff_t rank, const double *x, bool plain)
{
    double scale = 0, sum = 0, sign = 1;
    for (ptrdiff_t i = 0; i < rows; i++) {
        if (!(fabs(x[i * rank]) > scale)) continue;
        scale = fabs(x[i * rank]);
        sign = x[i * rank] < 0 ? -1 : 1;
    }
    for (ptrdiff_t i = 0; i < rows && scale > 0; i++) sum += square(x[i * rank] / scale);
    return (plain ? 1 : sign) * scale * sqrt(sum);
}

/* Term r of the factors into place k of the unit columns. */
static void place_term(const crease_space *s, ptrdiff_t rank, const double *const *factor,
                       ptrdiff_t r, double *const *unit, ptrdiff_t k)
{
    double sign = 1;
    bool zero = false;
    for (int n = 0; n < s->order; n++)
        zero = zero || signed_norm(s->dim[n], rank, factor[n] + r, true) == 0;
    for (int n = 0; n < s->order; n++) {
        const bool last = n == s->order - 1;
        const double norm = signed_norm(s->dim[n], rank, factor[n] + r, last);
        if (norm < 0) sign = -sign;
        for (ptrdiff_t i = 0; i < s->dim[n]; i++)
            unit[n][i * rank + k] = zero ? 0 : (last ? sign : 1) * factor[n][i * rank + r] / norm;
    }
}

static double term_weight(const crease_space *s, ptrdiff_t rank, const double *const *factor,
                          ptrdiff_t r)
{
    double product = 1;
    for (int n = 0; n < s->order; n++) product *= signed_norm(s->dim[n], rank, factor[n] + r, true);
    return product;
}

void crs_cp_components(const crease_space *shape, ptrdiff_t rank, const double *const *factor,
                       double *const *unit, double *weight, double *left)
{
    for (ptrdiff_t r = 0; r < rank; r++) left[r] = term_weight(shape, rank, factor, r);
    for (ptrdiff_t k = 0; k < rank; k++) { /* the largest of those that are left */
        ptrdiff_t best = -1;
        for (ptrdiff_t r = 0; r < rank; r++)
            if (left[r] != -1 && (best < 0 || left[r] > left[best])) best = r;
        weight[k] = left[best];
        left[best] = -1;
        place_term(shape, rank, factor, best, unit, k);
    }
}

bool crease_cp_components(const crease_space *shape, ptrdiff_t rank, const double *const *factor,
                          double *const *unit, double *weight, crease_error *e)
{
    double *left = crs_doubles(rank, "the weights", e);
    if (!left) return false;
    crs_cp_components(shape, rank, factor, unit, weight, left);
    crs_free(left);
    return true;
}
