/* SPDX-License-Identifier: MIT
 * regress_gap: how far the objective of a regression may be above its least value, from X, y and
 * the points, in long double with bounds of its rounding
 *
 * Convex: with L the mean loss, g its gradient at any x, R = sum_u w_u (s t_u + k t_u^2/2), t_u =
 * |b_u|, and F_0 = L + R at the claimed point, a minimizer has R <= F_0, and so
 *     F_0 - min F <= F_0 - L(x) + <g, x> + S,   S = sup {<-g, b> - R(b): R(b) <= F_0}
 *     S <= F_0 max_u (|g_u|/(w_u s) - 1)_+,   S <= sum_u (|g_u| - w_u s)_+^2/(2 w_u k).
 * For the squared loss this is the dual value of the residual scaled into the dual box. Where w_u
 * is 0, g_u must be 0 but for rounding. x is the point, then Newton's steps from it on the columns
 * in use, with a little of their diagonal added: any x will do.
 * Not convex, but the squared loss is more convex than R is concave: (residual/n)^2/(2 m), if
 * Cholesky runs to its end on X'X/n - (m + concavity) I (Rump, Verification of positive
 * definiteness, BIT 46, 2006). */
#include "core/carve.h"
#include "verify/regress.h"

typedef crs_claimed_design design;

enum { STEPS = 8, MOST = 500 }; /* MOST: columns of a Hessian */

typedef struct {
    const design *d;
    void *memory;
    const double *point;
    real slope, bend;                /* s, k */
    real *x, *g, *doubt, *step;      /* per column; doubt: bounds the error of g */
    real *e, *size, *s, *h;          /* per row; e = z x, size: of its terms */
    real *row, *hess;                /* of the chosen columns */
    ptrdiff_t *chosen, *place, most; /* place: among the chosen, -1: not */
    ptrdiff_t count;
    real loss, total, blur; /* L and F at x; blur: bounds the error of L */
} bound;

static void carve(void *self, crs_carver *c)
{
    bound *a = self;
    real **const of_cols[] = { &a->x, &a->g, &a->doubt, &a->step },
                 **const of_rows[] = { &a->e, &a->size, &a->s, &a->h };
    for (int k = 0; k < 4; k++) *of_cols[k] = carve_bytes(c, a->d->cols, sizeof(real));
    for (int k = 0; k < 4; k++) *of_rows[k] = carve_bytes(c, a->d->c->n, sizeof(real));
    a->row = carve_bytes(c, a->most, sizeof(real));
    a->hess = carve_bytes(c, a->most * a->most, sizeof(real));
    a->chosen = carve_bytes(c, a->d->cols, sizeof *a->chosen);
    a->place = carve_bytes(c, a->d->cols, sizeof *a->place);
}

/* phi, phi' and phi'' with respect to the predictor of row i */
typedef struct {
    real value, slope, curve;
} slopes;

static slopes loss_at(const design *d, ptrdiff_t i, real e)
{
    const real y = d->y[i], t = e - y, far = fabsl(t);
    if (d->c->s.loss == CREASE_REGRESSION_LOGISTIC) {
        const real m = y * e, p = 1 / (1 + expl(m));
        return (slopes){ positive(-m) + log1pl(expl(-fabsl(m))), -y * p, p * (1 - p) };
    }
    if (d->squared || far <= 1) return (slopes){ t * t / 2, t, 1 };
    return (slopes){ far - 0.5L, copysignl(1, t), 0 };
}

