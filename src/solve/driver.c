/* SPDX-License-Identifier: MIT
 * driver: the one loop and the one judge. Engines supply steps and certificates; limits,
 * callbacks and outcomes are here and nowhere else. */
#include <stdio.h>

#include "solve/engine.h"

bool crs_driver_open(crs_driver *r, const crs_engine *engine, void *self, const crease_options *o,
                     const crease_analysis *a, crease_error *e)
{
    r->engine = engine;
    r->self = self;
    r->o = *o;
    if (!r->begun) crs_watch_begin(&r->watch, o->watch);
    r->best.worst = r->best.worst_relative = r->report.bound = INFINITY;
    r->progress.potential = r->progress.decrease = r->trial = r->report.pairs = NAN;
    r->progress.worst_relative = NAN;
    return crs_options_read(o, crs_method_for(a)->reads, crease_method_name(a->method), e);
}

void crs_driver_again(crs_driver *r)
{
    r->report = (crease_report){ .bound = INFINITY, .pairs = NAN };
    r->progress = (crease_progress){ .potential = NAN, .decrease = NAN, .worst_relative = NAN };
    r->best.worst = r->best.worst_relative = INFINITY;
    r->trial = NAN;
    r->started = r->theta_stop = r->stepped = false;
}

void crs_count_rise(crease_report *r, const crease_analysis *a, double rise)
{
    r->audit_violations++;
    r->audit_worst = larger(r->audit_worst, rise);
    snprintf(r->note, sizeof r->note,
             "assumption false: the potential of %s rose by %.3g (relative) beyond what %s allows",
             crease_method_name(a->method), rise, a->theorem);
}

static double measure(const crs_driver *r, const crease_certificate *c)
{
    return r->o.relative ? c->worst_relative : c->worst;
}

/* Certifies the iterate and keeps it if it is the best so far. */
static void certify(crs_driver *r)
{
    crease_residual *block = r->best.block;
    const crease_phase was = crease_watch_enter(&r->watch, CREASE_PHASE_CERTIFY);
    const double begun = crs_now();
    r->engine->certify(r->self, &r->now);
    crease_watch_reserve(&r->watch, larger(r->watch.reserve, crs_now() - begun)); /* for the last */
    crease_watch_enter(&r->watch, was);
    r->progress.objective = r->now.objective;
    r->progress.feasibility = r->now.feasibility.residual;
    r->progress.worst = r->now.worst;
    r->progress.worst_relative = r->now.worst_relative;
    if (!r->keep_last && !(measure(r, &r->now) < measure(r, &r->best))) return;
    for (int i = 0; i < r->now.count; i++) block[i] = r->now.block[i];
    r->best = r->now;
    r->best.block = block;
    r->engine->keep(r->self);
}

/* Why the run ends here; NOT_RUN: it does not. */
static crease_outcome reason(crs_driver *r, bool certified, crs_advance said)
{
    const crease_options *o = &r->o;
    const crease_report *now = &r->report;
    const bool mended = now->iterations == 0 && r->engine->mends_start;
    if (certified && isnan(r->now.worst) && !mended) return CREASE_NUMERICAL;
    const bool tried = certified && isnan(r->trial);
    if (tried && !r->by_theta && measure(r, &r->now) <= o->eps) return CREASE_STATIONARY;
    if (certified && now->iterations == 1) r->drop = pos(r->first - r->now.objective);
    const double size = larger(1, r->drop) + fabs(r->first); /* in the unit of the objective */
    const bool diverged = certified && r->now.objective < -1e15 * size;
    const crease_outcome none =
        tried && r->engine->refute ? r->engine->refute(r->self, diverged) : CREASE_NOT_RUN;
    if (none != CREASE_NOT_RUN) return none;
    if (diverged) return CREASE_DIVERGED;
    if (r->call && !r->call(&r->progress, r->user)) return CREASE_STOPPED;
    const crease_outcome why = crease_watch_why(&r->watch);
    if (why == CREASE_STOPPED) return why;
    r->theta_stop = o->theta > 0 && r->progress.theta < o->theta && now->iterations > 1;
    if (r->theta_stop) return CREASE_STOPPED;
    if (now->iterations >= o->max_iterations) return CREASE_ITERATION_LIMIT;
    if (now->evaluations >= o->max_evaluations) return CREASE_EVALUATION_LIMIT;
    if (why != CREASE_NOT_RUN) return why;
    return said == CRS_DONE     ? CREASE_STATIONARY
           : said == CRS_BROKEN ? CREASE_NUMERICAL
                                : CREASE_NOT_RUN;
}

