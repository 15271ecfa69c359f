/* SPDX-License-Identifier: MIT
 * losses: values, gradients and refusals of the losses of a linear predictor; their constants */
#include "support/losses.h"

static void gradients_match_differences(void **state)
{
    draws d = { { 1, 0 }, 0 };
    (void)state;
    for (int k = 0; k < LOSSES; k++)
        for (int terms = 1; terms <= 3; terms++) {
            model m;
            point x;
            make_model(&d, terms, k, &m);
            const crease_smooth f = make_loss(k, &m.p);
            m.p.weight = terms == 2 ? m.weight : NULL;
            draw_point(&d, &m.blocks, 0.3, &x);
            /* the third derivative of |u|^1.5 is unbounded: a step leaves it at most t^-1.5;
             * Huber, quantile and hinge have a jump of phi'' in place of phi''' */
            const bool jumps = k == 5 || k > 7;
            assert_gradients(&f, &m.blocks, &x, k == 6 ? 0x1p26 : jumps ? 0x1p18 : 1e4);
        }
}

/* phi' is the derivative of phi, and phi'' stays in [low, high] and comes near both ends. */
static void curvature_ranges(void **state)
{
    static const crs_loss *const loss[] = { &crs_least_squares, &crs_cauchy, &crs_welsch,
                                            &crs_geman,         &crs_tukey,  &crs_huber_loss,
                                            &crs_logistic };
    const double par[] = { 0.7 }, t = 0x1p-17;
    (void)state;
    for (size_t k = 0; k < sizeof loss / sizeof *loss; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int j = -40000; j <= 40000; j++) {
            const double u = j * 0.00025;
            const double ahead = loss[k]->slope(par, u + t), behind = loss[k]->slope(par, u - t);
            const double bend = (ahead - behind) / (2 * t);
            const double quotient =
                (loss[k]->value(par, u + t) - loss[k]->value(par, u - t)) / (2 * t);
            low = smaller(low, bend);
            high = larger(high, bend);
            /* |phi''| <= 1: the difference is off by at most t; values reach 50 */
            assert_true(fabs(quotient - loss[k]->slope(par, u)) <= t + 64 * 0x1p-53 / t);
        }
        /* slopes up to 10 round by 2^-50; phi'' varies by less than 5 * 0.00025 over the grid,
         * and by its second derivative (< 60) only at the ends */
        const double rounding = 0x1p-49 / t, grid = 60 * 0.00025 * 0.00025 + 60 * t;
        assert_true(low >= loss[k]->low - rounding && low <= loss[k]->low + grid + 1e-4);
        assert_true(high <= loss[k]->high + rounding && high >= loss[k]->high - grid);
    }
}

static void nothing_overflows_or_cancels(void **state)
{
    const double par[] = { 2 };
    (void)state;
    assert_true(crs_logistic.value(par, -1e300) == 1e300 && crs_logistic.value(par, 800) >= 0);
    assert_true(crs_logistic.slope(par, -1e300) == -1 && crs_logistic.slope(par, 1e300) == 0);
    assert_close(crs_logistic.value(par, 40) / exp(-40), 1, 4 * 0x1p-53);
    assert_close(crs_logistic.slope(par, 40) / -exp(-40), 1, 4 * 0x1p-53);
    assert_close(crs_logistic.value(par, 0), log(2), 4 * 0x1p-53);
    assert_close(crs_cauchy.value(par, 1e200), 200 * log(10), 8 * 0x1p-53);
    assert_close(crs_cauchy.slope(par, -1e200) * 1e200, -1, 4 * 0x1p-53);
    assert_close(crs_geman.value(par, 1e200), 0.5, 0x1p-53);
    assert_close(crs_geman.slope(par, 1e50) * 1e150, 1, 8 * 0x1p-53);
    assert_true(crs_welsch.value(par, 1e200) == 0.5 && crs_welsch.slope(par, 1e200) == 0);
    assert_true(crs_tukey.value(par, 1e200) == 1.0 / 6 && crs_tukey.slope(par, -1e200) == 0);
    const crs_loss *small[] = { &crs_cauchy, &crs_welsch, &crs_geman, &crs_tukey, &crs_huber_loss };
    for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
        /* phi(u) = u^2/2 up to u^4, phi' = u up to u^3 */
        assert_close(small[k]->value(par, 1e-9) / 0.5e-18, 1, 8 * 0x1p-53);
        assert_close(small[k]->slope(par, -1e-9) / -1e-9, 1, 8 * 0x1p-53);
        assert_close(small[k]->value(par, 1 - 1e-15), small[k]->value(par, 1 + 1e-15), 1e-14);
        assert_close(small[k]->slope(par, 1 - 1e-15), small[k]->slope(par, 1 + 1e-15), 1e-14);
    }
}

