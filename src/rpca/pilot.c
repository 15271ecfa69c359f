/* SPDX-License-Identifier: MIT
 * pilot: starts compared, a bad one detected and replaced; l1's threshold for a share of outliers
 *
 * With a share p of outliers and the threshold k the variance of a fit is at worst
 *     V(k) = ((1-p) E min(z^2, k^2) + p k^2) / ((1-p) P(|z| <= k))^2,   z ~ N(0,1),
 * least at a k that falls with p: Huber, Robust estimation of a location parameter, 1964. A larger
 * k makes the sparse part sparser; the largest is taken whose error sqrt(V) is nearly least. */
#include <crease/random.h>
#include <crease/rpca_tools.h>

#include "reg/reg.h"
#include "rpca/start.h"

enum { STEPS = 64 };
static const double nearly = 1.03;

static double variance(double k, double p)
{
    const double inside = erf(k * sqrt(0.5)), density = exp(-k * k / 2) * 0.3989422804014327;
    const double clipped = inside - 2 * k * density + k * k * (1 - inside);
    return ((1 - p) * clipped + p * k * k) / square((1 - p) * inside);
}

double crs_cp_threshold(double share, double most)
{
    double least = INFINITY;
    int at = STEPS;
    if (!(share < 1)) return most;
    for (int q = 1; q <= STEPS; q++) least = smaller(least, variance(most * q / STEPS, share));
    while (at > 1 && variance(most * at / STEPS, share) > square(nearly) * least) at--;
    return most * at / STEPS;
}

/* Is something left in the residual of a CP model? Of an I x J matrix of independent noise of
 * variance v the largest singular value is sqrt(v) (sqrt(I) + sqrt(J)), nearly; a term that the
 * model lacks stands out above it, whatever the size of the noise (Johnstone 2001). Outliers are
 * cut at 3 median|T - M|, where they look like noise. */
enum {
    GRAM = 100,
    SKETCH = 11,
    SKETCH_STREAM = 64
}; /* longest mode with a Gram matrix; columns of q */
static const double cut_at = 3;

/* The modes that slabs do not cut, whose unfoldings are measured together. */
typedef struct {
    const crs_cp_view *v;
    crs_cp_measure m;
    double *w[CREASE_MAX_ORDER], *q[CREASE_MAX_ORDER]; /* q NULL: w is a Gram matrix */
    double top[CREASE_MAX_ORDER];                      /* largest eigenvalue of V_(n) V_(n)' */
    double *work, *memory;
} spectra;

static bool open_spectra(const crs_cp_view *v, spectra *l, crease_error *e)
{
    const crease_space *s = &v->shape;
    ptrdiff_t size = 0, work = 0;
    *l = (spectra){ .v = v };
    for (int n = v->source->cut.mode + 1; n < s->order; n++) {
        const ptrdiff_t I = s->dim[n], p = I > GRAM ? SKETCH : I;
        l->m.columns[n] = p;
        size += 2 * I * p;
        work = more(work, I > GRAM ? p + p * p + crs_svd_scratch(I, p) : I + crs_eigh_scratch(I));
    }
    l->work = l->memory = crs_doubles(size + work + 1, "a test of the residual", e);
    double *at = l->memory + work;
    for (int n = 0; l->memory && n < s->order; n++) {
        const ptrdiff_t size_of = s->dim[n] * l->m.columns[n];
        const crease_random random = { 0, (uint64_t)(SKETCH_STREAM + n) };
        l->w[n] = at, at += size_of;
        if (size_of > 0 && s->dim[n] > GRAM) l->m.q[n] = l->q[n] = at;
        for (ptrdiff_t j = 0; l->q[n] && j < size_of; j++)
            l->q[n][j] = crease_random_normal(random, (uint64_t)j);
        at += size_of;
    }
    return l->memory;
}

/* From w: the largest eigenvalue, and the next q */
static bool largest_of(spectra *l, int n)
{
    const ptrdiff_t I = l->v->shape.dim[n], p = l->m.columns[n];
    double *values = l->work, *rest = values + p;
    const bool done = l->q[n] ? crs_svd(I, p, l->w[n], l->q[n], values, rest, rest + p * p)
                              : crs_eigh(I, l->w[n], values, NULL, rest);
    l->top[n] = done ? values[l->q[n] ? 0 : I - 1] : NAN;
    return done;
}

