/* SPDX-License-Identifier: MIT
 * rows_certify: certificates of a path on rows, from one look at all its points, and
 * cross-validation
 *
 * Convex: with L the loss and g its gradient at any x, and F_0 the objective at b, every minimizer
 * b* has F(b*) >= L(x) - <g, x> - S, S = sup {<-g, b> - R(b): R(b) <= F_0} (certify.c). x is b, or
 * b with Newton's steps on b_0. Otherwise as for data in memory. */
#include "regress/rows.h"

enum { ROUNDS = 3 };
static const double DOUBT = 0x1p-38;
enum { LOSS, SQUARES, CURVE, GRADIENT }; /* of what is judged */

static double *judged_at(const crs_rows_fit *f, ptrdiff_t k)
{
    return f->judged + k * (f->cols + 3);
}

/* The least eigenvalue of the loss on the units that are not 0, or without a penalty. */
bool crs_rows_support(crease_regression *m, ptrdiff_t k, crease_error *e)
{
    crs_rows_fit *f = m->on;
    const crs_design *d = &m->d;
    const double *H = d->loss->quadratic ? f->gram : f->at.h;
    ptrdiff_t count = 0;
    ptrdiff_t *chosen = crs_alloc((size_t)f->cols, sizeof *chosen);
    f->eigenvalue[k] = NAN;
    if (!chosen) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the support");
    for (ptrdiff_t u = 0; u < d->units; u++) {
        bool any = d->weight[u] == 0;
        for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++)
            any = any || f->at.b[d->column[j]] != 0;
        for (ptrdiff_t j = d->start[u]; any && j < d->start[u + 1]; j++)
            chosen[count++] = d->column[j];
    }
    bool done = true;
    if (count > 0 && count <= CRS_MOST_SUPPORT) {
        for (ptrdiff_t i = 0; i < count; i++)
            for (ptrdiff_t j = 0; j < count; j++)
                f->room[i * count + j] = H[chosen[i] * f->cols + chosen[j]];
        done = crs_least_eigenvalue(m->d.n, count, f->room, &f->eigenvalue[k], e);
    }
    crs_free(chosen);
    return done;
}

/* Loss, .. at `count` points, over the weight. */
static bool judge_points(crease_regression *m, ptrdiff_t count, double *point, crease_error *e)
{
    crs_rows_fit *f = m->on;
    crs_look l;
    if (!crs_rows_points_at(m, count, point, false, &f->share, &l, e)) return false;
    f->passes++;
    for (ptrdiff_t k = 0; k < count; k++) {
        double *to = judged_at(f, k);
        to[LOSS] = crs_total_at(&l.sums, CRS_POINTS_VALUE, k);
        to[SQUARES] = crs_total_at(&l.sums, CRS_POINTS_SQUARE, k);
        to[CURVE] = crs_total_at(&l.sums, CRS_POINTS_CURVE, k);
        crs_total_read(&l.sums, CRS_POINTS_GRADIENT, k * f->cols, f->cols, to + GRADIENT);
        for (ptrdiff_t j = 0; j < f->cols + GRADIENT; j++) to[j] /= f->weight;
    }
    crs_look_close(&l);
    return true;
}

static double unit_norm(const crs_design *d, ptrdiff_t u, const double *x)
{
    double sum = 0;
    if (unit_size(d, u) == 1) return fabs(x[d->column[d->start[u]]]);
    for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) sum += square(x[d->column[j]]);
    return sqrt(sum);
}

/* What the slopes and the terms of the scores are at most, mean square: v (|phi'| + |z||x| + |y|)^2
 */
static double reach_of(const crease_regression *m, const double *x, const double *at)
{
    const crs_design *d = &m->d;
    double size = 0;
    for (ptrdiff_t j = 0; j < d->cols; j++) size += d->size[j];
    return 3 * (at[SQUARES] + size * square(crs_norm(d->cols, x)) + m->on->far);
}

/* How much a gradient may be off, of sums of some hundred numbers in double and a checker's too. */
static double doubt_of(const crease_regression *m, ptrdiff_t u, double reach)
{
    const crs_design *d = &m->d;
    double size = 0;
    for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++)
        size += m->on->gram[d->column[j] * (d->cols + 1)];
    return DOUBT * sqrt(size * reach);
}

