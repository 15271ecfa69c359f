/* SPDX-License-Identifier: MIT
 * cp_fit_new: a fit and its memory; what it found, row by row */
#include "rpca/fit.h"

void crease_cp_fit_free(crease_cp_fit *f)
{
    if (!f) return;
    if (f->state) f->engine->close(f->state);
    crease_analysis_free(f->own);
    crs_free(f->mask);
    crs_free(f->memory);
    crs_free(f);
}

bool crs_cp_fit_mask(crease_cp_fit *f, double *tensor, crease_error *e)
{
    const ptrdiff_t size = crease_size(&f->s.model.shape);
    if (f->missing == 0) return true;
    f->mask = crs_alloc((size_t)size, 1);
    if (!f->mask) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the mask");
    for (ptrdiff_t j = 0; j < size; j++) {
        f->mask[j] = crs_cp_seen(&f->s.model, tensor, j);
        if (!f->mask[j]) tensor[j] = 0;
    }
    return true;
}

static ptrdiff_t factors_size(const crease_cp_rpca_settings *m)
{
    ptrdiff_t all = 0;
    for (int n = 0; n < m->shape.order; n++) all += m->shape.dim[n] * m->rank;
    return all;
}

static void carve_factors(const crease_cp_rpca_settings *m, double **x, double *memory)
{
    for (int n = 0; n < m->shape.order; n++) {
        x[n] = memory;
        memory += m->shape.dim[n] * m->rank;
    }
}

/* The engine's own rows where its E is read. */
static void adopt_rows(crease_cp_fit *f)
{
    crs_slabs *g = &f->point.grid;
    ptrdiff_t left, right;
    f->point.sparse = f->engine->sparse;
    f->point.self = f->state;
    if (!f->engine->rows) return;
    f->engine->rows(f->state, &left, &right);
    for (g->split = 0; crs_left(&f->s.model.shape, g->split) < left;) g->split++;
    g->rows = more(1, fewer(left, g->rows * g->right / right));
    g->left = left;
    g->right = right;
}

static bool allocate(crease_cp_fit *f, crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    const ptrdiff_t factors = factors_size(m);
    ptrdiff_t all = crs_cp_room_size(&f->point, f->s.threads);
    if (!crs_add_size(all, 2 * factors + 2 * m->rank, &all))
        return crs_fail(e, CREASE_NO_MEMORY, "a fit of rank %td: more than can be addressed",
                        m->rank);
    f->memory = crs_doubles(all, "the fit", e);
    if (!f->memory) return false;
    carve_factors(m, f->trial, f->memory);
    carve_factors(m, f->found, f->memory + factors);
    f->weight = f->memory + 2 * factors;
    f->left = f->weight + m->rank;
    crs_cp_room_carve(&f->point, f->s.threads, f->left + m->rank, &f->room);
    return true;
}

/* Practical: beta a tenth above its bound, 4 alpha_N (R1) or 2 alpha_N (R2), which took the fewest
 * iterations. Paper mode is practical mode with the paper's parameters. */
static crease_options options_run(const crease_cp_fit_settings *s)
{
    crease_options o = s->run;
    if (o.method == CREASE_METHOD_ENVELOPE) o.method = CREASE_METHOD_AUTO;
    const bool g = o.method == CREASE_METHOD_ADMM_G;
    if (o.mode == CREASE_MODE_PRACTICAL && o.beta == 0 && !s->model.unconstrained)
        o.beta = (g ? 4.4 : 2.2) * s->model.alpha_noise;
    if (o.mode != CREASE_MODE_PAPER) return o;
    o.mode = CREASE_MODE_PRACTICAL;
    if (o.beta == 0 && !s->model.unconstrained) o.beta = o.method == CREASE_METHOD_ADMM_M ? 5 : 4;
    if (o.h == 0 && o.method != CREASE_METHOD_BCD) o.h = 2;
    return o;
}

static bool build(crease_cp_fit *f, double *tensor, crease_error *e)
{
    if (!crs_cp_fit_settle(f, e) || !crs_cp_check_data(&f->s.model, tensor, &f->missing, e))
        return false;
    f->readings = 1;
    f->run = options_run(&f->s);
    crs_cp_fit_point(&f->s, tensor, NULL, &f->point);
    f->state = f->engine->open(f, tensor, e);
    if (!f->state) return false;
    f->point.mask = f->mask;
    f->s.model.mask = NULL;
    f->s.model.factor = NULL;
    if (!f->closed) adopt_rows(f);
    if (!allocate(f, e)) return false;
    f->report.seconds = f->progress.seconds = crs_now() - f->begun;
    return true;
}

crease_cp_fit *crease_cp_fit_new(const crease_cp_fit_settings *s, double *tensor, crease_error *e)
{
    crease_cp_fit *f = crs_alloc(1, sizeof *f);
    if (!f) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a fit");
        return NULL;
    }
    f->s = *s;
    f->begun = crs_now();
    f->now.block = f->residual[0];
    f->best.block = f->residual[1];
    f->best.worst = f->best.worst_relative = INFINITY;
    f->progress.potential = f->progress.decrease = NAN;
    f->report.bound = INFINITY;
    f->report.audit_worst = 0;
    if (build(f, tensor, e)) return f;
    crease_cp_fit_free(f);
    return NULL;
}

double crease_cp_fit_bytes(const crease_cp_fit_settings *s, bool missing, bool dense)
{
    crease_cp_fit_settings used = *s;
    crs_cp_point p;
    const crease_method m = s->run.method;
    const double tensor = 8 * (double)crease_size(&s->model.shape);
    used.model.unconstrained = m == CREASE_METHOD_BCD || m == CREASE_METHOD_PROX_BCD;
    crs_cp_fill_defaults(&used.model);
    crs_cp_fit_point(&used, NULL, NULL, &p);
    const ptrdiff_t room = crs_cp_room_size(&p, crs_cp_fit_threads(s));
    const double factors = 2 * (double)factors_size(&used.model);
    return tensor + 8 * ((double)room + factors) +
           crs_cp_fit_engine_for(&used)->bytes(&used, missing, dense);
}
