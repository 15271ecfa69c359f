/* SPDX-License-Identifier: MIT
 * judge: the rank a table of fits recommends, and the sentence that says why
 *
 * The loss of a fold is the mean over what it holds out of min(|r|, t)^2, t two deviations of
 * the noise: an outlier counts the same for both of two ranks. The noise is that of the better one:
 * by that of a much better fit all that a small rank leaves would be outliers. The entries of a
 * fold share their fit, so that the standard error of a difference is over the folds. Core
 * consistency (Bro, Kiers 2003) is told, not used: G - I = clip(T - M) x_n pinv(X_n), since the
 * best core of M itself is I; outliers are cut at 3 median|T - M|. */
#include <float.h>
#include <stdio.h>

#include <crease/rpca_tools.h>

#include "rpca/rank/rank.h"

static const double cut_at = 3;

/* out (rows x columns) = pinv(X)' by its singular values */
static bool pseudo_inverse(ptrdiff_t rows, ptrdiff_t columns, const double *x, double *out,
                           double *work)
{
    double *u = work, *s = u + rows * columns, *vt = s + columns, *rest = vt + columns * columns;
    if (!crs_svd(rows, columns, x, u, s, vt, rest)) return false;
    const double least = s[0] * (double)rows * DBL_EPSILON;
    for (ptrdiff_t k = 0; k < columns; k++)
        for (ptrdiff_t i = 0; i < rows; i++) u[i * columns + k] *= s[k] > least ? 1 / s[k] : 0;
    crs_gemm(false, false, rows, columns, columns, 1, u, vt, 0, out);
    return true;
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
        map[n] = (crs_mode_map){ p[n], R, true };
        crs_free(work);
        if (work && !done)
            crs_fail(e, CREASE_NUMERICAL_FAILURE,
                     "the singular values of factor %d did not converge; is it finite?", n + 1);
        if (!done) return false;
    }
    return true;
}

/* |G - I|^2 of a view of the residual */
static bool core_distance(const crs_cp_view *v, const crs_mode_map *map, double *distance2,
                          crease_error *e)
{
    crease_space core = v->shape;
    for (int n = 0; n < core.order; n++) core.dim[n] = v->model->rank;
    double *g = crs_doubles(crease_size(&core), "a core consistency", e);
    const bool done = g && crs_view_project(v, map, g, e);
    if (done) *distance2 = crs_dot(crease_size(&core), g, g);
    crs_free(g);
    return done;
}

bool crease_cp_consistency(const crease_cp_fit_request *r, const double *const *factor,
                           double *percent, crease_error *e)
{
    crs_kruskal k = { .shape = r->shape, .rank = r->rank };
    crs_observed o;
    crs_cp_view v = { .shape = r->shape,
                      .source = &o.data.source,
                      .model = &k,
                      .residual = true,
                      .readings = r->readings };
    crs_mode_map map[CREASE_MAX_ORDER] = { { NULL, 0, false } };
    double *p[CREASE_MAX_ORDER] = { NULL }, median, distance2;
    *percent = NAN;
    for (int n = 0; n < r->shape.order; n++) {
        k.factor[n] = factor[n];
        if (r->rank > r->shape.dim[n]) return true;
    }
    bool done =
        crs_observe(&r->shape, r->tensor, r->mask, &o, e) && crs_view_median(&v, &median, e);
    if (done) v.limit = cut_at * median;
    done = done && pseudo_inverses(&k, p, map, e) && core_distance(&v, map, &distance2, e);
    crs_observed_close(&o);
    if (done) *percent = 100 * (1 - distance2 / (double)r->rank);
    for (int n = 0; n < r->shape.order; n++) crs_free(p[n]);
    return done;
}

static const double deviations = 2, sure = 2, trifle = 0.02, near = 1.15;

static double loss_of(const crs_rank_judge *j, ptrdiff_t k, int fold, double t)
{
    return crs_magnitudes_bounded(j->held[k * CRS_RANK_FOLDS + fold], t);
}

