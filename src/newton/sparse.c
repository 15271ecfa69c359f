/* SPDX-License-Identifier: MIT
 * sparse: sums of outer products as sparse symmetric matrices, and their Cholesky factors by
 * CHOLMOD
 *
 * A = sum_i w_i l_i l_i' + .. is made column by column from the entries of the lines l_i in both
 * orders: column j takes, for every entry (i, j), the entries of l_i from j on; with the columns in
 * order a pointer a line is enough. Rows and columns exchanged, K'hK becomes K h K'.
 *
 * Chen, Davis, Hager, Rajamanickam: Algorithm 887, ACM TOMS 35 (2008). The analysis orders A by
 * approximate minimum degree, deterministically, and counts the operations before any is done; its
 * result stays while the pattern does. L L' and not L D L': only the former notices that A is not
 * positive. CHOLMOD has an allocator of its own and reports when that fails. */
#include <cholmod.h>

#include "newton/newton.h"

_Static_assert(sizeof(SuiteSparse_long) == sizeof(ptrdiff_t), "CHOLMOD counts like this library");

static bool resize(ptrdiff_t **array, ptrdiff_t count)
{
    ptrdiff_t *grown = crs_resize(*array, (size_t)count + 1, sizeof **array);
    if (grown) *array = grown;
    return grown;
}

static bool resize_numbers(double **array, ptrdiff_t count)
{
    double *grown = crs_resize(*array, (size_t)count + 1, sizeof **array);
    if (grown) *array = grown;
    return grown;
}

double crs_lines_squares(const crs_lines *a)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < a->count; i++) sum += square((double)(a->start[i + 1] - a->start[i]));
    return sum;
}

void crs_lines_times(const crs_lines *a, const double *v, double *out)
{
    for (ptrdiff_t i = 0; i < a->count; i++) {
        double sum = 0;
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
            sum += a->value[k] * v[a->index[k]];
        out[i] = sum;
    }
}

void crs_lower_free(crs_lower *A)
{
    crs_free(A->start);
    crs_free(A->row);
    crs_free(A->value);
    crs_free(A->next);
    crs_free(A->place);
}

static bool lower_room(crs_lower *A, ptrdiff_t n, ptrdiff_t across, double entries)
{
    const double full = (double)n * (double)(n + 1) / 2;
    const ptrdiff_t most = (ptrdiff_t)(entries < full ? entries : full);
    A->n = n;
    return resize(&A->start, n) && resize(&A->row, most) && resize_numbers(&A->value, most) &&
           resize(&A->next, across) && resize(&A->place, n);
}

/* value[place[k]] += a, a new place where column j has none for row k yet. */
static void put(crs_lower *A, ptrdiff_t j, ptrdiff_t k, double a)
{
    ptrdiff_t *end = &A->start[j + 1];
    if (A->place[k] < A->start[j]) {
        A->place[k] = *end;
        A->row[*end] = k;
        A->value[(*end)++] = 0;
    }
    A->value[A->place[k]] += a;
}

bool crs_lower_product(crs_lower *A, const crs_lines *of, const crs_lines *across, const double *w,
                       const crs_lines *more, const double *diagonal)
{
    const ptrdiff_t n = of->count, extra = more ? more->start[more->count] : 0;
    const double entries = crs_lines_squares(across) + (double)(n + extra);
    if (!lower_room(A, n, across->count, entries)) return false;
    for (ptrdiff_t i = 0; i < across->count; i++) A->next[i] = across->start[i];
    for (ptrdiff_t k = 0; k < n; k++) A->place[k] = -1;
    A->start[0] = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        A->start[j + 1] = A->start[j];
        put(A, j, j, diagonal[j]); /* always the first of its column */
        for (ptrdiff_t e = of->start[j]; e < of->start[j + 1]; e++) {
            const ptrdiff_t i = of->index[e];
            const double a = w[i] * of->value[e];
            for (ptrdiff_t f = A->next[i]; f < across->start[i + 1]; f++)
                put(A, j, across->index[f], a * across->value[f]);
            A->next[i]++;
        }
        for (ptrdiff_t e = more ? more->start[j] : 0; more && e < more->start[j + 1]; e++)
            if (more->index[e] >= j) put(A, j, more->index[e], more->value[e]);
    }
    return true;
}

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
