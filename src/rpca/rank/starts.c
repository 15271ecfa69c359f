/* SPDX-License-Identifier: MIT
 * starts: starts of a rank from models of its neighbours
 *
 * What a model of fewer terms leaves, its outliers cut off, has a start of its own for the terms
 * that are missing. So a large offset or background, which is the first term, does not hide the
 * others from the eigenvectors. */
#include <crease/random.h>

#include "rpca/rank/rank.h"

enum { STREAM = 900 };
static const double cut_at = 3;

/* out = x, one term more, without the one of least norm */
static void drop_weakest(const crease_space *s, const crs_terms *x, crs_terms *out)
{
    const ptrdiff_t rank = out->rank;
    ptrdiff_t weakest = 0;
    double least = INFINITY;
    for (ptrdiff_t r = 0; r <= rank; r++) {
        double norm = 1;
        for (int n = 0; n < s->order; n++)
            norm *= column_norm(s->dim[n], rank + 1, x->factor[n] + r);
        if (norm < least) least = norm, weakest = r;
    }
    for (int n = 0; n < s->order; n++)
        for (ptrdiff_t i = 0; i < s->dim[n]; i++)
            for (ptrdiff_t r = 0; r < rank; r++)
                out->factor[n][i * rank + r] = x->factor[n][i * (rank + 1) + r + (r >= weakest)];
}

/* The terms of x, then those of rest */
static void join(const crease_space *s, bool nonneg, const crs_terms *x, const crs_terms *rest,
                 crs_terms *out)
{
    for (int n = 0; n < s->order; n++)
        for (ptrdiff_t i = 0; i < s->dim[n]; i++) {
            double *row = out->factor[n] + i * out->rank;
            copy(x->rank, x->factor[n] + i * x->rank, row);
            copy(rest->rank, rest->factor[n] + i * rest->rank, row + x->rank);
            for (ptrdiff_t r = x->rank; nonneg && r < out->rank; r++) row[r] = fabs(row[r]);
        }
}

/* By the eigenvectors of clip(T - M); or at random, of the size of |T - M| */
static bool model_rest(const crease_cp_fit_request *r, const crs_terms *x, bool random,
                       crs_terms *rest, crease_error *e)
{
    crs_kruskal k = { .shape = r->shape, .rank = x->rank };
    crs_cp_view v = { .shape = r->shape,
                      .tensor = r->tensor,
                      .mask = r->mask,
                      .model = &k,
                      .checked = true,
                      .readings = r->readings };
    const crs_cp_gevd_options o = { .rank = rest->rank, .seed = r->seed };
    double median;
    for (int n = 0; n < v.shape.order; n++) k.factor[n] = x->factor[n];
    if (!crs_view_median(&v, &median, e)) return false;
    v.limit = cut_at * median;
    v.residual = true;
    if (!random) return crs_cp_gevd(&v, &o, rest->factor, NULL, e);
    for (int n = 0; n < v.shape.order; n++) {
        const crease_random from = { r->seed + (uint64_t)r->rank, (uint64_t)(STREAM + n) };
        for (ptrdiff_t j = 0; j < v.shape.dim[n] * rest->rank; j++)
            rest->factor[n][j] =
                pow(median, 1.0 / v.shape.order) * crease_random_normal(from, (uint64_t)j);
    }
    return true;
}

static bool add_rest(const crease_cp_fit_request *r, const crs_terms *x, bool random, bool nonneg,
                     crs_terms *out, crease_error *e)
{
    crs_terms rest;
    if (!crs_terms_new(&r->shape, out->rank - x->rank, &rest, e)) return false;
    const bool done = model_rest(r, x, random, &rest, e);
    if (done) join(&r->shape, nonneg, x, &rest, out);
    crs_terms_free(&rest);
    return done;
}

bool crs_rank_start_by(const crease_cp_fit_request *r, crs_rank_start q, bool nonneg,
                       const crs_terms *from, crs_terms *out, crease_error *e)
{
    bool done = true;
    if (!crs_terms_new(&r->shape, r->rank, out, e)) return false;
    if (q == CRS_FROM_ABOVE)
        drop_weakest(&r->shape, from, out);
    else if (q == CRS_FROM_EQUAL)
        for (int n = 0; n < r->shape.order; n++)
            copy(r->shape.dim[n] * r->rank, from->factor[n], out->factor[n]);
    else
        done = add_rest(r, from, q == CRS_FROM_RANDOM, nonneg, out, e);
    if (!done) crs_terms_free(out);
    return done;
}
