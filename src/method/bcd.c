/* SPDX-License-Identifier: MIT
 * bcd: proximal block coordinate descent, and with H_i = 0 the classical one
 *
 * Jiang, Lin, Ma, Zhang 2019, Algorithm 4: F(x^{k+1}) <= F(x^k) - (1/2) sum |dx_i|_{H_i}^2. */
#include "method/method.h"

static void step(crs_state *st)
{
    /* x_i <- argmin F(.., x_i, ..) + (1/2)|x_i - x_i^k|_{H_i}^2,  i = 1..N */
    for (int i = 0; i < st->p->count; i++) crs_block_step(st, i);
}

const crs_method crs_bcd = { .name = "prox-bcd", .accelerate = true, .step = step };
