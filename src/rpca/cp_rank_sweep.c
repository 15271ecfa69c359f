/* SPDX-License-Identifier: MIT
 * cp_rank_sweep: fits of several ranks to 95 % of the entries, judged by the others */
#include <crease/rpca.h>

#include "rpca/cp_rank_sweep.h"
#include "tensor/tensor.h"

void crease_cp_rank_table_free(crease_cp_rank_table *t)
{
    if (!t) return;
    crs_free(t->row);
    crs_free(t);
}

/* The first of these ranks that has no row yet gets one; false: on failure. */
static bool visit(crs_rank_sweep *s, int count, const ptrdiff_t *rank, crease_error *e)
{
    for (int k = 0; k < count; k++) {
        bool known = rank[k] < 1 || rank[k] > s->o.high;
        for (ptrdiff_t q = 0; q < s->t->count; q++) known = known || s->t->row[q].rank == rank[k];
        if (!known) return crs_rank_try(s, rank[k], e);
    }
    return true;
}

/* Until the neighbours of what is recommended are known and one more term does not lower the loss,
 * nor two of a matrix, where nothing was pruned to begin from; a doubtful last term is compared
 * with the one before it. */
static bool walk(crs_rank_sweep *s, crease_error *e)
{
    for (ptrdiff_t before = 0; before < s->t->count;) {
        const ptrdiff_t k = crs_rank_nearly_best(&s->judge), near = s->t->row[k].rank;
        const ptrdiff_t at = s->t->row[crs_rank_recommend(&s->judge)].rank;
        const ptrdiff_t best = s->t->row[crs_rank_best(&s->judge)].rank;
        const ptrdiff_t ahead = s->r.shape.order == 2 ? best + 2 : 0;
        const ptrdiff_t next[] = { at - 1, near - 1, near + 1, at + 1, best + 1, ahead, near - 2 };
        const bool doubtful = crs_rank_doubtful(&s->judge, k);
        before = s->t->count;
        if (!visit(s, doubtful ? 7 : 6, next, e)) return false;
    }
    return true;
}

static bool walk_from(crs_rank_sweep *s, ptrdiff_t a, ptrdiff_t b, crease_error *e)
{
    const ptrdiff_t first[] = { a - 1, a, a + 1, b - 1, b, b + 1 };
    for (int k = 0; k < 6; k++)
        if (!visit(s, 1, first + k, e)) return false;
    return walk(s, e);
}

/* By the singular values of the unfoldings; a reading each */
static bool guess(const crs_rank_sweep *s, const double *tensor, const double *mask,
                  ptrdiff_t *rank, crease_error *e)
{
    if (!crease_cp_rank(&s->r.shape, tensor, mask, rank, e)) return false;
    s->t->readings += s->r.shape.order;
    *rank = fewer(*rank, s->o.high);
    return true;
}

static bool search(crs_rank_sweep *s, const double *tensor, const double *mask, crease_error *e)
{
    const crease_cp_fit_settings *own = s->o.fit == crease_cp_fit_envelope ? s->o.self : NULL;
    ptrdiff_t gap = 0, over = s->o.from;
    if (s->r.shape.order == 2 && over == 0) return walk_from(s, 1, 1, e); /* no gap in noise */
    if (over == 0 && !guess(s, tensor, mask, &gap, e)) return false;
    if (over == 0) over = gap + (gap + 4) / 5 + 2;
    if (!crs_rank_prune(own, &s->r, over, s->o.high, &s->pruned, e)) return false;
    const ptrdiff_t left = s->pruned.rank > 0 ? s->pruned.rank : gap > 0 ? gap : over;
    return walk_from(s, gap > 0 ? gap : left, left, e) && crs_rank_mend(s, e) && walk(s, e);
}

/* More folds while they are needed to tell the recommended rank from another. */
static bool run(crs_rank_sweep *s, const double *tensor, const double *mask, crease_error *e)
{
    crs_rank_draw(s, tensor, mask);
    if (s->o.low == 0 && !search(s, tensor, mask, e)) return false;
    for (ptrdiff_t rank = s->o.low; rank > 0 && rank <= s->o.high; rank++)
        if (!crs_rank_try(s, rank, e)) return false;
    while (crs_rank_rival(&s->judge, crs_rank_recommend(&s->judge)) >= 0 &&
           2 * s->folds <= CRS_RANK_FOLDS && 2 * s->folds * s->o.share < 1) {
        if (!crs_rank_refine(s, e)) return false;
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
    crs_rank_sweep s = { .o = *o, .r = { .shape = *shape, .tensor = tensor, .seed = o->seed } };
    if (!s.o.fit) s.o.fit = crease_cp_fit_envelope;
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
    crs_rank_pruned_free(&s.pruned);
    crs_free(s.fit);
    crs_free(s.lot);
    if (done) return s.t;
    crease_cp_rank_table_free(s.t);
    return NULL;
}
