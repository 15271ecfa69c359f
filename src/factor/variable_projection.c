/* SPDX-License-Identifier: MIT
 * variable_projection: core V, for |T - X Y'|^2 with a convex separable penalty on the rows of one
 * factor, and any set for the other, which is what remains:
 *
 *     phi(X) = min_Y |T - XY'|^2 + r(Y),  grad phi(X) = -2 (T - XY') Y at the Y of the minimum,
 *
 * since Y enters at its minimum (Golub, Pereyra 1973; Danskin). The rows of Y are problems of their
 * own that share X'X: active sets, warm from one X to the next (rows.c), a few steps for each X:
 * far from the end Y is only better than before, which F and its slope in X allow. X moves by
 * L-BFGS on the residual (X - t)/gamma of the plain proximal step t:
 *
 *     w = P(N + (1 - tau) t + tau (X + q)),  N = X - gamma grad phi - t,
 *
 * P the projection onto its set, N normal to it at t (without N a q that leads inside would raise
 * phi), tau = 1, 1/2, .. while test S refuses; at 0 it is t. Every trial is one evaluation. */
#include "composite/cores.h"
#include "composite/lbfgs.h"
#include "dense/dense.h"
#include "factor/rows.h"

enum { TRIALS = 5, STEPS = 5 };

typedef struct {
    const crs_task *task;
    crs_composite *c;
    int kept, gone;       /* blocks X and Y */
    ptrdiff_t m, n, rank; /* X is m x rank, Y n x rank */
    bool turned;          /* T is n x m: Y comes first in it */
    const double *target;
    double ridge;
    crs_rows rows;
    crs_lbfgs memory_of;
    double *x, *g, *w, *gw;  /* of all coordinates */
    double *t, *r, *old, *v; /* of X: plain step, (X - t)/gamma, the last one, arguments */
    double *p, *e, *gram;    /* 2 T'X, T - XY', Y'Y */
    double F, ratio, L, shrink;
    bool fresh; /* no residual before this one */
    void *memory;
} projection;

static void carve(void *self, crs_carver *v)
{
    projection *s = self;
    double **all[] = { &s->x, &s->g, &s->w, &s->gw }, **own[] = { &s->t, &s->r, &s->old, &s->v };
    for (int k = 0; k < 4; k++) *all[k] = carve_doubles(v, s->c->n, 1);
    for (int k = 0; k < 4; k++) *own[k] = carve_doubles(v, s->m, s->rank);
    s->p = carve_doubles(v, s->n, s->rank);
    s->e = carve_doubles(v, s->m, s->n);
    s->gram = carve_doubles(v, s->rank, s->rank);
    s->rows.n = s->rank;
    s->rows.most = STEPS;
    crs_rows_carve(&s->rows, v);
}

static bool is_linear(const crs_composite *c)
{
    for (ptrdiff_t j = 0; j < c->n; j++)
        if (c->linear[j] != 0) return true;
    return false;
}

static double *kept_of(const projection *s, double *z) { return z + s->c->at[s->kept]; }
static double *gone_of(const projection *s, double *z) { return z + s->c->at[s->gone]; }

/* Is r_i + indicator that of a convex set? */
static bool is_set(const crs_composite *c, int i)
{
    const crease_reg *r = crs_reg_of(&c->parts, i);
    const crease_set *set = c->parts.block[i].set;
    const bool flat = r->penalty && r->penalty->slope(r->par, 0) == 0 &&
                      r->penalty->slope(r->par, 1) == 0 && r->penalty->convex;
    return (set ? !set->ops->nonconvex : true) && c->step[i] == INFINITY &&
           (r->ops->kind == CREASE_KIND_RANGE ||
            (flat && (r->ops->kind == CREASE_KIND_ENTRIES || r->ops->kind == CREASE_KIND_NONNEG)));
}

/* Which factor goes: one with row problems that rows.c takes, the other a set without penalty. */
static bool read_factors(const crs_composite *c, projection *s)
{
    const crease_blocks b = crs_blocks(&c->parts);
    crease_cp_data cp;
    int factor[CREASE_MAX_ORDER];
    if (c->constraint || c->terms > 0 || c->count != 2 || !c->rest.ops || !c->rest.ops->as_cp)
        return false;
    if (!c->rest.ops->as_cp(&c->rest, &b, &cp, factor) || cp.z >= 0 || cp.shape.order != 2)
        return false;
    for (int k = 0; k < 2; k++) {
        const int gone = factor[!k], kept = factor[k];
        if (gone == kept || !c->separable[gone] || !is_set(c, kept) || is_linear(c)) continue;
        if (!crs_rows_take(c->by + c->at[gone], crs_block_size(c, gone))) continue;
        *s = (projection){ .kept = kept, .gone = gone, .turned = k == 1, .rank = cp.rank };
        s->m = cp.shape.dim[k];
        s->n = cp.shape.dim[!k];
        s->target = cp.target;
        s->ridge = cp.ridge;
        return true;
    }
    return false;
}

