/* SPDX-License-Identifier: MIT
 * blas: matrix products on row-major arrays
 *
 * BLAS counts in int and reads no empty matrix; the plain loops serve where it cannot. */
#include <cblas.h>
#include <limits.h>

#include "dense/dense.h"

static CBLAS_TRANSPOSE op(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

static bool countable(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k)
{
    return m <= INT_MAX && n <= INT_MAX && k <= INT_MAX && k > 0;
}

void crs_gemm_plain(bool at, bool bt, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, double alpha,
                    const double *a, const double *b, double beta, double *c)
{
    const ptrdiff_t a_row = at ? 1 : k, a_col = at ? m : 1, b_row = bt ? 1 : n, b_col = bt ? k : 1;
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            double sum = 0;
            for (ptrdiff_t l = 0; l < k; l++)
                sum += a[i * a_row + l * a_col] * b[l * b_row + j * b_col];
            c[i * n + j] = alpha * sum + (beta == 0 ? 0 : beta * c[i * n + j]);
        }
}

void crs_gemm(bool at, bool bt, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, double alpha,
              const double *a, const double *b, double beta, double *c)
{
    if (m == 0 || n == 0) return;
    if (!countable(m, n, k)) {
        crs_gemm_plain(at, bt, m, n, k, alpha, a, b, beta, c);
        return;
    }
    cblas_dgemm(CblasRowMajor, op(at), op(bt), (int)m, (int)n, (int)k, alpha, a, (int)(at ? m : k),
                b, (int)(bt ? k : n), beta, c, (int)n);
}

void crs_gemv(bool at, ptrdiff_t m, ptrdiff_t n, double alpha, const double *a, const double *x,
              double beta, double *y)
{
    const ptrdiff_t rows = at ? n : m, inner = at ? m : n;
    if (!countable(rows, 1, inner) || rows == 0) {
        crs_gemm_plain(at, false, rows, 1, inner, alpha, a, x, beta, y);
        return;
    }
    if (beta == 0) fill(rows, 0, y); /* some BLAS multiply by beta: 0 * NaN */
    cblas_dgemv(CblasRowMajor, op(at), (int)m, (int)n, alpha, a, (int)n, x, 1, beta, y, 1);
}

void crs_gram_grow(ptrdiff_t m, ptrdiff_t n, const double *a, double *g)
{
    if (!countable(m, n, m) || n == 0)
        crs_gemm_plain(true, false, n, n, m, 1, a, a, 1, g);
    else
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)m, 1, a, (int)n, 1, g,
                    (int)n);
}

void crs_mirror(ptrdiff_t n, double *g)
{
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = i + 1; j < n; j++) g[i * n + j] = g[j * n + i];
}

void crs_gram(ptrdiff_t m, ptrdiff_t n, const double *a, double *g)
{
    if (!countable(m, n, m) || n == 0) {
        crs_gemm_plain(true, false, n, n, m, 1, a, a, 0, g);
        return;
    }
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)m, 1, a, (int)n, 0, g, (int)n);
    crs_mirror(n, g);
}

/* L y = b, then L' x = y. */
void crs_cholesky_solve(ptrdiff_t n, const double *l, ptrdiff_t columns, double *b)
{
    if (!countable(n, columns, n) || columns == 0) {
        fill(n * columns, NAN, b);
        return;
    }
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)n,
                (int)columns, 1, l, (int)n, b, (int)columns);
    cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)n,
                (int)columns, 1, l, (int)n, b, (int)columns);
}

/* z L' = y, then x L = z. */
void crs_cholesky_solve_rows(ptrdiff_t n, const double *l, ptrdiff_t rows, double *y)
{
    if (!countable(n, rows, n) || n == 0) {
        fill(n * rows, NAN, y);
        return;
    }
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, (int)rows, (int)n,
                1, l, (int)n, y, (int)n);
    cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, (int)rows,
                (int)n, 1, l, (int)n, y, (int)n);
}
