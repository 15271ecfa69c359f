/* SPDX-License-Identifier: MIT
 * manifold: Newton's method on the coordinates that are free, for separable blocks
 *
 * The plain step t = prox(x - g/Lambda) tells which coordinates are at no kink and no bound: S. On
 * S F is smooth; from y = t off S, x on S (t where the sign differs)
 *
 *     (K_S'diag(phi'')K_S + diag(rho'') + mu Lambda_S) d = -(grad_S f + rho'),
 *     w = y + tau d clipped to the orthant and the bounds of t, tau = 1, 1/2, 1/8, ..
 *
 * up to INNER times while nothing meets a bound. w is taken if it passes test S, else t is, with
 * Lambda doubled until it does. mu: a tenth after tau = 1, tenfold otherwise. A settled S earns
 * accuracy: while more than a fifth of it changes, 8 steps of conjugate gradients are enough. */
#include "composite/cores.h"
#include "core/carve.h"
#include "newton/newton.h"

enum { INNER = 6, TRIALS = 8, REFRESH = 20, REJECTIONS = 3, UNDECIDED = 5, STALLED = 30 };

typedef struct {
    const crs_task *task;
    crs_composite *c;
    crs_face *face;
    crs_system *system;
    double *x, *g, *t, *w, *next, *v;           /* coordinates; v: work */
    double *u, *uw, *un, *ud;                   /* products of x, w, next and of d */
    double *L, *gamma;                          /* a block */
    double *slope, *curve, *damp, *d;           /* free coordinates, as the next two */
    double *low, *high, *moved;                 /* bounds of the orthant of t */
    ptrdiff_t *S, *before, count, count_before; /* S of this step and of the last */
    ptrdiff_t *some;                            /* coordinates that moved or met a bound */
    double F, Fw, D, theta, mu, ratio, first_ratio, best;
    int rejected, undecided, stalled;
    long steps;
    bool nonconvex; /* is a penalty */
    bool begun;     /* a step was made since the last renew */
    void *memory;
} newton;

static void carve(void *self, crs_carver *v)
{
    newton *s = self;
    double **of_x[] = { &s->x,     &s->g,    &s->t, &s->w,   &s->next, &s->v,    &s->slope,
                        &s->curve, &s->damp, &s->d, &s->low, &s->high, &s->moved };
    double **of_u[] = { &s->u, &s->uw, &s->un, &s->ud };
    ptrdiff_t **of_S[] = { &s->S, &s->before, &s->some };
    for (int k = 0; k < 13; k++) *of_x[k] = carve_doubles(v, s->c->n, 1);
    for (int k = 0; k < 4; k++) *of_u[k] = carve_doubles(v, s->c->rows, 1);
    for (int k = 0; k < 3; k++) *of_S[k] = carve_bytes(v, s->c->n, sizeof(ptrdiff_t));
    s->L = carve_doubles(v, s->c->count, 1);
    s->gamma = carve_doubles(v, s->c->count, 1);
}

static double objective(const newton *s, const double *x, const double *u)
{
    return crs_smooth_part(s->c, x, u) + crs_nonsmooth_part(s->c, x);
}

static void judge(newton *s) { s->ratio = crs_residual(s->c, s->x, s->g, s->task->tolerance); }

static bool begin(newton *s)
{
    crs_smooth_slope(s->c, s->x, s->u, s->g);
    s->F = objective(s, s->x, s->u);
    s->begun = false;
    s->rejected = s->undecided = s->stalled = 0;
    s->best = INFINITY;
    judge(s);
    s->first_ratio = s->ratio;
    return crs_block_curvatures(s->c, s->x, s->u, s->L, NULL);
}

/* x stays, and with it u, S, the products and factors; mu and theta have proved themselves. */
static bool renew(void *self)
{
    newton *s = self;
    crs_face_forget(s->face);
    s->theta = smaller(1, s->theta);
    s->mu = larger(s->mu, 1e-6);
    return begin(s);
}