static bool suits(const crs_composite *c)
{
    projection s;
    return read_factors(c, &s);
}

/* Y of the minimum for the X in w, from the Y there; its slope goes to gw. False: cut short. */
static bool minimize_rows(projection *s, double *w, double *gw)
{
    const ptrdiff_t R = s->rank, many = 64;
    const crs_coordinate *by = s->c->by + s->c->at[s->gone];
    double *Y = gone_of(s, w), *slope = gone_of(s, gw);
    const double *X = kept_of(s, w);
    crs_gram(s->m, R, X, s->rows.A);
    for (ptrdiff_t j = 0; j < R * R; j++) s->rows.A[j] *= 2;
    for (ptrdiff_t j = 0; j < R; j++) s->rows.A[j * (R + 1)] += s->ridge;
    crs_gemm(!s->turned, false, s->n, R, s->m, 2, s->target, X, 0, s->p);
    for (ptrdiff_t i = 0; i < s->n; i++) {
        if (i % many == 0 && crease_watch_over(s->c->watch)) return false;
        crs_rows_minimize(&s->rows, by + i * R, s->p + i * R, Y + i * R);
        copy(R, s->rows.h, slope + i * R);
    }
    return true;
}

/* phi at the X in w, with Y there and the slopes of f in gw; INFINITY: cut short. */
static double evaluate(projection *s, double *w, double *gw)
{
    const ptrdiff_t R = s->rank, size = s->m * s->n;
    if (!minimize_rows(s, w, gw)) return INFINITY;
    const double *X = kept_of(s, w), *Y = gone_of(s, w);
    copy(size, s->target, s->e);
    if (s->turned)
        crs_gemm(false, true, s->n, s->m, R, -1, Y, X, 1, s->e);
    else
        crs_gemm(false, true, s->m, s->n, R, -1, X, Y, 1, s->e);
    crs_gemm(s->turned, false, s->m, R, s->n, -2, s->e, Y, 0, kept_of(s, gw));
    axpy(s->m * R, s->ridge, X, kept_of(s, gw));
    s->c->work->entries += 3 * (double)size;
    s->c->work->evaluations++;
    return crs_dot(size, s->e, s->e) + s->ridge / 2 * crs_dot(s->c->n, w, w) +
           crs_nonsmooth_part(s->c, w);
}

/* A bound of the curvature of phi, which is below that of f in X: 2 |Y'Y|_inf + ridge. New steps
 * begin where it has changed much. */
static void measure(projection *s)
{
    double most = 0;
    crs_gram(s->n, s->rank, gone_of(s, s->x), s->gram);
    for (ptrdiff_t i = 0; i < s->rank; i++) {
        double sum = 0;
        for (ptrdiff_t j = 0; j < s->rank; j++) sum += fabs(s->gram[i * s->rank + j]);
        most = larger(most, sum);
    }
    const double L = most > 0 || s->ridge > 0 ? 2 * most + s->ridge : 1;
    if (s->L > 0 && L < 2 * s->L && L > s->L / 4) return;
    s->L = L;
    s->shrink = 1;
    s->fresh = true;
    crs_lbfgs_forget(&s->memory_of);
}

static double gamma_of(const projection *s) { return s->shrink / s->L; }

/* t and r; returns D. */
static double plain_step(projection *s)
{
    const ptrdiff_t size = s->m * s->rank;
    const double gamma = gamma_of(s), *X = kept_of(s, s->x), *g = kept_of(s, s->g);
    double D = 0;
    for (ptrdiff_t j = 0; j < size; j++) s->v[j] = X[j] - gamma * g[j];
    crs_prox_block(s->c, s->kept, gamma, s->v, s->t);
    for (ptrdiff_t j = 0; j < size; j++) {
        s->r[j] = (X[j] - s->t[j]) / gamma;
        D += square(s->t[j] - X[j]) / gamma;
    }
    return D;
}

static bool renew(void *self)
{
    projection *s = self;
    s->F = evaluate(s, s->x, s->g);
    s->L = 0;
    measure(s);
    s->ratio = crs_residual(s->c, s->x, s->g, s->task->tolerance);
    return true;
}

static void close(void *self)
{
    projection *s = self;
    if (!s) return;
    crs_lbfgs_close(&s->memory_of);
    crs_free(s->memory);
    crs_free(s);
}

