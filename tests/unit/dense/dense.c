/* SPDX-License-Identifier: MIT
 * dense: products against plain loops, decompositions against their definitions, and nothing
 * that is not finite reaches LAPACK */
#include "support/test.h"

#include "dense/dense.h"

#define EPS 0x1p-52
enum { MOST = 40 };

static void random_matrix(draws *d, ptrdiff_t count, double *a)
{
    for (ptrdiff_t j = 0; j < count; j++) a[j] = normal(d);
}

static void products_match_loops(void **state)
{
    static double a[MOST * MOST], b[MOST * MOST], c[MOST * MOST], expected[MOST * MOST];
    draws d = { { 1, 1 }, 0 };
    (void)state;
    for (int k = 0; k < 200; k++) {
        const ptrdiff_t m = 1 + k % 7, n = 1 + k % 5, inner = k % 11; /* 0: an empty sum */
        const double alpha = normal(&d), beta = k % 3 ? normal(&d) : 0;
        const bool at = k & 1, bt = k & 2;
        random_matrix(&d, m * inner, a), random_matrix(&d, inner * n, b);
        random_matrix(&d, m * n, c);
        for (ptrdiff_t i = 0; i < m; i++)
            for (ptrdiff_t j = 0; j < n; j++) {
                double sum = 0;
                for (ptrdiff_t l = 0; l < inner; l++)
                    sum += a[at ? l * m + i : i * inner + l] * b[bt ? j * inner + l : l * n + j];
                expected[i * n + j] = alpha * sum + beta * c[i * n + j];
            }
        if (beta == 0) fill(m * n, NAN, c); /* beta = 0 overwrites */
        double plain[MOST];
        copy(m * n, c, plain);
        crs_gemm(at, bt, m, n, inner, alpha, a, b, beta, c);
        crs_gemm_plain(at, bt, m, n, inner, alpha, a, b, beta, plain);
        for (ptrdiff_t j = 0; j < m * n; j++) {
            assert_close(c[j], expected[j], 100 * EPS);
            assert_close(plain[j], expected[j], 100 * EPS);
        }
    }
}

static void vectors_and_gram_match_products(void **state)
{
    static double a[MOST * MOST], x[MOST], y[MOST], z[MOST], g[MOST * MOST], h[MOST * MOST];
    draws d = { { 1, 2 }, 0 };
    (void)state;
    for (int k = 0; k < 100; k++) {
        const ptrdiff_t m = 1 + k % 9, n = k % 6;
        const bool at = k & 1;
        const ptrdiff_t rows = at ? n : m, inner = at ? m : n;
        random_matrix(&d, m * n, a), random_matrix(&d, inner, x), random_matrix(&d, rows, y);
        if (k % 4 == 0) fill(rows, NAN, y);
        copy(rows, y, z);
        crs_gemv(at, m, n, 2, a, x, k % 4 ? 0.5 : 0, y);
        crs_gemm_plain(at, false, rows, 1, inner, 2, a, x, k % 4 ? 0.5 : 0, z);
        for (ptrdiff_t j = 0; j < rows; j++) assert_close(y[j], z[j], 100 * EPS);

        fill(n * n, NAN, g);
        crs_gram(m, n, a, g);
        crs_gemm_plain(true, false, n, n, m, 1, a, a, 0, h);
        for (ptrdiff_t j = 0; j < n * n; j++) assert_close(g[j], h[j], 100 * EPS);
    }
}

/* |Q'Q - I| where the columns (or the rows) of q, m x n, are orthonormal */
static void assert_orthonormal(ptrdiff_t m, ptrdiff_t n, bool rows, const double *q)
{
    static double g[MOST * MOST];
    const ptrdiff_t k = rows ? m : n, inner = rows ? n : m;
    crs_gemm_plain(!rows, rows, k, k, inner, 1, q, q, 0, g);
    for (ptrdiff_t j = 0; j < k * k; j++) assert_close(g[j], j % (k + 1) == 0, 10 * MOST * EPS);
}

static void assert_svd(ptrdiff_t m, ptrdiff_t n, const double *a)
{
    static double u[MOST * MOST], s[MOST], vt[MOST * MOST], work[20000];
    const ptrdiff_t k = m < n ? m : n;
    assert_true(crs_svd_scratch(m, n) <= 20000);
    assert_true(crs_svd(m, n, a, u, s, vt, work));
    assert_orthonormal(m, k, false, u);
    assert_orthonormal(k, n, true, vt);
    for (ptrdiff_t j = 0; j < k; j++) assert_true(s[j] >= 0 && (j == 0 || s[j] <= s[j - 1]));
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            double sum = 0;
            for (ptrdiff_t l = 0; l < k; l++) sum += u[i * k + l] * s[l] * vt[l * n + j];
            assert_true(fabs(sum - a[i * n + j]) <= 10 * MOST * EPS * s[0]);
        }
    double alone[MOST];
    assert_true(crs_singular_values(m, n, a, alone, work));
    for (ptrdiff_t j = 0; j < k; j++) assert_true(fabs(alone[j] - s[j]) <= 10 * MOST * EPS * s[0]);
}

