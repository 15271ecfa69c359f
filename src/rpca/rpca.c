/* SPDX-License-Identifier: MIT
 * rpca: the one handle of robust PCA: what the settings leave open is chosen here, cp is run by its
 * engines (fit.c), the other kinds as problems that start at a robust fit (tucker/); then what was
 * found, row by row, and what is known of it */
#include "core/parallel.h"
#include "rpca/fit.h"
#include "rpca/tucker/tucker.h"
#include "smooth/fit.h"

static const double threshold_factor = 3; /* robust deviations that an outlier is beyond */
static const double most_work = 5e7;      /* entries times terms of one fit of a rank sweep */
enum { SAMPLE = 1 << 15 };                /* entries whose median is taken */

struct crease_rpca {
    crease_rpca_settings s; /* everything filled in */
    crease_options o;
    crease_cp_fit *cp;         /* NULL of the other kinds: */
    crease_tucker_rpca *model; /* the problem and its start */
    crease_solver *solver;
    double *lowrank; /* of the other kinds */
    crease_cp_rank_table *ranks;
    crease_rpca_facts facts;
    crease_report report;
    crease_progress progress;
    bool counted; /* the facts are those of the answer */
};

void crease_rpca_init(crease_rpca_settings *s, size_t size, const crease_space *shape)
{
    const crease_rpca_settings own = { .shape = *shape,
                                       .penalty = crease_l1(1),
                                       .learn = threshold_factor,
                                       .alpha_noise = 1,
                                       .sweeps = 20 };
    crs_settings_give(s, size, &own, sizeof own);
}

void crease_rpca_options_init(crease_options *o, size_t size)
{
    crease_options own = crease_options_default();
    own.relative = 1;
    crs_settings_give(o, size, &own, sizeof own);
}

static bool take(const crease_rpca_settings *s, const crease_options *o, crease_rpca *r,
                 crease_error *e)
{
    const crease_space none = { .order = 0 };
    r->s = crease_rpca_default(&none);
    r->o = crease_rpca_options();
    if (!crs_settings_take("rpca", &r->s, sizeof r->s, s, e)) return false;
    r->facts.rank_asked = r->s.kind == CREASE_RPCA_CP ? r->s.rank : 0;
    return crs_settings_take("options", &r->o, sizeof r->o, o, e) && crease_options_check(&r->o, e);
}

/* Without a number for alpha the envelope learns a threshold; the other engines do not read it. */
static crease_cp_fit_settings cp_settings(const crease_rpca_settings *s, const crease_options *o)
{
    return (crease_cp_fit_settings){ .model = { .shape = s->shape,
                                                .rank = s->rank,
                                                .penalty = s->penalty,
                                                .groups = s->groups,
                                                .axis = s->axis,
                                                .alpha = s->alpha,
                                                .alpha_noise = s->alpha_noise,
                                                .ridge = s->ridge,
                                                .missing = s->missing,
                                                .mask = s->mask,
                                                .nonneg = s->nonneg,
                                                .start = s->start,
                                                .z = s->z,
                                                .sweeps = s->sweeps,
                                                .clip = s->clip,
                                                .factor = s->factor,
                                                .seed = (uint64_t)o->seed },
                                     .run = *o,
                                     .learn = s->alpha == 0 ? s->learn : 0,
                                     .starts = s->starts,
                                     .threads = s->threads,
                                     .single = s->single,
                                     .prune = s->prune,
                                     .stop = s->stop,
                                     .user = s->user };
}

/* The fit that starts the run: stationary by itself unless another method is asked for. */
static crease_tucker_rpca_settings tucker_settings(const crease_rpca_settings *s,
                                                   const crease_options *o)
{
    const bool asked = o->method != crease_rpca_options().method;
    return (crease_tucker_rpca_settings){ .form = s->kind,
                                          .shape = s->shape,
                                          .ranks = s->ranks.order > 0 ? s->ranks : s->shape,
                                          .penalty = s->penalty,
                                          .alpha = s->alpha,
                                          .learn = s->learn,
                                          .alpha_noise = s->alpha_noise,
                                          .eta = s->eta,
                                          .missing = s->missing,
                                          .mask = s->mask,
                                          .threads = s->threads,
                                          .eps = o->relative ? 0.5 * o->eps : 1e-8,
                                          .passes = asked ? 20 : 1000,
                                          .seed = (uint64_t)o->seed };
}

