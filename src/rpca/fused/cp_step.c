/* SPDX-License-Identifier: MIT
 * cp_step: one iteration, and its statistics */
#include "rpca/fused/state.h"

/* |p a + q b| from |a|^2, |b|^2 and <a, b> */
static double combined(double p, double aa, double q, double bb, double ab)
{
    return sqrt(pos(p * p * aa + 2 * p * q * ab + q * q * bb));
}

/* From the optimality of the steps, z = beta - 1/gamma and ell as in cp_rule.c:
 *   Lambda - g = h_e dE - beta (dZ + dB),   2 (Z - [[X]]) - Lambda = beta dB - h_z dZ,
 *   w B - Lambda = (w + z) dB, or (w - ell) dB;   BCD: beta dB = 0, and w dZ for beta dZ in g's */
static void residuals(crs_cp_fused *s)
{
    crs_cp_statistics *a = &s->statistics;
    const double *sum = s->sums, beta = s->rule.beta, pull = s->rule.at[1].pull;
    const double dz = sum[CRS_SUM_DZ], db = sum[CRS_SUM_DB], both = sum[CRS_SUM_DZ_DB];
    const double unseen = sum[CRS_SUM_DB_UNSEEN];
    const crs_cp_entry *on = &s->rule.at[1], *off = &s->rule.at[0];
    a->residual_e = s->rule.h_e * sqrt(a->move_e) + combined(pull, dz, pull, db, both);
    a->residual_z = combined(beta, db, -s->rule.h_z, dz, both);
    a->residual_b =
        sqrt(square(on->lambda_older) * (db - unseen) + square(off->lambda_older) * unseen);
}

/* What no stop needs. */
static void values(crs_cp_fused *s)
{
    crs_cp_statistics *a = &s->statistics;
    const double *sum = s->sums;
    a->fit = sum[CRS_SUM_FIT];
    a->noise = sum[CRS_SUM_NOISE];
    a->penalty = sum[CRS_SUM_PENALTY];
    a->objective = a->fit + a->penalty + s->c.alpha_noise * a->noise + crs_cp_half_squares(s);
    a->feasibility = sqrt(sum[CRS_SUM_FEASIBLE]);
    residuals(s);
    if (s->rule.full) return;
    a->objective = a->fit = a->penalty = a->noise = a->feasibility = NAN;
    a->residual_e = a->residual_z = a->residual_b = NAN;
}

static void summarize(crs_cp_fused *s)
{
    crs_cp_statistics *a = &s->statistics;
    const double *sum = s->sums;
    const bool admm = s->c.method != CRS_CP_BCD;
    a->move_e = sum[CRS_SUM_DE];
    a->move_z = sum[CRS_SUM_DZ];
    a->move_b = sum[CRS_SUM_DB];
    a->moves = a->move_e + a->move_z + a->move_b;
    for (int n = 0; n < s->c.shape.order; n++) a->moves += a->move_factor[n];
    a->theta = a->moves + (admm ? s->moves_before : 0);
    s->moves_before = a->moves;
    a->nonzeros = (ptrdiff_t)sum[CRS_SUM_NONZERO];
    values(s);
    crs_cp_potential(s);
    a->iteration++;
}

void crs_cp_fused_step(crs_cp_fused *s)
{
    if (s->c.accelerate && s->statistics.iteration > 0) crs_cp_accelerate(s);
    crs_cp_update_rows(s);    /* X_1 .. X_{split} from y = Z K */
    crs_cp_pass_collect(s);   /* w = Z'V */
    crs_cp_update_columns(s); /* the other X_n from w */
    crs_cp_pass_entries(s);   /* E, Z, B; Lambda along with them; the next y */
    s->next = &s->rule;
    summarize(s);
}

const crs_cp_statistics *crs_cp_fused_statistics(const crs_cp_fused *s) { return &s->statistics; }
const double *crs_cp_fused_factor(const crs_cp_fused *s, int n) { return s->factor[n]; }

/* Streams of the two passes: T, Z, B and the older one are read, Z and B written, E both while it
 * is dense, the mask read; then Z is read again. */
double crs_cp_fused_traffic(const crs_cp_fused *s)
{
    const double n = (double)s->grid.left * (double)s->grid.right;
    const ptrdiff_t tiles = s->grid.blocks * s->grid.chunks;
    double dense = 0;
    for (ptrdiff_t k = 0; k < tiles; k++) dense += s->stored[k] < 0;
    const double streams = 4 + (s->B ? 2 : 0) + (s->has_older ? 1 : 0) + 2 * dense / (double)tiles;
    return n * ((double)s->size * streams + (s->c.mask ? 1 : 0));
}

double crs_cp_fused_flops(const crs_cp_fused *s)
{
    return 6 * (double)s->grid.left * (double)s->grid.right * (double)s->c.rank;
}
