/* SPDX-License-Identifier: MIT
 * regional: the losses and smooth terms that are not equally curved everywhere: derivatives,
 * constants on bounded regions, lower bounds, envelopes, extreme arguments and refusals */
#include "support/regional_losses.h"

static void gradients_match_differences(void **state)
{
    draws d = { { 1, 0 }, 0 };
    (void)state;
    for (int k = 0; k < REGIONAL; k++)
        for (int terms = 1; terms <= 3; terms++) {
            regional r;
            point x;
            const crease_smooth f = make_regional(&d, k, terms, &r);
            draw_point(&d, &r.m.blocks, 0.2, &x);
            assert_gradients(&f, &r.m.blocks, &x, 1e4); /* off by less than 1e-6 */
        }
}

/* phi' and phi'' are differences of phi and phi' over a grid, and bend has phi'' between its ends.
 */
static void curves_are_differences_of_slopes(void **state)
{
    static const struct {
        const crs_loss *loss;
        double par[CREASE_PARS], low, high;
    } all[] = {
        { &crs_quantile, { 0.9, 0.5 }, -3, 3 },
        { &crs_quantile, { 0.25, 2 }, -3, 3 },
        { &crs_squared_hinge, { 0 }, -3, 3 },
        { &crs_poisson, { [CRS_ROW_COUNT] = 3 }, -4, 3 },
        { &crs_poisson, { 0 }, -4, 3 },
        { &crs_poisson_identity, { 0.5, [CRS_ROW_COUNT] = 2 }, -0.4, 9 },
        { &crs_polynomial, { 1, -2, 3, 0.5, -1, 0.1, 0.2, -0.05, 0.01 }, -2, 2 },
    };
    const double t = 0x1p-18;
    (void)state;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const crs_loss *l = all[k].loss;
        const double *par = all[k].par;
        const crs_range u = { all[k].low, all[k].high };
        const crs_range bend = l->bend ? l->bend(par, u) : (crs_range){ l->low, l->high };
        for (double at = u.low + t; at <= u.high - t; at += 0x1.3p-9) {
            const double ahead = l->value(par, at + t), behind = l->value(par, at - t);
            const double curve = l->curve(par, at), size = 1 + fabs(curve) + 40 * fabs(ahead);
            assert_true(fabs((ahead - behind) / (2 * t) - l->slope(par, at)) <= 1e-5 * size);
            assert_true(curve >= bend.low && curve <= bend.high);
            const double jump = l->curve(par, at + t) - l->curve(par, at - t);
            const double quotient = (l->slope(par, at + t) - l->slope(par, at - t)) / (2 * t);
            if (fabs(jump) < 0.01 * (1 + fabs(curve)))
                assert_true(fabs(quotient - curve) <= 1e-4 * size);
        }
    }
}

/* What is called convex has its chords above it. */
static void convex_losses_are_convex(void **state)
{
    static const crs_loss *const all[] = { &crs_quantile, &crs_squared_hinge, &crs_poisson,
                                           &crs_poisson_identity };
    const double par[CREASE_PARS] = { 0.4, 0.7, [CRS_ROW_COUNT] = 2 };
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 40000; k++) {
        const crs_loss *l = all[k % 4];
        const double a = 3 * normal(&d), b = 3 * normal(&d), t = uniform(&d, 0, 1);
        const double chord = t * l->value(par, a) + (1 - t) * l->value(par, b);
        const double here = l->value(par, t * a + (1 - t) * b);
        assert_true(here <= chord + 1e-13 * (1 + fabs(chord)));
        assert_true(!(l->curve(par, a) < 0));
    }
}

/* min over s of max(tau s, (tau - 1) s) + (e - s)^2/(2 delta), on a grid of s */
static void quantile_is_the_moreau_envelope(void **state)
{
    (void)state;
    for (int k = 1; k <= 9; k++)
        for (double e = -3; e <= 3; e += 0.0625) {
            const double tau = 0.1 * k, delta = 0.75, par[CREASE_PARS] = { tau, delta };
            double best = INFINITY;
            for (int j = -40000; j <= 40000; j++) {
                const double s = j * 1e-4, plain = larger(tau * s, (tau - 1) * s);
                best = smaller(best, plain + square(e - s) / (2 * delta));
            }
            const double here = crs_quantile.value(par, -e);
            assert_true(here <= best + 1e-14 && here >= best - 1e-6);
            const double plain = larger(tau * e, (tau - 1) * e);
            const double most = delta * square(larger(tau, 1 - tau)) / 2;
            assert_true(here <= plain + 1e-15 && here >= plain - most - 1e-15);
        }
}