/* F(b) = level less the bound at x, where `at` was judged; INFINITY: there is none. */
static double gap_at(const crease_regression *m, double lambda, double level, const double *x,
                     const double *at)
{
    const crs_design *d = &m->d;
    const crease_penalty *rho = m->s.penalty.penalty;
    const double *g = at + GRADIENT;
    const double reach = reach_of(m, x, at);
    double par[CREASE_PARS], inner = 0, doubts = 0, most = 0, curved = 0;
    crs_penalty_at(&m->s.penalty, lambda, par);
    const double slope = rho->slope(par, 0), bend = rho->slope(par, 1) - slope;
    for (ptrdiff_t j = 0; j < d->cols; j++) inner += g[j] * x[j];
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const double t = unit_norm(d, u, g), w = d->weight[u], doubt = doubt_of(m, u, reach);
        const double over = pos(t + doubt - w * slope);
        for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++)
            doubts += doubt * fabs(x[d->column[j]]);
        const bool none = w == 0 || (slope == 0 && bend == 0);
        if (none && !(t <= doubt)) return INFINITY;
        if (none || over == 0) continue;
        most = larger(most, over / (w * slope));
        curved += square(over) / (2 * w * bend);
    }
    const double scaled = most == 0 ? 0 : most * level;
    const double above = scaled < curved ? scaled : curved;
    return larger(0, level - at[LOSS] + inner + above) + doubts + DOUBT * (level + reach);
}

static bool is_convex(const crease_regression *m, double lambda)
{
    return (m->s.penalty.penalty->convex || lambda == 0) && m->d.loss->low >= 0;
}

static double level_of(const crease_regression *m, ptrdiff_t k)
{
    return m->solution[k].objective / square(m->d.c);
}

/* Bounds at the points in x; true: all are good enough. */
static bool bound_gaps(crease_regression *m, const double *x)
{
    crs_rows_fit *f = m->on;
    bool good = true;
    for (ptrdiff_t k = 0; k < m->s.path; k++) {
        if (!is_convex(m, m->lambda[k])) continue;
        const double level = level_of(m, k);
        const double gap = gap_at(m, m->lambda[k], level, x + k * f->cols, judged_at(f, k));
        if (gap < f->gap[k]) f->gap[k] = gap;
        good = good && f->gap[k] <= CRS_NEAR * m->s.eps * level;
    }
    return good;
}

/* b_0 gets Newton's steps at all lambdas at once, until the bounds are good. */
static bool improve_gaps(crease_regression *m, crease_error *e)
{
    crs_rows_fit *f = m->on;
    const ptrdiff_t cols = f->cols, count = m->s.path, each = cols + GRADIENT;
    double *kept = crs_doubles(count * each + count * cols, "bounds", e), *x = kept + count * each;
    if (!kept) return false;
    copy(count * each, f->judged, kept);
    copy(count * cols, m->point, x);
    bool done = true;
    for (int k = 0; done && k < ROUNDS && !bound_gaps(m, x); k++) {
        for (ptrdiff_t i = 0; i < count; i++) {
            const double *at = judged_at(f, i), bend = at[CURVE] * square(m->d.one / m->d.c);
            if (bend > 0) x[i * cols + cols - 1] -= at[GRADIENT + cols - 1] / bend;
        }
        done = judge_points(m, count, x, e);
    }
    if (done) bound_gaps(m, x);
    copy(count * each, kept, f->judged);
    crs_free(kept);
    return done;
}

/* The points of the path, by one look. */
bool crs_rows_judge(crease_regression *m, crease_error *e)
{
    crs_rows_fit *f = m->on;
    const ptrdiff_t path = m->s.path, cols = f->cols;
    if (!judge_points(m, path, m->point, e)) return false;
    for (ptrdiff_t k = 0; k < path; k++) {
        const double loss = judged_at(f, k)[LOSS], c2 = square(m->d.c);
        const double penalty = crs_rows_penalty_value(m, m->lambda[k], m->point + k * cols);
        m->solution[k].deviance = 2 * loss * c2;
        m->solution[k].objective = (loss + penalty) * c2;
        f->gap[k] = INFINITY;
    }
    if (bound_gaps(m, m->point) || cols == m->d.p) return true;
    return improve_gaps(m, e);
}

