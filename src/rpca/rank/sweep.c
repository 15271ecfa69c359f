/* SPDX-License-Identifier: MIT
 * sweep: how many terms: fits of several ranks to all entries, each from the best of several
 * starts, then to what is left when segments of fibres are held out; judged by these (judge.c)
 *
 * The search begins near what pruning leaves of a larger model, or where the spectra of the
 * unfoldings have a gap. A fit may end in a local minimum: the rank is fitted by the pilot, and
 * from its neighbour with a term more or less; unless the two agree, from further starts. What is
 * kept has the least sum of Huber's function at one threshold for all: each fit has learned its
 * own, and one that calls half of the data outliers must not win by that. */
#include <stdio.h>
#include <string.h>

#include <crease/random.h>

#include "rpca/rank/rank.h"

enum { MOST = 1 << 20 };            /* entries of a source that is not an array */
enum { SHAKEN = 1000, ROUNDS = 3 }; /* of pruning, and of terms replaced; at most */
static const double agree = 0.01, floor_of = 1e-5, shake = 0.2;
static const double fine = 0.01; /* relative residual of a fit, in medians of |T - M| */
static const double most_coarse = 1e-4, most_fine = 1e-7;
static const double far = 3; /* median distances from the median: data around a constant */

/* A row of the table: the fit to all entries */
typedef struct {
    crs_terms fit;
    crs_magnitudes *all, *held; /* |T - M| of all entries; of each fold's, fitted without them */
    bool settled;               /* two starts ended alike */
    bool judged;                /* it is in the table */
} entry;

typedef struct {
    crease_cp_rank_options o;
    crease_cp_fit_request r; /* mask: the entries to fit */
    double *part, *seen;     /* of a large tensor and its mask; NULL: all of it is taken */
    double *zeroed;          /* the tensor with 0 where nothing was observed; NULL: all was */
    double *fit;             /* the mask */
    int folds, fold;         /* that hold something out; the one that does now, -1: none */
    unsigned char *lot;      /* which folds hold an entry out (folds.c) */
    double unit, least;      /* median|T|; least median|T - M| of the fits to all entries */
    crs_terms pruned;        /* a start for its rank; 0: none */
    bool offset;             /* the data lie around a constant */
    bool stopped;
    entry *entry;
    double *sigma; /* of each row */
    crease_cp_rank_table *t;
    crs_rank_judge judge;
} sweep;

static bool halted(sweep *s)
{
    s->stopped = s->stopped || crease_watch_over(s->o.watch);
    return s->stopped;
}

/* |T - M| of the entries of a fold; fold < 0: of all that were observed */
static bool measure(const sweep *s, int fold, const crs_terms *x, crs_magnitudes *out,
                    crease_error *e)
{
    crs_kruskal k = { .shape = s->r.shape, .rank = x->rank };
    crs_memory data;
    const crs_cp_view v = { .shape = k.shape,
                            .source = &data.source,
                            .limit = INFINITY,
                            .model = &k,
                            .residual = true,
                            .readings = s->r.readings };
    crs_memory_open(&data, &k.shape, s->r.tensor, NULL);
    for (int n = 0; n < v.shape.order; n++) k.factor[n] = x->factor[n];
    double *work = crs_doubles(crs_view_scratch(&v), "a slab", e);
    crs_view_count(&v);
    *out = (crs_magnitudes){ .unit = s->unit };
    for (ptrdiff_t i = 0; work && i < data.source.count; i++) {
        crs_slab slab = crs_slab_at(&data.source.cut, i);
        slab.t = s->r.tensor + slab.first;
        const crs_partition panels = crs_view_panels(&v, &slab.shape);
        for (ptrdiff_t q = 0; q < panels.count; q++) {
            const crs_slab p = crs_view_panel(&v, &slab, &panels, q, work);
            for (ptrdiff_t j = 0, size = crease_size(&p.shape); j < size; j++)
                if (crs_rank_in_fold(s->lot[p.first + j], fold)) crs_magnitudes_add(out, p.t[j]);
        }
    }
    crs_free(work);
    return work;
}

/* The mask of a fit without what the fold holds out */
static void choose(sweep *s, int fold)
{
    for (ptrdiff_t j = 0, size = crease_size(&s->r.shape); j < size; j++)
        s->fit[j] =
            crs_rank_in_fold(s->lot[j], -1) && !(fold >= 0 && crs_rank_in_fold(s->lot[j], fold));
    s->r.mask = fold >= 0 || s->zeroed ? s->fit : NULL;
    s->fold = fold;
}

