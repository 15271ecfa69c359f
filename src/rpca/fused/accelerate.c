/* SPDX-License-Identifier: MIT
 * cp_accelerate: safeguarded extrapolation of the factors
 *
 * The candidate has X_n + theta (X_n - X_n^{k-1}) and, as minimizers for these, E, Z and B, with
 * Lambda = 2 alpha_N W o B and B^{k-1} = B: its potential is its objective. If that is larger than
 * the iterate's potential, the same is done with theta = 0, which never is. Every bound of the
 * plain method stays true (docs/theory.md, extrapolation of factors). Restarts after O'Donoghue
 * and Candes 2015; for alternating least squares Mitchell, Ye, De Sterck 2020. */
#include "rpca/fused/state.h"

/* The objective at the factors, all else eliminated. */
static double eliminate(crs_cp_fused *s)
{
    const double w = s->rule.at[1].weight;
    for (int n = 0; n < s->c.shape.order; n++) crs_cp_gram(s, n);
    s->next = &s->eliminated;
    crs_cp_pass_entries(s);
    s->next = s->B ? &s->tied : &s->rule;
    s->statistics.eliminations++;
    s->noise = s->sums[CRS_SUM_NOISE];
    s->lambdas = w * w * s->noise;
    return s->sums[CRS_SUM_PENALTY] + w / 2 * (1 + w / 2) * s->noise + crs_cp_half_squares(s);
}

/* Where the multiplier is tied to B closely enough, Psi is at least the objective at the feasible
 * point (X, E, Z, B - s), so that elimination does not raise it. */
static bool safe(const crs_cp_fused *s)
{
    for (int seen = 0; s->B && seen < 2; seen++) {
        const crs_cp_entry *c = &s->rule.at[seen];
        const double room = 2 * s->c.potential_weight * (s->c.beta - c->weight);
        if (!(square(c->lambda_older) <= room * (1 + 0x1p-40) && s->c.beta >= c->weight))
            return false;
    }
    return s->rule.at[1].weight > 0;
}

void crs_cp_accelerate(crs_cp_fused *s)
{
    const double theta = (double)s->momentum / (double)(s->momentum + 3);
    const ptrdiff_t rank = s->c.rank;
    if (!safe(s)) return;
    for (int n = 0; n < s->c.shape.order; n++) {
        const ptrdiff_t size = s->c.shape.dim[n] * rank;
        double *x = s->factor[n];
        copy(size, x, s->kept[n]);
        for (ptrdiff_t j = 0; j < size; j++) x[j] += theta * (x[j] - s->before[n][j]);
        copy(size, s->kept[n], s->before[n]);
    }
    const double candidate = eliminate(s);
    if (candidate <= s->potential) {
        s->potential = candidate;
        s->statistics.accelerated += s->momentum > 0;
        s->momentum++;
        return;
    }
    for (int n = 0; n < s->c.shape.order; n++)
        copy(s->c.shape.dim[n] * rank, s->kept[n], s->factor[n]);
    s->potential = eliminate(s);
    s->momentum = 1;
}
