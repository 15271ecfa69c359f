/* SPDX-License-Identifier: MIT
 * cp_rank_judge: the rank a table of fits recommends, and the sentence that says why */
#include <stdio.h>

#include "rpca/cp_rank_judge.h"
#include "tensor/tensor.h"

static const double minor = 3;

/* Where consistency is not defined, unless a smaller rank already was not sound. */
bool crs_rank_sound(const crs_rank_judge *s, ptrdiff_t at)
{
    const crease_cp_rank_row *row = s->t->row;
    if (row[at].consistency == row[at].consistency) return row[at].consistency >= s->least;
    for (ptrdiff_t k = 0; k < at; k++)
        if (row[k].consistency < s->least) return false;
    return true;
}

/* Where no row is sound every row may be recommended. */
static bool allowed(const crs_rank_judge *s, ptrdiff_t at)
{
    bool any = false;
    for (ptrdiff_t k = 0; k < s->t->count; k++) any = any || crs_rank_sound(s, k);
    return !any || crs_rank_sound(s, at);
}

ptrdiff_t crs_rank_best(const crs_rank_judge *s)
{
    ptrdiff_t best = -1;
    for (ptrdiff_t k = 0; k < s->t->count; k++)
        if (allowed(s, k) && (best < 0 || s->t->row[k].loss < s->t->row[best].loss)) best = k;
    return best;
}

ptrdiff_t crs_rank_nearly_best(const crs_rank_judge *s)
{
    const ptrdiff_t best = crs_rank_best(s);
    ptrdiff_t k = 0;
    while (k < best && (!allowed(s, k) || crs_rank_worse(s, k, best))) k++;
    return k;
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
    for (ptrdiff_t m = k - 1; m >= 1; m--)
        if (crs_rank_sound(s, m) &&
            crs_rank_gain(s, m - 1, m, k) >= minor * crs_rank_gain(s, m, k, k))
            return m;
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

static void doubt(const crs_rank_judge *s, ptrdiff_t at, size_t size, char *out)
{
    const crease_cp_rank_row *row = s->t->row;
    const ptrdiff_t rival = crs_rank_rival(s, at);
    out[0] = 0;
    if (rival < 0) return;
    const double by = row[rival].loss - row[at].loss, error = crs_rank_error(s, at, rival);
    snprintf(out, size, "; this is not sure: rank %td is %s by %.1f standard errors only",
             row[rival].rank, by < 0 ? "better" : "worse", fabs(by) / error);
}

void crs_rank_explain(const crs_rank_judge *s)
{
    const ptrdiff_t at = crs_rank_recommend(s), near = crs_rank_nearly_best(s);
    const crease_cp_rank_row *r = &s->t->row[at];
    char below[100] = "no smaller rank was tried", core[40] = "not defined", why[160], unsure[100];
    s->t->rank = r->rank;
    if (at > 0) snprintf(below, sizeof below, "rank %td leaves %.3g", r[-1].rank, r[-1].held_out);
    if (r->consistency == r->consistency) snprintf(core, sizeof core, "%.0f %%", r->consistency);
    if (at == near)
        snprintf(why, sizeof why, "the smallest whose loss is not above the least");
    else
        snprintf(
            why, sizeof why,
            "rank %td would gain %.3g of the squares after %.3g by this one, at a core consistency "
            "of %.0f %%",
            r[1].rank, crs_rank_gain(s, at, at + 1, near), crs_rank_gain(s, at - 1, at, near),
            r[1].consistency);
    doubt(s, at, sizeof unsure, unsure);
    snprintf(
        s->t->reason, sizeof s->t->reason,
        "rank %td has a median error of %.3g on held-out entries, %s; %s; its core consistency "
        "is %s%s",
        r->rank, r->held_out, why, below, core, unsure);
}
