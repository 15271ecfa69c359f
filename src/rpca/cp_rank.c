/* SPDX-License-Identifier: MIT
 * cp_rank: a rank from the spectra of the unfoldings: noise has singular values of one size, so
 * the low-rank part ends at a gap */
#include "rpca/cp_rank_judge.h"
#include "rpca/rpca.h"
#include "tensor/tensor.h"

/* The first k with s_k > 4 s_{k+1}; without one, the largest ratio in the upper half. */
ptrdiff_t crs_spectral_gap(ptrdiff_t n, const double *squares)
{
    ptrdiff_t best = 1;
    double most = 0;
    for (ptrdiff_t k = 1; k < n; k++)
        if (squares[k - 1] > 16 * squares[k]) return k;
    for (ptrdiff_t k = 1; k <= n / 2; k++) {
        if (!(squares[k - 1] > most * squares[k])) continue;
        most = squares[k - 1] / squares[k];
        best = k;
    }
    return best;
}

bool crease_cp_rank(const crease_space *shape, const double *tensor, const double *mask,
                    ptrdiff_t *rank, crease_error *e)
{
    const ptrdiff_t size = crease_size(shape);
    double *known = crs_doubles(size, "the observed entries", e);
    bool done = known;
    *rank = 1;
    for (ptrdiff_t j = 0; done && j < size; j++)
        known[j] = isnan(tensor[j]) || (mask && mask[j] == 0) ? 0 : tensor[j];
    for (int n = 0; done && n < shape->order; n++) {
        const ptrdiff_t length = shape->dim[n];
        if (!crs_unfolding_fits(shape, n)) continue;
        double *squares = crs_doubles(length + crs_unfolding_scratch(shape, n), "a spectrum", e);
        done = squares;
        if (done && crs_unfolding(shape, n, known, squares, NULL, squares + length))
            *rank = more(*rank, crs_spectral_gap(length, squares));
        crs_free(squares);
    }
    crs_free(known);
    return done;
}

/* No CP model needs more terms than the unfolding along the longest mode has columns. */
ptrdiff_t crs_rank_highest(const crease_space *s)
{
    enum { MOST = 1000 };
    ptrdiff_t columns = 1, longest = 0;
    for (int n = 1; n < s->order; n++)
        if (s->dim[n] > s->dim[longest]) longest = n;
    for (int n = 0; n < s->order; n++)
        if (n != longest) columns = columns > MOST ? columns : columns * s->dim[n];
    return fewer(columns, MOST);
}
