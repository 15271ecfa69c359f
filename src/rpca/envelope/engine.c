/* SPDX-License-Identifier: MIT
 * engine: the envelope's solver as an engine: E, Z, B and Lambda eliminated, nothing as
 * large as the tensor but the tensor; penalties by entries
 *
 * A pilot finds start, rank and threshold; then the solver goes on at the penalty that is asked
 * for until the certificate says so. */
#include "rpca/fit.h"
#include "rpca/observed/entries.h"

static const double usual = 3;        /* deviations that an outlier is beyond, for a pilot */
static const double without_bias = 2; /* the least for a penalty that is flat far out: it gives up
                                         5 % of the noise, and large outliers cost it nothing */

/* Of a tall matrix the pilot need not be close, as the run proper ends superlinearly. Its steps aim
 * below eps, which makes small terms beside large ones as sharp as these; they are not begun again
 * for that, as in a flat valley it would take more passes than all before. */
static const double rough = 1e-4, sharp = 0.1;
static const double rough_seen = 1e-2; /* by the share of the entries that were observed: residuals
                                          are relative to models of all of them */

static crs_envelope_solver_settings settings(const crease_cp_fit_settings *s)
{
    const crease_cp_rpca_settings *m = &s->model;
    crs_envelope_solver_settings c = crs_envelope_solver_default(&m->shape, m->rank);
    c.penalty = crs_penalty_of(m->penalty.penalty, m->penalty.par, m->alpha);
    c.learn = s->learn;
    c.alpha_noise = m->alpha_noise;
    c.nu = m->ridge;
    c.nonneg = m->nonneg;
    c.threads = crs_cp_fit_threads(s);
    c.prune = m->ridge == 0; /* a ridge that was asked for is a price per term already */
    c.seed = m->seed;
    c.eps = larger(s->run.relative ? 0.5 * s->run.eps : 1e-8, 1e-14);
    return c;
}

/* Where no entry can be an outlier there is no path to follow, and its ridge would leave nothing.
 */
static void mind_least_squares(const crease_cp_fit *f, crs_envelope_solver_settings *c)
{
    const double seen = (double)(crease_size(&c->shape) - f->missing);
    const double size = sqrt(f->source->facts.squares) / sqrt(seen);
    if (c->learn > 0) return;
    if (crs_envelope_threshold(&c->penalty, crs_noise_share(c->alpha_noise)) >= size)
        c->path = c->prune = false;
}

/* The penalty asked for, with the threshold as learned: of data without noise, what rounding may do
 * to the largest entry. */
static void adopt(crease_cp_fit *f, crs_cp_pilot *p)
{
    const double largest = f->source->facts.largest;
    if (f->s.learn > 0) p->report.threshold = larger(p->report.threshold, 1e-9 * largest);
    crease_cp_rpca_settings *m = &f->s.model;
    const double c = crs_noise_share(m->alpha_noise);
    f->cuts = m->rank - p->rank;
    f->terms = p->rank;
    f->support_passes = p->support_passes;
    if (f->s.prune) m->rank = p->rank;
    f->pilot = p->report;
    if (f->s.learn == 0) return;
    double k = crs_cp_threshold(p->report.share, f->s.learn);
    if (m->penalty.penalty != &crs_l1) k = larger(k, smaller(without_bias, f->s.learn));
    if (p->report.deviation > 0)
        f->pilot.threshold = larger(k * p->report.deviation, 1e-9 * largest);
    crs_penalty_value wanted = crs_penalty_of(m->penalty.penalty, m->penalty.par, 1);
    wanted = crs_envelope_with_threshold(&wanted, f->pilot.threshold, c);
    m->penalty = crease_separable(wanted.rho, wanted.par);
    m->alpha = wanted.weight;
}

