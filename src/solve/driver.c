/* SPDX-License-Identifier: MIT
 * solver: the one loop and the one judge. Methods supply step(); limits, certificates, callbacks
 * and outcomes are here and nowhere else. */
#include "certify/certify.h"
#include "solve/solver.h"

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
        s->begun = crs_now();
        s->started = true;
        certify(s);
        s->first = s->now.objective;
        r->outcome = judge(s, true);
        if (r->outcome != CREASE_NOT_RUN) return r->outcome;
    }
    iterate(s);
    const bool due = certificate_due(s);
    if (due) certify(s);
    r->seconds = crs_now() - s->begun;
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
