/* SPDX-License-Identifier: MIT
 * extension_theorem_4_2: any maps A_i, with a slack y of weight mu; F = f + sum r_i
 *
 * lambda = mu y, L_beta = F + (mu/2)|Ax - b|^2 + ((beta - mu)/2)|Ax + y - b|^2, which falls from
 * the first iteration (R2 with D = mu). A fixed mu stalls at feasibility |lambda|/mu; raising mu
 * certifies; mu >= 2 (F(x^0) - F*)/eps^2 from a feasible start keeps |Ax - b| <= eps. */
#include "paper/statements.h"

static const statement says = { "Theorem 4.2", NULL, residual_r2, 0 };

static crease_solver *begin(const random_problem *q, const crease_options *o)
{
    crease_error e = { 0 };
    crease_solver *s = crease_solver_new(&q->p, o, &e);
    if (!s) fail_msg("refused: %s", e.text);
    return s;
}

/* The two identities at the iterate, relative to the size of their terms. */
static double off(const crease_solver *s)
{
    const int N = s->a->last;
    const ptrdiff_t m = crease_size(&s->p->range);
    const double mu = s->a->mu, *y = s->st.x[N];
    double r[ENTRIES], size, apart = 0, without = 0, F;
    const double with = residual_of(s, r), L = lagrangian(s, &size);
    for (ptrdiff_t j = 0; j < m; j++) {
        apart = larger(apart, fabs(s->st.lambda[j] - mu * y[j]) / (1 + mu * fabs(y[j])));
        without += square(r[j] - y[j]);
    }
    assert_true(crease_objective(s->given, points(s->st.x), &F, NULL));
    const double right = F + mu / 2 * without + (s->a->beta - mu) / 2 * with * with;
    return larger(apart, fabs(L - right) / (size + mu * without));
}

static void identities(void **state)
{
    double worst = 0;
    random_problem q;
    (void)state;
    for (uint64_t k = 0; k < 200 / SLOWDOWN; k++) {
        draw_problem(&q, k + 110000, ANY_MAPS, COUPLED);
        crease_options o = plain(CREASE_METHOD_EXTENSION, CREASE_MODE_PRACTICAL, 50);
        o.mu = exp(uniform(&q.d, 0, 6));
        crease_solver *s = begin(&q, &o);
        while (crease_step(s) == CREASE_NOT_RUN) worst = larger(worst, off(s));
        crease_solver_free(s);
    }
    print_message("identities on %d problems: off by %.1e\n", 200 / SLOWDOWN, worst);
    assert_true(worst <= 1e-9);
}

/* Drawn at random, a constraint and sets may contradict each other: theory mode then refuses, and a
 * run ends with the proof. */
static bool is_refused_as_infeasible(const crease_problem *p, const crease_options *given)
{
    crease_error e = { CREASE_OK, "" };
    crease_options o = *given;
    o.mode = CREASE_MODE_THEORY;
    crease_analysis *a = crease_analyse(p, &o, &e);
    crease_analysis_free(a);
    return !a && (strstr(e.text, "feasible is violated") || strstr(e.text, "feasible is unknown"));
}

static void decreases(void **state)
{
    static const crease_mode mode[] = { CREASE_MODE_THEORY, CREASE_MODE_PRACTICAL };
    (void)state;
    for (int i = 0; i < 2; i++) {
        crease_options o = plain(CREASE_METHOD_EXTENSION, mode[i], 150);
        figures n = { 0 };
        random_problem q;
        long infeasible = 0;
        for (uint64_t k = 0; k < 1000 / SLOWDOWN; k++) {
            draw_problem(&q, k + 120000, ANY_MAPS, COUPLED);
            o.mu = 20;
            if (is_refused_as_infeasible(&q.p, &o))
                infeasible++;
            else
                follow(&q, &o, &says, 0.2, &n);
        }
        report(crease_mode_name(mode[i]), &n);
        print_message("refused for want of a feasible point: %ld\n", infeasible);
        assert_true(infeasible < 500 / SLOWDOWN);
        assert_held(&n);
    }
}

/* min (1/2)|x_1 - t|^2 + |x_1|_1/10 + 3 |x_2|_1 with A_1 x_1 + A_2 x_2 = b: large multipliers. */
static void draw_stall(random_problem *q, uint64_t seed)
{
    *q = (random_problem){ .d = { .r = { .seed = seed, .stream = 9 } } };
    q->p = (crease_problem){ .count = 2, .space = q->space, .block = q->block, .rhs = q->rhs };
    q->space[0] = q->space[1] = q->p.range = crease_vector(3);
    for (int i = 0; i < 2; i++) {
        normals(&q->d, 9, 0.5, q->map[i]);
        for (int j = 0; j < 3; j++) q->map[i][4 * j] += 1;
        q->block[i] = (crease_block){ .reg = crease_l1(i ? 3 : 0.1) };
        q->block[i].map = crease_dense(q->map[i]);
    }
    normals(&q->d, 3, 1, q->rhs);
    normals(&q->d, 3, 6, q->slope[0][0]);
    q->distance = (crease_distance_data){ 0, -1, 1, q->slope[0][0] };
    q->p.f = crease_squared_distance(&q->distance);
}

