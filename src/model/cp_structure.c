/* SPDX-License-Identifier: MIT
 * cp_structure: is something left in the residual of a CP model? Of an I x J matrix of independent
 * noise of variance v the largest singular value is sqrt(v) (sqrt(I) + sqrt(J)), nearly; a term
 * that the model lacks stands out above it, whatever the size of the noise
 *
 * Johnstone, On the distribution of the largest eigenvalue in principal components analysis, 2001.
 * Outliers are cut at 3 median|T - M|, where they look like noise. */
#include <crease/rpca_rank.h>

#include "model/cp_compress.h"

static const double kap = 3;

/* The mean square of the clipped residual over the observed entries */
static bool mean_square(const crs_cp_view *v, double *mean, crease_error *e)
{
    const ptrdiff_t rows = crs_view_rows(v), right = crs_right(&v->shape, 0);
    double *work = crs_doubles(crs_view_scratch(v, rows), "a slab", e), sum = 0;
    ptrdiff_t count = 0;
    crs_view_count(v);
    for (ptrdiff_t first = 0; work && first < v->shape.dim[0]; first += rows) {
        const ptrdiff_t some = fewer(rows, v->shape.dim[0] - first) * right;
        const double *slab = crs_view_slab(v, first, some / right, work);
        sum += crs_dot(some, slab, slab);
        for (ptrdiff_t j = 0; j < some; j++) count += crs_view_observed(v, first * right + j);
    }
    *mean = count > 0 ? sum / (double)crease_size(&v->shape) : 0;
    crs_free(work);
    return work != NULL;
}

static bool mode_ratio(const crs_cp_view *v, int n, double mean, double *ratio, crease_error *e)
{
    const double I = (double)v->shape.dim[n], J = (double)crease_size(&v->shape) / I;
    double *vector = crs_doubles(v->shape.dim[n], "a singular vector", e), top;
    const bool done = vector && crs_cp_basis(v, n, 1, 0, vector, &top, e);
    if (done) *ratio = top / (mean * square(sqrt(I) + sqrt(J)));
    crs_free(vector);
    return done;
}

bool crs_cp_structure(const crs_cp_view *data, ptrdiff_t rank, const double *const *factor,
                      double *structure, crease_error *e)
{
    crs_kruskal k = { .shape = data->shape, .rank = rank };
    crs_cp_view v = *data;
    double median, mean, ratio;
    *structure = 0;
    v.model = &k;
    for (int n = 0; n < v.shape.order; n++) k.factor[n] = factor[n];
    if (!crs_view_check(&v, e) || !crs_view_median(&v, &median, e)) return false;
    v.limit = kap * median;
    v.residual = true;
    if (!mean_square(&v, &mean, e)) return false;
    for (int n = 1; mean > 0 && n < v.shape.order; n++) {
        if (!mode_ratio(&v, n, mean, &ratio, e)) return false;
        *structure = larger(*structure, ratio);
    }
    return true;
}

bool crease_cp_structure(const crease_cp_fit_request *r, const double *const *factor,
                         double *structure, crease_error *e)
{
    const crs_cp_view v = {
        .shape = r->shape, .tensor = r->tensor, .mask = r->mask, .readings = r->readings
    };
    return crs_cp_structure(&v, r->rank, factor, structure, e);
}