/* dist(-grad f, dr) of n/c^2 times the problem, and what it is relative to */
static void set_residual(const crease_regression *m, ptrdiff_t k,
                         crease_regression_certificate *out)
{
    const crs_rows_fit *f = m->on;
    const double *x = m->point + k * f->cols, *g = judged_at(f, k) + GRADIENT;
    const double n = (double)m->d.n, size = crs_norm(f->cols, g) + 2 * crs_norm(f->cols, f->g_0);
    crease_residual *r = &out->residual;
    r->setting = 2;
    r->rounding = 4 * 0x1p-53 * n * size;
    r->residual = n * crs_rows_distance(m, m->lambda[k], x, g) + r->rounding;
    r->scale = n * crs_rows_scale(m, x, g, level_of(m, k));
    out->relative = r->residual == 0 ? 0 : r->residual / r->scale;
}

/* Curvature less concavity, least over the units; NaN: not the squared loss */
static double margin(const crease_regression *m, double concavity)
{
    const crs_design *d = &m->d;
    double least = INFINITY;
    for (ptrdiff_t u = 0; u < d->units; u++)
        if (d->length[u] > 0) least = smaller(least, d->length[u] - times(d->weight[u], concavity));
    return d->loss->quadratic ? least : NAN;
}

/* Is every zero strictly inside the penalty's slope at 0? The largest weight of the others */
static bool is_strict(const crease_regression *m, ptrdiff_t k, double slope, double *weight)
{
    const crs_design *d = &m->d;
    const double *x = m->point + k * d->cols, *g = judged_at(m->on, k) + GRADIENT;
    bool strict = true;
    *weight = 0;
    for (ptrdiff_t u = 0; u < d->units; u++) {
        if (d->weight[u] == 0 || unit_norm(d, u, x) > 0)
            *weight = larger(*weight, d->weight[u]);
        else
            strict = strict && unit_norm(d, u, g) < d->weight[u] * slope * (1 - 1e-9);
    }
    return strict;
}

static void judge_gap(const crease_regression *m, ptrdiff_t k, double gap,
                      crease_regression_certificate *out)
{
    out->gap = gap * square(m->d.c);
    out->convexity = out->gap <= CRS_NEAR * m->s.eps * m->solution[k].objective
                         ? CREASE_CONVEXITY_GLOBAL
                         : CREASE_CONVEXITY_CONVEX;
}

bool crs_rows_certify(const crease_regression *m, ptrdiff_t k, crease_regression_certificate *out)
{
    const crs_rows_fit *f = m->on;
    const crs_design *d = &m->d;
    const crease_penalty *rho = m->s.penalty.penalty;
    double par[CREASE_PARS], most = 0, weight;
    *out = (crease_regression_certificate){ .eigenvalue = NAN, .gap = NAN };
    set_residual(m, k, out);
    out->certified = out->relative <= m->s.eps;
    crs_penalty_at(&m->s.penalty, m->lambda[k], par);
    const double concavity = rho->weak_convexity(par);
    out->margin = margin(m, concavity);
    if (is_convex(m, m->lambda[k])) return judge_gap(m, k, f->gap[k], out), true;
    const bool strict = is_strict(m, k, rho->slope(par, 0), &weight);
    out->concavity = times(weight, concavity) * square(d->c);
    out->eigenvalue = f->eigenvalue[k] * square(d->c);
    if (strict && (m->solution[k].nonzero == 0 || out->eigenvalue > out->concavity))
        out->convexity = CREASE_CONVEXITY_LOCAL;
    for (ptrdiff_t u = 0; u < d->units; u++) most = larger(most, d->weight[u]);
    const double modulus = m->least - times(most, concavity), r = out->residual.residual;
    if (modulus > 0) judge_gap(m, k, square(r / (double)d->n) / (2 * modulus), out);
    return true;
}

/* ---- cross-validation ---- */

