/* SPDX-License-Identifier: MIT
 * admm_exact: proximal ADMM with the last block minimized exactly; f separable and quadratic in
 * it, A_N = c I
 *
 * The case ell = D of Algorithm 3 of Jiang, Lin, Ma, Zhang 2019; its sharper theorem is R2 of
 * docs/theory.md. With b' = beta c^2 and D the eigenvalues of the quadratic: -b'/2 < D < b'; L_beta
 * itself drops by (b' - D)(b' + 2D)/(2b') |dx_N|^2; L_beta >= f* + sum r_i*; c lambda^{k+1} =
 * grad_N f(x^{k+1}). */
#include "method/method.h"

static void recipe(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    const double c2 = square(a->map_scale), low = a->last_low, high = a->last_high;
    const double size = larger(fabs(low), fabs(high)), bound = larger(high, -2 * low);
    const double factor = a->mode == CREASE_MODE_THEORY ? 2 : 1.5;
    const double b = o->beta > 0 ? o->beta * c2
                     : bound > 0 ? factor * bound
                                 : crs_free_beta(a) * c2;
    const double at_low = (b - low) * (b + 2 * low) / (2 * b);
    const double at_high = (b - high) * (b + 2 * high) / (2 * b);
    const double drop = smaller(at_low, at_high);
    (void)p;
    a->theorem = "R2: ADMM with the quadratic last block minimized exactly";
    a->beta = b / c2;
    a->slack = bound > 0 ? b / bound : INFINITY;
    crs_note(a, "beta c^2 > D", -1, when(b > bound), a->slack,
             "beta = %g is %.3g times its bound %g", a->beta, a->slack, bound / c2);
    crs_set_h(o, a, a->mode == CREASE_MODE_THEORY ? 2 * drop / c2 : 0.02 * a->beta, 0);
    a->theta_factor = 1;
    a->last_weight = c2;
    a->potential_weight = 0;
    a->decrease = smaller(drop / c2, crs_least_h(a) / 2);
    a->kappa = larger(crs_kappa_blocks(a), size * size / (c2 * c2 * a->beta * a->beta));
}

/* x_N <- argmin f(.., x_N) + (beta c^2/2)|x_N - v|^2,
 * v = lambda/(beta c) - (sum_{i<N} A_i x_i - b)/c */
static void minimize_last(crs_state *st)
{
    const crease_blocks b = crs_blocks(st->p);
    const crease_smooth *f = &st->p->f;
    const int N = st->a->last;
    const double c = st->a->map_scale, beta = st->a->beta;
    for (ptrdiff_t j = 0, n = crease_size(&st->p->space[N]); j < n; j++)
        st->v[j] = (st->lambda[j] / beta - (st->s[j] - c * st->x[N][j])) / c;
    if (!f->ops->argmin(f, &b, points(st->x), N, beta * c * c, st->v, INFINITY, st->y, st->work))
        fill(crease_size(&st->p->space[N]), NAN, st->y); /* unbounded: beta was set too small */
    st->evaluations++;
    crs_move_to(st, N, st->y);
}

static void step(crs_state *st)
{
    /* Step 1: x_i <- argmin L_beta(.., x_i, ..) + (1/2)|x_i - x_i^k|_{H_i}^2,  i < N */
    crs_all_blocks_but_last(st);

    /* Step 2: x_N <- argmin L_beta(.., x_N) */
    if (!crs_factored_step(st, st->a->last, 0)) minimize_last(st);

    /* Step 3: lambda <- lambda - beta (sum A_i x_i - b) */
    crs_multiplier_step(st);
}

const crs_method crs_admm_exact = {
    .constrained = true,
    .accelerate = true,
    .reads = CRS_READS_POTENTIAL | CRS_READS(beta) | CRS_READS(h),
    .recipe = recipe,
    .step = step,
};
