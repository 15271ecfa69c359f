/* SPDX-License-Identifier: MIT
 * multipliers: what the method of multipliers ends with is stationary by the definitions, is the
 * answer where there is one answer, and is found again at once from where it is */
#include "composite/cores.h"

#include "support/test.h"

enum { N = 12, M = 3, DATA = 40, MOST = 20000 };

/* A run of the core on a problem; its standing lives as long as it. */
typedef struct {
    crs_work work;
    crs_composite *c;
    void *self;
    double tolerance[4], feasible;
    crs_task task;
    crs_standing now;
    crs_core_state said;
    long steps;
} running;

static void go(running *r)
{
    for (r->steps = 0, r->said = CRS_CORE_GOES_ON;
         r->said == CRS_CORE_GOES_ON && r->steps < MOST && !r->now.separator; r->steps++) {
        r->said = crs_core_multipliers.step(r->self);
        crs_core_multipliers.stand(r->self, &r->now);
    }
}

static void begin(running *r, const crease_problem *p, double eps)
{
    crease_error e = { CREASE_OK, "" };
    *r = (running){ .feasible = eps };
    for (int i = 0; i < 4; i++) r->tolerance[i] = eps;
    r->c = crs_composite_new(p, 0, &r->work, NULL, &e);
    if (!r->c) fail_msg("%s", e.text);
    r->task = (crs_task){ .c = r->c, .start = r->c->start, .tolerance = r->tolerance };
    r->task.feasible = &r->feasible;
    r->self = crs_core_multipliers.open(&r->task, &e);
    if (!r->self) fail_msg("%s", e.text);
}

static void end(running *r)
{
    crs_core_multipliers.close(r->self);
    crs_composite_free(r->c);
}

/* The worst residual by the definitions. */
static double certified(const running *r, const crease_problem *p)
{
    static double work[100000];
    const double *x[4];
    crease_residual block[4];
    crease_certificate c = { .block = block };
    assert_true(crease_certify_scratch(p) <= 100000);
    for (int i = 0; i < p->count; i++) x[i] = r->now.x + r->c->at[i];
    crease_certify(p, x, r->now.multiplier, &c, work);
    return c.worst;
}

typedef struct {
    double A[M * N], K[DATA * N], b[M], y[DATA], inside[N], start[N];
    crease_map map, design;
    int block;
    crease_predictor u;
    crease_space space;
    crease_block blocks[1];
    crease_set box;
} example;

/* A x = b holds at a sparse point inside the box. */
static void draw_example(draws *d, example *s)
{
    normals(d, M * N, 1, s->A);
    normals(d, DATA * N, 0.4, s->K);
    for (int j = 0; j < N; j++) s->inside[j] = below(d, 3) ? 0 : uniform(d, 0.1, 0.9);
    for (int j = 0; j < N; j++) s->start[j] = uniform(d, 0, 1);
    for (int i = 0; i < M; i++) s->b[i] = crs_dot(N, s->A + i * N, s->inside);
    for (int i = 0; i < DATA; i++) s->y[i] = normal(d) > 0 ? 1 : -1;
    s->map = crease_dense(s->A);
    s->design = crease_dense(s->K);
    s->block = 0;
    s->u = (crease_predictor){ .count = 1, .block = &s->block, .map = &s->design, .rhs = s->y };
    s->u.range = crease_vector(DATA);
    s->space = crease_vector(N);
    s->box = crease_box(0, 1);
}

static crease_problem problem_of(example *s, crease_smooth f, crease_reg r, bool boxed, bool zero)
{
    s->blocks[0] = (crease_block){ .reg = r, .map = s->map, .start = zero ? NULL : s->start };
    s->blocks[0].set = boxed ? &s->box : NULL;
    return (crease_problem){ .count = 1,
                             .space = &s->space,
                             .block = s->blocks,
                             .f = f,
                             .range = crease_vector(M),
                             .rhs = s->b };
}

enum { LOSSES = 4, REGS = 9 };

static crease_smooth loss_at(const example *s, int k)
{
    return k == 0   ? crease_least_squares(&s->u)
           : k == 1 ? crease_logistic(&s->u)
           : k == 2 ? crease_huber_loss(&s->u, 0.3)
                    : (crease_smooth){ 0 };
}

static crease_reg reg_at(int k)
{
    const crease_reg all[REGS] = {
        crease_zero(),
        crease_l1(0.1),
        crease_mcp(0.1, 3),
        crease_scad(0.1, 3.7),
        crease_l0(0.01),
        crease_lq(0.05, 0.5),
        crease_nonneg_indicator(),
        crease_elastic_net(0.1, 0.2),
        crease_lsp(0.1, 0.5),
    };
    return all[k];
}