/* The largest eigenvalues: of a long mode by two steps of subspace iteration */
static bool tops(spectra *l, double *mean, crease_error *e)
{
    const int d = l->v->shape.order;
    bool again = true, done = true;
    double squares = 0;
    for (int step = 0; step < 2 && again && done; step++) {
        if (!crs_view_measure(l->v, &l->m, l->w, step ? NULL : &squares, e)) return false;
        *mean = squares / (double)crease_size(&l->v->shape);
        again = false;
        for (int n = 0; *mean > 0 && n < d; n++) {
            if (l->m.columns[n]) done = done && largest_of(l, n);
            if (!l->q[n]) l->m.columns[n] = 0;
            again = again || l->q[n];
        }
    }
    return done || crs_fail(e, CREASE_NUMERICAL_FAILURE,
                            "the singular values of the residual did not converge; rescale the "
                            "tensor");
}

static bool residual_structure(const crs_cp_view *data, ptrdiff_t rank, const double *const *factor,
                               double *structure, crease_error *e)
{
    crs_kruskal k = { .shape = data->shape, .rank = rank };
    crs_cp_view v = *data;
    spectra l;
    double median, mean = 0;
    *structure = 0;
    v.model = &k;
    for (int n = 0; n < v.shape.order; n++) k.factor[n] = factor[n];
    if (!crs_view_check(&v, e) || !crs_view_median(&v, &median, e)) return false;
    v.limit = cut_at * median;
    v.residual = true;
    const bool done = open_spectra(&v, &l, e) && tops(&l, &mean, e);
    for (int n = 1; done && mean > 0 && n < v.shape.order; n++) {
        const double I = (double)v.shape.dim[n], J = (double)crease_size(&v.shape) / I;
        *structure = larger(*structure, l.top[n] / (mean * square(sqrt(I) + sqrt(J))));
    }
    crs_free(l.memory);
    return done;
}

bool crease_cp_structure(const crease_cp_fit_request *r, const double *const *factor,
                         double *structure, crease_error *e)
{
    crs_observed o;
    const crs_cp_view v = { .shape = r->shape, .source = &o.data.source, .readings = r->readings };
    const bool done = crs_observe(&r->shape, r->tensor, r->mask, &o, e) &&
                      residual_structure(&v, r->rank, factor, structure, e);
    crs_observed_close(&o);
    return done;
}

enum { MORE = 3 };                  /* further starts while the fit is bad */
static const double telling = 1.5;  /* above: the residual holds a term */
static const double as_good = 1.02; /* deviations that count as equal */
static const double missed = 0.3;  /* median|T - M| in median|T| of a start that outliers spoiled */
static const double crowded = 1.1; /* median|r| in deviations: a third of T or more is outliers */
static const double alike = 1.5;   /* deviations of two starts that support each other then */
static const double near_threshold = 1; /* the path's threshold then, in medians of |r| */

typedef struct {
    crs_cp_pilot *p;
    crs_envelope_solver *solver;
    crs_cp_view view; /* the data */
    crs_cp_sample sample;
    double deviation; /* of the answer at hand */
    double second;    /* least deviation but one */
    double *trial[CREASE_MAX_ORDER];
    double *memory;
    const char *start; /* its name */
    bool tall;   /* a matrix whose rows are eliminated: no term has a price beside which others are
                    small, and what moves before a background leaves structure of its own */
    bool listed; /* few entries were observed, and rows are eliminated likewise: in what is 0 where
                    nothing was observed terms do not stand out, nor does one dwarf the others */
} runner;

