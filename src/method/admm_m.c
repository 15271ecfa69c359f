/* SPDX-License-Identifier: MIT
 * admm_m: proximal ADMM-m, a majorized step on the last block; A_N of full row rank
 *
 * Jiang, Lin, Ma, Zhang 2019, Algorithm 3, with ell >= L_N in place of L. Theorem 3.18. */
#include "method/last_solver.h"

static void step(crs_state *st)
{
    const int N = st->a->last;

    /* Step 1: x_i <- argmin L_beta(.., x_i, ..) + (1/2)|x_i - x_i^k|_{H_i}^2,  i < N */
    crs_all_blocks_but_last(st);

    /* Step 2: x_N <- x_N - (ell I + beta A_N'A_N)^{-1} grad_N L_beta */
    crs_lagrangian_grad(st, N, st->g);
    crs_last_solve(st, st->g, st->y);
    for (ptrdiff_t j = 0, n = crease_size(&st->p->space[N]); j < n; j++)
        st->y[j] = st->x[N][j] - st->y[j];
    crs_move_to(st, N, st->y);

    /* Step 3: lambda <- lambda - beta (sum A_i x_i - b) */
    crs_multiplier_step(st);
}

const crs_method crs_admm_m = {
    .name = "admm-m",
    .accelerate = true,
    .solver_size = crs_last_solver_size,
    .prepare = crs_last_solver_prepare,
    .step = step,
};
