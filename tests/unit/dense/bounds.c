/* SPDX-License-Identifier: MIT
 * bounds: the bounds of |A|_2 and lambda_min(A A') lie on the safe side, and close to the truth
 *
 * Singular values are known exactly for H D H / n, H a Hadamard matrix and D of small integers;
 * elsewhere any vector under-estimates the norm and over-estimates lambda_min. */
#include <float.h>

#include "support/test.h"

#include "dense/dense.h"

enum { MOST = 64 };
static double a[MOST * MOST];

static double upper(ptrdiff_t m, ptrdiff_t n)
{
    double bound;
    assert_true(crs_norm_bound(m, n, a, &bound, NULL));
    return bound;
}

static double lower(ptrdiff_t m, ptrdiff_t n)
{
    double bound;
    assert_true(crs_sigma_min_bound(m, n, a, &bound, NULL));
    return bound;
}

/* Sylvester's Hadamard matrix of order n = 2^k: H H' = n I, entries +-1 */
static double hadamard(ptrdiff_t i, ptrdiff_t j)
{
    int ones = 0;
    for (ptrdiff_t bits = i & j; bits; bits &= bits - 1) ones++;
    return ones % 2 ? -1 : 1;
}

/* A = H D H / n with D = diag(d): singular values d exactly; the sums below are exact for small
 * integers d, as the entries are integers over n. */
static void with_singular_values(ptrdiff_t n, const double *d, double factor)
{
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            double sum = 0;
            for (ptrdiff_t l = 0; l < n; l++) sum += hadamard(i, l) * d[l] * hadamard(l, j);
            a[i * n + j] = factor * sum / (double)n;
        }
}

static void known_values_are_bracketed(void **state)
{
    draws d = { { 2, 1 }, 0 };
    (void)state;
    for (int k = 0; k < 60; k++) {
        const ptrdiff_t n = (ptrdiff_t)1 << k % 7;
        const double factor = ldexp(1, (k % 5 - 2) * 300); /* 2^-600 .. 2^600 */
        double value[MOST], most = 0, least = INFINITY;
        for (ptrdiff_t j = 0; j < n; j++) {
            value[j] = 1 + floor(uniform(&d, 0, 1000));
            most = larger(most, value[j]), least = smaller(least, value[j]);
        }
        with_singular_values(n, value, factor);
        const double slack = 40 * (double)(n * n) * DBL_EPSILON, high = upper(n, n) / factor;
        assert_true(high >= most && high <= most * (1 + slack));
        const double low = lower(n, n) / factor / factor; /* 4^600 overflows, 4^-600 vanishes */
        if (factor <= 0x1p300) assert_true(low <= least * least);
        if (fabs(log2(factor)) <= 300) assert_true(low >= least * least - slack * most * most);
    }
}

static void no_vector_escapes(void **state)
{
    draws d = { { 2, 2 }, 0 };
    (void)state;
    for (int k = 0; k < 200; k++) {
        const ptrdiff_t m = 1 + k % 13, n = 1 + k % 17;
        double x[MOST], y[MOST];
        for (ptrdiff_t j = 0; j < m * n; j++)
            a[j] = normal(&d) * pow(10, k % 3 ? 0 : uniform(&d, -8, 8));
        const double high = upper(m, n), low = lower(m, n);
        assert_true(m <= n || low == 0);
        for (ptrdiff_t j = 0; j < m; j++) y[j] = normal(&d);
        for (int step = 0; step < 60; step++) { /* power iteration: |A'y|/|y| <= |A|_2 */
            crs_gemv(true, m, n, 1, a, y, 0, x);
            const double ratio = crs_norm(n, x) / crs_norm(m, y);
            assert_true(ratio <= high && low <= ratio * ratio * (1 + 100 * DBL_EPSILON));
            crs_gemv(false, m, n, 1 / crs_norm(n, x), a, x, 0, y);
        }
    }
}

static void nearly_singular_is_never_overestimated(void **state)
{
    (void)state;
    for (int k = 1; k < 60; k++) { /* rows (1,1) and (1,1+d): det = d */
        a[0] = a[1] = a[2] = 1, a[3] = 1 + ldexp(1, -k);
        const double d = a[3] - 1, trace = 3 + a[3] * a[3];
        const double truth = 2 * d * d / (trace + sqrt(trace * trace - 4 * d * d));
        assert_true(lower(2, 2) <= truth);
        assert_true(k > 18 || lower(2, 2) > 0.9 * truth); /* 34 eps trace is below 0.1 d^2/4 */
    }
    for (ptrdiff_t i = 0; i < 12; i++) /* Hilbert: cond 1e16 */
        for (ptrdiff_t j = 0; j < 12; j++) a[i * 12 + j] = 1 / (double)(i + j + 1);
    assert_true(lower(12, 12) <= 1e-32 && upper(12, 12) >= 1.795372059561997);
    assert_true(upper(12, 12) <= 1.7953720595621);
}

static void extremes_are_scaled(void **state)
{
    (void)state;
    a[0] = 3e200, a[1] = 4e200;
    assert_true(upper(1, 2) >= 5e200 * (1 - DBL_EPSILON) && upper(1, 2) <= 5e200 * (1 + 1e-13));
    assert_true(isfinite(lower(1, 2)) && lower(1, 2) > 1e308); /* 25e400: any double is below */
    a[0] = 3e-200, a[1] = 4e-200;
    assert_true(upper(1, 2) >= 5e-200 * (1 - DBL_EPSILON) && upper(1, 2) <= 5e-200 * (1 + 1e-13));
    assert_true(lower(1, 2) == 0);
    a[0] = a[1] = 5e-324; /* the smallest double; sqrt(2) times it rounds down to itself */
    assert_true(upper(1, 2) > 5e-324 && lower(1, 2) == 0);
    a[0] = a[1] = DBL_MAX;
    assert_true(upper(1, 2) == INFINITY && isfinite(lower(1, 2)));
    fill(6, 0, a);
    assert_true(upper(2, 3) == 0 && lower(2, 3) == 0);
}

static void beyond_the_limit_sums_serve(void **state)
{
    enum { N = CRS_GRAM_LIMIT + 1 };
    (void)state;
    double *ones = crs_doubles((ptrdiff_t)N * N, "a test", NULL), bound;
    fill((ptrdiff_t)N * N, 1, ones); /* norm N, and both sums are N */
    assert_true(crs_norm_bound(N, N, ones, &bound, NULL));
    assert_true(bound >= N && bound <= N * (1 + 1e-11));
    assert_true(crs_sigma_min_bound(N, N, ones, &bound, NULL) && bound == 0);
    crs_free(ones);
}

static void bad_data_are_named(void **state)
{
    crease_error e;
    double bound;
    (void)state;
    fill(6, 1, a);
    a[5] = NAN;
    assert_false(crs_norm_bound(2, 3, a, &bound, &e));
    assert_true(e.code == CREASE_BAD_DATA && strstr(e.text, "(2,3)") && isnan(bound));
    a[5] = -INFINITY;
    assert_false(crs_sigma_min_bound(2, 3, a, &bound, &e));
    assert_true(e.code == CREASE_BAD_DATA && strstr(e.text, "(2,3)"));
    assert_false(crs_sigma_min_bound(2, 3, a, &bound, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values_are_bracketed),
        cmocka_unit_test(no_vector_escapes),
        cmocka_unit_test(nearly_singular_is_never_overestimated),
        cmocka_unit_test(extremes_are_scaled),
        cmocka_unit_test(beyond_the_limit_sums_serve),
        cmocka_unit_test(bad_data_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
