/* SPDX-License-Identifier: MIT
 * cp_rank_sweep: fits of several ranks to 95 % of the entries; the others judge them by median|r|,
 * which outliers among them do not move */
#include <crease/random.h>
#include <crease/rpca.h>
#include <crease/rpca_rank.h>

#include "model/cp_rank_judge.h"
#include "model/cp_view.h"

enum { STREAM = 500 };
static const double deviations = 3; /* beyond them Huber's function is linear */

typedef struct {
    crease_cp_rank_options o;
    crease_cp_fit_request r; /* mask: the entries to fit */
    double *fit, *held;      /* masks */
    double limit;            /* of Huber's function; 0: not known yet */
    crs_rank_pruned pruned;  /* where the search begins; rank 0: nowhere */
    crease_cp_rank_table *t;
    crs_rank_judge judge;
} sweeper;

void crease_cp_rank_table_free(crease_cp_rank_table *t)
{
    if (!t) return;
    crs_free(t->row);
    crs_free(t);
}

static void hold_out(sweeper *s, const double *tensor, const double *mask)
{
    const crease_random random = { s->o.seed, STREAM };
    for (ptrdiff_t j = 0, size = crease_size(&s->r.shape); j < size; j++) {
        const bool here = mask ? mask[j] > 0 : !isnan(tensor[j]);
        const bool out = crease_random_uniform(random, (uint64_t)j) < s->o.share;
        s->fit[j] = here && !out;
        s->held[j] = here && out;
        s->judge.held_out += here && out;
    }
}

/* The mean of r^2 where |r| <= limit, 2 limit |r| - limit^2 beyond */
static bool huber(const sweeper *s, crs_cp_view v, double *mean, crease_error *e)
{
    v.limit = INFINITY;
    v.residual = true;
    const ptrdiff_t rows = crs_view_rows(&v), right = crs_right(&v.shape, 0);
    double *work = crs_doubles(crs_view_scratch(&v, rows), "a slab", e), sum = 0;
    crs_view_count(&v);
    for (ptrdiff_t first = 0; work && first < v.shape.dim[0]; first += rows) {
        const ptrdiff_t count = fewer(rows, v.shape.dim[0] - first);
        const double *slab = crs_view_slab(&v, first, count, work);
        for (ptrdiff_t j = 0; j < count * right; j++) {
            const double t = fabs(slab[j]);
            sum += t <= s->limit ? t * t : s->limit * (2 * t - s->limit);
        }
    }
    crs_free(work);
    *mean = sum / (double)more(1, s->judge.held_out);
    return work != NULL;
}

static bool errors(sweeper *s, const double *const *factor, crease_cp_rank_row *row,
                   crease_error *e)
{
    crs_kruskal k = { .shape = s->r.shape, .rank = s->r.rank };
    for (int n = 0; n < k.shape.order; n++) k.factor[n] = factor[n];
    crs_cp_view v = { .shape = k.shape,
                      .tensor = s->r.tensor,
                      .mask = s->held,
                      .model = &k,
                      .readings = s->r.readings };
    if (!crs_view_median(&v, &row->held_out, e)) return false;
    if (s->limit == 0) s->limit = deviations / 0.6745 * row->held_out;
    if (!huber(s, v, &row->loss, e)) return false;
    v.mask = s->fit;
    return crs_view_median(&v, &row->fitted, e);
}

/* A row for the rank, in its place. */
static bool try_rank(sweeper *s, ptrdiff_t rank, crease_error *e)
{
    crease_cp_rank_row row = { .rank = rank };
    double *x[CREASE_MAX_ORDER] = { NULL };
    bool done = true;
    s->r.rank = rank;
    s->r.start = rank == s->pruned.rank ? (const double *const *)s->pruned.factor : NULL;
    for (int n = 0; done && n < s->r.shape.order; n++) {
        x[n] = crs_doubles(s->r.shape.dim[n] * rank, "a fit", e);
        done = x[n];
    }
    const double *const *factor = (const double *const *)x;
    done = done && s->o.fit(s->o.self, &s->r, x, &row.objective, e) && errors(s, factor, &row, e) &&
           crease_cp_consistency(&s->r, factor, &row.consistency, e);
    for (int n = 0; n < s->r.shape.order; n++) crs_free(x[n]);
    if (!done) return false;
    ptrdiff_t k = s->t->count++;
    for (; k > 0 && s->t->row[k - 1].rank > rank; k--) s->t->row[k] = s->t->row[k - 1];
    s->t->row[k] = row;
    return true;
}

/* The first of these ranks that has no row yet gets one; false: on failure. */
static bool visit(sweeper *s, int count, const ptrdiff_t *rank, crease_error *e)
{
    for (int k = 0; k < count; k++) {
        bool known = rank[k] < 1 || rank[k] > s->o.high;
        for (ptrdiff_t q = 0; q < s->t->count; q++) known = known || s->t->row[q].rank == rank[k];
        if (!known) return try_rank(s, rank[k], e);
    }
    return true;
}

