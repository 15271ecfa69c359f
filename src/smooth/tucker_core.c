/* SPDX-License-Identifier: MIT
 * tucker_core: the core block of |T - C x_1 X_1 ... x_d X_d|^2
 *
 * With X_n'X_n = Q_n'diag(w_n)Q_n the quadratic is diagonal in C~ = C x_1 Q_1 ... x_d Q_d: entry
 * j of (2 T x_n X_n' + h V)~ is divided by 2 prod w_n(j_n) + h (+ the multiplier of the ball). */
#include "smooth/tucker.h"

/* q and w: one a mode, in sequence; returns the memory after them. */
static double *decompose(const crs_tucker *k, const double **q, const double **w, double *work)
{
    for (int n = 0; n < k->ranks.order; n++) {
        const ptrdiff_t rank = k->ranks.dim[n];
        double *basis = work, *values = basis + rank * rank, *gram = values + rank;
        crs_gram(k->shape.dim[n], rank, k->factor[n], gram);
        crs_eigh(rank, gram, values, basis, gram + rank * rank);
        crs_clean_spectrum(rank, values);
        q[n] = basis, w[n] = values;
        work = gram;
    }
    return work;
}

ptrdiff_t crs_tucker_core_scratch(const crease_space *shape, const crease_space *ranks)
{
    ptrdiff_t bases = 0, largest = 0;
    for (int n = 0; n < ranks->order; n++) {
        const ptrdiff_t rank = ranks->dim[n];
        bases += rank * rank + rank;
        largest = more(largest, rank * rank + crs_lambda_scratch(rank));
    }
    const ptrdiff_t core = crease_size(ranks);
    return bases + 2 * core + more(largest, more(2 * core, crs_tucker_scratch(shape, ranks)));
}

/* e(j_1, ..., j_d) = 2 prod w_n(j_n) + h */
static void divisors(const crease_space *s, const double *const *w, double h, double *e)
{
    const ptrdiff_t size = crease_size(s);
    for (ptrdiff_t j = 0; j < size; j++) {
        ptrdiff_t rest = j;
        double product = 2;
        for (int n = s->order - 1; n >= 0; n--) {
            product *= w[n][rest % s->dim[n]];
            rest /= s->dim[n];
        }
        e[j] = product + h;
    }
}

static void rotate(const crease_space *s, const double *const *q, bool back, const double *from,
                   double *to, double *work)
{
    crs_mode_map a[CREASE_MAX_ORDER];
    for (int n = 0; n < s->order; n++) a[n] = (crs_mode_map){ q[n], s->dim[n], back };
    crs_multi_ttm(s, a, 1, from, 0, to, work);
}

void crs_tucker_core_argmin(const crs_tucker *k, const double *tensor, double h, const double *v,
                            double radius, double *y, double *work)
{
    const ptrdiff_t size = crease_size(&k->ranks);
    const double *q[CREASE_MAX_ORDER], *w[CREASE_MAX_ORDER];
    double *rotated = work, *e = rotated + size, *bases = e + size;
    double *rest = decompose(k, q, w, bases);
    crs_fit_start(size, h, v, y);
    crs_tucker_project(k, -1, tensor, rotated, rest);
    axpy(size, 2, rotated, y);
    rotate(&k->ranks, q, false, y, rotated, rest);
    divisors(&k->ranks, w, h, e);
    crs_secular(size, rotated, e, radius);
    for (ptrdiff_t j = 0; j < size; j++) rotated[j] /= e[j];
    rotate(&k->ranks, q, true, rotated, y, rest);
}

double crs_tucker_core_curvature(const crs_tucker *k, double *work)
{
    double product = 1;
    for (int n = 0; n < k->ranks.order; n++) {
        const ptrdiff_t rank = k->ranks.dim[n];
        double *gram = work, trace = 0;
        crs_gram(k->shape.dim[n], rank, k->factor[n], gram);
        for (ptrdiff_t r = 0; r < rank; r++) trace += gram[r * rank + r];
        product *= crs_lambda_high(rank, gram, 0x1p-52 * (double)k->shape.dim[n] * trace,
                                   gram + rank * rank);
    }
    return product * (1 + 0x1p-49);
}
