/* SPDX-License-Identifier: MIT
 * follow.h: a run watched from outside: potential, its decrease and lower bound, and the residuals,
 * all recomputed from (x, lambda) and the parts of the problem */
#ifndef CREASE_TEST_FOLLOW_H
#define CREASE_TEST_FOLLOW_H

#include "random_coupling.h"
#include "solve/solver.h"

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

static inline double residual_of(const crease_solver *s, double *r)
{
    const crease_problem *p = s->p;
    const ptrdiff_t m = crease_size(&p->range);
    for (ptrdiff_t j = 0; j < m; j++) r[j] = p->rhs ? -p->rhs[j] : 0;
    for (int i = 0; i < p->count; i++) {
        const crease_map *A = &p->block[i].map;
        if (A->ops) A->ops->apply(A, &p->space[i], &p->range, 1, s->st.x[i], r, s->st.work);
    }
    return crs_norm(m, r);
}

/* f + sum r_i - <lambda, s> + (beta/2)|s|^2; *size: the sum of the terms' sizes. */
static inline double lagrangian(const crease_solver *s, double *size)
{
    const crease_problem *p = s->p;
    const crease_blocks b = { p->count, p->space, NULL };
    double r[ENTRIES];
    double value = p->f.ops ? p->f.ops->value(&p->f, &b, points(s->st.x), s->st.work) : 0;
    *size = 1 + fabs(value);
    for (int i = 0; i < p->count; i++) {
        const crease_reg *reg = &p->block[i].reg;
        const double here =
            reg->ops ? reg->ops->value(reg, &p->space[i], s->st.x[i], s->st.work) : 0;
        value += here, *size += fabs(here);
    }
    if (p->range.order == 0) return value;
    const double norm = residual_of(s, r), square_part = s->a->beta / 2 * norm * norm;
    const double inner = crs_dot(crease_size(&p->range), r, s->st.lambda);
    const double reach = crs_norm(crease_size(&p->range), s->st.lambda) * norm;
    *size += square_part + reach;
    return value + square_part - inner;
}

static inline double moved(const crease_solver *s, int i)
{
    double sum = 0;
    for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++)
        sum += square(s->st.x[i][j] - s->st.was[i][j]);
    return sum;
}

/* sum_{i != N} |dx_i|^2 + last_weight |dx_N|^2 */
static inline double all_moved(const crease_solver *s)
{
    double sum = 0;
    for (int i = 0; i < s->p->count; i++)
        sum += (i == s->a->last ? s->a->last_weight : 1) * moved(s, i);
    return sum;
}

/* (L max(1, 1/|c|) + beta |A_i| (sum_{j after i} |A_j|^2)^{1/2} + |H_i|)^2, times diam^2 */
static inline double kappa_of(const crease_solver *s, int i)
{
    const crease_analysis *a = s->a;
    const crease_block_plan *plan = &a->block[i];
    const double w = a->last_weight, beta = a->last >= 0 ? a->beta : 0;
    double later = a->last >= 0 ? square(a->block[a->last].map_norm) / w : 0;
    for (int j = i + 1; j < a->count; j++)
        if (j != a->last) later += square(a->block[j].map_norm);
    const double tau = beta * square(plan->map_norm) + (1 + plan->h_relative) * plan->lipschitz;
    const double H = plan->exact ? plan->h : larger(tau + plan->h, plan->tau_least);
    const double sum = a->L * larger(1, 1 / sqrt(w)) + beta * plan->map_norm * sqrt(later) + H;
    return square(sum * (plan->setting == 1 ? plan->diameter : 1));
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
        const double e = square(excess_of(&s->now.block[i]));
        if (e == 0) continue;
        n->ratio = larger(n->ratio, e / (s->a->kappa * theta));
        const double kappa = i == s->a->last ? own : kappa_of(s, i);
        n->ratio_blocks = larger(n->ratio_blocks, e / (kappa * theta));
    }
    if (s->a->last < 0) return;
    double r[ENTRIES]; /* with the slack where there is one */
    const double e = square(pos(residual_of(s, r) - 0x1p-40 * (1 + s->now.feasibility.scale)));
    if (e == 0) return;
    n->ratio = larger(n->ratio, e / (s->a->kappa * theta));
    n->ratio_blocks = larger(n->ratio_blocks, e / (own * theta));
}

/* Sets eps to a share of the residual at the start, and starts. */
static inline void set_eps(crease_solver *s, double share)
{
    crease_certify(s->given, points(s->st.x), s->st.lambda, &s->now, s->certify_work);
    s->o.eps = share * (s->now.worst < 1e3 ? s->now.worst : 1);
}

static inline void watch(crease_solver *s, const statement *t, figures *n)
{
    double before = NAN, last_move = 0, size = 1;
    long restarts = 0;
    while (crease_step(s) == CREASE_NOT_RUN || s->report.outcome == CREASE_STATIONARY) {
        const long k = s->report.iterations;
        if (k == 0) break; /* the start is stationary already */
        const double move = all_moved(s), base = lagrangian(s, &size);
        const double now =
            base + (s->a->last >= 0 && t->memory ? t->memory(s->a) * moved(s, s->a->last) : 0);
        if (restarts != s->report.restarts) { /* the extension's mu grew: a new run from here */
            restarts = s->report.restarts, before = now, last_move = 0;
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
        if (s->report.outcome != CREASE_NOT_RUN) break;
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
    set_eps(s, share);
    watch(s, t, n);
    n->problems++;
    if (s->report.outcome == CREASE_STATIONARY) {
        n->reached++;
        n->share = larger(n->share, (double)s->report.iterations / (s->report.bound + 2));
    } else if (s->report.outcome != CREASE_ITERATION_LIMIT) {
        fail_msg("outcome %d: %s", (int)s->report.outcome, s->report.note);
    }
    if (s->report.audit_violations) fail_msg("%s", s->report.note);
    if (!s->a->guarantee) fail_msg("no guarantee from %s", s->a->theorem);
    crease_solver_free(s);
}

static inline crease_options plain(crease_method method, crease_mode mode, long iterations)
{
    crease_options o = crease_options_default();
    o.method = method;
    o.mode = mode;
    o.accelerate = 0;
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
