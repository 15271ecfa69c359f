/* SPDX-License-Identifier: MIT
 * corrections: numbers behind the corrections to the paper that docs/theory.md lists */
#include "support/hong.h"
#include "support/test.h"
#include "theory/theory.h"

static const crease_space line[] = { { 1, { 1 }, NULL }, { 1, { 1 }, NULL } };
static const double one = 1;

static crease_analysis *analysis_of(const crease_problem *p, crease_options o)
{
    crease_error e = { CREASE_OK, "" };
    crease_analysis *a = crs_analyse(p, &o, CRS_EFFORT, &e); /* the paper's methods */
    if (!a) fail_msg("%s", e.text);
    return a;
}

static bool covered(const crease_problem *p, crease_options o)
{
    crease_analysis *a = analysis_of(p, o);
    const bool guarantee = a->guarantee;
    crease_analysis_free(a);
    return guarantee;
}

/* 9: f = (L/2) x^2 linearized with H = 0.1 L alone is x <- -9 x; the engine adds L. */
static void linearized_steps_add_L(void **state)
{
    const double L = 4, start = 3;
    const crease_distance_data d[] = { { 0, -1, L, NULL }, { 1, -1, 1, NULL } };
    const crease_smooth term[] = { crease_squared_distance(&d[0]), crease_squared_distance(&d[1]) };
    const crease_smooth_list sum = { 2, term };
    const crease_block block[] = { { .reg = crease_l1(0.1), .start = &start },
                                   { .map = crease_identity(1) } };
    const crease_problem p = { 2, line, block, crease_smooth_sum(&sum), line[1], &one };
    crease_options o = crease_options_default();
    crease_error e;
    double x = start;
    (void)state;
    for (int k = 0; k < 50; k++) x -= L * x / (0.1 * L);
    assert_true(fabs(x) > 1e40);

    o.mode = CREASE_MODE_THEORY;
    o.h = 0.1 * L;
    crease_solver *s = crease_solver_new(&p, &o, &e);
    assert_non_null(s);
    assert_int_equal(crease_solve(s), CREASE_STATIONARY);
    assert_int_equal(crease_solver_report(s).audit_violations, 0);
    crease_solver_free(s);
}

/* 11, 12: min 3|x|, x = 1 by a slack: any beta > mu; with mu = 1/eps the slack stays at 3/mu. */
static void the_slack_stalls_unless_mu_grows(void **state)
{
    const crease_block block = { .reg = crease_l1(3), .map = crease_identity(1) };
    const crease_problem p = { 1, line, &block, { .ops = NULL }, line[0], &one };
    crease_options o = crease_options_default();
    crease_error e;
    (void)state;
    o.method = CREASE_METHOD_EXTENSION;
    o.eps = 0.1, o.mu = 10;
    for (int k = 0; k < 3; k++) {
        const double factor[] = { 3, 1.01, 0.9 };
        o.beta = factor[k] * o.mu;
        assert_int_equal(covered(&p, o), factor[k] > 1);
    }
    o.beta = 0, o.max_iterations = 2000;
    crease_solver *s = crease_solver_new(&p, &o, &e);
    assert_int_equal(crease_solve(s), CREASE_ITERATION_LIMIT);
    assert_close(crease_solver_certificate(s)->feasibility.residual, 3 / o.mu, 1e-6);
    crease_solver_free(s);

    o.mu = 0;
    s = crease_solver_new(&p, &o, &e);
    assert_int_equal(crease_solve(s), CREASE_STATIONARY);
    crease_solver_free(s);
}

/* 15: f = |B|^2, E + B = T: what the parameters of section 5 are covered by. */
static void the_parameters_of_section_5(void **state)
{
    const struct {
        crease_method method;
        crease_mode mode;
        double beta;
        bool covered;
    } list[] = {
        { CREASE_METHOD_ADMM_G, CREASE_MODE_PAPER, 4, false },
        { CREASE_METHOD_ADMM_G, CREASE_MODE_PRACTICAL, 4, false }, /* R1: on the edge */
        { CREASE_METHOD_ADMM_G, CREASE_MODE_PRACTICAL, 4.4, true },
        { CREASE_METHOD_ADMM_M, CREASE_MODE_PAPER, 5, false },
        { CREASE_METHOD_ADMM_M, CREASE_MODE_PAPER, 37, true },
        { CREASE_METHOD_ADMM_M, CREASE_MODE_PRACTICAL, 5, true }, /* R2 */
    };
    const crease_distance_data square_of_B = { 1, -1, 2, NULL };
    const crease_block block[] = { { .reg = crease_l1(0.3), .map = crease_identity(1) },
                                   { .map = crease_identity(1) } };
    const crease_problem p = {
        2, line, block, crease_squared_distance(&square_of_B), line[0], &one
    };
    crease_options o = crease_options_default();
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        o.method = list[k].method, o.mode = list[k].mode, o.beta = list[k].beta;
        assert_int_equal(covered(&p, o), list[k].covered);
    }
}

/* 16: of X, Y, E, B and Z only Z is fit to be the last block. */
static void robust_pca_ends_with_Z(void **state)
{
    enum { X, Y, E, B, Z };
    const crease_space factor = crease_matrix(3, 1), whole = crease_matrix(3, 3);
    const crease_space space[] = { factor, factor, whole, whole, whole };
    const crease_set ball = crease_l2_ball(2);
    const crease_map I = crease_identity(1);
    const crease_factorization_data product = { X, Y, Z, NULL };
    const crease_block block[] = { { .set = &ball },
                                   { .set = &ball },
                                   { .reg = crease_l1(0.3), .map = I },
                                   { .set = &ball, .map = I },
                                   { .map = I } };
    const crease_problem p = {
        5, space, block, crease_matrix_factorization(&product), whole, NULL
    };
    (void)state;
    crease_analysis *a = analysis_of(&p, crease_options_default());
    assert_int_equal(a->last, Z);
    assert_true(a->M < INFINITY);
    assert_int_equal(a->block[E].setting, 2);
    assert_int_equal(a->block[B].setting, 1);
    crease_analysis_free(a);
}

/* 18: Q <= ((1 + beta |A|)^2 + 1) res^2 and |c|^2 <= (1 + beta^2 |A|^2) Q. */
static void constants_of_hongs_measure(void **state)
{
    draws d = { { 32, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        const double A = normal(&d), beta = uniform(&d, 0, 5), x = normal(&d), lambda = normal(&d);
        const double *const at[] = { &x };
        const crease_distance_data half = { 0, -1, 1, NULL };
        const crease_block block = { .map = crease_identity(A) };
        const crease_problem p = { 1, line, &block, crease_squared_distance(&half), line[0], &one };
        const double c = fabs(x - A * lambda), s = fabs(A * x - 1), res = larger(c, s);
        const double Q = hong_q(&p, at, &lambda, beta);
        assert_true(Q <= (square(1 + beta * fabs(A)) + 1) * res * res * (1 + 1e-12));
        assert_true(c * c <= (1 + square(beta * A)) * Q * (1 + 1e-12) + 1e-28);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linearized_steps_add_L),
        cmocka_unit_test(the_slack_stalls_unless_mu_grows),
        cmocka_unit_test(the_parameters_of_section_5),
        cmocka_unit_test(robust_pca_ends_with_Z),
        cmocka_unit_test(constants_of_hongs_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
