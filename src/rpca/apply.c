/* SPDX-License-Identifier: MIT
 * apply: every slice of new data regressed robustly on the terms of fitted factors, all at once or
 * some at a time: slices have nothing in common but the unit that all data are worked in
 *
 * A checkpoint has the coefficients and scores of the slices so far; what else there is of them
 * follows from the coefficients. */
#include <stdio.h>

#include "core/checkpoint.h"
#include "rpca/slices.h"
#include "tensor/tensor.h"

enum { ORDINARY = 30 };

/* The median of a column and 1.4826 times the median distance from it. */
static void centre(const crease_cp_apply_settings *s, ptrdiff_t r, double *work, double *median,
                   double *spread)
{
    for (ptrdiff_t i = 0; i < s->trained_count; i++) work[i] = s->trained[i * s->rank + r];
    *median = crs_median(s->trained_count, work);
    for (ptrdiff_t i = 0; i < s->trained_count; i++)
        work[i] = fabs(s->trained[i * s->rank + r] - *median);
    *spread = 1.4826 * crs_median(s->trained_count, work);
}

static bool distances(const crease_cp_apply_settings *s, const double *coefficients,
                      crease_cp_slice_score *score, crease_error *e)
{
    const ptrdiff_t slices = s->shape.dim[s->mode];
    if (!s->trained || s->trained_count < 1) return true;
    double *work = crs_doubles(s->trained_count, "the trained coefficients", e), median, spread;
    if (!work) return false;
    for (ptrdiff_t i = 0; i < slices; i++) score[i].distance = 0;
    for (ptrdiff_t r = 0; r < s->rank; r++) {
        centre(s, r, work, &median, &spread);
        for (ptrdiff_t i = 0; i < slices; i++) {
            const double away = coefficients[i * s->rank + r] - median;
            score[i].distance += away == 0 ? 0 : square(away / spread) / (double)s->rank;
        }
    }
    for (ptrdiff_t i = 0; i < slices; i++) score[i].distance = sqrt(score[i].distance);
    crs_free(work);
    return true;
}