static void every_loss_and_penalty_ends_stationary(void **state)
{
    draws d = { { 31, 1 }, 0 };
    example s;
    running r;
    (void)state;
    for (int k = 0; k < 4 * LOSSES * REGS; k++) {
        const int loss = k % LOSSES, reg = k / LOSSES % REGS;
        const bool boxed = k / (LOSSES * REGS) % 2, zero = k / (2 * LOSSES * REGS) % 2;
        draw_example(&d, &s);
        if (loss == 3 && reg == 0) continue; /* F = 0 */
        const crease_problem p = problem_of(&s, loss_at(&s, loss), reg_at(reg), boxed, zero);
        begin(&r, &p, 1e-6);
        go(&r);
        const double worst = certified(&r, &p);
        if (r.said != CRS_CORE_DONE || !(worst <= 1.001e-6))
            fail_msg(
                "loss %d, regularizer %d, box %d, zero %d: state %d after %ld, worst %g, ratio %g",
                loss, reg, boxed, zero, (int)r.said, r.steps, worst, r.now.ratio);
        end(&r);
    }
}

/* Sets and regularizers that are not of single entries: another core is inside. */
static void sets_and_norms_of_all_entries_end_stationary(void **state)
{
    draws d = { { 39, 1 }, 0 };
    example s;
    running r;
    (void)state;
    for (int k = 0; k < 60; k++) {
        const crease_set sets[] = { crease_simplex(1), crease_l2_ball(1), crease_l1_ball(1) };
        draw_example(&d, &s);
        double sum = 0;
        for (int j = 0; j < N; j++) sum += s.inside[j];
        for (int j = 0; j < N; j++) s.inside[j] /= sum > 0 ? sum : 1;
        for (int i = 0; i < M; i++) s.b[i] = crs_dot(N, s.A + i * N, s.inside);
        if (!(sum > 0)) continue;
        crease_problem p = problem_of(&s, loss_at(&s, k % 3), crease_zero(), true, k % 2);
        s.box = sets[k / 3 % 3];
        if (k / 9 % 2) s.blocks[0].set = NULL, s.blocks[0].reg = crease_tv1d(0.05);
        begin(&r, &p, 1e-6);
        assert_false(crs_all_separable(r.c));
        go(&r);
        const double worst = certified(&r, &p);
        if (r.said != CRS_CORE_DONE || !(worst <= 1.001e-6))
            fail_msg("%d: state %d after %ld, worst %g, ratio %g", k, (int)r.said, r.steps, worst,
                     r.now.ratio);
        end(&r);
    }
}

/* Solves the n x n system a z = b in place, with pivots. */
static void eliminate(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        int at = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[at * n + k])) at = i;
        for (int j = 0; j < n && at != k; j++) {
            const double t = a[k * n + j];
            a[k * n + j] = a[at * n + j], a[at * n + j] = t;
        }
        const double t = b[k];
        b[k] = b[at], b[at] = t;
        for (int i = k + 1; i < n; i++) {
            const double m = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) a[i * n + j] -= m * a[k * n + j];
            b[i] -= m * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
        b[k] /= a[k * n + k];
    }
}

/* (K'K + 0.2 I) x - A'lambda = K'y, A x = b */
static void solve_kkt(const example *s, double *z)
{
    enum { ALL = N + M };
    double a[ALL * ALL] = { 0 };
    for (int i = 0; i < N; i++) {
        z[i] = 0;
        for (int k = 0; k < DATA; k++) z[i] += s->K[k * N + i] * s->y[k];
        for (int j = 0; j < N; j++)
            for (int k = 0; k < DATA; k++) a[i * ALL + j] += s->K[k * N + i] * s->K[k * N + j];
        a[i * ALL + i] += 0.2;
        for (int j = 0; j < M; j++) {
            a[i * ALL + N + j] = -s->A[j * N + i];
            a[(N + j) * ALL + i] = s->A[j * N + i];
        }
    }
    for (int j = 0; j < M; j++) z[N + j] = s->b[j];
    eliminate(ALL, a, z);
}

static void quadratics_have_the_answer_and_multiplier_of_their_linear_system(void **state)
{
    draws d = { { 32, 1 }, 0 };
    example s;
    running r;
    (void)state;
    for (int k = 0; k < 20; k++) {
        double z[N + M];
        draw_example(&d, &s);
        const crease_problem p =
            problem_of(&s, crease_least_squares(&s.u), crease_squared_l2(0.2), false, k % 2);
        begin(&r, &p, 1e-9);
        go(&r);
        solve_kkt(&s, z);
        assert_int_equal(r.said, CRS_CORE_DONE);
        for (int j = 0; j < N; j++) assert_close(r.now.x[j], z[j], 1e-7);
        for (int j = 0; j < M; j++) assert_close(r.now.multiplier[j], z[N + j], 1e-7);
        end(&r);
    }
}

