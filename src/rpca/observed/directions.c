/* SPDX-License-Identifier: MIT
 * directions: where few entries of a matrix A were observed, leading directions of its columns'
 * space, by subspace iteration on
 *
 *   A'A - diag(A'A),   A clipped, 0 where nothing was observed
 *
 * An entry's square, noise and outliers included, stands on the diagonal alone: without it the
 * expectation is that of the model (Florescu, Perkins 2016; Zhang, Cai, Wu 2022). The matrix is the
 * list itself, or an unfolding of a tensor, whose rows are fibres of a mode: entries that share all
 * other indices, found by counting sorts; a fibre with one entry has nothing off the diagonal. */
#include "core/parallel.h"
#include "core/streams.h"
#include "dense/dense.h"
#include "rpca/observed/entries.h"

enum { STEPS = 6, BANDS = 8, STREAM = 920 };

typedef struct {
    const crs_listed_fibres *f;
    ptrdiff_t columns, size, bands;
    double *q, *out; /* indices x columns; of every band */
    double *row;     /* of every worker: columns */
} iteration;

/* out_j += a_j (sum of the row's a q - a_j q_j) */
static void add_rows(void *self, ptrdiff_t band, int worker)
{
    const iteration *s = self;
    const crs_listed_fibres *f = s->f;
    const ptrdiff_t p = s->columns, rows = f->rows;
    double *out = s->out + band * s->size, *row = s->row + worker * p;
    fill(s->size, 0, out);
    for (ptrdiff_t i = rows * band / s->bands; i < rows * (band + 1) / s->bands; i++) {
        fill(p, 0, row);
        for (ptrdiff_t k = f->start[i]; k < f->start[i + 1]; k++) {
            const double a = clip(f->value[k], -f->limit, f->limit), *q = s->q + f->index[k] * p;
            for (ptrdiff_t c = 0; c < p; c++) row[c] += a * q[c];
        }
        for (ptrdiff_t k = f->start[i]; k < f->start[i + 1]; k++) {
            const double a = clip(f->value[k], -f->limit, f->limit), *q = s->q + f->index[k] * p;
            double *to = out + f->index[k] * p;
            for (ptrdiff_t c = 0; c < p; c++) to[c] += a * (row[c] - a * q[c]);
        }
    }
}

static bool step(iteration *s, int threads, double *values, double *work)
{
    const ptrdiff_t n = s->size / s->columns, p = s->columns;
    crs_parallel(threads, s->bands, add_rows, s);
    for (ptrdiff_t b = 1; b < s->bands; b++) axpy(s->size, 1, s->out + b * s->size, s->out);
    return crs_svd(n, p, s->out, s->q, values, work, work + p * p);
}

bool crs_listed_directions(const crs_cp_view *v, const crs_listed_fibres *f, uint64_t seed,
                           const crs_listed_spectrum *to, crease_error *e)
{
    const int threads = v->threads > 1 ? v->threads : 1;
    const ptrdiff_t n = f->indices, p = to->columns;
    iteration s = { .f = f, .columns = p, .size = n * p, .q = to->q };
    s.bands = crs_listed_bands(f->start[f->rows], n, BANDS);
    s.out =
        crs_doubles(s.bands * s.size + threads * p + p * p + crs_svd_scratch(n, p), "a start", e);
    if (!s.out) return false;
    s.row = s.out + s.bands * s.size;
    crs_normals(seed, STREAM, s.size, s.q);
    bool done = true;
    for (int k = 0; done && k < STEPS && !crease_watch_over(v->watch); k++) {
        done = step(&s, threads, to->value, s.row + threads * p);
        crs_view_count(v);
    }
    crs_free(s.out);
    return done || crs_fail(e, CREASE_NUMERICAL_FAILURE,
                            "the singular vectors of a start did not converge; rescale the data");
}

/* With random signs the off-diagonal entries of A'A have variances whose rows sum up to v_j, and
 * its largest eigenvalue is about 2 sqrt(v_j), a mean with weights v_j taken. */
