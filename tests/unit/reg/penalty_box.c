/* SPDX-License-Identifier: MIT
 * penalty_box: prox and subdifferential of every penalty restricted to an interval */
#include "support/penalties.h"

enum { TRIALS = 3000 };

typedef struct {
    double par[CREASE_PARS], t, v, low, high;
} problem;

/* v at any distance from the interval; ends may be 0, infinite, equal, or a kink. */
static problem draw_problem(draws *d, const crease_penalty *p, int trial)
{
    const double spread = trial % 2 ? 12 : 1;
    problem a = { .t = decades(d, spread) };
    draw_par(d, p, spread, a.par);
    a.v = draw_w(d, p, a.par, a.t, spread) * (trial % 4 < 2 ? 1 : -1);
    const double one = a.v * uniform(d, -1, 2), two = decades(d, 1) * a.v * uniform(d, -1, 2);
    a.low = smaller(one, two);
    a.high = larger(one, two);
    if (trial % 10 == 5) a.low = -INFINITY;
    if (trial % 10 == 6) a.high = INFINITY;
    if (trial % 10 == 7) a.high = a.low;
    if (trial % 10 == 8) *(a.high > 0 ? &a.low : &a.high) = 0;
    if (trial % 10 == 9 && p->kink) a.high = larger(a.low, p->kink(a.par));
    return a;
}

