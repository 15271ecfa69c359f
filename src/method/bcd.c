/* SPDX-License-Identifier: MIT
 * bcd: proximal block coordinate descent, and with H_i = 0 the classical one
 *
 * Jiang, Lin, Ma, Zhang 2019, Algorithm 4: F(x^{k+1}) <= F(x^k) - (1/2) sum |dx_i|_{H_i}^2 (prox
 * steps: H_i - L_i). tau = (1/2) min h, kappa_5 = (L + max |H_i|)^2; the bound is least for exact
 * steps with h = L and prox steps with tau_i = 3 L (docs/theory.md, BCD). */
#include "method/method.h"

static void weights(const crease_options *o, crease_analysis *a)
{
    const bool theory = a->mode == CREASE_MODE_THEORY;
    for (int i = 0; i < a->count; i++) {
        crease_block_plan *plan = &a->block[i];
        const double L = plan->lipschitz, joint = a->L < INFINITY ? a->L : L;
        if (crs_method_for(a)->unproximal && plan->exact) continue;
        if (o->h > 0)
            plan->h = o->h;
        else if (plan->exact)
            plan->h = theory && joint < INFINITY ? joint : 1e-3 * (L < INFINITY && L > 0 ? L : 1);
        else if (theory && joint < INFINITY)
            plan->h = 3 * joint - L;
        else
            plan->h_relative = theory ? 2 : 0.05;
        if (!(plan->h + times(plan->h_relative, L) > 0)) plan->h = 1; /* L_i = 0 */
    }
}

static void recipe(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    (void)p;
    weights(o, a);
    a->theorem = "Theorem 4.5, from F(x^0)";
    a->theta_factor = a->last_weight = 1;
    a->decrease = crs_least_h(a) / 2;
    a->kappa = crs_kappa_blocks(a);
    if (crs_method_for(a)->unproximal) {
        crs_note(a, "H_i > 0", -1, CREASE_VIOLATED, 0,
                 "classical BCD has no proximal term; use prox-bcd for a guarantee");
        return;
    }
    crs_note(a, "H_i > L_i", -1, when(a->decrease > 0), 2 * a->decrease,
             "every block step decreases F by at least half this times |dx_i|^2");
}

static bool suits(const crease_problem *p, const crease_options *o, crs_last last)
{
    (void)p, (void)o, (void)last;
    return true;
}

static void step(crs_state *st)
{
    /* x_i <- argmin F(.., x_i, ..) + (1/2)|x_i - x_i^k|_{H_i}^2,  i = 1..N */
    crs_all_blocks_but_last(st);
}

const crs_method crs_method_prox_bcd = {
    .accelerate = true,
    .reads = CRS_READS_POTENTIAL | CRS_READS(h),
    .suits = suits,
    .recipe = recipe,
    .step = step,
};

const crs_method crs_method_bcd = {
    .unproximal = true,
    .accelerate = true,
    .reads = CRS_READS_POTENTIAL,
    .recipe = recipe,
    .step = step,
};
