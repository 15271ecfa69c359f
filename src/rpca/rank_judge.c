/* SPDX-License-Identifier: MIT
 * rank_judge: the rank a table of fits recommends, and the sentence that says why
 *
 * The loss is the mean over the entries held out of min(|r|, t)^2, t three robust deviations of the
 * best row: an outlier counts the same for every rank. All rows have the same entries, so that the
 * noise and the outliers among them cancel in the difference of two rows, and its standard error
 * is that of the mean of the differences. Core consistency (Bro, Kiers 2003): G - I = clip(T - M)
 * x_n pinv(X_n), since the best core of M itself is I; outliers are cut at 3 median|T - M|. */
#include <float.h>
#include <stdio.h>

#include <crease/rpca_tools.h>

#include "rpca/start.h"

static const double cut_at = 3;

/* out (columns x rows) = pinv(X) by its singular values */
static bool pseudo_inverse(ptrdiff_t rows, ptrdiff_t columns, const double *x, double *out,
                           double *work)
{
    double *u = work, *s = u + rows * columns, *vt = s + columns, *rest = vt + columns * columns;
    if (!crs_svd(rows, columns, x, u, s, vt, rest)) return false;
    const double least = s[0] * (double)rows * DBL_EPSILON;
    for (ptrdiff_t k = 0; k < columns; k++)
        for (ptrdiff_t i = 0; i < rows; i++) u[i * columns + k] *= s[k] > least ? 1 / s[k] : 0;
    crs_gemm(true, true, columns, rows, columns, 1, vt, u, 0, out);
    return true;
}

/* V - M: the residual, clipped; 0 where nothing was observed */
static void residual(const crs_cp_view *v, double *out, double *work)
{
    const ptrdiff_t size = crease_size(&v->shape);
    crs_view_count(v);
    fill(size, 0, out);
    crs_reconstruct(v->model, -1, out, work);
    for (ptrdiff_t j = 0; j < size; j++)
        out[j] = crs_view_observed(v, j) ? clip(v->tensor[j] + out[j], -v->limit, v->limit) : 0;
}

static bool pseudo_inverses(const crs_kruskal *k, double **p, crs_mode_map *map, crease_error *e)
{
    for (int n = 0; n < k->shape.order; n++) {
        const ptrdiff_t rows = k->shape.dim[n], R = k->rank;
        p[n] = crs_doubles(R * rows, "a core consistency", e);
        double *work = p[n] ? crs_doubles(rows * R + R + R * R + crs_svd_scratch(rows, R),
                                          "a core consistency", e)
                            : NULL;
        const bool done = work && pseudo_inverse(rows, R, k->factor[n], p[n], work);
        map[n] = (crs_mode_map){ p[n], R, false };
        crs_free(work);
        if (work && !done)
            crs_fail(e, CREASE_NUMERICAL_FAILURE,
                     "the singular values of factor %d did not converge; is it finite?", n + 1);
        if (!done) return false;
    }
    return true;
}

static bool core_distance(const crs_cp_view *v, const crs_mode_map *map, double *distance2,
                          crease_error *e)
{
    const ptrdiff_t size = crease_size(&v->shape), R = v->model->rank;
    crease_space core = v->shape;
    for (int n = 0; n < core.order; n++) core.dim[n] = R;
    const ptrdiff_t work =
        more(crs_kruskal_scratch(&v->shape, R), crs_multi_ttm_scratch(&v->shape, map));
    double *r = crs_doubles(size + crease_size(&core) + work, "a core consistency", e);
    if (!r) return false;
    double *g = r + size, *rest = g + crease_size(&core);
    residual(v, r, rest);
    crs_multi_ttm(&v->shape, map, 1, r, 0, g, rest);
    *distance2 = crs_dot(crease_size(&core), g, g);
    crs_free(r);
    return true;
}

