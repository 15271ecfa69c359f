/* SPDX-License-Identifier: MIT
 * certified_bounds: a proof of a bound passes just above the norm and never below it */
#include "support/matrices.h"

static bool proves_norm(ptrdiff_t m, ptrdiff_t n, const double *a, double bound)
{
    double *work = room(crs_certify_scratch(m, n));
    const bool proved = crs_certify_norm(m, n, a, bound, work);
    free(work);
    return proved;
}

static double proved_norm(ptrdiff_t m, ptrdiff_t n, const double *a)
{
    double *work = room(crs_proved_scratch(m, n));
    const double bound = crs_proved_norm(m, n, a, work);
    free(work);
    return bound;
}

static double proved_eigen(ptrdiff_t n, const double *a)
{
    double *work = room(crs_proved_scratch(n, n));
    const double bound = crs_proved_eigen(n, a, work);
    free(work);
    return bound;
}

/* Matrices of +1 and -1 with orthogonal rows: all n singular values are sqrt(n). */
static void exact_norms(void **state)
{
    (void)state;
    for (ptrdiff_t n = 1; n <= 256; n *= 4) {
        double *a = room(n * n);
        a[0] = 1;
        for (ptrdiff_t k = 1; k < n; k *= 2)
            for (ptrdiff_t i = 0; i < k; i++)
                for (ptrdiff_t j = 0; j < k; j++) {
                    const double t = a[i * n + j];
                    a[i * n + j + k] = a[(i + k) * n + j] = t;
                    a[(i + k) * n + j + k] = -t;
                }
        const double norm = sqrt((double)n), loss = (double)(3 * n * n + 24 * n) * unit;
        const double bound = proved_norm(n, n, a);
        assert_false(proves_norm(n, n, a, nextafter(norm, 0)));
        assert_true(bound >= norm && bound <= norm * (1 + loss + 1e-12));
        assert_true(proves_norm(n, n, a, norm * (1 + 2 * loss)));
        free(a);
    }
}

/* |a b; b a|_2 = a + b, exactly: not even the next number below is ever proved. */
static void never_below(void **state)
{
    draws d = { .r = { .seed = 23 } };
    (void)state;
    for (int k = 0; k < 20000; k++) {
        const double a = floor(uniform(&d, 1, 1e8)), b = floor(uniform(&d, 1, 1e8));
        const double w[] = { a, b, b, a };
        double work[4];
        assert_false(proves_norm(2, 2, w, nextafter(a + b, 0)));
        assert_false(crs_certify_eigen(2, w, nextafter(a + b, 0), work));
    }
}

static double decaying(ptrdiff_t j) { return 2 / (1 + (double)j); }

/* All shapes and scales; the norm is 2 scale up to the roundings of nine reflections. */
static void known_norms(void **state)
{
    const ptrdiff_t shape[][2] = { { 1, 1 },   { 1, 9 },     { 9, 1 },     { 4, 7 },
                                   { 60, 20 }, { 200, 130 }, { 130, 700 }, { 800, 500 } };
    const double scale[] = { 1, 1e-300, 1e-150, 1e150, 1e300 };
    draws d = { .r = { .seed = 21 } };
    (void)state;
    for (int k = 0; k < 8; k++) {
        const ptrdiff_t m = shape[k][0], n = shape[k][1], least = m < n ? m : n;
        double *a = with_values(&d, m, n, decaying), *b = room(m * n);
        const double rounding = 64 * (double)(m + n) * unit;
        const double loss = (double)((m + n + 24) * least) * unit + 1e-12 + rounding;
        for (int i = 0; i < 5; i++) {
            const double norm = 2 * scale[i];
            for (ptrdiff_t j = 0; j < m * n; j++) b[j] = scale[i] * a[j];
            const double bound = proved_norm(m, n, b);
            assert_true(bound >= norm * (1 - rounding) && bound <= norm * (1 + loss));
            assert_false(proves_norm(m, n, b, norm * (1 - rounding)));
        }
        free(a), free(b);
    }
}

static void eigenvalues(void **state)
{
    draws d = { .r = { .seed = 22 } };
    (void)state;
    for (ptrdiff_t n = 1; n <= 243; n *= 3) {
        double *a = room(n * n), *w = room(n), *work = room(crs_eigh_scratch(n));
        double *proof = room(n * n);
        for (ptrdiff_t i = 0; i < n; i++)
            for (ptrdiff_t j = 0; j <= i; j++)
                a[i * n + j] = a[j * n + i] = normal(&d) - 2 * (double)(i == j && n == 9);
        assert_true(crs_eigh(n, a, w, NULL, work));
        const double top = w[n - 1], norm = crs_norm(n * n, a), bound = proved_eigen(n, a);
        const double rounding = (double)n * unit * norm;
        assert_true(bound >= top - rounding);
        assert_true(bound <= top + norm * ((double)(n * n + 32 * n) * 4 * unit + 1e-12));
        assert_false(crs_certify_eigen(n, a, top - 4 * rounding - unit, proof));
        free(a), free(w), free(work), free(proof);
    }
}

static void edge_cases(void **state)
{
    double a[] = { 0, 0, 0, 0, 0, 0 }, work[512];
    (void)state;
    assert_true(proves_norm(2, 3, a, 0) && proves_norm(2, 3, a, 1e-300));
    assert_false(proves_norm(2, 3, a, -1) || proves_norm(2, 3, a, NAN));
    assert_true(proved_norm(2, 3, a) == 0 && proved_eigen(2, a) == 0);
    assert_true(crs_certify_eigen(2, a, 0, work));
    a[3] = -2; /* diag(0, -2): the largest eigenvalue is the zero */
    assert_true(proved_eigen(2, a) >= 0 && proved_eigen(2, a) <= 1e-13);
    a[0] = -1;
    assert_true(proved_eigen(2, a) >= -1 && proved_eigen(2, a) <= -1 + 1e-13);
    a[1] = NAN;
    assert_false(proves_norm(2, 3, a, 10) || crs_certify_eigen(2, a, 10, work));
    assert_true(isnan(proved_norm(2, 3, a)) && isnan(proved_eigen(2, a)));
    a[1] = INFINITY;
    assert_false(proves_norm(2, 3, a, INFINITY) || proves_norm(2, 3, a, 1e300));
    assert_true(isnan(proved_norm(2, 3, a)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_norms), cmocka_unit_test(never_below), cmocka_unit_test(known_norms),
        cmocka_unit_test(eigenvalues), cmocka_unit_test(edge_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