/* Noise that is small beside the data asks for more than the usual precision. */
static double precision(const sweep *s, double median)
{
    return clip(fine * median / s->unit, most_fine, most_coarse);
}

static bool fit(sweep *s, ptrdiff_t rank, const crs_terms *start, crs_terms *x, double *objective,
                crease_error *e)
{
    s->r.rank = rank;
    s->r.start = start ? (const double *const *)start->factor : NULL;
    if (s->fold < 0)
        crs_watch_say(s->o.watch, "rank %td", rank);
    else
        crs_watch_say(s->o.watch, "rank %td, fold %d of %d", rank, s->fold + 1, s->folds);
    if (!crs_terms_new(&s->r.shape, rank, x, e)) return false;
    if (s->o.fit(s->o.self, &s->r, x->factor, objective, e)) return true;
    return crs_terms_free(x), false;
}

/* What a fit is judged by against others of its rank */
static double spread(const sweep *s, const crs_magnitudes *m)
{
    return crs_magnitudes_bounded(m, 3 * larger(s->least / 0.6745, s->judge.floor));
}

/* A fit to all entries from `start` (NULL: the pilot's own); the better of it and the row's is
 * kept. *better: by more than a trifle; settled: they are alike. */
static bool consider(sweep *s, crease_cp_rank_row *row, entry *w, const crs_terms *start,
                     bool *better, crease_error *e)
{
    crs_terms x;
    double objective = NAN;
    crs_magnitudes *m = crs_alloc(1, sizeof *m);
    bool done = m || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the residuals");
    s->r.eps = precision(s, s->least);
    s->r.beside = s->offset && !start;
    done = done && fit(s, row->rank, start, &x, &objective, e);
    if (!done) return crs_free(m), false;
    if (!measure(s, -1, &x, m, e)) return crs_terms_free(&x), crs_free(m), false;
    const double median = crs_magnitudes_median(1, (const crs_magnitudes *const[]){ m });
    s->least = smaller(s->least, median);
    const double new = spread(s, m), old = w->all ? spread(s, w->all) : INFINITY;
    w->settled = w->settled || fabs(new - old) <= agree * smaller(new, old);
    *better = new < (1 - agree) * old;
    if (w->judged ? *better : new < old) {
        const entry before = *w;
        w->fit = x, w->all = m;
        x = before.fit, m = before.all;
        row->objective = objective;
        row->fitted = median;
    }
    crs_terms_free(&x);
    crs_free(m);
    return true;
}

static entry *entry_of(const sweep *s, ptrdiff_t rank)
{
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        if (s->t->row[k].rank == rank) return s->entry + k;
    return NULL;
}

/* The model that a start of this kind is made from; NULL: none is known */
static const crs_terms *origin(const sweep *s, crs_rank_start q, ptrdiff_t rank, const entry *w)
{
    if (q == CRS_FROM_WIDE) return crs_rank_sound(&s->r.shape, &w->fit) ? NULL : &w->fit;
    const entry *below = entry_of(s, rank - 1), *above = entry_of(s, rank + 1);
    const entry *first = rank > 2 ? entry_of(s, 1) : NULL;
    switch (q) {
    case CRS_FROM_BELOW:
    case CRS_FROM_RANDOM:
        return below ? &below->fit : NULL;
    case CRS_FROM_ABOVE:
        return above ? &above->fit : NULL;
    case CRS_FROM_FIRST:
        return first ? &first->fit : NULL;
    default:
        return s->pruned.rank == rank ? &s->pruned : NULL;
    }
}

/* From the start of this kind, where there is one */
static bool try_start(sweep *s, crs_rank_start q, crease_cp_rank_row *row, entry *w, bool *better,
                      crease_error *e)
{
    const crs_terms *from = origin(s, q, row->rank, w);
    crs_terms start;
    *better = false;
    if (!from) return true;
    choose(s, -1);
    s->r.rank = row->rank;
    if (!crs_rank_start_by(&s->r, q, s->o.nonneg, from, &start, e)) return false;
    const bool done = consider(s, row, w, &start, better, e);
    crs_terms_free(&start);
    return done;
}