/* t of a comparison: by the noise of the row that fits better */
static double bound(const crs_rank_judge *j, ptrdiff_t a, ptrdiff_t b)
{
    const crease_cp_rank_row *row = j->t->row;
    return deviations * larger(j->sigma[row[a].fitted < row[b].fitted ? a : b], j->floor);
}

/* Mean over the folds of the loss of row k; a fold that holds nothing out says nothing. */
static double mean_loss(const crs_rank_judge *j, ptrdiff_t k, double t)
{
    double sum = 0, n = 0;
    for (int f = 0; f < CRS_RANK_FOLDS; f++) {
        sum += loss_of(j, k, f, t);
        n += j->held[k * CRS_RANK_FOLDS + f]->all > 0;
    }
    return sum / larger(n, 1);
}

/* What row b has less than row a, as a share of that; *error: its standard error over the folds */
static double gain_of(const crs_rank_judge *j, ptrdiff_t a, ptrdiff_t b, double *error)
{
    const double t = bound(j, a, b), base = larger(mean_loss(j, a, t), square(j->floor));
    double sum = 0, squares = 0, n = 0;
    for (int f = 0; f < CRS_RANK_FOLDS; f++) {
        if (j->held[a * CRS_RANK_FOLDS + f]->all == 0) continue;
        const double d = (loss_of(j, a, f, t) - loss_of(j, b, f, t)) / base;
        sum += d, squares += d * d, n++;
    }
    const double mean = n > 0 ? sum / n : 0;
    *error = n > 1 ? sqrt(larger(squares / n - mean * mean, 0) / (n - 1)) : 0;
    return mean;
}

void crs_rank_losses(const crs_rank_judge *j)
{
    crease_cp_rank_row *row = j->t->row;
    ptrdiff_t best = 0;
    for (ptrdiff_t k = 1; k < j->t->count; k++)
        if (row[k].fitted < row[best].fitted) best = k;
    for (ptrdiff_t k = 0; k < j->t->count; k++) {
        row[k].held_out = crs_magnitudes_median(CRS_RANK_FOLDS, j->held + k * CRS_RANK_FOLDS);
        row[k].loss = mean_loss(j, k, bound(j, best, best));
        row[k].gain = row[k].error = NAN;
        if (k > 0) row[k].gain = gain_of(j, k - 1, k, &row[k].error);
    }
}

bool crs_rank_step(const crs_rank_judge *j, ptrdiff_t from, ptrdiff_t to)
{
    double error;
    if (from < 0 || to >= j->t->count) return false;
    const double gain = gain_of(j, from, to, &error);
    const double terms = (double)(j->t->row[to].rank - j->t->row[from].rank);
    return gain > larger(sure * error, trifle * terms);
}

/* By two terms at once where one by itself is no step: -2; by one: -1; 0: not at all */
static ptrdiff_t came_by(const crs_rank_judge *j, ptrdiff_t at)
{
    if (crs_rank_step(j, at - 1, at)) return -1;
    return crs_rank_step(j, at - 2, at) && !crs_rank_step(j, at - 2, at - 1) ? -2 : 0;
}

ptrdiff_t crs_rank_climb(const crs_rank_judge *j, ptrdiff_t at)
{
    while (at > 0 && came_by(j, at) == 0) at--;
    for (;;) {
        if (crs_rank_step(j, at, at + 1))
            at++;
        else if (crs_rank_step(j, at, at + 2))
            at += 2;
        else
            return at;
    }
}

/* "34 % (5.2 SE)" */
static void say_gain(const crs_rank_judge *j, ptrdiff_t a, ptrdiff_t b, size_t size, char *out)
{
    double error;
    const double gain = gain_of(j, a, b, &error);
    const int n = snprintf(out, size, "%.3g %%", 100 * gain);
    if (error > 0) snprintf(out + n, size - (size_t)n, " (%.1f SE)", gain / error);
}

