/* SPDX-License-Identifier: MIT
 * rank: how many terms: fits of several ranks to 95 % of the entries by the pilot of the envelope's
 * method, judged by the others; one fold is held out, or several in turn
 *
 * The sweep begins near what pruning leaves of a larger model, or where the spectra of the
 * unfoldings have a gap: noise has singular values of one size, so the low-rank part ends there. */
#include <crease/random.h>

#include "core/parallel.h"
#include "rpca/start.h"

enum { STREAM = 500, MOST_FOLDS = 8 };
enum { PASSES = 200, ROUNDS = 3 }; /* of a start, and of pruning; at most */

typedef struct {
    ptrdiff_t rank;
    double *factor[CREASE_MAX_ORDER];
} pruned_model;

typedef struct {
    crease_cp_rank_options o;
    crease_cp_fit_request r; /* mask: the entries to fit */
    double *fit;             /* that mask */
    double *lot;             /* of an entry, uniform; < 0: not observed */
    int folds;               /* so many have been held out, one after the other */
    pruned_model pruned;     /* a start for its rank; rank 0: none */
    crease_cp_rank_table *t;
    crs_rank_judge judge;
} sweep;

/* The first k with s_k > 4 s_{k+1}; without one, the largest ratio in the upper half. */
ptrdiff_t crs_spectral_gap(ptrdiff_t n, const double *squares)
{
    ptrdiff_t best = 1;
    double most = 0;
    for (ptrdiff_t k = 1; k < n; k++)
        if (squares[k - 1] > 16 * squares[k]) return k;
    for (ptrdiff_t k = 1; k <= n / 2; k++) {
        if (!(squares[k - 1] > most * squares[k])) continue;
        most = squares[k - 1] / squares[k];
        best = k;
    }
    return best;
}

bool crease_cp_rank(const crease_space *shape, const double *tensor, const double *mask,
                    ptrdiff_t *rank, crease_error *e)
{
    const ptrdiff_t size = crease_size(shape);
    double *known = crs_doubles(size, "the observed entries", e);
    bool done = known;
    *rank = 1;
    for (ptrdiff_t j = 0; done && j < size; j++)
        known[j] = isnan(tensor[j]) || (mask && mask[j] == 0) ? 0 : tensor[j];
    for (int n = 0; done && n < shape->order; n++) {
        const ptrdiff_t length = shape->dim[n];
        if (!crs_unfolding_fits(shape, n)) continue;
        double *squares = crs_doubles(length + crs_unfolding_scratch(shape, n), "a spectrum", e);
        done = squares;
        if (done && crs_unfolding(shape, n, known, squares, NULL, squares + length))
            *rank = more(*rank, crs_spectral_gap(length, squares));
        crs_free(squares);
    }
    crs_free(known);
    return done;
}

/* No CP model needs more terms than the unfolding along the longest mode has columns. */
ptrdiff_t crs_rank_highest(const crease_space *s)
{
    enum { MOST = 1000 };
    ptrdiff_t columns = 1, longest = 0;
    for (int n = 1; n < s->order; n++)
        if (s->dim[n] > s->dim[longest]) longest = n;
    for (int n = 0; n < s->order; n++)
        if (n != longest) columns = columns > MOST ? columns : columns * s->dim[n];
    return fewer(columns, MOST);
}

static const double learn = 3; /* deviations that an outlier is beyond, for pruning */
static const double fair =
    1.5; /* and for the fits, whose errors then depend less on the outliers */
static const double close = 1e-4; /* relative residual: medians do not show more */

typedef struct {
    double *tensor; /* 0 where it was not observed */
    unsigned char *mask;
} observed;

/* Entries that are missing become 0: they may be nan. */
static bool observe(const crease_cp_fit_request *r, observed *o, crease_error *e)
{
    const ptrdiff_t size = crease_size(&r->shape);
    *o = (observed){ .tensor = NULL };
    if (!r->mask) return true;
    o->mask = crs_alloc((size_t)size, 1);
    if (!o->mask) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a mask");
    o->tensor = crs_doubles(size, "the observed entries", e);
    for (ptrdiff_t j = 0; o->tensor && j < size; j++) {
        o->mask[j] = r->mask[j] > 0;
        o->tensor[j] = o->mask[j] ? r->tensor[j] : 0;
    }
    return o->tensor;
}

