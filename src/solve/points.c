/* SPDX-License-Identifier: MIT
 * points: the race for a good point. A certificate says nothing of how low F is there: where F is
 * not convex, several runs end at several points, and the lowest certified one is the answer.
 *
 * Runs are solvers of their own, one after another, inside the watch of their owner: from the given
 * start, from the answer to the problem with squares in place of penalties that are not convex,
 * from random points and, where F is not convex, by the second core of the row. A run that is led
 * solves problems with larger penalties first, each from the answer to the one before: with
 * continuation the first is, without it the second, and of the random ones every other. Nothing
 * here depends on time. */
#include <stdio.h>

#include <crease/random.h>

#include "solve/solver.h"

typedef enum { GIVEN, SECOND, SQUARES, OTHERWISE, RANDOM } start_kind;

static const double heavier[] = { 10, 3 }; /* lambda times this, before lambda itself */
static const double ridge = 1e-3;          /* of the squares */
static const double rough = 1e-3;          /* eps of what only leads to a start */
static const double tie = 1e-6;            /* F lower by less, or eps, relative: not lower */

struct crs_points {
    crease_options o;     /* of every run */
    crease_problem q;     /* of the run: its start and, in a stage, its penalties */
    crease_block *block;  /* of q */
    double *memory, **x;  /* where the next run or stage begins */
    bool has_start;       /* x is it; otherwise the given one */
    double *size;         /* of a block's entries in the first answer: how far random starts lie */
    crease_method second; /* AUTO: there is no second core to try */
    bool squares;         /* some penalty is not convex */
    crease_solver *child; /* NULL: the next one is to be opened */
    int run, runs, stage;
    crease_point at; /* the point of the run, so far */
    crease_point *found;
    int count;
    crease_report sum;
    bool stopped; /* by the callback */
    bool notes;   /* runs are units of a checkpoint */
};

static bool is_bent(const crease_reg *r) /* a penalty that is not convex, with its own lambda */
{
    const crease_penalty *rho = r->ops ? r->penalty : NULL;
    return rho && !rho->convex && rho->params && rho->params[0].name &&
           strcmp(rho->params[0].name, "lambda") == 0;
}

static bool is_nonconvex(const crease_problem *p)
{
    const crease_blocks b = crs_blocks(p);
    for (int i = 0; i < p->count; i++) {
        double size;
        const crease_reg *r = crs_reg_of(p, i);
        const crease_set *c = p->block[i].set;
        while (r->ops->kind == CREASE_KIND_SCALED) r = r->data;
        if (r->penalty ? !r->penalty->convex : !r->ops->convex) return true;
        if (c && c->ops->nonconvex) return true;
        if (p->f.ops && p->f.ops->factors && p->f.ops->factors(&p->f, &b, i, &size) > 1)
            return true;
    }
    return false;
}

/* The next of the row that does more than plain steps. */
static crease_method second_method(const crease_solver *s)
{
    const crease_method next = crease_planned(s, 1, NULL);
    const bool exact = crease_planned(s, 0, NULL) == CREASE_METHOD_DIRECT;
    return exact || next == CREASE_METHOD_PLAIN ? CREASE_METHOD_AUTO : next;
}

static start_kind kind_of(const crs_points *p)
{
    const bool last = p->run == p->runs - 1;
    return p->run == 0                               ? GIVEN
           : last && p->second != CREASE_METHOD_AUTO ? SECOND
           : p->squares && p->run == 1               ? OTHERWISE
           : p->squares && p->run == 2               ? SQUARES
                                                     : RANDOM;
}

/* Random starts are led and not led by turns: far from any answer a penalty keeps what is there,
 * and near it a start of its own may be worth more. */
static bool is_led(const crs_points *p)
{
    const start_kind kind = kind_of(p);
    const bool turned = kind == OTHERWISE || (kind == RANDOM && p->run % 2);
    return p->squares && turned != (p->o.continuation != 0);
}

static int stages(const crs_points *p) /* before the run itself */
{
    const int led = is_led(p) ? (int)(sizeof heavier / sizeof *heavier) : 0;
    return (kind_of(p) == SQUARES) + led;
}

void crs_points_free(crs_points *p)
{
    if (!p) return;
    crease_solver_free(p->child);
    crs_free(p->block);
    crs_free(p->memory);
    crs_free(p->x);
    crs_free(p->size);
    crs_free(p->found);
    crs_free(p);
}

