/* SPDX-License-Identifier: MIT
 * separate: does y = -s/|s| prove that no x has A x = b? With D_i the domain of r_i within X_i,
 *
 *     margin = <y, b> - sum_i sup { <A_i'y, x> : x in D_i } > 0
 *
 * does. Entries without a bound make that supremum infinite unless A_i'y is 0 there; where it is
 * small the statement holds for |x_j| <= margin/w, w = sum |(A_i'y)_j| over those entries, and
 * counts if that is a million times the x at hand. What is found here the checker has to confirm.
 */
#include "composite/multipliers.h"

typedef struct {
    double reach, loose; /* the suprema that are finite, and w */
} support;

static void add_coordinates(const crs_composite *c, int i, const double *w, support *sum)
{
    for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++) {
        const double end = w[j] > 0 ? c->by[j].high : c->by[j].low;
        if (w[j] == 0) continue;
        if (isinf(end))
            sum->loose += fabs(w[j]);
        else
            sum->reach += w[j] * end;
    }
}

static void add_block(const crs_composite *c, int i, const double *w, support *sum)
{
    const crease_set *set = c->parts.block[i].set;
    const double *wi = w + c->at[i];
    double reach = INFINITY;
    if (c->separable[i]) {
        add_coordinates(c, i, w, sum);
        return;
    }
    if (set && set->ops->support) reach = set->ops->support(set, &c->parts.space[i], wi, c->room);
    if (reach < INFINITY) {
        sum->reach += reach;
        return;
    }
    for (ptrdiff_t j = 0; j < crs_block_size(c, i); j++) sum->loose += fabs(wi[j]);
}

bool crs_separates(const crs_composite *c, const double *s, const double *x, double *y,
                   double *room)
{
    const crs_term *A = c->constraint;
    const double size = crs_norm(A->rows, s);
    support sum = { 0, 0 };
    double largest = 0;
    if (!(size > 0 && size < INFINITY)) return false;
    for (ptrdiff_t j = 0; j < A->rows; j++) y[j] = -s[j] / size;
    fill(c->n, 0, room);
    crs_term_adjoint(c, A, 1, y, room);
    for (int i = 0; i < c->count; i++) add_block(c, i, room, &sum);
    for (ptrdiff_t j = 0; j < c->n; j++) largest = larger(largest, fabs(x[j]));
    const double at = A->rhs ? crs_dot(A->rows, y, A->rhs) : 0, margin = at - sum.reach;
    return margin > 1e-12 * (1 + fabs(at)) && margin > 1e6 * (1 + largest) * sum.loose;
}
