/* SPDX-License-Identifier: MIT
 * cp_als: alternating least squares on the observed entries: missing ones are 0 in the first sweep,
 * when the factors have no size yet, and then filled in by the low-rank part before every other
 * (expectation-maximization)
 *
 * Kolda, Bader 2009; Tomasi, Bro, PARAFAC and missing values, 2005. */
#include "model/cp_rpca.h"
#include "tensor/tensor.h"

typedef struct {
    crease_cp_data data;
    crease_smooth f;
    crease_space space[CREASE_MAX_ORDER];
    crease_blocks blocks;
    int factor[CREASE_MAX_ORDER];
    crs_kruskal k;
    double *y, *filled, *work;
} sweeper;

static bool prepare(const crease_cp_rpca *m, sweeper *w, crease_error *e)
{
    const crease_cp_rpca_settings *s = &m->s;
    ptrdiff_t most = 0;
    *w = (sweeper){ .k = { .shape = s->shape, .rank = s->rank } };
    for (int n = 0; n < s->shape.order; n++) {
        w->factor[n] = n;
        w->space[n] = crease_matrix(s->shape.dim[n], s->rank);
        w->k.factor[n] = m->start[n];
        most = more(most, crease_size(&w->space[n]));
    }
    w->data = (crease_cp_data){ s->shape, s->rank, w->factor, -1, m->tensor, s->ridge };
    w->f = crease_cp(&w->data);
    w->blocks = (crease_blocks){ s->shape.order, w->space, NULL };
    w->y = crs_doubles(most, "a start", e);
    w->work = crs_doubles(crease_smooth_scratch(&w->f, &w->blocks), "a start", e);
    if (m->root) w->data.target = w->filled = crs_doubles(crease_size(&s->shape), "a start", e);
    return w->y && w->work && w->data.target;
}

/* W o T + (1 - W) o [[X]] */
static void impute(const crease_cp_rpca *m, sweeper *w)
{
    const ptrdiff_t size = crease_size(&m->s.shape);
    fill(size, 0, w->filled);
    crs_reconstruct(&w->k, 1, w->filled, w->work);
    for (ptrdiff_t j = 0; j < size; j++)
        if (crs_cp_observed(m, j)) w->filled[j] = m->tensor[j];
}

static double column_norm(const crease_cp_rpca *m, int n, ptrdiff_t r)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < m->s.shape.dim[n]; i++) sum += square(m->start[n][i * m->s.rank + r]);
    return sqrt(sum);
}

/* Columns of one term get the same norm in every mode; a zero one makes the term zero. */
static void balance(crease_cp_rpca *m, ptrdiff_t r)
{
    const int d = m->s.shape.order;
    double mean = 1;
    for (int n = 0; n < d; n++) mean *= pow(column_norm(m, n, r), 1.0 / d);
    for (int n = 0; n < d; n++) {
        const double norm = column_norm(m, n, r), scale = norm > 0 ? mean / norm : 0;
        for (ptrdiff_t i = 0; i < m->s.shape.dim[n]; i++) m->start[n][i * m->s.rank + r] *= scale;
    }
}

bool crs_cp_als(crease_cp_rpca *m, int sweeps, crease_error *e)
{
    sweeper w;
    const bool ready = prepare(m, &w, e);
    const double *const *x = (const double *const *)m->start;
    for (int sweep = 0; ready && sweep < sweeps; sweep++) {
        if (w.filled && sweep == 0) copy(crease_size(&m->s.shape), m->tensor, w.filled);
        if (w.filled && sweep > 0) impute(m, &w);
        for (int n = 0; n < m->s.shape.order; n++) {
            w.f.ops->argmin(&w.f, &w.blocks, x, n, 0, x[n], INFINITY, w.y, w.work);
            copy(crease_size(&w.space[n]), w.y, m->start[n]);
        }
    }
    for (ptrdiff_t r = 0; ready && r < m->s.rank; r++) balance(m, r);
    crs_free(w.y);
    crs_free(w.filled);
    crs_free(w.work);
    return ready;
}
