/* SPDX-License-Identifier: MIT
 * cholmod: Cholesky factors of sparse matrices by CHOLMOD, where the build has it (otherwise
 * without_cholmod.c)
 *
 * Chen, Davis, Hager, Rajamanickam: Algorithm 887, ACM TOMS 35 (2008). The analysis orders A by
 * approximate minimum degree, deterministically, and counts the operations before any is done; its
 * result stays while the pattern does. L L' and not L D L': only the former notices that A is not
 * positive. CHOLMOD has an allocator of its own and reports when that fails. */
#include <cholmod.h>

#include "newton/newton.h"

_Static_assert(sizeof(SuiteSparse_long) == sizeof(ptrdiff_t), "CHOLMOD counts like this library");

struct crs_factor {
    cholmod_common common;
    cholmod_factor *L;
    cholmod_dense *x, *y, *e; /* of the last solve */
};

crs_factor *crs_factor_new(crease_error *e)
{
    crs_factor *f = crs_alloc(1, sizeof *f);
    if (!f) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a sparse factorization");
        return NULL;
    }
    cholmod_l_start(&f->common);
    f->common.print = 0;
    f->common.try_catch = 1; /* failures are read off the status, never printed */
    f->common.nmethods = 1;
    f->common.method[0].ordering = CHOLMOD_AMD;
    f->common.postorder = 1;
    f->common.final_ll = 1;
    f->common.quick_return_if_not_posdef = 1;
    return f;
}

void crs_factor_free(crs_factor *f)
{
    if (!f) return;
    cholmod_l_free_factor(&f->L, &f->common);
    cholmod_l_free_dense(&f->x, &f->common);
    cholmod_l_free_dense(&f->y, &f->common);
    cholmod_l_free_dense(&f->e, &f->common);
    cholmod_l_finish(&f->common);
    crs_free(f);
}

static cholmod_sparse matrix_of(const crs_lower *A)
{
    return (cholmod_sparse){ .nrow = (size_t)A->n,
                             .ncol = (size_t)A->n,
                             .nzmax = (size_t)A->start[A->n],
                             .p = A->start,
                             .i = A->row,
                             .x = A->value,
                             .stype = -1,
                             .itype = CHOLMOD_LONG,
                             .xtype = CHOLMOD_REAL,
                             .dtype = CHOLMOD_DOUBLE,
                             .packed = 1 };
}

double crs_factor_analyse(crs_factor *f, const crs_lower *A)
{
    cholmod_sparse a = matrix_of(A);
    cholmod_l_free_factor(&f->L, &f->common);
    f->L = cholmod_l_analyze(&a, &f->common);
    return f->L ? f->common.fl : INFINITY;
}

bool crs_factor_make(crs_factor *f, const crs_lower *A)
{
    cholmod_sparse a = matrix_of(A);
    if (!f->L || !crs_all_finite(A->start[A->n], A->value)) return false;
    const int done = cholmod_l_factorize(&a, f->L, &f->common);
    return done && f->common.status == CHOLMOD_OK && f->L->minor == f->L->n;
}

bool crs_factor_solve(crs_factor *f, double *b)
{
    cholmod_dense right = { .nrow = f->L->n,
                            .ncol = 1,
                            .nzmax = f->L->n,
                            .d = f->L->n,
                            .x = b,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE };
    if (!cholmod_l_solve2(CHOLMOD_A, f->L, &right, NULL, &f->x, NULL, &f->y, &f->e, &f->common))
        return false;
    copy((ptrdiff_t)f->L->n, f->x->x, b);
    return true;
}
