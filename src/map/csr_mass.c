/* SPDX-License-Identifier: MIT
 * csr_mass: | |A| |_2 <= min(|A|_F, sqrt(|A|_1 |A|_inf)) of a sparse matrix
 *
 * Everything is taken relative to the largest entry, so that no square overflows or vanishes.
 * No number here sees more than entries + 8 roundings. */
#include <float.h>

#include "map/directed.h"
#include "map/map.h"

typedef struct {
    double row, squares; /* the largest row sum; the sum of the squared entries */
} sums;

/* column[j] = the sum of column j; `row` is zero before and after. */
static sums add_up(const crease_csr_matrix *a, double scale, double *column, double *row)
{
    sums s = { 0, 0 };
    for (ptrdiff_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++) {
            const double v = fabs(a->value[k]) / scale;
            row[a->col[k]] += v, column[a->col[k]] += v, sum += v;
        }
        s.row = larger(s.row, sum);
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++) {
            s.squares += square(row[a->col[k]]); /* duplicates stand there together */
            row[a->col[k]] = 0;
        }
    }
    return s;
}

static double largest(ptrdiff_t n, const double *v)
{
    double most = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = larger(most, fabs(v[j]));
    return most;
}

bool crs_csr_mass(const crease_csr_matrix *a, double *mass, crease_error *e)
{
    const ptrdiff_t entries = a->start[a->rows];
    const double scale = largest(entries, a->value);
    *mass = 0;
    if (scale == 0) return true;
    double *column = crs_doubles(2 * a->cols, "the norm of a sparse map", e);
    if (!column) return false;
    const sums s = add_up(a, scale, column, column + a->cols);
    const double relative = sqrt(smaller(s.squares, s.row * largest(a->cols, column)));
    *mass = product_up(scale, relative * (1 + ((double)entries + 8) * DBL_EPSILON));
    crs_free(column);
    return true;
}