/* The least q'x over the vertices of A x = b, x >= 0: every choice of 2 columns of 2 rows. */
static double best_vertex(int n, const double *A, const double *b, const double *q)
{
    double best = INFINITY;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            const double det = A[i] * A[n + j] - A[j] * A[n + i];
            const double s = (b[0] * A[n + j] - A[j] * b[1]) / det;
            const double t = (A[i] * b[1] - b[0] * A[n + i]) / det;
            if (s >= 0 && t >= 0) best = smaller(best, q[i] * s + q[j] * t);
        }
    return best;
}

static void linear_programs_end_at_the_value_of_their_best_vertex(void **state)
{
    enum { SIX = 6 };
    draws d = { { 33, 1 }, 0 };
    running r;
    (void)state;
    for (int k = 0; k < 20; k++) {
        double A[2 * SIX], b[2] = { 0 }, q[SIX];
        for (int j = 0; j < 2 * SIX; j++) A[j] = uniform(&d, 0.1, 1);
        for (int j = 0; j < SIX; j++) q[j] = uniform(&d, -1, 1);
        for (int j = 0; j < SIX; j++) b[0] += A[j], b[1] += A[SIX + j];
        const double *linear[] = { q };
        const crease_quadratic_data form = { .blocks = 1, .linear = linear };
        const crease_space space = crease_vector(SIX);
        const crease_block block = { .reg = crease_nonneg_indicator(), .map = crease_dense(A) };
        const crease_problem p = {
            1, &space, &block, crease_quadratic(&form), crease_vector(2), b
        };
        begin(&r, &p, 1e-8);
        go(&r);
        assert_int_equal(r.said, CRS_CORE_DONE);
        assert_close(r.now.objective, best_vertex(SIX, A, b, q), 1e-6);
        end(&r);
    }
}

/* (1/2)|x - y|^2 + l1 or mcp of the differences z of neighbours, D x - z = 0 */
static void differences_in_a_block_of_their_own_end_stationary(void **state)
{
    enum { LONG = 30 };
    draws d = { { 34, 1 }, 0 };
    double y[LONG];
    running r;
    (void)state;
    for (int k = 0; k < 6; k++) {
        for (int j = 0; j < LONG; j++) y[j] = (double)(j / 10 * 2) + 0.3 * normal(&d);
        const crease_distance_data far = { 0, -1, 1, y };
        const crease_space space[] = { crease_vector(LONG), crease_vector(LONG - 1) };
        const crease_reg jumps = k % 2 ? crease_mcp(0.5, 3) : crease_l1(0.5);
        const crease_block block[] = { { .map = crease_finite_difference(0), .start = y },
                                       { .reg = jumps, .map = crease_identity(-1) } };
        const crease_problem p = { 2, space, block, crease_squared_distance(&far), space[1], NULL };
        begin(&r, &p, 1e-6);
        go(&r);
        assert_int_equal(r.said, CRS_CORE_DONE);
        assert_true(certified(&r, &p) <= 1.001e-6);
        end(&r);
    }
}

static void the_answer_as_start_is_the_answer_in_two_steps(void **state)
{
    draws d = { { 35, 1 }, 0 };
    example s;
    running r;
    (void)state;
    for (int k = 0; k < 20; k++) {
        double x[N], lambda[M];
        crease_error e;
        draw_example(&d, &s);
        const crease_problem p =
            problem_of(&s, crease_least_squares(&s.u), reg_at(k % REGS), k % 2, true);
        begin(&r, &p, 1e-6);
        go(&r);
        copy(N, r.now.x, x);
        copy(M, r.now.multiplier, lambda);
        crs_core_multipliers.close(r.self);
        r.task.start = x;
        r.task.multiplier = lambda;
        r.task.beta = r.now.beta;
        r.self = crs_core_multipliers.open(&r.task, &e);
        assert_non_null(r.self);
        go(&r);
        assert_int_equal(r.said, CRS_CORE_DONE);
        if (r.steps > 2) fail_msg("%ld steps, regularizer %d", r.steps, k % REGS);
        end(&r);
    }
}

