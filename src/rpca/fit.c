/* SPDX-License-Identifier: MIT
 * fit: a run of CP robust PCA: which engine runs a model and with what, its memory, the certificate
 * of its factors, and what was found, row by row. Engines supply iterations; solve/driver.c runs
 * them. */
#include <stdio.h>

#include "core/carve.h"
#include "core/parallel.h"
#include "rpca/fit.h"
#include "rpca/fused/fused.h"
#include "rpca/long/long.h"

crease_cp_fit_settings crease_cp_fit_default(const crease_space *shape, ptrdiff_t rank)
{
    crease_cp_fit_settings s = { .model = crease_cp_rpca_default(shape, rank),
                                 .run = crease_options_default() };
    s.run.relative = 1;
    return s;
}

bool crs_cp_fit_scalar(const crease_cp_rpca_settings *m)
{
    return !m->penalty.ops || crs_is_plain(&m->penalty);
}

/* Without a word to the contrary practical mode eliminates all but the factors, and of a long first
 * mode its factor, too. */
static const crs_cp_engine *engine_for(const crease_cp_fit_settings *s)
{
    const bool scalar = crs_cp_fit_scalar(&s->model);
    if (s->run.method == CREASE_METHOD_ENVELOPE) return &crs_cp_envelope_engine;
    if (s->run.method == CREASE_METHOD_AUTO && s->run.mode == CREASE_MODE_PRACTICAL && scalar)
        return crs_long_suits(s) ? &crs_cp_long_engine : &crs_cp_envelope_engine;
    return scalar && !s->model.nonneg ? &crs_cp_fused_engine : &crs_cp_generic_engine;
}

/* By the envelope: E, Z and B are eliminated, and the threshold is learned. */
static bool eliminates(const crs_cp_engine *engine)
{
    return engine == &crs_cp_envelope_engine || engine == &crs_cp_long_engine;
}

bool crs_cp_fit_learns(const crease_cp_fit_settings *s)
{
    return s->learn > 0 && eliminates(engine_for(s));
}

int crs_cp_fit_threads(const crease_cp_fit_settings *s)
{
    return crs_useful_threads(s->threads, crease_size(&s->model.shape));
}

bool crs_cp_fit_prunes(const crease_cp_fit_settings *s)
{
    return eliminates(engine_for(s)) && s->model.ridge == 0;
}

/* c(r - e)^2 + alpha rho(e) is strongly convex in e, so that E is stationary only at the prox. */
static bool closed(const crease_cp_rpca_settings *m)
{
    const double c = crs_noise_share(m->alpha_noise);
    return crs_cp_fit_scalar(m) &&
           m->alpha * m->penalty.penalty->weak_convexity(m->penalty.par) < 2 * c;
}

/* Does the method eliminate the constraint and descend block by block? */
static bool descends(crease_method method)
{
    const crs_method *m = crs_method_at(method);
    return m && m->step && !m->constrained && !m->oracle;
}

static bool check_run(const crease_cp_fit_settings *s, crease_error *e)
{
    const crease_method m = s->run.method;
    if (!crease_options_check(&s->run, e)) return false;
    if (crs_method_at(m)->oracle || crs_method_at(m)->slack || crs_method_at(m)->core)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--method %s does not suit this model; use auto, envelope, admm-g, admm-m, "
                        "prox-bcd or bcd",
                        crease_method_name(m));
    if (m == CREASE_METHOD_ENVELOPE &&
        (!crs_cp_fit_scalar(&s->model) || s->run.mode != CREASE_MODE_PRACTICAL))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the envelope method is for practical mode and penalties by entries, all "
                        "weighed alike; use admm-g, admm-m or prox-bcd");
    if (!(s->learn >= 0 && s->learn < INFINITY) || s->starts < 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "learn = %g and starts = %d: give numbers >= 0",
                        s->learn, s->starts);
    if (s->threads < 0 || s->threads > CRS_CP_MOST_THREADS)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%d threads; give 1 to %d, or 0 for all there are",
                        s->threads, CRS_CP_MOST_THREADS);
    if (s->starts > 1 && !eliminates(engine_for(s)))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%d starts: only the envelope method compares several; use it, or give 1",
                        s->starts);
    return !s->single || engine_for(s) == &crs_cp_fused_engine ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "--precision single is for admm-g, admm-m, prox-bcd and bcd with a penalty by "
                    "entries, all weighed alike, and factors of any sign; this run uses the %s "
                    "engine: choose such a method, or leave the precision double",
                    engine_for(s)->name);
}

