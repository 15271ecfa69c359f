/* SPDX-License-Identifier: MIT
 * splitting: two proxes and c_1 x_1 + c_2 x_2 = b: what it ends with is stationary by the
 * definitions and the answer where that is known */
#include "support/core_steps.h"

enum { ROWS = 8, COLS = 6, N = ROWS * COLS, MOST = 5000 };

static const double scales[][2] = { { 1, 1 }, { 1, -1 }, { -2, 0.5 } };

typedef struct {
    double b[N];
    crease_space spaces[2];
    crease_block blocks[2];

    crease_set set;
} example;

static crease_problem problem_of(draws *d, example *s, crease_reg first, crease_reg second, int k)
{
    normals(d, N, 1, s->b);
    for (int j = 0; j < N; j++)
        if (below(d, 10) == 0) s->b[j] *= 10;
    for (int i = 0; i < 2; i++) {
        s->spaces[i] = crease_matrix(ROWS, COLS);
        s->blocks[i] =
            (crease_block){ .reg = i ? second : first, .map = crease_identity(scales[k][i]) };
    }
    return (crease_problem){ .count = 2,
                             .space = s->spaces,
                             .block = s->blocks,
                             .range = crease_matrix(ROWS, COLS),
                             .rhs = s->b };
}

static void ends_stationary(const crease_problem *p, const char *what, int k)
{
    core_steps r;
    core_begin(&r, &crs_core_splitting, p, 1e-7, NULL);
    core_go(&r, MOST);
    const double worst = core_certified(&r, p);
    if (r.said != CRS_CORE_DONE || !(worst <= 1.001e-7))
        fail_msg("%s, scales %d: state %d after %ld steps, worst %g", what, k, (int)r.said, r.steps,
                 worst);
    core_end(&r);
}

static void convex_pairs_end_stationary(void **state)
{
    draws d = { { 51, 1 }, 0 };
    example s;
    (void)state;
    for (int k = 0; k < 12; k++) {
        const int at = k % 3;
        crease_problem p = problem_of(&d, &s, crease_nuclear(1), crease_l1(0.4), at);
        ends_stationary(&p, "nuclear and l1", at);
        p = problem_of(&d, &s, crease_l1(0.3), crease_nuclear(1), at);
        ends_stationary(&p, "l1 and nuclear", at);
        p = problem_of(&d, &s, crease_squared_l2(2), crease_l1(1), at);
        ends_stationary(&p, "squares and l1", at);
        p = problem_of(&d, &s, crease_huber(1, 0.5), crease_elastic_net(1, 0.3), at);
        ends_stationary(&p, "huber and elastic net", at);
        s.set = crease_l2_ball(100);
        p = problem_of(&d, &s, crease_zero(), crease_l1(1), at);
        s.blocks[0].set = &s.set;
        ends_stationary(&p, "ball and l1", at);
    }
}

/* min (a/2)|x|^2 + (c/2)|y|^2, x + y = b: x = c b/(a + c) */
static void two_squares_share_the_right_hand_side(void **state)
{
    draws d = { { 52, 1 }, 0 };
    example s;
    core_steps r;
    (void)state;
    const crease_problem p = problem_of(&d, &s, crease_squared_l2(3), crease_squared_l2(1), 0);
    core_begin(&r, &crs_core_splitting, &p, 1e-9, NULL);
    core_go(&r, MOST);
    assert_int_equal(r.said, CRS_CORE_DONE);
    for (int j = 0; j < N; j++) {
        assert_close(r.now.x[j], s.b[j] / 4, 1e-8);
        assert_close(r.now.multiplier[j], 3 * s.b[j] / 4, 1e-8);
    }
    core_end(&r);
}

static void a_step_takes_one_decomposition(void **state)
{
    draws d = { { 53, 1 }, 0 };
    example s;
    core_steps r;
    (void)state;
    const crease_problem p = problem_of(&d, &s, crease_nuclear(1), crease_l1(0.4), 0);
    core_begin(&r, &crs_core_splitting, &p, 1e-8, NULL);
    core_go(&r, MOST);
    assert_int_equal(r.said, CRS_CORE_DONE);
    assert_true((double)r.work.spectra <= 1.1 * (double)r.steps);
    core_end(&r);
}

static void what_it_does_not_suit_is_refused(void **state)
{
    draws d = { { 54, 1 }, 0 };
    example s;
    crs_work work = { 0 };
    (void)state;
    crease_problem p = problem_of(&d, &s, crease_l1(1), crease_l1(1), 0);
    const crease_distance_data near = { .a = 0, .b = -1, .weight = 1 };
    p.f = crease_squared_distance(&near);
    crs_composite *c = crs_composite_new(&p, 0, &work, NULL, NULL);
    assert_false(crs_core_splitting.suits(c)); /* f is not 0 */
    crs_composite_free(c);
}

static void a_right_hand_side_that_is_no_number_ends_it(void **state)
{
    draws d = { { 55, 1 }, 0 };
    example s;
    core_steps r;
    (void)state;
    const crease_problem p = problem_of(&d, &s, crease_nuclear(1), crease_l1(0.4), 0);
    s.b[5] = NAN;
    core_begin(&r, &crs_core_splitting, &p, 1e-8, NULL);
    core_go(&r, MOST);
    assert_int_equal(r.said, CRS_CORE_STUCK);
    core_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convex_pairs_end_stationary),
        cmocka_unit_test(two_squares_share_the_right_hand_side),
        cmocka_unit_test(a_step_takes_one_decomposition),
        cmocka_unit_test(what_it_does_not_suit_is_refused),
        cmocka_unit_test(a_right_hand_side_that_is_no_number_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
