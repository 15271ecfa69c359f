/* SPDX-License-Identifier: MIT
 * quadratic_constants: exact where the eigenvalues are known, and safe beyond */
#include "smooth/smooth.h"
#include "support/coupling.h"

/* 2x2 block 0, 1 number in block 1: Q = (2 1 0; 1 2 0; 0 0 -5) has eigenvalues 3, 1, -5. */
static void constants_are_exact(void **state)
{
    const double a[] = { 2, 1, 1, 2 }, d[] = { -5 }, q[] = { 1, 0 };
    const double *const matrix[] = { a, d }, *const linear[] = { q };
    const int row[] = { 0, 1 }, col[] = { 0, 1 };
    const crease_space space[] = { crease_vector(2), crease_vector(1) };
    crease_quadratic_data data = { 2, row, col, matrix, linear, 1 };
    crease_blocks b = { .count = 2, .space = space };
    const crease_smooth f = crease_quadratic(&data);
    double block[2];
    (void)state;
    crease_constants c = constants_of(&f, &b, 1, block);
    const double slack = 64 * 0x1p-52;
    assert_true(c.L >= 5 && c.L <= 5 + slack && c.M >= 5 && c.M <= 5 + slack);
    assert_true(c.rho >= 3 && c.rho <= 3 + slack && block[0] >= 3 && block[0] <= 3 + slack);
    assert_true(block[1] == 5 && c.separable_last && c.quadratic_last && !c.concave);
    assert_true(c.last_low == -5 && c.last_high == -5 && c.lower == -INFINITY);
    const double radius[] = { 2, 3 };
    b.radius = radius; /* -5/2 (4 + 9) - 2, at most */
    c = constants_of(&f, &b, 0, NULL);
    assert_true(c.lower <= -5.0 / 2 * 9 - 2 && c.lower >= -5.0 / 2 * 13 - 2 - 1e-12);
    assert_true(c.last_low <= 1 && c.last_low >= 1 - slack && c.last_high >= 3);

    data.count = 1; /* definite: -q'Q^{-1}q/2 = -1/3 */
    b.radius = NULL;
    c = constants_of(&f, &b, 1, NULL);
    assert_true(c.lower <= -1.0 / 3 && c.lower >= -1.0 / 3 - 1e-13);
    assert_true(c.quadratic_last && c.last_low == 0 && c.last_high == 0 && c.M == 0);
    data.linear = NULL;
    assert_true(constants_of(&f, &b, 1, NULL).lower == 0);
    data.count = 0; /* linear alone: concave, nothing curved */
    data.linear = linear;
    c = constants_of(&f, &b, 0, NULL);
    assert_true(c.concave && c.L == 0 && c.rho == 0 && c.lower == -INFINITY && c.quadratic_last);
}

/* Q = (0 0 1; 0 0 1; 1 1 0), all of it coupling: eigenvalues 0 and +-sqrt(2). */
static void couplings_count(void **state)
{
    const double cross[] = { 1, 1 };
    const double *const matrix[] = { cross };
    const int zero = 0, one = 1;
    const crease_space space[] = { crease_vector(2), crease_vector(1) };
    const crease_blocks b = { .count = 2, .space = space };
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        const crease_quadratic_data data = {
            1, turned ? &one : &zero, turned ? &zero : &one, matrix, NULL, 0
        };
        const crease_smooth f = crease_quadratic(&data);
        double block[2];
        const crease_constants c = constants_of(&f, &b, 1, block);
        assert_true(c.L >= sqrt(2) && c.L <= sqrt(2) + 0x1p-45 && c.M >= sqrt(2));
        assert_true(c.M <= c.L && c.rho == c.L && block[0] == 0 && block[1] == 0);
        assert_true(!c.separable_last && !c.concave && c.lower == -INFINITY);
    }
}

static void concavity_is_recognised(void **state)
{
    double a[] = { -1, 0, 0, 0, -1e-12, 0, 0, 0, 0 };
    const double *const matrix[] = { a };
    const int zero = 0;
    const crease_space space = crease_vector(3);
    const crease_quadratic_data data = { 1, &zero, &zero, matrix, NULL, 0 };
    const crease_blocks b = { .count = 1, .space = &space };
    const crease_smooth f = crease_quadratic(&data);
    (void)state;
    assert_true(constants_of(&f, &b, 0, NULL).concave);
    a[8] = 1e-300; /* and the least positive eigenvalue ends it */
    assert_false(constants_of(&f, &b, 0, NULL).concave);
    a[8] = -1, a[1] = a[3] = 0.5, a[4] = -1;
    assert_true(constants_of(&f, &b, 0, NULL).concave);
    draws d = { { 2, 0 }, 0 };
    for (int k = 0; k < 100; k++) { /* f((x+y)/2) >= (f(x) + f(y))/2 */
        point x, y, z;
        draw_point(&d, &b, 1, &x);
        draw_point(&d, &b, 1, &y);
        draw_point(&d, &b, 1, &z);
        for (int j = 0; j < 3; j++) z.entry[0][j] = (x.entry[0][j] + y.entry[0][j]) / 2;
        assert_true(2 * value_of(&f, &b, &z) >=
                    value_of(&f, &b, &x) + value_of(&f, &b, &y) - 1e-14);
    }
}

/* Beyond the affordable size, the discs: for the second difference (-1, 2, -1), [0, 4]. */
static void large_hessians_are_bounded(void **state)
{
    enum { LARGE = 1600 };
    const ptrdiff_t n = LARGE;
    double *a = crs_alloc((size_t)(n * n + n), sizeof *a), block[1];
    const double *const matrix[] = { a };
    const int zero = 0;
    const crease_space space = crease_vector(n);
    crease_quadratic_data data = { 1, &zero, &zero, matrix, NULL, 0 };
    const crease_blocks b = { .count = 1, .space = &space };
    const crease_smooth f = crease_quadratic(&data);
    (void)state;
    assert_non_null(a);
    for (ptrdiff_t j = 0; j < n; j++) {
        a[j * n + j] = 2;
        if (j > 0) a[j * n + j - 1] = a[(j - 1) * n + j] = -1;
    }
    const crease_constants c = constants_of(&f, &b, 0, block);
    assert_true(c.L >= 3.99999 && c.L <= 4.000001 && block[0] == c.L && c.rho == c.L);
    assert_true(c.last_low <= 0 && c.last_low >= -1e-9);
    assert_false(f.ops->argmin(&f, &b, NULL, 0, 1, NULL, INFINITY, NULL, NULL));

    double *one = a + n * n; /* (-1, 3, -1) and q = 1: f >= -|q|^2/2, nearly attained at -1 */
    const double *const linear[] = { one };
    for (ptrdiff_t j = 0; j < n; j++) a[j * n + j] = 3, one[j] = 1;
    data.linear = linear;
    data.blocks = 1;
    const double lower = constants_of(&f, &b, 0, NULL).lower, half = (double)n / 2;
    assert_true(lower <= -half + 1 && lower >= -half * (1 + 1e-9)); /* slack: n^1.5 2^-50 */
    crs_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_exact),
        cmocka_unit_test(couplings_count),
        cmocka_unit_test(concavity_is_recognised),
        cmocka_unit_test(large_hessians_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