static void close(void *self)
{
    newton *s = self;
    if (!s) return;
    crs_system_free(s->system);
    crs_face_free(s->face);
    crs_free(s->memory);
    crs_free(s);
}

static void *open(const crs_task *task, crease_error *e)
{
    newton *s = crs_alloc(1, sizeof *s);
    if (s) {
        *s = (newton){ .task = task, .c = task->c, .theta = 1, .mu = 1e-3, .count = -1 };
        s->memory = carve_block(carve, s);
    }
    if (s && s->memory) s->face = crs_face_new(s->c, e);
    if (s && s->face) s->system = crs_system_new(s->face, e);
    if (s && s->system) {
        for (ptrdiff_t j = 0; j < s->c->n; j++)
            s->nonconvex = s->nonconvex || (s->c->by[j].rho && !s->c->by[j].rho->convex);
        copy(s->c->n, task->start, s->x);
        crs_products(s->c, s->x, s->u);
        if (begin(s)) return s;
    }
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: Newton's method");
    close(s);
    return NULL;
}

/* t and D. */
static void plain_step(newton *s)
{
    const crs_composite *c = s->c;
    double D = 0;
    for (int i = 0; i < c->count; i++) {
        s->gamma[i] = smaller(s->theta / s->L[i], 0.99 * c->step[i]);
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
            s->v[j] = s->x[j] - s->gamma[i] * s->g[j];
    }
    crs_prox(c, s->gamma, s->v, s->t);
    for (int i = 0; i < c->count; i++)
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
            D += square(s->t[j] - s->x[j]) / s->gamma[i];
    s->D = D;
}

/* How many coordinates are in one of S and the last S alone. */
static ptrdiff_t changed(const newton *s)
{
    ptrdiff_t k = 0, l = 0, common = 0;
    while (k < s->count && l < s->count_before) {
        common += s->S[k] == s->before[l];
        if (s->S[k] <= s->before[l])
            l += s->S[k] == s->before[l], k++;
        else
            l++;
    }
    return s->count + s->count_before - 2 * common;
}

/* u of a point, from that of another one from which `count` coordinates moved. */
static void move(newton *s, ptrdiff_t count, const double *x, double *u)
{
    if (s->face->opaque && count > 0)
        crs_products(s->c, x, u);
    else
        crs_add_columns(s->c, 1, count, s->some, s->moved, u);
}

/* S with its bounds, and in w the point y with its products; true: S is settled. */
static bool choose(newton *s)
{
    const crs_composite *c = s->c;
    ptrdiff_t moved = 0;
    ptrdiff_t *last = s->before;
    s->before = s->S, s->S = last;
    s->count_before = s->count;
    s->count = 0;
    for (ptrdiff_t j = 0; j < c->n; j++) {
        const crs_coordinate *k = &c->by[j];
        const double t = s->t[j], x = s->x[j];
        s->w[j] = t;
        if (!crs_is_held(k, t)) {
            const double low = k->kink && t > 0 ? larger(0, k->low) : k->low;
            const double high = k->kink && t < 0 ? smaller(0, k->high) : k->high;
            s->low[s->count] = low, s->high[s->count] = high;
            s->S[s->count++] = j;
            if (x > low && x < high) s->w[j] = x;
        }
        if (s->w[j] != x) s->some[moved] = j, s->moved[moved++] = s->w[j] - x;
    }
    copy(c->rows, s->u, s->uw);
    move(s, moved, s->w, s->uw);
    return s->count_before >= 0 && (double)changed(s) <= 0.2 * (double)s->count;
}

static bool is_inside(const newton *s, ptrdiff_t k)
{
    const double w = s->w[s->S[k]];
    return w > s->low[k] && w < s->high[k];
}

