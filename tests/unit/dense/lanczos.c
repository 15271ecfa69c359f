/* SPDX-License-Identifier: MIT
 * lanczos: extreme pairs against LAPACK and known spectra, residuals against long double */
#include "support/matrices.h"

/* Every claim of crs_top_singular on a. */
static void check_triplet(ptrdiff_t m, ptrdiff_t n, const double *a)
{
    double *u = room(m), *v = room(n), *s = room(m < n ? m : n), sigma, bound;
    double *work = room(crs_top_singular_scratch(m, n)), *lapack = room(crs_svd_scratch(m, n));
    assert_true(crs_top_singular(m, n, a, u, v, &sigma, &bound, work));
    assert_true(crs_singular_values(m, n, a, s, lapack));
    assert_true(residual(false, m, n, a, v, sigma, u) <= bound);
    assert_true(residual(true, m, n, a, u, sigma, v) <= bound);
    assert_close(crs_norm(m, u), 1, 8 * unit);
    assert_close(crs_norm(n, v), 1, 8 * unit);
    /* 1e-12 asked of the iteration; the rest is rounding, in the order of the size */
    const double rounding = (double)(m + n) * unit * s[0];
    if (!(bound <= 1e-12 * sigma + 8 * rounding)) fail_msg("residual %g of %g", bound, sigma);
    if (!(fabs(sigma - s[0]) <= 1e-12 * s[0] + rounding)) fail_msg("%.17g %.17g", sigma, s[0]);
    free(u), free(v), free(s), free(work), free(lapack);
}

static double clustered(ptrdiff_t j) { return j < 20 ? 1 - 1e-6 * (double)j : 0.5; }
static double repeated(ptrdiff_t j) { return j < 5 ? 3 : 1 / (double)j; }
static double deficient(ptrdiff_t j) { return j < 3 ? (double)(3 - j) : 0; }
static double geometric(ptrdiff_t j) { return pow(0.9, (double)j); }

static void random_matrices(void **state)
{
    const ptrdiff_t shape[][2] = { { 1, 1 },    { 1, 400 },   { 400, 1 },   { 2, 3 },
                                   { 40, 30 },  { 96, 96 },   { 97, 97 },   { 97, 300 },
                                   { 300, 97 }, { 130, 131 }, { 1500, 800 } };
    draws d = { .r = { .seed = 1 } };
    (void)state;
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        const ptrdiff_t m = shape[k][0], n = shape[k][1];
        double *a = room(m * n);
        gaussian(&d, m * n, a);
        check_triplet(m, n, a);
        free(a);
    }
}

static void hard_spectra(void **state)
{
    double (*const value[])(ptrdiff_t) = { clustered, repeated, deficient, geometric };
    draws d = { .r = { .seed = 2 } };
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int wide = 0; wide < 2; wide++) {
            const ptrdiff_t m = wide ? 120 : 210, n = wide ? 330 : 140;
            double *a = with_values(&d, m, n, value[k]);
            check_triplet(m, n, a);
            free(a);
        }
}

/* Singular vectors that a start of ones, or of one unit vector, would miss. */
static void structured_matrices(void **state)
{
    enum { M = 128, N = 160 };
    double *a = room(M * N);
    (void)state;
    for (ptrdiff_t j = 0; j < M * N; j++) a[j] = 1;
    check_triplet(M, N, a);
    for (ptrdiff_t j = 0; j < M * N; j++) a[j] = j % N % 2 ? -1 : 1;
    check_triplet(M, N, a);
    fill(M * N, 0, a);
    a[M * N - 1] = 7;
    check_triplet(M, N, a);
    for (ptrdiff_t j = 0; j < M; j++) a[j * N + j] = 1 + (double)(j == 77);
    check_triplet(M, N, a);
    fill(M * N, 0, a);
    check_triplet(M, N, a);
    free(a);
}

static void extreme_scales(void **state)
{
    enum { M = 110, N = 120 };
    const double scale[] = { 1e-300, 1e-150, 1e-12, 1e12, 1e150, 1e300 };
    static double a[M * N], b[M * N], u[M], v[N];
    double *work = room(crs_top_singular_scratch(M, N)), sigma, bound, first, unused;
    draws d = { .r = { .seed = 3 } };
    (void)state;
    gaussian(&d, M * N, a);
    assert_true(crs_top_singular(M, N, a, u, v, &first, &unused, work));
    for (size_t k = 0; k < sizeof scale / sizeof *scale; k++) {
        for (ptrdiff_t j = 0; j < M * N; j++) b[j] = scale[k] * a[j];
        assert_true(crs_top_singular(M, N, b, u, v, &sigma, &bound, work));
        assert_close(sigma / scale[k] / first, 1, (M + N) * unit);
        assert_true(bound <= 1e-12 * sigma);
    }
    free(work);
}

static void bad_numbers_and_repetition(void **state)
{
    enum { N = 100 };
    static double a[N * N], u[2][N], v[2][N];
    double *work = room(crs_top_singular_scratch(N, N)), sigma[2], bound;
    draws d = { .r = { .seed = 4 } };
    (void)state;
    gaussian(&d, N * N, a);
    for (int k = 0; k < 2; k++)
        assert_true(crs_top_singular(N, N, a, u[k], v[k], &sigma[k], &bound, work));
    assert_memory_equal(u[0], u[1], sizeof u[0]);
    assert_memory_equal(v[0], v[1], sizeof v[0]);
    for (int k = 0; k < 2; k++) {
        a[N + 3] = k ? INFINITY : NAN;
        assert_false(crs_top_singular(N, N, a, u[0], v[0], sigma, &bound, work));
        assert_true(isnan(sigma[0]) && isnan(bound) && isnan(u[0][N - 1]) && isnan(v[0][0]));
        assert_false(crs_bottom_eigen(N, a, u[0], sigma, &bound, work));
        assert_true(isnan(sigma[0]) && isnan(bound) && isnan(u[0][N - 1]));
    }
    free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(hard_spectra),
        cmocka_unit_test(structured_matrices),
        cmocka_unit_test(extreme_scales),
        cmocka_unit_test(bad_numbers_and_repetition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
