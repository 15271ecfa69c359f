/* SPDX-License-Identifier: MIT
 * regress_rows: the solutions of a regression whose rows are read again and again, all lambdas at
 * once
 *
 * Three readings: means and ranges; squares about the means; and loss and gradient at every point,
 * with z_ij = (x_ij - mean_j)/(spread_j c) as in regress.c. Numbers of BLOCK rows are added up in
 * double, and these sums in long double. With v_i the weights of mean 1 and t_i >= |z_i||b| + |y_i|
 * the error of a gradient's entry is at most
 *     off sqrt(sum_i v_i z_ij^2) sqrt(sum_i v_i (|phi'_i| + t_i)^2),  off = (BLOCK + cols + 64)
 * 2^-53 (Cauchy and Schwarz). What is stationary, and how near the least value the objective is,
 * then follows as in verify.c and regress_gap.c; where b_0 alone keeps a bound from being good, it
 * gets Newton's steps at all points, with a reading each. */
#include <stdio.h>

#include "core/carve.h"
#include "verify/regress.h"
#include "verify/verify.h"

enum { BLOCK = 256, STEPS = 3, MOST = 500 };

typedef crs_claimed_design design;

typedef struct {
    design d;
    const crease_regression_reading *in;
    void *memory;
    ptrdiff_t width, cols, count;          /* points: those of the path, and 0 */
    double weight, v_most;                 /* of all rows, in units of the largest */
    bool gram;                             /* is it wanted? */
    double *low, *high;                    /* of the columns, over the rows that count */
    double *row, *z, *e, *s, *v, *y, *far; /* of a few rows */
    double *b, *part, *norm;       /* points, a column each; sums of gradients of these rows */
    real *loss, *over, *curve, *g; /* per point */
    real *square, *sum, *hess;
    double *linear; /* a gradient */
} on;

static void carve(void *self, crs_carver *c)
{
    on *a = self;
    const ptrdiff_t k = a->count, n = a->cols, p = a->d.c->p;
    a->low = carve_doubles(c, p, 1);
    a->high = carve_doubles(c, p, 1);
    a->row = carve_doubles(c, BLOCK, a->width);
    a->z = carve_doubles(c, BLOCK, n);
    a->e = carve_doubles(c, BLOCK, k);
    a->s = carve_doubles(c, BLOCK, k);
    a->v = carve_doubles(c, BLOCK, 1);
    a->y = carve_doubles(c, BLOCK, 1);
    a->far = carve_doubles(c, BLOCK, 1);
    a->b = carve_doubles(c, n, k);
    a->part = carve_doubles(c, n, a->gram && n > k ? n : k);
    a->norm = carve_doubles(c, k, 1);
    a->linear = carve_doubles(c, n, 1);
    a->loss = carve_bytes(c, k, sizeof(real));
    a->over = carve_bytes(c, k, sizeof(real));
    a->curve = carve_bytes(c, k, sizeof(real));
    a->g = carve_bytes(c, n * k, sizeof(real));
    a->square = carve_bytes(c, n, sizeof(real));
    a->sum = carve_bytes(c, n, sizeof(real));
    a->hess = carve_bytes(c, a->gram ? n * n : 0, sizeof(real));
}

static double weight_of(const on *a, const double *row)
{
    return a->in->weighted ? row[a->d.c->p + 1] : 1;
}

typedef void look(on *a, ptrdiff_t rows);

/* All rows, a few at a time; false with a sentence, or when the time was over. */
static bool read_all(on *a, look *at, crease_error *e)
{
    const ptrdiff_t n = a->d.c->n;
    for (ptrdiff_t i = 0; i < n; i += BLOCK) {
        const ptrdiff_t rows = n - i < BLOCK ? n - i : BLOCK;
        if (crease_watch_over(a->d.c->s.watch)) return crs_cut(e, "checking the rows");
        if (!a->in->read(a->in->user, i, rows, a->row, e)) return false;
        at(a, rows);
    }
    return true;
}

/* ---- the design ---- */

static void look_at_means(on *a, ptrdiff_t rows)
{
    design *d = &a->d;
    const ptrdiff_t p = d->c->p;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double *row = a->row + i * a->width, v = weight_of(a, row);
        d->y_most = bigger(d->y_most, fabs(row[p]));
        a->sum[0] += v;
        d->y_center += (real)v * row[p];
        if (!(v >= 0 && v <= a->v_most)) a->v_most = v;
        for (ptrdiff_t j = 0; j < p; j++) {
            const double x = row[j];
            d->center[j] += (real)v * x;
            d->most[j] = bigger(d->most[j], fabsl((real)x));
            if (v > 0 && x < a->low[j]) a->low[j] = x;
            if (v > 0 && x > a->high[j]) a->high[j] = x;
        }
    }
}

