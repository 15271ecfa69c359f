/* SPDX-License-Identifier: MIT
 * regress_rows: the solutions of a regression whose rows are read again and again, all lambdas at
 * once
 *
 * Loss and gradient at every point come from regress_reread.c with a bound of their error. What is
 * stationary, and how near the least value the objective is, then follows as in verify.c and
 * regress_gap.c; where b_0 alone keeps a bound from being good, it gets Newton's steps at all
 * points, with a reading each. */
#include <stdio.h>

#include "verify/regress.h"
#include "verify/verify.h"

enum { STEPS = 3 };

typedef crs_claimed_design design;
typedef crs_reread on;

/* The length of what the gradient in unit u may be off */
static real doubt_of(const on *a, ptrdiff_t u, ptrdiff_t m)
{
    real sum = 0;
    for (ptrdiff_t k = a->d.start[u]; k < a->d.start[u + 1]; k++) {
        const real doubt = crs_reread_doubt(a, a->d.index[k], m);
        sum += doubt * doubt;
    }
    return sqrtl(sum);
}

/* ---- verdicts ---- */

/* n times the gradients at a few points, and their lengths less that at 0, over n */
static void take_gradients(on *a, ptrdiff_t first, ptrdiff_t count)
{
    const real n = (real)a->d.c->n;
    double sum[CRS_REREAD_FEW] = { 0 };
    for (ptrdiff_t j = 0; j < a->cols; j++) {
        const real *g = a->g + j * a->wide;
        const double zero = (double)g[a->count - 1];
        for (ptrdiff_t c = 0; c < count; c++) {
            const double t = (double)g[first + c] - zero;
            a->linear[c * a->cols + j] = (double)(n * g[first + c]);
            sum[c] += t * t;
        }
    }
    for (ptrdiff_t c = 0; c < count; c++) a->length[c] = sqrt(sum[c]);
}

/* A lambda's penalty with <n g, .>, on the columns that matter alone: without groups a zero whose
 * gradient its slopes hold adds nothing to the penalty nor to the distance. */
typedef struct {
    const double *linear, *x;
    crease_space space;
    crease_groups groups;
    crease_block block;
    crease_quadratic_data smooth;
    crease_problem problem;
} judged;

/* The slope at 0 of a weight of 1; 0: not known */
static double slope_at_zero(const crease_reg *r)
{
    const double weight = 1;
    crs_verifier v = { .p = NULL };
    crs_known_reg k;
    const crease_reg one = crease_weighted(*r, &weight);
    const real high =
        crs_know_reg(&v, &one, &k) ? crs_slopes_at(&k, 0, 0, -INFINITY, INFINITY, 0).high : 0;
    return high > 0 ? (double)high : 0;
}

static ptrdiff_t choose(on *a, const crease_reg *r, const double *x, const double *linear)
{
    const double *weight = a->d.weight, slope = slope_at_zero(r) * (1 - 0x1p-40);
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < a->cols; j++) {
        if (j > 0 && x[j] == 0 && weight[j] > 0 && fabs(linear[j]) <= weight[j] * slope) continue;
        a->some[count] = x[j];
        a->some[a->cols + count] = linear[j];
        a->weight[count] = weight[j];
        count++;
    }
    return count;
}

static void pose(on *a, ptrdiff_t k, const double *linear, judged *p)
{
    const double *x = a->d.c->point + k * a->cols;
    *p = (judged){ .linear = linear, .x = x, .space = crease_vector(a->cols) };
    p->block = (crease_block){ .name = "b" };
    p->block.reg = crs_claimed_penalty(&a->d, a->d.c->s.lambda[k], &p->groups);
    if (!p->block.reg.groups) {
        p->space = crease_vector(choose(a, &p->block.reg, x, linear));
        p->block.reg = crease_weighted(p->block.reg, a->weight);
        p->x = a->some, p->linear = a->some + a->cols;
    }
    p->smooth = (crease_quadratic_data){ .linear = &p->linear, .blocks = 1 };
    p->problem = (crease_problem){ .count = 1, .space = &p->space, .block = &p->block };
}

