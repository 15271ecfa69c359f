/* SPDX-License-Identifier: MIT
  * fit: the one loop and the one judge of CP robust PCA. Engines supply iterations; limits,
 * certificates and outcomes are here. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "rpca/fit.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void crease_cp_fit_callback(crease_cp_fit *f, crease_callback *call, void *user)
{
    f->call = call;
    f->user = user;
}

void crease_cp_fit_stop(crease_cp_fit *f) { atomic_store(&f->stop, true); }

static double measure(const crease_cp_fit *f, const crease_certificate *c)
{
    return f->s.run.relative ? c->worst_relative : c->worst;
}

/* to = the same terms, sorted, their columns of equal norms */
static void balance(crease_cp_fit *f, double *const *to)
{
    const crease_space *s = &f->s.model.shape;
    const ptrdiff_t rank = f->s.model.rank;
    const double *from[CREASE_MAX_ORDER];
    for (int n = 0; n < s->order; n++) from[n] = f->engine->factor(f->state, n);
    crs_cp_components(s, rank, from, to, f->weight, f->left);
    for (ptrdiff_t r = 0; r < rank; r++) f->left[r] = pow(f->weight[r], 1.0 / s->order);
    for (int n = 0; n < s->order; n++)
        for (ptrdiff_t j = 0; j < s->dim[n] * rank; j++) to[n][j] *= f->left[j % rank];
}

/* The factors that the point is about. */
static void look_at(crease_cp_fit *f, double *const *x)
{
    for (int n = 0; n < f->s.model.shape.order; n++) f->point.k.factor[n] = x[n];
}

/* Certifies the iterate and keeps it: the best, or the last where E is the engine's own. */
static void certify(crease_cp_fit *f)
{
    const crease_space *s = &f->s.model.shape;
    const bool keep_best = f->closed && f->s.run.mode != CREASE_MODE_PAPER;
    crease_residual *block = f->best.block;
    balance(f, f->trial);
    look_at(f, f->trial);
    crs_cp_certify(&f->point, &f->room, &f->now);
    f->readings++;
    f->progress.objective = f->now.objective;
    f->progress.feasibility = f->now.feasibility.residual;
    f->progress.worst = f->now.worst;
    if (keep_best && !(measure(f, &f->now) < measure(f, &f->best))) return;
    for (int i = 0; i < f->now.count; i++) block[i] = f->now.block[i];
    f->best = f->now;
    f->best.block = block;
    for (int n = 0; n < s->order; n++) copy(s->dim[n] * f->s.model.rank, f->trial[n], f->found[n]);
}

static bool stationary(const crease_cp_fit *f) { return measure(f, &f->now) <= f->s.run.eps; }

/* Only here is an outcome assigned. */
static crease_outcome judge(crease_cp_fit *f, bool certified)
{
    const crease_options *o = &f->s.run;
    const crease_report *r = &f->report;
    const bool small = o->theta > 0 && f->progress.theta < o->theta && r->iterations > 1;
    const bool paper = o->mode == CREASE_MODE_PAPER; /* stops by its own rule alone */
    if (certified && isnan(f->now.worst)) return CREASE_NUMERICAL;
    if (certified && !paper && stationary(f)) return CREASE_STATIONARY;
    if (f->call && !f->call(&f->progress, f->user)) return CREASE_STOPPED;
    if (atomic_load(&f->stop)) return CREASE_STOPPED;
    if (small) return f->theta_stop = true, CREASE_STOPPED;
    if (r->iterations >= o->max_iterations) return CREASE_ITERATION_LIMIT;
    if (r->seconds >= o->max_seconds) return CREASE_TIME_LIMIT;
    return CREASE_NOT_RUN;
}

/* As in the solver, whose own certificates the generic engine needs at the same iterations. */
static bool certificate_due(const crease_cp_fit *f)
{
    const long k = f->report.iterations;
    if (f->engine->tell) return false;
    return k % f->s.run.certify_every == 0 || k <= 2 || k == 5;
}

/* The answer is what the point shows from now on. */
static void settle(crease_cp_fit *f)
{
    look_at(f, f->found);
    crs_cp_columns(&f->point, &f->room);
    f->progress.objective = f->best.objective;
    f->progress.worst = f->best.worst;
}

static crease_outcome finish(crease_cp_fit *f, crease_outcome o, bool certified)
{
    f->report.outcome = o;
    if (o == CREASE_NOT_RUN) return o;
    if (!certified) certify(f);
    const bool good = measure(f, &f->best) <= f->s.run.eps;
    if (good && o != CREASE_NUMERICAL) f->report.outcome = CREASE_STATIONARY;
    if (!good && o == CREASE_STATIONARY) f->report.outcome = CREASE_STOPPED; /* nothing moves */
    settle(f);
    return f->report.outcome;
}

crease_outcome crease_cp_fit_step(crease_cp_fit *f)
{
    crease_report *r = &f->report;
    if (r->outcome != CREASE_NOT_RUN) return r->outcome;
    if (!f->started) {
        f->started = true;
        if (!f->engine->tell) certify(f);
        if (!f->engine->tell && finish(f, judge(f, true), true) != CREASE_NOT_RUN)
            return r->outcome;
    }
    const crease_outcome ended = f->engine->step(f->state);
    r->iterations++;
    r->evaluations++;
    f->progress.theta = f->engine->theta(f->state);
    const bool due = certificate_due(f) || ended != CREASE_NOT_RUN;
    if (due) certify(f);
    if (!due && f->engine->tell) f->engine->tell(f->state, &f->progress);
    r->seconds = now() - f->begun;
    f->progress.iteration = r->iterations;
    f->progress.seconds = r->seconds;
    const crease_outcome o = judge(f, due);
    return finish(f, o == CREASE_NOT_RUN ? ended : o, due);
}

crease_outcome crease_cp_fit_run(crease_cp_fit *f)
{
    while (crease_cp_fit_step(f) == CREASE_NOT_RUN) continue;
    return f->report.outcome;
}