static void look_at_squares(on *a, ptrdiff_t rows)
{
    design *d = &a->d;
    const ptrdiff_t p = d->c->p;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double *row = a->row + i * a->width, v = weight_of(a, row);
        for (ptrdiff_t j = 0; j < p; j++) {
            const real t = row[j] - d->center[j];
            a->square[j] += v * t * t;
        }
    }
}

static bool build(on *a, crease_error *e)
{
    design *d = &a->d;
    const crease_regression_settings *s = &d->c->s;
    const ptrdiff_t p = d->c->p;
    double widest = 0;
    for (ptrdiff_t j = 0; j < p; j++) a->low[j] = INFINITY, a->high[j] = -INFINITY;
    if (!read_all(a, look_at_means, e)) return false;
    const real all = a->sum[0];
    if (!(all > 0 && all < INFINITY && a->v_most < INFINITY))
        return crs_fail(e, CREASE_BAD_DATA, "the weights of the rows are not numbers >= 0");
    a->weight = (double)all;
    d->y_center = d->centred ? d->y_center / all : 0;
    for (ptrdiff_t j = 0; j < p; j++) {
        d->center[j] = s->intercept ? d->center[j] / all : 0;
        if (a->high[j] - a->low[j] > widest) widest = a->high[j] - a->low[j];
    }
    d->one = crs_claimed_one(s->standardize ? 0 : widest);
    if (s->standardize && !read_all(a, look_at_squares, e)) return false;
    for (ptrdiff_t j = 0; j < p; j++) {
        const bool left_out = s->intercept && a->low[j] == a->high[j];
        const real sum = left_out ? 0 : a->square[j];
        d->spread[j] = s->standardize && sum > 0 ? sqrtl(sum / all) : 1;
        a->square[j] = left_out ? 0 : 1; /* until the next reading: is it there? */
    }
    return true;
}

/* ---- loss and gradient ---- */

/* z, y and v of a few rows; of the squared loss the roots of v are in z and y. */
static ptrdiff_t fill_rows(on *a, ptrdiff_t rows)
{
    const design *d = &a->d;
    const ptrdiff_t p = d->c->p;
    const real c = d->c->s.loss_scale, n = (real)d->c->n;
    ptrdiff_t used = 0;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double *row = a->row + i * a->width, given = weight_of(a, row);
        const real v = a->in->weighted ? given / (real)a->weight * n : 1;
        const real root = d->squared && v != 1 ? sqrtl(v) : 1;
        double *z = a->z + used * a->cols, far = 0;
        if (given == 0) continue;
        for (ptrdiff_t j = 0; j < p; j++)
            z[j] = a->low[j] == a->high[j] && d->c->s.intercept
                       ? 0
                       : (double)((row[j] - d->center[j]) * root / d->spread[j] / c);
        if (a->cols > p) z[p] = (double)(d->one / c);
        for (ptrdiff_t j = 0; j < a->cols; j++) far += z[j] * z[j];
        a->far[used] = sqrt(far);
        a->v[used] = d->squared ? 1 : (double)v;
        a->y[used++] = d->c->s.loss == CREASE_REGRESSION_LOGISTIC
                           ? (row[p] == 1 ? 1 : -1)
                           : (double)((row[p] - d->y_center) * root / c);
    }
    return used;
}

typedef struct {
    double value, slope, curve;
} slopes;

static slopes loss_at(const design *d, double y, double e)
{
    const double t = e - y, far = fabs(t), q = 1 + t * t;
    if (d->c->s.loss == CREASE_REGRESSION_LOGISTIC) {
        const double m = y * e, less = exp(-fabs(m)),
                     p = m > 0 ? less / (1 + less) : 1 / (1 + less);
        return (slopes){ (m < 0 ? -m : 0) + log1p(less), -y * p, p * (1 - p) };
    }
    if (d->c->s.loss == CREASE_REGRESSION_CAUCHY)
        return (slopes){ log1p(t * t) / 2, t / q, (1 - t * t) / (q * q) };
    if (d->squared || far <= 1) return (slopes){ t * t / 2, t, 1 };
    return (slopes){ far - 0.5, copysign(1, t), 0 };
}

