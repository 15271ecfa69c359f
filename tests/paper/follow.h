/* SPDX-License-Identifier: MIT
 * follow.h: a run watched from outside: potential, its decrease and lower bound, and the residuals,
 * all recomputed from (x, lambda) and the parts of the problem */
#ifndef CREASE_TEST_FOLLOW_H
#define CREASE_TEST_FOLLOW_H

#include "paper/potential.h"

typedef struct {
    const char *theorem;                          /* runs under another one are passed over */
    double (*memory)(const crease_analysis *a);   /* weight of |x_N - x_N^{k-1}|^2 */
    double (*residual)(const crease_analysis *a); /* kappa_1, kappa_2 of the constrained methods */
    long first; /* the iteration from which the inequalities are proved */
} statement;

/* Worst figures over all runs; each is at most 1 (ratio, share) or rounding (rise, low). */
typedef struct {
    long problems, other, iterations, reached;
    double rise, low, ratio, ratio_blocks, share;
    double tight; /* the promised over the seen decrease: how sharp the theorem is */
} figures;

/* The engine's kappa is the largest of all. */
static inline void check_kappa(const crease_solver *s, const statement *t)
{
    double most = t->residual ? t->residual(s->a) : 0;
    for (int i = 0; i < s->a->count; i++)
        if (i != s->a->last) most = larger(most, kappa_of(s, i));
    assert_close(s->a->kappa / most, 1, 1e-12);
}

/* A joint prox is exact for steps below a bound: every prox step must stay there. */
static inline void check_steps(const crease_solver *s)
{
    for (int i = 0; i < s->p->count; i++) {
        const crease_block *b = &s->p->block[i];
        double step = INFINITY;
        if (i == s->a->last || !b->set || s->a->block[i].exact) continue;
        assert_true(crease_joint_check(&b->reg, b->set, &s->p->space[i], &step, NULL));
        assert_true(weight_of(s, i) * step > 1);
    }
}

static inline double excess_of(const crease_residual *r)
{
    return pos(r->residual - 0x1p-40 * (1 + r->scale));
}

/* Each residual^2 over its kappa theta. */
static inline void check_residuals(const crease_solver *s, const statement *t, double theta,
                                   figures *n)
{
    const double own = t->residual ? t->residual(s->a) : 0;
    for (int i = 0; i < s->given->count; i++) {
        const double e = square(excess_of(&s->run.now.block[i]));
        if (e == 0) continue;
        n->ratio = larger(n->ratio, e / (s->a->kappa * theta));
        const double kappa = i == s->a->last ? own : kappa_of(s, i);
        n->ratio_blocks = larger(n->ratio_blocks, e / (kappa * theta));
    }
    if (s->a->last < 0) return;
    double r[ENTRIES]; /* with the slack where there is one */
    const double e = square(pos(residual_of(s, r) - 0x1p-40 * (1 + s->run.now.feasibility.scale)));
    if (e == 0) return;
    n->ratio = larger(n->ratio, e / (s->a->kappa * theta));
    n->ratio_blocks = larger(n->ratio_blocks, e / (own * theta));
}

/* Sets eps to a share of the residual at the start, and starts. */
static inline void set_eps(crease_solver *s, double share)
{
    crease_certify(s->given, points(s->st.x), s->st.lambda, &s->run.now, s->certify_work);
    s->run.o.eps = share * (s->run.now.worst < 1e3 ? s->run.now.worst : 1);
}

static inline void watch(crease_solver *s, const statement *t, figures *n)
{
    double before = NAN, last_move = 0, size = 1;
    long restarts = 0;
    while (crease_step(s) == CREASE_NOT_RUN || s->run.report.outcome == CREASE_STATIONARY) {
        const long k = s->run.report.iterations;
        if (k == 0) break; /* the start is stationary already */
        const double move = all_moved(s), base = lagrangian(s, &size);
        const double now =
            base + (s->a->last >= 0 && t->memory ? t->memory(s->a) * moved(s, s->a->last) : 0);
        if (restarts != s->run.report.restarts) { /* the extension's mu grew: a new run from here */
            restarts = s->run.report.restarts, before = now, last_move = 0;
            continue;
        }
        if (k > t->first && before == before) {
            const double promised = s->a->decrease * move;
            n->rise = larger(n->rise, (now - before + promised) / size);
            if (promised > 0x1p-30 * size) n->tight = larger(n->tight, promised / (before - now));
        }
        n->low = larger(n->low, (s->a->lower - now) / size);
        const double theta = move + (s->a->theta_factor > 1 ? last_move : 0);
        if (k > t->first) check_residuals(s, t, theta, n);
        before = now, last_move = move;
        n->iterations++;
        if (s->run.report.outcome != CREASE_NOT_RUN) break;
    }
}

/* One run with the problem's eps a share of its first residual. */
static inline void follow(const random_problem *q, const crease_options *o, const statement *t,
                          double share, figures *n)
{
    crease_error e = { 0 };
    crease_solver *s = crease_solver_new(&q->p, o, &e);
    if (!s) fail_msg("refused: %s", e.text);
    if (strncmp(s->a->theorem, t->theorem, strlen(t->theorem)) != 0) {
        n->other++;
        crease_solver_free(s);
        return;
    }
    /* a run that ends before its constraint is met takes it back */
    if (!s->a->guarantee) fail_msg("no guarantee from %s", s->a->theorem);
    check_kappa(s, t);
    check_steps(s);
    set_eps(s, share);
    watch(s, t, n);
    n->problems++;
    if (s->run.report.outcome == CREASE_STATIONARY) {
        n->reached++;
        n->share = larger(n->share, (double)s->run.report.iterations / (s->run.report.bound + 2));
    } else if (s->run.report.outcome != CREASE_ITERATION_LIMIT) {
        fail_msg("outcome %d: %s", (int)s->run.report.outcome, s->run.report.note);
    }
    if (s->run.report.audit_violations) fail_msg("%s", s->run.report.note);
    crease_solver_free(s);
}

static inline crease_options plain(crease_method method, crease_mode mode, long iterations)
{
    crease_options o = crease_options_default();
    o.method = method;
    o.mode = mode;
    if (method != CREASE_METHOD_GCG) o.accelerate = 0;
    o.certify_every = 1;
    o.max_iterations = iterations;
    return o;
}

static inline void report(const char *name, const figures *n)
{
    print_message(
        "%s: %ld problems (%ld under another theorem), %ld iterations: rise %.1e (promised/seen "
        "%.3g), below %.1e, residual^2/(kappa theta) %.3g, by block %.3g, reached eps %.0f%%, "
        "k/(K+2) "
        "%.2g\n",
        name, n->problems, n->other, n->iterations, n->rise, n->tight, n->low, n->ratio,
        n->ratio_blocks, 100.0 * (double)n->reached / (double)n->problems, n->share);
}

/* 400 iterations of at most 30 numbers, each sum of terms rounded. */
static inline void assert_held(const figures *n)
{
    assert_true(n->problems > 0 && n->reached > 0);
    assert_true(n->rise <= 400 * 30 * 0x1p-53);
    assert_true(n->low <= 400 * 30 * 0x1p-53);
    assert_true(n->ratio <= 1 && n->ratio_blocks <= 1);
    assert_true(n->share <= 1);
}

#endif
