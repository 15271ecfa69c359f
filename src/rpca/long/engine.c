/* SPDX-License-Identifier: MIT
 * engine: a tensor whose first mode is very long: starts, rank and threshold from a sample of its
 * rows by the envelope, then Newton's method on the other factors with every row eliminated
 *
 * The factor of the first mode is made when a certificate needs it. */
#include "rpca/long/long.h"

enum { LEAST = 500000, MOST_SHORT = 100000, TALLER = 4 }; /* numbers of the factors; ratio */
static const double rough = 1e-5; /* relative residual of the sample's fit, which is only near */

typedef struct {
    crs_long *newton;
    double *first;   /* the factor of the first mode */
    ptrdiff_t shown; /* steps when it was made; -1: it was not */
} state;

static bool is_long(const crease_space *s, ptrdiff_t rank)
{
    ptrdiff_t columns = 1;
    if (s->order < 3 || rank < 1 || rank > CRS_TALL_MOST_RANK) return false;
    for (int n = 1; n < s->order; n++)
        if (crs_mul_size(columns, s->dim[n], &columns) && columns > MOST_SHORT) return false;
    const crs_partition cut = crs_partition_of(s);
    return cut.count > 1 && cut.mode == 0 && columns * rank <= MOST_SHORT &&
           s->dim[0] / TALLER >= columns && s->dim[0] >= LEAST / rank;
}

/* In the unit of its threshold where that is learned. */
static bool takes(const crease_cp_rpca_settings *m, double learn)
{
    const double c = crs_noise_share(m->alpha_noise);
    if (!m->penalty.ops) return true;
    crs_penalty_value rho = crs_penalty_of(m->penalty.penalty, m->penalty.par, m->alpha);
    if (learn > 0) rho = crs_envelope_with_threshold(&rho, 1, c);
    return crs_envelope_rule_of(&rho, m->alpha_noise).piecewise;
}

bool crs_long_suits(const crease_cp_fit_settings *s)
{
    const crease_cp_rpca_settings *m = &s->model;
    return !m->nonneg && !m->factor && is_long(&m->shape, m->rank) && takes(m, s->learn);
}

/* The same questions, of the sample, whose first mode is not long. */
static crease_cp_fit_settings sampled(const crease_cp_fit_settings *s)
{
    crease_cp_fit_settings own = *s;
    own.model.shape.dim[0] = crs_long_sampled(&s->model.shape);
    own.model.mask = NULL;
    own.model.missing = false;
    own.run.relative = true;
    own.run.eps = larger(s->run.relative ? s->run.eps : 0, rough);
    return own;
}

/* What the sample's fit has chosen and learned. */
static void adopt(crease_cp_fit *f, crease_cp_fit *sample)
{
    crease_cp_rpca_settings *m = &f->s.model;
    m->penalty = sample->s.model.penalty;
    m->alpha = sample->s.model.alpha;
    m->rank = sample->s.model.rank;
    f->terms = sample->terms;
    f->cuts = sample->cuts;
    f->cut = sample->cut;
    f->support = sample->support;
    f->pilot = sample->pilot;
    f->pilot.passes = f->pilot.readings = 1; /* the reading of the sample */
    sample->cut = NULL;
    sample->support = NULL;
    crs_cp_fit_point(&f->s, f->source, &f->point);
    f->point.own_rows = true;
}

static crs_long *go_on(crease_cp_fit *f, double *const *factor, crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    crs_long_settings c = { .shape = m->shape,
                            .rank = f->terms,
                            .penalty = f->point.rho,
                            .alpha_noise = m->alpha_noise,
                            .nu = m->ridge,
                            .threads = crs_cp_fit_threads(&f->s),
                            .eps = larger(f->s.run.relative ? 0.5 * f->s.run.eps : 1e-8, 1e-14),
                            .most = more(1, f->s.run.max_evaluations - f->pilot.passes),
                            .watch = &f->run.watch,
                            .factor = (const double *const *)factor };
    if (f->s.run.relative &&
        !crs_cp_objective(f->source, &c.penalty, c.alpha_noise, c.threads, &c.whole, e))
        return NULL;
    return crs_long_new(&c, f->source, e);
}

