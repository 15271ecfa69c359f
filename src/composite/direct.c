/* SPDX-License-Identifier: MIT
 * direct: f = sum_i (w_i/2)|a_i x_i - d_i|^2 + <q, x>, every block on its own: one prox is the
 * answer
 *
 *     x_i = prox of gamma_i r_i at gamma_i (w_i a_i d_i - q_i),  gamma_i = 1/(w_i a_i^2),
 *
 * a global minimizer where that prox is one. */
#include "composite/cores.h"
#include "core/carve.h"

typedef struct {
    const crs_task *task;
    crs_composite *c;
    double *x, *v, *u;
    double F, ratio; /* 0: x is the answer */
    void *memory;
} direct;

/* The one term of block i, (w/2)|a x_i - d|^2 with w > 0; NULL: it has another, or none. */
static const crs_term *square_of(const crs_composite *c, int i)
{
    const crs_term *found = NULL;
    for (int t = 0; t < c->terms; t++) {
        const crs_term *term = &c->term[t];
        bool here = !term->loss;
        for (int k = 0; k < term->parts; k++) here = here || term->part[k].block == i;
        if (!here) continue;
        if (found || term->loss != &crs_least_squares || term->each || term->parts > 1) return NULL;
        found = term;
    }
    const crs_matrix *K = found ? found->part[0].matrix : NULL;
    return K && K->kind == CRS_SCALAR && found->weight * square(K->scale) > 0 ? found : NULL;
}

static double step_of(const crs_term *t)
{
    return 1 / (t->weight * square(t->part[0].matrix->scale));
}

static bool suits(const crs_composite *c)
{
    if (c->constraint || c->rest.ops || !crs_all_proxes(c)) return false;
    for (int i = 0; i < c->count; i++) {
        const crs_term *t = square_of(c, i);
        if (!t || !(step_of(t) < c->step[i])) return false;
    }
    return true;
}

static void carve(void *self, crs_carver *v)
{
    direct *s = self;
    s->x = carve_doubles(v, s->c->n, 1);
    s->v = carve_doubles(v, s->c->n, 1);
    s->u = carve_doubles(v, s->c->rows, 1);
}

/* F alone: a certificate of the answer is made by who asked for it, and no other. */
static void measure(direct *s)
{
    crs_products(s->c, s->x, s->u);
    s->F = crs_smooth_part(s->c, s->x, s->u) + crs_nonsmooth_part(s->c, s->x);
}

static bool renew(void *self)
{
    direct *s = self;
    s->ratio = INFINITY;
    measure(s);
    return true;
}

static void close(void *self)
{
    direct *s = self;
    if (!s) return;
    crs_free(s->memory);
    crs_free(s);
}

static void *open(const crs_task *task, crease_error *e)
{
    direct *s = crs_alloc(1, sizeof *s);
    if (s) {
        s->task = task;
        s->c = task->c;
        s->memory = carve_block(carve, s);
    }
    if (s && s->memory) {
        copy(s->c->n, task->start, s->x);
        renew(s);
        return s;
    }
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: a core");
    close(s);
    return NULL;
}

static crs_core_state step(void *self)
{
    direct *s = self;
    const crs_composite *c = s->c;
    if (s->ratio <= 1) return CRS_CORE_STUCK; /* the answer did not do */
    for (int i = 0; i < c->count; i++) {
        const crs_term *t = square_of(c, i);
        const double gamma = step_of(t), a = t->weight * t->part[0].matrix->scale;
        for (ptrdiff_t j = c->at[i], k = 0; j < c->at[i + 1]; j++, k++)
            s->v[j] = gamma * (a * (t->rhs ? t->rhs[k] : 0) - c->linear[j]);
        crs_prox_block(c, i, gamma, s->v + c->at[i], s->x + c->at[i]);
    }
    measure(s);
    s->ratio = 0;
    return CRS_CORE_DONE;
}

static void stand(const void *self, crs_standing *out)
{
    const direct *s = self;
    *out = (crs_standing){ .x = s->x, .objective = s->F, .ratio = s->ratio };
}

const crs_core crs_core_direct = {
    .name = "direct",
    .needs = "f to be one half square of a multiple of each block, and no constraint",
    .suits = suits,
    .open = open,
    .step = step,
    .stand = stand,
    .renew = renew,
    .close = close,
};
