/* SPDX-License-Identifier: MIT
 * penalty_prox: the prox of every penalty against brute force on values alone */
#include "support/penalties.h"

enum { TRIALS = 3000 };

/* Half of the trials with everyday parameters, half over 24 decades. */
static double spread_of(int trial) { return trial % 2 ? 12 : 1; }

static void shrink_is_the_global_minimum(void **state)
{
    draws d = { { 1, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        const crease_penalty *p = penalties[k];
        double par[CREASE_PARS] = { 0 };
        for (int trial = 0; trial < TRIALS; trial++) {
            const double spread = spread_of(trial), t = decades(&d, spread);
            draw_par(&d, p, spread, par);
            const double v = draw_w(&d, p, par, t, spread) * (trial % 4 < 2 ? 1 : -1);
            const crs_penalty_value r = crs_penalty_of(p, par, 1);
            const double x = crs_scalar_prox(&r, t, v);
            if (!(x * v >= 0 && fabs(x) <= fabs(v)))
                fail_msg("%s: prox(%.17g) = %.17g is not shorter", p->name, v, x);
            const double over = excess(&r, t, v, x, brute(&r, t, v, 0, v));
            if (!(over <= 1))
                fail_msg("%s(%g, %g), t = %g: prox(%.17g) = %.17g is %g above", p->name, par[0],
                         par[1], t, v, x, over);
        }
    }
}

static void prox_is_stationary(void **state)
{
    draws d = { { 2, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        const crease_penalty *p = penalties[k];
        double par[CREASE_PARS] = { 0 };
        for (int trial = 0; trial < TRIALS; trial++) {
            const double spread = spread_of(trial), t = decades(&d, spread);
            draw_par(&d, p, spread, par);
            const double v = draw_w(&d, p, par, t, spread) * (trial % 4 < 2 ? 1 : -1);
            const crs_penalty_value r = crs_penalty_of(p, par, 1);
            const double x = crs_scalar_prox(&r, t, v);
            const double off = off_stationary(&r, t, v, x, crs_scalar_dist(&r, x, (v - x) / t));
            if (!(off <= 8))
                fail_msg("%s(%g, %g), t = %g: prox(%.17g) = %.17g is %g roundings off", p->name,
                         par[0], par[1], t, v, x, off);
        }
    }
}

static void prox_never_decreases(void **state)
{
    draws d = { { 3, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        const crease_penalty *p = penalties[k];
        double par[CREASE_PARS] = { 0 };
        for (int trial = 0; trial < TRIALS; trial++) {
            const double spread = spread_of(trial), t = decades(&d, spread);
            draw_par(&d, p, spread, par);
            /* apart by more than roundings, by which a steep piece may wiggle */
            const double w = draw_w(&d, p, par, t, spread), more = w * (1 + decades(&d, 6) * 1e-7);
            const double y = p->shrink(par, t, w), z = p->shrink(par, t, more);
            if (!(y <= z * (1 + 0x1p-50)))
                fail_msg("%s(%g, %g), t = %g: %.17g at %.17g, %.17g at %.17g", p->name, par[0],
                         par[1], t, y, w, z, more);
        }
    }
}

/* A weight is a longer step; 0 switches the penalty off. */
static void weights_scale_the_step(void **state)
{
    draws d = { { 4, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        double par[CREASE_PARS] = { 0 };
        draw_par(&d, penalties[k], 1, par);
        const crs_penalty_value plain = crs_penalty_of(penalties[k], par, 1),
                                triple = crs_penalty_of(penalties[k], par, 4),
                                off = crs_penalty_of(penalties[k], par, 0);
        for (int trial = 0; trial < 20; trial++) {
            const double v = 5 * normal(&d), t = decades(&d, 1);
            assert_true(crs_scalar_prox(&triple, t, v) == crs_scalar_prox(&plain, 4 * t, v));
            assert_true(crs_scalar_value(&triple, v) == 4 * crs_scalar_value(&plain, v));
            assert_true(crs_scalar_prox(&off, t, v) == v && crs_scalar_value(&off, v) == 0);
            assert_true(crs_scalar_dist(&off, v, 2) == 2 && crs_scalar_dist(&off, 0, 2) == 2);
        }
        assert_true(isnan(crs_scalar_prox(&plain, 1, NAN)) && isnan(crs_scalar_value(&off, NAN)));
        assert_true(isnan(crs_scalar_dist(&plain, NAN, 0)) && isnan(crs_scalar_dist(&off, 0, NAN)));
        assert_true(crs_scalar_prox(&plain, 1, INFINITY) == INFINITY);
        assert_true(crs_scalar_prox(&plain, 1, -INFINITY) == -INFINITY);
        assert_false(signbit(crs_scalar_prox(&plain, 1, -1e-30)) &&
                     crs_scalar_prox(&plain, 1, -1e-30) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shrink_is_the_global_minimum),
        cmocka_unit_test(prox_is_stationary),
        cmocka_unit_test(prox_never_decreases),
        cmocka_unit_test(weights_scale_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