static void stalls(void **state)
{
    const double eps = 0.05;
    long stalled = 0, certified = 0, restarts = 0;
    double worst = 0;
    random_problem q;
    (void)state;
    for (uint64_t k = 0; k < 40 / (SLOWDOWN > 1 ? 4 : 1); k++) {
        draw_stall(&q, k);
        crease_options o = plain(CREASE_METHOD_EXTENSION, CREASE_MODE_PRACTICAL, 20000);
        o.eps = eps, o.mu = 1 / eps, o.beta = 3 / eps, o.theta = 1e-22;
        crease_solver *s = begin(&q, &o);
        crease_solve(s);
        const double norm = crs_norm(3, s->st.lambda) * eps,
                     feasible = s->run.now.feasibility.residual;
        if (s->run.report.outcome != CREASE_STATIONARY) {
            stalled++;
            worst = larger(worst, fabs(feasible / norm - 1));
            assert_true(feasible > eps && s->run.report.bound == INFINITY);
        }
        crease_solver_free(s);
        o.mu = o.beta = o.theta = 0;
        s = begin(&q, &o);
        certified += crease_solve(s) == CREASE_STATIONARY;
        restarts += s->run.report.restarts;
        crease_solver_free(s);
    }
    print_message("mu = 1/eps stalls on %ld problems, feasibility off |lambda|/mu by %.1e; "
                  "raising mu certifies %ld, with %ld restarts\n",
                  stalled, worst, certified, restarts);
    assert_true(stalled > 0 && worst <= 1e-4);
    assert_int_equal(certified, 40 / (SLOWDOWN > 1 ? 4 : 1));
}

/* rhs = A x^0 with x^0 in its sets and domains. */
static double make_feasible(random_problem *q)
{
    double work[512], value;
    const double *at[MOST];
    for (int i = 0; i < q->p.count; i++) {
        const crease_block *b = &q->block[i];
        q->block[i].start = at[i] = q->start[i];
        for (int j = 0; j < ENTRIES; j++) q->start[i][j] = fabs(q->start[i][j]);
        if (b->set) b->set->ops->project(b->set, &q->space[i], q->start[i], q->start[i], work);
    }
    q->p.rhs = NULL;
    crs_constraint(&q->p, at, q->rhs, work);
    q->p.rhs = q->rhs;
    assert_true(crease_objective(&q->p, at, &value, NULL));
    return value;
}

static void always_feasible(void **state)
{
    double worst = 0, share = 0;
    long reached = 0, infinite = 0;
    random_problem q;
    (void)state;
    for (uint64_t k = 0; k < 1000 / SLOWDOWN; k++) {
        draw_problem(&q, k + 130000, ANY_MAPS, COUPLED);
        crease_options o = plain(CREASE_METHOD_EXTENSION, CREASE_MODE_PRACTICAL, 100);
        const double F = make_feasible(&q), eps = 0.5;
        crease_analysis *a = crease_analyse(&q.p, &o, NULL);
        assert_non_null(a);
        o.eps = eps;
        o.mu = larger(2 * (F - a->lower) / (eps * eps), 1e-3);
        crease_analysis_free(a);
        crease_solver *s = begin(&q, &o);
        while (crease_step(s) == CREASE_NOT_RUN)
            worst = larger(worst, s->run.now.feasibility.residual / eps);
        const crease_report r = crease_solver_report(s);
        infinite += r.iterations > 0 && !(r.bound < INFINITY);
        if (r.outcome == CREASE_STATIONARY) {
            reached++;
            share = larger(share, (double)r.iterations / (r.bound + 2));
        }
        crease_solver_free(s);
    }
    print_message("mu = 2 (F(x^0) - F*)/eps^2 on %d problems: |Ax - b|/eps <= %.3g, reached %ld, "
                  "k/(K+2) <= %.2g, without a bound %ld\n",
                  1000 / SLOWDOWN, worst, reached, share, infinite);
    assert_true(worst <= 1 && share <= 1 && reached > 0 && infinite == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities),
        cmocka_unit_test(decreases),
        cmocka_unit_test(stalls),
        cmocka_unit_test(always_feasible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
