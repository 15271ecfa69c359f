/* SPDX-License-Identifier: MIT
 * cp_rank_row: fits to the entries that are not held out, and their errors on those that are; one
 * fold is held out, or several in turn */
#include <crease/random.h>

#include "rpca/cp_rank_sweep.h"
#include "rpca/cp_view.h"

enum { STREAM = 500 };

static bool held_out(const crs_rank_sweep *s, int fold, ptrdiff_t j)
{
    return s->lot[j] >= fold * s->o.share && s->lot[j] < (fold + 1) * s->o.share;
}

/* The mask of what is fitted; returns how many entries are held out. */
static ptrdiff_t choose(crs_rank_sweep *s, int fold)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0, size = crease_size(&s->r.shape); j < size; j++) {
        const bool out = held_out(s, fold, j);
        s->fit[j] = s->lot[j] >= 0 && !out;
        count += out;
    }
    return count;
}

void crs_rank_draw(crs_rank_sweep *s, const double *tensor, const double *mask)
{
    const crease_random random = { s->o.seed, STREAM };
    for (ptrdiff_t j = 0, size = crease_size(&s->r.shape); j < size; j++) {
        const bool here = mask ? mask[j] > 0 : !isnan(tensor[j]);
        s->lot[j] = here ? crease_random_uniform(random, (uint64_t)j) : -1;
    }
    s->folds = 1;
    choose(s, 0);
}

/* |T - M| of the entries held out, one after the other */
static bool residuals(const crs_rank_sweep *s, int fold, const crs_kruskal *model, double *out,
                      crease_error *e)
{
    const crs_cp_view v = { .shape = s->r.shape,
                            .tensor = s->r.tensor,
                            .mask = s->lot,
                            .limit = INFINITY,
                            .model = model,
                            .residual = true,
                            .readings = s->r.readings };
    const ptrdiff_t rows = crs_view_rows(&v), right = crs_right(&v.shape, 0);
    double *work = crs_doubles(crs_view_scratch(&v, rows), "a slab", e);
    crs_view_count(&v);
    for (ptrdiff_t first = 0; work && first < v.shape.dim[0]; first += rows) {
        const ptrdiff_t count = fewer(rows, v.shape.dim[0] - first);
        const double *slab = crs_view_slab(&v, first, count, work);
        for (ptrdiff_t j = 0; j < count * right; j++)
            if (held_out(s, fold, first * right + j)) *out++ = fabs(slab[j]);
    }
    crs_free(work);
    return work;
}

/* A fit of one fold. The first says what the table tells beside the errors. */
static bool fit(crs_rank_sweep *s, int fold, crease_cp_rank_row *row, double *residual,
                crease_error *e)
{
    double *x[CREASE_MAX_ORDER] = { NULL }, objective;
    crs_kruskal k = { .shape = s->r.shape, .rank = row->rank };
    bool done = true;
    s->r.rank = row->rank;
    s->r.start = row->rank == s->pruned.rank ? (const double *const *)s->pruned.factor : NULL;
    for (int n = 0; done && n < s->r.shape.order; n++) {
        k.factor[n] = x[n] = crs_doubles(s->r.shape.dim[n] * row->rank, "a fit", e);
        done = x[n];
    }
    done =
        done && s->o.fit(s->o.self, &s->r, x, &objective, e) && residuals(s, fold, &k, residual, e);
    if (done && fold == 0) {
        const crs_cp_view v = { .shape = k.shape,
                                .tensor = s->r.tensor,
                                .mask = s->fit,
                                .model = &k,
                                .readings = s->r.readings };
        row->objective = objective;
        done = crs_view_median(&v, &row->fitted, e) &&
               crease_cp_consistency(&s->r, (const double *const *)x, &row->consistency, e);
    }
    for (int n = 0; n < s->r.shape.order; n++) crs_free(x[n]);
    return done;
}

/* Folds first .. folds - 1 of a row; their residuals follow those of the folds before. */
static bool extend(crs_rank_sweep *s, int first, crease_cp_rank_row *row, double **residual,
                   crease_error *e)
{
    ptrdiff_t before = 0, all = 0;
    for (int f = 0; f < s->folds; f++) all += choose(s, f), before = f < first ? all : before;
    double *now = crs_doubles(2 * more(1, all), "the entries held out", e);
    bool done = now;
    if (done && before > 0) copy(before, *residual, now);
    for (int f = first; done && f < s->folds; f++) {
        const ptrdiff_t count = choose(s, f);
        done = fit(s, f, row, now + before, e);
        before += count;
    }
    if (!done) return crs_free(now), false;
    copy(all, now, now + all);
    row->held_out = all > 0 ? crs_median(all, now + all) : 0;
    crs_free(*residual);
    *residual = now;
    s->judge.held_out = all;
    return true;
}

/* Rows ascend by rank. */
bool crs_rank_try(crs_rank_sweep *s, ptrdiff_t rank, crease_error *e)
{
    crease_cp_rank_row row = { .rank = rank };
    double *residual = NULL;
    if (!extend(s, 0, &row, &residual, e)) return false;
    ptrdiff_t k = s->t->count++;
    for (; k > 0 && s->t->row[k - 1].rank > rank; k--) {
        s->t->row[k] = s->t->row[k - 1];
        s->judge.residual[k] = s->judge.residual[k - 1];
    }
    s->t->row[k] = row;
    s->judge.residual[k] = residual;
    crs_rank_losses(&s->judge);
    return true;
}

bool crs_rank_again(crs_rank_sweep *s, ptrdiff_t k, crease_error *e)
{
    crease_cp_rank_row row = { .rank = s->t->row[k].rank };
    double *residual = NULL;
    if (!extend(s, 0, &row, &residual, e)) return false;
    if (row.fitted < s->t->row[k].fitted) {
        double *old = s->judge.residual[k];
        s->t->row[k] = row;
        s->judge.residual[k] = residual;
        residual = old;
        crs_rank_losses(&s->judge);
    }
    crs_free(residual);
    return true;
}

bool crs_rank_refine(crs_rank_sweep *s, crease_error *e)
{
    const int before = s->folds;
    s->folds *= 2;
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        if (!extend(s, before, s->t->row + k, s->judge.residual + k, e)) return false;
    crs_rank_losses(&s->judge);
    return true;
}
