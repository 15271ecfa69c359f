/* SPDX-License-Identifier: MIT
 * admm_g: proximal ADMM-g, a gradient step on the last block; A_N = c I
 *
 * Jiang, Lin, Ma, Zhang 2019, Algorithm 2. Covered by Theorem 3.12 with M in place of L, or for a
 * separable last block, with gamma = 1/(beta c^2), by the sharper theorem R1 of docs/theory.md. */
#include "method/method.h"

static void step(crs_state *st)
{
    const int N = st->a->last;

    /* Step 1: x_i <- argmin L_beta(.., x_i, ..) + (1/2)|x_i - x_i^k|_{H_i}^2,  i < N */
    crs_all_blocks_but_last(st);

    /* Step 2: x_N <- x_N - gamma grad_N L_beta */
    crs_lagrangian_grad(st, N, st->g);
    for (ptrdiff_t j = 0, n = crease_size(&st->p->space[N]); j < n; j++)
        st->y[j] = st->x[N][j] - st->a->gamma * st->g[j];
    crs_move_to(st, N, st->y);

    /* Step 3: lambda <- lambda - beta (sum A_i x_i - b) */
    crs_multiplier_step(st);
}

const crs_method crs_admm_g = { .name = "admm-g", .accelerate = true, .step = step };
