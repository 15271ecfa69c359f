/* SPDX-License-Identifier: MIT
 * cp_consistency: core consistency of a robust CP model: G - I = clip(T - M) x_n pinv(X_n), since
 * the best core of M itself is I; outliers are cut at 3 median|T - M|
 *
 * Bro, Kiers 2003. */
#include <float.h>

#include <crease/rpca_rank.h>

#include "rpca/cp_view.h"

static const double kap = 3;

/* out (columns x rows) = pinv(X) by its singular values */
static bool pseudo_inverse(ptrdiff_t rows, ptrdiff_t columns, const double *x, double *out,
                           double *work)
{
    double *u = work, *s = u + rows * columns, *vt = s + columns, *rest = vt + columns * columns;
    if (!crs_svd(rows, columns, x, u, s, vt, rest)) return false;
    const double least = s[0] * (double)rows * DBL_EPSILON;
    for (ptrdiff_t k = 0; k < columns; k++)
        for (ptrdiff_t i = 0; i < rows; i++) u[i * columns + k] *= s[k] > least ? 1 / s[k] : 0;
    crs_gemm(true, true, columns, rows, columns, 1, vt, u, 0, out);
    return true;
}

/* V - M: the residual, clipped; 0 where nothing was observed */
static void residual(const crs_cp_view *v, double *out, double *work)
{
    const ptrdiff_t size = crease_size(&v->shape);
    crs_view_count(v);
    fill(size, 0, out);
    crs_reconstruct(v->model, -1, out, work);
    for (ptrdiff_t j = 0; j < size; j++)
        out[j] = crs_view_observed(v, j) ? clip(v->tensor[j] + out[j], -v->limit, v->limit) : 0;
}

static bool pseudo_inverses(const crs_kruskal *k, double **p, crs_mode_map *map, crease_error *e)
{
    for (int n = 0; n < k->shape.order; n++) {
        const ptrdiff_t rows = k->shape.dim[n], R = k->rank;
        p[n] = crs_doubles(R * rows, "a core consistency", e);
        double *work = p[n] ? crs_doubles(rows * R + R + R * R + crs_svd_scratch(rows, R),
                                          "a core consistency", e)
                            : NULL;
        const bool done = work && pseudo_inverse(rows, R, k->factor[n], p[n], work);
        map[n] = (crs_mode_map){ p[n], R, false };
        crs_free(work);
        if (work && !done)
            crs_fail(e, CREASE_NUMERICAL_FAILURE,
                     "the singular values of factor %d did not converge; is it finite?", n + 1);
        if (!done) return false;
    }
    return true;
}

static bool core_distance(const crs_cp_view *v, const crs_mode_map *map, double *distance2,
                          crease_error *e)
{
    const ptrdiff_t size = crease_size(&v->shape), R = v->model->rank;
    crease_space core = v->shape;
    for (int n = 0; n < core.order; n++) core.dim[n] = R;
    const ptrdiff_t work =
        more(crs_kruskal_scratch(&v->shape, R), crs_multi_ttm_scratch(&v->shape, map));
    double *r = crs_doubles(size + crease_size(&core) + work, "a core consistency", e);
    if (!r) return false;
    double *g = r + size, *rest = g + crease_size(&core);
    residual(v, r, rest);
    crs_multi_ttm(&v->shape, map, 1, r, 0, g, rest);
    *distance2 = crs_dot(crease_size(&core), g, g);
    crs_free(r);
    return true;
}

bool crease_cp_consistency(const crease_cp_fit_request *r, const double *const *factor,
                           double *percent, crease_error *e)
{
    crs_kruskal k = { .shape = r->shape, .rank = r->rank };
    crs_cp_view v = { .shape = r->shape,
                      .tensor = r->tensor,
                      .mask = r->mask,
                      .model = &k,
                      .readings = r->readings };
    crs_mode_map map[CREASE_MAX_ORDER] = { { NULL, 0, false } };
    double *p[CREASE_MAX_ORDER] = { NULL }, median, distance2;
    *percent = NAN;
    for (int n = 0; n < r->shape.order; n++) {
        k.factor[n] = factor[n];
        if (r->rank > r->shape.dim[n]) return true;
    }
    if (!crs_view_median(&v, &median, e)) return false;
    v.limit = kap * median;
    const bool done = pseudo_inverses(&k, p, map, e) && core_distance(&v, map, &distance2, e);
    if (done) *percent = 100 * (1 - distance2 / (double)r->rank);
    for (int n = 0; n < r->shape.order; n++) crs_free(p[n]);
    return done;
}
