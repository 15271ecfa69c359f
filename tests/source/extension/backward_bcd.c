/* SPDX-License-Identifier: MIT
 * backward_bcd: proximal block coordinate descent from the last block to the first
 *
 * Jiang, Lin, Ma, Zhang 2019, Theorem 4.5, which does not depend on the order of the blocks: every
 * step decreases F by at least (1/2)|dx_i|^2 times H_i - L_i (H_i, where it is exact). */
#include "method/method.h"

static void recipe(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    (void)p;
    for (int i = 0; i < a->count; i++) {
        const double L = a->block[i].lipschitz;
        a->block[i].h = o->h > 0 ? o->h : L > 0 && L < INFINITY ? 2 * L : 1;
    }
    a->theorem = "Theorem 4.5, from F(x^0)";
    a->theta_factor = a->last_weight = 1;
    a->decrease = crs_least_h(a) / 2;
    a->kappa = crs_kappa_blocks(a);
    crs_note(a, "H_i > L_i", -1, when(a->decrease > 0), 2 * a->decrease,
             "every block step decreases F by at least half this times |dx_i|^2");
}

static void step(crs_state *st)
{
    /* x_i <- argmin F(.., x_i, ..) + (1/2)|x_i - x_i^k|_{H_i}^2,  i = N..1 */
    for (int i = st->p->count - 1; i >= 0; i--) crs_block_step(st, i);
}

const crs_method crs_method_backward_bcd = {
    .reads = CRS_READS_ITERATES | CRS_READS(audit) | CRS_READS(h),
    .recipe = recipe,
    .step = step,
};
