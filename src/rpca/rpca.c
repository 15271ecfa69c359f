/* SPDX-License-Identifier: MIT
 * rpca: the one handle of robust PCA: what the settings leave open is chosen here, cp is run by its
 * engines (fit.c), a Tucker model by its robust fit, and the other kinds, or another method, as
 * problems that start at that fit (tucker/). What was found is in answer.c. */
#include <crease/version.h>

#include "core/parallel.h"
#include "rpca/handle.h"
#include "smooth/fit.h"

static const double threshold_factor = 3; /* robust deviations that an outlier is beyond */
enum { most_entries = 1 << 20 };          /* that a rank sweep fits */

void crease_rpca_init(crease_rpca_settings *s, size_t size, const crease_space *shape)
{
    const crease_rpca_settings own = { .shape = *shape,
                                       .penalty = crease_l1(1),
                                       .learn = threshold_factor,
                                       .alpha_noise = 1,
                                       .sweeps = 20,
                                       .noise_mode = -1 };
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
    r->facts.ranks_asked = r->s.kind == CREASE_RPCA_CP ? none : r->s.ranks;
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
                                     .prune = s->prune };
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
                                          .seed = (uint64_t)o->seed,
                                          .spare = !asked,
                                          .prune = s->prune,
                                          .watch = o->watch };
}

bool crs_rpca_fit_runs(const crease_rpca_settings *s, const crease_options *o)
{
    const crease_options usual = crease_rpca_options();
    const crs_partition cut = crs_partition_of(&s->shape);
    return s->kind == CREASE_RPCA_TUCKER && o->method == usual.method && o->mode == usual.mode &&
           (cut.count == 1 || cut.mode < s->shape.order - 1) &&
           crs_options_read(o, CRS_READS_ALWAYS, "", NULL);
}

/* Of the other kinds: vectors over all blocks that the solver of the problem keeps beside the model
 * itself. */
static double blocks_bytes(const crease_rpca_settings *s)
{
    enum { VECTORS = 32 };
    return 8 * VECTORS * (double)crease_size(&s->shape);
}

double crease_rpca_bytes(const crease_rpca_settings *s, const crease_options *o, bool missing,
                         bool dense)
{
    crease_rpca r = { .cp = NULL };
    if (!take(s, o, &r, NULL)) return INFINITY;
    if (r.s.rank == 0) r.s.rank = 1;
    const crease_cp_fit_settings cp = cp_settings(&r.s, &r.o);
    if (r.s.kind == CREASE_RPCA_CP) return crease_cp_fit_bytes(&cp, missing, dense);
    if (r.s.kind == CREASE_RPCA_PCP && r.s.shape.order == 2 && crs_pursuit_suits(&r.o))
        return 8 * 6.0 * (double)crease_size(&r.s.shape) +
               crs_pursuit_bytes(r.s.shape.dim[0], r.s.shape.dim[1]);
    const double tensor = 8 * (double)crease_size(&r.s.shape), blocks = blocks_bytes(&r.s);
    if (crs_rpca_fit_runs(&r.s, &r.o))
        return tensor + (missing ? tensor / 8 : 0) + crs_rpca_bytes_beside(&r.s, &r.o);
    if (r.s.ranks.order == 0) return blocks + crs_rpca_bytes_beside(&r.s, &r.o);
    const crease_tucker_rpca_settings t = tucker_settings(&r.s, &r.o);
    const ptrdiff_t size = crease_tucker_rpca_size(&t);
    return size < 0 ? INFINITY : blocks + 8 * (double)size;
}

double crs_rpca_bytes_beside(const crease_rpca_settings *s, const crease_options *o)
{
    enum { USUAL = 6 }; /* of a Tucker model, in tensors, where ranks are not known yet */
    const crease_tucker_rpca_settings t = tucker_settings(s, o);
    const double tensor = 8 * (double)crease_size(&s->shape);
    if (s->kind == CREASE_RPCA_CP) return crease_rpca_bytes(s, o, false, false) - tensor;
    return s->ranks.order == 0 ? USUAL * tensor : crs_tucker_run_bytes(&t);
}

/* The list and two residuals of each entry; C of every row of the longest mode at two points; the
 * solver's vectors, of the size of all factors. */
