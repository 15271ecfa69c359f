/* SPDX-License-Identifier: MIT
 * start: factors from the observed entries alone, by robust alternating least squares
 *
 *   X_n[j] = argmin_x sum over the entries of index j of (y - a'x)^2 + ridge_j |x|^2,
 *   y = M + clip(T - M), a the product of the other factors' rows, ridge_j = f tr(A'A)/rank with a
 *   share f that falls from sweep to sweep: indices with fewer entries than terms stay near 0.
 *
 * The clipping is around 0 at 4 median|T| in the first sweep, where the model means nothing yet,
 * then around the model at twice the median of |T - M|.
 *
 * Of a tensor the model grows: terms that stand out in what it leaves (directions.c), sweeps, and
 * again. Without a ridge they stay only if they explain what noise would not let them. Such terms
 * may be far smaller than those before them; so that a ridge does not end them it is f (A'A)_qq for
 * each of them. */
#include "core/parallel.h"
#include "core/streams.h"
#include "dense/dense.h"
#include "rpca/observed/entries.h"

enum { SWEEPS = 6, BANDS = 8, BESIDE = 6, STREAM = 900 };
enum {
    STAGES = 6,
    BETWEEN = 15,
    LAST = 4
}; /* of growing; sweeps of each at most, and in the end */
static const double first_share = 0.3, falling = 0.3, clip_first = 4, clip_at = 2;
static const double grown_share = 0.1, last_share = 0.01, trace_share = 1e-6;
static const double helps = 0.99; /* a median below so much of that before */
static const double telling = 3;  /* shares of the unknowns in the entries */

typedef struct {
    const crs_coordinates *t;
    crs_kruskal k;
    double limit, share, ridge;
    bool around; /* the model, not 0 */
    bool grows;
    int mode;            /* of the sweep */
    ptrdiff_t size;      /* of an index's A'A, its lower half packed, and A'y */
    ptrdiff_t most;      /* indices of a mode but the lead */
    ptrdiff_t bands;     /* of rows of the lead, in this sweep */
    double *normal;      /* of every band and index of such a mode */
    double *small, *own; /* of every band: rank x (rank + 1), and size */
    double *factor[CREASE_MAX_ORDER];
    double *memory;
} sweeper;

/* Entry k of index i of the lead into the normal equations of its index of the mode */
static void add_entry(const sweeper *s, double t, const ptrdiff_t *at, double *to, double *a)
{
    const ptrdiff_t R = s->k.rank;
    double *b = to + R * (R + 1) / 2, m = 0;
    for (ptrdiff_t r = 0; r < R; r++) a[r] = 1;
    for (int l = 0; l < s->k.shape.order; l++)
        for (ptrdiff_t r = 0; l != s->mode && r < R; r++) a[r] *= s->factor[l][at[l] * R + r];
    const double *x = s->factor[s->mode] + at[s->mode] * R;
    for (ptrdiff_t r = 0; s->around && r < R; r++) m += a[r] * x[r];
    const double y = m + clip(t - m, -s->limit, s->limit);
    for (ptrdiff_t q = 0; q < R; q++) {
        for (ptrdiff_t l = 0; l <= q; l++) to[l] += a[q] * a[l];
        to += q + 1;
        b[q] += a[q] * y;
    }
}

/* The row of an index from its normal equations; 0 without entries */
static void solve_row(const sweeper *s, const double *from, double *small, double *x)
{
    const ptrdiff_t R = s->k.rank;
    double trace = 0;
    for (ptrdiff_t q = 0; q < R; q++)
        for (ptrdiff_t l = 0; l <= q; l++) {
            small[q * R + l] = small[l * R + q] = from[q * (q + 1) / 2 + l];
            if (l == q) trace += from[q * (q + 1) / 2 + l];
        }
    copy(R, from + R * (R + 1) / 2, x);
    const double even = s->share * trace / (double)R;
    for (ptrdiff_t q = 0; q < R; q++) {
        const double own = s->share * small[q * R + q] + trace_share * even;
        small[q * R + q] += larger(s->ridge, s->grows ? own : even);
    }
    if (trace > 0 && crs_cholesky(R, small))
        crs_cholesky_solve(R, small, 1, x);
    else
        fill(R, 0, x);
}

static ptrdiff_t band_begins(const sweeper *s, ptrdiff_t band)
{
    return s->t->shape.dim[s->t->lead] * band / s->bands;
}

