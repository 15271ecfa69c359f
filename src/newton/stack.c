/* SPDX-License-Identifier: MIT
 * stack: the sparse terms one above the other, K_S of the free columns, and K_S'diag(w)K_S + D as
 * the lower triangle of a sparse matrix
 *
 * Entries are kept by columns and by rows. Column j of the product takes, for every entry (i, j),
 * the entries of row i from j on: with the columns in order a pointer a row is enough. Rows and
 * columns exchanged the same code makes K_S diag(w) K_S'. */
#include "newton/newton.h"

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

void crs_lines_free(crs_lines *l)
{
    crs_free(l->start);
    crs_free(l->index);
    crs_free(l->value);
}

bool crs_lines_clear(crs_lines *l, ptrdiff_t lines, ptrdiff_t entries)
{
    l->count = 0;
    if (lines + 1 > l->lines) {
        if (!resize(&l->start, lines + 1)) return false;
        l->lines = lines + 1;
    }
    if (entries + 1 > l->room) {
        if (!resize(&l->index, entries) || !resize_numbers(&l->value, entries)) return false;
        l->room = entries + 1;
    }
    l->start[0] = l->start[1] = 0;
    return true;
}

void crs_lines_column(crs_lines *l, const crs_matrix *K, double a, ptrdiff_t j, ptrdiff_t row)
{
    ptrdiff_t *at = &l->start[l->count + 1];
    if (K->kind != CRS_SPARSE) {
        l->index[*at] = row + j;
        l->value[(*at)++] = a * (K->kind == CRS_SCALAR ? K->scale : K->value[j]);
        return;
    }
    for (ptrdiff_t k = K->start[j]; k < K->start[j + 1]; k++) {
        l->index[*at] = row + K->row[k];
        l->value[(*at)++] = a * K->value[k];
    }
}

void crs_lines_close(crs_lines *l)
{
    l->count++;
    l->start[l->count + 1] = l->start[l->count];
}

bool crs_lines_turn(const crs_lines *a, ptrdiff_t across, crs_lines *out)
{
    const ptrdiff_t entries = a->start[a->count];
    if (!crs_lines_clear(out, across, entries)) return false;
    out->count = across;
    ptrdiff_t *at = out->start;
    for (ptrdiff_t i = 0; i <= across; i++) at[i] = 0;
    for (ptrdiff_t k = 0; k < entries; k++) at[a->index[k] + 1]++;
    for (ptrdiff_t i = 0; i < across; i++) at[i + 1] += at[i];
    for (ptrdiff_t j = 0; j < a->count; j++)
        for (ptrdiff_t k = a->start[j]; k < a->start[j + 1]; k++) {
            const ptrdiff_t to = at[a->index[k]]++;
            out->index[to] = j;
            out->value[to] = a->value[k];
        }
    for (ptrdiff_t i = across; i > 0; i--) at[i] = at[i - 1];
    at[0] = 0;
    return true;
}

double crs_lines_squares(const crs_lines *a)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < a->count; i++) sum += square((double)(a->start[i + 1] - a->start[i]));
    return sum;
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

void crs_lines_times(const crs_lines *a, const double *v, double *out)
{
    for (ptrdiff_t i = 0; i < a->count; i++) {
        double sum = 0;
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
            sum += a->value[k] * v[a->index[k]];
        out[i] = sum;
    }
}
