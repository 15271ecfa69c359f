/* SPDX-License-Identifier: MIT
 * envelope_fold: the modes' gradients and marginals from sums over the rows and over the columns */
#include "rpca/envelope/envelope_state.h"

/* marginal (I_n) = the sums of x over the modes from .. to-1 but n */
static void marginal(const crease_space *shape, int from, int to, int n, const double *x,
                     double *out)
{
    ptrdiff_t before = 1, after = 1;
    const ptrdiff_t dim = shape->dim[n];
    for (int j = from; j < n; j++) before *= shape->dim[j];
    for (int j = n + 1; j < to; j++) after *= shape->dim[j];
    fill(dim, 0, out);
    for (ptrdiff_t l = 0; l < before; l++)
        for (ptrdiff_t i = 0; i < dim; i++)
            for (ptrdiff_t k = 0; k < after; k++) out[i] += x[(l * dim + i) * after + k];
}

/* w = the collected sums, their rows side by side */
static void lay_out(const crs_envelope *s)
{
    const ptrdiff_t rank = s->k.rank, width = s->grid.width;
    for (ptrdiff_t j = 0; j < s->grid.right; j++)
        for (ptrdiff_t r = 0; r < rank; r++)
            s->w[j * rank + r] = s->collected[(j / width * rank + r) * width + j % width];
}

void crs_envelope_fold(crs_envelope *s, crs_envelope_sums *out)
{
    const int order = s->c.shape.order, split = s->grid.split;
    crs_cp_gathering g = { .weigh = s->kernel->weigh, .k = s->k, .threads = s->c.threads };
    g.fold = s->fold;
    g.work = s->gather;
    if (s->columns_wanted) lay_out(s);
    for (int n = 0; n < order; n++) {
        const bool row = n < split;
        g.from = row ? 0 : split;
        g.to = row ? split : order;
        g.table = row ? s->y : s->w;
        if (out->gradient[n]) crs_cp_gather(&g, n, out->gradient[n]);
        if (out->marginal[n])
            marginal(&s->c.shape, g.from, g.to, n, row ? s->row_weights : s->column_weights,
                     out->marginal[n]);
    }
}
