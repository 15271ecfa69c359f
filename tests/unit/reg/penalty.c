/* SPDX-License-Identifier: MIT
 * penalty: what each scalar penalty says of itself: slope, Lipschitz constant, weak convexity */
#include "support/penalties.h"

enum { TRIALS = 3000 };

/* Known values of the prox, to the digits given. */
static void known_values(void **state)
{
    static const struct {
        const crease_penalty *p;
        double par[2], t, w, y;
    } list[] = {
        { &crs_scad, { 1, 3.7 }, 1, 2.5, 1.79411764705882 },
        { &crs_scad, { 1, 3.7 }, 3, 3.8, 0.8 },
        { &crs_scad, { 1, 3.7 }, 3, 3.9, 3.9 },
        { &crs_scad, { 1, 3.7 }, 6, 5.30, 0 },
        { &crs_scad, { 1, 3.7 }, 6, 5.32, 5.32 },
        { &crs_mcp, { 1, 3 }, 1, 2, 1.5 },
        { &crs_mcp, { 1, 3 }, 4, 3.46, 0 },
        { &crs_mcp, { 1, 3 }, 4, 3.47, 3.47 },
        { &crs_capped_l1, { 1, 2 }, 1, 2.4, 1.4 },
        { &crs_capped_l1, { 1, 2 }, 1, 2.6, 2.6 },
        { &crs_capped_l1, { 1, 2 }, 5, 4.4, 0 },
        { &crs_capped_l1, { 1, 2 }, 5, 4.5, 4.5 },
        { &crs_lsp, { 1, 0.5 }, 1, 1.6, 0.870156211871643 },
        { &crs_lsp, { 1, 0.5 }, 1, 1.9, 1.36332495807108 },
        { &crs_lsp, { 1, 0.1 }, 1, 2.0, 0 },
        { &crs_l_half, { 1 }, 1, 1.5, 0 },
        { &crs_l_half, { 1 }, 1, 1.6, 1.12954479885322 },
        { &crs_lq, { 1, 0.5 }, 1, 1.6, 1.12954479885322 },
        { &crs_l_two_thirds, { 1 }, 1, 1.4, 0 },
        { &crs_l_two_thirds, { 1 }, 1, 1.6, 0.912728776938248 },
        { &crs_l_two_thirds, { 1e-300 }, 1, 1e150, 1e150 },
        { &crs_l0, { 1 }, 1, 1.41, 0 },
        { &crs_l0, { 1 }, 1, 1.42, 1.42 },
        { &crs_l0, { 2 }, 1, 2, 0 }, /* a tie */
        { &crs_huber, { 2, 1 }, 1, 3, 1 },
        { &crs_huber, { 2, 1 }, 1, 5, 3 },
    };
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        assert_close(list[k].p->shrink(list[k].par, list[k].t, list[k].w), list[k].y, 5e-15);
}

