/* SPDX-License-Identifier: MIT
 * ranks: one rank per mode, from the spectra of the unfoldings, outliers clipped */
#include "rpca/tucker/tucker.h"

#include "rpca/rpca.h"
#include "tensor/tensor.h"

/* The k-th smallest of n numbers, which change their places; Hoare's selection. */
static double smallest(ptrdiff_t n, ptrdiff_t k, double *x)
{
    for (ptrdiff_t low = 0, high = n - 1; low < high;) {
        const double pivot = x[low + (high - low) / 2];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i > j) break;
            const double swap = x[i];
            x[i++] = x[j], x[j--] = swap;
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return x[k];
}

static bool by_spectrum(const crease_space *shape, int n, const double *known, ptrdiff_t *rank,
                        crease_error *e)
{
    const ptrdiff_t length = shape->dim[n];
    double *squares = crs_doubles(length + crs_unfolding_scratch(shape, n), "a spectrum", e);
    if (!squares) return false;
    *rank = crs_unfolding(shape, n, known, squares, NULL, squares + length, NULL)
                ? crs_spectral_gap(length, squares)
                : 1;
    crs_free(squares);
    return true;
}

/* R_n <= the product of the others, and for matrices R_1 = R_2. */
static void agree(crease_space *ranks)
{
    for (int round = 0; round < ranks->order; round++)
        for (int n = 0; n < ranks->order; n++)
            ranks->dim[n] = fewer(ranks->dim[n], crease_size(ranks) / ranks->dim[n]);
}

bool crease_tucker_ranks(const crease_space *shape, const double *tensor, crease_space *ranks,
                         crease_error *e)
{
    const ptrdiff_t size = crease_size(shape);
    double *known = crs_doubles(2 * size, "the observed entries", e), *order = known + size;
    if (!known) return false;
    ptrdiff_t seen = 0, most = 1;
    for (ptrdiff_t j = 0; j < size; j++)
        if (isfinite(tensor[j])) order[seen++] = fabs(tensor[j]);
    const double middle = seen ? smallest(seen, seen / 2, order) : 0;
    const double bound = middle > 0 ? 5 * middle : INFINITY;
    for (ptrdiff_t j = 0; j < size; j++)
        known[j] = isfinite(tensor[j]) ? clip(tensor[j], -bound, bound) : 0;
    bool done = true;
    *ranks = *shape;
    for (int n = 0; done && n < shape->order; n++) {
        ranks->dim[n] = 0;
        if (!crs_unfolding_fits(shape, n)) continue;
        done = by_spectrum(shape, n, known, &ranks->dim[n], e);
        most = more(most, ranks->dim[n]);
    }
    for (int n = 0; n < shape->order; n++)
        if (ranks->dim[n] == 0) ranks->dim[n] = fewer(most, shape->dim[n]);
    agree(ranks);
    crs_free(known);
    return done;
}