/* to[.] += by from[.] of k numbers */
static void add_to(ptrdiff_t k, double by, const double *from, double *restrict to)
{
    for (ptrdiff_t m = 0; m < k; m++) to[m] += by * from[m];
}

static void take_slopes(on *a, ptrdiff_t i)
{
    const design *d = &a->d;
    const bool labels = d->c->s.loss == CREASE_REGRESSION_LOGISTIC;
    const double v = a->v[i], y = a->y[i], own = labels ? 0 : fabs(y);
    for (ptrdiff_t m = 0; m < a->count; m++) {
        const slopes at = loss_at(d, y, a->e[i * a->count + m]);
        const double size = fabs(at.slope) + a->far[i] * a->norm[m] + own;
        a->s[i * a->count + m] = v * at.slope;
        a->loss[m] += v * at.value;
        a->curve[m] += v * at.curve;
        a->over[m] += v * size * size;
    }
}

static void look_at_points(on *a, ptrdiff_t given)
{
    const ptrdiff_t k = a->count, n = a->cols, rows = fill_rows(a, given);
    for (ptrdiff_t i = 0; i < rows * k; i++) a->e[i] = 0;
    for (ptrdiff_t j = 0; j < n * k; j++) a->part[j] = 0;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double *z = a->z + i * n;
        for (ptrdiff_t j = 0; j < n; j++)
            if (z[j] != 0) add_to(k, z[j], a->b + j * k, a->e + i * k);
        take_slopes(a, i);
        for (ptrdiff_t j = 0; j < n; j++) {
            a->sum[j] += a->v[i] * z[j] * z[j];
            if (z[j] != 0) add_to(k, z[j], a->s + i * k, a->part + j * k);
        }
    }
    for (ptrdiff_t j = 0; j < n * k; j++) a->g[j] += a->part[j];
    if (!a->gram) return;
    for (ptrdiff_t j = 0; j < n * n; j++) a->part[j] = 0;
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            add_to(j + 1, a->z[i * n + j], a->z + i * n, a->part + j * n);
    for (ptrdiff_t j = 0; j < n * n; j++) a->hess[j] += a->part[j];
}

/* All of it at the points in b, over n. */
static bool evaluate(on *a, crease_error *e)
{
    const ptrdiff_t k = a->count, n = a->cols;
    const real rows = (real)a->d.c->n;
    for (ptrdiff_t m = 0; m < k; m++) {
        real far = 0;
        for (ptrdiff_t j = 0; j < n; j++) far += (real)a->b[j * k + m] * a->b[j * k + m];
        a->norm[m] = upward(sqrtl(far));
        a->loss[m] = a->over[m] = a->curve[m] = 0;
    }
    for (ptrdiff_t j = 0; j < n * k; j++) a->g[j] = 0;
    for (ptrdiff_t j = 0; j < n; j++) a->sum[j] = 0;
    if (!read_all(a, look_at_points, e)) return false;
    for (ptrdiff_t m = 0; m < k; m++) a->loss[m] /= rows, a->over[m] /= rows, a->curve[m] /= rows;
    for (ptrdiff_t j = 0; j < n * k; j++) a->g[j] /= rows;
    for (ptrdiff_t j = 0; j < n; j++) a->square[j] = a->sum[j] / rows;
    for (ptrdiff_t j = 0; a->gram && j < n * n; j++) a->hess[j] /= rows;
    a->gram = false; /* once is enough */
    return true;
}

static real off(const on *a) { return (real)(BLOCK + a->cols + 64) * (DBL_EPSILON / 2); }

/* The length of what the gradient in unit u may be off */
static real doubt_of(const on *a, ptrdiff_t u, ptrdiff_t m)
{
    real size = 0;
    for (ptrdiff_t k = a->d.start[u]; k < a->d.start[u + 1]; k++) size += a->square[a->d.index[k]];
    return off(a) * sqrtl(size) * sqrtl(a->over[m]);
}

/* ---- verdicts ---- */

/* The sum of all penalties at point x of lambda k, over n */
static bool penalty_of(on *a, ptrdiff_t k, const double *x, real *value, crease_error *e)
{
    const crease_space s = crease_vector(a->cols);
    crease_groups groups;
    crease_block block = { .name = "b" };
    block.reg = crs_claimed_penalty(&a->d, a->d.c->s.lambda[k], &groups);
    const crease_problem p = { .count = 1, .space = &s, .block = &block };
    crs_verifier v = { .p = &p, .watch = a->d.c->s.watch };
    if (!crs_objective(&v, &x, value)) *value = NAN;
    crs_rooms_free(&v);
    *value /= (real)a->d.c->n;
    return !v.no_memory || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the objective");
}

