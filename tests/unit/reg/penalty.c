/* SPDX-License-Identifier: MIT
 * penalty: scalar penalties: values, slopes and constants; their prox, on the line and in a box, is
 * the global minimum and stationary */
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

enum { PROX_TRIALS = 3000 };

/* Half of the trials with everyday parameters, half over 24 decades. */
static double spread_of(int trial) { return trial % 2 ? 12 : 1; }

static void shrink_is_the_global_minimum(void **state)
{
    draws d = { { 1, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++) {
        const crease_penalty *p = penalties[k];
        double par[CREASE_PARS] = { 0 };
        for (int trial = 0; trial < PROX_TRIALS; trial++) {
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
        for (int trial = 0; trial < PROX_TRIALS; trial++) {
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
        for (int trial = 0; trial < PROX_TRIALS; trial++) {
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

enum { BOX_TRIALS = 3000 };

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
        for (int trial = 0; trial < BOX_TRIALS; trial++) {
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
        for (int trial = 0; trial < BOX_TRIALS; trial++) {
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
        cmocka_unit_test(known_values),
        cmocka_unit_test(slope_is_the_derivative),
        cmocka_unit_test(lipschitz_constant_is_the_least),
        cmocka_unit_test(weak_convexity_is_the_least),
        cmocka_unit_test(lambda_may_be_zero),
        cmocka_unit_test(nan_goes_through),
        cmocka_unit_test(rescaled_by_the_definition),
        cmocka_unit_test(shrink_is_the_global_minimum),
        cmocka_unit_test(prox_is_stationary),
        cmocka_unit_test(prox_never_decreases),
        cmocka_unit_test(weights_scale_the_step),
        cmocka_unit_test(box_prox_is_the_global_minimum),
        cmocka_unit_test(box_prox_is_stationary),
        cmocka_unit_test(odd_intervals),
        cmocka_unit_test(ends_near_the_minimizer),
        cmocka_unit_test(ties_go_to_the_shorter),
        cmocka_unit_test(subdifferential_at_the_kink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