/* Rows of the lead are solved here; of other modes the band's entries are added up. */
static void sweep_band(void *self, ptrdiff_t band, int worker)
{
    const sweeper *s = self;
    const crs_coordinates *t = s->t;
    const ptrdiff_t R = s->k.rank;
    const bool lead = s->mode == t->lead;
    double *small = s->small + band * R * (R + 1), *own = s->own + band * s->size;
    double *normal = s->normal + band * s->most * s->size;
    (void)worker;
    if (!lead) fill(t->shape.dim[s->mode] * s->size, 0, normal);
    for (ptrdiff_t i = band_begins(s, band); i < band_begins(s, band + 1); i++) {
        if (lead) fill(s->size, 0, own);
        for (ptrdiff_t k = t->start[i]; k < t->start[i + 1]; k++) {
            ptrdiff_t at[CREASE_MAX_ORDER];
            crs_coordinates_place(t, i, k, at);
            add_entry(s, t->value[k], at, lead ? own : normal + at[s->mode] * s->size,
                      small + R * R);
        }
        if (lead) solve_row(s, own, small, s->factor[t->lead] + i * R);
    }
}

static void sweep(sweeper *s, int n, int threads)
{
    const ptrdiff_t rows = s->t->shape.dim[n], R = s->k.rank;
    s->mode = n;
    s->bands = n == s->t->lead ? BANDS : crs_listed_bands(s->t->count, s->most, BANDS);
    crs_parallel_runs(threads, s->bands, sweep_band, s);
    for (ptrdiff_t b = 1; n != s->t->lead && b < s->bands; b++)
        axpy(rows * s->size, 1, s->normal + b * s->most * s->size, s->normal);
    for (ptrdiff_t i = 0; n != s->t->lead && i < rows; i++)
        solve_row(s, s->normal + i * s->size, s->small, s->factor[n] + i * R);
}

static bool open(sweeper *s, crease_error *e)
{
    const ptrdiff_t R = s->k.rank, own = BANDS * (R * (R + 1) + s->size);
    ptrdiff_t all;
    for (int n = 0; n < s->t->shape.order; n++)
        if (n != s->t->lead) s->most = more(s->most, s->t->shape.dim[n]);
    if (crs_mul_size(crs_listed_bands(s->t->count, s->most, BANDS) * s->most, s->size, &all))
        s->memory = crs_doubles(all + own, "a start", e);
    s->small = s->memory;
    s->own = s->small + BANDS * R * (R + 1), s->normal = s->small + own;
    return s->memory;
}

/* Elements of about 1 in the shorter mode */
static bool lead_matrix(const sweeper *s, const crs_cp_view *v, const crs_listed_sweeps *o,
                        double *x, crease_error *e)
{
    const crs_coordinates *t = s->t;
    const ptrdiff_t n = t->shape.dim[1 - t->lead], p = fewer(n, o->rank + BESIDE);
    const crs_listed_fibres all = { .rows = t->shape.dim[t->lead],
                                    .indices = n,
                                    .start = t->start,
                                    .index = t->index,
                                    .value = t->value,
                                    .limit = s->limit };
    double *q = crs_doubles((n + 1) * p, "a start", e);
    const crs_listed_spectrum found = { p, q, q + n * p };
    const bool done = q && crs_listed_directions(v, &all, o->seed, &found, e);
    for (ptrdiff_t j = 0; done && j < n; j++)
        for (ptrdiff_t r = 0; r < fewer(p, o->rank); r++)
            x[j * o->rank + r] = sqrt((double)n) * q[j * p + r];
    crs_free(q);
    return done;
}

/* Gaussian factors, of a matrix its leading directions */
static bool begin(sweeper *s, const crs_cp_view *v, const crs_listed_sweeps *o, crease_error *e)
{
    double median;
    for (int n = 0; n < s->k.shape.order; n++)
        crs_normals(o->seed, (uint64_t)(STREAM + n), s->k.shape.dim[n] * o->rank, s->factor[n]);
    if (!crs_view_median(v, &median, e)) return false;
    s->limit = median > 0 ? clip_first * median : INFINITY;
    return s->k.shape.order != 2 || lead_matrix(s, v, o, s->factor[1 - s->t->lead], e);
}

/* Sweeps with the share as it is; around 0 in the first one unless the model is known. Of one that
 * grows no more than help. */
static bool sweep_all(sweeper *s, const crs_cp_view *v, int sweeps, crease_error *e)
{
    crs_cp_view left = *v;
    double before = INFINITY;
    bool done = true;
    left.model = &s->k;
    s->size = s->k.rank * (s->k.rank + 1) / 2 + s->k.rank;
    for (int k = 0; done && k < sweeps && !crease_watch_over(v->watch); k++, s->share *= falling) {
        double median = 0;
        s->around = s->grows || k > 0;
        done = !s->around || crs_view_median(&left, &median, e);
        if (s->around) s->limit = median > 0 ? clip_at * median : INFINITY;
        if (s->grows && k > 1 && !(median < helps * before)) break;
        before = median;
        for (int n = 0; done && n < s->k.shape.order; n++)
            sweep(s, (s->t->lead + n) % s->k.shape.order, v->threads > 1 ? v->threads : 1);
        crs_view_count(v);
    }
    return done;
}

