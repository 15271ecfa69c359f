/* SPDX-License-Identifier: MIT
 * engine: the envelope's solver as an engine: E, Z, B and Lambda eliminated, nothing as
 * large as the tensor but the tensor; penalties by entries
 *
 * A pilot finds start, rank and threshold; then the solver goes on at the penalty that is asked
 * for until the certificate says so. */
#include "rpca/fit.h"
#include "rpca/start.h"

static const double usual = 3;        /* deviations that an outlier is beyond, for a pilot */
static const double without_bias = 2; /* the least for a penalty that is flat far out: it gives up
                                         5 % of the noise, and large outliers cost it nothing */

typedef struct {
    crs_envelope_solver *solver;
} state;

static crs_envelope_solver_settings settings(const crease_cp_fit_settings *s,
                                             const unsigned char *mask)
{
    const crease_cp_rpca_settings *m = &s->model;
    crs_envelope_solver_settings c = crs_envelope_solver_default(&m->shape, m->rank);
    c.face = (crs_envelope_face){ .penalty = m->penalty.penalty, .alpha = m->alpha };
    copy(CREASE_PARS, m->penalty.par, c.face.par);
    c.learn = s->learn;
    c.alpha_noise = m->alpha_noise;
    c.nu = m->ridge;
    c.mask = mask;
    c.nonneg = m->nonneg;
    c.threads = crs_cp_fit_threads(s);
    c.seed = m->seed;
    c.eps = larger(s->run.relative ? 0.5 * s->run.eps : 1e-8, 1e-14);
    return c;
}

/* Where no entry can be an outlier there is no path to follow, and its ridge would leave nothing.
 */
static void mind_least_squares(const crease_cp_fit *f, const double *tensor,
                               crs_envelope_solver_settings *c)
{
    const ptrdiff_t n = crease_size(&c->shape);
    const double size = crs_norm(n, tensor) / sqrt((double)(n - f->missing));
    if (c->learn > 0) return;
    if (crs_envelope_threshold(&c->face, c->alpha_noise / (1 + c->alpha_noise)) >= size)
        c->path = c->prune = false;
}

/* The penalty asked for, with the threshold as learned: of data without noise, what rounding may do
 * to the largest entry. */
static void adopt(crease_cp_fit *f, const double *tensor, crs_cp_pilot *p)
{
    double largest = 0;
    for (ptrdiff_t j = 0, n = crease_size(&p->c.shape); j < n; j++)
        largest = larger(largest, fabs(tensor[j]));
    if (f->s.learn > 0) p->report.threshold = larger(p->report.threshold, 1e-9 * largest);
    crease_cp_rpca_settings *m = &f->s.model;
    const double c = m->alpha_noise / (1 + m->alpha_noise);
    m->rank = p->rank;
    f->pilot = p->report;
    if (f->s.learn == 0) return;
    double k = crs_cp_threshold(p->report.share, f->s.learn);
    if (m->penalty.penalty != &crs_l1) k = larger(k, smaller(without_bias, f->s.learn));
    if (p->report.deviation > 0)
        f->pilot.threshold = larger(k * p->report.deviation, 1e-9 * largest);
    crs_envelope_face wanted = { .penalty = m->penalty.penalty };
    copy(CREASE_PARS, m->penalty.par, wanted.par);
    wanted = crs_envelope_with_threshold(&wanted, f->pilot.threshold, c);
    m->penalty = crease_separable(wanted.penalty, wanted.par);
    m->alpha = wanted.alpha;
}

static crs_envelope_solver *go_on(crease_cp_fit *f, const double *tensor, double *const *factor,
                                  crease_error *e)
{
    crs_envelope_solver_settings c = settings(&f->s, f->mask);
    c.learn = 0;
    c.path = c.prune = false;
    crs_envelope_solver *s = crs_envelope_solver_new(&c, tensor, e);
    if (s && crs_envelope_solver_start(s, c.rank, (const double *const *)factor, e)) return s;
    crs_envelope_solver_free(s);
    return NULL;
}