static void singular_values_decompose(void **state)
{
    static const ptrdiff_t shape[][2] = { { 1, 1 },  { 1, 30 }, { 30, 1 }, { 7, 7 },
                                          { 20, 3 }, { 3, 20 }, { 12, 9 }, { 40, 40 } };
    static double a[MOST * MOST], left[MOST * 2], right[MOST * 2];
    draws d = { { 1, 3 }, 0 };
    (void)state;
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        const ptrdiff_t m = shape[k][0], n = shape[k][1];
        random_matrix(&d, m * n, a);
        assert_svd(m, n, a);
        random_matrix(&d, m * 2, left), random_matrix(&d, n * 2, right);
        crs_gemm(false, true, m, n, 2, 1e100, left, right, 0, a); /* rank at most 2 */
        assert_svd(m, n, a);
        fill(m * n, 0, a);
        assert_svd(m, n, a);
    }
}

static void bad_numbers_are_refused(void **state)
{
    static double work[2000], u[16], vt[16], s[4];
    const double bad[] = { NAN, INFINITY, -INFINITY };
    (void)state;
    for (int k = 0; k < 3; k++) {
        double a[9] = { 1, 2, 3, 2, 5, 6, 3, 6, 9 };
        a[4] = bad[k];
        assert_false(crs_svd(3, 3, a, u, s, vt, work));
        assert_true(isnan(u[8]) && isnan(s[2]) && isnan(vt[8]));
        assert_false(crs_singular_values(3, 3, a, s, work));
        assert_true(isnan(s[0]));
        assert_false(crs_eigh(3, a, s, u, work));
        assert_true(isnan(s[0]) && isnan(u[0]));
        assert_false(crs_cholesky(3, a));
    }
    assert_false(crs_svd_fits((ptrdiff_t)1 << 40, 2));
    assert_false(crs_svd_fits(40000, 40000));
    assert_false(crs_eigh_fits(100000));
}

static void eigenvectors_diagonalize(void **state)
{
    static double a[MOST * MOST], g[MOST * MOST], w[MOST], alone[MOST], q[MOST * MOST], work[10000];
    draws d = { { 1, 4 }, 0 };
    (void)state;
    for (ptrdiff_t n = 1; n <= 30; n++) {
        random_matrix(&d, n * n, a);
        for (ptrdiff_t j = 0; j < n * n; j++) g[j] = a[j] + a[j % n * n + j / n];
        assert_true(crs_eigh_scratch(n) <= 10000);
        assert_true(crs_eigh(n, g, w, q, work) && crs_eigh(n, g, alone, NULL, work));
        assert_orthonormal(n, n, true, q);
        const double size = larger(fabs(w[0]), fabs(w[n - 1])), tol = 10 * MOST * EPS * size;
        for (ptrdiff_t k = 0; k < n; k++) {
            assert_true(k == 0 || w[k] >= w[k - 1]);
            assert_true(fabs(w[k] - alone[k]) <= tol);
            for (ptrdiff_t i = 0; i < n; i++) /* (g q_k)_i = w_k q_ki */
                assert_true(fabs(crs_dot(n, g + i * n, q + k * n) - w[k] * q[k * n + i]) <= tol);
        }
    }
}

static void cholesky_solves(void **state)
{
    static double a[MOST * MOST], g[MOST * MOST], l[MOST * MOST], x[MOST * 3], b[MOST * 3];
    draws d = { { 1, 5 }, 0 };
    (void)state;
    for (ptrdiff_t n = 1; n <= 20; n++) {
        random_matrix(&d, n * n, a), random_matrix(&d, n * 3, x);
        crs_gram(n, n, a, g);
        for (ptrdiff_t j = 0; j < n; j++) g[j * n + j] += (double)n; /* condition number <= 5 + */
        copy(n * n, g, l);
        assert_true(crs_cholesky(n, l));
        crs_gemm(false, false, n, 3, n, 1, g, x, 0, b);
        crs_cholesky_solve(n, l, 3, b);
        for (ptrdiff_t j = 0; j < n * 3; j++) assert_close(b[j], x[j], 1000 * (double)n * EPS);
        crs_gemm(false, false, 3, n, n, 1, x, g, 0, b);
        crs_cholesky_solve_rows(n, l, 3, b);
        for (ptrdiff_t j = 0; j < n * 3; j++) assert_close(b[j], x[j], 1000 * (double)n * EPS);
    }
    double indefinite[] = { 1, 2, 2, 1 }, singular[] = { 1, 1, 1, 1 + EPS };
    assert_false(crs_cholesky(2, indefinite));
    assert_false(crs_cholesky(2, singular));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_match_loops),
        cmocka_unit_test(vectors_and_gram_match_products),
        cmocka_unit_test(singular_values_decompose),
        cmocka_unit_test(bad_numbers_are_refused),
        cmocka_unit_test(eigenvectors_diagonalize),
        cmocka_unit_test(cholesky_solves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
