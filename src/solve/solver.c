/* SPDX-License-Identifier: MIT
 * solver: the one loop and the one judge. Methods supply step(); limits, certificates, callbacks
 * and outcomes are here and nowhere else. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <time.h>

#include "certify/certify.h"
#include "solve/solver.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void crease_solver_free(crease_solver *s)
{
    if (!s) return;
    crs_extension_free(s->extension);
    crease_analysis_free(s->a);
    crs_free(s->memory);
    crs_free(s->pointers);
    crs_free(s->scale_point);
    crs_free(s->residuals);
    crs_free(s);
}

/* A user's own gradient that is not one would be believed by every certificate. */
static bool check_gradients(crease_solver *s, crease_error *e)
{
    const crease_blocks b = crs_blocks(s->given);
    char name[32];
    double off;
    if (!crs_has_callback(&s->given->f)) return true;
    for (int i = 0; i < s->given->count; i++) {
        if (!crease_smooth_check_gradient(&s->given->f, &b, points(s->st.x), i, 3, &off, e))
            return false;
        if (!(off < 1e-3))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "the gradient of f in block %s differs from central differences of its "
                            "values by %.2g (relative) at the start point; mend grad or value",
                            crs_block_name(s->given, i, name), off);
    }
    return true;
}

static bool build(crease_solver *s, crease_error *e)
{
    s->a = crease_analyse(s->given, &s->o, e);
    if (!s->a) return false;
    s->p = s->given;
    if (s->a->method == CREASE_METHOD_EXTENSION) {
        s->extension = crs_extension_new(s->given, s->a->mu, e);
        if (!s->extension) return false;
        s->p = &s->extension->problem;
    }
    s->method = crs_method_for(s->a);
    if (!crs_solver_memory(s, e)) return false;
    s->st.p = s->p;
    s->st.a = s->a;
    crs_solver_start(s);
    if (!check_gradients(s, e)) return false;
    if (s->a->adaptive) crs_guess_constants(s);
    return !s->method->prepare || s->method->prepare(&s->st, e);
}

crease_solver *crease_solver_new(const crease_problem *p, const crease_options *o, crease_error *e)
{
    crease_solver *s = crs_alloc(1, sizeof *s);
    if (!s) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a solver");
        return NULL;
    }
    s->given = p;
    s->o = o ? *o : crease_options_default();
    s->report.bound = s->stalled = INFINITY;
    s->found.worst = s->found.worst_relative = INFINITY;
    s->progress.potential = s->progress.decrease = NAN;
    if (build(s, e)) return s;
    crease_solver_free(s);
    return NULL;
}

void crease_solver_callback(crease_solver *s, crease_callback *call, void *user)
{
    s->call = call;
    s->user = user;
}

void crease_solver_stop(crease_solver *s) { atomic_store(&s->stop, true); }

/* sum_{i != last} |x_i - was_i|^2 + last_weight |x_N - was_N|^2 */
static double moved(const crease_solver *s)
{
    double sum = 0;
    for (int i = 0; i < s->p->count; i++) {
        const double weight = i == s->a->last ? s->a->last_weight : 1;
        for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++)
            sum += weight * square(s->st.x[i][j] - s->st.was[i][j]);
    }
    return sum;
}

static double measure(const crease_solver *s, const crease_certificate *c)
{
    return s->o.relative ? c->worst_relative : c->worst;
}

/* Certifies the iterate and keeps it if it is the best so far. */
static void certify(crease_solver *s)
{
    crease_residual *block = s->found.block;
    s->now.point = s->o.relative ? s->scale_point : NULL;
    if (s->a->method == CREASE_METHOD_GCG)
        crs_certify_gap(s->given, points(s->st.x), &s->now, s->certify_work);
    else
        crease_certify(s->given, points(s->st.x), s->st.lambda, &s->now, s->certify_work);
    s->progress.objective = s->now.objective;
    s->progress.feasibility = s->now.feasibility.residual;
    s->progress.worst = s->now.worst;
    if (!(measure(s, &s->now) < measure(s, &s->found))) return;
    for (int i = 0; i < s->given->count; i++) block[i] = s->now.block[i];
    s->found = s->now;
    s->found.block = block;
    crs_copy_point(s, s->st.x, s->best);
    if (s->a->last >= 0) copy(crease_size(&s->p->range), s->st.lambda, s->best_lambda);
}