static bool open(runner *r, crs_cp_pilot *p, crease_error *e)
{
    const crease_space *s = &p->c.shape;
    ptrdiff_t all = 0;
    *r = (runner){ .p = p, .second = INFINITY, .tall = crs_envelope_solver_tall(&p->c) };
    r->listed = p->source->listed && (!p->c.nonneg || crs_is_listed(p->source));
    for (int n = 0; n < s->order; n++) all += s->dim[n] * p->c.rank;
    double *at = r->memory = crs_doubles(all, "starts", e);
    if (!r->memory) return false;
    for (int n = 0; n < s->order; n++) r->trial[n] = at, at += s->dim[n] * p->c.rank;
    r->view = (crs_cp_view){ .shape = *s,
                             .source = p->source,
                             .limit = INFINITY,
                             .checked = true,
                             .threads = p->c.threads,
                             .readings = &p->report.readings,
                             .watch = p->c.watch };
    if (!crs_cp_sample_open(&r->sample, &r->view, e)) return false;
    r->view.sample = &r->sample;
    r->solver = crs_envelope_solver_new(&p->c, p->source, e);
    return r->solver;
}

static void close(runner *r)
{
    crs_envelope_solver_free(r->solver);
    crs_cp_sample_close(&r->sample);
    crs_free(r->memory);
}

static const char *start_name(int q)
{
    static const char *const name[] = { "gevd", "gevd-clipped", "singular-clipped", "random" };
    return name[q < CRS_CP_RANDOM_START ? q : CRS_CP_RANDOM_START];
}

/* Start q: the caller's, then the family's. */
static bool begin(runner *r, int q, crease_error *e)
{
    const crs_cp_pilot *p = r->p;
    const crs_cp_gevd_options o = { .rank = p->c.rank,
                                    .cut = p->c.prune && !p->c.nonneg && !r->tall,
                                    .seed = p->c.seed,
                                    .clip = p->clip };
    const bool own = p->given && q == 0;
    const int member = crs_cp_start_after(p->first, p->given ? q - 1 : q);
    const double *const *x = (const double *const *)r->trial;
    r->start = own ? p->given_name : crs_is_listed(p->source) ? "sweeps" : start_name(member);
    if (crease_watch_phase(p->c.watch) == CREASE_PHASE_START)
        crs_watch_say(p->c.watch, "start %d: %s", q + 1, r->start);
    if (own)
        x = p->given;
    else if (!crs_cp_start_of(&r->view, &o, member, r->trial, e))
        return false;
    for (int n = 0; p->c.nonneg && x == (const double *const *)r->trial && n < p->c.shape.order;
         n++)
        for (ptrdiff_t j = 0; j < p->c.shape.dim[n] * p->c.rank; j++)
            r->trial[n][j] = fabs(r->trial[n][j]);
    return crs_envelope_solver_start(r->solver, p->c.rank, x, e);
}

/* Is the first start of the family spoiled by outliers? Then the path has to begin below them. */
static bool spoiled(runner *r, int q, bool *answer, crease_error *e)
{
    double data;
    *answer = false;
    if (q > 0 || r->p->given || r->p->named) return true;
    if (!crs_view_median(&r->view, &data, e)) return false;
    if (crs_envelope_solver_step(r->solver) == CRS_ENVELOPE_FAILED) {
        if (e) *e = *crs_envelope_solver_failure(r->solver);
        return false;
    }
    *answer = !(crs_envelope_solver_progress(r->solver)->median <= missed * data);
    if (*answer)
        crs_envelope_solver_follow(r->solver, smaller(near_threshold, r->p->c.threshold_factor));
    return true;
}

bool crs_cp_pilot_late(const void *pilot, long passes)
{
    const crs_cp_pilot *p = pilot;
    if (p->most == 0 || p->report.passes + passes < p->most) return crease_watch_over(p->c.watch);
    crs_unit_note(p->c.watch);
    crs_unit_cut(p->c.watch);
    return true;
}

static bool lead(runner *r, crease_error *e)
{
    const long before = crs_envelope_solver_progress(r->solver)->passes;
    if (!crs_envelope_solver_lead(r->solver, before + r->p->passes, crs_cp_pilot_late, r->p, e))
        return false;
    r->deviation = crs_envelope_solver_deviation(r->solver);
    return true;
}

static void factors_of(const crs_envelope_solver *s, int order, const double **x)
{
    for (int n = 0; n < order; n++) x[n] = crs_envelope_solver_factor(s, n);
}

/* Does the residual of the answer still hold a term, has the path not ended, or does a fit among
 * many outliers stand alone? */
