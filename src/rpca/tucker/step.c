/* SPDX-License-Identifier: MIT
 * tucker_front: the factors before the last one, and the core
 *
 * X_n = the leading left singular vectors of the unfolding of A x_m X_m' over m != n, one mode
 * after the other, then C = A x_m X_m': each is the best choice for its block and C together.
 * De Lathauwer, De Moor, Vandewalle, On the best rank-1 and rank-(R1, ..., RN) approximation of
 * higher-order tensors, 2000. */
#include "rpca/tucker/tucker_state.h"

/* What the chains of products from half to ranks need, at most. */
ptrdiff_t crs_tucker_chain(const crs_tucker_settings *c)
{
    crease_space half = c->shape;
    half.dim[half.order - 1] = c->ranks.dim[half.order - 1];
    return 3 * crease_size(&half);
}

const double *crs_tucker_reduce(crs_tucker_fit *s, const double *a, int skip, crease_space *end)
{
    const int d = s->half.order;
    crs_mode_map map[CREASE_MAX_ORDER] = { 0 };
    bool any = false;
    *end = s->half;
    for (int m = 0; m < d - 1; m++) {
        if (m == skip || (s->fresh && m > skip && skip >= 0)) continue;
        map[m] = (crs_mode_map){ s->factor[m], s->c.ranks.dim[m], true };
        end->dim[m] = s->c.ranks.dim[m];
        any = true;
    }
    if (!any) return a;
    crs_multi_ttm(&s->half, map, 1, a, 0, s->chain, s->chain + crease_size(&s->half));
    return s->chain;
}

/* y (I_n x left right) = the unfolding of a in mode n */
static void unfold(const crease_space *shape, int n, const double *a, double *y)
{
    const ptrdiff_t left = crs_left(shape, n), dim = shape->dim[n], right = crs_right(shape, n);
    for (ptrdiff_t l = 0; l < left; l++)
        for (ptrdiff_t i = 0; i < dim; i++)
            copy(right, a + (l * dim + i) * right, y + (i * left + l) * right);
}

static bool update(crs_tucker_fit *s, int n)
{
    crease_space end;
    const double *a = crs_tucker_reduce(s, s->A, n, &end);
    const ptrdiff_t rows = end.dim[n], columns = crease_size(&end) / rows;
    const ptrdiff_t rank = s->c.ranks.dim[n], k = fewer(rows, columns);
    double *u = s->svd, *values = u + rows * k, *vt = values + k, *work = vt + k * columns;
    unfold(&end, n, a, s->unfolded);
    if (!crs_svd(rows, columns, s->unfolded, u, values, vt, work)) return false;
    for (ptrdiff_t i = 0; i < rows; i++) copy(rank, u + i * k, s->factor[n] + i * rank);
    return true;
}

bool crs_tucker_front(crs_tucker_fit *s)
{
    crease_space end;
    for (int n = 0; n < s->half.order - 1; n++)
        if (!update(s, n)) return false;
    s->fresh = false;
    copy(crease_size(&s->c.ranks), crs_tucker_reduce(s, s->A, -1, &end), s->core);
    return true;
}

void crs_tucker_expand(crs_tucker_fit *s)
{
    crs_mode_map map[CREASE_MAX_ORDER] = { 0 };
    for (int m = 0; m < s->half.order - 1; m++)
        map[m] = (crs_mode_map){ s->factor[m], s->half.dim[m], false };
    crs_multi_ttm(&s->c.ranks, map, 1, s->core, 0, s->P, s->chain);
}