static bool check_numbers(const crease_cp_apply_settings *s, crease_error *e)
{
    if (s->rank < 1 || s->rank > 1 << 20)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is %td; give 1 to %d", s->rank, 1 << 20);
    if (s->mode < 0 || s->mode >= s->shape.order)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the slices go along axis %d; there are 0 to %d",
                        s->mode, s->shape.order - 1);
    if (!(s->alpha > 0 && s->alpha < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "alpha = %g; give a number > 0", s->alpha);
    if (!(s->alpha_noise > 0 && s->alpha_noise < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "alpha_noise = %g; give a number > 0",
                        s->alpha_noise);
    return (s->ridge >= 0 && s->ridge < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "ridge = %g; give a number >= 0", s->ridge);
}

static bool check_factors(const crease_cp_apply_settings *s, crease_error *e)
{
    for (int n = 0; n < s->shape.order; n++) {
        ptrdiff_t size;
        if (n == s->mode) continue;
        if (!crs_mul_size(s->shape.dim[n], s->rank, &size) || !crs_all_finite(size, s->factor[n]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "factor %d has entries that are not finite; fit the model again",
                            n + 1);
    }
    return !s->trained || crs_all_finite(s->trained_count * s->rank, s->trained) ||
           crs_fail(e, CREASE_BAD_DATA, "the trained coefficients are not all finite");
}

bool crs_slices_finite(const crease_cp_apply_settings *s, ptrdiff_t first, ptrdiff_t count,
                       const double *tensor, const double *mask, crease_error *e)
{
    for (ptrdiff_t j = 0; j < count; j++) {
        const bool hidden = mask && mask[j] == 0;
        if (!hidden && !isfinite(tensor[j]) && !(s->missing && isnan(tensor[j])))
            return crs_fail(e, CREASE_BAD_DATA,
                            "entry %td of the data is %g; give finite numbers, or let nan mark "
                            "missing entries (--missing nan)",
                            first + j + 1, tensor[j]);
    }
    return true;
}

static bool check(const crease_cp_apply_settings *s, const crease_reg *penalty, crease_error *e)
{
    if (!crease_space_check(&s->shape, e)) return false;
    if (s->shape.order < 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the data have 1 dimension; give a matrix or a tensor");
    if (!check_numbers(s, e) || !check_factors(s, e)) return false;
    if (!crs_is_plain(penalty))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "slices need a penalty that is a sum over entries without weights, as l1");
    return crease_reg_check(penalty, &s->shape, e);
}

/* M: the Khatri-Rao product of all factors but one */
static double *products(const crease_cp_apply_settings *s, crease_error *e)
{
    crs_kruskal k = { .shape = { .order = s->shape.order - 1 }, .rank = s->rank };
    for (int n = 0, to = 0; n < s->shape.order; n++) {
        if (n == s->mode) continue;
        k.shape.dim[to] = s->shape.dim[n];
        k.factor[to++] = s->factor[n];
    }
    const ptrdiff_t rows = crease_size(&k.shape);
    ptrdiff_t size;
    if (!crs_mul_size(rows, s->rank, &size))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the terms are more than can be counted"), NULL;
    double *m = crs_doubles(size, "the terms", e);
    if (m) crs_khatri_rao(&k, (crs_modes){ 0, k.shape.order, -1 }, 0, rows, m);
    return m;
}

struct crs_slices {
    crease_cp_apply_settings s;
    crease_reg penalty;
    crs_slice p;
    double *m;                    /* the terms */
    double *a;                    /* coefficients of all slices, in the unit of the work */
    crease_cp_slice_score *score; /* of all slices */
    double *t, *low, *work;       /* a slice, M a, for medians */
    unsigned char *finished;      /* of all slices */
    int unit, terms;              /* the data are worked on times 2^-unit, M times 2^-terms */
    bool begun, done;             /* the unit of the checkpoint */
};

/* Slices that are worked on together. */
typedef struct {
    crease_space shape;
    const double *tensor, *mask;
    const crease_cp_apply_result *out;
} part;

static ptrdiff_t place(const crs_slices *b, const part *p, ptrdiff_t i, ptrdiff_t j)
{
    const ptrdiff_t right = crs_right(&p->shape, b->s.mode);
    return (j / right * p->shape.dim[b->s.mode] + i) * right + j % right;
}

/* NaN where nothing was observed */
static void gather(const crs_slices *b, const part *p, ptrdiff_t i)
{
    const double unit = ldexp(1, -b->unit);
    for (ptrdiff_t j = 0; j < b->p.entries; j++) {
        const ptrdiff_t at = place(b, p, i, j);
        b->t[j] = p->mask && p->mask[at] == 0 ? NAN : unit * p->tensor[at];
    }
}

static void scatter(const crs_slices *b, const part *p, ptrdiff_t i)
{
    const double unit = ldexp(1, b->unit);
    for (ptrdiff_t j = 0; j < b->p.entries; j++) {
        const ptrdiff_t at = place(b, p, i, j);
        if (p->out->lowrank) p->out->lowrank[at] = unit * b->low[j];
        if (p->out->sparse) p->out->sparse[at] = unit * b->p.e[j];
    }
}

static void score_slice(crs_slices *b, crease_cp_slice_score *score, const double *a,
                        int iterations)
{
    *score = crs_slice_score(&b->p, b->t, a, b->work);
    score->iterations = iterations;
    score->scale = ldexp(score->scale, b->unit);
    score->objective = ldexp(score->objective, 2 * b->unit);
}

static void finish(crs_slices *b, ptrdiff_t i)
{
    b->finished[i] = 1;
    crs_unit_tick(b->s.watch);
}

/* Slice i of the part, `first + i` of all. One that is finished is evaluated alone. */
static void one_slice(crs_slices *b, const part *p, ptrdiff_t first, ptrdiff_t i)
{
    double *a = b->a + (first + i) * b->p.rank;
    const bool fresh = !b->finished[first + i];
    gather(b, p, i);
    if (fresh)
        score_slice(b, &b->score[first + i], a, crs_slice_solve(&b->p, b->t, a));
    else
        crs_slice_evaluate(&b->p, b->t, a);
    crs_gemv(false, b->p.entries, b->p.rank, 1, b->p.m, a, 0, b->low);
    scatter(b, p, i);
    crs_times_power(b->p.rank, b->unit - b->terms, a, p->out->coefficients + i * b->p.rank);
    if (fresh) finish(b, first + i);
}

static void run_part(crs_slices *b, const part *p, ptrdiff_t first)
{
    for (ptrdiff_t i = 0; i < p->shape.dim[b->s.mode]; i++) one_slice(b, p, first, i);
}

void crs_slices_run(crs_slices *b, ptrdiff_t first, ptrdiff_t count, const double *tensor,
                    const crease_cp_apply_result *out)
{
    part p = { .shape = b->s.shape, .tensor = tensor, .out = out };
    p.shape.dim[b->s.mode] = count;
    run_part(b, &p, first);
}

static void visit(crs_visitor *v, void *self)
{
    crs_slices *b = self;
    const ptrdiff_t slices = b->s.shape.dim[b->s.mode];
    crs_visits(v, b->finished, slices);
    crs_visits(v, b->a, slices * b->p.rank);
    crs_visits(v, b->score, slices);
}

/* Data and terms of any size are worked on in units of their own, and the penalty with them. */
static bool set_units(crs_slices *b, const crs_extent *data, double value, crease_error *e)
{
    const crease_cp_apply_settings *s = &b->s;
    const ptrdiff_t n = crease_size(&s->shape) / s->shape.dim[s->mode] * s->rank;
    const crs_extent terms = crs_extent_of(n, b->m, NULL);
    const crease_reg given = b->penalty;
    char where[64];
    snprintf(where, sizeof where, "entry %td of the data", data->at + 1);
    if (!crs_extent_fits(data, where, "them", value, e)) return false;
    b->unit = crs_extent_unit(data, ORDINARY);
    b->terms = crs_extent_unit(&terms, ORDINARY);
    crs_times_power(n, -b->terms, b->m, b->m);
    return b->unit == 0 || crs_reg_rescale(&given, ldexp(1, -b->unit), &b->penalty) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "%s is %g, out of all proportion to the penalty of the model; give data in "
                    "the unit of those it was fitted to",
                    where, value);
}

static bool open_memory(crs_slices *b, crease_error *e)
{
    const ptrdiff_t n = b->p.entries, slices = b->s.shape.dim[b->s.mode];
    b->t = crs_doubles(3 * n, "a slice", e);
    if (!b->t) return false;
    b->low = b->t + n, b->work = b->low + n;
    b->a = crs_doubles(slices * b->p.rank, "the coefficients", e);
    if (!b->a) return false;
    b->score = crs_alloc((size_t)slices, sizeof *b->score);
    b->finished = crs_alloc((size_t)slices, 1);
    return (b->score && b->finished) || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the scores");
}

/* Its terms and units; checked. */
static bool open_slices(crs_slices *b, const crs_extent *data, double value, crease_error *e)
{
    b->m = products(&b->s, e);
    if (!b->m || !set_units(b, data, value, e)) return false;
    b->p = crs_slice_of(&b->s, &b->penalty, b->m);
    b->p.nu = ldexp(b->p.nu, -2 * b->terms);
    if (!crs_slice_open(&b->p, e) || !open_memory(b, e)) return false;
    b->done = crs_unit_begin(b->s.watch, "slices", CRS_UNIT_LOOP, visit, b) == CRS_UNIT_DONE;
    b->begun = !b->done;
    return true;
}

crs_slices *crs_slices_open(const crease_cp_apply_settings *s, const crs_extent *data, double value,
                            crease_error *e)
{
    const crease_reg penalty = s->penalty.ops ? s->penalty : crease_l1(1);
    if (!check(s, &penalty, e)) return NULL;
    crs_slices *b = crs_alloc(1, sizeof *b);
    if (!b) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the slices"), NULL;
    *b = (crs_slices){ .s = *s, .penalty = penalty };
    if (open_slices(b, data, value, e)) return b;
    crs_slices_close(b);
    return NULL;
}

/* The flag, the coefficients, the score. */
enum { SCORE = sizeof(crease_cp_slice_score) / sizeof(int64_t) };
_Static_assert(sizeof(double) == sizeof(int64_t), "a word for a number");
_Static_assert(sizeof(crease_cp_slice_score) == SCORE * sizeof(int64_t), "words for a score");

ptrdiff_t crs_slices_words(const crs_slices *b) { return 1 + b->p.rank + SCORE; }

void crs_slices_tell(const crs_slices *b, ptrdiff_t i, int64_t *word)
{
    const size_t rank = (size_t)b->p.rank;
    memset(word, 0, (size_t)crs_slices_words(b) * sizeof *word);
    if (!b->finished[i]) return;
    word[0] = 1;
    memcpy(word + 1, b->a + i * b->p.rank, rank * sizeof *word);
    memcpy(word + 1 + rank, &b->score[i], sizeof *b->score);
}

void crs_slices_hear(crs_slices *b, ptrdiff_t i, const int64_t *word)
{
    const size_t rank = (size_t)b->p.rank;
    if (word[0] == 0 || b->finished[i]) return;
    memcpy(b->a + i * b->p.rank, word + 1, rank * sizeof *word);
    memcpy(&b->score[i], word + 1 + rank, sizeof *b->score);
    finish(b, i);
}

bool crs_slices_scores(crs_slices *b, crease_cp_slice_score *score, crease_error *e)
{
    const ptrdiff_t slices = b->s.shape.dim[b->s.mode], n = slices * b->p.rank;
    if (b->begun) crs_unit_end(b->s.watch);
    b->begun = false;
    if (!score) return true;
    crs_times_power(n, b->unit - b->terms, b->a, b->a);
    memcpy(score, b->score, (size_t)slices * sizeof *score);
    return distances(&b->s, b->a, score, e);
}

void crs_slices_close(crs_slices *b)
{
    if (!b) return;
    if (b->begun) crs_unit_drop(b->s.watch);
    crs_slice_close(&b->p);
    crs_free(b->t);
    crs_free(b->a);
    crs_free(b->score);
    crs_free(b->finished);
    crs_free(b->m);
    crs_free(b);
}

bool crease_cp_apply(const crease_cp_apply_settings *s, const double *tensor,
                     const crease_cp_apply_result *out, crease_error *e)
{
    const crease_reg penalty = s->penalty.ops ? s->penalty : crease_l1(1);
    if (!check(s, &penalty, e)) return false;
    const ptrdiff_t size = crease_size(&s->shape);
    if (!crs_slices_finite(s, 0, size, tensor, s->mask, e)) return false;
    const crs_extent data = crs_extent_of(size, tensor, s->mask);
    crs_slices *b = crs_slices_open(s, &data, data.at < 0 ? 0 : tensor[data.at], e);
    if (!b) return false;
    const part all = { s->shape, tensor, s->mask, out };
    run_part(b, &all, 0);
    const bool done = crs_slices_scores(b, out->score, e);
    crs_slices_close(b);
    return done;
}