/* The sum of all penalties, over n */
static bool penalty_of(const on *a, judged *p, real *value, crease_error *e)
{
    crs_verifier v = { .p = &p->problem, .watch = a->d.c->s.watch };
    if (!crs_objective(&v, &p->x, value)) *value = NAN;
    crs_rooms_free(&v);
    *value /= (real)a->d.c->n;
    return !v.no_memory || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the objective");
}

/* dist(-n g, d penalty(x)), in out. */
static bool judge_linear(const on *a, judged *p, crease_verification *out, crease_error *e)
{
    p->problem.f = crease_quadratic(&p->smooth);
    const crease_claim claim = { .p = &p->problem, .x = &p->x, .watch = a->d.c->s.watch };
    return crease_claim_verify(&claim, out, e);
}

static real length_at_zero(const on *a)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < a->cols; j++) {
        const real g = a->g[j * a->wide + a->count - 1];
        sum += g * g;
    }
    return sqrtl(sum);
}

/* What residuals at point k are relative to, over n; size: of the gradient's terms */
static real scale_of(const on *a, ptrdiff_t k, real objective, real size)
{
    const real zero = a->loss[a->count - 1], far = a->norm[k], most = bigger(objective, zero);
    if (!(zero > 0) || far == 0) return size;
    return within(100 * most / far, 1e-4L * size, size);
}

/* What is found beside verdicts: the objective, the length of the residual over n from above, and
 * whether rounding leaves the verdict open. */
typedef struct {
    double *objective;
    real *dist;
    bool *open;
    real at_zero; /* the length of the gradient there */
} findings;

/* dist and the relative eps it is good for; open: rounding alone may be what is above eps. */
static void settle(const on *a, ptrdiff_t k, real penalty, crease_verification *out, findings *f)
{
    const real n = (real)a->d.c->n, found = out->smallest_eps / n;
    const real size = a->length[k % CRS_REREAD_FEW] + f->at_zero;
    const real off = crs_reread_doubt(a, -1, k) + DBL_EPSILON * size, eps = a->d.c->s.eps;
    const real scale = scale_of(a, k, a->loss[k] + penalty, size);
    f->dist[k] = found + off;
    out->smallest_eps = f->dist[k] == 0 ? 0 : upward(f->dist[k] / scale);
    if (out->count > 0) out->residual[0] = upward(n * f->dist[k]);
    out->verdict = out->smallest_eps <= eps ? CREASE_VERDICT_VALID : CREASE_VERDICT_INVALID;
    f->open[k] = out->verdict != CREASE_VERDICT_VALID && !((found - off) / scale > 1.01L * eps);
}

static bool judge(on *a, ptrdiff_t k, crease_verification *out, findings *f, crease_error *e)
{
    const real unit = a->d.c->s.loss_scale;
    judged p;
    real penalty;
    f->open[k] = true;
    pose(a, k, a->linear + k % CRS_REREAD_FEW * a->cols, &p);
    if (!penalty_of(a, &p, &penalty, e) || !judge_linear(a, &p, out, e)) return false;
    if (out->verdict == CREASE_VERDICT_UNFINISHED || out->verdict == CREASE_VERDICT_UNSUPPORTED)
        return true;
    settle(a, k, penalty, out, f);
    snprintf(out->text, sizeof out->text,
             "block b decides: eps-stationary for relative eps >= %.3g", out->smallest_eps);
    crs_claimed_compare(&a->d, k, out);
    f->objective[k] = (double)((a->loss[k] + penalty) * unit * unit);
    return true;
}

/* ---- bounds ---- */

static real norm_of(const on *a, ptrdiff_t u, ptrdiff_t m, const real *t)
{
    real sum = 0;
    for (ptrdiff_t k = a->d.start[u]; k < a->d.start[u + 1]; k++) {
        const real x = t[a->d.index[k] * a->wide + m];
        sum += x * x;
    }
    return sqrtl(sum);
}