/* Starts until two have ended alike, where there are so many; then without terms on outliers */
static bool fit_all(sweep *s, crease_cp_rank_row *row, entry *w, crease_error *e)
{
    bool better = true;
    choose(s, -1);
    if (!consider(s, row, w, NULL, &better, e)) return false;
    for (int q = 0; q < CRS_RANK_STARTS && !w->settled && !halted(s); q++)
        if (!try_start(s, (crs_rank_start)q, row, w, &better, e)) return false;
    better = true;
    for (int k = 0; k < ROUNDS && better && !halted(s); k++)
        if (!try_start(s, CRS_FROM_WIDE, row, w, &better, e)) return false;
    return true;
}

/* The fits of the folds, from the fit to all entries, shaken; and the consistency of that */
static bool fit_folds(sweep *s, crease_cp_rank_row *row, entry *w, crease_error *e)
{
    crs_terms start, x = { .rank = 0 };
    double objective;
    bool done = crs_terms_new(&s->r.shape, row->rank, &start, e);
    for (int f = 0; done && f < s->folds && !halted(s); f++) {
        for (int n = 0; n < s->r.shape.order; n++) {
            const crease_random random = { s->o.seed, (uint64_t)(SHAKEN + f * 32 + n) };
            for (ptrdiff_t j = 0; j < s->r.shape.dim[n] * row->rank; j++)
                start.factor[n][j] =
                    w->fit.factor[n][j] * (1 + shake * crease_random_normal(random, (uint64_t)j));
        }
        choose(s, f);
        s->r.eps = precision(s, row->fitted);
        s->r.beside = false;
        done = fit(s, row->rank, &start, &x, &objective, e) && measure(s, f, &x, w->held + f, e);
        crs_terms_free(&x);
    }
    crs_terms_free(&start);
    choose(s, -1);
    s->r.rank = row->rank;
    return done &&
           crease_cp_consistency(&s->r, (const double *const *)w->fit.factor, &row->consistency, e);
}

static void free_entry(entry *w)
{
    crs_terms_free(&w->fit);
    crs_free(w->all);
    crs_free(w->held);
}

/* The noise that each row leaves, and the losses */
static void judge(sweep *s)
{
    ptrdiff_t length = 1 - s->r.shape.order;
    for (int n = 0; n < s->r.shape.order; n++) length += s->r.shape.dim[n];
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        s->sigma[k] = crs_magnitudes_scale(s->entry[k].all, (double)(length * s->t->row[k].rank));
    crs_rank_losses(&s->judge);
}

/* Rows ascend by rank. */
static void insert(sweep *s, const crease_cp_rank_row *row, const entry *w)
{
    ptrdiff_t k = s->t->count++;
    for (; k > 0 && s->t->row[k - 1].rank > row->rank; k--) {
        s->t->row[k] = s->t->row[k - 1];
        s->entry[k] = s->entry[k - 1];
    }
    s->t->row[k] = *row;
    s->entry[k] = *w;
    s->entry[k].judged = true;
    for (ptrdiff_t q = 0; q < s->t->count; q++)
        for (int f = 0; f < CRS_RANK_FOLDS; f++)
            s->judge.held[q * CRS_RANK_FOLDS + f] = s->entry[q].held + f;
    judge(s);
}

/* A neighbour whose own starts did not agree once more, from this rank with a term less or more */
static bool mend(sweep *s, ptrdiff_t rank, crs_rank_start q, crease_error *e)
{
    entry *w = entry_of(s, rank);
    bool better;
    if (!w || w->settled || halted(s)) return true;
    crease_cp_rank_row *row = s->t->row + (w - s->entry);
    if (!try_start(s, q, row, w, &better, e)) return false;
    if (better && !halted(s) && !fit_folds(s, row, w, e)) return false;
    judge(s);
    return true;
}

/* A new row, unless the search is stopped before it is done */
static bool try_rank(sweep *s, ptrdiff_t rank, crease_error *e)
{
    crease_cp_rank_row row = { .rank = rank, .congruence = NAN };
    entry w = { .held = crs_alloc(CRS_RANK_FOLDS, sizeof *w.held) };
    bool done = w.held || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the residuals");
    done = done && fit_all(s, &row, &w, e);
    done = done && (halted(s) || fit_folds(s, &row, &w, e));
    if (!done || s->stopped) return free_entry(&w), done;
    insert(s, &row, &w);
    return mend(s, rank - 1, CRS_FROM_ABOVE, e) && mend(s, rank + 1, CRS_FROM_BELOW, e);
}

