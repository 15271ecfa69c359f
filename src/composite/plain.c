/* SPDX-License-Identifier: MIT
 * plain: the proximal step itself, the last resort of every row of the decision table
 *
 *     t = prox_gamma(x - gamma grad f(x)),  D = sum_i |t_i - x_i|^2/gamma_i,
 *     gamma halved until F(t) <= F(x) - sigma D  (test S; it ends by gamma <= (1 - 2 sigma)/L),
 *
 * tried from the extrapolated point x + theta (x - x^{k-1}) first, which test S accepts or not. */
#include "composite/cores.h"
#include "core/carve.h"

typedef struct {
    const crs_task *task;
    crs_composite *c;
    double *x, *before, *y, *t, *v, *g, *gy; /* vectors of all coordinates */
    double *u, *uy, *ut;                     /* their products */
    double *L, *gamma;
    double F, ratio, shrink;
    long since; /* steps since the extrapolation began anew */
    bool tried; /* a start is stationary only when a step leads no lower */
    void *memory;
} plain;

static void carve(void *self, crs_carver *v)
{
    plain *s = self;
    double **of_x[] = { &s->x, &s->before, &s->y, &s->t, &s->v, &s->g, &s->gy };
    double **of_u[] = { &s->u, &s->uy, &s->ut };
    for (int k = 0; k < 7; k++) *of_x[k] = carve_doubles(v, s->c->n, 1);
    for (int k = 0; k < 3; k++) *of_u[k] = carve_doubles(v, s->c->rows, 1);
    s->L = carve_doubles(v, s->c->count, 1);
    s->gamma = carve_doubles(v, s->c->count, 1);
}

static void judge(plain *s) { s->ratio = crs_residual(s->c, s->x, s->g, s->task->tolerance); }

static bool renew(void *self)
{
    plain *s = self;
    const double f = crs_smooth_both(s->c, s->x, s->u, s->g);
    if (!crs_block_curvatures(s->c, s->x, s->u, s->L, NULL)) return false;
    s->F = f + crs_nonsmooth_part(s->c, s->x);
    s->shrink = 1;
    s->since = 0;
    s->tried = false;
    copy(s->c->n, s->x, s->before);
    judge(s);
    return true;
}

static void close(void *self)
{
    plain *s = self;
    if (!s) return;
    crs_free(s->memory);
    crs_free(s);
}

static void *open(const crs_task *task, crease_error *e)
{
    plain *s = crs_alloc(1, sizeof *s);
    if (s) {
        s->task = task;
        s->c = task->c;
        s->memory = carve_block(carve, s);
    }
    if (s && s->memory) {
        copy(s->c->n, task->start, s->x);
        if (renew(s)) return s;
    }
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: a core");
    close(s);
    return NULL;
}

/* t from y with slope gy; returns D, and F(t) in *Ft. */
static double trial(plain *s, const double *y, const double *gy, double *Ft)
{
    const crs_composite *c = s->c;
    double D = 0;
    for (int i = 0; i < c->count; i++) {
        s->gamma[i] = smaller(s->shrink / s->L[i], 0.99 * c->step[i]);
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++) s->v[j] = y[j] - s->gamma[i] * gy[j];
    }
    crs_prox(c, s->gamma, s->v, s->t);
    for (int i = 0; i < c->count; i++)
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
            D += square(s->t[j] - y[j]) / s->gamma[i];
    crs_products(c, s->t, s->ut);
    *Ft = crs_smooth_part(c, s->t, s->ut) + crs_nonsmooth_part(c, s->t);
    return D;
}

static void take(plain *s, double F)
{
    double *x = s->before, *u = s->u;
    s->before = s->x, s->x = s->t, s->t = x;
    s->u = s->ut, s->ut = u;
    s->F = F;
    crs_smooth_slope(s->c, s->x, s->u, s->g);
    judge(s);
}

/* From the extrapolated point; false: its step is not low enough. */
static bool leap(plain *s)
{
    const crs_composite *c = s->c;
    const double theta = (double)s->since / (double)(s->since + 3);
    double F;
    for (ptrdiff_t j = 0; j < c->n; j++) s->y[j] = s->x[j] + theta * (s->x[j] - s->before[j]);
    crs_smooth_both(c, s->y, s->uy, s->gy);
    const double D = trial(s, s->y, s->gy, &F);
    if (!crs_accepted(s->F, F, D)) return false;
    s->since++;
    take(s, F);
    return true;
}

static crs_core_state step(void *self)
{
    plain *s = self;
    double F, D;
    if (s->ratio <= 1 && s->tried) return CRS_CORE_DONE;
    s->tried = true;
    if (s->since > 0 && leap(s)) return s->ratio <= 1 ? CRS_CORE_DONE : CRS_CORE_GOES_ON;
    s->since = 1;
    for (D = trial(s, s->x, s->g, &F); !crs_accepted(s->F, F, D); D = trial(s, s->x, s->g, &F)) {
        s->shrink /= 2;
        if (s->ratio <= 1) return CRS_CORE_DONE;
        if (!(s->shrink > 1e-30) || crease_watch_over(s->c->watch)) return CRS_CORE_STUCK;
    }
    take(s, F);
    s->shrink = smaller(1.1 * s->shrink, 1.9);
    return s->ratio <= 1 ? CRS_CORE_DONE : CRS_CORE_GOES_ON;
}

static void stand(const void *self, crs_standing *out)
{
    const plain *s = self;
    *out = (crs_standing){ .x = s->x, .objective = s->F, .ratio = s->ratio, .u = s->u, .g = s->g };
}

static void visit(crs_visitor *v, void *self)
{
    plain *s = self;
    double *const of_x[] = { s->x, s->before, s->y, s->t, s->g, s->gy };
    double *const of_u[] = { s->u, s->uy, s->ut };
    for (int k = 0; k < 6; k++) crs_visits(v, of_x[k], s->c->n);
    for (int k = 0; k < 3; k++) crs_visits(v, of_u[k], s->c->rows);
    crs_visits(v, s->L, s->c->count);
    crs_visits(v, s->gamma, s->c->count);
    crs_visit(v, s->F);
    crs_visit(v, s->ratio);
    crs_visit(v, s->shrink);
    crs_visit(v, s->since);
    crs_visit(v, s->tried);
}

static bool suits(const crs_composite *c) { return !c->constraint && crs_all_proxes(c); }

const crs_core crs_core_plain = {
    .name = "prox-gradient",
    .needs = "no constraint, and sets with a projection",
    .suits = suits,
    .open = open,
    .step = step,
    .stand = stand,
    .renew = renew,
    .close = close,
    .visit = visit,
};
