/* SPDX-License-Identifier: MIT
 * admm_m: proximal ADMM-m, a majorized step on the last block; A_N of full row rank
 *
 * Jiang, Lin, Ma, Zhang 2019, Algorithm 3, with ell >= L_N in place of L. Theorem 3.18 with M for
 * L: tau_N = ell - L_N/2 - 3(2 ell^2 + M^2)/(b sigma), c_H = 3 M^2/(b sigma); with ell = M the
 * paper's b > 18 M/sigma. M = 0 leaves b free and asks for ell < b sigma/6. */
#include "method/method.h"

static void recipe(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    const double sigma = a->sigma_last;
    const double M = a->mode == CREASE_MODE_PAPER ? larger(a->M, a->L) : a->M;
    const double bound = 18 * M / sigma, times = a->mode == CREASE_MODE_PRACTICAL ? 1.2 : 1.5;
    const double b = o->beta > 0             ? o->beta
                     : M > 0 && M < INFINITY ? times * bound
                                             : crs_free_beta(a);
    const double ell = M > 0 && M < INFINITY ? M : b * sigma / 12, LN = smaller(a->L_last, M);
    const double cH = 3 * M * M / (b * sigma);
    const double drop = ell - LN / 2 - 3 * (2 * ell * ell + M * M) / (b * sigma);
    (void)p;
    a->theorem = a->mode == CREASE_MODE_PAPER ? "Theorem 3.18" : "Theorem 3.18 with M for L (R0)";
    a->beta = b;
    a->ell = ell;
    a->slack = bound > 0 ? b / bound : INFINITY;
    crs_note(a, "A_N of full row rank", -1, when(sigma > 0), sigma,
             "lambda_min(A_N A_N') is at least this");
    crs_note(a, "beta > 18 M/sigma_N", -1, M < INFINITY ? when(drop > 0) : CREASE_UNKNOWN, a->slack,
             "beta = %g is %.3g times its bound %g", b, a->slack, bound);
    crs_set_h(o, a,
              a->mode == CREASE_MODE_PRACTICAL ? 2.2 * cH + 0.02 * b
                                               : larger(5 * M / 9, 2.5 * cH + 1e-3 * b),
              2 * cH);
    a->theta_factor = 2;
    a->potential_weight = 3 * (M * M + ell * ell) / (b * sigma);
    a->last_weight = 1;
    a->decrease = smaller(drop, crs_least_h(a) / 2 - cH);
    const double k1 = 3 * (M * M + ell * ell) / (b * b * sigma), k2 = square(ell + LN);
    a->kappa = larger(crs_kappa_blocks(a), larger(k1, k2));
}

static bool suits(const crease_problem *p, const crease_options *o, crs_last last)
{
    (void)p, (void)o;
    return last >= CRS_FULL_RANK;
}

static bool check(const crease_problem *p, crs_last last, crease_error *e)
{
    (void)p;
    return last >= CRS_FULL_RANK ||
           crs_fail(
               e, CREASE_UNSUPPORTED,
               "admm-m needs a last block with r = 0, no set and A_N of full row rank "
               "(sigma_N > 0), and no block is like that; use the extension, which needs none");
}

static double pull(const crease_analysis *a) { return -a->ell; }

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

const crs_method crs_method_admm_m = {
    .constrained = true,
    .accelerate = true,
    .reads = CRS_READS_POTENTIAL | CRS_READS(beta) | CRS_READS(h),
    .suits = suits,
    .check = check,
    .recipe = recipe,
    .solver_size = crs_last_solver_size,
    .prepare = crs_last_solver_prepare,
    .step = step,
    .pull = pull,
    .exact = &crs_admm_exact,
};