double crease_rpca_bytes(const crease_rpca_settings *s, const crease_options *o, bool missing,
                         bool dense)
{
    crease_rpca r = { .cp = NULL };
    if (!take(s, o, &r, NULL)) return INFINITY;
    if (r.s.rank == 0) r.s.rank = 1;
    const crease_cp_fit_settings cp = cp_settings(&r.s, &r.o);
    if (r.s.kind == CREASE_RPCA_CP) return crease_cp_fit_bytes(&cp, missing, dense);
    if (r.s.ranks.order == 0) return 8 * 6.0 * (double)crease_size(&r.s.shape);
    const crease_tucker_rpca_settings t = tucker_settings(&r.s, &r.o);
    const ptrdiff_t size = crease_tucker_rpca_size(&t);
    return size < 0 ? INFINITY : 8 * 3.0 * (double)size;
}

static bool suits(const crease_rpca_settings *s, crease_error *e)
{
    if ((unsigned)s->kind > CREASE_RPCA_PCP)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "kind %d of robust PCA; give one of 0 to %d",
                        (int)s->kind, (int)CREASE_RPCA_PCP);
    if (s->rank < 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is %td; give a number >= 0", s->rank);
    if (s->most < 0 || (s->most > 0 && s->rank > 0))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "at most %td terms of rank %td: give a number > 0 and rank 0, which "
                        "chooses the rank",
                        s->most, s->rank);
    if (s->kind == CREASE_RPCA_CP && s->factor && s->rank == 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the start has factors and the rank is to be chosen; give the rank");
    if (s->kind != CREASE_RPCA_CP &&
        (s->rank > 0 || s->factor || s->start || s->starts || s->nonneg || s->ridge != 0 ||
         s->groups || s->single || s->most || s->prune))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "rank, most, prune, start, starts, nonneg, ridge, groups and single are of "
                        "the CP model; leave them out, and give ranks");
    return s->learn > 0 || crs_fail(e, CREASE_BAD_ARGUMENT,
                                    "learn = %g is outside its range: give a number > 0", s->learn);
}

static bool prunes(const crease_rpca *r, crease_error *e)
{
    const crease_cp_fit_settings cp = cp_settings(&r->s, &r->o);
    return r->s.kind != CREASE_RPCA_CP || !r->s.prune || crs_cp_fit_prunes(&cp) ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "prune is of the envelope method without a ridge, which judges the terms "
                    "against the noise; leave out the method, or prune");
}

/* A sweep of fits judged by held-out entries and core consistency, or the gap in the singular
 * values where fits would take too long. The missing entries are NaN. */
static bool choose_rank(crease_rpca *r, const double *tensor, crease_error *e)
{
    crease_rpca_settings *s = &r->s;
    if (!crease_cp_rank(&s->shape, tensor, NULL, &s->rank, e)) return false;
    if (s->most > 0) s->rank = fewer(s->rank, s->most);
    s->prune = true;
    r->facts.rank_reason =
        "the singular values of the unfoldings fall after it; the tensor is too large to compare "
        "fits of several ranks, give one for another";
    if (!((double)crease_size(&s->shape) * (double)s->rank <= most_work)) return true;
    const ptrdiff_t high = crs_rank_highest(&s->shape);
    const crease_cp_rank_options o = { .high = s->most > 0 ? fewer(s->most, high) : high,
                                       .seed = (uint64_t)r->o.seed,
                                       .threads = s->threads,
                                       .nonneg = s->nonneg };
    r->facts.ranks = r->ranks = crease_cp_rank_sweep(&s->shape, tensor, NULL, &o, e);
    if (!r->ranks) return false;
    s->rank = r->ranks->rank;
    r->facts.rank_reason = r->ranks->reason;
    return true;
}

static bool choose(crease_rpca *r, double *tensor, crease_error *e)
{
    crease_rpca_settings *s = &r->s;
    const bool cp = s->kind == CREASE_RPCA_CP && s->rank == 0;
    const bool others =
        (s->kind == CREASE_RPCA_TUCKER || s->kind == CREASE_RPCA_BALL) && s->ranks.order == 0;
    if (!cp && !others) return true;
    if (!crs_check_shape("robust PCA", &s->shape, e) ||
        !crease_rpca_mask(&s->shape, s->mask, s->missing, tensor, e))
        return false;
    s->missing = s->missing || s->mask;
    s->mask = NULL;
    return cp ? choose_rank(r, tensor, e) : crease_tucker_ranks(&s->shape, tensor, &s->ranks, e);
}

