/* SPDX-License-Identifier: MIT
 * terms: what a CP model says: its tensor, its terms as weights and unit columns; how alike two
 * models are, term by term
 *
 *     score = (1/R) max over pairings of sum_r  w_r  prod_n |cos(x_n(r), y_n(r'))|,
 *     w_r = 1 - | |term r| - |term r'| | / max(|term r|, |term r'|)
 *
 * Acar, Dunlavy, Kolda, Morup, Scalable tensor factorizations for incomplete data, 2011. A term
 * paired with nothing, or with a zero term, scores 0; two zero terms score 1. */
#include "dense/dense.h"
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

void crease_cp_peaks(const crease_space *shape, ptrdiff_t rank, const double *const *unit,
                     const double *weight, double *share, ptrdiff_t *peak)
{
    const double size = crs_norm(rank, weight);
    for (ptrdiff_t k = 0; k < rank; k++) {
        share[k] = square(weight[k] / size);
        for (int n = 0; n < shape->order; n++) {
            const double *x = unit[n] + k;
            ptrdiff_t best = 0;
            for (ptrdiff_t i = 1; i < shape->dim[n]; i++)
                if (fabs(x[i * rank]) > fabs(x[best * rank])) best = i;
            peak[k * shape->order + n] = best;
        }
    }
}

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

/* Term k of the truth gets the term r that maximizes sum_k prod_n |cos(x_n^r, t_n^k)|, each r at
 * most once. Where there are too few terms its cosines are 0, as are those of zero columns. */
static double column_cosine(ptrdiff_t rows, const crs_cp_terms *x, ptrdiff_t r,
                            const crs_cp_terms *t, ptrdiff_t k, int n)
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
                if (t->factor[n]) cost[k * m + r] *= column_cosine(s->dim[n], x, r, t, k, n);
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
            *c = perm[k] < x->rank ? column_cosine(s->dim[n], x, perm[k], truth, k, n) : 0;
        }
    crs_free(perm);
    crs_free(cost);
    return true;
}
