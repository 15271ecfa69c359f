/* SPDX-License-Identifier: MIT
 * eigh: pseudo-inverses against their definition, generalized eigenvectors of known pencils */
#include <float.h>

#include "dense/dense.h"
#include "support/arrays.h"
#include "support/test.h"

enum { MOST = 8, ROOM = 4096 };

/* p = pinv(g): the rows of I times it */
static void pinv(ptrdiff_t n, const double *g, double *p)
{
    double work[ROOM];
    assert_true(crs_ballquad_scratch(n, n) <= ROOM);
    fill(n * n, 0, p);
    for (ptrdiff_t k = 0; k < n; k++) p[k * n + k] = 1;
    assert_true(crs_pinv_apply(n, n, g, p, work));
}

static void conditions(void **state)
{
    draws d = { { 61, 0 }, 0 };
    (void)state;
    for (ptrdiff_t n = 1; n <= MOST; n++)
        for (ptrdiff_t rank = 0; rank <= n; rank++) {
            double g[MOST * MOST] = { 0 }, p[MOST * MOST], gp[MOST * MOST], back[MOST * MOST];
            for (ptrdiff_t r = 0; r < rank; r++) {
                double x[MOST];
                for (ptrdiff_t i = 0; i < n; i++) x[i] = normal(&d);
                for (ptrdiff_t i = 0; i < n * n; i++)
                    g[i] += (r % 2 ? -1 : 1) * x[i / n] * x[i % n];
            }
            pinv(n, g, p);
            crs_gemm(false, false, n, n, n, 1, g, p, 0, gp);
            for (ptrdiff_t i = 0; i < n * n; i++) /* G P and P are symmetric */
                assert_close(gp[i], gp[i % n * n + i / n], 1e-8);
            crs_gemm(false, false, n, n, n, 1, gp, g, 0, back);
            for (ptrdiff_t i = 0; i < n * n; i++) assert_close(back[i], g[i], 1e-8);
            crs_gemm(false, false, n, n, n, 1, p, gp, 0, back);
            for (ptrdiff_t i = 0; i < n * n; i++)
                assert_close(back[i], p[i], 1e-8 * (1 + crs_norm(n * n, p)));
        }
}

/* n times the distance from |G| to the next double; eigenvalues have errors of about that, so the
 * matrices keep away from it by a factor of 8 */
static void tolerance(void **state)
{
    const double top[] = { 1, 1.5, 2, 1e-200, 3e200 };
    (void)state;
    for (int k = 0; k < 5; k++) {
        const double limit = 2 * (nextafter(top[k], INFINITY) - top[k]);
        const double w[2] = { 0, top[k] }, negative[2] = { -top[k], 0 };
        assert_true(crs_pinv_limit(2, w) == limit && crs_pinv_limit(2, negative) == limit);
        double g[4] = { top[k], 0, 0, 8 * limit }, p[4];
        pinv(2, g, p);
        assert_true(fabs(p[3] * g[3] - 1) < 0.2 && fabs(p[0] * g[0] - 1) < 4 * DBL_EPSILON);
        g[3] = limit / 8;
        pinv(2, g, p);
        assert_true(p[3] == 0 && fabs(p[0] * g[0] - 1) < 4 * DBL_EPSILON);
    }
    const double zero[2] = { 0, 0 };
    assert_true(crs_pinv_limit(2, zero) == 0);
}

static void not_finite(void **state)
{
    double work[ROOM], g[4] = { 1, 0, 0, NAN }, y[2] = { 1, 1 };
    (void)state;
    assert_false(crs_pinv_apply(1, 2, g, y, work));
    assert_true(isnan(y[0]) && isnan(y[1]));
}

/* A v = lambda B v: the vectors A v and B v are parallel. */
static void pencils(void **state)
{
    enum { N = 6 };
    draws d = { { 41, 0 }, 0 };
    double a[N * N], b[N * N], v[N * N], *work = unset_doubles(crs_pencil_scratch(N));
    (void)state;
    normals(&d, N * N, 1, a), normals(&d, N * N, 1, b);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) a[i * N + j] = a[j * N + i], b[i * N + j] = b[j * N + i];
    for (int i = 0; i < N; i++) b[i * N + i] += 10; /* definite: all eigenvalues are real */
    assert_true(crs_pencil(N, a, b, v, work));
    for (int r = 0; r < N; r++) {
        double x[N], y[N];
        crs_gemv(false, N, N, 1, a, v + r * N, 0, x), crs_gemv(false, N, N, 1, b, v + r * N, 0, y);
        const double lambda = crs_dot(N, x, y) / crs_dot(N, y, y);
        axpy(N, -lambda, y, x);
        assert_true(crs_norm(N, v + r * N) > 0.1 && crs_norm(N, x) < 1e-12 * crs_norm(N, y));
    }
    b[3] = NAN;
    assert_false(crs_pencil(N, a, b, v, work));
    assert_true(isnan(v[0]));
    free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions),
        cmocka_unit_test(tolerance),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(pencils),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