static void constants_hold_on_regions(void **state)
{
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (int k = 0; k < REGIONAL; k++)
        for (int terms = 1; terms <= 3; terms++) {
            regional r;
            const crease_smooth f = make_regional(&d, k, terms, &r);
            const crease_constants c = constants_of(&f, &r.m.blocks, 0, NULL);
            const bool hoelder = k == 6; /* power 1.4 */
            assert_true(hoelder ? c.L == INFINITY && c.p < 2 : c.L < INFINITY && c.p == 2);
            assert_true(c.rho < INFINITY && c.lower > -INFINITY);
            assert_constants(&f, &r.m.blocks, &d);
            r.m.blocks.radius = NULL;
            const crease_constants line = constants_of(&f, &r.m.blocks, 0, NULL);
            assert_true((line.L < INFINITY) == (k == 4 || k == 5));
            assert_true(line.L >= c.L && line.lower <= c.lower);
        }
}

/* The infimum of phi, by its definition on a fine grid: never above it, and nearly there. */
static void lower_bounds_are_attained(void **state)
{
    static const double polynomials[][9] = { { 0.3, -1, -2, 0.4, 0.7 },
                                             { 0, 0, 1 },
                                             { 5, 0, 0, 0, 0, 0, 0, 0, 1e-3 },
                                             { 0, 0, 2, 0, -3, 0, 1 },
                                             { 1, -2, 3, 0.5, -1, 0.1, 0.2, -0.05, 0.01 } };
    const crs_range line = { -INFINITY, INFINITY };
    (void)state;
    for (int c = 0; c < 12; c++) {
        const double par[CREASE_PARS] = { 0.5, [CRS_ROW_COUNT] = 0.75 * c };
        double one = INFINITY, two = INFINITY;
        for (double u = -40; u <= 12; u += 0x1p-10) one = smaller(one, crs_poisson.value(par, u));
        for (double u = -0.5; u <= 20; u += 0x1p-12)
            two = smaller(two, crs_poisson_identity.value(par, u));
        const double low = crs_poisson.least(par, line);
        assert_true(low == crs_poisson_identity.least(par, line));
        assert_true(one >= low && one <= low + 1e-5 && two >= low && two <= low + 1e-3);
    }
    for (size_t k = 0; k < sizeof polynomials / sizeof *polynomials; k++) {
        double par[CREASE_PARS] = { 0 }, all = INFINITY, some = INFINITY;
        copy(9, polynomials[k], par);
        for (double u = -8; u <= 8; u += 0x1p-12) {
            all = smaller(all, crs_polynomial.value(par, u));
            if (u >= 0.25 && u <= 1) some = smaller(some, crs_polynomial.value(par, u));
        }
        const double low = crs_polynomial.least(par, line);
        const double within = crs_polynomial.least(par, (crs_range){ 0.25, 1 });
        assert_true(all >= low && all <= low + 1e-6 && some >= within && some <= within + 1e-6);
        for (int j = 0; j < 9; j++) par[j] = -par[j];
        assert_true(crs_polynomial.least(par, line) == -INFINITY);
    }
    const double odd[CREASE_PARS] = { 0, 0, 0, 1 }, constant[CREASE_PARS] = { 3 };
    assert_true(crs_polynomial.least(odd, line) == -INFINITY);
    assert_true(crs_polynomial.least(odd, (crs_range){ 2, 3 }) <= 8);
    assert_true(crs_polynomial.least(odd, (crs_range){ 2, 3 }) >= 8 - 1e-9);
    assert_true(crs_polynomial.least(constant, line) == 3);
    assert_true(crs_polynomial.least(odd, (crs_range){ -1e300, 3 }) == -INFINITY);
}