/* e = z x and the size of its terms */
static void predict(bound *a)
{
    const design *d = a->d;
    const crease_csr_matrix *X = d->c->sparse;
    real lift = 0, lifted = 0;
    for (ptrdiff_t j = 0; X && j < d->cols; j++) {
        lift += d->shift[j] * a->x[j];
        lifted += fabsl(d->shift[j] * a->x[j]);
    }
    for (ptrdiff_t i = 0; i < d->c->n; i++) {
        const ptrdiff_t from = X ? X->start[i] : i * d->cols;
        const ptrdiff_t count = X ? X->start[i + 1] - from : d->cols;
        const double *z = d->z + from;
        real sum = X ? d->u[i] * lift : 0, size = X ? fabsl(d->u[i] * lifted) : 0;
        for (ptrdiff_t k = 0; k < count; k++) {
            const real x = a->x[X ? X->col[from + k] : k];
            if (x == 0) continue;
            sum += z[k] * x;
            size += fabsl(z[k] * x);
        }
        a->e[i] = sum;
        a->size[i] = size + fabs(d->y[i]);
    }
}

/* g = z's/n, and n times the size of its terms, of s as far as it may be off */
static void pull_back(bound *a)
{
    const design *d = a->d;
    const crease_csr_matrix *X = d->c->sparse;
    real lift = 0, lifted = 0;
    for (ptrdiff_t j = 0; j < d->cols; j++) a->g[j] = a->doubt[j] = 0;
    for (ptrdiff_t i = 0; i < d->c->n; i++) {
        const ptrdiff_t from = X ? X->start[i] : i * d->cols;
        const ptrdiff_t count = X ? X->start[i + 1] - from : d->cols;
        const real s = a->s[i], size = fabsl(s) + (d->squared ? 1 : d->v[i]) * a->size[i];
        for (ptrdiff_t k = 0; k < count; k++) {
            const ptrdiff_t j = X ? X->col[from + k] : k;
            a->g[j] += d->z[from + k] * s;
            a->doubt[j] += fabs(d->z[from + k]) * size;
        }
        if (X) lift += d->u[i] * s, lifted += fabs(d->u[i]) * size;
    }
    for (ptrdiff_t j = 0; j < d->cols; j++) {
        if (X) a->g[j] += d->shift[j] * lift, a->doubt[j] += fabs(d->shift[j]) * lifted;
        a->g[j] /= (real)d->c->n;
    }
}

static real weight_of(const bound *a, ptrdiff_t u) { return a->d->weight[u] / (real)a->d->c->n; }

static bool is_free(const bound *a, ptrdiff_t u)
{
    return a->d->weight[u] == 0 || (a->slope == 0 && a->bend == 0);
}

static real norm_of(const design *d, ptrdiff_t u, const real *t)
{
    real sum = 0;
    if (d->start[u + 1] == d->start[u] + 1) return fabsl(t[d->index[d->start[u]]]);
    for (ptrdiff_t k = d->start[u]; k < d->start[u + 1]; k++)
        sum += t[d->index[k]] * t[d->index[k]];
    return sqrtl(sum);
}

static void evaluate(bound *a)
{
    const design *d = a->d;
    const real n = (real)d->c->n, off = working_roundings(d->c->n + 2 * d->cols);
    predict(a);
    a->loss = a->blur = 0;
    for (ptrdiff_t i = 0; i < d->c->n; i++) {
        const slopes at = loss_at(d, i, a->e[i]);
        const real v = d->squared ? 1 : d->v[i];
        a->loss += v * at.value / n;
        a->s[i] = v * at.slope;
        a->h[i] = v * at.curve;
        a->blur += off * fabsl(a->s[i]) * a->size[i] / n;
    }
    pull_back(a);
    for (ptrdiff_t j = 0; j < d->cols; j++) a->doubt[j] *= off / n;
    a->total = a->loss;
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const real t = norm_of(d, u, a->x);
        if (!is_free(a, u)) a->total += weight_of(a, u) * (a->slope * t + a->bend / 2 * t * t);
    }
}

