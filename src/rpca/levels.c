/* SPDX-License-Identifier: MIT
 * levels: noise that differs from slice to slice of a mode, or from row to row of a matrix, whose
 * rows are its slices of mode 0
 *
 * A first fit with one noise for all leaves residuals r, and s_i = 1.4826 median |r| over the slice
 * of index i is its level; none is taken for less than a share of the median of all, which becomes
 * the unit. The run is robust PCA of T/s. Dividing the slices of a mode divides the rows of one
 * factor of a CP model: s_i times them, it is a model of the data again.
 *
 * Levels are told apart by their 10th and 90th percent. Medians of n normal numbers have a relative
 * error of 1.167/sqrt(n): this much of the spread of the logarithms says nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "rpca/handle.h"
#include "smooth/fit.h"

enum { ENTRIES = 4096, FEW_ENTRIES = 200, FEW_SLICES = 500, LEAST = 20, SAMPLE = 1 << 16 };
static const double usual_error = 1.167, percents = 2.563; /* from 10 to 90, in deviations */
static const double worth = 3;       /* so many fold do levels differ that are taken into account */
static const double floor_of = 0.1;  /* of the median level */
static const double rounding = 1e-7; /* of the data: residuals of this size are no noise */

/* T - M as it is sampled */
typedef struct {
    const crease_space *shape;
    const double *t;
    const unsigned char *seen; /* NULL: all */
    const double *factor[CREASE_MAX_ORDER];
    ptrdiff_t rank;
} residuals;

static double rest_of(const residuals *v, ptrdiff_t j)
{
    const crease_space *s = v->shape;
    double sum = 0;
    if (v->seen && !v->seen[j]) return NAN;
    for (ptrdiff_t r = 0; r < v->rank; r++) {
        double term = 1;
        for (ptrdiff_t at = j, n = s->order - 1; n >= 0; at /= s->dim[n--])
            term *= v->factor[n][at % s->dim[n] * v->rank + r];
        sum += term;
    }
    return v->t[j] - sum;
}

/* The level of slice i of mode q, by at most `most` of its entries; how many were observed. */
static double level_of(const residuals *v, int q, ptrdiff_t i, ptrdiff_t most, double *work,
                       ptrdiff_t *used)
{
    const crease_space *s = v->shape;
    const ptrdiff_t right = crs_right(s, q), all = crease_size(s) / s->dim[q];
    const ptrdiff_t count = fewer(most, all);
    *used = 0;
    for (ptrdiff_t u = 0; u < count; u++) {
        const ptrdiff_t k = (ptrdiff_t)((double)all * ((double)u + 0.5) / (double)count);
        const double r = rest_of(v, (k / right * s->dim[q] + i) * right + k % right);
        if (!isnan(r)) work[(*used)++] = fabs(r);
    }
    return 1.4826 * crs_median(*used, work);
}

/* How levels differ: in mode q a high one is `ratio` times a low one. */
typedef struct {
    int mode;
    double ratio;
} spread;