/* What brought the climb to row `at`: a step of one term or of two */
static void say_last(const crs_rank_judge *j, ptrdiff_t at, size_t size, char *out)
{
    char gain[60];
    const ptrdiff_t by = came_by(j, at);
    out[0] = 0;
    if (by == 0) return;
    say_gain(j, at + by, at, sizeof gain, gain);
    snprintf(out, size, "the last %s the loss by %s, ", by == -1 ? "lowers" : "two lower", gain);
}

static void say_next(const crs_rank_judge *j, ptrdiff_t at, size_t size, char *out)
{
    char one[60], two[60] = "";
    snprintf(out, size, "no larger rank was tried");
    if (at + 1 >= j->t->count) return;
    say_gain(j, at, at + 1, sizeof one, one);
    if (at + 2 < j->t->count) say_gain(j, at, at + 2, sizeof two, two);
    snprintf(out, size, "one more would by %s%s%s, where %g %% a term and %g standard errors count",
             one, two[0] ? ", two by " : "", two, 100 * trifle, sure);
}

static void say_least(const crs_rank_judge *j, ptrdiff_t at, size_t size, char *out)
{
    ptrdiff_t best = 0;
    out[0] = 0;
    for (ptrdiff_t k = 1; k < j->t->count; k++)
        if (j->t->row[k].loss < j->t->row[best].loss) best = k;
    if (best != at) snprintf(out, size, " (least loss: rank %td)", j->t->row[best].rank);
}

/* Root mean square errors of row k in those of row `of` */
static double ratio(const crs_rank_judge *j, ptrdiff_t k, ptrdiff_t of)
{
    const double least = square(j->floor), t = bound(j, k, of);
    return sqrt(larger(mean_loss(j, k, t), least) / larger(mean_loss(j, of, t), least));
}

bool crs_rank_close(const crs_rank_judge *j, ptrdiff_t k, ptrdiff_t to)
{
    return ratio(j, k, to) <= near;
}

static void say_halves(const crs_rank_judge *j, ptrdiff_t at, ptrdiff_t half, size_t size,
                       char *out)
{
    const crease_cp_rank_row *row = j->t->row;
    out[0] = 0;
    if (half == at)
        snprintf(out, size, ". All reproduce in halves of the data");
    else if (half >= 0)
        snprintf(out, size,
                 ". Only %td reproduce in halves of the data; %s, at %.3g times the held-out error "
                 "(%.2f at most)",
                 row[half].rank,
                 crs_rank_close(j, half, at) ? "these are taken" : "these are not taken",
                 ratio(j, half, at), near);
}

void crs_rank_explain(const crs_rank_judge *j, ptrdiff_t at, ptrdiff_t half)
{
    crease_cp_rank_table *t = j->t;
    t->rank = t->predicts = 1;
    snprintf(t->reason, sizeof t->reason, "the search was stopped before any rank was compared");
    if (t->count == 0) return;
    char last[120], next[260], least[40], halves[200];
    const bool smaller_one = half >= 0 && half < at && crs_rank_close(j, half, at);
    const ptrdiff_t rank = t->row[at].rank;
    t->predicts = rank;
    t->reproduces = half < 0 ? 0 : t->row[half].rank;
    t->rank = smaller_one ? t->row[half].rank : rank;
    say_last(j, at, sizeof last, last);
    say_next(j, at, sizeof next, next);
    say_least(j, at, sizeof least, least);
    say_halves(j, at, half, sizeof halves, halves);
    if (t->row[at].loss <= square(j->floor))
        snprintf(t->reason, sizeof t->reason, "rank %td predicts what is held out to rounding%s%s",
                 rank, rank > 1 ? ", which no smaller rank does" : "", halves);
    else
        snprintf(t->reason, sizeof t->reason, "%td term%s predict%s held-out data: %s%s%s%s", rank,
                 rank == 1 ? "" : "s", rank == 1 ? "s" : "", last, next, least, halves);
}