static bool allocate(crs_points *p, crease_error *e)
{
    const int N = p->q.count;
    ptrdiff_t all = 0, at = 0;
    for (int i = 0; i < N; i++) all += crease_size(&p->q.space[i]);
    p->block = crs_alloc((size_t)N, sizeof *p->block);
    p->x = crs_alloc((size_t)N, sizeof *p->x);
    p->found = crs_alloc((size_t)p->runs, sizeof *p->found);
    p->memory = crs_doubles(all, "points", e);
    p->size = crs_doubles(N, "points", e);
    if (!p->block || !p->x || !p->found || !p->memory || !p->size)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: points");
    for (int i = 0; i < N; i++) {
        p->block[i] = p->q.block[i];
        p->x[i] = p->memory + at;
        at += crease_size(&p->q.space[i]);
    }
    p->q.block = p->block;
    return true;
}

bool crs_points_open(crease_solver *s, const crease_options *given, crease_error *e)
{
    if (given->starts <= 1 && !given->continuation) return true;
    crs_points *p = s->points = crs_alloc(1, sizeof *p);
    if (!p) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: points");
    const bool several = given->starts > 1 && is_nonconvex(s->given);
    p->o = *given;
    p->o.watch = &s->run.watch;
    p->q = *s->given;
    p->second =
        several && given->method == CREASE_METHOD_AUTO ? second_method(s) : CREASE_METHOD_AUTO;
    p->runs = (int)given->starts + (p->second != CREASE_METHOD_AUTO);
    for (int i = 0; i < p->q.count; i++) p->squares |= is_bent(&p->q.block[i].reg);
    return allocate(p, e);
}

/* The penalties of the stage. */
static crease_reg penalty_of(const crs_points *p, const crease_reg *r)
{
    crease_reg out = *r;
    const bool squares = kind_of(p) == SQUARES;
    if (p->stage >= stages(p) || !is_bent(r)) return out;
    if (squares && p->stage == 0)
        out.penalty = crease_squared_l2(ridge).penalty, out.par[0] = ridge;
    else
        out.par[0] *= heavier[p->stage - squares];
    return out;
}

/* Around the given start as far as the first answer is large; factors of products anew. */
static void draw(const crease_solver *s, int i, double *x)
{
    const crs_points *p = s->points;
    const uint64_t seed = (uint64_t)p->o.seed + (uint64_t)p->run;
    const crease_random r = { seed, 2000 + (uint64_t)i };
    const double *start = s->given->block[i].start;
    const double far = p->size[i] > 0 ? p->size[i] : 1;
    if (!start && crs_default_start(s->given, i, seed, x)) return;
    for (ptrdiff_t j = 0, n = crease_size(&p->q.space[i]); j < n; j++)
        x[j] = (start ? start[j] : 0) + far * crease_random_normal(r, (uint64_t)j);
}

static void name_start(crs_points *p)
{
    const start_kind kind = kind_of(p);
    const int drawn = p->run - 2 * p->squares;
    const char *led = is_led(p) ? ", led" : "";
    if (kind == RANDOM)
        snprintf(p->at.start, sizeof p->at.start, "random %d%s", drawn, led);
    else
        snprintf(p->at.start, sizeof p->at.start, "%s%s", kind == SQUARES ? "squares" : "given",
                 led);
}

/* Where the run begins: what the stage before found, or its own start. */
static void set_out(crease_solver *s)
{
    crs_points *p = s->points;
    const start_kind kind = kind_of(p);
    if (p->stage == 0) p->has_start = kind == RANDOM;
    for (int i = 0; i < p->q.count; i++) {
        p->block[i].reg = penalty_of(p, &s->given->block[i].reg);
        if (p->stage == 0 && kind == RANDOM) draw(s, i, p->x[i]);
        p->block[i].start = p->has_start ? p->x[i] : s->given->block[i].start;
    }
    if (p->stage > 0) return;
    p->at = (crease_point){ .objective = NAN };
    name_start(p);
}

/* One run's rows in the history of all: iterations count on. */
static bool forward(const crease_progress *progress, void *user)
{
    crease_solver *s = user;
    crease_progress *now = &s->run.progress;
    *now = *progress;
    now->iteration += s->points->sum.iterations;
    now->seconds = crs_now() - s->run.watch.begun;
    s->points->stopped = s->run.call && !s->run.call(now, s->run.user);
    return !s->points->stopped;
}

/* Once a point is found, no run takes what many others could use. */
static long limit(const crs_points *p)
{
    const long left = p->o.max_iterations - p->sum.iterations;
    const bool found = p->count > 0 && p->found[0].outcome == CREASE_STATIONARY;
    const double share = found ? 1000 + 10 * (double)p->found[0].iterations : INFINITY;
    return share < (double)left ? (long)share : left;
}

