/* SPDX-License-Identifier: MIT
 * pencil: generalized eigenvectors by their definition */
#include "dense/dense.h"
#include "support/arrays.h"

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
    const struct CMUnitTest tests[] = { cmocka_unit_test(pencils) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