static bool fits(const crease_rpca *r, const double *tensor, crease_error *e)
{
    const crease_cp_fit_settings cp = cp_settings(&r->s, &r->o);
    ptrdiff_t missing = 0;
    if (r->s.memory == 0) return true;
    if (!crs_cp_check_data(&cp.model, tensor, &missing, e)) return false;
    const double bytes = crease_rpca_bytes(&r->s, &r->o, missing > 0, true);
    if (r->s.kind != CREASE_RPCA_CP && bytes == INFINITY) return true; /* building says why */
    return bytes <= r->s.memory ||
           crs_fail(e, CREASE_NO_MEMORY,
                    "robust PCA of this rank needs %.3g MB of memory and %.3g MB are free; use "
                    "smaller data or a larger machine",
                    bytes / 1e6, r->s.memory / 1e6);
}

/* What the run has reached, where the handle's pointers show it. */
static void refresh(crease_rpca *r)
{
    r->report = r->cp ? crease_cp_fit_report(r->cp) : crease_solver_report(r->solver);
    r->progress = r->cp ? crease_cp_fit_progress(r->cp) : crease_solver_progress(r->solver);
}

static bool begin_cp(crease_rpca *r, double *tensor, crease_error *e)
{
    const crease_cp_fit_settings given = cp_settings(&r->s, &r->o);
    r->cp = crease_cp_fit_new(&given, tensor, e);
    if (!r->cp) return false;
    const crease_cp_fit_settings used = crease_cp_fit_used(r->cp);
    const crease_cp_pilot pilot = crease_cp_fit_pilot(r->cp);
    r->s.rank = used.model.rank;
    r->facts.cuts = crease_cp_fit_cuts(r->cp, &r->facts.cut);
    r->facts.terms = r->cp->terms;
    r->facts.support = r->cp->support;
    r->facts.support_passes = r->cp->support_passes;
    r->s.penalty = used.model.penalty;
    r->s.alpha = used.model.alpha;
    r->s.learn = used.learn;
    r->s.start = used.model.start;
    r->s.z = used.model.z;
    r->s.threads = used.threads;
    r->o = used.run;
    r->facts.engine = crease_cp_fit_engine(r->cp);
    r->facts.missing = crease_cp_fit_missing(r->cp);
    r->facts.threshold = crs_cp_fit_scalar(&used.model) ? r->cp->point.dead : NAN;
    r->facts.starts = pilot.starts;
    r->facts.start = pilot.start;
    r->facts.agreement = pilot.agreement;
    r->facts.spread = pilot.spread;
    r->facts.learned_deviation = pilot.deviation;
    r->facts.learned_threshold = pilot.threshold;
    r->facts.learned_share = pilot.share;
    r->facts.start_passes = pilot.passes;
    return true;
}

static bool begin_other(crease_rpca *r, const double *tensor, crease_error *e)
{
    const crease_tucker_rpca_settings given = tucker_settings(&r->s, &r->o);
    const double begun = crs_now();
    r->model = crease_tucker_rpca_new(&given, tensor, e);
    if (!r->model) return false;
    const crease_tucker_rpca_facts f = crease_tucker_rpca_about(r->model);
    const crease_problem *p = crease_tucker_rpca_problem(r->model);
    const double *x[CREASE_MAX_ORDER + 4];
    r->s.ranks = f.used.ranks;
    r->s.penalty = f.used.penalty;
    r->s.alpha = f.used.alpha;
    r->s.eta = f.used.eta;
    r->s.threads = f.used.threads;
    r->facts.engine = "solver";
    r->facts.missing = f.missing;
    r->facts.threshold = f.threshold;
    r->facts.deviation = f.deviation;
    r->facts.start_passes = f.passes;
    r->facts.fit_residual = f.residual;
    r->facts.fit_seconds = crs_now() - begun;
    for (int i = 0; i < p->count; i++) x[i] = p->block[i].start;
    r->lowrank = crs_doubles(crease_size(&r->s.shape), "the low-rank part", e);
    if (!r->lowrank || !crease_tucker_rpca_lowrank(r->model, x, r->lowrank, e)) return false;
    r->solver = crease_solver_new(p, &r->o, e);
    return r->solver;
}

crease_rpca *crease_rpca_new(const crease_rpca_settings *s, const crease_options *o, double *tensor,
                             crease_error *e)
{
    crease_rpca *r = crs_alloc(1, sizeof *r);
    if (!r) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: robust PCA"), NULL;
    r->facts.rank_reason = "";

    r->facts.agreement = r->facts.deviation = r->facts.fit_residual = r->facts.share = NAN;
    if (take(s, o, r, e) && suits(&r->s, e) && prunes(r, e) && choose(r, tensor, e) &&
        fits(r, tensor, e) &&
        (r->s.kind == CREASE_RPCA_CP ? begin_cp(r, tensor, e) : begin_other(r, tensor, e))) {
        r->s.mask = NULL;
        r->s.factor = NULL;
        refresh(r);
        return r;
    }
    crease_rpca_free(r);
    return NULL;
}