static bool open_child(crease_solver *s, crease_error *e)
{
    crs_points *p = s->points;
    const bool leads = p->stage < stages(p), first = p->run == 0 && p->stage == 0;
    crease_options o = p->o;
    set_out(s);
    o.starts = 1, o.continuation = 0;
    o.max_seconds = crease_options_default().max_seconds; /* the owner's watch has them */
    o.max_iterations = limit(p);
    o.max_evaluations -= p->sum.evaluations;
    if (leads) o.eps = larger(o.eps, rough);
    if (kind_of(p) == SECOND) o.method = p->second;
    p->child = crease_solver_new(&p->q, &o, e);
    if (!p->child) return false;
    crease_solver_callback(p->child, forward, s);
    p->child->run.before = p->sum.iterations;
    p->child->run.part = true;
    const crease_phase was = crease_watch_enter(&s->run.watch, CREASE_PHASE_FIT);
    crs_watch_say(&s->run.watch, "start %d: %s", p->run + 1, p->at.start);
    crease_watch_enter(&s->run.watch, was);
    if (first && s->begins_at && !crease_solver_begin_at(p->child, s->st.lambda, e)) return false;
    if (p->notes) crs_driver_enter(&p->child->run);
    return true;
}

static double measure(const crease_solver *s)
{
    return s->run.o.relative ? s->run.best.worst_relative : s->run.best.worst;
}

/* Is this point to be shown rather than the one before? */
static bool is_better(const crease_solver *new, const crease_solver *s, bool none)
{
    const double now = new->run.best.objective, was = s->run.best.objective;
    const bool certified = new->run.report.outcome == CREASE_STATIONARY;
    if (none) return true;
    if (certified != (s->points->sum.outcome == CREASE_STATIONARY)) return certified;
    const double step = smaller(tie, s->run.o.eps) * (fabs(now) + fabs(was)) / 2;
    return certified ? now < was - step : measure(new) < measure(s);
}

/* What a run found becomes the owner's answer; what the owner had goes with that run. */
static void take(crease_solver *s, crease_solver *from)
{
    crease_residual *block = s->run.best.block;
    crease_analysis *a = s->a;
    for (int i = 0; i < s->given->count; i++) {
        copy(crease_size(&s->given->space[i]), from->best[i], s->best[i]);
        block[i] = from->run.best.block[i];
    }
    if (s->given->range.order > 0)
        copy(crease_size(&s->given->range), from->best_lambda, s->best_lambda);
    s->run.best = from->run.best;
    s->run.best.block = block;
    s->run.best.reference = s->reference;
    s->a = from->a, from->a = a;
    crs_forget_ray(s);
    crs_free(s->separator);
    s->separator = from->separator, from->separator = NULL;
    s->ray = from->ray, from->ray = NULL;
    s->points->sum.outcome = from->run.report.outcome;
    s->points->sum.bound = from->run.report.bound;
    memcpy(s->points->sum.note, from->run.report.note, sizeof s->points->sum.note);
}

static void add(crease_report *sum, const crease_report *r)
{
    sum->iterations += r->iterations;
    sum->evaluations += r->evaluations;
    sum->audit_violations += r->audit_violations;
    sum->audit_worst = larger(sum->audit_worst, r->audit_worst);
    sum->accelerated += r->accelerated;
    sum->restarts += r->restarts;
    sum->moved_starts += r->moved_starts;
    sum->pairs += r->pairs;
    sum->spectra += r->spectra;
    sum->factorizations += r->factorizations;
}

/* The root mean square of every block of the first answer. */
static void measure_sizes(crs_points *p)
{
    for (int i = 0; i < p->q.count; i++) {
        const ptrdiff_t n = crease_size(&p->q.space[i]);
        const double size = crs_norm(n, p->x[i]) / sqrt((double)n);
        p->size[i] = isfinite(size) ? size : 0;
    }
}

static bool is_proof(crease_outcome o) { return o == CREASE_INFEASIBLE || o == CREASE_UNBOUNDED; }

/* The run has ended at a point: it is listed, and shown if it is the best. */
static void note_point(crease_solver *s)
{
    crs_points *p = s->points;
    crease_solver *child = p->child;
    p->at.method = child->a->method;
    p->at.outcome = child->run.report.outcome;
    p->at.objective = child->run.best.objective;
    p->at.residual = measure(child);
    if (p->run == 0) measure_sizes(p);
    if (is_better(child, s, p->count == 0) || is_proof(p->at.outcome)) take(s, child);
    p->found[p->count++] = p->at;
}