static crs_envelope_solver *go_on(crease_cp_fit *f, const crs_cp_pilot *p, crease_error *e)
{
    double *const *factor = p->factor;
    crs_envelope_solver_settings c = settings(&f->s);
    c.rank = f->terms;
    if (p->closer > 0) c.eps = larger(1e-14, p->closer * c.eps);
    if (crs_envelope_solver_tall(&c)) {
        c.aim = sharp;
        c.most = more(1, f->s.run.max_evaluations - p->report.passes);
        c.watch = &f->run.watch;
    }
    c.learn = 0;
    c.path = c.prune = false;
    if (f->s.run.relative &&
        !crs_cp_objective(f->source, &c.penalty, c.alpha_noise, c.threads, &c.whole, e))
        return NULL;
    crs_envelope_solver *s = crs_envelope_solver_new(&c, f->source, e);
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

/* The paper's theorems, with their assumptions and parameters, are about other iterations. */
crease_analysis *crs_envelope_analysis(crease_error *e)
{
    crease_analysis *a = crs_alloc(1, sizeof *a);
    if (!a) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: an analysis"), NULL;
    a->method = CREASE_METHOD_ENVELOPE;
    a->mode = CREASE_MODE_PRACTICAL;
    a->theorem = "none on the number of steps: they descend, and the certificate decides";
    a->last = -1;
    a->L = a->M = a->L_last = a->sigma_last = a->map_scale = NAN;
    a->beta = a->gamma = a->ell = a->mu = NAN;
    a->slack = INFINITY;
    return a;
}

/* Of observed entries alone the start is there before the pilot, and with it the noise: a threshold
 * that is learned on the way falls for ever where rows have hardly more entries than terms. */
static bool sweep(const crease_cp_fit *f, crs_cp_pilot *p, double *const *own, crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    const double c = crs_noise_share(m->alpha_noise);
    const crs_listed_sweeps o = { .rank = m->rank,
                                  .ridge = m->ridge / (2 * c),
                                  .seed = m->seed,
                                  .nonneg = m->nonneg,
                                  .gaussian = m->start == CREASE_START_RANDOM };
    const crs_cp_view v = { .shape = m->shape,
                            .source = f->source,
                            .limit = INFINITY,
                            .threads = p->c.threads,
                            .readings = &p->report.readings,
                            .watch = p->c.watch };
    double deviation;
    if (!p->given) {
        if (!crs_listed_start(&v, &o, own, e)) return false;
        p->given = (const double *const *)own;
        p->given_name = "sweeps";
    }
    const double share = (double)f->source->listed->count / (double)crease_size(&m->shape);
    p->c.eps = larger(p->c.eps, smaller(rough, rough_seen * share));
    p->c.path = false;
    p->alone = true; /* other starts leave less only where they explain noise */
    if (p->c.learn == 0) return true;
    if (!crs_listed_noise(&v, &o, p->given, &deviation, e)) return false;
    if (!(deviation > 0)) return p->c.path = true;
    p->c.penalty = crs_envelope_l1(p->c.learn * deviation, c);
    p->c.learn = 0;
    return true;
}

/* Of data that are a list, and of tensors of which few entries were observed */
static bool swept(const crease_cp_fit *f)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    return crs_is_listed(f->source) ||
           (f->source->listed && m->shape.order > 2 && !m->factor && m->start == CREASE_START_AUTO);
}

/* Starts, rank and threshold; then the solver at the penalty that is asked for. */
static crs_envelope_solver *explore(crease_cp_fit *f, crs_cp_pilot *p, crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    crs_envelope_solver *solver = NULL;
    crease_cp_rpca *model = NULL;
    const bool listed = swept(f);
    double *memory = crs_doubles((listed ? 2 : 1) * factors_size(m), "the factors", e);
    double *at = memory, *own[CREASE_MAX_ORDER];
    for (int n = 0; memory && n < m->shape.order; n++) {
        p->factor[n] = at, at += m->shape.dim[n] * m->rank;
        own[n] = p->factor[n] + (listed ? factors_size(m) : 0);
    }
    p->cut = f->cut = memory ? crs_alloc((size_t)m->rank, sizeof *f->cut) : NULL;
    p->support = f->support = f->cut ? crs_alloc((size_t)m->rank, sizeof *f->support) : NULL;
    if (memory && !f->support) crs_fail(e, CREASE_NO_MEMORY, "out of memory: the terms' support");
    if (f->support && crs_cp_named_start(f, p, &model, e) && (!listed || sweep(f, p, own, e)) &&
        crs_cp_pilot_run(p, e) && crs_cp_support(p, e)) {
        adopt(f, p);
        crs_cp_fit_point(&f->s, f->source, &f->point);
        solver = go_on(f, p, e);
    }
    crs_free(memory);
    crs_cp_fit_model_free(model);
    return solver;
}