double crs_rpca_bytes_listed(const crease_rpca_settings *s, const crs_coordinates *t)
{
    enum { VECTORS = 40 };
    const double count = (double)t->count, rank = (double)more(1, s->rank);
    double rows = 0;
    for (int n = 0; n < t->shape.order; n++) rows += (double)t->shape.dim[n];
    return crs_coordinates_bytes(&t->shape, count) + 16 * count + 8 * VECTORS * rows * rank +
           8 * (double)t->shape.dim[t->lead] * rank * (rank + 1);
}

static bool suits(const crease_rpca_settings *s, crease_error *e)
{
    if ((unsigned)s->kind > CREASE_RPCA_PCP)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "kind %d of robust PCA; give one of 0 to %d",
                        (int)s->kind, (int)CREASE_RPCA_PCP);
    if (s->rank < 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is %td; give a number >= 0", s->rank);
    if (s->most < 0 || (s->most > 0 && (s->rank > 0 || s->ranks.order > 0)))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "at most rank %td beside a rank that is given: give a number > 0 and no "
                        "rank, which is then chosen",
                        s->most);
    if (s->kind == CREASE_RPCA_CP && s->factor && s->rank == 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the start has factors and the rank is to be chosen; give the rank");
    if (s->kind != CREASE_RPCA_CP &&
        (s->rank > 0 || s->factor || s->start || s->starts || s->nonneg || s->ridge != 0 ||
         s->groups || s->single || ((s->most || s->prune) && s->kind == CREASE_RPCA_PCP)))
        return crs_fail(
            e, CREASE_UNSUPPORTED,
            "rank, start, starts, nonneg, ridge, groups and single are of the CP model, "
            "most and prune of models with ranks; leave them out, and give ranks");
    return s->learn > 0 || crs_fail(e, CREASE_BAD_ARGUMENT,
                                    "learn = %g is outside its range: give a number > 0", s->learn);
}

static bool levels_suit(const crease_rpca_settings *s, bool envelope, crease_error *e)
{
    if (s->noise == CREASE_NOISE_GLOBAL) return true;
    if ((unsigned)s->noise > CREASE_NOISE_AUTO)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "noise = %d; give one of 0 to %d", (int)s->noise,
                        (int)CREASE_NOISE_AUTO);
    if (s->kind != CREASE_RPCA_CP)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "noise that differs is of the CP model, for matrices, too: use --model cp, "
                        "or divide the data by the levels of their noise before");
    if (s->noise == CREASE_NOISE_AUTO) return true; /* none where they cannot be */
    if (s->ridge > 0)
        return crs_fail(
            e, CREASE_UNSUPPORTED,
            "noise that differs divides a factor by its levels, and a ridge would be of "
            "the divided one; leave out the ridge or the noise");
    if (!envelope)
        return crs_fail(
            e, CREASE_UNSUPPORTED,
            "noise that differs is of the envelope method; leave out the method, or the "
            "noise");
    if (s->noise == CREASE_NOISE_ROWS && s->shape.order != 2)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "noise per row is of matrices and the data have %d dimensions; merge all "
                        "but the last, as by --merge 0,%d, or let noise differ per slice",
                        s->shape.order, s->shape.order - 2);
    return s->noise != CREASE_NOISE_SLICES ||
           (s->noise_mode >= -1 && s->noise_mode < s->shape.order) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "noise differs along mode %d, which data of %d dimensions do not have; modes "
                    "are counted from 0",
                    s->noise_mode, s->shape.order);
}

static bool prunes(const crease_rpca *r, crease_error *e)
{
    const crease_cp_fit_settings cp = cp_settings(&r->s, &r->o);
    if (!levels_suit(&r->s, crs_cp_fit_prunes(&cp), e)) return false;
    return r->s.kind != CREASE_RPCA_CP || !r->s.prune || crs_cp_fit_prunes(&cp) ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "prune is of the envelope method without a ridge, which judges the terms "
                    "against the noise; leave out the method, or prune");
}

/* By a sweep of fits judged by held-out entries. The missing entries of the tensor are NaN; NULL:
 * it is a source. */