/* From two guesses until the neighbours of what is recommended are known; a doubtful last term is
 * compared with the one before it. */
static bool walk(sweeper *s, ptrdiff_t gap, ptrdiff_t pruned, crease_error *e)
{
    const ptrdiff_t first[] = { gap - 1, gap, gap + 1, pruned - 1, pruned, pruned + 1 };
    for (int k = 0; k < 6; k++)
        if (!visit(s, 1, first + k, e)) return false;
    for (ptrdiff_t before = 0; before < s->t->count;) {
        const ptrdiff_t k = crs_rank_nearly_best(&s->judge), near = s->t->row[k].rank;
        const ptrdiff_t at = s->t->row[crs_rank_recommend(&s->judge)].rank;
        const ptrdiff_t next[] = { at - 1, near - 1, near + 1, at + 1, near - 2 };
        const bool doubtful = crs_rank_doubtful(&s->judge, k);
        before = s->t->count;
        if (!visit(s, doubtful ? 5 : 4, next, e)) return false;
    }
    return true;
}

/* By the singular values of the unfoldings; a reading each */
static bool guess(const sweeper *s, const double *tensor, const double *mask, ptrdiff_t *rank,
                  crease_error *e)
{
    if (!crease_cp_rank(&s->r.shape, tensor, mask, rank, e)) return false;
    s->t->readings += s->r.shape.order;
    *rank = fewer(*rank, s->o.high);
    return true;
}

static bool run(sweeper *s, const double *tensor, const double *mask, crease_error *e)
{
    const crease_cp_fit_settings *own = s->o.fit == crease_cp_fit_envelope ? s->o.self : NULL;
    hold_out(s, tensor, mask);
    if (s->o.low == 0 && s->r.shape.order == 2 && s->o.from == 0)
        return walk(s, 1, 1, e); /* no gap in noise */
    if (s->o.low == 0) {
        ptrdiff_t gap = 0, over = s->o.from;
        if (over == 0 && !guess(s, tensor, mask, &gap, e)) return false;
        if (over == 0) over = gap + (gap + 4) / 5 + 2;
        if (!crs_rank_prune(own, &s->r, over, s->o.high, &s->pruned, e)) return false;
        const ptrdiff_t left = s->pruned.rank > 0 ? s->pruned.rank : gap > 0 ? gap : over;
        return walk(s, gap > 0 ? gap : left, left, e);
    }
    for (ptrdiff_t rank = s->o.low; rank <= s->o.high; rank++)
        if (!try_rank(s, rank, e)) return false;
    return true;
}

static bool check(const crease_space *shape, const crease_cp_rank_options *o, crease_error *e)
{
    if (!crease_space_check(shape, e)) return false;
    if (shape->order < 2)
        return crs_fail(e, CREASE_BAD_SHAPE, "a vector has no rank; give a matrix or a tensor");
    if (o->high < 1 || o->low < 0 || o->low > o->high || o->high > 1 << 20)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "ranks from %td to %td; give 1 <= low <= high, or low = 0 to search",
                        o->low, o->high);
    if (o->from < 0 || o->from > o->high)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the search begins with %td terms; give 1 to %td, or 0", o->from, o->high);
    return (o->share >= 0 && o->share < 1) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "a share of %g is held out; give 0 <= share < 1",
                    o->share);
}

crease_cp_rank_table *crease_cp_rank_sweep(const crease_space *shape, const double *tensor,
                                           const double *mask, const crease_cp_rank_options *o,
                                           crease_error *e)
{
    if (!check(shape, o, e)) return NULL;
    const ptrdiff_t size = crease_size(shape), ranks = o->high - o->low + 1;
    sweeper s = { .o = *o, .r = { .shape = *shape, .tensor = tensor, .seed = o->seed } };
    if (!s.o.fit) s.o.fit = crease_cp_fit_envelope;
    if (s.o.share == 0) s.o.share = 0.05;
    if (s.o.least == 0) s.o.least = 80;
    s.fit = crs_doubles(size, "a mask", e);
    s.held = s.fit ? crs_doubles(size, "a mask", e) : NULL;
    s.t = s.held ? crs_alloc(1, sizeof *s.t) : NULL;
    if (s.t) s.t->row = crs_alloc((size_t)ranks, sizeof *s.t->row);
    s.r.mask = s.fit;
    if (s.t) s.r.readings = &s.t->readings;
    s.judge = (crs_rank_judge){ .t = s.t, .least = s.o.least };
    bool done = s.t && s.t->row;
    if (s.held && !done) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a table of ranks");
    done = done && run(&s, tensor, mask, e);
    if (done) crs_rank_explain(&s.judge);
    crs_rank_pruned_free(&s.pruned);
    crs_free(s.fit);
    crs_free(s.held);
    if (done) return s.t;
    crease_cp_rank_table_free(s.t);
    return NULL;
}