static bool stationary(const crease_solver *s) { return measure(s, &s->now) <= s->o.eps; }

/* Only here is an outcome assigned. */
static crease_outcome judge(crease_solver *s, bool certified)
{
    const crease_report *r = &s->report;
    const bool theta_small = s->o.theta > 0 && s->progress.theta < s->o.theta && r->iterations > 1;
    if (certified && stationary(s)) return CREASE_STATIONARY;
    /* a start outside the domain of some r_i is no failure: the first step mends it */
    if (certified && r->iterations > 0 && isnan(s->now.worst)) return CREASE_NUMERICAL;
    if (certified && s->now.objective < -1e15 * (1 + fabs(s->first))) return CREASE_DIVERGED;
    if (s->call && !s->call(&s->progress, s->user)) return CREASE_STOPPED;
    if (atomic_load(&s->stop) || theta_small) return CREASE_STOPPED;
    if (r->iterations >= s->o.max_iterations) return CREASE_ITERATION_LIMIT;
    if (s->st.evaluations >= s->o.max_evaluations) return CREASE_EVALUATION_LIMIT;
    if (r->seconds >= s->o.max_seconds) return CREASE_TIME_LIMIT;
    return CREASE_NOT_RUN;
}

static bool accelerates(const crease_solver *s)
{
    return s->o.accelerate && s->a->mode == CREASE_MODE_PRACTICAL && s->method->accelerate &&
           (s->a->last < 0 || !isnan(s->a->map_scale));
}

static void iterate(crease_solver *s)
{
    const bool fast = accelerates(s),
               audited = fast || s->o.audit || s->a->adaptive || s->a->mode == CREASE_MODE_THEORY;
    if (fast && !isnan(s->potential)) crs_accelerate(s);
    crs_copy_point(s, s->st.x, s->st.was);
    if (s->a->adaptive) copy(crease_size(&s->p->range), s->st.lambda, s->kept_lambda);
    s->method->step(&s->st);
    const double move = moved(s);
    s->report.iterations++;
    if (audited && s->a->method != CREASE_METHOD_GCG && !crs_audit(s, move)) return;
    s->progress.theta = move + (s->a->theta_factor > 1 ? s->last_move : 0);
    s->last_move = move;
    if (s->report.iterations == 1)
        s->report.bound =
            crease_iteration_bound(s->a, crs_potential(&s->st) - s->a->lower, s->o.eps);
}

/* Every so many iterations, at the last, and early on when much still changes. */
static bool certificate_due(const crease_solver *s)
{
    const long k = s->report.iterations;
    return k % s->o.certify_every == 0 || k >= s->o.max_iterations || k <= 2 || k == 5;
}

crease_outcome crease_step(crease_solver *s)
{
    crease_report *r = &s->report;
    if (r->outcome != CREASE_NOT_RUN) return r->outcome;
    if (!s->started) {
        s->begun = now();
        s->started = true;
        certify(s);
        s->first = s->now.objective;
        r->outcome = judge(s, true);
        if (r->outcome != CREASE_NOT_RUN) return r->outcome;
    }
    iterate(s);
    const bool due = certificate_due(s);
    if (due) certify(s);
    r->seconds = now() - s->begun;
    r->evaluations = s->st.evaluations;
    s->progress.iteration = r->iterations;
    s->progress.seconds = r->seconds;
    r->outcome = judge(s, due);
    if (r->outcome != CREASE_NOT_RUN && !due) { /* a run that ends here is judged by this iterate */
        certify(s);
        if (stationary(s)) r->outcome = CREASE_STATIONARY;
    }
    if (r->outcome == CREASE_NOT_RUN && due && s->extension) crs_adapt_extension(s);
    return r->outcome;
}

crease_outcome crease_solve(crease_solver *s)
{
    while (crease_step(s) == CREASE_NOT_RUN) continue;
    return s->report.outcome;
}