/* A run that ends on one rank, by its clock or its caller, ends on all of them. */
static crease_outcome agreed(const crs_driver *r, crease_outcome o)
{
    double code = o;
    if (!r->comm) return o;
    r->comm->max(r->comm->self, &code, 1);
    return isnan(code) ? CREASE_NUMERICAL : (crease_outcome)code;
}

/* Only here is an outcome assigned: what ends a run is judged by the certificate of its answer. */
static crease_outcome judge(crs_driver *r, bool certified, crs_advance said)
{
    crease_outcome o = agreed(r, reason(r, certified, said));
    if (o == CREASE_NOT_RUN) return o;
    if (!certified) certify(r);
    const bool good = measure(r, &r->best) <= r->o.eps;
    if (good && o != CREASE_NUMERICAL) o = CREASE_STATIONARY;
    if (!good && o == CREASE_STATIONARY) o = CREASE_STUCK;
    r->report.outcome = o;
    if (r->engine->settle) r->engine->settle(r->self);
    return o;
}

/* Engines that ask for certificates make others only where a number of iterations is given. Every
 * so many iterations, at the last, and early on when much still changes. */
static bool certificate_due(const crs_driver *r)
{
    const long k = r->report.iterations;
    const crease_options *o = &r->o, usual = crease_options_default();
    if (r->engine->at_end) return false;
    if (r->engine->asks)
        return o->certify_every != usual.certify_every && k % o->certify_every == 0;
    return k % r->o.certify_every == 0 || k >= r->o.max_iterations || k <= 2 || k == 5;
}

static void tell(crs_driver *r)
{
    crease_progress now = r->progress;
    now.iteration += r->before;
    crs_watch_tell(&r->watch, &now);
}

/* Where a limit may end the run it is noted as it was before: what a run with more of it would not
 * do, as the last certificate, has then not been done. */
static void mind_limits(crs_driver *r)
{
    const crease_options *o = &r->o;
    if (r->noted && (r->report.iterations >= o->max_iterations ||
                     r->engine->evaluations(r->self) >= o->max_evaluations))
        crs_unit_note(&r->watch);
}

static crease_outcome start(crs_driver *r)
{
    mind_limits(r);
    r->started = true;
    if (!r->begun) crs_watch_restart(&r->watch);
    crease_watch_limit(&r->watch, r->o.max_seconds);
    crs_watch_aim(&r->watch, r->o.eps, r->o.relative);
    if (r->engine->at_end) return CREASE_NOT_RUN;
    certify(r);
    r->first = r->now.objective;
    tell(r);
    if (r->engine->merit && !r->by_theta && measure(r, &r->now) <= r->o.eps)
        r->trial = r->engine->merit(r->self);
    return judge(r, true, CRS_GO_ON);
}

/* A start may be stationary and far from any answer: 0 for l0, or for the factors of a product. It
 * is the answer only if a plain step does not lead lower, and that is said; otherwise it is
 * forgotten. */
static bool start_stays(crs_driver *r)
{
    const double was = r->trial, is = isnan(was) ? NAN : r->engine->merit(r->self);
    r->trial = NAN;
    if (isnan(was)) return false;
    if (is < was - 1e-10 * (fabs(was) + fabs(is))) {
        r->best.worst = r->best.worst_relative = INFINITY;
        return false;
    }
    r->report.iterations = 0;
    snprintf(r->report.note, sizeof r->report.note,
             "the start was already stationary: a plain step leads no lower");
    return true;
}