/* The recipe of section 5: beta = 4 or 5, delta = 2, theta_k < 1e-6 or 2000 iterations, random
 * factors and Z = 1. */
static void paper(crease_cp_fit_settings *s)
{
    const crease_options usual = crease_options_default();
    if (s->run.mode != CREASE_MODE_PAPER) return;
    if (s->run.method == CREASE_METHOD_AUTO) s->run.method = CREASE_METHOD_ADMM_G;
    s->run.accelerate = 0;
    if (s->run.theta == 0) s->run.theta = 1e-6;
    if (s->run.max_iterations == usual.max_iterations) s->run.max_iterations = 2000;
    s->model.z = CREASE_Z_ONES;
    if (s->model.start == CREASE_START_AUTO) s->model.start = CREASE_START_RANDOM;
}

static bool complete(crease_cp_fit *f, crease_error *e)
{
    crease_cp_fit_settings *s = &f->s;
    if (!check_run(s, e)) return false;
    paper(s);
    s->model.unconstrained = descends(s->run.method);
    if (s->model.seed == 0) s->model.seed = (uint64_t)s->run.seed;
    if (!crs_cp_settings_check(&s->model, e)) return false;
    crs_cp_fill_defaults(&s->model);
    s->threads = crs_cp_fit_threads(s);
    f->engine = engine_for(s);
    f->closed = eliminates(f->engine) || closed(&s->model);
    return true;
}

void crs_cp_fit_point(const crease_cp_fit_settings *s, crs_source *source, crs_cp_point *p)
{
    const crease_cp_rpca_settings *m = &s->model;
    *p = (crs_cp_point){ .k = { .shape = m->shape, .rank = m->rank },
                         .grid = crs_cp_rows(&m->shape, m->rank),
                         .source = source,
                         .alpha_noise = m->alpha_noise,
                         .nu = m->ridge,
                         .nonneg = m->nonneg };
    if (!crs_cp_fit_scalar(m)) return;
    p->rho = crs_penalty_of(m->penalty.penalty, m->penalty.par, m->alpha);
    p->dead = crs_dead_zone(&p->rho, 1 / (2 * noise_share(p)));
    p->steep = crs_scalar_slope_after(&p->rho, 0);
}

/* The same assumptions, constants and parameters as of the whole model: none of them depends on
 * sizes, so that a 2 x 1 x ... tensor with the same pattern of masks stands for it. */
crease_analysis *crs_cp_fit_analyse(const crease_cp_fit *f, crease_error *e)
{
    const bool all = f->missing == crease_size(&f->s.model.shape);
    const double tensor[2] = { all ? NAN : 0, f->missing > 0 ? NAN : 0 };
    crease_cp_rpca_settings s = f->s.model;
    for (int n = 0; n < s.shape.order; n++) s.shape.dim[n] = n == 0 ? 2 : 1;
    s.rank = 1;
    s.missing = true;
    s.mask = NULL;
    s.factor = NULL;
    crease_cp_rpca *m = crease_cp_rpca_new(&s, tensor, e);
    crease_analysis *a = m ? crease_analyse(crease_cp_rpca_problem(m), &f->o, e) : NULL;
    crease_cp_rpca_free(m);
    return a;
}

static crs_cp_answer answer_of(const crease_cp_fit *f)
{
    return (crs_cp_answer){ &f->point, &f->room, f->held };
}

const crs_cp_point *crs_cp_fit_slabs(const crease_cp_fit *f)
{
    if (f->source->cut.count == 1 || crs_is_listed(f->source) || f->point.sparse ||
        f->point.whole.ops)
        return NULL;
    crs_cp_release(f->source, f->held);
    return &f->point;
}