static void a_new_right_hand_side_is_met_from_where_the_last_one_was(void **state)
{
    draws d = { { 36, 1 }, 0 };
    example s;
    running r, cold;
    long warm_steps = 0, cold_steps = 0;
    (void)state;
    for (int k = 0; k < 10; k++) {
        draw_example(&d, &s);
        const crease_problem p =
            problem_of(&s, crease_least_squares(&s.u), crease_elastic_net(0.1, 0.2), true, true);
        begin(&r, &p, 1e-6);
        go(&r);
        for (int i = 0; i < M; i++) s.b[i] *= 1 - 1e-3 * uniform(&d, 0, 1);
        assert_true(crs_core_multipliers.renew(r.self));
        go(&r);
        begin(&cold, &p, 1e-6);
        go(&cold);
        assert_int_equal(r.said, CRS_CORE_DONE);
        assert_true(certified(&r, &p) <= 1.001e-6);
        assert_close(r.now.objective, cold.now.objective, 1e-5);
        warm_steps += r.steps;
        cold_steps += cold.steps;
        end(&r);
        end(&cold);
    }
    if (3 * cold_steps <= 4 * warm_steps) fail_msg("%ld steps, cold %ld", warm_steps, cold_steps);
}

static void a_constraint_that_no_point_of_the_sets_meets_is_separated(void **state)
{
    draws d = { { 37, 1 }, 0 };
    example s;
    running r;
    (void)state;
    for (int k = 0; k < 20; k++) {
        crease_refutation proof;
        crease_error e;
        double most = 0;
        draw_example(&d, &s);
        for (int j = 0; j < N; j++) most += pos(s.A[j]);
        s.b[0] = most + uniform(&d, 0.1, 3); /* above all that the box reaches */
        const crease_problem p = problem_of(&s, loss_at(&s, k % 3), reg_at(k % 3), true, true);
        begin(&r, &p, 1e-6);
        go(&r);
        assert_non_null(r.now.separator);
        assert_true(crease_verify_infeasible(&p, r.now.separator, &proof, &e));
        assert_int_equal(proof.verdict, CREASE_VERDICT_VALID);
        end(&r);
    }
}

static void numbers_that_are_none_end_the_run(void **state)
{
    draws d = { { 38, 1 }, 0 };
    example s;
    running r;
    (void)state;
    for (int k = 0; k < 3; k++) {
        draw_example(&d, &s);
        double *spoiled[] = { s.b, s.y, s.K };
        spoiled[k][1] = NAN;
        const crease_problem p = problem_of(&s, crease_least_squares(&s.u), reg_at(2), false, true);
        begin(&r, &p, 1e-6);
        go(&r);
        assert_int_equal(r.said, CRS_CORE_STUCK);
        assert_true(r.steps < 100);
        end(&r);
    }
}

/* Planted with 3 of 20 entries in 10 equations: the reweighted start finds a point that sparse. */
static void sparse_solutions_of_equations_are_found(void **state)
{
    enum { WIDE = 20, ROWS = 10 };
    draws d = { { 39, 1 }, 0 };
    running r;
    int found = 0;
    (void)state;
    for (int k = 0; k < 20; k++) {
        double A[ROWS * WIDE], b[ROWS] = { 0 };
        normals(&d, ROWS * WIDE, 1, A);
        double planted = 0;
        for (int j = 0; j < 3; j++) {
            const double t = copysign(uniform(&d, 0.5, 3), normal(&d));
            planted += k % 2 ? 1 : sqrt(fabs(t));
            for (int i = 0; i < ROWS; i++) b[i] += t * A[i * WIDE + 6 * j];
        }
        const crease_space space = crease_vector(WIDE);
        const crease_reg few = k % 2 ? crease_l0(1) : crease_lq(1, 0.5);
        const crease_block block = { .reg = few, .map = crease_dense(A) };
        const crease_problem p = {
            .count = 1, .space = &space, .block = &block, .range = crease_vector(ROWS), .rhs = b
        };
        begin(&r, &p, 1e-6);
        go(&r);
        assert_int_equal(r.said, CRS_CORE_DONE);
        assert_true(certified(&r, &p) <= 1.001e-6);
        found += r.now.objective <= planted + 1e-6;
        end(&r);
    }
    assert_true(found >= 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_and_penalty_ends_stationary),
        cmocka_unit_test(sets_and_norms_of_all_entries_end_stationary),
        cmocka_unit_test(quadratics_have_the_answer_and_multiplier_of_their_linear_system),
        cmocka_unit_test(linear_programs_end_at_the_value_of_their_best_vertex),
        cmocka_unit_test(differences_in_a_block_of_their_own_end_stationary),
        cmocka_unit_test(the_answer_as_start_is_the_answer_in_two_steps),
        cmocka_unit_test(a_new_right_hand_side_is_met_from_where_the_last_one_was),
        cmocka_unit_test(a_constraint_that_no_point_of_the_sets_meets_is_separated),
        cmocka_unit_test(numbers_that_are_none_end_the_run),
        cmocka_unit_test(sparse_solutions_of_equations_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