/* dist(-n g, d penalty(x)) of the problem with <n g, x> for its smooth part, in out. */
static bool judge_linear(on *a, ptrdiff_t k, const double *x, crease_verification *out,
                         crease_error *e)
{
    const crease_space s = crease_vector(a->cols);
    crease_groups groups;
    crease_block block = { .name = "b" };
    const double *const linear = a->linear;
    const crease_quadratic_data q = { .linear = &linear, .blocks = 1 };
    block.reg = crs_claimed_penalty(&a->d, a->d.c->s.lambda[k], &groups);
    for (ptrdiff_t j = 0; j < a->cols; j++)
        a->linear[j] = (double)((real)a->d.c->n * a->g[j * a->count + k]);
    const crease_problem p = {
        .count = 1, .space = &s, .block = &block, .f = crease_quadratic(&q)
    };
    const crease_claim claim = { .p = &p, .x = &x, .watch = a->d.c->s.watch };
    return crease_claim_verify(&claim, out, e);
}

static real length_of(const on *a, ptrdiff_t m, bool less)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < a->cols; j++) {
        const real zero = a->g[j * a->count + a->count - 1];
        const real g = less ? a->g[j * a->count + m] - zero : zero;
        sum += g * g;
    }
    return sqrtl(sum);
}

/* What residuals at point k are relative to, over n */
static real scale_of(const on *a, ptrdiff_t k, real objective)
{
    const real zero = a->loss[a->count - 1], size = length_of(a, k, false) + length_of(a, k, true);
    const real far = a->norm[k], most = bigger(objective, zero);
    if (!(zero > 0) || far == 0) return size;
    return within(100 * most / far, 1e-4L * size, size);
}

/* *dist: the length of the residual over n, from above */
static bool judge(on *a, ptrdiff_t k, crease_verification *out, double *objective, real *dist,
                  crease_error *e)
{
    const double *x = a->d.c->point + k * a->cols;
    const real n = (real)a->d.c->n, unit = a->d.c->s.loss_scale;
    real penalty, doubt = 0;
    if (!penalty_of(a, k, x, &penalty, e) || !judge_linear(a, k, x, out, e)) return false;
    if (out->verdict == CREASE_VERDICT_UNFINISHED || out->verdict == CREASE_VERDICT_UNSUPPORTED)
        return true;
    for (ptrdiff_t u = 0; u < a->d.units; u++) doubt += doubt_of(a, u, k) * doubt_of(a, u, k);
    const real size = length_of(a, k, true) + length_of(a, k, false);
    *dist = out->smallest_eps / n + sqrtl(doubt) + DBL_EPSILON * size;
    const real scale = scale_of(a, k, a->loss[k] + penalty);
    out->smallest_eps = *dist == 0 ? 0 : upward(*dist / scale);
    if (out->count > 0) out->residual[0] = upward(n * *dist);
    out->verdict =
        out->smallest_eps <= a->d.c->s.eps ? CREASE_VERDICT_VALID : CREASE_VERDICT_INVALID;
    snprintf(out->text, sizeof out->text,
             "block b decides: eps-stationary for relative eps >= %.3g", out->smallest_eps);
    crs_claimed_compare(&a->d, k, out);
    objective[k] = (double)((a->loss[k] + penalty) * unit * unit);
    return true;
}

/* ---- bounds ---- */

static real norm_of(const on *a, ptrdiff_t u, ptrdiff_t m, const real *t)
{
    real sum = 0;
    for (ptrdiff_t k = a->d.start[u]; k < a->d.start[u + 1]; k++) {
        const real x = t[a->d.index[k] * a->count + m];
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
        const real x = a->b[j * a->count + m];
        inner += a->g[j * a->count + m] * x;
        size += fabsl(a->g[j * a->count + m] * x);
    }
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const real g = norm_of(a, u, m, a->g), doubt = doubt_of(a, u, m);
        const real w = d->weight[u] / (real)d->c->n, over = positive(g + doubt - w * slope);
        const bool none = d->weight[u] == 0 || (slope == 0 && bend == 0);
        for (ptrdiff_t k = d->start[u]; k < d->start[u + 1]; k++)
            doubts += doubt * fabs(a->b[d->index[k] * a->count + m]);
        if (none && !(g <= 256 * doubt)) return INFINITY;
        if (none || over == 0) continue;
        most = bigger(most, over / (w * slope));
        curved += over * over / (2 * w * bend);
    }
    const real scaled = most == 0 ? 0 : most * level, reach = scaled < curved ? scaled : curved;
    const real blur = off(a) * (a->over[m] + a->loss[m]);
    return positive(level - a->loss[m] + inner + reach) + doubts + 2 * blur + 0x1p-52L * size;
}