/* Where they are few, the observed entries alone are passed over. */
static bool list_observed(crease_cp_fit *f, crease_error *e)
{
    const crease_space *s = &f->s.model.shape;
    const ptrdiff_t observed = crease_size(s) - f->missing;
    if (!f->mask || observed == 0 || !crs_coordinates_suit(s, observed)) return true;
    f->data.source.listed = &f->listed;
    return crs_coordinates_open(&f->listed, s, f->tensor, f->mask, observed, e);
}

static void *open(crease_cp_fit *f, crease_error *e)
{
    const crease_options *o = &f->s.run;
    f->a = f->own = crs_envelope_analysis(e);
    if (!f->own || !crs_cp_fit_open(f, e) || !crs_cp_fit_mask(f, e) || !list_observed(f, e))
        return NULL;
    const long most = more(1, fewer(o->max_iterations, o->max_evaluations));
    crs_cp_pilot p = { .c = settings(&f->s),
                       .source = f->source,
                       .starts = f->s.starts,
                       .passes = 300,
                       .most = most };
    p.c.watch = &f->run.watch;
    p.c.most = most;
    if (crs_envelope_solver_tall(&p.c)) p.c.eps = larger(p.c.eps, rough);
    mind_least_squares(f, &p.c);
    if (p.c.learn == 0 && p.c.path && p.c.prune) p.c.learn = usual; /* start and rank */
    return explore(f, &p, e);
}

static crs_advance step(void *fit)
{
    crease_cp_fit *f = fit;
    const crs_envelope_status now = crs_envelope_solver_step(f->state);
    if (now == CRS_ENVELOPE_FAILED)
        return crs_cp_fit_fails(f, crs_envelope_solver_failure(f->state)), CRS_BROKEN;
    const crs_envelope_progress *at = crs_envelope_solver_progress(f->state);
    f->run.progress.theta = NAN;
    f->run.progress.objective = at->value;
    f->run.progress.worst = at->violation;
    f->run.progress.worst_relative = at->worst;
    return now == CRS_ENVELOPE_RUNNING ? CRS_GO_ON : CRS_DONE;
}

static void visit(crs_visitor *v, void *fit)
{
    crease_cp_fit *f = fit;
    crs_cp_fit_visit(v, f);
    crs_envelope_solver_visit(v, f->state);
}

static long passes(const void *solver) { return crs_envelope_solver_progress(solver)->passes; }

static const double *factor(const void *solver, int n)
{
    return crs_envelope_solver_factor(solver, n);
}

static void close(void *solver) { crs_envelope_solver_free(solver); }

/* At most, of entries that are less than one in four: the list, two residuals of each, and C of
 * every row at two points. */
static double listed_bytes(const crease_cp_rpca_settings *m)
{
    const double observed = (double)crease_size(&m->shape) / 4, rank = (double)m->rank;
    ptrdiff_t rows = 0;
    for (int n = 0; n < m->shape.order; n++) rows = more(rows, m->shape.dim[n]);
    return crs_coordinates_bytes(&m->shape, observed) + 16 * observed +
           8 * (double)rows * rank * (rank + 1);
}

static double bytes(const crease_cp_fit_settings *s, bool missing, bool dense)
{
    (void)dense; /* E is never stored */
    const crs_envelope_solver_settings c = settings(s);
    const double n = (double)crease_size(&s->model.shape);
    const double kept = (double)crs_envelope_solver_bytes(&c, NULL);
    if (kept < 0) return INFINITY;
    const double start = crs_cp_named_start_bytes(s, missing);
    return larger(kept + (missing ? 9 * n + listed_bytes(&s->model) : 0),
                  start > 0 ? n + start : 0);
}

const crs_cp_engine crs_cp_envelope_engine = {
    .name = "envelope",
    .run = { .step = step,
             .evaluations = crs_cp_fit_evaluations,
             .certify = crs_cp_fit_certify,
             .keep = crs_cp_fit_keep,
             .settle = crs_cp_fit_settle,
             .visit = visit,
             .at_end = true },
    .bytes = bytes,
    .open = open,
    .passes = passes,
    .factor = factor,
    .close = close,
};
