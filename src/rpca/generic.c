/* SPDX-License-Identifier: MIT
 * generic: the solver of any problem as an engine: groups, weights, nonnegative factors
 *
 * It stops for nobody: limits and certificates are the fit's. Its answer is its own best iterate,
 * which is known at the iterations the fit looks at, because both certify at the same ones. */
#include <string.h>

#include "rpca/fit.h"

typedef struct {
    crease_cp_rpca *model;
    crease_solver *solver;
} generic;

static void close(void *self)
{
    generic *g = self;
    if (!g) return;
    crease_solver_free(g->solver);
    crease_cp_rpca_free(g->model);
    crs_free(g);
}

static crease_options endless(const crease_cp_fit *f)
{
    const crease_options usual = crease_options_default();
    crease_options o = f->o;
    o.eps = 0;
    o.theta = 0;
    o.max_iterations = 2000000000;
    o.max_seconds = usual.max_seconds;
    o.max_evaluations = 2000000000;
    return o;
}

static void *open(crease_cp_fit *f, crease_error *e)
{
    crease_options o = endless(f);
    o.watch = NULL; /* this run ends it */
    generic *g = crs_alloc(1, sizeof *g);
    if (!g) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a fit");
        return NULL;
    }
    g->model = crease_cp_rpca_new(&f->s.model, f->tensor, e);
    if (g->model && crs_cp_fit_mask(f, e))
        g->solver = crease_solver_new(crease_cp_rpca_problem(g->model), &o, e);
    if (!g->solver) {
        close(g);
        return NULL;
    }
    crs_solver_watch(g->solver, &f->run.watch);
    f->a = crease_solver_analysis(g->solver);
    if (!crs_cp_fit_scalar(&f->s.model))
        f->point.whole = crease_cp_rpca_problem(g->model)->block[f->s.model.shape.order].reg;
    if (crs_cp_fit_open(f, e)) return g;
    close(g);
    return NULL;
}

static crs_advance step(void *fit)
{
    crease_cp_fit *f = fit;
    const generic *g = f->state;
    const crease_outcome o = crease_step(g->solver);
    const crease_progress p = crease_solver_progress(g->solver);
    const crease_report r = crease_solver_report(g->solver);
    crease_report *to = &f->run.report;
    f->run.progress.theta = p.theta;
    f->run.progress.potential = p.potential;
    f->run.progress.decrease = p.decrease;
    to->audit_violations = r.audit_violations;
    to->audit_worst = r.audit_worst;
    to->accelerated = r.accelerated;
    memcpy(to->note, r.note, sizeof to->note);
    return o == CREASE_NOT_RUN ? CRS_GO_ON : o == CREASE_STATIONARY ? CRS_DONE : CRS_BROKEN;
}

static void visit(crs_visitor *v, void *fit)
{
    crease_cp_fit *f = fit;
    crs_cp_fit_visit(v, f);
    crs_solver_visit(v, ((const generic *)f->state)->solver);
}

static const double *factor(const void *self, int n)
{
    return crease_solution(((const generic *)self)->solver, n);
}

static void sparse(const void *self, ptrdiff_t first, ptrdiff_t count, double *out)
{
    const generic *g = self;
    const crease_problem *p = crease_cp_rpca_problem(g->model);
    const int E = p->block[p->count - 1].name[0] == 'B' ? p->count - 3 : p->count - 2;
    const crs_slabs grid = crs_cp_rows(&p->space[E], 1);
    copy(count * grid.right, crease_solution(g->solver, E) + first * grid.right, out);
}

/* Six points, multiplier and residual four times, eleven work vectors, E and Lambda twice; the
 * kernels' memory for a start (in the model's), a step and a certificate. */
static double bytes(const crease_cp_fit_settings *s, bool missing, bool dense)
{
    (void)dense;
    const crease_cp_rpca_settings *m = &s->model;
    const double n = (double)crease_size(&m->shape), tensors = m->unconstrained ? 2 : 3;
    crease_cp_rpca_settings c = *m;
    double factors = 0;
    c.missing = missing;
    for (int k = 0; k < m->shape.order; k++) factors += (double)m->shape.dim[k] * (double)m->rank;
    const crease_cp_data cp = { .shape = m->shape, .rank = m->rank, .z = -1 };
    const crease_smooth f = crease_cp(&cp);
    const double kernels = 2 * (double)crease_smooth_scratch(&f, &(crease_blocks){ 0, NULL, NULL });
    const double model = (double)crease_cp_rpca_size(&c);
    if (model < 0) return INFINITY;
    return 8 * (6 * (tensors * n + factors) + 15 * n + 2 * n + model + kernels) + (missing ? n : 0);
}

const crs_cp_engine crs_cp_generic_engine = {
    .name = "generic",
    .run = { .step = step,
             .evaluations = crs_cp_fit_evaluations,
             .certify = crs_cp_fit_certify,
             .keep = crs_cp_fit_keep,
             .settle = crs_cp_fit_settle,
             .visit = visit },
    .bytes = bytes,
    .open = open,
    .factor = factor,
    .sparse = sparse,
    .close = close,
};
