/* SPDX-License-Identifier: MIT
 * extreme: the extreme pairs of a spectrum attain it, and the proofs refuse every bound below */
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

/* Every claim of crs_bottom_eigen on a symmetric matrix; `asked` is the accuracy expected. */
static void check_pair(ptrdiff_t n, const double *a, double exact, double asked)
{
    double *q = room(n), *work = room(crs_bottom_eigen_scratch(n)), lambda, bound;
    assert_true(crs_bottom_eigen(n, a, q, &lambda, &bound, work));
    assert_true(residual(false, n, n, a, q, lambda, q) <= bound);
    assert_close(crs_norm(n, q), 1, 8 * unit);
    if (!(bound <= asked)) fail_msg("residual %g above %g", bound, asked);
    if (!(fabs(lambda - exact) <= asked)) fail_msg("%.17g is not %.17g", lambda, exact);
    free(q), free(work);
}

static void check_by_lapack(ptrdiff_t n, const double *a)
{
    double *w = room(n), *work = room(crs_eigh_scratch(n));
    assert_true(crs_eigh(n, a, w, NULL, work));
    const double norm = larger(fabs(w[0]), fabs(w[n - 1]));
    check_pair(n, a, w[0], norm * (1e-12 + 16 * (double)n * unit));
    free(w), free(work);
}

static void random_symmetric(void **state)
{
    const ptrdiff_t order[] = { 1, 2, 30, 96, 97, 150, 600 };
    draws d = { .r = { .seed = 11 } };
    (void)state;
    for (int k = 0; k < 7; k++) {
        const ptrdiff_t n = order[k];
        double *a = room(n * n);
        for (ptrdiff_t i = 0; i < n; i++)
            for (ptrdiff_t j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = normal(&d);
        check_by_lapack(n, a);
        for (ptrdiff_t j = 0; j < n * n; j++) a[j] *= 1e-150;
        check_by_lapack(n, a);
        free(a);
    }
}

static double with_kernel(ptrdiff_t j) { return j < 40 ? 1 / (1 + (double)j) : 0; }
static double near_double(ptrdiff_t j) { return j < 2 ? 2 - 1e-7 * (double)j : 0.1; }

/* Semidefinite with a large kernel, its negative, and a nearly double lowest eigenvalue. */
static void repeated_and_clustered(void **state)
{
    enum { N = 170 };
    double (*const value[])(ptrdiff_t) = { with_kernel, near_double };
    double *g = room(N * N);
    draws d = { .r = { .seed = 12 } };
    (void)state;
    for (int k = 0; k < 4; k++) {
        double *a = with_values(&d, N, N, value[k / 2]);
        crs_gram(N, N, a, g);
        for (ptrdiff_t j = 0; j < N * N; j++) g[j] = k % 2 ? -g[j] : g[j];
        check_by_lapack(N, g);
        free(a);
    }
    fill(N * N, 0, g);
    check_pair(N, g, 0, 0);
    for (ptrdiff_t i = 0; i < N; i++) g[i * N + i] = -3;
    check_pair(N, g, -3, 1e-12);
    free(g);
}

/* Second differences: the ends of the spectrum crowd; the lowest is 2 - 2 cos(pi/(n+1)). */
static double *second_differences(ptrdiff_t n)
{
    double *a = room(n * n);
    fill(n * n, 0, a);
    for (ptrdiff_t i = 0; i < n; i++) {
        a[i * n + i] = 2;
        if (i > 0) a[i * n + i - 1] = a[(i - 1) * n + i] = -1;
    }
    return a;
}

/* Too large for LAPACK to be asked when the
 * iteration does not converge: the residual must say how far it came. */
static void not_converged(void **state)
{
    enum { N = 2001 };
    double *a = second_differences(N), *q = room(N), lambda, bound;
    double *work = room(crs_bottom_eigen_scratch(N));
    (void)state;
    assert_true(crs_bottom_eigen(N, a, q, &lambda, &bound, work));
    assert_true(residual(false, N, N, a, q, lambda, q) <= bound);
    assert_true(bound > 1e-12 && bound < 1e-2);
    assert_true(lambda >= 2 - 2 * cos(3.14159265358979323846 / (N + 1)) - N * unit);
    free(a), free(q), free(work);
}

/* The same matrix at an order where LAPACK finishes what the iteration cannot. */
static void finished_by_lapack(void **state)
{
    enum { N = 500 };
    double *a = second_differences(N);
    (void)state;
    check_pair(N, a, 2 - 2 * cos(3.14159265358979323846 / (N + 1)), 4e-12);
    free(a);
}

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
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(hard_spectra),
        cmocka_unit_test(structured_matrices),
        cmocka_unit_test(extreme_scales),
        cmocka_unit_test(bad_numbers_and_repetition),
        cmocka_unit_test(random_symmetric),
        cmocka_unit_test(repeated_and_clustered),
        cmocka_unit_test(not_converged),
        cmocka_unit_test(finished_by_lapack),
        cmocka_unit_test(exact_norms),
        cmocka_unit_test(never_below),
        cmocka_unit_test(known_norms),
        cmocka_unit_test(eigenvalues),
        cmocka_unit_test(edge_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