/* F_0 - min F at most, from the point in b; level = F_0 (regress_gap.c) */
static real bound_at(const on *a, ptrdiff_t m, real level, real slope, real bend)
{
    const design *d = &a->d;
    real inner = 0, size = 0, doubts = 0, most = 0, curved = 0;
    for (ptrdiff_t j = 0; j < a->cols; j++) {
        const real x = crs_reread_point(a, j, m);
        inner += a->g[j * a->wide + m] * x;
        size += fabsl(a->g[j * a->wide + m] * x);
    }
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const real g = norm_of(a, u, m, a->g), doubt = doubt_of(a, u, m);
        const real w = d->weight[u] / (real)d->c->n, over = positive(g + doubt - w * slope);
        const bool none = d->weight[u] == 0 || (slope == 0 && bend == 0);
        for (ptrdiff_t k = d->start[u]; k < d->start[u + 1]; k++)
            doubts += doubt * fabs(crs_reread_point(a, d->index[k], m));
        if (none && !(g <= 256 * doubt)) return INFINITY;
        if (none || over == 0) continue;
        most = bigger(most, over / (w * slope));
        curved += over * over / (2 * w * bend);
    }
    const real scaled = most == 0 ? 0 : most * level, reach = scaled < curved ? scaled : curved;
    const real blur = crs_reread_blur(a, m);
    return positive(level - a->loss[m] + inner + reach) + doubts + 2 * blur + 0x1p-52L * size;
}

/* By strong convexity, from the Gram matrix less its rounding */
static bool is_strong(const on *a, ptrdiff_t k, real dist, real wanted, real *room)
{
    const design *d = &a->d;
    const ptrdiff_t n = a->cols;
    const crease_penalty *rho = d->c->s.penalty.penalty;
    double par[CREASE_PARS];
    real weight = 0, size = 0;
    for (int i = 0; i < CREASE_PARS; i++) par[i] = d->c->s.penalty.par[i];
    par[0] *= d->c->s.lambda[k];
    for (ptrdiff_t u = 0; u < d->units; u++) weight = bigger(weight, d->weight[u] / (real)d->c->n);
    for (ptrdiff_t j = 0; j < n; j++) size += a->wideness[j] * a->wideness[j];
    for (ptrdiff_t j = 0; j < n * n; j++) room[j] = a->hess[j];
    const real least = dist * dist / (2 * wanted) + weight * rho->weak_convexity(par);
    for (ptrdiff_t j = 0; j < n; j++) room[j * (n + 1)] -= least + a->off * size;
    return crs_claimed_factor(n, room);
}

typedef struct {
    const double *wanted;
    const double *objective;
    const real *dist;
    double *out;
} bounds;

static bool bound_strong(const on *a, const bounds *w, ptrdiff_t k, crease_error *e)
{
    const real unit = a->d.c->s.loss_scale;
    const ptrdiff_t n = a->cols;
    real *room = NULL;
    w->out[k] = INFINITY;
    if (!a->d.squared || n > CRS_REREAD_GRAM || n > a->d.c->n) return true;
    room = crs_alloc((size_t)(n * n), sizeof *room);
    if (!room) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a bound of the objective");
    if (is_strong(a, k, w->dist[k], w->wanted[k] / unit / unit, room)) w->out[k] = w->wanted[k];
    crs_free(room);
    return true;
}

/* At all lambdas, from the points in b; true: no more is wanted. */
static bool bound_all(const on *a, const bounds *w)
{
    const real unit = (real)a->d.c->s.loss_scale * a->d.c->s.loss_scale;
    bool good = true;
    for (ptrdiff_t k = 0; k < a->d.c->s.path; k++) {
        real slope, bend;
        if (isnan(w->wanted[k]) || !crs_claimed_convex(&a->d, a->d.c->s.lambda[k], &slope, &bend))
            continue;
        const double found = upward(bound_at(a, k, w->objective[k] / unit, slope, bend) * unit);
        if (found < w->out[k]) w->out[k] = found;
        good = good && w->out[k] <= w->wanted[k];
    }
    return good;
}

static bool find_bounds(on *a, const bounds *w, crease_error *e)
{
    const ptrdiff_t path = a->d.c->s.path, last = a->cols - 1;
    for (ptrdiff_t k = 0; k < path; k++) {
        real slope, bend;
        w->out[k] = isnan(w->wanted[k]) ? (double)NAN : (double)INFINITY;
        if (!isnan(w->wanted[k]) &&
            !crs_claimed_convex(&a->d, a->d.c->s.lambda[k], &slope, &bend) &&
            !bound_strong(a, w, k, e))
            return false;
    }
    for (int i = 0; i < STEPS && !bound_all(a, w); i++) {
        if (a->cols == a->d.c->p) return true;
        for (ptrdiff_t k = 0; k < path; k++) {
            const real h =
                a->curve[k] * a->d.one / a->d.c->s.loss_scale * a->d.one / a->d.c->s.loss_scale;
            if (h > 0) a->first[k] -= (double)(a->g[last * a->wide + k] / h);
        }
        if (!crs_reread_points(a, e)) return false;
    }
    bound_all(a, w);
    return true;
}

