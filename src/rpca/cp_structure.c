/* SPDX-License-Identifier: MIT
 * cp_structure: is something left in the residual of a CP model? Of an I x J matrix of independent
 * noise of variance v the largest singular value is sqrt(v) (sqrt(I) + sqrt(J)), nearly; a term
 * that the model lacks stands out above it, whatever the size of the noise
 *
 * Johnstone, On the distribution of the largest eigenvalue in principal components analysis, 2001.
 * Outliers are cut at 3 median|T - M|, where they look like noise. */
#include <crease/random.h>
#include <crease/rpca_rank.h>

#include "rpca/cp_compress.h"

enum { GRAM = 100, SKETCH = 11, STREAM = 64 }; /* longest mode with a Gram matrix; columns of q */
static const double kap = 3;

/* The modes but the first, whose unfoldings are looked at together. */
typedef struct {
    const crs_cp_view *v;
    crs_cp_square mode[CREASE_MAX_ORDER];
    double top[CREASE_MAX_ORDER]; /* the largest eigenvalue of V_(n) V_(n)' */
    ptrdiff_t rows;
    double *slab, *work, *memory;
} look;

static void close(look *l)
{
    crs_free(l->slab);
    crs_free(l->memory);
}

static bool open(const crs_cp_view *v, look *l, crease_error *e)
{
    const crease_space *s = &v->shape;
    const ptrdiff_t right = crs_right(s, 0);
    ptrdiff_t size = 0, work = 0;
    *l = (look){ .v = v, .rows = crs_view_rows(v) };
    for (int n = 1; n < s->order; n++) {
        const ptrdiff_t I = s->dim[n], p = I > GRAM ? SKETCH : I;
        l->mode[n] = (crs_cp_square){ .n = n, .columns = p };
        size += 2 * I * p + l->rows * right / I * p;
        work = more(work, I > GRAM ? p + p * p + crs_svd_scratch(I, p) : I + crs_eigh_scratch(I));
    }
    l->slab = crs_doubles(crs_view_scratch(v, l->rows), "a slab", e);
    l->memory = l->slab ? crs_doubles(size + work, "a test of the residual", e) : NULL;
    l->work = l->memory;
    double *at = l->memory + work;
    for (int n = 1; l->memory && n < s->order; n++) {
        crs_cp_square *a = &l->mode[n];
        const ptrdiff_t size_of = s->dim[n] * a->columns;
        const crease_random random = { 0, (uint64_t)(STREAM + n) };
        a->w = at, a->product = at + 2 * size_of;
        if (s->dim[n] > GRAM) a->q = at + size_of;
        for (ptrdiff_t j = 0; a->q && j < size_of; j++)
            a->q[j] = crease_random_normal(random, (uint64_t)j);
        at = a->product + l->rows * right / s->dim[n] * a->columns;
    }
    return l->memory;
}

/* One reading: every w, or those of long modes alone, and the sum of squares */
static double read(look *l, bool all)
{
    const crease_space *s = &l->v->shape;
    crease_space slab = *s;
    double sum = 0;
    crs_view_count(l->v);
    for (int n = 1; n < s->order; n++)
        if (all || l->mode[n].q) fill(s->dim[n] * l->mode[n].columns, 0, l->mode[n].w);
    for (ptrdiff_t first = 0; first < s->dim[0]; first += l->rows) {
        slab.dim[0] = fewer(l->rows, s->dim[0] - first);
        const double *values = crs_view_slab(l->v, first, slab.dim[0], l->slab);
        sum += crs_dot(crease_size(&slab), values, values);
        for (int n = 1; n < s->order; n++)
            if (all || l->mode[n].q) crs_cp_square_add(&l->mode[n], &slab, values);
    }
    return sum;
}

/* From w: the largest eigenvalue, and the next q */
static bool judge(look *l, int n)
{
    const crs_cp_square *a = &l->mode[n];
    const ptrdiff_t I = l->v->shape.dim[n], p = a->columns;
    double *values = l->work, *rest = values + p;
    const bool done = a->q ? crs_svd(I, p, a->w, a->q, values, rest, rest + p * p)
                           : crs_eigh(I, a->w, values, NULL, rest);
    l->top[n] = done ? values[a->q ? 0 : I - 1] : NAN;
    return done;
}

/* The largest eigenvalues: of a long mode by two steps of subspace iteration */
static bool tops(look *l, double *mean, crease_error *e)
{
    bool again = false, done = true;
    *mean = read(l, true) / (double)crease_size(&l->v->shape);
    for (int n = 1; *mean > 0 && n < l->v->shape.order; n++) {
        done = done && judge(l, n);
        again = again || l->mode[n].q;
    }
    if (again) read(l, false);
    for (int n = 1; again && n < l->v->shape.order; n++)
        if (l->mode[n].q) done = done && judge(l, n);
    return done || crs_fail(e, CREASE_NUMERICAL_FAILURE,
                            "the singular values of the residual did not converge; rescale the "
                            "tensor");
}

bool crs_cp_structure(const crs_cp_view *data, ptrdiff_t rank, const double *const *factor,
                      double *structure, crease_error *e)
{
    crs_kruskal k = { .shape = data->shape, .rank = rank };
    crs_cp_view v = *data;
    look l;
    double median, mean = 0;
    *structure = 0;
    v.model = &k;
    for (int n = 0; n < v.shape.order; n++) k.factor[n] = factor[n];
    if (!crs_view_check(&v, e) || !crs_view_median(&v, &median, e)) return false;
    v.limit = kap * median;
    v.residual = true;
    const bool done = open(&v, &l, e) && tops(&l, &mean, e);
    for (int n = 1; done && mean > 0 && n < v.shape.order; n++) {
        const double I = (double)v.shape.dim[n], J = (double)crease_size(&v.shape) / I;
        *structure = larger(*structure, l.top[n] / (mean * square(sqrt(I) + sqrt(J))));
    }
    close(&l);
    return done;
}

bool crease_cp_structure(const crease_cp_fit_request *r, const double *const *factor,
                         double *structure, crease_error *e)
{
    const crs_cp_view v = {
        .shape = r->shape, .tensor = r->tensor, .mask = r->mask, .readings = r->readings
    };
    return crs_cp_structure(&v, r->rank, factor, structure, e);
}
