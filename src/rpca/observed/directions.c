/* SPDX-License-Identifier: MIT
 * directions: what stands out where few entries were observed
 *
 * Of a matrix A leading directions of its columns' space, by subspace iteration on
 *
 *   A'A - diag(A'A),   A clipped, 0 where nothing was observed
 *
 * An entry's square, noise and outliers included, stands on the diagonal alone: without it the
 * expectation is that of the model (Florescu, Perkins 2016; Zhang, Cai, Wu 2022). The matrix is the
 * list itself, or an unfolding of a tensor, whose rows are fibres of a mode: entries that share all
 * other indices, found by counting sorts; a fibre with one entry has nothing off the diagonal.
 *
 * Of a tensor, terms beside a model M:
 *
 *   y = clip(T - M) at the observed entries,
 *   U_n = the leading directions of the fibres of mode n,
 *   core = (entries/observed) sum y u_1 o ... o u_d, whose expectation is that of T - M,
 *   terms = those of the core, expanded by U_n.
 *
 * A direction stands out beyond what noise of those sizes would have as its largest; as many terms
 * are taken as directions do so in more than half of the modes. Others wait until the larger ones
 * are known: then y is smaller, and so is its noise, and what clipping has made of large terms.
 * Montanari, Sun, Spectral algorithms for tensor completion, 2018; Xia, Yuan, Zhang, Statistically
 * optimal tensor completion, 2021. */
#include "core/parallel.h"
#include "core/streams.h"
#include "dense/dense.h"
#include "rpca/observed/entries.h"

enum { STEPS = 6, BANDS = 8, BESIDE = 6, STREAM = 920, MODE_STREAM = 940 };
enum { WIDE = 4096 }; /* numbers of a row's own core */
static const double clip_at = 4, clearly = 1.3, beside = 0.15;

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
static bool edge_of(const crs_listed_fibres *f, double *edge, crease_error *e)
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

static void close_fibres(crs_listed_fibres *f)
{
    crs_free(f->start);
    crs_free(f->index);
    crs_free(f->value);
    *f = (crs_listed_fibres){ .rows = 0 };
}

