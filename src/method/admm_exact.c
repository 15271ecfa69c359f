/* SPDX-License-Identifier: MIT
 * admm_exact: proximal ADMM with the last block minimized exactly; f separable and quadratic in
 * it, A_N = c I
 *
 * The case ell = D of Algorithm 3 of Jiang, Lin, Ma, Zhang 2019; its sharper theorem is R2 of
 * docs/theory.md: c lambda^{k+1} = grad_N f(x^{k+1}), and L_beta itself decreases. */
#include "method/method.h"

static void step(crs_state *st)
{
    const crease_blocks b = crs_blocks(st->p);
    const crease_smooth *f = &st->p->f;
    const int N = st->a->last;
    const double c = st->a->map_scale, beta = st->a->beta;

    /* Step 1: x_i <- argmin L_beta(.., x_i, ..) + (1/2)|x_i - x_i^k|_{H_i}^2,  i < N */
    crs_all_blocks_but_last(st);

    /* Step 2: x_N <- argmin f(.., x_N) + (beta c^2/2)|x_N - v|^2,
     *         v = lambda/(beta c) - (sum_{i<N} A_i x_i - b)/c                            */
    for (ptrdiff_t j = 0, n = crease_size(&st->p->space[N]); j < n; j++)
        st->v[j] = (st->lambda[j] / beta - (st->s[j] - c * st->x[N][j])) / c;
    if (!f->ops->argmin(f, &b, points(st->x), N, beta * c * c, st->v, INFINITY, st->y, st->work))
        fill(crease_size(&st->p->space[N]), NAN, st->y); /* unbounded: beta was set too small */
    st->evaluations++;
    crs_move_to(st, N, st->y);

    /* Step 3: lambda <- lambda - beta (sum A_i x_i - b) */
    crs_multiplier_step(st);
}

const crs_method crs_admm_exact = { .name = "admm-m", .accelerate = true, .step = step };