bool crease_cp_consistency(const crease_cp_fit_request *r, const double *const *factor,
                           double *percent, crease_error *e)
{
    crs_kruskal k = { .shape = r->shape, .rank = r->rank };
    crs_cp_view v = { .shape = r->shape,
                      .tensor = r->tensor,
                      .mask = r->mask,
                      .model = &k,
                      .readings = r->readings };
    crs_mode_map map[CREASE_MAX_ORDER] = { { NULL, 0, false } };
    double *p[CREASE_MAX_ORDER] = { NULL }, median, distance2;
    *percent = NAN;
    for (int n = 0; n < r->shape.order; n++) {
        k.factor[n] = factor[n];
        if (r->rank > r->shape.dim[n]) return true;
    }
    if (!crs_view_median(&v, &median, e)) return false;
    v.limit = cut_at * median;
    const bool done = pseudo_inverses(&k, p, map, e) && core_distance(&v, map, &distance2, e);
    if (done) *percent = 100 * (1 - distance2 / (double)r->rank);
    for (int n = 0; n < r->shape.order; n++) crs_free(p[n]);
    return done;
}

static const double minor = 3;

/* Where consistency is not defined, unless a smaller rank already was not sound. */
/* Consistent enough */
static bool sound(const crs_rank_judge *s, ptrdiff_t at)
{
    const crease_cp_rank_row *row = s->t->row;
    if (row[at].consistency == row[at].consistency) return row[at].consistency >= s->least;
    for (ptrdiff_t k = 0; k < at; k++)
        if (row[k].consistency < s->least) return false;
    return true;
}

static const double deviations = 3, trifle = 0.01, chance = 1, sure = 2; /* standard errors */

/* Of the noise: by the row of least median that is sound; by any if none is. */
static double deviation(const crs_rank_judge *s)
{
    double least = INFINITY, any = INFINITY;
    for (ptrdiff_t k = 0; k < s->t->count; k++) {
        any = smaller(any, s->t->row[k].held_out);
        if (sound(s, k)) least = smaller(least, s->t->row[k].held_out);
    }
    return (least < INFINITY ? least : any) / 0.6745;
}

double crs_rank_error(const crs_rank_judge *s, ptrdiff_t k, ptrdiff_t b)
{
    const double *x = s->residual[k], *y = s->residual[b], t = deviations * deviation(s);
    const double n = (double)s->held_out, mean = s->t->row[k].loss - s->t->row[b].loss;
    double sum = 0;
    for (ptrdiff_t j = 0; j < s->held_out; j++)
        sum += square(square(smaller(x[j], t)) - square(smaller(y[j], t)) - mean);
    return n > 1 ? sqrt(sum / (n * (n - 1))) : 0;
}

/* Where no row is sound every row may be recommended. */
static bool allowed(const crs_rank_judge *s, ptrdiff_t at)
{
    bool any = false;
    for (ptrdiff_t k = 0; k < s->t->count; k++) any = any || sound(s, k);
    return !any || sound(s, at);
}

static ptrdiff_t best_of(const crs_rank_judge *s)
{
    ptrdiff_t best = -1;
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        if (allowed(s, k) && (best < 0 || s->t->row[k].loss < s->t->row[best].loss)) best = k;
    return best;
}

void crs_rank_losses(const crs_rank_judge *s)
{
    const double t = deviations * deviation(s);
    for (ptrdiff_t k = 0; k < s->t->count; k++) {
        double sum = 0;
        for (ptrdiff_t j = 0; j < s->held_out; j++) sum += square(smaller(s->residual[k][j], t));
        s->t->row[k].loss = s->held_out > 0 ? sum / (double)s->held_out : 0;
    }
    const ptrdiff_t best = best_of(s);
    for (ptrdiff_t k = 0; k < s->t->count; k++) {
        s->t->row[k].excess = s->t->row[k].loss - s->t->row[best].loss;
        s->t->row[k].error = crs_rank_error(s, k, best);
    }
}

/* What the terms that make row k of row m gain, each, in the mean of r^2 over the entries held out
 * that are no outliers of row `of` */
static double gain(const crs_rank_judge *s, ptrdiff_t m, ptrdiff_t k, ptrdiff_t of)
{
    const double *x = s->residual[m], *y = s->residual[k], *z = s->residual[of];
    const double t = deviations / 0.6745 * s->t->row[of].held_out;
    double sum = 0, count = 0;
    for (ptrdiff_t j = 0; j < s->held_out; j++)
        if (z[j] <= t) sum += square(x[j]) - square(y[j]), count++;
    return count > 0 ? sum / count / (double)(s->t->row[k].rank - s->t->row[m].rank) : 0;
}

static double more_loss(const crs_rank_judge *s, ptrdiff_t k, ptrdiff_t b)
{
    const double more = s->t->row[k].loss - s->t->row[b].loss;
    return more > trifle * square(deviation(s)) ? more : 0;
}