static bool bad(const runner *r, bool *answer, crease_error *e)
{
    const crs_cp_pilot *p = r->p;
    const double *x[CREASE_MAX_ORDER];
    const crs_envelope_progress *at = crs_envelope_solver_progress(r->solver);
    double found = 0;
    factors_of(r->solver, p->c.shape.order, x);
    if (p->alone) return *answer = false, true;
    if (!r->tall && !r->listed && !residual_structure(&r->view, at->rank, x, &found, e))
        return false;
    *answer =
        !(found <= telling) || at->status == CRS_ENVELOPE_RUNNING ||
        (at->median > crowded * r->deviation && !(r->second <= alike * r->p->report.deviation));
    return true;
}

static void keep(runner *r)
{
    crs_cp_pilot *p = r->p;
    const crs_envelope_progress *at = crs_envelope_solver_progress(r->solver);
    p->rank = at->rank;
    p->value = at->value;
    p->penalty = *crs_envelope_solver_penalty(r->solver);
    p->report.deviation = r->deviation;
    p->report.threshold = at->threshold;
    p->report.start = r->start;
    p->report.share = crs_envelope_solver_share(r->solver);
    for (ptrdiff_t k = 0; p->cut && k < p->c.rank - p->rank; k++)
        p->cut[k] = crs_envelope_solver_cuts(r->solver)[k];
    for (int n = 0; n < p->c.shape.order; n++)
        copy(p->c.shape.dim[n] * at->rank, crs_envelope_solver_factor(r->solver, n), p->factor[n]);
}

/* The best is kept; those as good as it must agree with it, or the model is not unique. */
static bool compare(runner *r, crease_error *e)
{
    crs_cp_pilot *p = r->p;
    const ptrdiff_t rank = crs_envelope_solver_progress(r->solver)->rank;
    const double *x[CREASE_MAX_ORDER];
    const double deviation = r->deviation, best = p->report.deviation;
    double score;
    factors_of(r->solver, p->c.shape.order, x);
    if (p->report.starts == 1) return keep(r), true;
    p->report.spread = larger(p->report.spread, fabs(deviation / best - 1));
    if (deviation <= as_good * best && best <= as_good * deviation) {
        if (!crease_cp_match(&p->c.shape, rank, x, p->rank, (const double *const *)p->factor,
                             &score, e))
            return false;
        p->report.agreement =
            isnan(p->report.agreement) ? score : smaller(p->report.agreement, score);
    }
    r->second = smaller(r->second, larger(deviation, best));
    if (deviation < best) keep(r);
    return true;
}

/* The readings since the solver's last start. */
static void count(runner *r)
{
    const long passes = crs_envelope_solver_progress(r->solver)->passes;
    r->p->report.passes += passes;
    r->p->report.readings += passes;
}

/* From start q, or the one after it where outliers have spoiled the first. */
static bool pursue(runner *r, int *q, crease_error *e)
{
    bool again;
    if (!begin(r, *q, e) || !spoiled(r, *q, &again, e)) return false;
    if (again) {
        count(r);
        if (r->p->starts == 0) ++*q;
        if (!begin(r, *q, e)) return false;
    }
    if (!lead(r, e)) return false;
    count(r);
    r->p->report.starts++;
    return compare(r, e);
}

/* Is F of the solver's answer below that of the one that is kept, at one threshold for both? */
static bool lower(const runner *r, bool *answer, crease_error *e)
{
    const crs_cp_pilot *p = r->p;
    const crs_envelope_settings c = { .shape = p->c.shape,
                                      .rank = p->c.rank,
                                      .alpha_noise = p->c.alpha_noise,
                                      .threads = p->c.threads };
    const crs_penalty_value huber = crs_envelope_l1(2 * smaller(r->deviation, p->report.deviation),
                                                    crs_noise_share(c.alpha_noise));
    const double *x[CREASE_MAX_ORDER];
    crs_envelope *pass = crs_envelope_new(&c, p->source, e);
    crs_envelope_sums *sums = pass ? crs_alloc(2, sizeof *sums) : NULL;
    if (pass && !sums) crs_fail(e, CREASE_NO_MEMORY, "out of memory: sums of two answers");
    factors_of(r->solver, c.shape.order, x);
    const bool done = sums &&
                      crs_envelope_evaluate(pass, p->rank, (const double *const *)p->factor, &huber,
                                            &huber, sums, e) &&
                      crs_envelope_evaluate(pass, crs_envelope_solver_progress(r->solver)->rank, x,
                                            &huber, &huber, sums + 1, e);
    *answer = done && sums[1].value < sums[0].value;
    crs_free(sums);
    crs_envelope_free(pass);
    return done;
}