/* What the bound says with x, level being F_0; INFINITY: nothing */
static real bound_at(const bound *a, real level)
{
    const design *d = a->d;
    real inner = 0, size = 0, doubts = 0, most = 0, curved = 0;
    for (ptrdiff_t j = 0; j < d->cols; j++) {
        inner += a->g[j] * a->x[j];
        size += fabsl(a->g[j] * a->x[j]);
        doubts += a->doubt[j] * fabsl(a->x[j]);
    }
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const real g = norm_of(d, u, a->g), doubt = norm_of(d, u, a->doubt), w = weight_of(a, u);
        const real over = positive(g + doubt - w * a->slope);
        if (is_free(a, u) && !(g <= 256 * doubt)) return INFINITY;
        if (is_free(a, u) || over == 0) continue;
        most = bigger(most, over / (w * a->slope));
        curved += over * over / (2 * w * a->bend);
    }
    const real scaled = most == 0 ? 0 : most * level, reach = scaled < curved ? scaled : curved;
    const real rounding = working_roundings(d->c->n + d->cols) * (level + a->loss + size);
    return positive(level - a->loss + inner + reach) + rounding + doubts + a->blur;
}

/* The columns without a penalty, and all of the units that are not 0 */
static bool choose(bound *a, bool all)
{
    const design *d = a->d;
    a->count = 0;
    for (ptrdiff_t j = 0; j < d->cols; j++) a->place[j] = -1;
    for (ptrdiff_t u = 0; u < d->units; u++)
        for (ptrdiff_t k = d->start[u];
             k < d->start[u + 1] && (is_free(a, u) || (all && norm_of(d, u, a->x) > 0)); k++) {
            a->place[d->index[k]] = a->count;
            a->chosen[a->count++] = d->index[k];
        }
    return a->count > 0 && a->count <= a->most;
}

/* z'diag(h)z/n of the chosen columns, its lower half, row by row of z */
static void add_loss(bound *a)
{
    const design *d = a->d;
    const crease_csr_matrix *X = d->c->sparse;
    const ptrdiff_t m = a->count;
    for (ptrdiff_t k = 0; k < m * m; k++) a->hess[k] = 0;
    for (ptrdiff_t i = 0; i < d->c->n; i++) {
        for (ptrdiff_t k = 0; k < m; k++)
            a->row[k] = X ? d->u[i] * d->shift[a->chosen[k]] : d->z[i * d->cols + a->chosen[k]];
        for (ptrdiff_t k = X ? X->start[i] : 0; X && k < X->start[i + 1]; k++)
            if (a->place[X->col[k]] >= 0) a->row[a->place[X->col[k]]] += d->z[k];
        const real h = a->h[i] / (real)d->c->n;
        for (ptrdiff_t p = 0; p < m && h != 0; p++)
            for (ptrdiff_t q = 0; q <= p; q++) a->hess[p * m + q] += h * a->row[p] * a->row[q];
    }
}

/* The penalty's part of the unit whose columns are the chosen ones from `first` on, and of the
 * gradient in step */
static void add_unit(bound *a, ptrdiff_t u, ptrdiff_t first)
{
    const design *d = a->d;
    const ptrdiff_t size = d->start[u + 1] - d->start[u], m = a->count;
    const real t = norm_of(d, u, a->x), w = weight_of(a, u), ring = a->slope / t;
    for (ptrdiff_t p = 0; p < size; p++) {
        const real at = a->x[a->chosen[first + p]] / t;
        a->step[first + p] += w * (a->slope + a->bend * t) * at;
        a->hess[(first + p) * (m + 1)] += w * (a->bend + (size > 1 ? ring : 0));
        for (ptrdiff_t q = 0; size > 1 && q <= p; q++)
            a->hess[(first + p) * m + first + q] -= w * ring * at * a->x[a->chosen[first + q]] / t;
    }
}

bool crs_claimed_factor(ptrdiff_t m, real *a)
{
    for (ptrdiff_t p = 0; p < m; p++)
        for (ptrdiff_t q = 0; q <= p; q++) {
            real sum = a[p * m + q];
            for (ptrdiff_t r = 0; r < q; r++) sum -= a[p * m + r] * a[q * m + r];
            if (p == q && !(sum > 0 && sum < INFINITY)) return false;
            a[p * m + q] = p == q ? sqrtl(sum) : sum / a[q * m + q];
        }
    return true;
}