void crease_rpca_free(crease_rpca *r)
{
    if (!r) return;
    crease_cp_fit_free(r->cp);
    crease_solver_free(r->solver);
    crease_tucker_rpca_free(r->model);
    crease_cp_rank_table_free(r->ranks);
    crs_free(r->lowrank);
    crs_free(r);
}

void crease_rpca_callback(crease_rpca *r, crease_callback *call, void *user)
{
    if (r->cp)
        crease_cp_fit_callback(r->cp, call, user);
    else
        crease_solver_callback(r->solver, call, user);
}

void crease_rpca_stop(crease_rpca *r)
{
    if (r->cp)
        crease_cp_fit_stop(r->cp);
    else
        crease_solver_stop(r->solver);
}

crease_outcome crease_rpca_step(crease_rpca *r)
{
    const crease_outcome o = r->cp ? crease_cp_fit_step(r->cp) : crease_step(r->solver);
    refresh(r);
    if (o == CREASE_NOT_RUN || r->cp) return o;
    const double *x[CREASE_MAX_ORDER + 4];
    for (int i = 0; i < crease_tucker_rpca_problem(r->model)->count; i++)
        x[i] = crease_solution(r->solver, i);
    if (!crease_tucker_rpca_lowrank(r->model, x, r->lowrank, NULL))
        fill(crease_size(&r->s.shape), NAN, r->lowrank); /* memory */
    return o;
}

crease_outcome crease_rpca_run(crease_rpca *r)
{
    while (crease_rpca_step(r) == CREASE_NOT_RUN) continue;
    return r->report.outcome;
}

const double *crease_rpca_factor(const crease_rpca *r, int n)
{
    if (r->s.kind == CREASE_RPCA_PCP) return NULL;
    return r->cp ? crease_cp_fit_factor(r->cp, n) : crease_solution(r->solver, n);
}

const double *crease_rpca_core(const crease_rpca *r)
{
    return r->s.kind == CREASE_RPCA_TUCKER ? crease_solution(r->solver, r->s.shape.order) : NULL;
}

const crease_certificate *crease_rpca_certificate(const crease_rpca *r)
{
    return r->cp ? crease_cp_fit_certificate(r->cp) : crease_solver_certificate(r->solver);
}

const crease_report *crease_rpca_report(const crease_rpca *r) { return &r->report; }
const crease_progress *crease_rpca_progress(const crease_rpca *r) { return &r->progress; }

const crease_analysis *crease_rpca_analysis(const crease_rpca *r)
{
    return r->cp ? crease_cp_fit_analysis(r->cp) : crease_solver_analysis(r->solver);
}

const crease_rpca_settings *crease_rpca_used(const crease_rpca *r) { return &r->s; }
const crease_options *crease_rpca_options_used(const crease_rpca *r) { return &r->o; }

const crease_problem *crease_rpca_problem(const crease_rpca *r)
{
    return r->model ? crease_tucker_rpca_problem(r->model) : NULL;
}

const double *crease_rpca_block(const crease_rpca *r, int i)
{
    return r->solver ? crease_solution(r->solver, i) : NULL;
}

const double *crease_rpca_multiplier(const crease_rpca *r)
{
    return r->solver ? crease_multiplier(r->solver) : NULL;
}

crease_solver *crs_rpca_solver(const crease_rpca *r) { return r->solver; }

void crease_rpca_rows(const crease_rpca *r, ptrdiff_t *left, ptrdiff_t *right)
{
    if (r->cp) {
        crease_cp_fit_rows(r->cp, left, right);
        return;
    }
    *left = r->s.shape.dim[0];
    *right = crs_right(&r->s.shape, 0);
}

static int split_block(const crease_rpca_settings *s)
{
    return s->kind == CREASE_RPCA_TUCKER ? s->shape.order + 2
           : s->kind == CREASE_RPCA_BALL ? 4
                                         : -1;
}