static void nan_goes_through(void **state)
{
    draws d = { { 5, 0 }, 0 };
    (void)state;
    for (int k = 0; k < LOSSES; k++) {
        model m;
        point x;
        make_model(&d, 2, k, &m);
        const crease_smooth f = make_loss(k, &m.p);
        draw_point(&d, &m.blocks, 1, &x);
        x.entry[0][2] = NAN;
        assert_true(isnan(value_of(&f, &m.blocks, &x)));
        for (int i = 0; i < 2; i++) assert_true(isnan(grad_of(&f, &m.blocks, &x, i).entry[0]));
        assert_true(grad_of(&f, &m.blocks, &x, 2).entry[0] == 0);
    }
}

/* Weights 0, 1, 2, 3 are rows that are left out or stand there as often. */
static void weights_count_rows(void **state)
{
    enum { LONG = 12 };
    static const int times_of[ROWS] = { 1, 0, 3, 2, 0, 1 };
    draws d = { { 7, 0 }, 0 };
    (void)state;
    for (int k = 0; k < LOSSES; k++) {
        model m;
        point x;
        double a[LONG * N0], b[LONG * N1], rhs[LONG], weight[ROWS];
        make_model(&d, 2, k, &m);
        int rows = 0;
        for (int j = 0; j < ROWS; j++) {
            weight[j] = times_of[j];
            for (int t = 0; t < times_of[j]; t++, rows++) {
                copy(N0, m.a + j * N0, a + rows * N0);
                copy(N1, m.b + j * N1, b + rows * N1);
                rhs[rows] = m.p.rhs[j];
            }
        }
        const crease_map map[] = { crease_dense(a), crease_dense(b) };
        const crease_predictor q = { 2, m.block, map, crease_vector(rows), rhs, NULL };
        const crease_smooth f = make_loss(k, &m.p), g = make_loss(k, &q);
        m.p.weight = weight;
        draw_point(&d, &m.blocks, 1, &x);
        const double there = value_of(&g, &m.blocks, &x);
        assert_close(value_of(&f, &m.blocks, &x), there, 64 * 0x1p-53 * (1 + there));
        for (int i = 0; i < 2; i++) {
            const vector one = grad_of(&f, &m.blocks, &x, i), two = grad_of(&g, &m.blocks, &x, i);
            const ptrdiff_t n = crease_size(&m.space[i]);
            assert_true(distance(n, one.entry, two.entry) <=
                        256 * 0x1p-53 * (1 + crs_norm(n, two.entry)));
        }
    }
}

static void a_row_of_weight_zero_cannot_overflow(void **state)
{
    draws d = { { 8, 0 }, 0 };
    model m;
    point x;
    (void)state;
    make_model(&d, 1, 0, &m);
    const crease_smooth f = crease_least_squares(&m.p);
    m.p.weight = m.weight;
    for (int j = 0; j < N0; j++) m.a[2 * N0 + j] = 1e200;
    draw_point(&d, &m.blocks, 1, &x);
    assert_true(isfinite(value_of(&f, &m.blocks, &x)));
    m.p.weight = NULL;
    assert_true(value_of(&f, &m.blocks, &x) == INFINITY);
}