static void solve(ptrdiff_t m, const real *l, real *t)
{
    for (ptrdiff_t p = 0; p < m; p++) {
        for (ptrdiff_t q = 0; q < p; q++) t[p] -= l[p * m + q] * t[q];
        t[p] /= l[p * m + p];
    }
    for (ptrdiff_t p = m; p-- > 0;) {
        for (ptrdiff_t q = p + 1; q < m; q++) t[p] -= l[q * m + p] * t[q];
        t[p] /= l[p * m + p];
    }
}

static bool newton(bound *a)
{
    const design *d = a->d;
    real most = 0;
    add_loss(a);
    for (ptrdiff_t k = 0; k < a->count; k++) a->step[k] = a->g[a->chosen[k]];
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const ptrdiff_t first =
            d->start[u] < d->start[u + 1] ? a->place[d->index[d->start[u]]] : -1;
        if (first >= 0 && !is_free(a, u)) add_unit(a, u, first);
    }
    for (ptrdiff_t k = 0; k < a->count; k++) most = bigger(most, a->hess[k * (a->count + 1)]);
    for (ptrdiff_t k = 0; k < a->count; k++) a->hess[k * (a->count + 1)] += 0x1p-45L * most;
    if (!crs_claimed_factor(a->count, a->hess)) return false;
    solve(a->count, a->hess, a->step);
    for (ptrdiff_t k = 0; k < a->count; k++) a->x[a->chosen[k]] -= a->step[k];
    return true;
}

/* The bound of a convex objective, at least as good as wanted where it can be */
static real bound_convex(bound *a, real wanted)
{
    for (ptrdiff_t j = 0; j < a->d->cols; j++) a->x[j] = a->point[j];
    evaluate(a);
    const real level = a->total + a->blur;
    real best = bound_at(a, level);
    for (int k = 0; k < STEPS && !(best <= wanted); k++) {
        if (!choose(a, best < INFINITY || k >= STEPS / 2) || !newton(a)) break;
        evaluate(a);
        const real next = bound_at(a, level);
        if (next < best) best = next;
    }
    return best;
}

bool crs_claimed_convex(const crs_claimed_design *d, real lambda, real *slope, real *bend)
{
    const double *par = d->c->s.penalty.par;
    const char *name = d->c->s.penalty.penalty->name;
    const bool net = strcmp(name, "elastic-net") == 0, square = strcmp(name, "squared-l2") == 0,
               l1 = strcmp(name, "l1") == 0, none = lambda == 0 || strcmp(name, "zero") == 0;
    *slope = none || square ? 0 : lambda * par[0];
    *bend = none || l1 ? 0 : lambda * par[square ? 0 : 1];
    return d->c->s.loss != CREASE_REGRESSION_CAUCHY && (none || net || square || l1);
}

/* Is X'X/n - least I positive definite, whatever the roundings? */
static bool is_above(bound *a, real least)
{
    const design *d = a->d;
    const ptrdiff_t m = d->cols;
    real trace = 0;
    if (!d->squared || m > a->most || m > d->c->n) return false;
    a->count = m;
    for (ptrdiff_t j = 0; j < m; j++) a->place[j] = a->chosen[j] = j;
    for (ptrdiff_t i = 0; i < d->c->n; i++) a->h[i] = 1;
    add_loss(a);
    for (ptrdiff_t j = 0; j < m; j++) trace += a->hess[j * (m + 1)];
    for (ptrdiff_t j = 0; j < m; j++)
        a->hess[j * (m + 1)] -= least + working_roundings(d->c->n + 4 * m) * trace;
    return crs_claimed_factor(m, a->hess);
}

/* By strong convexity: wanted, if m = (residual/n)^2/(2 wanted) is enough, or INFINITY; NaN: out of
 * time */
