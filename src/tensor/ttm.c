/* SPDX-License-Identifier: MIT
 * ttm: the mode-n product T x_n A, and chains of them
 *
 * A chain takes the modes by growth to/I_n, least first: sizes fall, then rise, so that nothing
 * between is larger than both ends. */
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