static void bad_inputs_are_refused(void **state)
{
    draws d = { { 6, 0 }, 0 };
    model m;
    (void)state;
    make_model(&d, 3, 0, &m);
    const crease_smooth f = crease_cauchy(&m.p), g = crease_logistic(&m.p);
    crease_constants c;
    crease_error e;
    assert_true(crease_smooth_check(&f, &m.blocks, &e));
    assert_false(crease_smooth_constants(&f, &m.blocks, 3, &c, NULL, &e));
    assert_refused(&g, &m.blocks, CREASE_BAD_DATA, "label 1");
    m.p.rhs = NULL;
    assert_refused(&g, &m.blocks, CREASE_BAD_ARGUMENT, "labels");
    m.p.rhs = m.rhs;
    m.rhs[2] = INFINITY;
    assert_refused(&f, &m.blocks, CREASE_BAD_DATA, "entry 3 of rhs");
    m.rhs[2] = 0;
    m.p.weight = m.weight;
    assert_true(crease_smooth_check(&f, &m.blocks, &e));
    m.weight[4] = -1e-300;
    assert_refused(&f, &m.blocks, CREASE_BAD_DATA, "weight 5 is -1e-300");
    m.weight[4] = NAN;
    assert_refused(&f, &m.blocks, CREASE_BAD_DATA, "weight 5");
    m.weight[4] = INFINITY;
    assert_refused(&f, &m.blocks, CREASE_BAD_DATA, "weight 5");
    m.p.weight = NULL;
    m.block[1] = 3;
    assert_refused(&f, &m.blocks, CREASE_BAD_ARGUMENT, "no block 4");
    m.block[1] = -1;
    assert_refused(&f, &m.blocks, CREASE_BAD_ARGUMENT, "no block 0");
    m.block[1] = 1;
    m.map[1] = crease_identity(1); /* 4 columns, 6 rows */
    assert_refused(&f, &m.blocks, CREASE_BAD_SHAPE, "the map of term 2");
    m.map[1].ops = NULL;
    assert_refused(&f, &m.blocks, CREASE_BAD_ARGUMENT, "term 2");
    m.map[1] = crease_dense(m.b);
    m.p.range.dim[0] = 0;
    assert_refused(&f, &m.blocks, CREASE_BAD_SHAPE, "dimension");
    m.p.range.dim[0] = ROWS;
    m.p.count = 0;
    assert_refused(&f, &m.blocks, CREASE_BAD_ARGUMENT, "no terms");
    m.p.count = 3;
    crease_smooth h = crease_huber_loss(&m.p, 0);
    assert_refused(&h, &m.blocks, CREASE_BAD_ARGUMENT, "delta");
    h = crease_lp_loss(&m.p, 2);
    assert_refused(&h, &m.blocks, CREASE_BAD_ARGUMENT, "p = 2");
}

static void constants_hold(void **state)
{
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int k = 0; k < LOSSES; k++)
        for (int terms = 1; terms <= 3; terms++) {
            model m;
            make_model(&d, terms, k, &m);
            const crease_smooth f = make_loss(k, &m.p);
            m.p.weight = terms == 2 ? m.weight : NULL;
            assert_constants(&f, &m.blocks, &d);
        }
}

/* The largest eigenvalue of A'A by power iteration: a lower estimate. */
static double power(const double *a, double *x)
{
    double norm = 0;
    fill(N0, 1, x);
    for (int k = 0; k < 2000; k++) {
        double y[ROWS] = { 0 }, z[N0] = { 0 };
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < N0; j++) y[i] += a[i * N0 + j] * x[j];
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < N0; j++) z[j] += a[i * N0 + j] * y[i];
        norm = crs_norm(N0, z);
        for (int j = 0; j < N0; j++) x[j] = z[j] / norm;
    }
    return norm;
}