/* Of a tall matrix that is nearly one term: once more from medians. */
static bool from_medians(runner *r, bool *again, crease_error *e)
{
    crs_cp_pilot *p = r->p;
    const crs_cp_gevd_options o = { .rank = p->c.rank, .seed = p->c.seed };
    bool suits, better;
    if (p->c.rank < 2 || crs_cp_pilot_late(p, 0)) return true;
    if (!crs_cp_median_start(&r->view, &o, r->trial, &suits, e)) return false;
    if (!suits) return true;
    r->start = "medians";
    if (!crs_envelope_solver_start(r->solver, o.rank, (const double *const *)r->trial, e))
        return false;
    if (!lead(r, e)) return false;
    count(r);
    p->report.starts++;
    p->report.passes += 2;
    p->report.readings += 2;
    if (!lower(r, &better, e)) return false;
    if (better) keep(r);
    return !better || !*again || bad(r, again, e);
}

/* Is there a better answer beside a term that dwarfs the others? Then no further start. */
static bool apart(runner *r, bool *again, crease_error *e)
{
    bool better = r->p->starts == 0 && *again; /* the answer is bad */
    if (r->p->alone || r->listed) return true;
    if (r->tall) return r->p->starts > 0 || r->p->given || from_medians(r, again, e);
    if (!crs_cp_dominant(r->p, &r->view, &better, e)) return false;
    *again = *again && !better;
    return true;
}

void crs_cp_pilot_visit(crs_visitor *v, void *pilot)
{
    crs_cp_pilot *p = pilot;
    for (int n = 0; n < p->c.shape.order; n++)
        crs_visits(v, p->factor[n], p->c.shape.dim[n] * p->c.rank);
    crs_visit(v, p->rank);
    if (p->cut) crs_envelope_visit_cuts(v, p->c.rank, p->cut);
    if (p->support) crs_visits(v, p->support, p->c.rank);
    crs_visit(v, p->support_passes);
    crs_visit(v, p->value);
    crs_visit(v, p->closer);
    crs_envelope_visit_penalty(v, &p->c.penalty, &p->penalty);
    crs_visit(v, p->report.deviation);
    crs_visit(v, p->report.threshold);
    crs_visit(v, p->report.share);
    crs_visit(v, p->report.starts);
    crs_visit(v, p->report.passes);
    crs_visit(v, p->report.readings);
    crs_visit(v, p->report.agreement);
    crs_visit(v, p->report.spread);
    crs_visit_text(v, "start", &p->report.start);
}

static bool explore(crs_cp_pilot *p, crease_error *e)
{
    runner r;
    p->report = (crease_cp_pilot){ .agreement = NAN };
    bool done = open(&r, p, e), again = true;
    for (int q = 0; done && again && (q == 0 || !crs_cp_pilot_late(p, 0)); q++) {
        done = pursue(&r, &q, e);
        if (done && p->starts > 0) again = q + 1 < p->starts;
        if (crs_cp_pilot_late(p, 0)) break;
        if (done && p->starts == 0) done = bad(&r, &again, e), again = again && q < MORE;
        if (done && p->report.starts == 1) done = apart(&r, &again, e);
    }
    close(&r);
    return done;
}

bool crs_cp_pilot_run(crs_cp_pilot *p, crease_error *e)
{
    crease_watch *w = p->c.watch;
    if (crs_unit_begin(w, "pilot", CRS_UNIT_WHOLE, crs_cp_pilot_visit, p) == CRS_UNIT_DONE)
        return true;
    const bool done = explore(p, e);
    (done ? crs_unit_end : crs_unit_drop)(w);
    return done;
}
