/* SPDX-License-Identifier: MIT
 * sparse: sums of outer products as sparse symmetric matrices
 *
 * A = sum_i w_i l_i l_i' + .. is made column by column from the entries of the lines l_i in both
 * orders: column j takes, for every entry (i, j), the entries of l_i from j on; with the columns in
 * order a pointer a line is enough. Rows and columns exchanged, K'hK becomes K h K'. */
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