/* Breiman, Friedman, Olshen, Stone, Classification and regression trees, 1984: one standard error
 */
bool crs_rank_worse(const crs_rank_judge *s, ptrdiff_t k, ptrdiff_t b)
{
    const double more = more_loss(s, k, b);
    return more > 0 && more > chance * crs_rank_error(s, k, b);
}

static ptrdiff_t nearly_best(const crs_rank_judge *s)
{
    const ptrdiff_t best = best_of(s);
    ptrdiff_t k = 0;
    while (k < best && (!allowed(s, k) || crs_rank_worse(s, k, best))) k++;
    return k;
}

static ptrdiff_t rival_of(const crs_rank_judge *s, ptrdiff_t at)
{
    const ptrdiff_t best = best_of(s);
    if (best > at && more_loss(s, at, best) > 0 && nearly_best(s) == at) return best;
    if (at == 0 || more_loss(s, at - 1, at) > sure * crs_rank_error(s, at - 1, at)) return -1;
    return at - 1;
}

/* Of low consistency, or of an unknown one without a great gain to speak for it */
static bool is_doubtful(const crs_rank_judge *s, ptrdiff_t k)
{
    const crease_cp_rank_row *row = s->t->row;
    if (row[k].consistency == row[k].consistency) return row[k].consistency < 99;
    return k > 0 && !(row[k].held_out <= 0.5 * row[k - 1].held_out);
}

/* The nearest row before k whose term gains much more than those after it; k: none */
static ptrdiff_t last_of_weight(const crs_rank_judge *s, ptrdiff_t k)
{
    for (ptrdiff_t m = k - 1; m >= 1; m--)
        if (sound(s, m) && gain(s, m - 1, m, k) >= minor * gain(s, m, k, k)) return m;
    return k;
}

/* Last terms of doubtful consistency that gain little against the one before them are left out:
 * Timmerman, Kiers, Three-mode principal components analysis, 2000 (DIFFIT). */
static ptrdiff_t recommended(const crs_rank_judge *s)
{
    ptrdiff_t k = nearly_best(s), before = -1;
    while (k != before && is_doubtful(s, k)) {
        before = k;
        k = last_of_weight(s, k);
    }
    return k;
}

crs_rank_verdict crs_rank_judged(const crs_rank_judge *s)
{
    const ptrdiff_t near = nearly_best(s), at = recommended(s);
    return (crs_rank_verdict){ best_of(s), near, at, rival_of(s, at), is_doubtful(s, near) };
}

static void doubt(const crs_rank_judge *s, ptrdiff_t at, size_t size, char *out)
{
    const crease_cp_rank_row *row = s->t->row;
    const ptrdiff_t rival = rival_of(s, at);
    out[0] = 0;
    if (rival < 0) return;
    const double by = row[rival].loss - row[at].loss, error = crs_rank_error(s, at, rival);
    snprintf(out, size, "; this is not sure: rank %td is %s by %.1f standard errors only",
             row[rival].rank, by < 0 ? "better" : "worse", fabs(by) / error);
}

void crs_rank_explain(const crs_rank_judge *s)
{
    const ptrdiff_t at = recommended(s), near = nearly_best(s);
    const crease_cp_rank_row *r = &s->t->row[at];
    char below[100] = "no smaller rank was tried", core[40] = "not defined", why[160], unsure[100];
    s->t->rank = r->rank;
    if (at > 0) snprintf(below, sizeof below, "rank %td leaves %.3g", r[-1].rank, r[-1].held_out);
    if (r->consistency == r->consistency) snprintf(core, sizeof core, "%.0f %%", r->consistency);
    if (at == near)
        snprintf(why, sizeof why, "the smallest whose loss is not above the least");
    else
        snprintf(
            why, sizeof why,
            "rank %td would gain %.3g of the squares after %.3g by this one, at a core consistency "
            "of %.0f %%",
            r[1].rank, gain(s, at, at + 1, near), gain(s, at - 1, at, near), r[1].consistency);
    doubt(s, at, sizeof unsure, unsure);
    snprintf(
        s->t->reason, sizeof s->t->reason,
        "rank %td has a median error of %.3g on held-out entries, %s; %s; its core consistency "
        "is %s%s",
        r->rank, r->held_out, why, below, core, unsure);
}