static ptrdiff_t factors_size(const crease_cp_rpca_settings *m)
{
    ptrdiff_t all = 0;
    for (int n = 0; n < m->shape.order; n++) all += m->shape.dim[n] * m->rank;
    return all;
}

/* What is known of the problem; the paper's theorems are about other iterations. */
static crease_analysis *analyse(const crease_cp_fit *f, crease_error *e)
{
    crease_analysis *a = crs_cp_fit_analyse(f, e);
    if (!a) return NULL;
    a->method = CREASE_METHOD_ENVELOPE;
    a->theorem = "none on the number of steps: they descend, and the certificate decides";
    a->guarantee = false;
    a->beta = a->gamma = a->ell = a->mu = NAN;
    a->slack = INFINITY;
    return a;
}

static void *open(crease_cp_fit *f, double *tensor, crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    crease_cp_rpca *shell = NULL;
    if (!crs_cp_fit_mask(f, tensor, e)) return NULL;
    crs_cp_pilot p = { .c = settings(&f->s, f->mask),
                       .tensor = tensor,
                       .starts = f->s.starts,
                       .until = f->begun + f->s.run.max_seconds,
                       .stop = f->s.stop,
                       .user = f->s.user,
                       .passes = f->s.run.max_iterations < 300 ? f->s.run.max_iterations : 300 };
    mind_least_squares(f, tensor, &p.c);
    if (p.c.learn == 0 && p.c.path && p.c.prune) p.c.learn = usual; /* start and rank */
    state *s = crs_alloc(1, sizeof *s);
    double *memory = crs_doubles(factors_size(m), "the factors", e), *at = memory;
    for (int n = 0; memory && n < m->shape.order; n++)
        p.factor[n] = at, at += m->shape.dim[n] * m->rank;
    f->a = f->own = analyse(f, e);
    if (s && memory && f->own && crs_cp_named_start(f, tensor, &p, &shell, e) &&
        crs_cp_pilot_run(&p, e)) {
        adopt(f, tensor, &p);
        crs_cp_fit_point(&f->s, tensor, f->mask, &f->point);
        s->solver = go_on(f, tensor, p.factor, e);
    } else if (!s) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a fit");
    }
    crs_free(memory);
    crs_cp_fit_shell_free(shell);
    if (s && s->solver) return s;
    crs_free(s);
    return NULL;
}

static crease_outcome step(void *self)
{
    const state *s = self;
    return crs_envelope_solver_step(s->solver) == CRS_ENVELOPE_RUNNING ? CREASE_NOT_RUN
                                                                       : CREASE_STATIONARY;
}

static double theta(const void *self) { return (void)self, NAN; }

static void tell(const void *self, crease_progress *p)
{
    const crs_envelope_progress *at = crs_envelope_solver_progress(((const state *)self)->solver);
    p->objective = at->value;
    p->worst = at->violation;
}

static long readings(const void *self)
{
    return crs_envelope_solver_progress(((const state *)self)->solver)->passes;
}

static const double *factor(const void *self, int n)
{
    return crs_envelope_solver_factor(((const state *)self)->solver, n);
}

static void close(void *self)
{
    state *s = self;
    crs_envelope_solver_free(s->solver);
    crs_free(s);
}

static double bytes(const crease_cp_fit_settings *s, bool missing, bool dense)
{
    (void)dense; /* E is never stored */
    const crs_envelope_solver_settings c = settings(s, NULL);
    const double n = (double)crease_size(&s->model.shape);
    const double kept = (double)crs_envelope_solver_bytes(&c, NULL);
    if (kept < 0) return INFINITY;
    return larger(kept + (missing ? 9 * n : 0), n + crs_cp_named_start_bytes(s, missing));
}

const crs_cp_engine crs_cp_envelope_engine = {
    .name = "envelope",
    .bytes = bytes,
    .open = open,
    .step = step,
    .theta = theta,
    .tell = tell,
    .readings = readings,
    .factor = factor,
    .close = close,
};