/* The model with columns for so many terms, the first ones as they are, then those given, then 0 */
static void reshape(sweeper *s, ptrdiff_t rank, ptrdiff_t count, double *const *terms)
{
    const ptrdiff_t old = s->k.rank, kept = fewer(old, rank);
    for (int n = 0; n < s->k.shape.order; n++)
        for (ptrdiff_t k = 0, rows = s->k.shape.dim[n]; k < rows; k++) {
            const ptrdiff_t i = rank > old ? rows - 1 - k : k;
            double *to = s->factor[n] + i * rank;
            memmove(to, s->factor[n] + i * old, (size_t)kept * sizeof *to);
            for (ptrdiff_t r = kept; r < rank; r++)
                to[r] = r - kept < count ? terms[n][i * count + r - kept] : 0;
        }
    s->k.rank = rank;
}

/* Do so many terms explain more than noise would let them? */
static bool tells(const sweeper *s, ptrdiff_t terms, double before, double after)
{
    double unknowns = 1;
    for (int n = 0; n < s->k.shape.order; n++) unknowns += (double)s->k.shape.dim[n] - 1;
    const double share = telling * (double)terms * unknowns / (double)s->t->count;
    return share < 1 && after < sqrt(1 - share) * before;
}

/* One stage: terms that stand out join the model; over: they do not explain enough. */
static bool add_terms(sweeper *s, const crs_cp_view *left, crs_listed_search *o,
                      double *const *terms, bool *over, crease_error *e)
{
    const ptrdiff_t old = s->k.rank;
    double before, after;
    if (!crs_view_median(left, &before, e) || !crs_listed_terms(left, o, terms, e)) return false;
    reshape(s, old + o->found, o->found, terms);
    s->share = grown_share;
    if (!sweep_all(s, left, BETWEEN, e) || !crs_view_median(left, &after, e)) return false;
    *over = old > 0 && s->ridge == 0 && !tells(s, o->found, before, after);
    if (*over) reshape(s, old, 0, NULL);
    return true;
}

/* From nothing to the rank, or to where terms end: the others are 0. clear: something stood out. */
static bool grow(sweeper *s, const crs_cp_view *v, const crs_listed_sweeps *o, double *const *terms,
                 bool *clear, crease_error *e)
{
    crs_cp_view left = *v;
    bool done = true, over = false;
    left.model = &s->k;
    s->grows = true;
    s->k.rank = 0;
    *clear = false;
    for (int k = 0; done && !over && s->k.rank < o->rank && !crease_watch_over(v->watch); k++) {
        const ptrdiff_t wanted = o->rank - s->k.rank, stages = more(1, STAGES - k);
        crs_listed_search search = { .wanted = wanted,
                                     .least = (wanted + stages - 1) / stages,
                                     .seed = o->seed };
        done = add_terms(s, &left, &search, terms, &over, e);
        *clear = *clear || search.clear;
    }
    s->share = last_share;
    done = done && sweep_all(s, v, LAST, e);
    reshape(s, o->rank, 0, NULL);
    return done;
}

/* Gaussian, or of a matrix its leading directions */
static bool from_begin(sweeper *s, const crs_cp_view *v, const crs_listed_sweeps *o,
                       crease_error *e)
{
    s->grows = false;
    s->share = first_share;
    return begin(s, v, o, e) && sweep_all(s, v, SWEEPS, e);
}

/* Where nothing stood out, Gaussian factors if they leave less. */
static bool last_resort(sweeper *s, const crs_cp_view *v, const crs_listed_sweeps *o,
                        double *const *spare, crease_error *e)
{
    crs_cp_view left = *v;
    double grown, other;
    left.model = &s->k;
    crs_watch_say(v->watch, "no term stands out: Gaussian factors");
    if (!crs_view_median(&left, &grown, e)) return false;
    for (int n = 0; n < v->shape.order; n++)
        copy(v->shape.dim[n] * o->rank, s->factor[n], spare[n]);
    if (!from_begin(s, v, o, e) || !crs_view_median(&left, &other, e)) return false;
    for (int n = 0; n < v->shape.order && !(other < grown); n++)
        copy(v->shape.dim[n] * o->rank, spare[n], s->factor[n]);
    return true;
}

static bool grow_tensor(sweeper *s, const crs_cp_view *v, const crs_listed_sweeps *o,
                        crease_error *e)
{
    double *terms[CREASE_MAX_ORDER];
    ptrdiff_t all = 0;
    bool clear;
    for (int n = 0; n < v->shape.order; n++) all += v->shape.dim[n] * o->rank;
    double *memory = crs_doubles(all, "a start", e), *at = memory;
    for (int n = 0; memory && n < v->shape.order; n++)
        terms[n] = at, at += v->shape.dim[n] * o->rank;
    const bool done = memory && grow(s, v, o, terms, &clear, e) &&
                      (clear || crease_watch_over(v->watch) || last_resort(s, v, o, terms, e));
    crs_free(memory);
    return done;
}

