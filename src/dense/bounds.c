/* SPDX-License-Identifier: MIT
 * bounds: |A|_2 from above and lambda_min(A A') from below, whatever the rounding
 *
 * A is scaled by a power of two, so that squares neither overflow nor vanish. A computed Gram
 * matrix errs by at most gamma_l trace in the 2-norm, l the length of its dot products, and a
 * symmetric eigensolver by a modest multiple of k eps trace (Higham, Accuracy and Stability of
 * Numerical Algorithms, 2002, section 3.5; LAPACK Users' Guide, section 4.7). */
#include <float.h>

#include "dense/dense.h"

enum { EXPONENT_LIMIT = 1000 };

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }

/* The exponent e for which 2^-e A has entries near 1; false when an entry is not finite. */
static bool exponent(const crease_space *rows, ptrdiff_t n, const double *a, int *e_out,
                     crease_error *e)
{
    double most = 0;
    ptrdiff_t j = 0;
    const ptrdiff_t size = crease_size(rows) * n;
    for (; j < size && isfinite(a[j]); j++) most = larger(most, fabs(a[j]));
    if (j < size)
        crs_fail(e, CREASE_BAD_DATA, "entry (%td,%td) of a matrix is %g; give finite numbers",
                 j / n + 1, j % n + 1, a[j]);
    if (!crs_together(rows->comm, j == size, e)) return false;
    most = crease_max(rows, most);
    *e_out = most > 0 ? (int)clip(ilogb(most), -EXPONENT_LIMIT, EXPONENT_LIMIT) : 0;
    return true;
}

/* min(|A|_F, sqrt(|A|_1 |A|_inf)) of scale * A; column has n doubles. */
static double norm_by_sums(const crease_space *rows, ptrdiff_t n, const double *a, double scale,
                           double *column)
{
    const ptrdiff_t m = crease_size(rows);
    double squares = 0, most_row = 0, most_column = 0;
    fill(n, 0, column);
    for (ptrdiff_t i = 0; i < m; i++) {
        double row = 0, row_squares = 0;
        for (ptrdiff_t j = 0; j < n; j++) {
            const double x = fabs(scale * a[i * n + j]);
            row += x, row_squares += x * x, column[j] += x;
        }
        squares += row_squares;
        most_row = larger(most_row, row);
    }
    crs_sum_over(rows, n, column);
    squares = crease_sum(rows, squares);
    most_row = crease_max(rows, most_row);
    for (ptrdiff_t j = 0; j < n; j++) most_column = larger(most_column, column[j]);
    const double rounding = 1 + (crs_whole_size(rows) + (double)(n + 8)) * DBL_EPSILON;
    return rounding * smaller(sqrt(squares), sqrt(most_row * most_column));
}

/* The side of the smaller Gram matrix; of rows on several ranks it is A'A, a sum. */
static ptrdiff_t gram_side(const crease_space *rows, ptrdiff_t n)
{
    return rows->comm ? n : least(crease_size(rows), n);
}

static ptrdiff_t gram_work(const crease_space *rows, ptrdiff_t n)
{
    const ptrdiff_t k = gram_side(rows, n);
    return crease_size(rows) * n + k * k + k + crs_eigh_scratch(k);
}

/* Bounds low <= lambda_min, high >= lambda_max of the smaller Gram matrix of scale * A. */
static bool gram_range(const crease_space *rows, ptrdiff_t n, const double *a, double scale,
                       double *low, double *high, double *work)
{
    const ptrdiff_t m = crease_size(rows), k = gram_side(rows, n);
    const double l = crs_whole_size(rows) + (double)(n - k);
    double *scaled = work, *g = scaled + m * n, *w = g + k * k, *rest = w + k, trace = 0;
    for (ptrdiff_t j = 0; j < m * n; j++) scaled[j] = scale * a[j];
    if (k == n)
        crs_gram(m, n, scaled, g);
    else
        crs_gemm(false, true, m, m, n, 1, scaled, scaled, 0, g);
    crs_sum_over(rows, k * k, g);
    for (ptrdiff_t j = 0; j < k; j++) trace += g[j * k + j];
    if (!crs_eigh(k, g, w, NULL, rest)) return false;
    const double margin = (l + (double)(8 * k + 16)) * DBL_EPSILON * trace;
    *low = pos(w[0] - margin);
    *high = w[k - 1] + margin;
    return true;
}

/* x 2^e, one step to the safe side; below infinity lies the largest double. */
static double scale_up(double x, int e) { return nextafter(ldexp(x, e), INFINITY); }
static double scale_down(double x, int e) { return pos(nextafter(ldexp(x, e), -INFINITY)); }

bool crs_norm_bound(ptrdiff_t m, ptrdiff_t n, const double *a, double *bound, crease_error *e)
{
    const crease_space rows = crease_vector(m);
    return crs_norm_bound_of_rows(&rows, n, a, bound, e);
}

bool crs_norm_bound_of_rows(const crease_space *rows, ptrdiff_t n, const double *a, double *bound,
                            crease_error *e)
{
    const bool affordable = gram_side(rows, n) <= CRS_GRAM_LIMIT;
    int shift = 0;
    *bound = NAN;
    if (!exponent(rows, n, a, &shift, e)) return false;
    double *work = crs_doubles(n + (affordable ? gram_work(rows, n) : 0), "a norm bound", e);
    if (!crs_together(rows->comm, work, e)) {
        crs_free(work);
        return false;
    }
    const double scale = ldexp(1, -shift), by_sums = norm_by_sums(rows, n, a, scale, work);
    double low, high, best = by_sums;
    if (affordable && gram_range(rows, n, a, scale, &low, &high, work + n))
        best = smaller(by_sums, (1 + 4 * DBL_EPSILON) * sqrt(high));
    crs_free(work);
    *bound = by_sums == 0 ? 0 : crease_max(rows, scale_up(best, shift));
    return true;
}

bool crs_sigma_min_bound(ptrdiff_t m, ptrdiff_t n, const double *a, double *bound, crease_error *e)
{
    const crease_space rows = crease_vector(m);
    int shift = 0;
    *bound = NAN;
    if (!exponent(&rows, n, a, &shift, e)) return false;
    *bound = 0;
    if (m > n || m > CRS_GRAM_LIMIT) return true;
    double *work = crs_doubles(gram_work(&rows, n), "an eigenvalue bound", e);
    if (!work) return false;

    double low = 0, high = 0;
    if (gram_range(&rows, n, a, ldexp(1, -shift), &low, &high, work))
        *bound = scale_down(low, 2 * shift);
    crs_free(work);
    return true;
}