/* The value below which a share of these ascending numbers is. */
static double quantile(ptrdiff_t n, const double *x, double share)
{
    const double at = share * (double)(n - 1);
    const ptrdiff_t k = fewer((ptrdiff_t)at, n - 2);
    return x[k] + (at - (double)k) * (x[k + 1] - x[k]);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of logarithms of levels, each by n entries; NaN: there are too few. */
static double ratio_of(ptrdiff_t count, double *level, double entries)
{
    if (count < 2) return NAN;
    qsort(level, (size_t)count, sizeof *level, ascending);
    const double wide = (quantile(count, level, 0.9) - quantile(count, level, 0.1)) / percents;
    const double error = square(usual_error) / entries;
    return exp(percents * sqrt(pos(square(wide) - error)));
}

/* By a sample; work has room for FEW_SLICES + FEW_ENTRIES. Slices that are not seen enough, or that
 * are reproduced to rounding, say nothing. */
static double ratio_in(const residuals *v, int q, double least, double *work)
{
    const ptrdiff_t length = v->shape->dim[q], slices = fewer(length, FEW_SLICES);
    ptrdiff_t count = 0, entries = 0, used;
    for (ptrdiff_t g = 0; g < slices; g++) {
        const ptrdiff_t i = g * length / slices;
        const double level = level_of(v, q, i, FEW_ENTRIES, work + FEW_SLICES, &used);
        if (used < LEAST || !(level > least)) continue;
        work[count++] = log(level);
        entries += used;
    }
    return 2 * count < slices ? NAN : ratio_of(count, work, (double)entries / (double)count);
}

/* The mode in which levels differ most, of those asked for. */
static spread widest(const residuals *v, unsigned modes, double least, double *work)
{
    spread best = { -1, NAN };
    for (int q = 0; q < v->shape->order; q++) {
        const double ratio = modes >> q & 1 ? ratio_in(v, q, least, work) : NAN;
        if (ratio > best.ratio || (best.mode < 0 && !isnan(ratio))) best = (spread){ q, ratio };
    }
    return best;
}

/* Residuals of no more than this are rounding, by an even sample of the data. */
static double least_of(const residuals *v)
{
    const ptrdiff_t size = crease_size(v->shape), step = 1 + size / SAMPLE;
    double most = 0;
    for (ptrdiff_t j = 0; j < size; j += step)
        if (fabs(v->t[j]) > most) most = fabs(v->t[j]);
    return rounding * most;
}

/* Every level in units of their median, and no lower than a share of it; false: there is no noise
 * to speak of. */
static bool find_levels(const residuals *v, crs_noise_levels *l, double least, double *work)
{
    const ptrdiff_t length = l->shape.dim[l->mode];
    ptrdiff_t used, known = 0;
    double *spare = work + ENTRIES;
    for (ptrdiff_t i = 0; i < length; i++) {
        l->level[i] = level_of(v, l->mode, i, ENTRIES, work, &used);
        if (used < LEAST && used < crease_size(&l->shape) / length) l->level[i] = NAN;
        if (l->level[i] > 0) spare[known++] = l->level[i];
    }
    const double usual = crs_median(known, spare);
    for (ptrdiff_t i = 0; i < length; i++)
        l->level[i] = isnan(l->level[i]) ? 1 : larger(l->level[i] / usual, floor_of);
    return usual > least;
}

void crs_levels_times(const crs_noise_levels *l, int power, ptrdiff_t first, ptrdiff_t count,
                      double *x)
{
    const ptrdiff_t right = crs_right(&l->shape, l->mode), length = l->shape.dim[l->mode];
    for (ptrdiff_t k = 0; k < count; k++) {
        const double s = l->level[(first + k) / right % length];
        x[k] = power > 0 ? x[k] * s : x[k] / s;
    }
}

static void drop_start(crs_noise_levels *l)
{
    for (int n = 0; n < CREASE_MAX_ORDER; n++) {
        crs_free(l->start[n]);
        l->start[n] = NULL;
    }
}

void crs_levels_free(crs_noise_levels *l)
{
    if (!l) return;
    drop_start(l);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(l->factor[n]);
    crs_free(l->level);
    crs_free(l->data);
    crs_free(l);
}

/* At the factors x of r, in the unit of the run. */
static residuals residuals_of(const crease_rpca *r, ptrdiff_t rank)
{
    const crs_source *t = r->cp->source;
    return (residuals){ .shape = &r->s.shape, .t = t->whole, .seen = t->seen, .rank = rank };
}

static residuals at_start(const crease_rpca *r)
{
    const crease_cp_fit *f = r->cp;
    residuals v = residuals_of(r, f->terms);
    for (int n = 0; n < v.shape->order; n++) v.factor[n] = f->engine->factor(f->state, n);
    return v;
}

static residuals at_end(const crease_rpca *r)
{
    residuals v = residuals_of(r, r->s.rank);
    for (int n = 0; n < v.shape->order; n++) v.factor[n] = crease_cp_fit_factor(r->cp, n);
    return v;
}

static spread widest_of(const crease_rpca *r, const residuals *v, double *work)
{
    const crease_rpca_settings *s = &r->s;
    const unsigned modes = s->noise == CREASE_NOISE_ROWS ? 1
                           : s->noise == CREASE_NOISE_SLICES && s->noise_mode >= 0
                               ? 1u << s->noise_mode
                               : ~0u;
    return widest(v, modes, least_of(v), work);
}

/* X_n from the unit of the run into that of the data, as a start; with levels, its rows divided. */
static bool take_start(crease_rpca *r, const residuals *v, crease_error *e)
{
    crs_noise_levels *l = r->levels;
    const ptrdiff_t rank = r->s.rank;
    const int power = r->units ? r->units->factor : 0;
    for (int n = 0; n < l->shape.order; n++) {
        const ptrdiff_t rows = l->shape.dim[n];
        l->start[n] = crs_doubles(rows * rank, "a start", e);
        if (!l->start[n]) return false;
        for (ptrdiff_t k = 0; k < rows * v->rank; k++)
            l->start[n][k / v->rank * rank + k % v->rank] =
                ldexp(v->factor[n][k], power) /
                (l->level && n == l->mode ? l->level[k / v->rank] : 1);
    }
    return true;
}

static void explain(crs_noise_levels *l, const crease_rpca_settings *s, const spread *w)
{
    const char *asked = s->noise == CREASE_NOISE_AUTO ? "" : "as asked for; ";
    if (w->mode < 0)
        snprintf(l->reason, sizeof l->reason,
                 "residuals with one noise for all are too few or too small to tell levels");
    else if (s->noise != CREASE_NOISE_AUTO || w->ratio >= worth)
        snprintf(l->reason, sizeof l->reason,
                 "%swith one noise for all residuals differ %.2g-fold along mode %d", asked,
                 w->ratio, w->mode);
    else
        snprintf(l->reason, sizeof l->reason,
                 "with one noise for all residuals differ %.2g-fold at most, less than %g-fold",
                 w->ratio, worth);
}

/* What residuals say, in the facts. */
static void tell(crease_rpca *r, const residuals *v, double *work)
{
    const spread w = widest_of(r, v, work);
    r->facts.noise_in = w.mode;
    r->facts.noise_ratio = w.ratio;
    if (!r->levels) return;
    explain(r->levels, &r->s, &w);
    r->levels->mode = w.mode;
    r->levels->wanted = w.mode >= 0 && (r->s.noise != CREASE_NOISE_AUTO || w.ratio >= worth);
}

bool crs_levels_judge(crease_rpca *r, bool ended, crease_error *e)
{
    const residuals v = ended ? at_end(r) : at_start(r);
    double *work = crs_doubles(FEW_SLICES + FEW_ENTRIES, "levels", e);
    if (!work) return false;
    tell(r, &v, work);
    crs_free(work);
    if (!r->levels) return true;
    r->levels->unknown = !ended && isnan(v.factor[0][0]); /* of rows that are eliminated */
    return !r->levels->wanted || take_start(r, &v, e);
}

bool crs_levels_make(crease_rpca *r, bool start, crease_error *e)
{
    crs_noise_levels *l = r->levels;
    const residuals v = at_end(r);
    ptrdiff_t longest = 0;
    for (int n = 0; n < l->shape.order; n++) longest = more(longest, l->shape.dim[n]);
    double *work = crs_doubles(ENTRIES + FEW_SLICES + longest, "levels", e);
    if (!work) return false;
    tell(r, &v, work);
    drop_start(l);
    if (l->wanted) l->level = crs_doubles(l->shape.dim[l->mode], "levels of the noise", e);
    bool done = !l->wanted || l->level;
    if (l->level && !find_levels(&v, l, least_of(&v), work)) {
        crs_free(l->level);
        l->level = NULL;
        snprintf(l->reason, sizeof l->reason, "there is no noise to speak of");
    }
    crs_free(work);
    if (done && l->level && start) done = take_start(r, &v, e);
    return done;
}

const double *crease_rpca_noise_levels(const crease_rpca *r, int n)
{
    const crs_noise_levels *l = crs_levels_of(r);
    return l && l->mode == n ? l->level : NULL;
}