/* Entries first .. first+count-1 of a part of the other kinds. */
static void entries_of(const crease_rpca *r, crease_rpca_part part, ptrdiff_t first,
                       ptrdiff_t count, double *out)
{
    const crease_tucker_rpca *m = r->model;
    const int noise = crease_tucker_rpca_noise(m), z = split_block(&r->s);
    const double *e = crease_solution(r->solver, crease_tucker_rpca_sparse(m)),
                 *t = crease_tucker_rpca_problem(m)->rhs;
    const double *low = r->lowrank, *root = crease_tucker_rpca_weights(m);
    const double *b = noise >= 0 ? crease_solution(r->solver, noise) : NULL;
    const double *split = z >= 0 ? crease_solution(r->solver, z) : low;
    for (ptrdiff_t j = first; j < first + count; j++) {
        const bool seen = !root || root[j] > 0;
        *out++ = part == CREASE_RPCA_LOWRANK  ? low[j]
                 : part == CREASE_RPCA_SPARSE ? e[j]
                 : part == CREASE_RPCA_Z      ? split[j]
                 : part == CREASE_RPCA_B      ? (seen && b ? b[j] : 0)
                 : part == CREASE_RPCA_DATA   ? t[j]
                 : part == CREASE_RPCA_SEEN   ? seen
                 : seen                       ? t[j] - low[j] - e[j]
                                              : 0;
    }
}

void crease_rpca_read(const crease_rpca *r, crease_rpca_part part, ptrdiff_t first, ptrdiff_t count,
                      double *out)
{
    const ptrdiff_t right = crs_right(&r->s.shape, 0);
    if (r->cp)
        crease_cp_fit_read(r->cp, part, first, count, out);
    else
        entries_of(r, part, first * right, count * right, out);
}

/* sigma of normal noise whose magnitudes up to `limit` have this median: erf(m/s) = erf(t/s)/2 with
 * s = sqrt(2) sigma. */
static double deviation_of(double median, double limit)
{
    double low = median / 0.6744897501960817, high = 2 * low;
    const double root = sqrt(0.5);
    if (!(2 * median < limit && median > 0 && limit < INFINITY)) return low;
    while (erf(root * median / high) > 0.5 * erf(root * limit / high)) high *= 2;
    for (int k = 0; k < 60; k++) {
        const double middle = (low + high) / 2;
        *(erf(root * median / middle) > 0.5 * erf(root * limit / middle) ? &low : &high) = middle;
    }
    return high;
}

/* Outliers among entries at, at + 1, ..; the noise of the others, thinned evenly into a sample. */
static ptrdiff_t tally(crease_rpca *r, ptrdiff_t at, ptrdiff_t count, const double *row,
                       ptrdiff_t used, double *sample)
{
    const double share = (double)SAMPLE / (double)crease_size(&r->s.shape), golden = 0.618033988749;
    const double *sparse = row, *noise = sparse + count, *seen = noise + count;
    for (ptrdiff_t j = 0; j < count; j++) {
        const double place = golden * (double)(at + j);
        if (sparse[j] != 0) r->facts.outliers++;
        if (seen[j] == 0 || sparse[j] != 0 || used == SAMPLE) continue;
        if (share >= 1 || place - floor(place) < share) sample[used++] = fabs(noise[j]);
    }
    return used;
}

/* One pass over the answer. */
static void count_outliers(crease_rpca *r)
{
    ptrdiff_t left, right, used = 0;
    crease_rpca_rows(r, &left, &right);
    double *row = crs_doubles(3 * right + SAMPLE, "a row of the result", NULL);
    r->facts.outliers = 0;
    r->counted = row;
    for (ptrdiff_t i = 0; row && i < left; i++) {
        crease_rpca_read(r, CREASE_RPCA_SPARSE, i, 1, row);
        crease_rpca_read(r, CREASE_RPCA_NOISE, i, 1, row + right);
        crease_rpca_read(r, CREASE_RPCA_SEEN, i, 1, row + 2 * right);
        used = tally(r, i * right, right, row, used, row + 3 * right);
    }
    const ptrdiff_t seen = crease_size(&r->s.shape) - r->facts.missing;
    r->facts.share = !row || seen == 0 ? NAN : (double)r->facts.outliers / (double)seen;
    const double limit = isnan(r->facts.threshold) ? INFINITY : r->facts.threshold;
    if (r->cp)
        r->facts.deviation = row ? deviation_of(crs_median(used, row + 3 * right), limit) : NAN;
    crs_free(row);
}

const crease_rpca_facts *crease_rpca_about(crease_rpca *r)
{
    crease_rpca_facts *f = &r->facts;
    if (r->report.outcome != CREASE_NOT_RUN && !r->counted) count_outliers(r);
    f->theta_stop = r->cp && crease_cp_fit_theta_stop(r->cp);
    f->passes = r->cp ? crease_cp_fit_readings(r->cp) : f->start_passes + r->report.iterations;
    return f;
}