static bool choose_rank(crease_rpca *r, const double *tensor, crs_source *t, crease_error *e)
{
    crease_rpca_settings *s = &r->s;
    const ptrdiff_t high = crs_rank_highest(&s->shape);
    s->prune = true;
    const crease_cp_rank_options o = { .high = s->most > 0 ? fewer(s->most, high) : high,
                                       .most = most_entries,
                                       .seed = (uint64_t)r->o.seed,
                                       .threads = s->threads,
                                       .nonneg = s->nonneg,
                                       .watch = r->o.watch };
    r->ranks =
        tensor ? crease_cp_rank_sweep(&s->shape, tensor, NULL, &o, e) : crs_rank_sweep_on(t, &o, e);
    r->facts.ranks = r->ranks;
    if (!r->ranks) return false;
    s->rank = r->ranks->rank;
    r->facts.rank_reason = r->ranks->reason;
    return true;
}

/* The ranks of a Tucker model, or of a matrix. The missing entries are NaN. */
static bool choose_ranks(crease_rpca *r, const double *tensor, crease_error *e)
{
    crease_rpca_settings *s = &r->s;
    const crease_cp_rpca_settings data = { .shape = s->shape, .missing = s->missing };
    ptrdiff_t missing;
    const crs_tucker_settings c = { .shape = s->shape,
                                    .most = s->most,
                                    .penalty = crs_envelope_l1(1, crs_noise_share(s->alpha_noise)),
                                    .learn = s->learn,
                                    .alpha_noise = s->alpha_noise,
                                    .threads =
                                        crs_useful_threads(s->threads, crease_size(&s->shape)),
                                    .eps = r->o.eps,
                                    .seed = (uint64_t)r->o.seed,
                                    .watch = r->o.watch };
    if (!crs_cp_check_data(&data, tensor, &missing, e) ||
        !crs_tucker_choose(&c, tensor, &r->choice, e))
        return false;
    s->ranks = r->choice.ranks;
    s->prune = true;
    r->facts.rank_reason = r->choice.reason;
    return true;
}

static bool choose_open(crease_rpca *r, double *tensor, crease_error *e)
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
    return cp ? choose_rank(r, tensor, NULL, e) : choose_ranks(r, tensor, e);
}

static bool choose(crease_rpca *r, double *tensor, crease_error *e)
{
    const crease_phase was = crease_watch_enter(r->o.watch, CREASE_PHASE_RANK);
    const bool done = choose_open(r, tensor, e);
    crease_watch_enter(r->o.watch, was);
    return done;
}

static bool fits(const crease_rpca *r, const double *tensor, crease_error *e)
{
    const crease_cp_fit_settings cp = cp_settings(&r->s, &r->o);
    ptrdiff_t missing = 0;
    if (r->s.memory == 0) return true;
    if (!crs_cp_check_data(&cp.model, tensor, &missing, e)) return false;
    const double again = (r->units ? 8 : 0) * (double)crease_size(&r->s.shape) +
                         (r->center ? 16 : 0) * (double)crease_size(&r->s.shape) +
                         (crs_levels_of(r) ? 8 : 0) * (double)crease_size(&r->s.shape);
    const double bytes = again + crease_rpca_bytes(&r->s, &r->o, missing > 0, true);
    if (r->s.kind != CREASE_RPCA_CP && bytes == INFINITY) return true; /* building says why */
    return bytes <= r->s.memory ||
           crs_fail(e, CREASE_NO_MEMORY,
                    "robust PCA of this rank needs %.3g MB of memory and %.3g MB are free; use "
                    "smaller data or a larger machine",
                    bytes / 1e6, r->s.memory / 1e6);
}

static crs_driver *driver_of(crease_rpca *r)
{
    return r->tucker ? crs_tucker_run_driver(r->tucker)
           : r->cp   ? &r->cp->run
                     : crs_solver_driver(r->solver);
}

/* What the run has reached, where the handle's pointers show it. */
static void refresh(crease_rpca *r)
{
    const crs_driver *run = driver_of(r);
    r->report = r->solver ? crease_solver_report(r->solver) : run->report;
    r->progress = r->solver ? crease_solver_progress(r->solver) : run->progress;
    r->progress = crs_rpca_own_progress(r, &r->progress);
}