/* Mean of (y - prediction)^2 over the rows of a fold, from its sums: w'Aw, w the residual as a
 * combination of z, y and 1. */
static double deviance_by_sums(const crs_rows *r, int out, const crease_regression_solution *s,
                               double *w)
{
    const ptrdiff_t p = r->layout.p, q = p + 2;
    const double *a = r->sums + out * packed(q);
    double sum = 0;
    w[p] = r->unit[p];
    w[p + 1] = r->center[p] - s->intercept;
    for (ptrdiff_t j = 0; j < p; j++) {
        w[j] = -s->coef[j] * r->unit[j];
        w[p + 1] -= s->coef[j] * r->center[j];
    }
    for (ptrdiff_t i = 0; i < q; i++) {
        double row = 0;
        for (ptrdiff_t j = 0; j < q; j++) row += a[at_packed(i, j)] * w[j];
        sum += w[i] * row;
    }
    return larger(0, sum) / a[at_packed(q - 1, q - 1)];
}

/* Deviances of a fold, and its weight behind them. */
static bool rate(const crease_regression *m, crease_regression *part, int out, double *score,
                 crease_error *e)
{
    const crs_rows *r = m->on->data;
    const ptrdiff_t q = r->layout.p + 2, path = part->s.path;
    const double weight = r->sums[out * packed(q) + at_packed(q - 1, q - 1)];
    crs_share own = part->on->share;
    crs_look l;
    score[m->s.path] = weight;
    if (m->d.loss->quadratic) {
        double *w = crs_doubles(q, "the scores", e);
        for (ptrdiff_t k = 0; w && k < path; k++)
            score[k] = deviance_by_sums(r, out, &part->solution[k], w);
        crs_free(w);
        return w;
    }
    own.only = 1;
    if (!crs_rows_points_at(part, path, part->point, false, &own, &l, e)) return false;
    for (ptrdiff_t k = 0; k < path; k++)
        score[k] = 2 * square(part->d.c) * crs_total_at(&l.sums, CRS_POINTS_VALUE, k) / weight;
    crs_look_close(&l);
    return true;
}

/* The path without a fold; *ended: it was stopped. */
static bool fit_fold(const crease_regression *m, int out, double *score, bool *ended,
                     crease_error *e)
{
    crease_regression_settings s = m->s;
    crs_share share = m->on->share;
    crease_error why = { CREASE_OK, "" };
    share.out = out;
    s.lambda = m->lambda;
    s.watch = &m->deadline->watch;
    s.max_seconds = INFINITY;
    crs_watch_say(s.watch, "fold %d of %d", out + 1, share.folds);
    crease_regression *part = crs_rows_make(m->on->data, &share, &s, &why);
    if (part) part->among = m->on->told;
    bool done = part && crs_rows_path(part, &why);
    *ended = deadline_met(m->deadline) || (part && part->own.ended);
    if (done && !*ended) done = rate(m, part, out, score, &why);
    crease_regression_free(part);
    return done || *ended ||
           crs_fail(e, why.code, "without the rows of fold %d: %.250s; use other folds or none",
                    out + 1, why.text);
}

int crease_regression_folds_on(const crease_regression *m)
{
    return m->on ? m->on->share.folds : 0;
}

bool crease_regression_cv_on(const crease_regression *m, crease_regression_scores *out,
                             crease_error *e)
{
    const int folds = m->on ? m->on->share.folds : 0;
    const ptrdiff_t path = m->s.path;
    crs_folds_told told = { .of = (double)folds * (double)path };
    bool ended = false;
    *out = (crease_regression_scores){ .count = path, .folds = folds };
    if (folds < 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the model was made without folds; say how many when it is made");
    double *score = crs_doubles(folds * (path + 1), "the scores", e);
    out->mean = crs_doubles(path, "the scores", e);
    out->error = crs_doubles(path, "the scores", e);
    bool done = score && out->mean && out->error;
    m->on->told = &told;
    for (int f = 0; done && !ended && f < folds; f++)
        done = fit_fold(m, f, score + f * (path + 1), &ended, e);
    if (ended) m->deadline->ended = true, out->count = 0;
    if (done && !ended) crs_scores_summarize(score, out);
    crs_free(score);
    return done;
}