/* A row for this rank, if it has none */
static bool visit(sweep *s, ptrdiff_t rank, bool *new, crease_error *e)
{
    if (*new || rank < 1 || rank > s->o.high || entry_of(s, rank) || halted(s)) return true;
    *new = true;
    return try_rank(s, rank, e);
}

static ptrdiff_t place_of(const sweep *s, ptrdiff_t rank)
{
    const entry *w = entry_of(s, rank);
    return w ? w - s->entry : 0;
}

/* Until the rows are there that the rule looks at: two above where it ends, and those below that a
 * step comes from. */
static bool walk(sweep *s, ptrdiff_t from, ptrdiff_t *at, crease_error *e)
{
    for (bool new = true; new && !s->stopped;) {
        new = false;
        if (!visit(s, from, &new, e)) return false;
        if (s->t->count == 0) return true;
        const ptrdiff_t k = crs_rank_climb(&s->judge, place_of(s, from));
        *at = s->t->row[k].rank;
        const bool held = crs_rank_step(&s->judge, k - 1, k);
        if (!visit(s, *at - 1, &new, e) || (!held && !visit(s, *at - 2, &new, e)) ||
            !visit(s, *at + 1, &new, e) || !visit(s, *at + 2, &new, e))
            return false;
    }
    return true;
}

/* By the singular values of the unfoldings; a reading each */
static bool guess(const sweep *s, ptrdiff_t *rank, crease_error *e)
{
    if (!crease_cp_rank(&s->r.shape, s->r.tensor, s->r.mask, rank, e)) return false;
    s->t->readings += s->r.shape.order;
    *rank = fewer(*rank, s->o.high);
    return true;
}

/* What is left of a model of `over` terms when the envelope's solver has pruned it, or of more, at
 * most high and in so many rounds, where nothing was pruned; none if nothing ever was. */
static bool prune_from(sweep *s, ptrdiff_t over, int rounds, crease_error *e)
{
    const crease_cp_rank_options *own = s->o.fit == crease_cp_fit_envelope ? &s->o : NULL;
    for (int k = 0; k < rounds && !halted(s); k++, over *= 2) {
        over = fewer(s->o.high, over);
        if (!crs_rank_prune(own, &s->r, over, &s->pruned, e)) return false;
        if (s->pruned.rank < over || over == s->o.high) return true;
        crs_terms_free(&s->pruned);
    }
    return true;
}

/* Data that are low-rank beside noise and outliers have a gap where pruning ends; where the two
 * differ the search begins at the smaller. */
static bool search(sweep *s, ptrdiff_t *at, crease_error *e)
{
    ptrdiff_t gap = 0, over = s->o.from;
    choose(s, -1);
    if (s->r.shape.order == 2 && over == 0) return walk(s, 1, at, e); /* no gap in noise */
    if (over == 0 && !guess(s, &gap, e)) return false;
    if (!prune_from(s, gap > 0 ? gap + (gap + 4) / 5 + 2 : over, gap > 0 ? 1 : ROUNDS, e))
        return false;
    const ptrdiff_t left = s->pruned.rank > 0 ? s->pruned.rank : more(gap, over);
    return walk(s, gap > 0 ? fewer(gap, left) : left, at, e);
}

/* Of row k: do all its terms reproduce? *known false: this cannot be told */
static bool split(sweep *s, ptrdiff_t k, bool *known, bool *reproduces, crease_error *e)
{
    const crs_rank_halves h = { &s->r, s->o.fit, s->o.self, s->sigma[k], shake };
    crs_rank_likeness found;
    choose(s, -1);
    s->r.rank = s->t->row[k].rank;
    if (!crs_rank_compare_halves(&h, &s->entry[k].fit, &found, e)) return false;
    *known = found.known && !halted(s);
    *reproduces = *known && found.reproduces;
    s->t->row[k].congruence = found.congruence;
    return true;
}

/* The largest rank up to where the rule ends whose terms all reproduce, while that predicts about
 * as well; -1: there is none, or it cannot be told. Rows that are missing below are fitted. */
