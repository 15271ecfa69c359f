/* SPDX-License-Identifier: MIT
 * gram: M_n'M_n = Hadamard product of X_j'X_j over j != n, and products of unfoldings */
#include "tensor/tensor.h"

void crs_gram_except(const crs_kruskal *k, int n, double *g, double *work)
{
    const ptrdiff_t size = k->rank * k->rank;
    fill(size, 1, g);
    for (int j = 0; j < k->shape.order; j++) {
        if (j == n) continue;
        crs_gram(k->shape.dim[j], k->rank, k->factor[j], work);
        for (ptrdiff_t r = 0; r < size; r++) g[r] *= work[r];
    }
}

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