/* f >= lower on random polynomials of random degree over random intervals, and hardly above it */
static void bounds_of_polynomials_hold(void **state)
{
    draws d = { { 4, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 300; k++) {
        double par[CREASE_PARS] = { 0 }, least = INFINITY, low = INFINITY, high = -INFINITY;
        const int degree = (int)below(&d, 9);
        for (int j = 0; j <= degree; j++) par[j] = spread(&d, -3, 3) * (below(&d, 2) ? 1 : -1);
        const double a = spread(&d, -2, 2) * normal(&d), h = spread(&d, -2, 1);
        const crs_range u = { a, a + h }, bend = crs_polynomial.bend(par, u);
        for (int j = 0; j <= 4000; j++) {
            const double at = a + h * j / 4000, curve = crs_polynomial.curve(par, at);
            least = smaller(least, crs_polynomial.value(par, at));
            low = smaller(low, curve), high = larger(high, curve);
        }
        double size = 0, sizes = 0; /* of phi and phi'' */
        for (int j = 0; j <= degree; j++) {
            size += fabs(par[j]) * pow(fabs(a) + h, j);
            sizes += j < 2 ? 0 : j * (j - 1) * fabs(par[j]) * pow(fabs(a) + h, j - 2);
        }
        const double bound = crs_polynomial.least(par, u);
        assert_true(bound <= least + 1e-14 * size && bound >= least - 1e-5 * size);
        assert_true(bend.low <= low + 1e-14 * sizes && bend.low >= low - 1e-5 * sizes);
        assert_true(bend.high >= high - 1e-14 * sizes && bend.high <= high + 1e-5 * sizes);
    }
}

static void nothing_overflows_where_the_value_is_a_number(void **state)
{
    const double par[CREASE_PARS] = { 0.25, 2, [CRS_ROW_COUNT] = 3 }, line[CREASE_PARS] = { 1, 2 };
    static const double far[] = { 800, -800, 1e300, -1e300 };
    static const crs_loss *const all[] = { &crs_quantile, &crs_squared_hinge, &crs_poisson,
                                           &crs_poisson_identity, &crs_polynomial };
    (void)state;
    for (int k = 0; k < 5; k++)
        for (int j = 0; j < 4; j++) {
            assert_true(!isnan(all[k]->value(par, far[j])));
            assert_true(!isnan(all[k]->slope(par, far[j])));
            assert_true(!isnan(all[k]->curve(par, far[j])));
        }
    assert_close(crs_quantile.value(par, 1e300) / 0.75e300, 1, 1e-15);
    assert_close(crs_quantile.value(par, -1e300) / 0.25e300, 1, 1e-15);
    assert_true(crs_squared_hinge.value(par, 1e300) == 0 && crs_squared_hinge.slope(par, 800) == 0);
    assert_close(crs_squared_hinge.value(par, -800), 801.0 * 801 / 2, 1e-15);
    assert_true(crs_poisson.value(par, -1e300) == 3e300 && crs_poisson.slope(par, -800) == -3);
    assert_true(crs_poisson.value(par, 800) == INFINITY);
    assert_close(crs_poisson_identity.value(par, 1e300) / 1e300, 1, 1e-15);
    assert_true(crs_poisson_identity.value(par, -0.25) == INFINITY);
    assert_true(crs_polynomial.value(line, 1e300) == 2e300);
    for (int k = 0; k < 5; k++) {
        assert_true(isnan(all[k]->value(par, NAN)) && isnan(all[k]->slope(par, NAN)));
        assert_true(isnan(all[k]->curve(par, NAN)) || k == 4);
    }
}

/* Two classes are the logistic loss of the difference; a row can be shifted; nothing overflows. */
static void softmax_is_the_logistic_loss_of_two_classes(void **state)
{
    enum { N = 4 };
    const int block = 0;
    const crease_map one = crease_identity(1);
    const crease_space s = crease_matrix(N, 2), t = crease_vector(N);
    const crease_blocks b = { 1, &s, NULL }, c = { 1, &t, NULL };
    const double labels[N] = { 0, 1, 1, 0 }, weight[N] = { 1, 0.5, 0, 2 };
    const double signs[N] = { -1, 1, 1, -1 };
    const crease_predictor p = { 1, &block, &one, s, labels, weight };
    const crease_predictor q = { 1, &block, &one, t, signs, weight };
    const crease_smooth f = crease_softmax(&p), g = crease_logistic(&q);
    static const double scale[] = { 1, 30, 800, 1e300 };
    draws d = { { 5, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 400; k++) {
        point x = { 0 }, y = { 0 };
        draw_vector(&d, 2 * N, scale[k % 4], x.entry[0]);
        for (int j = 0; j < N; j++) y.entry[0][j] = x.entry[0][2 * j + 1] - x.entry[0][2 * j];
        x.at[0] = x.entry[0], y.at[0] = y.entry[0];
        const double there = value_of(&g, &c, &y), here = value_of(&f, &b, &x);
        assert_true(isfinite(here) && fabs(here - there) <= 1e-14 * there);
        const vector u = grad_of(&f, &b, &x, 0), v = grad_of(&g, &c, &y, 0);
        for (int j = 0; j < N; j++) {
            assert_true(fabs(u.entry[2 * j + 1] - v.entry[j]) <= 1e-14 * fabs(v.entry[j]));
            assert_true(fabs(u.entry[2 * j] + v.entry[j]) <= 1e-14 * fabs(v.entry[j]));
        }
    }
}

static void a_power_of_two_is_the_squared_distance(void **state)
{
    draws d = { { 6, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 100; k++) {
        regional r;
        point x;
        make_regional(&d, 6, 1 + k % 3, &r);
        r.power.power = 2;
        const crease_distance_data far = { 0, -1, r.power.weight, r.d };
        const crease_smooth f = crease_norm_power(&r.power), g = crease_squared_distance(&far);
        draw_point(&d, &r.m.blocks, 1, &x);
        assert_close(value_of(&f, &r.m.blocks, &x), value_of(&g, &r.m.blocks, &x), 1e-14);
        const vector u = grad_of(&f, &r.m.blocks, &x, 0), v = grad_of(&g, &r.m.blocks, &x, 0);
        assert_true(distance(N0, u.entry, v.entry) <= 1e-14 * (1 + crs_norm(N0, v.entry)));
        const crease_constants a = constants_of(&f, &r.m.blocks, 0, NULL);
        const crease_constants b = constants_of(&g, &r.m.blocks, 0, NULL);
        assert_true(a.L == b.L && a.rho == b.rho && a.last_low == b.last_low && a.quadratic_last);
        assert_true(a.concave == b.concave && a.separable_last == b.separable_last);
        copy(N0, r.d, x.entry[0]); /* where z = 0 */
        assert_true(value_of(&f, &r.m.blocks, &x) == 0);
        r.power.power = 1.5;
        assert_true(crs_norm(N0, grad_of(&f, &r.m.blocks, &x, 0).entry) == 0);
    }
}

static void nan_goes_through(void **state)
{
    draws d = { { 7, 0 }, 0 };
    (void)state;
    for (int k = 0; k < REGIONAL; k++) {
        regional r;
        point x;
        const crease_smooth f = make_regional(&d, k, 3, &r);
        draw_point(&d, &r.m.blocks, 0.1, &x);
        x.entry[0][1] = NAN;
        assert_true(isnan(value_of(&f, &r.m.blocks, &x)));
        assert_true(isnan(grad_of(&f, &r.m.blocks, &x, 0).entry[0]));
    }
}

static void bad_inputs_are_refused(void **state)
{
    draws d = { { 8, 0 }, 0 };
    regional r;
    (void)state;
    crease_smooth f = make_regional(&d, 0, 1, &r);
    r.count[2] = -1;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_DATA, "count 3 is -1");
    r.m.p.rhs = NULL;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_ARGUMENT, "no counts");
    f = make_regional(&d, 1, 1, &r);
    f.par[0] = 0;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_ARGUMENT, "offset");
    f = crease_quantile(&r.m.p, 1, 0.1);
    assert_refused(&f, &r.m.blocks, CREASE_BAD_ARGUMENT, "tau");
    f = make_regional(&d, 2, 1, &r);
    f.par[3] = NAN;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_ARGUMENT, "coefficient of u^3");
    f = crease_polynomial(&r.m.p, 9, quartic);
    assert_refused(&f, &r.m.blocks, CREASE_BAD_ARGUMENT, "at most 9");
    f = make_regional(&d, 4, 1, &r);
    r.label[1] = 3;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_DATA, "label 2 is 3");
    r.label[1] = 0.5;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_DATA, "whole numbers from 0 to 2");
    r.label[1] = 0;
    r.m.p.weight = r.m.weight;
    r.m.weight[0] = -2;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_DATA, "weight 1 is -2");
    r.m.p.rhs = NULL;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_ARGUMENT, "no labels");
    r.m.p.range = crease_vector(ROWS);
    assert_refused(&f, &r.m.blocks, CREASE_BAD_SHAPE, "rows x classes");
    f = make_regional(&d, 6, 1, &r);
    r.power.power = 1;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_ARGUMENT, "the power is 1");
    r.power.power = 3, r.power.weight = NAN;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_ARGUMENT, "the weight is nan");
    r.power.weight = 1, r.d[4] = INFINITY;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_DATA, "entry 5 of d");
    r.power.a = 3;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_ARGUMENT, "no block 4");
    f.data = NULL;
    assert_refused(&f, &r.m.blocks, CREASE_BAD_ARGUMENT, "no data");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(curves_are_differences_of_slopes),
        cmocka_unit_test(convex_losses_are_convex),
        cmocka_unit_test(quantile_is_the_moreau_envelope),
        cmocka_unit_test(constants_hold_on_regions),
        cmocka_unit_test(lower_bounds_are_attained),
        cmocka_unit_test(bounds_of_polynomials_hold),
        cmocka_unit_test(nothing_overflows_where_the_value_is_a_number),
        cmocka_unit_test(softmax_is_the_logistic_loss_of_two_classes),
        cmocka_unit_test(a_power_of_two_is_the_squared_distance),
        cmocka_unit_test(nan_goes_through),
        cmocka_unit_test(bad_inputs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
