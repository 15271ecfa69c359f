/* SPDX-License-Identifier: MIT
 * bend: blocks in which f is quadratic whatever the other blocks are, and the matrices of their
 * second derivatives
 *
 *     a quadratic loss         phi'' W_i'diag(w)W_i
 *     (1/2) x'Qx + q'x         Q_ii
 *     (w/2)|x_a - x_b - d|^2   w I
 *     a sum                    the sum of those of its terms */
#include "dense/dense.h"
#include "problem/problem.h"
#include "smooth/smooth.h"

static crs_bend worse(crs_bend a, crs_bend b) { return a > b ? a : b; }

static crs_bend bend_of(const crease_smooth *f, const crease_blocks *b, int i)
{
    if (!f->ops->touches(f, i)) return CRS_BEND_DIAGONAL;
    if (f->ops->family == CREASE_SMOOTH_SUM) {
        const crease_smooth_list *sum = f->data;
        crs_bend all = CRS_BEND_DIAGONAL;
        for (int t = 0; t < sum->count; t++) all = worse(all, bend_of(&sum->term[t], b, i));
        return all;
    }
    if (f->ops == &crs_squared_distance_ops) return CRS_BEND_DIAGONAL;
    if (f->ops == &crs_quadratic_ops) return CRS_BEND_CONSTANT;
    if (f->ops->family != CREASE_SMOOTH_LOSS || !loss_of(f)->quadratic) return CRS_BEND_VARIES;
    return crs_predictor_diagonal(f->data, b, i) ? CRS_BEND_DIAGONAL : CRS_BEND_CONSTANT;
}

crs_bend crs_bend_of(const crease_problem *p, int i)
{
    const crease_blocks b = crs_blocks(p);
    return p->f.ops ? bend_of(&p->f, &b, i) : CRS_BEND_DIAGONAL;
}

/* H += a W_i'diag(w)W_i, a sum over the ranks that have the rows of a whole block; of a block that
 * is split the part of this rank. */
static bool add_gram(const crease_predictor *w, const crease_blocks *b, int i, double a, double *H,
                     crease_error *e)
{
    const ptrdiff_t m = crease_size(&w->range), n = crease_size(&b->space[i]);
    const ptrdiff_t scratch = m + n + crs_predictor_map_scratch(w, b);
    const bool rows = w->range.comm && !b->space[i].comm;
    double *W = crs_doubles(m * n + scratch + (rows ? n * n : 0), "the matrix of a block", e);
    if (!crs_together(w->range.comm, W, e)) return crs_free(W), false;
    double *G = rows ? W + m * n + scratch : H;
    crs_predictor_matrix(w, b, i, W, W + m * n);
    for (ptrdiff_t r = 0; w->weight && r < m; r++)
        for (ptrdiff_t c = 0; c < n; c++) W[r * n + c] *= sqrt(w->weight[r]);
    crs_gemm(true, false, n, n, m, a, W, W, 1, G);
    if (rows) {
        crs_sum_over(&w->range, n * n, G);
        axpy(n * n, 1, G, H);
    }
    crs_free(W);
    return true;
}

static bool add_hessian(const crease_smooth *f, const crease_blocks *b, int i, double *H,
                        crease_error *e)
{
    const crease_smooth_list *sum = f->ops->family == CREASE_SMOOTH_SUM ? f->data : NULL;
    const ptrdiff_t n = crease_size(&b->space[i]);
    if (!f->ops->touches(f, i)) return true;
    for (int t = 0; sum && t < sum->count; t++)
        if (!add_hessian(&sum->term[t], b, i, H, e)) return false;
    if (f->ops == &crs_squared_distance_ops)
        for (ptrdiff_t j = 0; j < n; j++)
            H[j * n + j] += ((const crease_distance_data *)f->data)->weight;
    if (f->ops == &crs_quadratic_ops) crs_quadratic_add_hessian(f, b, i, H);
    return f->ops->family != CREASE_SMOOTH_LOSS || add_gram(f->data, b, i, loss_of(f)->high, H, e);
}

bool crs_block_hessian(const crease_problem *p, int i, double *H, crease_error *e)
{
    const crease_blocks b = crs_blocks(p);
    const ptrdiff_t n = crease_size(&p->space[i]);
    fill(n * n, 0, H);
    return !p->f.ops || add_hessian(&p->f, &b, i, H, e);
}

bool crs_block_gram(const crease_problem *p, int i, double *G, crease_error *e)
{
    const crease_blocks b = crs_blocks(p);
    const ptrdiff_t n = crease_size(&p->space[i]);
    const crease_predictor A = { 1, &i, &p->block[i].map, p->range, NULL, NULL };
    fill(n * n, 0, G);
    return !crs_in_constraint(p, i) || add_gram(&A, &b, i, 1, G, e);
}