static bool reproduce(sweep *s, ptrdiff_t *at, ptrdiff_t *half, crease_error *e)
{
    bool known = true, reproduces = false;
    for (ptrdiff_t k = *at; known && k >= 0 && !halted(s); k--) {
        if (!crs_rank_close(&s->judge, k, *at)) return true;
        if (!split(s, k, &known, &reproduces, e)) return false;
        if (reproduces) return *half = k, true;
        const ptrdiff_t rank = s->t->row[k].rank, count = s->t->count;
        if (k > 0 || !known || rank == 1 || rank == s->o.low || halted(s)) continue;
        if (!try_rank(s, rank - 1, e)) return false;
        *at += s->t->count - count;
        k += s->t->count - count;
    }
    return true;
}

/* *at: the row where the rule ends */
static bool run(sweep *s, ptrdiff_t *at, ptrdiff_t *half, crease_error *e)
{
    ptrdiff_t rank = 0;
    *at = 0, *half = -1;
    if (s->o.low == 0 && !search(s, &rank, e)) return false;
    for (ptrdiff_t k = s->o.low; s->o.low > 0 && k <= s->o.high && !halted(s); k++)
        if (!try_rank(s, k, e)) return false;
    if (s->t->count == 0) return true;
    *at = s->o.low > 0 ? crs_rank_climb(&s->judge, 0) : place_of(s, rank);
    return reproduce(s, at, half, e);
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

/* The size of the data: median|T|, or what their squares say where most are 0 */
static bool size_up(sweep *s, ptrdiff_t seen, crease_error *e)
{
    crs_observed o;
    const crs_cp_view v = { .shape = s->r.shape, .source = &o.data.source };
    double squares = 0, middle, around;
    choose(s, -1);
    const bool done = crs_observe(&v.shape, s->r.tensor, s->fit, &o, e) && crs_view_check(&v, e) &&
                      crs_view_median(&v, &s->unit, e) && crs_view_middle(&v, &middle, &around, e);
    crs_observed_close(&o);
    if (!done) return false;
    for (ptrdiff_t j = 0; !(s->unit > 0) && j < crease_size(&v.shape); j++)
        squares += square(s->r.tensor[j]);
    s->offset = fabs(middle) > far * around;
    if (!(s->unit > 0)) s->unit = squares > 0 ? sqrt(squares / (double)seen) : 1;
    s->judge.floor = floor_of * s->unit;
    s->least = INFINITY;
    return true;
}

static bool take_part(const sweep *s, crs_source *t, double **out, crease_error *e)
{
    *out = crs_doubles(crease_size(&s->r.shape), "a part of the tensor", e);
    return *out && crs_rank_sample(t, &s->r.shape, *out, e);
}

/* A part of a large tensor stands for it. */
static bool thin(sweep *s, crs_source *t, const double **mask, crease_error *e)
{
    const crease_space *shape = &t->cut.shape;
    crs_memory known;
    if (s->r.tensor && crease_size(&s->r.shape) == crease_size(shape)) return true;
    if (!take_part(s, t, &s->part, e)) return false;
    s->r.tensor = s->part;
    if (!*mask) return true;
    crs_memory_open(&known, shape, *mask, NULL);
    if (!take_part(s, &known.source, &s->seen, e)) return false;
    *mask = s->seen;
    return true;
}

/* What was observed, the folds, and 0 in place of what is missing */
static bool look(sweep *s, const double *mask, crease_error *e)
{
    const ptrdiff_t size = crease_size(&s->r.shape);
    const double *tensor = s->r.tensor;
    s->lot = crs_alloc((size_t)size, 1);
    if (!s->lot) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a mask");
    s->fit = crs_doubles(size, "a mask", e);
    if (!s->fit) return false;
    const ptrdiff_t seen = crs_rank_folds(&s->r.shape, tensor, mask, s->o.share, s->o.seed, s->lot);
    if (seen < size) {
        s->zeroed = crs_doubles(size, "the observed entries", e);
        if (!s->zeroed) return false;
        for (ptrdiff_t j = 0; j < size; j++)
            s->zeroed[j] = crs_rank_in_fold(s->lot[j], -1) ? tensor[j] : 0;
        s->r.tensor = s->zeroed;
    }
    for (ptrdiff_t j = 0; j < size; j++)
        while (s->folds < CRS_RANK_FOLDS && crs_rank_in_fold(s->lot[j], s->folds)) s->folds++;
    return size_up(s, seen, e);
}

static bool open_table(sweep *s, crease_error *e)
{
    const size_t ranks = (size_t)(s->o.high - s->o.low + 1);
    s->t = crs_alloc(1, sizeof *s->t);
    if (s->t) s->t->row = crs_alloc(ranks, sizeof *s->t->row);
    s->entry = crs_alloc(ranks, sizeof *s->entry);
    s->judge.held = crs_alloc(ranks * CRS_RANK_FOLDS, sizeof *s->judge.held);
    s->judge.sigma = s->sigma = crs_alloc(ranks, sizeof *s->sigma);
    s->judge.t = s->t;
    if (!s->t || !s->t->row || !s->entry || !s->judge.held || !s->sigma)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a table of ranks");
    s->r.readings = &s->t->readings;
    s->t->judged = s->r.shape;
    return true;
}

/* What the reason has to say beside the comparison */
static void add_remarks(const sweep *s, const crease_space *shape)
{
    char *end = s->t->reason + strlen(s->t->reason);
    size_t room = sizeof s->t->reason - strlen(s->t->reason);
    if (s->stopped && s->t->count > 0) {
        snprintf(end, room, ". The search was stopped before it was done");
        room -= strlen(end), end += strlen(end);
    }
    if (crease_size(&s->r.shape) < crease_size(shape))
        snprintf(end, room, ". Judged by %.2g of the data",
                 (double)crease_size(&s->r.shape) / (double)crease_size(shape));
}

/* The rows get their factors. */
static void hand_over(sweep *s)
{
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        for (int n = 0; n < s->r.shape.order; n++) {
            s->t->row[k].factor[n] = s->entry[k].fit.factor[n];
            s->entry[k].fit.factor[n] = NULL;
        }
}

static void close_table(sweep *s)
{
    for (ptrdiff_t k = 0; s->entry && s->t && k < s->t->count; k++) free_entry(s->entry + k);
    crs_free(s->entry);
    crs_free(s->sigma);
    crs_free(s->judge.held);
    crs_terms_free(&s->pruned);
    crs_free(s->part);
    crs_free(s->seen);
    crs_free(s->zeroed);
    crs_free(s->fit);
    crs_free(s->lot);
}

void crease_cp_rank_table_free(crease_cp_rank_table *t)
{
    if (!t) return;
    for (ptrdiff_t k = 0; t->row && k < t->count; k++)
        for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(t->row[k].factor[n]);
    crs_free(t->row);
    crs_free(t);
}

/* tensor NULL: a part of the source is taken in any case. */
static crease_cp_rank_table *compare_ranks(crs_source *t, const double *tensor, const double *mask,
                                           const crease_cp_rank_options *o, crease_error *e)
{
    sweep s = { .o = *o, .r = { .tensor = tensor, .seed = o->seed } };
    ptrdiff_t at, half;
    if (!s.o.fit) s.o.fit = crease_cp_fit_envelope;
    if (s.o.fit == crease_cp_fit_envelope) s.o.self = &s.o;
    if (s.o.share == 0) s.o.share = 0.1;
    s.r.shape = crs_rank_sample_shape(&t->cut.shape, o->most);
    const bool done =
        open_table(&s, e) && thin(&s, t, &mask, e) && look(&s, mask, e) && run(&s, &at, &half, e);
    if (done) {
        s.t->stopped = s.stopped;
        crs_rank_explain(&s.judge, at, half);
        add_remarks(&s, &t->cut.shape);
        hand_over(&s);
    }
    close_table(&s);
    if (done) return s.t;
    crease_cp_rank_table_free(s.t);
    return NULL;
}

crease_cp_rank_table *crease_cp_rank_sweep(const crease_space *shape, const double *tensor,
                                           const double *mask, const crease_cp_rank_options *o,
                                           crease_error *e)
{
    crs_memory m;
    if (!check(shape, o, e)) return NULL;
    crs_memory_open(&m, shape, tensor, NULL);
    return compare_ranks(&m.source, tensor, mask, o, e);
}

crease_cp_rank_table *crs_rank_sweep_on(crs_source *t, const crease_cp_rank_options *o,
                                        crease_error *e)
{
    crease_cp_rank_options own = *o;
    if (own.most == 0) own.most = MOST;
    return check(&t->cut.shape, o, e) ? compare_ranks(t, NULL, NULL, &own, e) : NULL;
}