static bool bound_strong(bound *a, ptrdiff_t k, real wanted, real *out, crease_error *e)
{
    const design *d = a->d;
    const crease_penalty *rho = d->c->s.penalty.penalty;
    double par[CREASE_PARS];
    crease_verification v = { 0 };
    real weight = 0;
    if (!crs_claimed_judge(d, k, false, &v, e)) return false;
    const real r = v.smallest_eps / (real)d->c->n, m = r * r / (2 * wanted);
    const bool over = v.verdict == CREASE_VERDICT_UNFINISHED;
    crease_verification_free(&v);
    if (over) return *out = NAN, true;
    for (int i = 0; i < CREASE_PARS; i++) par[i] = d->c->s.penalty.par[i];
    par[0] *= d->c->s.lambda[k];
    for (ptrdiff_t u = 0; u < d->units; u++) weight = bigger(weight, weight_of(a, u));
    *out = is_above(a, m + weight * rho->weak_convexity(par)) ? wanted : INFINITY;
    return true;
}

static bool bound_one(bound *a, ptrdiff_t k, real wanted, real *out, crease_error *e)
{
    a->point = a->d->c->point + k * a->d->cols;
    if (!crs_claimed_convex(a->d, a->d->c->s.lambda[k], &a->slope, &a->bend))
        return bound_strong(a, k, wanted, out, e);
    *out = bound_convex(a, wanted);
    return true;
}

/* At the lambdas that are open, on a design in memory */
static bool bound_open(const crease_regression_claim *c, const double *wanted,
                       const crs_claimed_quick *q, crease_error *e)
{
    design d = { .c = c };
    bound a = { .d = &d };
    bool any = c->s.path < 1, done = true;
    for (ptrdiff_t k = 0; k < c->s.path; k++) any = any || q->open[k];
    if (any) done = crs_claimed_build(&d, e);
    a.most = d.cols < MOST ? d.cols : MOST;
    if (any && done) a.memory = carve_block(carve, &a);
    if (any && done && !a.memory)
        done = crs_fail(e, CREASE_NO_MEMORY, "out of memory: a bound of the least objective");
    const real unit = (real)c->s.loss_scale * c->s.loss_scale;
    for (ptrdiff_t k = 0; k < c->s.path && done; k++) {
        real found = NAN, value = NAN;
        if (!q->open[k]) continue;
        if (!crease_watch_over(c->s.watch)) done = crs_claimed_objective(&d, k, &value, e);
        if (done && !isnan(wanted[k]) && !isnan((double)value))
            done = bound_one(&a, k, wanted[k] / unit, &found, e);
        q->objective[k] = (double)(value * unit);
        q->bound[k] = upward(found * unit);
    }
    crs_free(a.memory);
    crs_free(d.memory);
    return done;
}

/* What is in double is open where it is not as good as wanted. */
bool crease_regression_bound(const crease_regression_claim *claim, const double *wanted,
                             double *objective, double *out, crease_error *e)
{
    crease_regression_claim own;
    if (!crs_claimed_take(claim, &own, e)) return false;
    const ptrdiff_t path = own.s.path;
    crease_verification *found = path > 0 ? crs_alloc((size_t)path, sizeof *found) : NULL;
    bool *open = found ? crs_alloc((size_t)path, sizeof *open) : NULL;
    bool done =
        open || path < 1 || crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td bounds", path);
    const crs_claimed_quick quick = { found, objective, out, open };
    done = done && crs_claimed_quickly(&own, wanted, &quick, e);
    for (ptrdiff_t k = 0; k < path && done; k++) {
        open[k] = found[k].verdict != CREASE_VERDICT_UNFINISHED &&
                  (isnan(objective[k]) || (!isnan(wanted[k]) && !(out[k] <= wanted[k])));
        crease_verification_free(&found[k]);
    }
    done = done && bound_open(&own, wanted, &quick, e);
    crs_free(found);
    crs_free(open);
    return done;
}
