/* SPDX-License-Identifier: MIT
 * cp_rank_mend: rows of a table whose fit has failed. A model of one more term contains the smaller
 * one, so that a row that fits no better than the row before it, though the row after it does, has
 * stopped in a local minimum: it is fitted again from that larger model without its weakest term */
#include "rpca/cp_rank_sweep.h"
#include "rpca/cp_sweep.h"

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
static bool start_from_above(crs_rank_sweep *s, ptrdiff_t rank, crease_error *e)
{
    const crease_space *shape = &s->r.shape;
    crs_rank_pruned *p = &s->pruned;
    double *x[CREASE_MAX_ORDER] = { NULL }, objective;
    bool done = true;
    crs_rank_pruned_free(p);
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

bool crs_rank_mend(crs_rank_sweep *s, crease_error *e)
{
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        if (failed(s->t, k) &&
            (!start_from_above(s, s->t->row[k].rank, e) || !crs_rank_again(s, k, e)))
            return false;
    return true;
}
