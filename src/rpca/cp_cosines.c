/* SPDX-License-Identifier: MIT
 * cp_cosines: how well the terms of a CP model are those of another
 *
 * Term k of the truth gets the term r that maximizes sum_k prod_n |cos(x_n^r, t_n^k)|, each r at
 * most once. Where there are too few terms its cosines are 0, as are those of zero columns. */
#include "rpca/cp_cosines.h"

#include "dense/dense.h"

static double cosine(ptrdiff_t rows, const crs_cp_terms *x, ptrdiff_t r, const crs_cp_terms *t,
                     ptrdiff_t k, int n)
{
    double xt = 0, xx = 0, tt = 0;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double u = x->factor[n][i * x->rank + r], v = t->factor[n][i * t->rank + k];
        xt += u * v, xx += u * u, tt += v * v;
    }
    return xx == 0 || tt == 0 ? 0 : fabs(xt) / (sqrt(xx) * sqrt(tt));
}

/* -prod_n |cos| of every pair; pairs with a term that is not there cost nothing. */
static void set_costs(const crease_space *s, const crs_cp_terms *x, const crs_cp_terms *t,
                      ptrdiff_t m, double *cost)
{
    fill(m * m, 0, cost);
    for (ptrdiff_t k = 0; k < t->rank; k++)
        for (ptrdiff_t r = 0; r < x->rank; r++) {
            cost[k * m + r] = -1;
            for (int n = 0; n < s->order; n++)
                if (t->factor[n]) cost[k * m + r] *= cosine(s->dim[n], x, r, t, k, n);
        }
}

bool crs_cp_cosines(const crease_space *s, const crs_cp_terms *x, const crs_cp_terms *truth,
                    double *out, crease_error *e)
{
    const ptrdiff_t m = x->rank > truth->rank ? x->rank : truth->rank;
    double *cost = crs_doubles(m * m + 2 * m + crs_assignment_scratch(m), "the cosines", e);
    ptrdiff_t *perm = cost ? crs_alloc((size_t)m, sizeof *perm) : NULL;
    if (!perm) {
        crs_free(cost);
        return cost && crs_fail(e, CREASE_NO_MEMORY, "out of memory: the cosines");
    }
    double *u = cost + m * m, *v = u + m;
    set_costs(s, x, truth, m, cost);
    const bool finite = crs_assignment(m, cost, perm, u, v, v + m);
    for (ptrdiff_t k = 0; k < truth->rank; k++)
        for (int n = 0; n < s->order; n++) {
            double *c = &out[k * s->order + n];
            *c = NAN;
            if (!finite || !truth->factor[n]) continue;
            *c = perm[k] < x->rank ? cosine(s->dim[n], x, perm[k], truth, k, n) : 0;
        }
    crs_free(perm);
    crs_free(cost);
    return true;
}