static crease_outcome advance(crs_driver *r)
{
    crease_report *now = &r->report;
    if (!r->started && start(r) != CREASE_NOT_RUN) return now->outcome;
    if (!r->stepped) {
        now->iterations++;
        r->said = r->engine->step(r->self);
        r->stepped = true;
    }
    mind_limits(r);
    r->stepped = false;
    const crs_advance said = r->said;
    const bool stays = start_stays(r), due = !stays && (certificate_due(r) || said != CRS_GO_ON);
    if (due) certify(r);
    now->seconds = crs_now() - r->watch.begun;
    now->evaluations = r->engine->evaluations(r->self);
    r->progress.iteration = now->iterations;
    r->progress.seconds = now->seconds;
    if (judge(r, due || stays, said) == CREASE_NOT_RUN && due && r->engine->go_on)
        r->engine->go_on(r->self);
    tell(r);
    return now->outcome;
}

crease_outcome crs_driver_step(crs_driver *r)
{
    if (r->report.outcome != CREASE_NOT_RUN) return r->report.outcome;
    const crease_phase was = crease_watch_enter(&r->watch, CREASE_PHASE_FIT);
    const crease_outcome o = advance(r);
    crease_watch_enter(&r->watch, was);
    return o;
}

static void visit_residual(crs_visitor *v, crease_residual *x)
{
    crs_visit(v, x->setting);
    crs_visit(v, x->upper_bound);
    crs_visit(v, x->residual);
    crs_visit(v, x->rounding);
    crs_visit(v, x->scale);
}

static void visit_certificate(crs_visitor *v, crease_certificate *c, int blocks)
{
    crs_visit(v, c->objective);
    visit_residual(v, &c->feasibility);
    crs_visit(v, c->worst);
    crs_visit(v, c->worst_relative);
    crs_visit(v, c->outside);
    crs_visit(v, c->count);
    crs_visit(v, c->size);
    for (int i = 0; i < blocks; i++) visit_residual(v, &c->block[i]);
}

void crs_driver_visit(crs_visitor *v, void *run)
{
    crs_driver *r = run;
    crs_visit(v, r->first);
    crs_visit(v, r->drop);
    crs_visit(v, r->trial);
    crs_visit(v, r->started);
    crs_visit(v, r->theta_stop);
    crs_visit(v, r->stepped);
    crs_visit(v, r->said);
    crs_visit(v, r->report);
    crs_visit(v, r->progress);
    visit_certificate(v, &r->now, r->blocks);
    visit_certificate(v, &r->best, r->blocks);
    if (r->noted && r->noted != r->engine)
        crs_visit_refuses(v);
    else
        r->engine->visit(v, r->self);
}

void crs_driver_enter(crs_driver *r)
{
    if (!r->engine->visit || r->report.outcome != CREASE_NOT_RUN) return;
    const crs_unit_found found =
        crs_unit_begin(&r->watch, "run", CRS_UNIT_LOOP, crs_driver_visit, r);
    if (found != CRS_UNIT_FRESH) crease_watch_limit(&r->watch, r->o.max_seconds);
    if (found != CRS_UNIT_DONE) r->noted = r->engine;
    if (found == CRS_UNIT_DONE && r->engine->settle) r->engine->settle(r->self);
}

void crs_driver_tick(crs_driver *r)
{
    if (r->noted) crs_unit_tick(&r->watch);
}

/* Proofs are not noted, nor failures, nor what another engine than the first has found. */
void crs_driver_leave(crs_driver *r)
{
    const crease_outcome o = r->report.outcome;
    const bool limit = o == CREASE_ITERATION_LIMIT || o == CREASE_EVALUATION_LIMIT;
    const bool whole = o != CREASE_INFEASIBLE && o != CREASE_UNBOUNDED && o != CREASE_NUMERICAL &&
                       r->noted == r->engine;
    if (r->noted && limit && !r->part) crs_unit_cut(&r->watch);
    if (r->noted) (whole ? crs_unit_end : crs_unit_drop)(&r->watch);
    r->noted = NULL;
}
