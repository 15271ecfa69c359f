/* SPDX-License-Identifier: MIT
 * without_cholmod: Cholesky factors of sparse matrices as dense ones, for builds without CHOLMOD
 *
 * The interface is that of cholmod.c. The count of operations, n^3/3, is what lets callers turn to
 * conjugate gradients where a sparse factor would have been cheap. */
#include "dense/dense.h"
#include "newton/newton.h"

struct crs_factor {
    ptrdiff_t n, room;
    double *L; /* n x n */
};

crs_factor *crs_factor_new(crease_error *e)
{
    crs_factor *f = crs_alloc(1, sizeof *f);
    if (!f) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a factorization");
    return f;
}

void crs_factor_free(crs_factor *f)
{
    if (!f) return;
    crs_free(f->L);
    crs_free(f);
}

double crs_factor_analyse(crs_factor *f, const crs_lower *A)
{
    enum { LARGEST = 5000 }; /* 200 MB */
    const double n = (double)A->n;
    f->n = A->n;
    if (A->n > LARGEST) return INFINITY;
    if (f->room < A->n) {
        double *L = crs_resize(f->L, (size_t)(A->n * A->n), sizeof *L);
        if (!L) return INFINITY;
        f->L = L;
        f->room = A->n;
    }
    return n * n * n / 3;
}

bool crs_factor_make(crs_factor *f, const crs_lower *A)
{
    const ptrdiff_t n = f->n;
    if (f->room < n || !crs_all_finite(A->start[n], A->value)) return false;
    fill(n * n, 0, f->L);
    for (ptrdiff_t j = 0; j < n; j++)
        for (ptrdiff_t k = A->start[j]; k < A->start[j + 1]; k++)
            f->L[A->row[k] * n + j] = f->L[j * n + A->row[k]] = A->value[k];
    return crs_cholesky(n, f->L);
}

bool crs_factor_solve(crs_factor *f, double *b)
{
    crs_cholesky_solve(f->n, f->L, 1, b);
    return true;
}
