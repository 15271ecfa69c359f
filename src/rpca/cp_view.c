/* SPDX-License-Identifier: MIT
 * cp_view: clipped and completed slabs of a tensor, and the scale of its residual */
#include "rpca/cp_view.h"

enum { SLAB = 1 << 18, SAMPLE = 1 << 15 };

ptrdiff_t crs_view_rows(const crs_cp_view *v)
{
    const ptrdiff_t right = crs_right(&v->shape, 0);
    return fewer(v->shape.dim[0], more(1, SLAB / right));
}

static crs_kruskal part_of(const crs_cp_view *v, ptrdiff_t first, ptrdiff_t count)
{
    crs_kruskal k = *v->model;
    k.shape.dim[0] = count;
    k.factor[0] += first * k.rank;
    return k;
}

ptrdiff_t crs_view_scratch(const crs_cp_view *v, ptrdiff_t rows)
{
    crease_space s = v->shape;
    s.dim[0] = rows;
    if (crs_view_plain(v)) return 1;
    return crease_size(&s) + (v->model ? crs_kruskal_scratch(&s, v->model->rank) : 0);
}

const double *crs_view_slab(const crs_cp_view *v, ptrdiff_t first, ptrdiff_t count, double *work)
{
    const ptrdiff_t right = crs_right(&v->shape, 0), start = first * right, size = count * right;
    const double *t = v->tensor + start;
    if (crs_view_plain(v)) return t;
    fill(size, 0, work);
    if (v->model) {
        const crs_kruskal k = part_of(v, first, count);
        crs_reconstruct(&k, 1, work, work + size);
    }
    for (ptrdiff_t j = 0; j < size; j++) {
        const bool here = crs_view_observed(v, start + j);
        const double rest = here ? clip(t[j] - work[j], -v->limit, v->limit) : 0;
        work[j] = v->residual ? rest : work[j] + rest;
    }
    return work;
}

/* M_j by its formula */
static double model_at(const crs_kruskal *k, ptrdiff_t j)
{
    ptrdiff_t index[CREASE_MAX_ORDER];
    double sum = 0;
    for (int n = k->shape.order - 1; n >= 0; n--)
        index[n] = j % k->shape.dim[n], j /= k->shape.dim[n];
    for (ptrdiff_t r = 0; r < k->rank; r++) {
        double product = 1;
        for (int n = 0; n < k->shape.order; n++) product *= k->factor[n][index[n] * k->rank + r];
        sum += product;
    }
    return sum;
}

ptrdiff_t crs_view_sample(const crs_cp_view *v) { return fewer(crease_size(&v->shape), SAMPLE); }

/* A step through all entries whose first ones are spread evenly, whatever the dimensions: prime to
 * their number and near its golden section. */
static ptrdiff_t even_step(ptrdiff_t size)
{
    for (ptrdiff_t step = (ptrdiff_t)(0.6180339887498949 * (double)size);; step++) {
        ptrdiff_t a = size, b = step;
        while (b > 0) {
            const ptrdiff_t rest = a % b;
            a = b, b = rest;
        }
        if (a == 1) return step;
    }
}

double crs_view_median_in(const crs_cp_view *v, double *work)
{
    const ptrdiff_t size = crease_size(&v->shape), most = crs_view_sample(v);
    const ptrdiff_t step = even_step(size);
    ptrdiff_t used = 0;
    crs_view_count(v);
    for (ptrdiff_t k = 0, j = 0; k < size && used < most; k++) {
        if (crs_view_observed(v, j)) {
            const double t = v->tensor ? v->tensor[j] : 0;
            work[used++] = fabs(t - (v->model ? model_at(v->model, j) : 0));
        }
        j = j < size - step ? j + step : j + step - size;
    }
    return used ? crs_median(used, work) : 0;
}

bool crs_view_median(const crs_cp_view *v, double *median, crease_error *e)
{
    double *work = crs_doubles(crs_view_sample(v), "a sample of the residual", e);
    if (work) *median = crs_view_median_in(v, work);
    crs_free(work);
    return work != NULL;
}

bool crs_view_check(const crs_cp_view *v, crease_error *e)
{
    if (v->checked) return true;
    crs_view_count(v);
    for (ptrdiff_t j = 0, size = crease_size(&v->shape); j < size; j++)
        if (crs_view_observed(v, j) && !isfinite(v->tensor[j]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "entry %td of the tensor is %g; give finite numbers, or mask it", j + 1,
                            v->tensor[j]);
    return true;
}
