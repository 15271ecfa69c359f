/* SPDX-License-Identifier: MIT
 * cp_residual: how far the factors are from stationary, |2 (X_n G_n - Z_(n) M_n) + nu X_n|
 *
 * y = Z K of the last step is current and serves the modes of the rows; those of the columns cost
 * one more read of Z. Only scratch is written, so that the iteration goes on as if not asked. */
#include "dense/dense.h"
#include "rpca/fused/state.h"

static void measure(crs_cp_fused *s, const double *table, int from, int to,
                    crs_cp_factor_residual *out)
{
    const ptrdiff_t rank = s->c.rank;
    for (int n = from; n < to; n++) {
        const ptrdiff_t dim = s->c.shape.dim[n];
        const double *x = s->factor[n];
        double residual = 0, data = 0, model = 0;
        crs_cp_right_side(s, table, from, to, n);
        crs_cp_gram_of_others(s, n, 0);
        crs_gemm(false, false, dim, rank, rank, 1, x, s->matrix, 0, s->solved);
        for (ptrdiff_t k = 0; k < dim * rank; k++) {
            residual += square(2 * (s->solved[k] - s->rhs[k]) + s->c.nu * x[k]);
            data += square(2 * s->rhs[k]);
            model += square(2 * s->solved[k]);
        }
        out[n] = (crs_cp_factor_residual){ sqrt(residual), sqrt(data), sqrt(model) };
    }
}

void crs_cp_fused_factor_residuals(crs_cp_fused *s, crs_cp_factor_residual *out)
{
    measure(s, s->y, 0, s->grid.split, out);
    crs_cp_pass_collect(s);
    measure(s, s->w, s->grid.split, s->c.shape.order, out);
}
