/* SPDX-License-Identifier: MIT
 * smooth_misc: squared distances, the user's own couplings, sums, and the gradient check */
#include "smooth/smooth.h"
#include "support/argmin.h"

enum { N = 6 };

static const crease_space space[] = { { 1, { N }, NULL }, { 1, { N }, NULL }, { 1, { N }, NULL } };
static const crease_blocks blocks = { .count = 3, .space = space };

static void distances_hold(void **state)
{
    static const double weight[] = { 2.5, -0.75, 0 }, radius[] = { INFINITY, 0.5, 40 };
    const double balls[] = { 2, 3, 1 };
    const crease_blocks inside = { .count = 3, .space = space, .radius = balls };
    draws d = { { 1, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 36; k++) {
        double offset[N];
        point x;
        draw_vector(&d, N, 1, offset);
        const double w = weight[k % 3], h = k % 4 * 0.5, r = radius[k / 12];
        const int second = k % 2 ? 1 : -1;
        const crease_distance_data data = { 0, second, w, k % 5 ? offset : NULL };
        const crease_smooth f = crease_squared_distance(&data);
        draw_point(&d, &blocks, 1, &x);
        assert_gradients(&f, &blocks, &x, 0);
        assert_constants(&f, &blocks, &d);
        assert_constants(&f, &inside, &d);
        const crease_constants c = constants_of(&f, &inside, 0, NULL);
        assert_true(c.L == (second < 0 ? 1 : 2) * fabs(w) && c.concave == (w <= 0));
        assert_true(c.quadratic_last == (second < 0) && c.separable_last == (second < 0));
        assert_true(second > 0 || (c.last_low == w && c.last_high == w));
        assert_true(c.lower > -INFINITY && f.ops->curvature(&f, &blocks, x.at, 0, NULL) == fabs(w));
        assert_true(f.ops->argmin(&f, &blocks, x.at, 0, h, NULL, r, NULL, NULL) == (w + h > 0));
        if (w + h > 0) assert_argmin(&f, &blocks, &x, 0, h, r, fabs(w) + h, &d);
        if (w + h > 0 && second > 0) assert_argmin(&f, &blocks, &x, 1, h, r, fabs(w) + h, &d);
        x.entry[0][3] = NAN;
        assert_true(isnan(value_of(&f, &blocks, &x)) &&
                    isnan(grad_of(&f, &blocks, &x, 0).entry[3]));
    }
}

/* M = sqrt(2)|w| and L = 2|w| are attained by moving x_a and x_b apart. */
static void distance_constants_are_sharp(void **state)
{
    const crease_distance_data data = { 2, 1, -3, NULL };
    const crease_smooth f = crease_squared_distance(&data);
    const crease_constants c = constants_of(&f, &blocks, 2, NULL);
    point x = { 0 };
    (void)state;
    for (int i = 0; i < 3; i++) x.at[i] = x.entry[i];
    x.entry[2][0] = 1, x.entry[1][0] = -1;
    const double ga = grad_of(&f, &blocks, &x, 2).entry[0];
    const double gb = grad_of(&f, &blocks, &x, 1).entry[0];
    assert_close(fabs(ga) / sqrt(2), c.M, 4 * 0x1p-52);
    assert_close(hypot(ga, gb) / sqrt(2), c.L, 4 * 0x1p-52);
    assert_true(constants_of(&f, &blocks, 0, NULL).quadratic_last);
}

static void bad_distances_are_refused(void **state)
{
    double offset[N] = { 0 };
    crease_distance_data d = { 0, 3, 1, offset };
    const crease_space mixed[] = { crease_vector(N), crease_vector(2) };
    const crease_blocks b = { .count = 2, .space = mixed };
    const crease_smooth f = crease_squared_distance(&d);
    (void)state;
    assert_refused(&f, &blocks, CREASE_BAD_ARGUMENT, "no block 4");
    d.b = 0;
    assert_refused(&f, &blocks, CREASE_BAD_ARGUMENT, "both blocks are block 1");
    d.b = 1;
    assert_refused(&f, &b, CREASE_BAD_SHAPE, "blocks 1 and 2");
    offset[4] = NAN;
    assert_refused(&f, &blocks, CREASE_BAD_DATA, "entry 5");
    d.weight = INFINITY;
    assert_refused(&f, &blocks, CREASE_BAD_ARGUMENT, "weight");
}

/* f = sum_j cos(x_0j x_1j); the gradient may be off by a factor, in all entries or the first. */
typedef struct {
    double factor;
    bool first_only;
} mistake;

static double product_value(void *user, const double *const *x)
{
    double sum = 0;
    (void)user;
    for (int j = 0; j < N; j++) sum += cos(x[0][j] * x[1][j]);
    return sum;
}

static void product_grad(void *user, const double *const *x, int i, double *g)
{
    const mistake *m = user;
    for (int j = 0; i < 2 && j < N; j++)
        g[j] -= sin(x[0][j] * x[1][j]) * x[1 - i][j] * (j == 0 || !m->first_only ? m->factor : 1);
}

static void gradients_are_checked(void **state)
{
    draws d = { { 2, 0 }, 0 };
    double error;
    mistake m = { 1, false };
    crease_callback_smooth data = { .value = product_value, .grad = product_grad, .user = &m };
    const crease_smooth f = crease_smooth_callback(&data);
    crease_error e;
    point x;
    (void)state;
    for (int k = 0; k < 60; k++) {
        draw_point(&d, &blocks, pow(10, -(k % 6)), &x);
        for (int i = 0; i < 3; i++) {
            m = (mistake){ 1, false };
            assert_true(crease_smooth_check_gradient(&f, &blocks, x.at, i, 10, &error, &e));
            assert_true(error < 1e-5);
        }
        if (k % 6 > 1) continue; /* smaller still, f is constant up to rounding */
        m = (mistake){ k % 2 ? -1 : 0, k % 4 > 1 };
        x.entry[0][0] = x.entry[1][0] = 1; /* the first entry counts */
        assert_true(crease_smooth_check_gradient(&f, &blocks, x.at, 0, 20, &error, &e));
        assert_true(error > 0.5);
    }
    fill(N, 0, x.entry[0]); /* stationary: only rounding is seen */
    fill(N, 0, x.entry[1]);
    assert_true(crease_smooth_check_gradient(&f, &blocks, x.at, 0, 10, &error, &e));
    assert_true(error == 0);
    x.entry[1][0] = NAN;
    assert_true(crease_smooth_check_gradient(&f, &blocks, x.at, 0, 10, &error, &e));
    assert_true(isnan(error));
    assert_false(crease_smooth_check_gradient(&f, &blocks, x.at, 0, 0, &error, &e));
    assert_false(crease_smooth_check_gradient(&f, &blocks, x.at, 3, 1, &error, &e));
}

static void callbacks_are_trusted_and_checked(void **state)
{
    double block[3] = { 1, 2, 3 }, got[3];
    crease_callback_smooth data = { .value = product_value,
                                    .grad = product_grad,
                                    .constants = { .L = 5, .M = 4 } };
    const crease_smooth f = crease_smooth_callback(&data);
    (void)state;
    crease_constants c = constants_of(&f, &blocks, 0, got);
    assert_true(c.L == 5 && c.M == 4 && c.p == 2 && c.rho == 5 && got[1] == 5);
    data.constants.M = 0; /* left out: L serves */
    c = constants_of(&f, &blocks, 0, got);
    assert_true(c.M == 5 && c.lower == 0);
    data.constants = (crease_constants){ .L = 0 }; /* nothing declared: nothing known */
    c = constants_of(&f, &blocks, 0, got);
    assert_true(c.L == INFINITY && c.M == INFINITY && c.rho == INFINITY && c.lower == -INFINITY);
    assert_true(got[0] == INFINITY && got[1] == INFINITY && got[2] == INFINITY && c.p == 2);
    data.constants = (crease_constants){ .L = 5, .p = 1.5 };
    assert_true(constants_of(&f, &blocks, 0, NULL).rho == INFINITY);
    block[0] = 0;
    data.block = block;
    assert_true(constants_of(&f, &blocks, 0, got).L == 5 && got[0] == 5 && got[2] == 3);
    data.constants.rho = 7;
    c = constants_of(&f, &blocks, 0, got);
    assert_true(c.p == 1.5 && c.rho == 7 && got[1] == 2);
    block[2] = -1;
    assert_refused(&f, &blocks, CREASE_BAD_ARGUMENT, "block 3");
    data.block = NULL;
    data.constants.quadratic_last = true;
    assert_refused(&f, &blocks, CREASE_BAD_ARGUMENT, "separable");
    data.constants.lower = NAN;
    assert_refused(&f, &blocks, CREASE_BAD_ARGUMENT, "lower");
    data.constants.p = 3;
    assert_refused(&f, &blocks, CREASE_BAD_ARGUMENT, "p is 3");
    data.constants.L = NAN;
    assert_refused(&f, &blocks, CREASE_BAD_ARGUMENT, "L is");
    data.grad = NULL;
    assert_refused(&f, &blocks, CREASE_BAD_ARGUMENT, "missing");
    const crease_smooth empty = { 0 };
    assert_refused(&empty, &blocks, CREASE_BAD_ARGUMENT, "empty");
}

/* 0 for lower is a declaration beside an L alone. */
static void nothing_is_known_of_a_callback_without_L(void **state)
{
    crease_callback_smooth data = { .value = product_value, .grad = product_grad };
    const crease_smooth f = crease_smooth_callback(&data);
    (void)state;
    assert_false(f.ops->nonnegative(&f));
    data.constants.L = 2;
    assert_true(f.ops->nonnegative(&f));
    data.constants.lower = -1;
    assert_false(f.ops->nonnegative(&f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_hold),
        cmocka_unit_test(distance_constants_are_sharp),
        cmocka_unit_test(bad_distances_are_refused),
        cmocka_unit_test(gradients_are_checked),
        cmocka_unit_test(callbacks_are_trusted_and_checked),
        cmocka_unit_test(nothing_is_known_of_a_callback_without_L),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