void crease_cp_fit_free(crease_cp_fit *f)
{
    if (!f) return;
    if (f->state) f->engine->close(f->state);
    if (f->held) crs_cp_release(f->source, f->held);
    crs_cp_room_close(&f->room);
    crs_free(f->held);
    crease_analysis_free(f->own);
    crs_coordinates_close(&f->listed);
    crs_free(f->mask);
    crs_free(f->cut);
    crs_free(f->support);
    crs_free(f->memory);
    crs_free(f);
}

bool crs_cp_fit_mask(crease_cp_fit *f, crease_error *e)
{
    const ptrdiff_t size = crease_size(&f->s.model.shape);
    if (f->source) return true;
    if (f->missing > 0) f->mask = crs_alloc((size_t)size, 1);
    if (f->missing > 0 && !f->mask) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the mask");
    for (ptrdiff_t j = 0; f->mask && j < size; j++) {
        f->mask[j] = crs_cp_seen(&f->s.model, f->tensor, j);
        if (!f->mask[j]) f->tensor[j] = 0;
    }
    crs_memory_open(&f->data, &f->s.model.shape, f->tensor, f->mask);
    f->source = &f->data.source;
    return crs_source_survey(f->source, f->s.threads, e);
}

static ptrdiff_t factors_size(const crease_cp_rpca_settings *m)
{
    ptrdiff_t all = 0;
    for (int n = 0; n < m->shape.order; n++) all += m->shape.dim[n] * m->rank;
    return all;
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

/* Counting and carving are one walk; what the certificate needs comes last. */
static double *walk(crease_cp_fit *f, ptrdiff_t room, crs_carver *c)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    for (int n = 0; n < m->shape.order; n++) {
        f->trial[n] = carve_doubles(c, m->shape.dim[n], m->rank);
        f->found[n] = carve_doubles(c, m->shape.dim[n], m->rank);
    }
    f->weight = carve_doubles(c, m->rank, 1);
    f->left = carve_doubles(c, m->rank, 1);
    return carve_doubles(c, room, 1);
}

static bool allocate(crease_cp_fit *f, crease_error *e)
{
    const ptrdiff_t room = crs_cp_room_carve(&f->point, f->s.threads, NULL, &f->room);
    crs_carver count = { NULL, 0 };
    walk(f, room, &count);
    f->memory = room < 0 || count.used < 0 ? NULL : crs_alloc((size_t)count.used + CRS_LINE, 1);
    if (!f->memory)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a fit of rank %td", f->s.model.rank);
    crs_carver carving = carver_of(f->memory);
    crs_cp_room_carve(&f->point, f->s.threads, walk(f, room, &carving), &f->room);
    return crs_cp_room_open(&f->point, f->s.threads, &f->room, e);
}

/* Practical: beta a tenth above its bound, 4 alpha_N (R1) or 2 alpha_N (R2), which took the fewest
 * iterations. Paper mode is practical mode with the paper's parameters. */
static crease_options options_run(const crease_cp_fit_settings *s)
{
    crease_options o = s->run;
    const bool g = o.method == CREASE_METHOD_ADMM_G;
    if (o.mode == CREASE_MODE_PRACTICAL && o.beta == 0 && !s->model.unconstrained)
        o.beta = (g ? 4.4 : 2.2) * s->model.alpha_noise;
    if (o.mode != CREASE_MODE_PAPER) return o;
    o.mode = CREASE_MODE_PRACTICAL;
    if (o.beta == 0 && !s->model.unconstrained) o.beta = o.method == CREASE_METHOD_ADMM_M ? 5 : 4;
    if (o.h == 0 && !crs_method_at(o.method)->unproximal) o.h = 2;
    return o;
}

