/* SPDX-License-Identifier: MIT
 * directions: where few entries of a matrix A (rows of its longer mode) were observed, the leading
 * directions of the shorter mode, by subspace iteration on
 *
 *   A'A - diag(A'A),   A clipped, 0 where nothing was observed
 *
 * An entry's square, noise and outliers included, stands on the diagonal alone: without it the
 * expectation is that of the model (Florescu, Perkins 2016; Zhang, Cai, Wu 2022). */
#include "core/parallel.h"
#include "core/streams.h"
#include "dense/dense.h"
#include "rpca/observed/entries.h"

enum { STEPS = 6, BESIDE = 6, BANDS = 8, STREAM = 920 };

typedef struct {
    const crs_coordinates *t;
    double limit;
    ptrdiff_t columns, size, bands;
    double *q, *out; /* shorter mode x columns; of every band */
    double *row;     /* of every worker: columns */
} iteration;

/* out_j += a_j (sum of the row's a q - a_j q_j) */
static void add_rows(void *self, ptrdiff_t band, int worker)
{
    const iteration *s = self;
    const crs_coordinates *t = s->t;
    const ptrdiff_t p = s->columns, rows = t->shape.dim[t->lead];
    double *out = s->out + band * s->size, *row = s->row + worker * p;
    fill(s->size, 0, out);
    for (ptrdiff_t i = rows * band / s->bands; i < rows * (band + 1) / s->bands; i++) {
        fill(p, 0, row);
        for (ptrdiff_t k = t->start[i]; k < t->start[i + 1]; k++) {
            const double a = clip(t->value[k], -s->limit, s->limit), *q = s->q + t->index[k] * p;
            for (ptrdiff_t c = 0; c < p; c++) row[c] += a * q[c];
        }
        for (ptrdiff_t k = t->start[i]; k < t->start[i + 1]; k++) {
            const double a = clip(t->value[k], -s->limit, s->limit), *q = s->q + t->index[k] * p;
            double *to = out + t->index[k] * p;
            for (ptrdiff_t c = 0; c < p; c++) to[c] += a * (row[c] - a * q[c]);
        }
    }
}

static bool step(iteration *s, int threads, double *work)
{
    const ptrdiff_t n = s->size / s->columns, p = s->columns;
    double *values = work, *vt = values + p;
    crs_parallel(threads, s->bands, add_rows, s);
    for (ptrdiff_t b = 1; b < s->bands; b++) axpy(s->size, 1, s->out + b * s->size, s->out);
    return crs_svd(n, p, s->out, s->q, values, vt, vt + p * p);
}

bool crs_listed_directions(const crs_cp_view *v, const crs_listed_sweeps *o, double limit,
                           double *x, crease_error *e)
{
    const crs_coordinates *t = v->source->listed;
    const int threads = v->threads > 1 ? v->threads : 1;
    const ptrdiff_t n = t->shape.dim[1 - t->lead], p = fewer(n, o->rank + BESIDE);
    iteration s = { .t = t, .limit = limit, .columns = p, .size = n * p };
    s.bands = crs_listed_bands(t, n, BANDS);
    const ptrdiff_t work = p + p * p + crs_svd_scratch(n, p);
    s.q = crs_doubles((1 + s.bands) * s.size + threads * p + work, "a start", e);
    if (!s.q) return false;
    s.out = s.q + s.size, s.row = s.out + s.bands * s.size;
    crs_normals(o->seed, STREAM, s.size, s.q);
    bool done = true;
    for (int k = 0; done && k < STEPS && !crease_watch_over(v->watch); k++) {
        done = step(&s, threads, s.row + threads * p);
        crs_view_count(v);
    }
    for (ptrdiff_t j = 0; done && j < n; j++)
        for (ptrdiff_t r = 0; r < fewer(p, o->rank); r++)
            x[j * o->rank + r] = sqrt((double)n) * s.q[j * p + r];
    crs_free(s.q);
    return done || crs_fail(e, CREASE_NUMERICAL_FAILURE,
                            "the singular vectors of a start did not converge; rescale the data");
}