/* The columns of the terms alone, in place. */
static void narrow(ptrdiff_t rows, ptrdiff_t from, ptrdiff_t to, double *x)
{
    for (ptrdiff_t i = 0; from > to && i < rows; i++)
        for (ptrdiff_t r = 0; r < to; r++) x[i * to + r] = x[i * from + r];
}

static crs_long *explore(crease_cp_fit *f, crs_source *rows, crease_error *e)
{
    const crease_cp_fit_settings own = sampled(&f->s);
    crease_cp_fit *sample = crs_cp_fit_new_on(&own, rows, e);
    crs_long *newton = NULL;
    if (!sample) return NULL;
    crease_cp_fit_run(sample);
    if (sample->held->failure.code != CREASE_OK) {
        if (e) *e = sample->held->failure;
    } else {
        adopt(f, sample);
        for (int n = 1; n < own.model.shape.order; n++)
            narrow(own.model.shape.dim[n], f->s.model.rank, f->terms, sample->found[n]);
        newton = go_on(f, sample->found, e);
    }
    crease_cp_fit_free(sample);
    return newton;
}

static void close(void *self)
{
    state *s = self;
    crs_long_free(s->newton);
    crs_free(s->first);
    crs_free(s);
}

static void *open(crease_cp_fit *f, crease_error *e)
{
    f->a = f->own = crs_envelope_analysis(e);
    if (!f->own || !crs_cp_fit_open(f, e) || !crs_cp_fit_mask(f, e)) return NULL;
    state *s = crs_alloc(1, sizeof *s);
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a fit"), NULL;
    crs_source *rows = crs_long_sample(f->source, e);
    s->shown = -1;
    s->newton = rows ? explore(f, rows, e) : NULL;
    if (rows) rows->ops->close(rows);
    if (s->newton) s->first = crs_doubles(f->s.model.shape.dim[0] * f->terms, "the rows", e);
    if (s->first) return s;
    close(s);
    return NULL;
}

static crs_advance step(void *fit)
{
    crease_cp_fit *f = fit;
    crs_long *newton = ((state *)f->state)->newton;
    crease_error e = { .code = CREASE_OK };
    const crs_advance said = crs_long_step(newton, &e);
    if (said == CRS_BROKEN) crs_cp_fit_fails(f, &e);
    const crs_long_progress *at = crs_long_at(newton);
    f->run.progress.theta = NAN;
    f->run.progress.objective = at->value;
    f->run.progress.worst = at->violation;
    f->run.progress.worst_relative = at->worst;
    return said;
}

/* The rows are made for the point at hand. */
static void certify(void *fit, crease_certificate *c)
{
    crease_cp_fit *f = fit;
    state *s = f->state;
    crease_error e = { .code = CREASE_OK };
    crs_cp_release(f->source, f->held);
    const long steps = crs_long_at(s->newton)->steps;
    if (s->shown != steps && !crs_long_rows(s->newton, s->first, &e)) {
        crs_cp_fit_fails(f, &e);
        fill(f->s.model.shape.dim[0] * f->terms, NAN, s->first);
    }
    s->shown = steps;
    crs_cp_fit_certify(f, c);
}

static void visit(crs_visitor *v, void *fit)
{
    crease_cp_fit *f = fit;
    state *s = f->state;
    crs_cp_fit_visit(v, f);
    crs_long_visit(v, s->newton);
    if (crs_visit_reads(v)) s->shown = -1;
}

static long passes(const void *self) { return crs_long_at(((const state *)self)->newton)->passes; }

static const double *factor(const void *self, int n)
{
    const state *s = self;
    return n == 0 ? s->first : crs_long_factor(s->newton, n);
}

static double bytes(const crease_cp_fit_settings *s, bool missing, bool dense)
{
    const crease_cp_fit_settings own = sampled(s);
    const crease_space *shape = &s->model.shape;
    const double entries = (double)crease_size(&own.model.shape);
    const double first = 8 * (double)shape->dim[0] * (double)s->model.rank;
    const double pilot = larger(crease_cp_fit_bytes(&own, missing, dense), 48 * entries);
    const double rows = crs_long_bytes(shape, s->model.rank, crs_cp_fit_threads(s));
    return larger(pilot, larger(rows, 8 * first)); /* the checker's tables come last */
}

const crs_cp_engine crs_cp_long_engine = {
    .name = "rows",
    .run = { .step = step,
             .evaluations = crs_cp_fit_evaluations,
             .certify = certify,
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