/* ---- the doors ---- */

static bool check_all(on *a, const double *wanted, crease_verification *out, double *bound,
                      findings *f, crease_error *e)
{
    const ptrdiff_t path = a->d.c->s.path;
    bool done = crs_reread_points(a, e);
    const real least = done ? a->loss[path] : 0; /* at 0: is it far from the ends of the range? */
    if (done) f->at_zero = length_at_zero(a);
    for (ptrdiff_t k = 0; done && k < path; k++) {
        const ptrdiff_t left = path - k;
        if (k % CRS_REREAD_FEW == 0)
            take_gradients(a, k, left < CRS_REREAD_FEW ? left : CRS_REREAD_FEW);
        done = judge(a, k, &out[k], f, e);
        f->open[k] = f->open[k] || !(least > 0x1p-800L && least < 0x1p800L);
    }
    const bounds w = { wanted, f->objective, f->dist, bound };
    return done && (!wanted || find_bounds(a, &w, e));
}

/* False without a sentence: that of a reading that failed is its own. */
static bool check_claim(on *a, const double *wanted, crease_verification *out, double *bound,
                        findings *f, crease_error *e)
{
    const ptrdiff_t path = a->d.c->s.path;
    crease_error why = { CREASE_OK, "" };
    for (ptrdiff_t k = 0; k < path; k++) {
        out[k] = (crease_verification){ 0 };
        f->objective[k] = NAN;
        f->open[k] = true;
        if (wanted) bound[k] = NAN;
    }
    bool done = crs_reread_open(a, wanted, &why);
    f->dist = done ? crs_alloc((size_t)path, sizeof *f->dist) : NULL;
    if (done && !f->dist) done = crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td points", path);
    if (done) done = check_all(a, wanted, out, bound, f, &why);
    crs_free(f->dist);
    crs_free(a->memory);
    crs_free(a->d.memory);
    if (!done && why.code != CREASE_OK && e) *e = why;
    for (ptrdiff_t k = 0; k < path && !done; k++) {
        crease_verification_free(&out[k]);
        if (why.code == CREASE_CUT) crs_unfinished(&out[k]), f->open[k] = false;
    }
    return done || why.code == CREASE_CUT;
}

bool crease_regression_verify_on(const crease_regression_claim *claim,
                                 const crease_regression_reading *rows, const double *wanted,
                                 crease_verification *out, double *objective, double *bound,
                                 crease_error *e)
{
    crease_regression_claim own;
    on a = { .in = rows, .d = { .c = &own, .rows = true } };
    if (!crs_claimed_take(claim, &own, e)) return false;
    findings f = { .objective = objective };
    f.open = crs_alloc((size_t)own.s.path, sizeof *f.open);
    if (!f.open) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td points", own.s.path);
    const bool done = check_claim(&a, wanted, out, bound, &f, e);
    crs_free(f.open);
    return done;
}

/* What makes no sense to it is for others to judge. */
bool crs_claimed_quickly(const crease_regression_claim *c, const double *wanted,
                         const crs_claimed_quick *q, crease_error *e)
{
    on a = { .d = { .c = c, .rows = true } };
    findings f = { .objective = q->objective, .open = q->open };
    crease_error why = { CREASE_OK, "" };
    for (ptrdiff_t k = 0; k < c->s.path; k++) q->open[k] = true, q->objective[k] = NAN;
    if (!c->X || c->n < 1 || c->p < CRS_LARGE / c->n) return true;
    if (check_claim(&a, wanted, q->out, q->bound, &f, &why)) return true;
    for (ptrdiff_t k = 0; k < c->s.path; k++) q->open[k] = true;
    return why.code != CREASE_NO_MEMORY || crs_fail(e, CREASE_NO_MEMORY, "%s", why.text);
}