static bool start_on(const crs_cp_view *v, const crs_listed_sweeps *o, double *const *factor,
                     crease_error *e)
{
    const crease_space *shape = &v->shape;
    sweeper s = { .t = v->source->listed,
                  .k = { .shape = *shape, .rank = o->rank },
                  .share = first_share,
                  .size = o->rank * (o->rank + 1) / 2 + o->rank,
                  .ridge = o->ridge };
    const bool grows = shape->order > 2 && !o->gaussian;
    for (int n = 0; n < shape->order; n++) s.k.factor[n] = s.factor[n] = factor[n];
    const bool done = open(&s, e) && (grows ? grow_tensor(&s, v, o, e) : from_begin(&s, v, o, e));
    crs_free(s.memory);
    return done;
}

bool crs_listed_start(const crs_cp_view *v, const crs_listed_sweeps *o, double *const *factor,
                      crease_error *e)
{
    crs_cp_view seen = *v;
    crs_cp_sample own = { .count = 0 };
    if (!v->sample) seen.sample = &own;
    const bool done = crs_view_check(v, e) && (v->sample || crs_cp_sample_open(&own, v, e)) &&
                      start_on(&seen, o, factor, e);
    for (int n = 0; o->nonneg && n < v->shape.order; n++)
        for (ptrdiff_t j = 0; j < v->shape.dim[n] * o->rank; j++) factor[n][j] = fabs(factor[n][j]);
    crs_cp_sample_close(&own);
    return done;
}

/* a and r of entry k of row i */
static double rest_of(const crs_coordinates *t, const crs_kruskal *k, ptrdiff_t i, ptrdiff_t e,
                      double *a)
{
    const ptrdiff_t R = k->rank;
    const double *x = k->factor[t->lead] + i * R;
    ptrdiff_t at[CREASE_MAX_ORDER];
    crs_coordinates_place(t, i, e, at);
    for (ptrdiff_t r = 0; r < R; r++) a[r] = 1;
    for (int n = 0; n < k->shape.order; n++)
        for (ptrdiff_t r = 0; n != t->lead && r < R; r++) a[r] *= k->factor[n][at[n] * R + r];
    return t->value[e] - crs_dot(R, a, x);
}

/* |r|/(1 - h) of the entries of row i, as far as there is room; how many */
static ptrdiff_t rests_of_row(const crs_coordinates *t, const crs_kruskal *k, ptrdiff_t i,
                              double ridge, double *work, ptrdiff_t most, double *out)
{
    const ptrdiff_t R = k->rank, count = fewer(most, t->start[i + 1] - t->start[i]);
    double *a = work, *b = work + R, *c = work + 2 * R;
    fill(R * R, 0, c);
    for (ptrdiff_t e = t->start[i]; e < t->start[i + 1]; e++) {
        rest_of(t, k, i, e, a);
        for (ptrdiff_t q = 0; q < R; q++) axpy(R, a[q], a, c + q * R);
    }
    for (ptrdiff_t q = 0; q < R; q++) c[q * R + q] += ridge;
    if (!crs_cholesky(R, c)) return 0; /* fewer entries than terms: nothing is left to tell */
    for (ptrdiff_t j = 0; j < count; j++) {
        const double rest = rest_of(t, k, i, t->start[i] + j, a);
        copy(R, a, b);
        crs_cholesky_solve(R, c, 1, b);
        out[j] = fabs(rest) / larger(1 - crs_dot(R, a, b), 1e-3);
    }
    return count;
}

bool crs_listed_noise(const crs_cp_view *v, const crs_listed_sweeps *o, const double *const *factor,
                      double *deviation, crease_error *e)
{
    enum { SAMPLE = 1 << 15 };
    const double normal = 0.6744897501960817;
    const crs_coordinates *t = v->source->listed;
    const ptrdiff_t rows = t->shape.dim[t->lead], most = fewer(SAMPLE, t->count), R = o->rank;
    const ptrdiff_t step = more(1, t->count / more(1, most));
    crs_kruskal k = { .shape = t->shape, .rank = R };
    double *work = crs_doubles(R * (R + 2) + more(1, most), "a sample of the residual", e);
    ptrdiff_t used = 0;
    if (!work) return false;
    for (int n = 0; n < k.shape.order; n++) k.factor[n] = factor[n];
    for (ptrdiff_t i = 0; i < rows && used < most; i += step)
        used += rests_of_row(t, &k, i, o->ridge, work, most - used, work + R * (R + 2) + used);
    *deviation = used > 0 ? crs_median(used, work + R * (R + 2)) / normal : NAN;
    crs_free(work);
    return true;
}