/* What an engine or a start needs in one piece, or changes */
static bool check_source(const crease_cp_fit *f, crease_error *e)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    const bool hosvd = m->start == CREASE_START_HOSVD, als = m->start == CREASE_START_ALS;
    if (!eliminates(f->engine))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the %s engine needs the tensor in memory; use --method envelope with a "
                        "penalty by entries, or more memory",
                        f->engine->name);
    if (m->mask || m->missing)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "data that are read slab by slab bring their mask; give no other");
    if (crs_is_listed(f->source) && m->start == CREASE_START_GEVD && !m->factor)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "--init gevd needs all entries, and only those that were observed are "
                        "held; use auto or random");
    return m->factor || !(hosvd || als) || f->source->whole ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "--init %s needs the data in memory; use auto, gevd or random",
                    hosvd ? "hosvd" : "als");
}

static bool check_data(crease_cp_fit *f, crease_error *e)
{
    if (f->tensor) return crs_cp_check_data(&f->s.model, f->tensor, &f->missing, e);
    if (!check_source(f, e) || !crs_source_survey(f->source, f->s.threads, e)) return false;
    f->missing = f->source->facts.missing;
    return crs_cp_check_facts(f->source, e);
}

static bool build(crease_cp_fit *f, crease_error *e)
{
    if (!complete(f, e) || !check_data(f, e)) return false;
    f->passes = 1;
    f->o = options_run(&f->s);
    crs_cp_fit_point(&f->s, f->source, &f->point);
    f->state = f->engine->open(f, e);
    if (!f->state) return false;
    if (f->terms == 0) f->terms = f->s.model.rank;
    f->point.source = f->source;
    f->s.model.mask = NULL;
    f->s.model.factor = NULL;
    if (!f->closed) adopt_rows(f);
    if (!allocate(f, e)) return false;
    f->run.report.seconds = f->run.progress.seconds = crs_now() - f->run.watch.begun;
    return true;
}

static crease_cp_fit *new_fit(const crease_cp_fit_settings *s, double *tensor, crs_source *source,
                              crease_error *e)
{
    crease_cp_fit *f = crs_alloc(1, sizeof *f);
    if (!f) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a fit");
        return NULL;
    }
    f->s = *s;
    f->tensor = tensor;
    f->source = source;
    f->run.begun = true;
    crs_watch_begin(&f->run.watch, s->run.watch);
    crease_watch_limit(&f->run.watch, s->run.max_seconds);
    f->s.model.watch = &f->run.watch;
    f->run.now.block = f->residual[0];
    f->run.best.block = f->residual[1];
    f->run.blocks = CREASE_MAX_ORDER + 3;
    f->held = crs_alloc(1, sizeof *f->held);
    if (!f->held) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a fit");
    if (f->held && build(f, e)) return f;
    crease_cp_fit_free(f);
    return NULL;
}

crease_cp_fit *crease_cp_fit_new(const crease_cp_fit_settings *s, double *tensor, crease_error *e)
{
    return new_fit(s, tensor, NULL, e);
}

crease_cp_fit *crs_cp_fit_new_on(const crease_cp_fit_settings *s, crs_source *t, crease_error *e)
{
    return new_fit(s, NULL, t, e);
}

/* Doubles of a certificate: of a long mode those of its slabs. */
static ptrdiff_t room_of(const crs_cp_engine *engine, crs_cp_point p, int threads)
{
    crs_cp_room unused;
    if (engine != &crs_cp_long_engine) return crs_cp_room_carve(&p, threads, NULL, &unused);
    const crs_partition cut = crs_partition_of(&p.k.shape);
    p.k.shape.dim[0] = fewer(p.k.shape.dim[0], cut.rows);
    p.grid = crs_cp_rows(&p.k.shape, p.k.rank);
    return threads * crs_cp_room_carve(&p, 1, NULL, &unused);
}

double crease_cp_fit_bytes(const crease_cp_fit_settings *s, bool missing, bool dense)
{
    crease_cp_fit_settings used = *s;
    crs_cp_point p;
    const double tensor = 8 * (double)crease_size(&s->model.shape);
    used.model.unconstrained = descends(s->run.method);
    crs_cp_fill_defaults(&used.model);
    crs_cp_fit_point(&used, NULL, &p);
    const ptrdiff_t room = room_of(engine_for(&used), p, crs_cp_fit_threads(s));
    const double factors = 2 * (double)factors_size(&used.model);
    return tensor + 8 * ((double)room + factors) + engine_for(&used)->bytes(&used, missing, dense);
}

