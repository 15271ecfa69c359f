/* SPDX-License-Identifier: MIT
 * bottom_eigen: the lowest eigenpair against LAPACK and against known spectra */
#include "support/matrices.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_symmetric),
        cmocka_unit_test(repeated_and_clustered),
        cmocka_unit_test(not_converged),
        cmocka_unit_test(finished_by_lapack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