/* All runs together. */
static crease_outcome finish(crease_solver *s)
{
    crs_points *p = s->points;
    const double seconds = crs_now() - s->run.watch.begun;
    if (p->count < p->runs && p->sum.outcome == CREASE_STATIONARY)
        snprintf(p->sum.note, sizeof p->sum.note, "ended after %d of %d runs from several starts",
                 p->count, p->runs);
    s->run.report = p->sum;
    s->run.report.seconds = seconds;
    s->run.progress.iteration = p->sum.iterations;
    s->run.progress.seconds = seconds;
    s->run.progress.objective = s->run.best.objective;
    s->run.progress.feasibility = s->run.best.feasibility.residual;
    s->run.progress.worst = s->run.best.worst;
    s->run.progress.worst_relative = s->run.best.worst_relative;
    return p->sum.outcome;
}

static crease_outcome next(crease_solver *s)
{
    crs_points *p = s->points;
    if (p->stage++ >= stages(p)) p->run++, p->stage = 0;
    return p->run < p->runs ? CREASE_NOT_RUN : finish(s);
}

/* A limit in a stage before any point was found: the stage's, certified for the problem itself. */
static crease_outcome end_early(crease_solver *s)
{
    crs_points *p = s->points;
    const crease_outcome why = p->child->run.report.outcome;
    const crease_solver *c = p->child;
    crease_certificate *to = &s->run.best;
    to->reference = s->reference;
    take(s, p->child);
    crease_certify(s->given, points(c->best), c->best_lambda, to, s->certify_work);
    p->sum.outcome = measure(s) <= p->o.eps     ? CREASE_STATIONARY
                     : why == CREASE_STATIONARY ? CREASE_STOPPED
                                                : why;
    p->at.method = s->a->method;
    p->at.outcome = p->sum.outcome;
    p->at.objective = to->objective;
    p->at.residual = measure(s);
    p->found[p->count++] = p->at;
    crease_solver_free(p->child);
    p->child = NULL;
    return finish(s);
}

/* A stage that cannot be run is left out; a run that cannot, too, unless it is the first. */
static crease_outcome give_up(crease_solver *s, const crease_error *why)
{
    crs_points *p = s->points;
    crease_solver_free(p->child);
    p->child = NULL;
    if (p->run == 0 && p->stage == stages(p)) {
        p->sum.outcome = CREASE_NUMERICAL;
        snprintf(p->sum.note, sizeof p->sum.note, "%.199s", why->text);
        return finish(s);
    }
    return next(s);
}

static crease_outcome end_run(crease_solver *s)
{
    crs_points *p = s->points;
    const crease_outcome o = p->child->run.report.outcome;
    const bool last = p->stage >= stages(p);
    add(&p->sum, &p->child->run.report);
    p->at.iterations += p->child->run.report.iterations;
    p->has_start = true;
    for (int i = 0; i < p->q.count; i++)
        copy(crease_size(&p->q.space[i]), p->child->best[i], p->x[i]);
    const bool limit =
        p->sum.iterations >= p->o.max_iterations || p->sum.evaluations >= p->o.max_evaluations;
    const bool over = limit || p->stopped || crease_watch_over(&s->run.watch);
    if (limit && p->notes) crs_unit_cut(&s->run.watch);
    crs_driver_leave(&p->child->run);
    if (last) note_point(s);
    if (over && p->count == 0) return end_early(s);
    crease_solver_free(p->child);
    p->child = NULL;
    return over || (last && is_proof(o)) ? finish(s) : next(s);
}

crease_outcome crs_points_step(crease_solver *s)
{
    crs_points *p = s->points;
    crease_error e = { CREASE_OK, "" };
    if (s->run.report.outcome != CREASE_NOT_RUN) return s->run.report.outcome;
    if (!s->run.started) {
        s->run.started = true;
        crs_watch_restart(&s->run.watch);
        crease_watch_limit(&s->run.watch, s->run.o.max_seconds);
    }
    if (!p->child && !open_child(s, &e)) return give_up(s, &e);
    if (crease_step(p->child) != CREASE_NOT_RUN) return end_run(s);
    crs_driver_tick(&p->child->run);
    s->run.report.iterations = p->sum.iterations + p->child->run.report.iterations;
    return CREASE_NOT_RUN;
}

crease_outcome crs_points_solve(crease_solver *s)
{
    s->points->notes = true;
    while (crs_points_step(s) == CREASE_NOT_RUN) continue;
    s->points->notes = false;
    return s->run.report.outcome;
}

int crease_point_count(const crease_solver *s) { return s->points ? s->points->count : 0; }
crease_point crease_point_at(const crease_solver *s, int k) { return s->points->found[k]; }