static void count_passes(const crease_cp_fit_request *r, const crs_cp_pilot *p)
{
    if (r->readings) *r->readings += p->report.readings;
}

static crs_cp_pilot pilot_of(const crease_cp_rank_options *s, const crease_cp_fit_request *r,
                             const observed *o)
{
    crs_cp_pilot p = { .c = crs_envelope_solver_default(&r->shape, r->rank),
                       .tensor = o->mask ? o->tensor : r->tensor,
                       .passes = PASSES };
    p.c.threads = crs_useful_threads(s ? s->threads : 1, crease_size(&r->shape));
    p.c.nonneg = s && s->nonneg;
    p.c.learn = learn;
    p.c.prune = false;
    p.c.mask = o->mask;
    p.c.seed = r->seed;
    p.c.eps = close;
    return p;
}

bool crease_cp_fit_envelope(void *self, const crease_cp_fit_request *r, double *const *factor,
                            double *objective, crease_error *e)
{
    observed o;
    bool done = observe(r, &o, e);
    crs_cp_pilot p = pilot_of(self, r, &o);
    p.given = r->start;
    p.c.learn = fair;
    for (int n = 0; n < r->shape.order; n++) p.factor[n] = factor[n];
    done = done && crs_cp_pilot_run(&p, e);
    count_passes(r, &p);
    if (done) *objective = p.value;
    crs_free(o.tensor);
    crs_free(o.mask);
    return done;
}

static void free_pruned(pruned_model *p)
{
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(p->factor[n]);
    *p = (pruned_model){ .rank = 0 };
}

/* What is left of `over` terms */
static bool prune(const crease_cp_rank_options *s, const crease_cp_fit_request *r, ptrdiff_t over,
                  pruned_model *out, crease_error *e)
{
    crease_cp_fit_request many = *r;
    observed o;
    many.rank = over;
    bool done = observe(r, &o, e);
    crs_cp_pilot p = pilot_of(s, &many, &o);
    p.c.prune = true;
    p.starts = 1;
    for (int n = 0; done && n < r->shape.order; n++) {
        p.factor[n] = out->factor[n] = crs_doubles(r->shape.dim[n] * over, "a fit", e);
        done = p.factor[n];
    }
    done = done && crs_cp_pilot_run(&p, e);
    count_passes(r, &p);
    out->rank = p.rank;
    crs_free(o.tensor);
    crs_free(o.mask);
    return done;
}

/* What is left of a model of `over` terms when the envelope's solver has pruned it, or of more, at
 * most high, where nothing was pruned; rank 0 if nothing ever was. Free it. */
static bool prune_from(const crease_cp_rank_options *s, const crease_cp_fit_request *r,
                       ptrdiff_t over, ptrdiff_t high, pruned_model *out, crease_error *e)
{
    *out = (pruned_model){ .rank = 0 };
    for (int k = 0; k < ROUNDS; k++, over *= 2) {
        over = fewer(high, over);
        if (!prune(s, r, over, out, e)) return free_pruned(out), false;
        if (out->rank < over || over == high) return true;
        free_pruned(out);
    }
    return true;
}

static bool held_out(const sweep *s, int fold, ptrdiff_t j)
{
    return s->lot[j] >= fold * s->o.share && s->lot[j] < (fold + 1) * s->o.share;
}

/* The mask of what is fitted; returns how many entries are held out. */
static ptrdiff_t choose(sweep *s, int fold)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0, size = crease_size(&s->r.shape); j < size; j++) {
        const bool out = held_out(s, fold, j);
        s->fit[j] = s->lot[j] >= 0 && !out;
        count += out;
    }
    return count;
}