static bool begin_cp(crease_rpca *r, double *tensor, crs_source *t, crease_error *e)
{
    const crease_cp_fit_settings given = cp_settings(&r->s, &r->o);
    r->cp = t ? crs_cp_fit_new_on(&given, t, e) : crease_cp_fit_new(&given, tensor, e);
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
    r->facts.listed = r->cp->source->listed;
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

static bool begin_pursuit(crease_rpca *r, const crease_problem *p, crease_error *e)
{
    const crs_pursuit_settings given = { .rows = r->s.shape.dim[0],
                                         .columns = r->s.shape.dim[1],
                                         .lambda = r->s.alpha,
                                         .eps = r->o.eps,
                                         .seed = (uint64_t)r->o.seed };
    r->facts.engine = "pursuit";
    r->pursuit = crs_pursuit_new(&given, p->rhs, e);
    r->solver = r->pursuit ? crs_pursuit_solver(r->pursuit, p, &r->o, e) : NULL;
    return r->solver;
}

/* What the robust fit of the other kinds has learned. */
static void adopt(crease_rpca *r, const crease_tucker_rpca_facts *f, double begun)
{
    r->s.ranks = f->used.ranks;
    r->s.penalty = f->used.penalty;
    r->s.alpha = f->used.alpha;
    r->s.eta = f->used.eta;
    r->s.threads = f->used.threads;
    r->facts.directions = f->kept;
    r->facts.cuts = f->cuts;
    r->facts.cut = f->cut;
    r->facts.missing = f->missing;
    r->facts.threshold = f->threshold;
    r->facts.deviation = f->deviation;
    r->facts.start_passes = f->passes;
    r->facts.fit_residual = f->residual;
    r->facts.fit_seconds = crs_now() - begun;
}

/* The fit is the run. */
static bool begin_tucker(crease_rpca *r, crs_source *t, crease_error *e)
{
    const crease_tucker_rpca_settings given = tucker_settings(&r->s, &r->o);
    const double begun = crs_now();
    const crease_phase was = crease_watch_enter(r->o.watch, CREASE_PHASE_FIT);
    r->tucker = crs_tucker_run_new(&given, &r->o, t, e);
    crease_watch_enter(r->o.watch, was);
    if (!r->tucker) return false;
    const crease_tucker_rpca_facts f = crs_tucker_run_about(r->tucker);
    adopt(r, &f, begun);
    r->facts.engine = "tucker";
    return true;
}

/* The tensor in memory as a source: its missing entries become 0. */
static bool begin_whole(crease_rpca *r, double *tensor, crease_error *e)
{
    const crease_space *s = &r->s.shape;
    const crease_cp_rpca_settings c = { .shape = *s, .missing = r->s.missing, .mask = r->s.mask };
    const ptrdiff_t size = crease_size(s);
    ptrdiff_t missing;
    if (!crs_cp_check_data(&c, tensor, &missing, e)) return false;
    if (missing > 0 && !(r->seen = crs_alloc((size_t)size, 1)))
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the mask");
    for (ptrdiff_t j = 0; r->seen && j < size; j++) {
        r->seen[j] = crs_cp_seen(&c, tensor, j);
        if (!r->seen[j]) tensor[j] = 0;
    }
    crs_memory_open(&r->whole, s, tensor, r->seen);
    return crs_source_survey(&r->whole.source, crs_useful_threads(r->s.threads, size), e) &&
           begin_tucker(r, &r->whole.source, e);
}

/* The solver of the model's problem. */
static bool begin_solver(crease_rpca *r, crease_error *e)
{
    const crease_problem *p = crease_tucker_rpca_problem(r->model);
    const double *x[CREASE_MAX_ORDER + 4];
    r->facts.engine = "solver";
    for (int i = 0; i < p->count; i++) x[i] = p->block[i].start;
    r->lowrank = crs_doubles(crease_size(&r->s.shape), "the low-rank part", e);
    if (!r->lowrank || !crease_tucker_rpca_lowrank(r->model, x, r->lowrank, e)) return false;
    if (r->s.kind == CREASE_RPCA_PCP && crs_pursuit_suits(&r->o)) return begin_pursuit(r, p, e);
    r->solver = crs_paper_solver(p, &r->o, e);
    return r->solver;
}

static bool begin_problem(crease_rpca *r, const double *tensor, crease_error *e)
{
    const crease_tucker_rpca_settings given = tucker_settings(&r->s, &r->o);
    const double begun = crs_now();
    const crease_phase was = crease_watch_enter(r->o.watch, CREASE_PHASE_FIT);
    r->model = crease_tucker_rpca_new(&given, tensor, e);
    crease_watch_enter(r->o.watch, was);
    if (!r->model) return false;
    const crease_tucker_rpca_facts f = crease_tucker_rpca_about(r->model);
    adopt(r, &f, begun);
    return begin_solver(r, e);
}

/* A fit that did not end goes on as a problem in blocks, whose method has a theorem, where there is
 * room for one. */
static bool go_on(crease_rpca *r, crease_error *e)
{
    const double blocks = blocks_bytes(&r->s);
    if (crs_tucker_run_stationary(r->tucker) || crease_watch_over(r->o.watch) ||
        r->whole.source.cut.count > 1 || (r->s.memory > 0 && blocks > r->s.memory))
        return true;
    r->model = crs_tucker_run_problem(r->tucker, e);
    crs_tucker_run_free(r->tucker);
    r->tucker = NULL;
    return r->model && begin_solver(r, e);
}

static bool begin_other(crease_rpca *r, double *tensor, crease_error *e)
{
    return crs_rpca_fit_runs(&r->s, &r->o) ? begin_whole(r, tensor, e) && go_on(r, e)
                                           : begin_problem(r, tensor, e);
}

/* In the unit of the data, where they were given in that of the threshold. */
static bool penalty_fits(const crease_reg *r, crease_error *e)
{
    return !r->penalty || crease_param_check(r->penalty->name, r->penalty->params, r->par, NULL) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "a parameter of %s is no number once the threshold is learned; give one that "
                    "is closer to 1",
                    crs_reg_name(r));
}

