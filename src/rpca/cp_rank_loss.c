/* SPDX-License-Identifier: MIT
 * cp_rank_loss: rows of a table of ranks compared entry by entry
 *
 * The loss is the mean over the entries held out of min(|r|, t)^2, t three robust deviations of the
 * best row: an outlier counts the same for every rank. All rows have the same entries, so that the
 * noise and the outliers among them cancel in the difference of two rows, and its standard error
 * is that of the mean of the differences. */
#include "rpca/cp_rank_judge.h"

static const double deviations = 3, trifle = 0.01, chance = 1, sure = 2; /* standard errors */

/* Of the noise: by the row of least median that is sound; by any if none is. */
static double deviation(const crs_rank_judge *s)
{
    double least = INFINITY, any = INFINITY;
    for (ptrdiff_t k = 0; k < s->t->count; k++) {
        any = smaller(any, s->t->row[k].held_out);
        if (crs_rank_sound(s, k)) least = smaller(least, s->t->row[k].held_out);
    }
    return (least < INFINITY ? least : any) / 0.6745;
}

double crs_rank_error(const crs_rank_judge *s, ptrdiff_t k, ptrdiff_t b)
{
    const double *x = s->residual[k], *y = s->residual[b], t = deviations * deviation(s);
    const double n = (double)s->held_out, mean = s->t->row[k].loss - s->t->row[b].loss;
    double sum = 0;
    for (ptrdiff_t j = 0; j < s->held_out; j++)
        sum += square(square(smaller(x[j], t)) - square(smaller(y[j], t)) - mean);
    return n > 1 ? sqrt(sum / (n * (n - 1))) : 0;
}

void crs_rank_losses(const crs_rank_judge *s)
{
    const double t = deviations * deviation(s);
    for (ptrdiff_t k = 0; k < s->t->count; k++) {
        double sum = 0;
        for (ptrdiff_t j = 0; j < s->held_out; j++) sum += square(smaller(s->residual[k][j], t));
        s->t->row[k].loss = s->held_out > 0 ? sum / (double)s->held_out : 0;
    }
    const ptrdiff_t best = crs_rank_best(s);
    for (ptrdiff_t k = 0; k < s->t->count; k++) {
        s->t->row[k].excess = s->t->row[k].loss - s->t->row[best].loss;
        s->t->row[k].error = crs_rank_error(s, k, best);
    }
}

double crs_rank_gain(const crs_rank_judge *s, ptrdiff_t m, ptrdiff_t k, ptrdiff_t of)
{
    const double *x = s->residual[m], *y = s->residual[k], *z = s->residual[of];
    const double t = deviations / 0.6745 * s->t->row[of].held_out;
    double sum = 0, count = 0;
    for (ptrdiff_t j = 0; j < s->held_out; j++)
        if (z[j] <= t) sum += square(x[j]) - square(y[j]), count++;
    return count > 0 ? sum / count / (double)(s->t->row[k].rank - s->t->row[m].rank) : 0;
}

static double more_loss(const crs_rank_judge *s, ptrdiff_t k, ptrdiff_t b)
{
    const double more = s->t->row[k].loss - s->t->row[b].loss;
    return more > trifle * square(deviation(s)) ? more : 0;
}

/* Breiman, Friedman, Olshen, Stone, Classification and regression trees, 1984: one standard error
 */
bool crs_rank_worse(const crs_rank_judge *s, ptrdiff_t k, ptrdiff_t b)
{
    const double more = more_loss(s, k, b);
    return more > 0 && more > chance * crs_rank_error(s, k, b);
}

ptrdiff_t crs_rank_rival(const crs_rank_judge *s, ptrdiff_t at)
{
    const ptrdiff_t best = crs_rank_best(s);
    if (best > at && more_loss(s, at, best) > 0 && crs_rank_nearly_best(s) == at) return best;
    if (at == 0 || more_loss(s, at - 1, at) > sure * crs_rank_error(s, at - 1, at)) return -1;
    return at - 1;
}