/* With one map the constants are attained: along its first right singular vector, at u = 0. */
static void constants_are_sharp(void **state)
{
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (int k = 0; k < LOSSES; k++) {
        model m;
        point x = { 0 }, y = { 0 };
        double block[3];
        make_model(&d, 1, k, &m);
        if (m.p.rhs == m.rhs) m.p.rhs = NULL;
        const crease_smooth f = make_loss(k, &m.p);
        const crease_constants c = constants_of(&f, &m.blocks, 0, block);
        if (k == 6) {
            assert_true(c.L == INFINITY && c.M == INFINITY && block[0] == INFINITY);
            assert_true(c.p == 1.5 && c.rho < INFINITY && block[1] == 0);
            continue;
        }
        const double bend = k == 7 ? 0.25 : k == 8 ? 2 : 1, top = power(m.a, y.entry[0]) * bend;
        assert_true(c.L >= top * (1 - 1e-12) && c.L <= top * (1 + 1e-10));
        assert_true(c.M >= top * (1 - 1e-12) && c.M <= top * (1 + 1e-10));
        assert_true(c.rho == c.L && block[0] >= top * (1 - 1e-12) && block[1] == 0);
        for (int i = 0; i < 3; i++) x.at[i] = x.entry[i], y.at[i] = y.entry[i];
        for (int j = 0; j < N0; j++) y.entry[0][j] *= 1e-4; /* phi'' >= high - 1e-7 on the way */
        const vector gx = grad_of(&f, &m.blocks, &x, 0), gy = grad_of(&f, &m.blocks, &y, 0);
        assert_bounds(&f, &m.blocks, 0, &c, &x, &y);
        assert_true(distance(N0, gx.entry, gy.entry) >= 1e-4 * c.L * (1 - 1e-5));
        assert_true(c.lower == 0 && !c.concave);
    }
}

/* The sums of |W| of the exponent loss: by its matrix when small, safely when large. */
static void lp_norms_are_safe(void **state)
{
    enum { LARGE = 1200 };
    static double d[LARGE];
    draws r = { { 4, 0 }, 0 };
    model m;
    (void)state;
    make_model(&r, 1, 0, &m);
    double one = 0, inf = 0;
    for (int j = 0; j < N0; j++) {
        double sum = 0;
        for (int i = 0; i < ROWS; i++) sum += fabs(m.a[i * N0 + j]);
        one = larger(one, sum);
    }
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < N0; j++) sum += fabs(m.a[i * N0 + j]);
        inf = larger(inf, sum);
    }
    const crease_smooth f = crease_lp_loss(&m.p, 1.3);
    const double exact = pow(2, 1.7) * one * pow(inf, 0.3);
    const crease_constants c = constants_of(&f, &m.blocks, 0, NULL);
    assert_true(c.rho >= exact * (1 - 1e-15) && c.rho <= exact * (1 + 1e-13));

    for (int j = 0; j < LARGE; j++) d[j] = 1 + j % 3;
    const int block = 0;
    const crease_map map = crease_diagonal(d);
    const crease_space s = crease_vector(LARGE);
    const crease_blocks b = { .count = 1, .space = &s };
    const crease_predictor p = { .count = 1, .block = &block, .map = &map, .range = s };
    const crease_smooth g = crease_lp_loss(&p, 1.3);
    assert_true(constants_of(&g, &b, 0, NULL).rho >= pow(2, 1.7) * 3 * pow(3, 0.3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_match_differences),
        cmocka_unit_test(curvature_ranges),
        cmocka_unit_test(nothing_overflows_or_cancels),
        cmocka_unit_test(nan_goes_through),
        cmocka_unit_test(weights_count_rows),
        cmocka_unit_test(a_row_of_weight_zero_cannot_overflow),
        cmocka_unit_test(bad_inputs_are_refused),
        cmocka_unit_test(constants_hold),
        cmocka_unit_test(constants_are_sharp),
        cmocka_unit_test(lp_norms_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