/* Nothing is known yet. */
static void set_facts(crease_rpca_facts *f)
{
    *f =
        (crease_rpca_facts){ .rank_reason = "", .noise_reason = "", .noise_in = -1, .largest = -1 };
    f->agreement = f->deviation = f->fit_residual = f->share = f->noise_ratio = NAN;
    f->gap = f->rms = f->clear_share = f->explained = f->largest_rest = NAN;
    f->least = INFINITY;
}

/* On data without their constants. */
static bool build(crease_rpca *r, double *tensor, crease_error *e)
{
    const crease_cp_fit_settings cp = cp_settings(&r->s, &r->o);
    const bool learns = r->s.kind == CREASE_RPCA_CP ? crs_cp_fit_learns(&cp) : r->s.alpha == 0;
    if (!crs_rpca_enter(r, learns, tensor, e)) return false;
    double *data = r->units ? r->units->tensor : tensor;
    if (r->units) r->watch.value = r->units->value, r->watch.data = r->units->data;
    return choose(r, data, e) && fits(r, data, e) &&
           (r->s.kind == CREASE_RPCA_CP ? begin_cp(r, data, NULL, e) : begin_other(r, data, e)) &&
           crs_rpca_leave(r, tensor, e) && penalty_fits(&r->s.penalty, e);
}

/* The fit that showed how noise differs goes, and all that it chose. */
static void clear(crease_rpca *r, const crease_rpca_settings *s, const crease_options *o)
{
    const crease_rpca_facts was = r->facts;
    crease_cp_fit_free(r->cp);
    crs_units_free(r->units);
    crease_cp_rank_table_free(r->ranks);
    r->cp = NULL;
    r->units = NULL;
    r->ranks = NULL;
    r->watch.value = r->watch.data = 0;
    r->s = *s;
    r->o = *o;
    set_facts(&r->facts);
    r->facts.rank_asked = was.rank_asked;
    r->facts.noise_reason = was.noise_reason;
    r->facts.noise_in = was.noise_in;
    r->facts.noise_ratio = was.noise_ratio;
}

static crease_options rough_options(const crease_options *o)
{
    const double loose = 1e-3;
    crease_options rough = *o;
    rough.eps = larger(o->relative ? o->eps : 0, loose);
    rough.relative = 1;
    return rough;
}

