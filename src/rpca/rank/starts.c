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

/* The mean of |term|, which is small where a term sits on a few entries, whatever their size */
static double presence(const crease_space *s, const crs_terms *x, ptrdiff_t r)
{
    double product = 1;
    for (int n = 0; n < s->order; n++) {
        double sum = 0;
        for (ptrdiff_t i = 0; i < s->dim[n]; i++) sum += fabs(x->factor[n][i * x->rank + r]);
        product *= sum / (double)s->dim[n];
    }
    return product;
}

/* How many entries a term is on, as if they were all of one size; fewer than half as many as it has
 * parameters: it may be outliers and nothing else */
static bool wide(const crease_space *s, const crs_terms *x, ptrdiff_t r)
{
    double reach = 1, parameters = 1;
    for (int n = 0; n < s->order; n++) {
        double squares = 0, fourth = 0;
        for (ptrdiff_t i = 0; i < s->dim[n]; i++) {
            const double a = square(x->factor[n][i * x->rank + r]);
            squares += a, fourth += a * a;
        }
        reach *= fourth > 0 ? square(squares) / fourth : 0;
        parameters += (double)s->dim[n] - 1;
    }
    return reach >= parameters / 2;
}

/* out = the terms of x that are kept */
static void select_terms(const crease_space *s, const crs_terms *x, const bool *kept,
                         crs_terms *out)
{
    for (int n = 0; n < s->order; n++)
        for (ptrdiff_t i = 0; i < s->dim[n]; i++)
            for (ptrdiff_t r = 0, to = 0; r < x->rank; r++)
                if (kept[r]) out->factor[n][i * out->rank + to++] = x->factor[n][i * x->rank + r];
}

/* Which terms are kept: all but the one of least presence, or those that are wide */
static ptrdiff_t choose_terms(const crease_space *s, const crs_terms *x, bool narrow, bool *kept)
{
    ptrdiff_t weakest = 0, count = 0;
    for (ptrdiff_t r = 1; r < x->rank; r++)
        if (presence(s, x, r) < presence(s, x, weakest)) weakest = r;
    for (ptrdiff_t r = 0; r < x->rank; r++) {
        kept[r] = narrow ? wide(s, x, r) : r != weakest;
        count += kept[r];
    }
    return count;
}

/* out is new, of so many terms as are kept */
static bool without(const crease_space *s, const crs_terms *x, bool narrow, crs_terms *out,
                    crease_error *e)
{
    bool *kept = crs_alloc((size_t)x->rank, sizeof *kept);
    if (!kept) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a start");
    const ptrdiff_t count = choose_terms(s, x, narrow, kept);
    const bool done = crs_terms_new(s, more(count, 1), out, e);
    if (done) select_terms(s, x, kept, out);
    if (done) out->rank = count;
    crs_free(kept);
    return done;
}

bool crs_rank_sound(const crease_space *s, const crs_terms *x)
{
    for (ptrdiff_t r = 0; r < x->rank; r++)
        if (!wide(s, x, r)) return false;
    return true;
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
static bool model_rest(const crease_cp_fit_request *r, crs_observed *data, const crs_terms *x,
                       bool random, crs_terms *rest, crease_error *e)
{
    crs_kruskal k = { .shape = r->shape, .rank = x->rank };
    crs_cp_view v = { .shape = r->shape,
                      .source = &data->data.source,
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
    crs_observed o;
    const bool done =
        crs_observe(&r->shape, r->tensor, r->mask, &o, e) && model_rest(r, &o, x, random, &rest, e);
    if (done) join(&r->shape, nonneg, x, &rest, out);
    crs_observed_close(&o);
    crs_terms_free(&rest);
    return done;
}

bool crs_rank_start_by(const crease_cp_fit_request *r, crs_rank_start q, bool nonneg,
                       const crs_terms *from, crs_terms *out, crease_error *e)
{
    crs_terms some;
    if (q == CRS_FROM_ABOVE) return without(&r->shape, from, false, out, e);
    if (!crs_terms_new(&r->shape, r->rank, out, e)) return false;
    bool done = true;
    if (q == CRS_FROM_EQUAL)
        for (int n = 0; n < r->shape.order; n++)
            copy(r->shape.dim[n] * r->rank, from->factor[n], out->factor[n]);
    else if (q != CRS_FROM_WIDE)
        done = add_rest(r, from, q == CRS_FROM_RANDOM, nonneg, out, e);
    else if ((done = without(&r->shape, from, true, &some, e))) {
        done = add_rest(r, &some, false, nonneg, out, e);
        crs_terms_free(&some);
    }
    if (!done) crs_terms_free(out);
    return done;
}