/* Those that have more than one entry, of the list with other values. To be closed in any case. */
static bool open_fibres(crs_listed_fibres *f, const crs_coordinates *t, int mode,
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

typedef struct {
    const crs_cp_view *v;
    const crs_coordinates *t;
    double limit, *y; /* entries are in units of the limit */
    crs_cp_core *core;
    ptrdiff_t size, wide; /* of the core, and of what a row of the lead adds up first */
    double *sums;         /* of every band: size + 3 wide */
} finder;

static ptrdiff_t band_begins(const finder *f, ptrdiff_t band)
{
    return f->t->shape.dim[f->t->lead] * band / BANDS;
}

/* y of a band */
static void look(void *self, ptrdiff_t band, int worker)
{
    const finder *f = self;
    const crs_coordinates *t = f->t;
    const crs_kruskal *m = f->v->model;
    (void)worker;
    for (ptrdiff_t i = band_begins(f, band); i < band_begins(f, band + 1); i++)
        for (ptrdiff_t k = t->start[i]; k < t->start[i + 1]; k++) {
            ptrdiff_t at[CREASE_MAX_ORDER];
            double sum = 0;
            crs_coordinates_place(t, i, k, at);
            for (ptrdiff_t r = 0; m && r < m->rank; r++) {
                double product = 1;
                for (int n = 0; n < t->shape.order; n++)
                    product *= m->factor[n][at[n] * m->rank + r];
                sum += product;
            }
            f->y[k] = clip((t->value[k] - sum) / f->limit, -1, 1);
        }
}

/* row += y times the product of the other modes' directions, the last mode's index the fastest */
static void add_entry(const finder *f, double y, const ptrdiff_t *at, double *row, double *work)
{
    const crs_cp_core *c = f->core;
    double *x = work, *next = work + f->wide;
    ptrdiff_t size = 1;
    x[0] = y;
    for (int n = 0; n < c->shape.order; n++) {
        const ptrdiff_t p = c->shape.dim[n];
        const double *u = c->basis[n] + at[n] * p;
        if (n == f->t->lead) continue;
        for (ptrdiff_t j = 0; j < size; j++)
            for (ptrdiff_t q = 0; q < p; q++) next[j * p + q] = x[j] * u[q];
        double *const other = x;
        x = next, next = other;
        size *= p;
    }
    axpy(size, 1, x, row);
}

/* The core of a band: each row's own, then times its directions */
static void add_core(void *self, ptrdiff_t band, int worker)
{
    const finder *f = self;
    const crs_coordinates *t = f->t;
    const crs_cp_core *c = f->core;
    const ptrdiff_t p = c->shape.dim[t->lead], right = crs_right(&c->shape, t->lead);
    double *sum = f->sums + band * (f->size + 3 * f->wide), *row = sum + f->size;
    (void)worker;
    fill(f->size, 0, sum);
    for (ptrdiff_t i = band_begins(f, band); i < band_begins(f, band + 1); i++) {
        fill(f->wide, 0, row);
        for (ptrdiff_t k = t->start[i]; k < t->start[i + 1]; k++) {
            ptrdiff_t at[CREASE_MAX_ORDER];
            crs_coordinates_place(t, i, k, at);
            add_entry(f, f->y[k], at, row, row + f->wide);
        }
        for (ptrdiff_t l = 0; l < f->wide; l += right)
            for (ptrdiff_t q = 0; q < p; q++)
                axpy(right, c->basis[t->lead][i * p + q], row + l, sum + l * p + q * right);
    }
}

static bool make_core(finder *f, int threads, crease_error *e)
{
    crs_cp_core *c = f->core;
    f->size = crease_size(&c->shape);
    f->wide = f->size / c->shape.dim[f->t->lead];
    const ptrdiff_t each = f->size + 3 * f->wide;
    double share = (double)f->t->count;
    for (int n = 0; n < c->shape.order; n++) share /= (double)f->t->shape.dim[n];
    c->values = crs_doubles(f->size, "a start", e);
    f->sums = c->values ? crs_doubles(BANDS * each, "a start", e) : NULL;
    if (!f->sums) return false;
    crs_parallel(threads, BANDS, add_core, f);
    for (ptrdiff_t b = 0; b < BANDS; b++) axpy(f->size, 1 / share, f->sums + b * each, c->values);
    crs_free(f->sums);
    return true;
}

/* Directions of a mode, of which so many stand out */
static bool see_mode(const finder *f, const crs_listed_search *o, int n, ptrdiff_t *clear,
                     crease_error *e)
{
    const ptrdiff_t length = f->t->shape.dim[n], most = fewer(length, o->wanted);
    crs_listed_spectrum s = { .columns = fewer(length, o->wanted + BESIDE) };
    crs_listed_fibres fibres;
    double edge;
    *clear = 0;
    s.q = f->core->basis[n] = crs_doubles(length * s.columns, "a start", e);
    s.value = s.q ? crs_doubles(s.columns, "a start", e) : NULL;
    bool done = s.value && open_fibres(&fibres, f->t, n, f->y, e);
    if (done)
        done = edge_of(&fibres, &edge, e) &&
               crs_listed_directions(f->v, &fibres, o->seed + (uint64_t)(MODE_STREAM + n), &s, e);
    const double least = done ? larger(clearly * edge, beside * s.value[0]) : 0;
    while (done && *clear < most && s.value[*clear] > least) ++*clear;
    if (s.value) close_fibres(&fibres);
    crs_free(s.value);
    return done;
}

/* How many terms: the middle of the modes', none of which counts that is spanned as a whole */
static ptrdiff_t middle(const crs_listed_search *o, const crease_space *s, const ptrdiff_t *clear)
{
    double all[CREASE_MAX_ORDER];
    for (int n = 0; n < s->order; n++)
        all[n] = (double)(clear[n] == s->dim[n] ? o->wanted : clear[n]);
    return (ptrdiff_t)crs_select(s->order, all, (s->order - 1) / 2);
}

/* The leading columns of every mode's directions; the memory stays as it is. */
static void take_columns(finder *f, ptrdiff_t wanted, ptrdiff_t rank)
{
    crs_cp_core *c = f->core;
    c->rank = rank;
    for (int n = 0; n < c->shape.order; n++) {
        const ptrdiff_t length = f->t->shape.dim[n], from = fewer(length, wanted + BESIDE);
        const ptrdiff_t p = c->shape.dim[n] = fewer(length, rank);
        for (ptrdiff_t i = 0; i < length; i++)
            for (ptrdiff_t q = 0; q < p; q++) c->basis[n][i * p + q] = c->basis[n][i * from + q];
    }
}

/* The most terms whose rows' cores are not too wide */
static ptrdiff_t widest(int order)
{
    ptrdiff_t most = 1;
    while (pow((double)(most + 1), order - 1) <= WIDE) most++;
    return most;
}

static bool open(finder *f, crease_error *e)
{
    double median;
    f->y = crs_doubles(more(1, f->t->count), "a start", e);
    if (!f->y || !crs_view_median(f->v, &median, e)) return false;
    f->limit = clip_at * median;
    if (!(median > 0)) f->limit = crs_norm(f->t->count, f->t->value);
    if (!(f->limit > 0)) f->limit = 1;
    crs_parallel(f->v->threads > 1 ? f->v->threads : 1, BANDS, look, f);
    return true;
}

bool crs_listed_terms(const crs_cp_view *v, crs_listed_search *o, double *const *factor,
                      crease_error *e)
{
    const int d = v->shape.order;
    crs_cp_core core = { .shape = v->shape };
    finder f = { .v = v, .t = v->source->listed, .core = &core };
    ptrdiff_t clear[CREASE_MAX_ORDER];
    crs_cp_start_facts facts;
    bool done = open(&f, e);
    for (int n = 0; done && n < d; n++) done = see_mode(&f, o, n, &clear[n], e);
    if (done) {
        const ptrdiff_t found = middle(o, &v->shape, clear);
        o->clear = found > 0;
        o->found = fewer(more(1, more(found, o->least)), fewer(o->wanted, widest(d)));
        const crs_cp_gevd_options how = { .rank = o->found, .seed = o->seed };
        take_columns(&f, o->wanted, o->found);
        done = make_core(&f, v->threads > 1 ? v->threads : 1, e) &&
               crs_cp_gevd_core(&core, &v->shape, &how, factor, &facts, e);
    }
    const double scale = pow(f.limit, 1.0 / d);
    for (int n = 0; done && n < d; n++)
        for (ptrdiff_t j = 0; j < v->shape.dim[n] * o->found; j++) factor[n][j] *= scale;
    free_core(&core);
    crs_free(f.y);
    return done;
}