/* Once more from these settings, on these data, which may be nan where they are missing. */
static bool rebuild(crease_rpca *r, const crease_rpca_settings *s, const crease_options *o,
                    double *tensor, crease_error *e)
{
    const bool start = r->levels->start[0];
    clear(r, s, o);
    r->s.mask = NULL;
    r->s.missing = r->levels->missing;
    if (start) r->s.factor = (const double *const *)r->levels->start;
    return build(r, tensor, e);
}

/* nan where T was not observed: it is 0 there once a fit was built on it. */
static void unmask(const crease_rpca *r, double *tensor)
{
    const unsigned char *seen = r->cp->source->seen;
    for (ptrdiff_t j = 0; seen && j < crease_size(&r->s.shape); j++)
        if (!seen[j]) tensor[j] = NAN;
    r->levels->missing = seen;
}

/* T/s in place of T */
static bool divide(const crease_rpca *r, const double *tensor, crease_error *e)
{
    crs_noise_levels *l = r->levels;
    const ptrdiff_t size = crease_size(&l->shape);
    l->given = tensor;
    l->data = crs_doubles(size, "the data divided by their noise", e);
    if (!l->data) return false;
    copy(size, tensor, l->data);
    crs_levels_times(l, -1, 0, size, l->data);
    unmask(r, l->data);
    return true;
}

static bool levels_room(crease_rpca *r, crease_error *e)
{
    crs_noise_levels *l = r->levels;
    for (int n = 0; n < l->shape.order; n++) {
        l->factor[n] = crs_doubles(l->shape.dim[n] * r->s.rank, "a factor", e);
        if (!l->factor[n]) return false;
    }
    return true;
}

/* A first fit, which need not be close, shows the levels; the run is of data divided by them. Of
 * `auto` the start that would be the run's shows whether there are any. */
static bool build_levels(crease_rpca *r, const crease_rpca_settings *s, const crease_options *o,
                         double *tensor, crease_error *e)
{
    crease_rpca_settings first = *s;
    const crease_options rough = rough_options(o);
    crs_noise_levels *l = r->levels = crs_alloc(1, sizeof *l);
    if (!l) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: levels of the noise");
    l->shape = s->shape;
    r->facts.noise_reason = l->reason;
    if (!crs_levels_judge(r, false, e)) return false;
    if (!l->wanted && !l->unknown) return true;
    first.rank = r->s.rank;
    first.most = 0;
    unmask(r, tensor);
    if (!rebuild(r, &first, &rough, tensor, e)) return false;
    crease_rpca_run(r);
    if (!crs_levels_make(r, s->rank > 0, e) || (l->level && !divide(r, tensor, e))) return false;
    if (!l->level) unmask(r, tensor);
    return rebuild(r, s, o, l->level ? l->data : tensor, e) && (!l->level || levels_room(r, e));
}

static bool begin(crease_rpca *r, double *tensor, crease_error *e)
{
    if (!suits(&r->s, e) || !prunes(r, e) || (r->s.center && !crs_rpca_center(r, tensor, e)))
        return false;
    if (r->center) tensor = r->center->data;
    const crease_rpca_settings s = r->s;
    const crease_options o = r->o;
    const crease_cp_fit_settings cp = cp_settings(&s, &o);
    const bool levels = s.noise != CREASE_NOISE_GLOBAL && crs_cp_fit_prunes(&cp);
    const bool done = build(r, tensor, e) && (!levels || build_levels(r, &s, &o, tensor, e));
    if (s.noise != CREASE_NOISE_GLOBAL && !levels)
        r->facts.noise_reason = "levels are of the envelope method without a ridge";
    if (!r->center) return done;
    r->center->ready = true;
    r->facts.ranks = r->center->ranks;
    if (r->center->reason) r->facts.rank_reason = r->center->reason;
    return done;
}

/* The Tucker model is fitted by slabs where its ranks are given and the fit itself is the method.
 */