/* grad_S f + rho' at w; 0 where w sits on a bound. */
static void slope_at_w(newton *s)
{
    crs_face_slope(s->face, s->uw, s->slope);
    for (ptrdiff_t k = 0; k < s->count; k++) {
        const crs_coordinate *by = &s->c->by[s->S[k]];
        s->slope[k] = is_inside(s, k) ? s->slope[k] + crs_coordinate_slope(by, s->w[s->S[k]]) : 0;
    }
}

/* d and <slope, d> < 0; false: it was cut. */
static bool direction(newton *s, bool settled, double *descent)
{
    const crs_composite *c = s->c;
    const double progress = s->ratio / s->first_ratio;
    for (ptrdiff_t k = 0, i = 0; k < s->count; k++) {
        while (s->S[k] >= c->at[i + 1]) i++;
        s->curve[k] = crs_coordinate_curve(&c->by[s->S[k]], s->w[s->S[k]]);
        s->damp[k] = s->mu * s->L[i];
        s->v[k] = s->L[i];
    }
    const crs_newton_step step = {
        .u = s->uw,
        .curve = s->curve,
        .damp = s->damp,
        .g = s->slope,
        .tolerance = clip(sqrt(progress), 1e-3, 0.2),
        .steps = !settled          ? 8
                 : progress > 1e-5 ? 40
                                   : 200,
        .settled = settled,
    };
    if (!crs_system_solve(s->system, &step, s->d)) return false;
    *descent = crs_dot(s->count, s->slope, s->d);
    if (*descent < 0) return true;
    for (ptrdiff_t k = 0; k < s->count; k++) s->d[k] = -s->slope[k] / s->v[k];
    *descent = crs_dot(s->count, s->slope, s->d);
    return true;
}

/* un = uw + K_S (next - w). Of what was clipped only the difference to tau d is multiplied, but not
 * where it is most of S, or so long that the sum would cancel. */
static void clipped_products(newton *s, double tau)
{
    ptrdiff_t moved = 0;
    double asked = 0, done = 0;
    for (ptrdiff_t k = 0; k < s->count; k++) {
        const ptrdiff_t j = s->S[k];
        const double off = s->next[j] - (s->w[j] + tau * s->d[k]);
        asked += fabs(tau * s->d[k]);
        done += fabs(s->next[j] - s->w[j]);
        if (off == 0) continue;
        s->some[moved] = j;
        s->moved[moved++] = off;
    }
    const bool anew = 2 * moved > s->count || asked > 10 * done;
    for (ptrdiff_t k = 0; anew && k < s->count; k++) {
        s->some[k] = s->S[k];
        s->moved[k] = s->next[s->S[k]] - s->w[s->S[k]];
    }
    for (ptrdiff_t i = 0; i < s->c->rows; i++) s->un[i] = s->uw[i] + (anew ? 0 : tau * s->ud[i]);
    move(s, anew ? s->count : moved, s->next, s->un);
}

/* next = w + tau d clipped; returns <slope, next - w>. */
static double clipped(newton *s, double tau)
{
    double slope = 0;
    copy(s->c->n, s->w, s->next);
    for (ptrdiff_t k = 0; k < s->count; k++) {
        const ptrdiff_t j = s->S[k];
        s->next[j] = clip(s->w[j] + tau * s->d[k], s->low[k], s->high[k]);
        slope += s->slope[k] * (s->next[j] - s->w[j]);
    }
    clipped_products(s, tau);
    return slope;
}

/* One Newton step from w; false: none leads lower. */
static bool descend(newton *s, bool settled)
{
    double descent, tau = 1;
    if (!direction(s, settled, &descent)) return false;
    fill(s->c->rows, 0, s->ud);
    crs_face_products(s->face, 1, s->d, s->ud);
    for (int k = 0; k < TRIALS && !crease_watch_over(s->c->watch); k++, tau *= k > 1 ? 0.25 : 0.5) {
        const double slope = clipped(s, tau), F = objective(s, s->next, s->un);
        if (!(F <= s->Fw + 1e-4 * smaller(slope, 0) + 1e-14 * fabs(s->Fw))) continue;
        double *w = s->w, *u = s->uw;
        s->w = s->next, s->next = w;
        s->uw = s->un, s->un = u;
        s->Fw = F;
        s->mu = tau < 1 ? larger(10 * s->mu, 1e-6) : s->mu > 1e-13 ? s->mu / 10 : 0;
        return true;
    }
    s->mu = larger(10 * s->mu, 1e-6);
    return false;
}