/* The potential of the fused iteration, as of the blocks: a plain step lowers it by `decrease`
 * times the squared moves, and what precedes the step does not raise it. Rounding: a tile adds up
 * at most 192 numbers to a lane before sums are double. */
static double rounding(const crease_cp_fit *f) { return f->s.single ? 192 * 0x1p-24 : 1e-10; }

static void check(crease_cp_fit *f, double rise)
{
    if (rise > rounding(f)) crs_count_rise(&f->run.report, f->a, rise);
}

void crs_cp_fit_audit(crease_cp_fit *f, const crs_cp_statistics *now, double beta, double decrease)
{
    const double promised = f->a->guarantee ? decrease * now->moves : 0;
    const double squares = beta * square(now->feasibility), before = f->run.progress.potential;
    check(f, crs_rise(before, now->from, 0, 0));
    check(f, crs_rise(now->from, now->potential, promised, squares));
    f->run.progress.potential = now->potential;
    f->run.progress.decrease = now->from - now->potential;
    f->run.report.accelerated = now->accelerated;
}

/* x (rows x from) becomes rows x to, the columns beyond `from` 0 */
static void widen(ptrdiff_t rows, ptrdiff_t from, ptrdiff_t to, double *x)
{
    for (ptrdiff_t i = rows - 1; from < to && i >= 0; i--)
        for (ptrdiff_t r = to - 1; r >= 0; r--) x[i * to + r] = r < from ? x[i * from + r] : 0;
}

/* to = the same terms, sorted, their columns of equal norms; then zeros up to the rank */
static void balance(crease_cp_fit *f, double *const *to)
{
    const crease_space *s = &f->s.model.shape;
    const ptrdiff_t rank = f->terms;
    const double *from[CREASE_MAX_ORDER];
    for (int n = 0; n < s->order; n++) from[n] = f->engine->factor(f->state, n);
    crs_cp_components(s, rank, from, to, f->weight, f->left);
    for (ptrdiff_t r = 0; r < rank; r++) f->left[r] = pow(f->weight[r], 1.0 / s->order);
    for (int n = 0; n < s->order; n++) {
        for (ptrdiff_t j = 0; j < s->dim[n] * rank; j++) to[n][j] *= f->left[j % rank];
        widen(s->dim[n], rank, f->s.model.rank, to[n]);
    }
}

/* The factors that the point is about. */
static void look_at(crease_cp_fit *f, double *const *x)
{
    for (int n = 0; n < f->s.model.shape.order; n++) f->point.k.factor[n] = x[n];
}

void crs_cp_fit_certify(void *fit, crease_certificate *c)
{
    crease_cp_fit *f = fit;
    balance(f, f->trial);
    look_at(f, f->trial);
    crease_error e = { .code = CREASE_OK };
    crs_cp_release(f->source, f->held);
    if (!crs_cp_certify(&f->point, &f->room, NULL, c, &e)) {
        crs_cp_fit_fails(f, &e);
        *c = (crease_certificate){ .count = f->s.model.shape.order + 3, .block = c->block };
        c->worst = c->worst_relative = c->objective = NAN;
    }
    f->passes++;
}

void crs_cp_fit_fails(crease_cp_fit *f, const crease_error *why)
{
    if (f->held->failure.code != CREASE_OK) return;
    f->held->failure = *why;
    crs_unit_cut(&f->run.watch);
    snprintf(f->run.report.note, sizeof f->run.report.note, "%.*s",
             (int)sizeof f->run.report.note - 1, why->text);
}

void crs_cp_fit_keep(void *fit)
{
    crease_cp_fit *f = fit;
    const crease_space *s = &f->s.model.shape;
    for (int n = 0; n < s->order; n++) copy(s->dim[n] * f->s.model.rank, f->trial[n], f->found[n]);
}