static bool suits_slabs(const crease_rpca_settings *s, const crease_options *o, crease_error *e)
{
    const crease_options usual = crease_rpca_options();
    if (s->kind != CREASE_RPCA_TUCKER)
        return crs_fail(
            e, CREASE_UNSUPPORTED,
            "--model pcp and the bound --eta need the tensor in memory; use --model matrix or "
            "tucker, in place of pcp --model matrix --ridge NU, or more memory");
    if (o->method != usual.method || o->mode != usual.mode)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "of a Tucker model this method and mode need the tensor in memory; use "
                        "--method auto in practical mode, or more memory");
    if (s->ranks.order == 0)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the ranks of a Tucker model are chosen with the tensor in memory; give "
                        "--rank, or more memory");
    return (!s->mask && !s->missing) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "data that are read slab by slab bring their mask; give no other");
}

/* What needs the tensor in one piece, whatever the source is. */
static bool suits_source(const crease_rpca *r, const crs_source *t, crease_error *e)
{
    const crease_rpca_settings *s = &r->s;
    for (int n = 0; n < t->cut.shape.order; n++)
        if (s->shape.order != t->cut.shape.order || s->shape.dim[n] != t->cut.shape.dim[n])
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "the settings have another shape than the data");
    if (s->kind != CREASE_RPCA_CP && crs_is_listed(t))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "of a tensor whose observed entries alone are held only --model cp is "
                        "fitted, or --model matrix with --ridge; use one of them");
    if (s->kind != CREASE_RPCA_CP && !suits_slabs(s, &r->o, e)) return false;
    if (s->noise != CREASE_NOISE_GLOBAL)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--noise needs the tensor in memory; use --noise global, or more memory");
    if (s->center)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--center needs the tensor in memory; remove the constants before, or use "
                        "more memory");
    return true;
}

static crs_source *in_unit(crease_rpca *r, crs_source *t)
{
    if (!r->units) return t;
    r->watch.value = r->units->value, r->watch.data = r->units->data;
    return &r->units->scaled;
}

static bool choose_on(crease_rpca *r, crs_source *t, crease_error *e)
{
    if (r->s.rank > 0 || r->s.kind != CREASE_RPCA_CP) return true;
    if (crs_is_listed(t))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the rank is chosen with all entries at hand, and only those that were "
                        "observed are held; give --rank");
    const crease_phase was = crease_watch_enter(r->o.watch, CREASE_PHASE_RANK);
    const bool done = choose_rank(r, NULL, t, e);
    crease_watch_enter(r->o.watch, was);
    return done;
}

static bool begin_on(crease_rpca *r, crs_source *t, crease_error *e)
{
    const crease_cp_fit_settings given = cp_settings(&r->s, &r->o);
    const int threads = crs_useful_threads(r->s.threads, crease_size(&t->cut.shape));
    const bool cp = r->s.kind == CREASE_RPCA_CP;
    const bool learns = cp ? crs_cp_fit_learns(&given) : r->s.alpha == 0;
    return suits(&r->s, e) && prunes(r, e) && suits_source(r, t, e) &&
           crs_source_survey(t, threads, e) && crs_cp_check_facts(t, e) &&
           crs_rpca_enter_on(r, learns, t, e) && choose_on(r, in_unit(r, t), e) &&
           (cp ? begin_cp(r, NULL, in_unit(r, t), e) : begin_tucker(r, in_unit(r, t), e)) &&
           crs_rpca_leave(r, NULL, e) && penalty_fits(&r->s.penalty, e);
}

/* Its watch stands in the caller's while it is built, and in every run. */
static bool watched(crease_rpca *r, double *tensor, crs_source *t, crease_error *e)
{
    crease_watch *given = r->o.watch;
    const crease_phase was = crease_watch_enter(given, CREASE_PHASE_START);
    crs_watch_begin(&r->watch, given);
    crease_watch_limit(&r->watch, r->o.max_seconds);
    r->o.watch = &r->watch;
    const bool done = t ? begin_on(r, t, e) : begin(r, tensor, e);
    crease_watch_enter(given, was);
    r->o.watch = given;
    r->s.mask = NULL;
    r->s.factor = NULL;
    if (done) refresh(r);
    return done;
}

static crease_rpca *allocate(crease_error *e)
{
    crease_rpca *r = crs_alloc(1, sizeof *r);
    if (!r) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: robust PCA"), NULL;
    set_facts(&r->facts);
    return r;
}

