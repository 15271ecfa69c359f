/* SPDX-License-Identifier: MIT
 * cp_potential: the potential of the running method, from the sums of its pass
 *
 * BCD: the objective F. ADMM: Psi = F - <Lambda, s> + (beta/2)|s|^2 + omega |dB|^2,
 * s = Z + E + B - T. The multiplier's step s = (Lambda^k - Lambda)/beta leaves of the middle terms
 *   beta |s|^2 + (|Lambda|^2 - |Lambda^k|^2)/(2 beta),
 * and with Lambda = w B - a dB (cp_rule.c), a = lambda_older,
 *   |Lambda|^2 = w^2 |B|^2 - 2 w a <B, dB> + a^2 |dB|^2,  2 <B, dB> = |B|^2 - |B^k|^2 + |dB|^2,
 * where w = 0 at entries that are not observed. Nothing is read again. */
#include "rpca/fused/state.h"

double crs_cp_half_squares(const crs_cp_fused *s)
{
    const ptrdiff_t rank = s->c.rank;
    double sum = 0;
    for (int n = 0; s->c.nu > 0 && n < s->c.shape.order; n++)
        for (ptrdiff_t r = 0; r < rank; r++) sum += s->gram[n][r * rank + r];
    return s->c.nu / 2 * sum;
}

void crs_cp_potential_start(crs_cp_fused *s, bool b, bool lambda)
{
    const ptrdiff_t n = crease_size(&s->c.shape);
    s->noise = s->lambdas = 0;
    s->momentum = 0;
    s->potential = NAN; /* its Lambda is none that a step has made */
    if (!s->B) return;
    for (ptrdiff_t j = 0; b && j < n; j++)
        if (!s->c.mask || s->c.mask[j]) s->noise += square(entry_of(s, s->B, j));
    for (ptrdiff_t j = 0; lambda && s->has_older && j < n; j++)
        s->lambdas += square(entry_of(s, s->older, j));
    if (!s->has_older) s->lambdas = square(s->rule.at[1].weight) * s->noise;
}

/* |Lambda|^2 after a step */
static double multiplier(const crs_cp_fused *s)
{
    const crs_cp_entry *on = &s->rule.at[1], *off = &s->rule.at[0];
    const double unseen = s->sums[CRS_SUM_DB_UNSEEN], moved = s->sums[CRS_SUM_DB] - unseen;
    const double noise = s->sums[CRS_SUM_NOISE], w = on->weight, a = on->lambda_older;
    return w * w * noise - w * a * (noise - s->noise + moved) + a * a * moved +
           square(off->lambda_older) * unseen;
}

void crs_cp_potential(crs_cp_fused *s)
{
    crs_cp_statistics *a = &s->statistics;
    a->from = s->potential;
    a->potential = a->objective;
    if (s->B) {
        const double lambdas = multiplier(s), beta = s->c.beta;
        a->potential += beta * s->sums[CRS_SUM_FEASIBLE] + (lambdas - s->lambdas) / (2 * beta) +
                        s->c.potential_weight * a->move_b;
        s->lambdas = lambdas;
        s->noise = a->noise;
    }
    s->potential = a->potential;
}