bool crs_listed_edge(const crs_listed_fibres *f, double *edge, crease_error *e)
{
    double *v = crs_doubles(f->indices, "a start", e), sum = 0;
    if (!v) return false;
    for (ptrdiff_t i = 0; i < f->rows; i++) {
        double squares = 0;
        for (ptrdiff_t k = f->start[i]; k < f->start[i + 1]; k++) squares += square(f->value[k]);
        for (ptrdiff_t k = f->start[i]; k < f->start[i + 1]; k++)
            v[f->index[k]] += square(f->value[k]) * pos(squares - square(f->value[k]));
    }
    for (ptrdiff_t j = 0; j < f->indices; j++) sum += v[j];
    *edge = sum > 0 ? 2 * crs_norm(f->indices, v) / sqrt(sum) : 0;
    crs_free(v);
    return true;
}

/* Entries in an order: by one index after the other */
typedef struct {
    const crs_coordinates *t;
    uint32_t *row;                  /* of each entry: its index of the lead */
    ptrdiff_t *order, *next, *head; /* and room for another order, and for an index's places */
} sorter;

static uint32_t index_of(const sorter *s, ptrdiff_t k, int n)
{
    const crs_coordinates *t = s->t;
    if (n == t->lead) return s->row[k];
    return t->index[k * (t->shape.order - 1) + n - (n > t->lead)];
}

static void sort_by(sorter *s, int n)
{
    const ptrdiff_t length = s->t->shape.dim[n], count = s->t->count;
    ptrdiff_t *const from = s->order;
    ptrdiff_t at = 0;
    for (ptrdiff_t i = 0; i < length; i++) s->head[i] = 0;
    for (ptrdiff_t k = 0; k < count; k++) s->head[index_of(s, k, n)]++;
    for (ptrdiff_t i = 0, own; i < length; i++, at += own) own = s->head[i], s->head[i] = at;
    for (ptrdiff_t k = 0; k < count; k++) s->next[s->head[index_of(s, from[k], n)]++] = from[k];
    s->order = s->next;
    s->next = from;
}

static bool same_fibre(const sorter *s, int mode, ptrdiff_t a, ptrdiff_t b)
{
    for (int n = 0; n < s->t->shape.order; n++)
        if (n != mode && index_of(s, a, n) != index_of(s, b, n)) return false;
    return true;
}

/* Fibres with more than one entry, one after the other */
static void take_fibres(const sorter *s, int mode, const double *value, crs_listed_fibres *f)
{
    const ptrdiff_t count = s->t->count;
    for (ptrdiff_t k = 0, end; k < count; k = end) {
        for (end = k + 1; end < count && same_fibre(s, mode, s->order[k], s->order[end]);) end++;
        if (end == k + 1) continue;
        f->start[f->rows + 1] = f->start[f->rows] + end - k;
        for (ptrdiff_t q = k, to = f->start[f->rows]; q < end; q++, to++) {
            f->index[to] = index_of(s, s->order[q], mode);
            f->value[to] = value[s->order[q]];
        }
        f->rows++;
    }
}

void crs_listed_fibres_close(crs_listed_fibres *f)
{
    crs_free(f->start);
    crs_free(f->index);
    crs_free(f->value);
    *f = (crs_listed_fibres){ .rows = 0 };
}

bool crs_listed_fibres_open(crs_listed_fibres *f, const crs_coordinates *t, int mode,
                            const double *value, crease_error *e)
{
    const size_t count = (size_t)more(1, t->count), lead = (size_t)t->shape.dim[t->lead];
    sorter s = { .t = t, .row = crs_alloc(count, sizeof *s.row) };
    ptrdiff_t *places = crs_alloc(2 * count + lead, sizeof *places);
    *f = (crs_listed_fibres){ .indices = t->shape.dim[mode], .limit = INFINITY };
    f->start = crs_alloc(count / 2 + 1, sizeof *f->start);
    f->index = crs_alloc(count, sizeof *f->index);
    f->value = crs_alloc(count, sizeof *f->value);
    const bool done = s.row && places && f->start && f->index && f->value;
    s.order = places, s.next = done ? places + count : NULL, s.head = done ? s.next + count : NULL;
    for (ptrdiff_t i = 0, k = 0; done && i < t->shape.dim[t->lead]; i++)
        for (; k < t->start[i + 1]; k++) s.row[k] = (uint32_t)i, s.order[k] = k;
    for (int n = t->shape.order - 1; done && n >= 0; n--)
        if (n != mode) sort_by(&s, n);
    if (done) take_fibres(&s, mode, value, f);
    crs_free(places);
    crs_free(s.row);
    return done || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the fibres of a start");
}