/* Which entries are held out when */
static void draw(sweep *s, const double *tensor, const double *mask)
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
static bool residuals(const sweep *s, int fold, const crs_kruskal *model, double *out,
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
static bool fit(sweep *s, int fold, crease_cp_rank_row *row, double *residual, crease_error *e)
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
static bool extend(sweep *s, int first, crease_cp_rank_row *row, double **residual, crease_error *e)
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
static bool try_rank(sweep *s, ptrdiff_t rank, crease_error *e)
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

/* Row k fitted again, by s->pruned if its rank is the row's; the better fit is kept. */
static bool fit_again(sweep *s, ptrdiff_t k, crease_error *e)
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

/* Twice as many folds for every row. */
static bool refine(sweep *s, crease_error *e)
{
    const int before = s->folds;
    s->folds *= 2;
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        if (!extend(s, before, s->t->row + k, s->judge.residual + k, e)) return false;
    crs_rank_losses(&s->judge);
    return true;
}

/* The median error of the entries fitted: what counts as no better, and as better */
static const double same = 0.95, better = 0.8;

static bool failed(const crease_cp_rank_table *t, ptrdiff_t k)
{
    const crease_cp_rank_row *row = t->row + k;
    if (k == 0 || k + 1 >= t->count) return false;
    return row[-1].rank + 1 == row->rank && row->rank + 1 == row[1].rank &&
           row->fitted > same * row[-1].fitted && row[1].fitted < better * row->fitted;
}

/* out = x (rank + 1 terms) without the term of least norm */
static void drop_weakest(const crease_space *s, ptrdiff_t rank, double *const *x,
                         double *const *out)
{
    ptrdiff_t weakest = 0;
    double least = INFINITY;
    for (ptrdiff_t r = 0; r <= rank; r++) {
        double norm = 1;
        for (int n = 0; n < s->order; n++)
            norm *= crs_cp_column_norm(s->dim[n], rank + 1, x[n] + r);
        if (norm < least) least = norm, weakest = r;
    }
    for (int n = 0; n < s->order; n++)
        for (ptrdiff_t i = 0; i < s->dim[n]; i++)
            for (ptrdiff_t r = 0; r < rank; r++)
                out[n][i * rank + r] = x[n][i * (rank + 1) + r + (r >= weakest)];
}

/* A start of `rank` terms from a fit of one more, in s->pruned */
static bool start_from_above(sweep *s, ptrdiff_t rank, crease_error *e)
{
    const crease_space *shape = &s->r.shape;
    pruned_model *p = &s->pruned;
    double *x[CREASE_MAX_ORDER] = { NULL }, objective;
    bool done = true;
    free_pruned(p);
    for (int n = 0; done && n < shape->order; n++) {
        x[n] = crs_doubles(shape->dim[n] * (rank + 1), "a fit", e);
        p->factor[n] = x[n] ? crs_doubles(shape->dim[n] * rank, "a start", e) : NULL;
        done = p->factor[n];
    }
    s->r.rank = rank + 1;
    s->r.start = NULL;
    done = done && s->o.fit(s->o.self, &s->r, x, &objective, e);
    if (done) drop_weakest(shape, rank, x, p->factor);
    if (done) p->rank = rank;
    for (int n = 0; n < shape->order; n++) crs_free(x[n]);
    return done;
}

/* A model of one more term contains the smaller one, so that a row that fits no better than the row
 * before it, though the row after it does, has stopped in a local minimum: it is fitted again from
 * that larger model without its weakest term. */
static bool mend(sweep *s, crease_error *e)
{
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        if (failed(s->t, k) && (!start_from_above(s, s->t->row[k].rank, e) || !fit_again(s, k, e)))
            return false;
    return true;
}

void crease_cp_rank_table_free(crease_cp_rank_table *t)
{
    if (!t) return;
    crs_free(t->row);
    crs_free(t);
}

/* The first of these ranks that has no row yet gets one; false: on failure. */
static bool visit(sweep *s, int count, const ptrdiff_t *rank, crease_error *e)
{
    for (int k = 0; k < count; k++) {
        bool known = rank[k] < 1 || rank[k] > s->o.high;
        for (ptrdiff_t q = 0; q < s->t->count; q++) known = known || s->t->row[q].rank == rank[k];
        if (!known) return try_rank(s, rank[k], e);
    }
    return true;
}

/* Until the neighbours of what is recommended are known and one more term does not lower the loss,
 * nor two of a matrix, where nothing was pruned to begin from; a doubtful last term is compared
 * with the one before it. */
static bool walk(sweep *s, crease_error *e)
{
    for (ptrdiff_t before = 0; before < s->t->count;) {
        const crs_rank_verdict v = crs_rank_judged(&s->judge);
        const ptrdiff_t near = s->t->row[v.near].rank, at = s->t->row[v.recommended].rank;
        const ptrdiff_t best = s->t->row[v.best].rank;
        const ptrdiff_t ahead = s->r.shape.order == 2 ? best + 2 : 0;
        const ptrdiff_t next[] = { at - 1, near - 1, near + 1, at + 1, best + 1, ahead, near - 2 };
        before = s->t->count;
        if (!visit(s, v.doubtful ? 7 : 6, next, e)) return false;
    }
    return true;
}

static bool walk_from(sweep *s, ptrdiff_t a, ptrdiff_t b, crease_error *e)
{
    const ptrdiff_t first[] = { a - 1, a, a + 1, b - 1, b, b + 1 };
    for (int k = 0; k < 6; k++)
        if (!visit(s, 1, first + k, e)) return false;
    return walk(s, e);
}

/* By the singular values of the unfoldings; a reading each */
static bool guess(const sweep *s, const double *tensor, const double *mask, ptrdiff_t *rank,
                  crease_error *e)
{
    if (!crease_cp_rank(&s->r.shape, tensor, mask, rank, e)) return false;
    s->t->readings += s->r.shape.order;
    *rank = fewer(*rank, s->o.high);
    return true;
}

static bool search(sweep *s, const double *tensor, const double *mask, crease_error *e)
{
    const crease_cp_rank_options *own = s->o.fit == crease_cp_fit_envelope ? &s->o : NULL;
    ptrdiff_t gap = 0, over = s->o.from;
    if (s->r.shape.order == 2 && over == 0) return walk_from(s, 1, 1, e); /* no gap in noise */
    if (over == 0 && !guess(s, tensor, mask, &gap, e)) return false;
    if (over == 0) over = gap + (gap + 4) / 5 + 2;
    if (!prune_from(own, &s->r, over, s->o.high, &s->pruned, e)) return false;
    const ptrdiff_t left = s->pruned.rank > 0 ? s->pruned.rank : gap > 0 ? gap : over;
    return walk_from(s, gap > 0 ? gap : left, left, e) && mend(s, e) && walk(s, e);
}

/* More folds while they are needed to tell the recommended rank from another. */
static bool run(sweep *s, const double *tensor, const double *mask, crease_error *e)
{
    draw(s, tensor, mask);
    if (s->o.low == 0 && !search(s, tensor, mask, e)) return false;
    for (ptrdiff_t rank = s->o.low; rank > 0 && rank <= s->o.high; rank++)
        if (!try_rank(s, rank, e)) return false;
    while (crs_rank_judged(&s->judge).rival >= 0 && 2 * s->folds <= MOST_FOLDS &&
           2 * s->folds * s->o.share < 1) {
        if (!refine(s, e)) return false;
        if (s->o.low == 0 && !walk(s, e)) return false;
    }
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
    sweep s = { .o = *o, .r = { .shape = *shape, .tensor = tensor, .seed = o->seed } };
    if (!s.o.fit) s.o.fit = crease_cp_fit_envelope;
    if (s.o.fit == crease_cp_fit_envelope) s.o.self = &s.o;
    if (s.o.share == 0) s.o.share = 0.05;
    if (s.o.least == 0) s.o.least = 80;
    s.fit = crs_doubles(size, "a mask", e);
    s.lot = s.fit ? crs_doubles(size, "a mask", e) : NULL;
    s.t = s.lot ? crs_alloc(1, sizeof *s.t) : NULL;
    if (s.t) s.t->row = crs_alloc((size_t)ranks, sizeof *s.t->row);
    double **residual = s.t && s.t->row ? crs_alloc((size_t)ranks, sizeof *residual) : NULL;
    s.r.mask = s.fit;
    if (s.t) s.r.readings = &s.t->readings;
    s.judge = (crs_rank_judge){ .t = s.t, .residual = residual, .least = s.o.least };
    bool done = residual;
    if (s.lot && !done) crs_fail(e, CREASE_NO_MEMORY, "out of memory: a table of ranks");
    done = done && run(&s, tensor, mask, e);
    if (done) crs_rank_explain(&s.judge);
    for (ptrdiff_t k = 0; residual && k < s.t->count; k++) crs_free(residual[k]);
    crs_free(residual);
    free_pruned(&s.pruned);
    crs_free(s.fit);
    crs_free(s.lot);
    if (done) return s.t;
    crease_cp_rank_table_free(s.t);
    return NULL;
}
