/* SPDX-License-Identifier: MIT
 * cp_rank_judge: the rank a table of fits recommends, and the sentence that says why */
#include <stdio.h>

#include "model/cp_rank_judge.h"
#include "tensor/tensor.h"

static const double minor = 3;

/* Consistent enough; where that is not defined, unless a smaller rank already was not. */
static bool sound(const crs_rank_judge *s, ptrdiff_t at)
{
    const crease_cp_rank_row *row = s->t->row;
    if (row[at].consistency == row[at].consistency) return row[at].consistency >= s->least;
    for (ptrdiff_t k = 0; k < at; k++)
        if (row[k].consistency < s->least) return false;
    return true;
}

/* 4 %, and half the standard error of the median of n numbers |N(0,1)|, 1.17/sqrt(n) of it: the
 * ranks share their entries, so that most of that error is common to them. */
static double near_best(const crs_rank_judge *s)
{
    return 1.04 + 0.5 * 1.17 / sqrt((double)more(1, s->held_out));
}

/* The smallest near the best of the sound ones; where none is sound, of all. */
ptrdiff_t crs_rank_nearly_best(const crs_rank_judge *s)
{
    const crease_cp_rank_row *row = s->t->row;
    bool any = false;
    double best = INFINITY;
    for (ptrdiff_t k = 0; k < s->t->count; k++) any = any || sound(s, k);
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        if (!any || sound(s, k)) best = smaller(best, row[k].held_out);
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        if ((!any || sound(s, k)) && row[k].held_out <= near_best(s) * best) return k;
    return 0;
}

/* What the terms that make row k of row m gain, each; medians would not see a term that lives on
 * few entries */
static double gain(const crease_cp_rank_row *row, ptrdiff_t m, ptrdiff_t k)
{
    return (row[m].loss - row[k].loss) / (double)(row[k].rank - row[m].rank);
}

/* Of low consistency, or of an unknown one without a great gain to speak for it */
bool crs_rank_doubtful(const crs_rank_judge *s, ptrdiff_t k)
{
    const crease_cp_rank_row *row = s->t->row;
    if (row[k].consistency == row[k].consistency) return row[k].consistency < 99;
    return k > 0 && !(row[k].held_out <= 0.5 * row[k - 1].held_out);
}

/* The nearest row before k whose term gains much more than those after it; k: none */
static ptrdiff_t last_of_weight(const crs_rank_judge *s, ptrdiff_t k)
{
    const crease_cp_rank_row *row = s->t->row;
    for (ptrdiff_t m = k - 1; m >= 1; m--)
        if (sound(s, m) && gain(row, m - 1, m) >= minor * gain(row, m, k)) return m;
    return k;
}

/* Last terms of doubtful consistency that gain little against the one before them are left out:
 * Timmerman, Kiers, Three-mode principal components analysis, 2000 (DIFFIT). */
ptrdiff_t crs_rank_recommend(const crs_rank_judge *s)
{
    ptrdiff_t k = crs_rank_nearly_best(s), before = -1;
    while (k != before && crs_rank_doubtful(s, k)) {
        before = k;
        k = last_of_weight(s, k);
    }
    return k;
}

void crs_rank_explain(const crs_rank_judge *s)
{
    const ptrdiff_t at = crs_rank_recommend(s), near = crs_rank_nearly_best(s);
    const crease_cp_rank_row *r = &s->t->row[at];
    char below[100] = "no smaller rank was tried", core[40] = "not defined", why[160];
    s->t->rank = r->rank;
    if (at > 0) snprintf(below, sizeof below, "rank %td leaves %.3g", r[-1].rank, r[-1].held_out);
    if (r->consistency == r->consistency) snprintf(core, sizeof core, "%.0f %%", r->consistency);
    if (at == near)
        snprintf(why, sizeof why, "the smallest within %.0f %% of the least",
                 100 * (near_best(s) - 1));
    else
        snprintf(
            why, sizeof why,
            "rank %td would gain %.3g of loss after %.3g by this one, at a core consistency of "
            "%.0f %%",
            r[1].rank, gain(r, 0, 1), gain(r, -1, 0), r[1].consistency);
    snprintf(
        s->t->reason, sizeof s->t->reason,
        "rank %td has a median error of %.3g on held-out entries, %s; %s; its core consistency "
        "is %s",
        r->rank, r->held_out, why, below, core);
}
