/* SPDX-License-Identifier: MIT
 * unfolding: singular values and left singular vectors of an unfolding by its Gram matrix
 * T_(n) T_(n)': values below about 1e-8 of the largest are rounding */
#include <limits.h>

#include "tensor/tensor.h"

enum { LONGEST = 1500 };

bool crs_unfolding_fits(const crease_space *s, int n)
{
    return s->dim[n] <= LONGEST && crs_right(s, n) <= INT_MAX;
}

ptrdiff_t crs_unfolding_scratch(const crease_space *s, int n)
{
    const ptrdiff_t length = s->dim[n];
    return 2 * length * length + length + crs_eigh_scratch(length);
}

bool crs_unfolding(const crease_space *s, int n, const double *tensor, double *squares,
                   double *vectors, double *work)
{
    const ptrdiff_t length = s->dim[n];
    double *gram = work, *w = gram + length * length, *q = w + length, *rest = q + length * length;
    fill(length * length, 0, gram);
    crs_unfolding_product(s, n, length, 1, tensor, tensor, gram);
    if (!crs_eigh(length, gram, w, vectors ? q : NULL, rest)) return false;
    for (ptrdiff_t k = 0; k < length; k++) {
        squares[k] = pos(w[length - 1 - k]);
        if (vectors) copy(length, q + (length - 1 - k) * length, vectors + k * length);
    }
    return true;
}