/* A start of Y with most places filled says little: 0 does as well, and is near its minimum. */
static void thin_out(projection *s)
{
    const crs_coordinate *by = s->c->by + s->c->at[s->gone];
    const ptrdiff_t size = s->n * s->rank;
    double *Y = gone_of(s, s->x);
    ptrdiff_t free = 0;
    for (ptrdiff_t j = 0; j < size; j++) free += !crs_is_held(&by[j], Y[j]);
    for (ptrdiff_t j = 0; 2 * free > size && j < size; j++)
        Y[j] = by[j].low > 0 ? by[j].low : by[j].high < 0 ? by[j].high : 0;
}

static void *open(const crs_task *task, crease_error *e)
{
    projection *s = crs_alloc(1, sizeof *s);
    if (s) {
        read_factors(task->c, s);
        s->task = task;
        s->c = task->c;
        s->memory = carve_block(carve, s);
    }
    if (s && s->memory && crs_lbfgs_open(&s->memory_of, s->m * s->rank, e)) {
        copy(s->c->n, task->start, s->x);
        thin_out(s);
        renew(s);
        return s;
    }
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: a core");
    close(s);
    return NULL;
}

/* The pair of the last step, and q = -H r in v. */
static void direct(projection *s)
{
    const ptrdiff_t size = s->m * s->rank;
    if (!s->fresh) {
        double *change = crs_lbfgs_change(&s->memory_of);
        for (ptrdiff_t j = 0; j < size; j++) change[j] = s->r[j] - s->old[j];
        crs_lbfgs_keep(&s->memory_of);
    }
    copy(size, s->r, s->old);
    s->fresh = false;
    const double scale = s->memory_of.count > 0 ? -1 : -gamma_of(s);
    for (ptrdiff_t j = 0; j < size; j++) s->v[j] = scale * s->r[j];
    crs_lbfgs_times(&s->memory_of, s->v);
}

/* Accepts what stands in w. */
static void take(projection *s, double F)
{
    double *x = s->x, *g = s->g, *step = crs_lbfgs_step(&s->memory_of);
    const double *before = kept_of(s, s->x), *after = kept_of(s, s->w);
    for (ptrdiff_t j = 0; j < s->m * s->rank; j++) step[j] = after[j] - before[j];
    s->x = s->w, s->w = x;
    s->g = s->gw, s->gw = g;
    s->F = F;
    s->ratio = crs_residual(s->c, s->x, s->g, s->task->tolerance);
    measure(s);
}

/* F of the point between t and X + q, both shifted by the normal N of the set at t. */
static double trial(projection *s, double tau)
{
    const double *X = kept_of(s, s->x), *g = kept_of(s, s->g), gamma = gamma_of(s);
    double *to = kept_of(s, s->w);
    for (ptrdiff_t j = 0; j < s->m * s->rank; j++)
        to[j] = X[j] - gamma * g[j] + tau * (X[j] + s->v[j] - s->t[j]);
    crs_prox_block(s->c, s->kept, gamma_of(s), to, to);
    copy(s->n * s->rank, gone_of(s, s->x), gone_of(s, s->w));
    return evaluate(s, s->w, s->gw);
}

static crs_core_state step(void *self)
{
    projection *s = self;
    if (s->ratio <= 1) return CRS_CORE_DONE;
    double D = plain_step(s), tau = 1;
    direct(s);
    for (int k = 0;; k++, tau /= 2) {
        const double F = trial(s, k < TRIALS ? tau : 0);
        if (crs_accepted(s->F, F, D)) {
            take(s, F);
            return s->ratio <= 1 ? CRS_CORE_DONE : CRS_CORE_GOES_ON;
        }
        if (crease_watch_over(s->c->watch) || !(s->shrink > 1e-30)) return CRS_CORE_STUCK;
        if (k < TRIALS) continue;
        s->shrink /= 2;
        s->fresh = true;
        crs_lbfgs_forget(&s->memory_of);
        D = plain_step(s);
    }
}

static void stand(const void *self, crs_standing *out)
{
    const projection *s = self;
    *out = (crs_standing){ .x = s->x, .objective = s->F, .ratio = s->ratio };
}

const crs_core crs_core_variable_projection = {
    .name = "variable-projection",
    .patience = 10, /* residuals of its points go up and down */
    .needs = "f to be one matrix factorization with constant data, a convex separable penalty on "
             "one factor and a convex set for the other",
    .suits = suits,
    .open = open,
    .step = step,
    .stand = stand,
    .renew = renew,
    .close = close,
};