/* By strong convexity, from the Gram matrix less its rounding */
static bool is_strong(const on *a, ptrdiff_t k, real dist, real wanted, real *room)
{
    const design *d = &a->d;
    const ptrdiff_t n = a->cols;
    const crease_penalty *rho = d->c->s.penalty.penalty;
    double par[CREASE_PARS];
    real weight = 0, trace = 0;
    for (int i = 0; i < CREASE_PARS; i++) par[i] = d->c->s.penalty.par[i];
    par[0] *= d->c->s.lambda[k];
    for (ptrdiff_t u = 0; u < d->units; u++) weight = bigger(weight, d->weight[u] / (real)d->c->n);
    for (ptrdiff_t j = 0; j < n; j++) trace += a->hess[j * (n + 1)];
    for (ptrdiff_t j = 0; j < n * n; j++) room[j] = a->hess[j];
    const real least = dist * dist / (2 * wanted) + weight * rho->weak_convexity(par);
    for (ptrdiff_t j = 0; j < n; j++) room[j * (n + 1)] -= least + off(a) * trace;
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
    if (!a->d.squared || n > MOST || n > a->d.c->n) return true;
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
            if (h > 0) a->b[last * a->count + k] -= (double)(a->g[last * a->count + k] / h);
        }
        if (!evaluate(a, e)) return false;
    }
    bound_all(a, w);
    return true;
}

/* ---- the door ---- */

static bool wants_gram(const on *a, const double *wanted)
{
    real slope, bend;
    bool any = false;
    for (ptrdiff_t k = 0; wanted && k < a->d.c->s.path; k++)
        any = any ||
              (!isnan(wanted[k]) && !crs_claimed_convex(&a->d, a->d.c->s.lambda[k], &slope, &bend));
    return any && a->d.squared && a->cols <= MOST;
}

static bool check_all(on *a, const double *wanted, crease_verification *out, double *objective,
                      double *bound, crease_error *e)
{
    const ptrdiff_t path = a->d.c->s.path;
    real *dist = crs_alloc((size_t)path, sizeof *dist);
    if (!dist) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td solutions", path);
    for (ptrdiff_t j = 0; j < a->cols; j++)
        for (ptrdiff_t k = 0; k < path; k++)
            a->b[j * a->count + k] = a->d.c->point[k * a->cols + j];
    bool done = build(a, e) && evaluate(a, e);
    for (ptrdiff_t k = 0; done && k < path; k++)
        done = judge(a, k, &out[k], objective, &dist[k], e);
    const bounds w = { wanted, objective, dist, bound };
    if (done && wanted) done = find_bounds(a, &w, e);
    crs_free(dist);
    return done;
}

bool crease_regression_verify_on(const crease_regression_claim *claim,
                                 const crease_regression_reading *rows, const double *wanted,
                                 crease_verification *out, double *objective, double *bound,
                                 crease_error *e)
{
    crease_regression_claim own;
    on a = { .in = rows, .d = { .c = &own, .rows = true } };
    if (!crs_claimed_take(claim, &own, e)) return false;
    for (ptrdiff_t k = 0; k < own.s.path; k++) {
        out[k] = (crease_verification){ 0 };
        objective[k] = NAN;
        if (wanted) bound[k] = NAN;
    }
    bool done = crs_claimed_open(&a.d, e);
    a.width = own.p + 1 + rows->weighted, a.cols = a.d.cols, a.count = own.s.path + 1;
    a.gram = done && wants_gram(&a, wanted);
    if (done) a.memory = carve_block(carve, &a);
    if (done && !a.memory) done = crs_fail(e, CREASE_NO_MEMORY, "out of memory: checking rows");
    crease_error why = { CREASE_OK, "" };
    if (done) done = check_all(&a, wanted, out, objective, bound, &why);
    crs_free(a.memory);
    crs_free(a.d.memory);
    if (!done && why.code == CREASE_CUT) {
        for (ptrdiff_t k = 0; k < own.s.path; k++) crs_unfinished(&out[k]);
        return true;
    }
    if (!done && why.code != CREASE_OK && e) *e = why;
    for (ptrdiff_t k = 0; k < own.s.path && !done; k++) crease_verification_free(&out[k]);
    return done;
}
