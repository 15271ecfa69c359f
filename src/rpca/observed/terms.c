/* SPDX-License-Identifier: MIT
 * terms: what stands out in a tensor of which few entries were observed, beside a model M
 *
 *   y = clip(T - M) at the observed entries,
 *   U_n = the leading directions of the fibres of mode n (directions.c),
 *   core = (entries/observed) sum y u_1 o ... o u_d, whose expectation is that of T - M,
 *   terms = those of the core, expanded by U_n.
 *
 * A direction stands out beyond what noise of those sizes would have as its largest; as many terms
 * are taken as directions do so in more than half of the modes. Others wait until the larger ones
 * are known: then y is smaller, and so is its noise, and what clipping has made of large terms.
 * Montanari, Sun, Spectral algorithms for tensor completion, 2018; Xia, Yuan, Zhang, Statistically
 * optimal tensor completion, 2021. */
#include "core/parallel.h"
#include "dense/dense.h"
#include "rpca/observed/entries.h"

enum { BANDS = 8, BESIDE = 6, STREAM = 940 };
enum { WIDE = 4096 }; /* numbers of a row's own core */
static const double clip_at = 4, clearly = 1.3, beside = 0.15;

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
    bool done = s.value && crs_listed_fibres_open(&fibres, f->t, n, f->y, e);
    if (done)
        done = crs_listed_edge(&fibres, &edge, e) &&
               crs_listed_directions(f->v, &fibres, o->seed + (uint64_t)(STREAM + n), &s, e);
    const double least = done ? larger(clearly * edge, beside * s.value[0]) : 0;
    while (done && *clear < most && s.value[*clear] > least) ++*clear;
    if (s.value) crs_listed_fibres_close(&fibres);
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

/* The most of a kind whose rows' cores are not too wide */
static ptrdiff_t widest(int order)
{
    ptrdiff_t most = 1;
    while (pow((double)more(1, most + 1), order - 1) <= WIDE) most++;
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
