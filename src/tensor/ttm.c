/* SPDX-License-Identifier: MIT
 * ttm: the mode-n product T x_n A, chains of them, products of unfoldings and their spectra
 *
 * A chain takes the modes by growth to/I_n, least first: sizes fall, then rise, so that nothing
 * between is larger than both ends. Singular values and left singular vectors of an unfolding are
 * those of its Gram matrix T_(n) T_(n)': values below about 1e-8 of the largest are rounding. */
#include <limits.h>

#include "tensor/tensor.h"

void crs_ttm(const crease_space *s, int n, crs_mode_map a, double alpha, const double *t,
             double beta, double *y)
{
    const ptrdiff_t left = crs_left(s, n), dim = s->dim[n], right = crs_right(s, n);
    for (ptrdiff_t l = 0; right > 1 && l < left; l++)
        crs_gemm(a.transposed, false, a.to, right, dim, alpha, a.matrix, t + l * dim * right, beta,
                 y + l * a.to * right);
    for (ptrdiff_t l = 0; right == 1 && l < left; l += CRS_PIECE)
        crs_gemm(false, !a.transposed, fewer(left - l, CRS_PIECE), a.to, dim, alpha, t + l * dim,
                 a.matrix, beta, y + l * a.to);
}

/* The modes with a matrix, least growth first; returns how many. */
static int plan(const crease_space *s, const crs_mode_map *a, int *mode)
{
    int count = 0;
    for (int n = 0; n < s->order; n++) {
        if (!a[n].matrix) continue;
        const double growth = (double)a[n].to / (double)s->dim[n];
        int k = count++;
        for (; k > 0 && growth < (double)a[mode[k - 1]].to / (double)s->dim[mode[k - 1]]; k--)
            mode[k] = mode[k - 1];
        mode[k] = n;
    }
    return count;
}

/* The largest tensor between the first product and the last. */
static ptrdiff_t largest_between(const crease_space *s, const crs_mode_map *a, const int *mode,
                                 int count)
{
    crease_space at = *s;
    ptrdiff_t most = 0;
    for (int k = 0; k + 1 < count; k++) {
        at.dim[mode[k]] = a[mode[k]].to;
        most = more(most, crease_size(&at));
    }
    return most;
}

ptrdiff_t crs_multi_ttm_scratch(const crease_space *s, const crs_mode_map *a)
{
    int mode[CREASE_MAX_ORDER];
    const int count = plan(s, a, mode);
    return 2 * largest_between(s, a, mode, count);
}

void crs_multi_ttm(const crease_space *s, const crs_mode_map *a, double alpha, const double *t,
                   double beta, double *y, double *work)
{
    int mode[CREASE_MAX_ORDER];
    const int count = plan(s, a, mode);
    crease_space at = *s;
    double *here = work, *next = work + largest_between(s, a, mode, count);
    for (int k = 0; k + 1 < count; k++) {
        crs_ttm(&at, mode[k], a[mode[k]], 1, t, 0, here);
        at.dim[mode[k]] = a[mode[k]].to;
        t = here;
        double *swap = here;
        here = next, next = swap;
    }
    if (count) {
        crs_ttm(&at, mode[count - 1], a[mode[count - 1]], alpha, t, beta, y);
        return;
    }
    for (ptrdiff_t j = 0, size = crease_size(s); j < size; j++)
        y[j] = (beta == 0 ? 0 : beta * y[j]) + alpha * t[j];
}

enum { LONGEST = 1500 };

void crs_unfolding_product(const crease_space *s, int n, ptrdiff_t columns, double alpha,
                           const double *a, const double *b, double *out)
{
    const ptrdiff_t left = crs_left(s, n), dim = s->dim[n], right = crs_right(s, n);
    for (ptrdiff_t l = 0; right > 1 && l < left; l++)
        crs_gemm(false, true, dim, columns, right, alpha, a + l * dim * right,
                 b + l * columns * right, 1, out);
    for (ptrdiff_t l = 0; right == 1 && l < left; l += CRS_PIECE)
        crs_gemm(true, false, dim, columns, fewer(left - l, CRS_PIECE), alpha, a + l * dim,
                 b + l * columns, 1, out);
}

bool crs_unfolding_fits(const crease_space *s, int n)
{
    return s->dim[n] <= LONGEST && crs_right(s, n) <= INT_MAX;
}

ptrdiff_t crs_unfolding_scratch(const crease_space *s, int n)
{
    const ptrdiff_t length = s->dim[n];
    return 2 * length * length + length + crs_eigh_scratch(length);
}

bool crs_unfolding_gram(const crease_space *s, int n, const double *t, crease_watch *watch,
                        double *gram)
{
    enum { WORK = 1 << 26 };
    const ptrdiff_t left = crs_left(s, n), dim = s->dim[n], right = crs_right(s, n);
    const ptrdiff_t rows = fewer(dim, WORK / dim / right + 1);       /* of the result */
    const ptrdiff_t piece = fewer(CRS_PIECE, WORK / dim / dim + 16); /* of the terms */
    for (ptrdiff_t l = 0; right > 1 && l < left; l++, t += dim * right)
        for (ptrdiff_t i = 0; i < dim; i += rows) {
            if (crease_watch_over(watch)) return false;
            crs_gemm(false, true, fewer(rows, dim - i), dim, right, 1, t + i * right, t, 1,
                     gram + i * dim);
        }
    for (ptrdiff_t l = 0; right == 1 && l < left; l += piece) {
        if (crease_watch_over(watch)) return false;
        crs_gemm(true, false, dim, dim, fewer(left - l, piece), 1, t + l * dim, t + l * dim, 1,
                 gram);
    }
    return true;
}

bool crs_unfolding(const crease_space *s, int n, const double *tensor, double *squares,
                   double *vectors, double *work, crease_watch *watch)
{
    const ptrdiff_t length = s->dim[n];
    double *gram = work, *w = gram + length * length, *q = w + length, *rest = q + length * length;
    fill(length * length, 0, gram);
    if (!crs_unfolding_gram(s, n, tensor, watch, gram)) return false;
    if (!crs_eigh(length, gram, w, vectors ? q : NULL, rest)) return false;
    for (ptrdiff_t k = 0; k < length; k++) {
        squares[k] = pos(w[length - 1 - k]);
        if (vectors) copy(length, q + (length - 1 - k) * length, vectors + k * length);
    }
    return true;
}
