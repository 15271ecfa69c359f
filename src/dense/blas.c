/* SPDX-License-Identifier: MIT
 * blas: matrix products on row-major arrays */
#include <cblas.h>

#include "dense/dense.h"

static CBLAS_TRANSPOSE op(bool transposed) { return transposed ? CblasTrans : CblasNoTrans; }

void crs_gemm(bool at, bool bt, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, double alpha,
              const double *a, const double *b, double beta, double *c)
{
    if (m == 0 || n == 0) return;
    cblas_dgemm(CblasRowMajor, op(at), op(bt), (int)m, (int)n, (int)k, alpha, a, (int)(at ? m : k),
                b, (int)(bt ? k : n), beta, c, (int)n);
}

void crs_gemv(bool at, ptrdiff_t m, ptrdiff_t n, double alpha, const double *a, const double *x,
              double beta, double *y)
{
    if (m == 0 || n == 0) return;
    cblas_dgemv(CblasRowMajor, op(at), (int)m, (int)n, alpha, a, (int)n, x, 1, beta, y, 1);
}

void crs_gram(ptrdiff_t m, ptrdiff_t n, const double *a, double *g)
{
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (int)n, (int)m, 1, a, (int)n, 0, g, (int)n);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = i + 1; j < n; j++) g[i * n + j] = g[j * n + i];
}
