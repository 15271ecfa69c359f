/* SPDX-License-Identifier: MIT
 * spca_noise: s = median |T| / 0.6745, the standard deviation of normal noise with that median
 *
 * Donoho, Johnstone, Ideal spatial adaptation by wavelet shrinkage, 1994. */
#include <stdlib.h>

#include "smooth/fit.h"
#include "spca/spca.h"

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool crease_spca_noise(const crease_space *shape, const double *tensor, double *noise,
                       crease_error *e)
{
    if (!crs_check_shape("sparse PCA", shape, e) ||
        !crs_check_tensor("sparse PCA", shape, tensor, e))
        return false;
    const ptrdiff_t n = crease_size(shape);
    double *sorted = crs_doubles(n, "a median", e);
    if (!sorted) return false;
    for (ptrdiff_t j = 0; j < n; j++) sorted[j] = fabs(tensor[j]);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    const double below = sorted[(n - 1) / 2], above = sorted[n / 2];
    *noise = (below + (above - below) / 2) / 0.6744897501960817;
    crs_free(sorted);
    return true;
}