crease_rpca *crease_rpca_new(const crease_rpca_settings *s, const crease_options *o, double *tensor,
                             crease_error *e)
{
    crease_rpca *r = allocate(e);
    if (r && take(s, o, r, e) && watched(r, tensor, NULL, e)) return r;
    crease_rpca_free(r);
    return NULL;
}

crease_rpca *crs_rpca_new_on(const crease_rpca_settings *s, const crease_options *o, crs_source *t,
                             crease_error *e)
{
    crease_rpca *r = allocate(e);
    if (r && take(s, o, r, e) && watched(r, NULL, t, e)) return r;
    crease_rpca_free(r);
    return NULL;
}

/* The shape is the source's where it was left open; false with a sentence. */
static bool meets(crease_rpca_settings *own, const crease_rpca_settings *s, const crease_source *t,
                  crease_error *e)
{
    if (strcmp(t->version, CREASE_VERSION) != 0)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the source is of version %.20s of crease, which is " CREASE_VERSION
                        " here; use one version of all its libraries",
                        t->version);
    *own = crease_rpca_default(crease_source_shape(t));
    if (!crs_settings_take("rpca", own, sizeof *own, s, e)) return false;
    if (own->shape.order == 0) own->shape = *crease_source_shape(t);
    return true;
}

crease_rpca *crease_rpca_new_on(const crease_rpca_settings *s, const crease_options *o,
                                crease_source *tensor, crease_error *e)
{
    crs_source *t = tensor->slabs;
    crease_rpca_settings own;
    if (!meets(&own, s, tensor, e)) return NULL;
    const bool whole = t->whole && !t->seen && !t->team && !own.mask && !own.missing;
    if (!whole || !crease_space_equal(&own.shape, &t->cut.shape))
        return crs_rpca_new_on(&own, o, t, e);
    return crease_rpca_new(&own, o, (double *)(uintptr_t)t->whole, e); /* which writes to none */
}

void crease_rpca_free(crease_rpca *r)
{
    if (!r) return;
    crease_cp_fit_free(r->cp);
    crs_tucker_run_free(r->tucker);
    crease_solver_free(r->solver);
    crs_pursuit_free(r->pursuit);
    crease_tucker_rpca_free(r->model);
    crease_cp_rank_table_free(r->ranks);
    crs_units_free(r->units);
    crs_center_free(r->center);
    crs_levels_free(r->levels);
    crs_free(r->lowrank);
    crs_free(r->in_slab);
    crs_free(r->seen);
    crs_free(r);
}

static bool in_units(const crease_progress *now, void *rpca)
{
    const crease_rpca *r = rpca;
    const crease_progress own = crs_rpca_own_progress(r, now);
    return r->call(&own, r->user);
}

void crease_rpca_callback(crease_rpca *r, crease_callback *call, void *user)
{
    if (r->units && call) {
        r->call = call;
        r->user = user;
        call = in_units;
        user = r;
    }
    if (r->solver)
        crease_solver_callback(r->solver, call, user);
    else
        driver_of(r)->call = call, driver_of(r)->user = user;
}

void crease_rpca_stop(crease_rpca *r) { crease_watch_stop(&r->watch); }

crease_outcome crease_rpca_step(crease_rpca *r)
{
    const crease_outcome o = r->solver ? crease_step(r->solver) : crs_driver_step(driver_of(r));
    refresh(r);
    if (o == CREASE_NOT_RUN || !r->solver) return o;
    const double *x[CREASE_MAX_ORDER + 4];
    for (int i = 0; i < crease_tucker_rpca_problem(r->model)->count; i++)
        x[i] = crease_solution(r->solver, i);
    if (!crease_tucker_rpca_lowrank(r->model, x, r->lowrank, NULL))
        fill(crease_size(&r->s.shape), NAN, r->lowrank); /* memory */
    return o;
}

crease_outcome crease_rpca_run(crease_rpca *r)
{
    crs_driver *run = driver_of(r);
    crs_driver_enter(run);
    while (crease_rpca_step(r) == CREASE_NOT_RUN) crs_driver_tick(run);
    crs_driver_leave(run);
    return r->report.outcome;
}
