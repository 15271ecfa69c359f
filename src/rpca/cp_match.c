/* SPDX-License-Identifier: MIT
 * cp_match: how alike two CP models are, term by term
 *
 *     score = (1/R) max over pairings of sum_r  w_r  prod_n |cos(x_n(r), y_n(r'))|,
 *     w_r = 1 - | |term r| - |term r'| | / max(|term r|, |term r'|)
 *
 * Acar, Dunlavy, Kolda, Morup, Scalable tensor factorizations for incomplete data, 2011. A term
 * paired with nothing, or with a zero term, scores 0; two zero terms score 1. */
#include "dense/dense.h"
#include "rpca/cp_rpca.h"

typedef struct {
    const crease_space *s;
    ptrdiff_t rank;
    const double *const *factor;
} model;

static double inner(const model *a, ptrdiff_t p, const model *b, ptrdiff_t q, int n)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < a->s->dim[n]; i++)
        sum += a->factor[n][i * a->rank + p] * b->factor[n][i * b->rank + q];
    return sum;
}

static double pair_score(const model *a, ptrdiff_t p, const model *b, ptrdiff_t q)
{
    double cosine = 1, na = 1, nb = 1;
    for (int n = 0; n < a->s->order; n++) {
        const double x = sqrt(inner(a, p, a, p, n)), y = sqrt(inner(b, q, b, q, n));
        na *= x, nb *= y;
        cosine *= x > 0 && y > 0 ? smaller(1, fabs(inner(a, p, b, q, n)) / (x * y)) : 0;
    }
    if (na == 0 && nb == 0) return 1;
    return cosine * (1 - fabs(na - nb) / larger(na, nb));
}

static bool check(const model *a, crease_error *e)
{
    if (a->rank < 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "a model has %td terms; give 1 or more", a->rank);
    for (int n = 0; n < a->s->order; n++)
        if (!crs_all_finite(a->s->dim[n] * a->rank, a->factor[n]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "factor %d of a model has entries that are not finite", n + 1);
    return true;
}

bool crease_cp_match(const crease_space *shape, ptrdiff_t rank_x, const double *const *x,
                     ptrdiff_t rank_y, const double *const *y, double *score, crease_error *e)
{
    const model a = { shape, rank_x, x }, b = { shape, rank_y, y };
    const ptrdiff_t most = rank_x > rank_y ? rank_x : rank_y;
    *score = NAN;
    if (!crease_space_check(shape, e) || !check(&a, e) || !check(&b, e)) return false;
    double *cost =
        crs_doubles(most * most + 2 * most + crs_assignment_scratch(most), "a matching", e);
    ptrdiff_t *perm = cost ? crs_alloc((size_t)most, sizeof *perm) : NULL;
    bool done = perm || (cost && crs_fail(e, CREASE_NO_MEMORY, "out of memory: a matching"));
    for (ptrdiff_t j = 0; done && j < most * most; j++) {
        const ptrdiff_t p = j / most, q = j % most;
        cost[j] = p < rank_x && q < rank_y ? -pair_score(&a, p, &b, q) : 0;
    }
    double *u = cost + most * most;
    if (done && !crs_assignment(most, cost, perm, u, u + most, u + 2 * most))
        done = crs_fail(e, CREASE_NUMERICAL_FAILURE, "the terms could not be compared");
    if (done) *score = 0;
    for (ptrdiff_t p = 0; done && p < most; p++) *score -= cost[p * most + perm[p]] / (double)most;
    crs_free(cost);
    crs_free(perm);
    return done;
}