/* rho is convex or concave on (0, inf), so a difference quotient lies between two slopes. */
static void slope_is_the_derivative(void **state)
{
    draws d = { { 8, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        const crease_penalty *p = penalties[k];
        double par[CREASE_PARS] = { 0 };
        for (int trial = 0; trial < TRIALS; trial++) {
            const double spread = trial % 2 ? 12 : 1;
            draw_par(&d, p, spread, par);
            assert_true(p->value(par, 0) == 0);
            const double y = decades(&d, spread), z = y * (1 + 1e-4);
            const double quotient = (p->value(par, z) - p->value(par, y)) / (z - y);
            const double one = p->slope(par, y), two = p->slope(par, z);
            const double rounding = 0x1p-50 * p->value(par, z) / (z - y) + 0x1p-50 * one;
            if (!(quotient >= smaller(one, two) - rounding &&
                  quotient <= larger(one, two) + rounding))
                fail_msg("%s(%g, %g) at %g: %g is not in [%g, %g]", p->name, par[0], par[1], y,
                         quotient, one, two);
        }
    }
}

/* The constant holds, and it is the largest slope: at 0 or, for a convex rho, at the radius. */
static void lipschitz_constant_is_the_least(void **state)
{
    draws d = { { 9, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        const crease_penalty *p = penalties[k];
        double par[CREASE_PARS] = { 0 };
        for (int trial = 0; trial < TRIALS; trial++) {
            draw_par(&d, p, trial % 2 ? 12 : 1, par);
            const double radius = decades(&d, 2), lip = p->lipschitz(par, radius);
            const double y = uniform(&d, 0, radius), z = uniform(&d, 0, radius);
            const double change = fabs(p->value(par, y) - p->value(par, z)),
                         rounding = 0x1p-50 * (p->value(par, y) + p->value(par, z));
            assert_true(change <= lip * fabs(y - z) + rounding);
            assert_close(lip, larger(p->slope(par, 0), p->slope(par, radius)), 0x1p-50);
        }
        draw_par(&d, p, 1, par);
        assert_true(p->lipschitz(par, INFINITY) >= p->lipschitz(par, 1e6) * (1 - 0x1p-50));
    }
}

/* The second difference of rho(|x|) + (c/2) x^2 over 3 points, relative to its terms. */
static double bend(const crease_penalty *p, const double *par, double c, double x, double h)
{
    const double f[3] = { p->value(par, fabs(x - h)), p->value(par, fabs(x)),
                          p->value(par, fabs(x + h)) };
    return (f[0] - 2 * f[1] + f[2] + c * h * h) / (f[0] + 2 * f[1] + f[2] + c * h * h + 1e-300);
}

static void weak_convexity_is_the_least(void **state)
{
    draws d = { { 10, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        const crease_penalty *p = penalties[k];
        double par[CREASE_PARS] = { 0 }, lowest = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            draw_par(&d, p, 0.5, par);
            const double c = p->weak_convexity(par), kink = p->kink ? p->kink(par) : 0;
            const double x = trial % 2 ? kink : decades(&d, 4);
            const double h = trial % 4 ? x * uniform(&d, 0, 2) + 1e-6 : x;
            if (isfinite(c)) assert_true(bend(p, par, c, x, h) >= -0x1p-50);
            lowest = smaller(lowest, bend(p, par, isfinite(c) ? 0.98 * c : 10, x, h));
        }
        assert_true(p->convex == (p->weak_convexity(par) == 0));
        /* a smaller constant is too small */
        if (!p->convex && !(lowest < -0x1p-40)) fail_msg("%s: %g", p->name, lowest);
    }
}

static void lambda_may_be_zero(void **state)
{
    draws d = { { 11, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        const crease_penalty *p = penalties[k];
        double par[CREASE_PARS] = { 0 }, y[CREASE_MAX_STATIONARY];
        draw_par(&d, p, 1, par);
        for (int i = 0; p->params[i].name; i++)
            if (strncmp(p->params[i].name, "lambda", 6) == 0) par[i] = 0;
        assert_true(p->slope(par, 0) == 0 && p->slope(par, 1) == 0 && p->value(par, 3) == 0);
        assert_true(p->lipschitz(par, INFINITY) == 0 && p->weak_convexity(par) == 0);
        for (int trial = 0; trial < 100; trial++) {
            const double w = decades(&d, 200), t = decades(&d, 12);
            const crs_penalty_value r = crs_penalty_of(p, par, 1);
            assert_close(p->shrink(par, t, w) / w, 1, 0x1p-51);
            assert_true(p->stationary(par, t, w, y) >= 1);
            assert_true(crs_scalar_prox_box(&r, t, w, -w, w / 2) == w / 2);
        }
        assert_true(p->shrink(par, 1, 0) == 0 && p->stationary(par, 1, 0, y) == 0);
    }
}

static void nan_goes_through(void **state)
{
    draws d = { { 12, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        const crease_penalty *p = penalties[k];
        double par[CREASE_PARS] = { 0 }, y[CREASE_MAX_STATIONARY];
        draw_par(&d, p, 1, par);
        assert_true(isnan(p->value(par, NAN)) && isnan(p->slope(par, NAN)));
        for (double t = 1e-12; t < 1e13; t *= 10)
            assert_true(isnan(p->shrink(par, t, NAN)) && p->stationary(par, t, NAN, y) == 0);
        assert_true(crease_param_check(p->name, p->params, par, NULL));
        assert_true(p->formula && p->lipschitz_text && p->weak_convexity_text);
    }
}

/* With rescaled parameters the penalty is u^2 rho(y/u). */
static void rescaled_by_the_definition(void **state)
{
    draws d = { { 8, 5 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++)
        for (int trial = 0; trial < TRIALS; trial++) {
            double par[CREASE_PARS] = { 0 }, other[CREASE_PARS] = { 0 };
            draw_par(&d, penalties[k], 1, par);
            const double u = decades(&d, 3), y = decades(&d, 3);
            penalties[k]->rescale(par, u, other);
            const double wanted = u * u * penalties[k]->value(par, y / u);
            assert_close(penalties[k]->value(other, y), wanted, 1e-12 * (wanted + u * u));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(slope_is_the_derivative),
        cmocka_unit_test(lipschitz_constant_is_the_least),
        cmocka_unit_test(weak_convexity_is_the_least),
        cmocka_unit_test(lambda_may_be_zero),
        cmocka_unit_test(nan_goes_through),
        cmocka_unit_test(rescaled_by_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