/* Coordinates that met a bound leave S; true: there were some. */
static bool shrink(newton *s)
{
    ptrdiff_t kept = 0;
    const ptrdiff_t count = s->count;
    for (ptrdiff_t k = 0; k < count; k++) {
        if (!is_inside(s, k)) continue;
        s->S[kept] = s->S[k];
        s->low[kept] = s->low[k];
        s->high[kept++] = s->high[k];
    }
    s->count = kept;
    return kept < count;
}

/* The candidate w with its products and Fw; false: the watch is over. */
static bool candidate(newton *s)
{
    double least = INFINITY;
    const bool settled = choose(s);
    if (!crs_face_set(s->face, s->count, s->S)) return false;
    for (int i = 0; i < s->c->count; i++) least = smaller(least, s->task->tolerance[i]);
    s->Fw = objective(s, s->w, s->uw);
    for (int k = 0; k < INNER && s->count > 0; k++) {
        if (k > 0 && shrink(s) && !crs_face_set(s->face, s->count, s->S)) return false;
        slope_at_w(s);
        if (k > 0 && crs_norm(s->count, s->slope) <= 0.1 * least) break;
        if (!descend(s, settled)) break;
    }
    return !crease_watch_over(s->c->watch);
}

/* w becomes x if test S says so. Where F cannot tell any more, the residual has to halve. */
static bool take_candidate(newton *s)
{
    const bool decided = !(fabs(s->Fw - s->F) < 1e-13 * fabs(s->F));
    const bool accepted = crs_accepted(s->F, s->Fw, s->D);
    if (!accepted && (decided || s->undecided >= UNDECIDED)) return false;
    if (!accepted) {
        crs_smooth_slope(s->c, s->w, s->uw, s->v);
        if (!(crs_residual(s->c, s->w, s->v, s->task->tolerance) <= s->ratio / 2)) return false;
        s->undecided++;
    }
    double *x = s->x, *u = s->u;
    s->x = s->w, s->w = x;
    s->u = s->uw, s->uw = u;
    s->F = s->Fw;
    if (++s->steps % REFRESH == 0) {
        crs_products(s->c, s->x, s->u);
        s->F = objective(s, s->x, s->u);
    }
    return true;
}

/* t becomes x, with gamma halved until it passes; false: it never does. */
static bool take_plain(newton *s)
{
    double F;
    for (;;) {
        crs_products(s->c, s->t, s->un);
        F = objective(s, s->t, s->un);
        if (crs_accepted(s->F, F, s->D)) break;
        s->theta /= 2;
        if (!(s->theta > 1e-18) || crease_watch_over(s->c->watch)) return false;
        plain_step(s);
    }
    double *x = s->x, *u = s->u;
    s->x = s->t, s->t = x;
    s->u = s->un, s->un = u;
    s->F = F;
    s->theta = smaller(1.1 * s->theta, 1.9);
    return true;
}

/* False: neither F nor the residual has fallen for long, or they are no numbers. */
static bool goes_on(newton *s, double before)
{
    const bool closer = s->ratio < 0.9 * s->best;
    const bool better = closer || s->F < before - 1e-12 * fabs(before);
    s->stalled = better ? 0 : s->stalled + 1;
    if (closer) s->best = s->ratio;
    return s->stalled <= STALLED && s->F == s->F && s->ratio == s->ratio;
}