void crs_cp_fit_visit(crs_visitor *v, crease_cp_fit *f)
{
    const crease_cp_rpca_settings *m = &f->s.model;
    crs_visit(v, f->passes);
    for (int n = 0; n < m->shape.order; n++) crs_visits(v, f->found[n], m->shape.dim[n] * m->rank);
}

/* The answer is what the point shows from now on. */
void crs_cp_fit_settle(void *fit)
{
    crease_cp_fit *f = fit;
    look_at(f, f->found);
    crs_cp_columns(&f->point, &f->room);
    f->run.progress.objective = f->run.best.objective;
    f->run.progress.worst = f->run.best.worst;
    f->run.progress.worst_relative = f->run.best.worst_relative;
}

static long passes_of_run(const crease_cp_fit *f)
{
    return f->engine->passes ? f->engine->passes(f->state) : f->run.report.iterations;
}

long crs_cp_fit_evaluations(const void *fit)
{
    const crease_cp_fit *f = fit;
    return f->pilot.passes + passes_of_run(f);
}

/* The answer is the last iterate where E is the engine's own; paper mode stops by its own rule. */
bool crs_cp_fit_open(crease_cp_fit *f, crease_error *e)
{
    const bool paper = f->s.run.mode == CREASE_MODE_PAPER;
    f->run.keep_last = !f->closed || paper;
    f->run.by_theta = paper;
    return crs_driver_open(&f->run, &f->engine->run, f, &f->s.run, f->a, e);
}

void crease_cp_fit_callback(crease_cp_fit *f, crease_callback *call, void *user)
{
    f->run.call = call;
    f->run.user = user;
}

void crease_cp_fit_stop(crease_cp_fit *f) { crease_watch_stop(&f->run.watch); }

crease_outcome crease_cp_fit_step(crease_cp_fit *f) { return crs_driver_step(&f->run); }

crease_outcome crease_cp_fit_run(crease_cp_fit *f)
{
    crs_driver_enter(&f->run);
    while (crease_cp_fit_step(f) == CREASE_NOT_RUN) crs_driver_tick(&f->run);
    crs_driver_leave(&f->run);
    return f->run.report.outcome;
}

const double *crease_cp_fit_factor(const crease_cp_fit *f, int n) { return f->found[n]; }
const crease_certificate *crease_cp_fit_certificate(const crease_cp_fit *f) { return &f->run.best; }
crease_report crease_cp_fit_report(const crease_cp_fit *f) { return f->run.report; }
crease_progress crease_cp_fit_progress(const crease_cp_fit *f) { return f->run.progress; }
const crease_analysis *crease_cp_fit_analysis(const crease_cp_fit *f) { return f->a; }
crease_cp_fit_settings crease_cp_fit_used(const crease_cp_fit *f) { return f->s; }
const char *crease_cp_fit_engine(const crease_cp_fit *f) { return f->engine->name; }
ptrdiff_t crease_cp_fit_missing(const crease_cp_fit *f) { return f->missing; }
crease_cp_pilot crease_cp_fit_pilot(const crease_cp_fit *f) { return f->pilot; }

ptrdiff_t crease_cp_fit_cuts(const crease_cp_fit *f, const crease_cp_cut **cut)
{
    *cut = f->cut;
    return f->cuts;
}

long crease_cp_fit_readings(const crease_cp_fit *f)
{
    return f->passes + f->pilot.readings + passes_of_run(f);
}

bool crease_cp_fit_theta_stop(const crease_cp_fit *f) { return f->run.theta_stop; }

void crease_cp_fit_rows(const crease_cp_fit *f, ptrdiff_t *left, ptrdiff_t *right)
{
    *left = f->point.grid.left;
    *right = f->point.grid.right;
}

void crease_cp_fit_read(const crease_cp_fit *f, crease_rpca_part part, ptrdiff_t first,
                        ptrdiff_t count, double *out)
{
    const crs_cp_answer a = answer_of(f);
    crs_cp_answer_read(&a, part, first, count, out);
}