static void box_prox_is_the_global_minimum(void **state)
{
    draws d = { { 5, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++)
        for (int trial = 0; trial < TRIALS; trial++) {
            const problem a = draw_problem(&d, penalties[k], trial);
            const crs_penalty_value r = crs_penalty_of(penalties[k], a.par, 1);
            const double x = crs_scalar_prox_box(&r, a.t, a.v, a.low, a.high);
            assert_true(x >= a.low && x <= a.high);
            /* rho does not decrease: no minimizer beyond the clipped 0 and the clipped v */
            const double from = clip(0, a.low, a.high), to = clip(a.v, a.low, a.high);
            const double over = excess(&r, a.t, a.v, x, brute(&r, a.t, a.v, from, to));
            if (!(over <= 1))
                fail_msg("%s(%g, %g), t = %g on [%g, %g]: prox(%.17g) = %.17g is %g above",
                         penalties[k]->name, a.par[0], a.par[1], a.t, a.low, a.high, a.v, x, over);
        }
}

static void box_prox_is_stationary(void **state)
{
    draws d = { { 6, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++)
        for (int trial = 0; trial < TRIALS; trial++) {
            const problem a = draw_problem(&d, penalties[k], trial);
            const crs_penalty_value r = crs_penalty_of(penalties[k], a.par, 1);
            const double x = crs_scalar_prox_box(&r, a.t, a.v, a.low, a.high);
            const double dist = crs_scalar_dist_box(&r, x, (a.v - x) / a.t, a.low, a.high);
            const double off = off_stationary(&r, a.t, a.v, x, dist);
            if (!(off <= 16))
                fail_msg("%s(%g, %g), t = %g on [%g, %g]: prox(%.17g) = %.17g is %g roundings off",
                         penalties[k]->name, a.par[0], a.par[1], a.t, a.low, a.high, a.v, x, off);
        }
}

/* The whole line is no restriction, and an empty or unknown interval has no answer. */
static void odd_intervals(void **state)
{
    draws d = { { 7, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        double par[CREASE_PARS] = { 0 };
        draw_par(&d, penalties[k], 1, par);
        const crs_penalty_value r = crs_penalty_of(penalties[k], par, 1),
                                off = crs_penalty_of(penalties[k], par, 0);
        for (int trial = 0; trial < 200; trial++) {
            const double v = 5 * normal(&d), t = decades(&d, 1);
            assert_close(crs_scalar_prox_box(&r, t, v, -INFINITY, INFINITY),
                         crs_scalar_prox(&r, t, v), 0x1p-50);
            assert_true(crs_scalar_prox_box(&off, t, v, -1, 2) == clip(v, -1, 2));
        }
        assert_true(isnan(crs_scalar_prox_box(&r, 1, 0, 1, -1)));
        assert_true(isnan(crs_scalar_prox_box(&off, 1, 0, 1, -1)));
        assert_true(isnan(crs_scalar_prox_box(&r, 1, NAN, -1, 1)));
        assert_true(isnan(crs_scalar_prox_box(&r, 1, 0, NAN, 1)));
        assert_true(crs_scalar_prox_box(&r, 1, INFINITY, -1, 1) == 1);
        assert_true(crs_scalar_dist_box(&r, 2, 0, -1, 1) == INFINITY);
        assert_true(crs_scalar_dist_box(&r, 1, 7, 1, 1) == 0);
        assert_true(isnan(crs_scalar_dist_box(&r, NAN, 0, -1, 1)));
        assert_true(crs_scalar_dist(&r, INFINITY, 0) == INFINITY);
    }
}

/* Strongly convex: the minimizer stays when the interval ends just beyond it, nearer than values
 * can tell, and the end when it comes just before. */
static void ends_near_the_minimizer(void **state)
{
    draws d = { { 13, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++)
        for (int trial = 0; trial < 300; trial++) {
            double par[CREASE_PARS] = { 0 };
            draw_par(&d, penalties[k], 1, par);
            const double wc = penalties[k]->weak_convexity(par), v = decades(&d, 1);
            const double t = wc > 0 ? uniform(&d, 0.1, 0.9) / wc : decades(&d, 1);
            const crs_penalty_value r = crs_penalty_of(penalties[k], par, 1);
            const double x = crs_scalar_prox(&r, t, v), near = 1 + pow(10, -uniform(&d, 6, 12));
            if (isinf(wc) || x == 0) continue;
            assert_close(crs_scalar_prox_box(&r, t, v, x / near, x * near) / x, 1, 0x1p-46);
            assert_close(crs_scalar_prox_box(&r, t, v, -1, x / near), x / near, 0);
            assert_close(crs_scalar_prox_box(&r, t, v, x * near, 2 * v), x * near, 0);
        }
}

/* Equal objectives at 1.5 and 2.5: the shorter one, found before or after the other. */
static void ties_go_to_the_shorter(void **state)
{
    const double par[] = { 1, 2 };
    const crs_penalty_value r = crs_penalty_of(&crs_capped_l1, par, 1);
    (void)state;
    assert_true(crs_scalar_prox(&r, 1, 2.5) == 1.5);
    assert_true(crs_scalar_prox_box(&r, 1, 2.5, -9, 9) == 1.5);
    assert_true(crs_scalar_prox_box(&r, 1, 2.5, -9, 2.5) == 1.5);
    assert_true(crs_scalar_prox_box(&r, 1, -2.5, -2.5, 9) == -1.5);
}

/* Limits of regular subgradients at the kink of capped-l1: two points, never what lies between;
 * one-sided slopes where the interval ends there. */
static void subdifferential_at_the_kink(void **state)
{
    const double par[] = { 3, 2 };
    const crs_penalty_value r = crs_penalty_of(&crs_capped_l1, par, 1);
    (void)state;
    assert_close(crs_scalar_dist(&r, 2, 3), 0, 0);
    assert_close(crs_scalar_dist(&r, 2, 0), 0, 0);
    assert_close(crs_scalar_dist(&r, 2, 1), 1, 0);
    assert_close(crs_scalar_dist(&r, -2, -2), 1, 0);
    assert_close(crs_scalar_dist_box(&r, 2, 1, -5, 2), 2, 0);
    assert_close(crs_scalar_dist_box(&r, 2, 1, 2, 5), 1, 0);
    assert_close(crs_scalar_dist_box(&r, -2, -1, -2, 5), 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_prox_is_the_global_minimum),
        cmocka_unit_test(box_prox_is_stationary),
        cmocka_unit_test(odd_intervals),
        cmocka_unit_test(ends_near_the_minimizer),
        cmocka_unit_test(ties_go_to_the_shorter),
        cmocka_unit_test(subdifferential_at_the_kink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
