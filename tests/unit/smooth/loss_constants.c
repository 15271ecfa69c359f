/* SPDX-License-Identifier: MIT
 * loss_constants: the constants of the losses hold on random points, and are attained */
#include "support/losses.h"

static void constants_hold(void **state)
{
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int k = 0; k < LOSSES; k++)
        for (int terms = 1; terms <= 3; terms++) {
            model m;
            make_model(&d, terms, k == 7, &m);
            const crease_smooth f = make_loss(k, &m.p);
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
        make_model(&d, 1, k == 7, &m);
        if (k != 7) m.p.rhs = NULL;
        const crease_smooth f = make_loss(k, &m.p);
        const crease_constants c = constants_of(&f, &m.blocks, 0, block);
        if (k == 6) {
            assert_true(c.L == INFINITY && c.M == INFINITY && block[0] == INFINITY);
            assert_true(c.p == 1.5 && c.rho < INFINITY && block[1] == 0);
            continue;
        }
        const double bend = k == 7 ? 0.25 : 1, top = power(m.a, y.entry[0]) * bend;
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
    make_model(&r, 1, false, &m);
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
        cmocka_unit_test(constants_hold),
        cmocka_unit_test(constants_are_sharp),
        cmocka_unit_test(lp_norms_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