/* What the best value of coordinate j alone gains by the model of curvature q, and that value. */
static double gain_of(const newton *s, ptrdiff_t j, double q, double *best)
{
    const crs_coordinate *k = &s->c->by[j];
    if (!k->rho || k->rho->convex || !(k->weight > 0) || !(q > 0 && q < INFINITY)) return 0;
    const crs_penalty_value r = crs_penalty_of(k->rho, k->par, k->weight);
    const double x = s->x[j], t = crs_scalar_prox_box(&r, 1 / q, x - s->g[j] / q, k->low, k->high);
    const double smooth = s->g[j] * (t - x) + q / 2 * square(t - x);
    *best = t;
    return crs_scalar_value(&r, x) - crs_scalar_value(&r, t) - smooth;
}

/* A stationary point of a penalty that is not convex may not even be the best in one coordinate:
 * with l0 every x = 0 is stationary. The coordinate that gains most moves there; false: none does,
 * or F does not agree. */
static bool leap(newton *s)
{
    double *q = s->next, most = 1e-6 * fabs(s->F) + 1e-300, value = 0;
    ptrdiff_t at = -1;
    if (!s->nonconvex) return false;
    crs_curvatures(s->c, s->u, s->un, q);
    for (ptrdiff_t j = 0; j < s->c->n; j++) {
        const double gain = gain_of(s, j, q[j], &value);
        if (!(gain > most)) continue;
        most = gain;
        at = j;
        s->moved[0] = value - s->x[j];
    }
    if (at < 0) return false;
    s->some[0] = at;
    copy(s->c->n, s->x, s->w);
    s->w[at] += s->moved[0];
    copy(s->c->rows, s->u, s->uw);
    move(s, 1, s->w, s->uw);
    s->Fw = objective(s, s->w, s->uw);
    return s->Fw <= s->F - 0.5 * most && take_candidate(s);
}

/* Where the residual is small enough. */
static crs_core_state arrive(newton *s)
{
    if (crease_watch_over(s->c->watch) || !leap(s)) return CRS_CORE_DONE;
    crs_smooth_slope(s->c, s->x, s->u, s->g);
    judge(s);
    s->begun = false;
    return CRS_CORE_GOES_ON;
}

static crs_core_state step(void *self)
{
    newton *s = self;
    const double before = s->F;
    if (s->begun && s->ratio <= 1) return CRS_CORE_DONE;
    plain_step(s);
    if (s->D == 0 && s->ratio <= 1) return arrive(s);
    if (!(s->F == s->F) || crease_watch_over(s->c->watch)) return CRS_CORE_STUCK;
    s->begun = true;
    const bool tried = s->rejected < REJECTIONS && candidate(s);
    if (crease_watch_over(s->c->watch)) return CRS_CORE_STUCK;
    if (tried && take_candidate(s)) {
        s->rejected = 0;
    } else {
        s->rejected = s->rejected < REJECTIONS ? s->rejected + 1 : 0;
        if (!take_plain(s)) return CRS_CORE_STUCK;
    }
    crs_smooth_slope(s->c, s->x, s->u, s->g);
    judge(s);
    return s->ratio <= 1 ? arrive(s) : goes_on(s, before) ? CRS_CORE_GOES_ON : CRS_CORE_STUCK;
}

static void stand(const void *self, crs_standing *out)
{
    const newton *s = self;
    *out = (crs_standing){ .x = s->x, .objective = s->F, .ratio = s->ratio, .u = s->u, .g = s->g };
}

/* Separable blocks, losses whose curvature is known, nothing else in f. */
static bool suits(const crs_composite *c)
{
    if (c->constraint || c->rest.ops || !crs_all_separable(c)) return false;
    for (int t = 0; t < c->terms; t++) {
        const crs_loss *loss = c->term[t].loss;
        if (loss && !loss->curve && !loss->quadratic) return false;
    }
    return true;
}

const crs_core crs_core_newton = {
    .name = "newton",
    .needs = "no constraint, regularizers and sets of single entries, and losses whose second "
             "derivative is known",
    .suits = suits,
    .open = open,
    .step = step,
    .stand = stand,
    .renew = renew,
    .close = close,
};
