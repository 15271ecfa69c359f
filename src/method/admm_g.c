/* SPDX-License-Identifier: MIT
 * admm_g: proximal ADMM-g, a gradient step on the last block; A_N = c I
 *
 * Jiang, Lin, Ma, Zhang 2019, Algorithm 2. After the substitution x_N := c x_N, so that A_N = I:
 * R1 of docs/theory.md (f separable in the last block): gamma = 1/b, b > 2 L_N, any h > 0;
 *   tau = min{(b - 2 L_N)(b + L_N)/(2b), h/2}.
 * Theorem 3.12 with M for L (R0): b > max{((18 sqrt3 + 6)/13) M, 6 M^2/h}, z = b - 1/gamma,
 *   tau = min{1/gamma - (M + b)/2 - (6 z^2 + 3 M^2)/b, h/2 - 3 M^2/b}. */
#include "method/method.h"

typedef struct {
    double M, L, c2; /* after the substitution; c^2 */
} scaled;

static void separable(const crease_options *o, crease_analysis *a, scaled k)
{
    const double bound = 2 * k.L;
    const bool theory = a->mode == CREASE_MODE_THEORY;
    const double b = o->beta > 0 ? o->beta : k.L > 0 ? (theory ? 3 : 4.5) * k.L : crs_free_beta(a);
    const double drop = (b - 2 * k.L) * (b + k.L) / (2 * b);
    a->theorem = "R1: ADMM-g with a separable last block";
    a->beta = b;
    a->slack = bound > 0 ? b / bound : INFINITY;
    crs_note(a, "beta > 2 L_N/c^2", -1, when(b > bound), a->slack,
             "beta = %g is %.3g times its bound %g", b, a->slack, bound);
    const double inverse = 1 / (o->gamma > 0 ? o->gamma * k.c2 : 1 / b);
    a->gamma = 1 / (inverse * k.c2);
    crs_note(a, "gamma = 1/(beta c^2)", -1, when(fabs(inverse / b - 1) < 1e-12), a->gamma,
             "R1 is proved for this step");
    crs_set_h(o, a, theory ? 2 * drop : 0.02 * b, 0);
    a->potential_weight = k.L * k.L / b * k.c2;
    a->decrease = smaller(drop, crs_least_h(a) / 2);
    a->kappa = larger(crs_kappa_blocks(a), k.L * k.L * larger(1 / (b * b), k.c2));
}

static double default_gamma(const crease_analysis *a, double b, double M)
{
    if (a->mode == CREASE_MODE_PRACTICAL && b > 3 * M) return 1 / b; /* z = 0 */
    return 12 / (13 * b);
}

static void general(const crease_options *o, crease_analysis *a, scaled k)
{
    const double L = a->mode == CREASE_MODE_PAPER ? larger(k.M, a->L * larger(1, 1 / k.c2)) : k.M;
    const double bound = (18 * sqrt(3) + 6) / 13 * L;
    const double usual = a->mode == CREASE_MODE_PRACTICAL ? 3.3 * L : 5.1 * L;
    const double b = o->beta > 0 ? o->beta : L > 0 && L < INFINITY ? usual : crs_free_beta(a);
    const double gamma = o->gamma > 0 ? o->gamma * k.c2 : default_gamma(a, b, L), z = b - 1 / gamma;
    const double cH = 3 * L * L / b, drop = 1 / gamma - (L + b) / 2 - (6 * z * z + 3 * L * L) / b;
    a->theorem = a->mode == CREASE_MODE_PAPER ? "Theorem 3.12" : "Theorem 3.12 with M for L (R0)";
    a->beta = b;
    a->gamma = gamma / k.c2;
    a->slack = bound > 0 ? b / bound : INFINITY;
    crs_note(a, "beta > 2.86 M", -1, L < INFINITY ? when(b > bound) : CREASE_UNKNOWN, a->slack,
             "beta = %g is %.3g times its bound %g", b, a->slack, bound);
    crs_note(a, "gamma in its interval", -1, L < INFINITY ? when(drop > 0) : CREASE_UNKNOWN,
             a->gamma, "the last block's step decreases the potential by %g |dx_N|^2", drop);
    crs_set_h(o, a, a->mode == CREASE_MODE_PRACTICAL ? 2.2 * cH + 0.02 * b : 13 * b / 12 - L,
              2 * cH);
    a->potential_weight = 3 / b * (z * z + L * L) * k.c2;
    a->decrease = smaller(drop, crs_least_h(a) / 2 - cH);
    const double k1 = 3 / (b * b) * (z * z + L * L), k2 = square(fabs(z) + L) * k.c2;
    a->kappa = larger(crs_kappa_blocks(a), larger(k1, k2));
}

static void recipe(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    const double c = fabs(a->map_scale);
    const scaled k = { a->M / c * larger(1, 1 / c), a->L_last / (c * c), c * c };
    (void)p;
    a->theta_factor = 2;
    a->last_weight = c * c;
    if (a->separable_last && a->mode != CREASE_MODE_PAPER)
        separable(o, a, k);
    else
        general(o, a, k);
}

/* Where the last block can be minimized exactly, admm-m is the better one. */
static bool suits(const crease_problem *p, const crease_options *o, crs_last last)
{
    (void)p;
    return last >= CRS_IDENTITY && (last != CRS_QUADRATIC || o->mode == CREASE_MODE_PAPER);
}

static bool check(const crease_problem *p, crs_last last, crease_error *e)
{
    (void)p;
    return last >= CRS_IDENTITY ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "admm-g needs a last block with r = 0, no set and A_N = c I, and no block is "
                    "like that; use the extension, which needs none");
}

static double pull(const crease_analysis *a)
{
    return a->beta * square(a->map_scale) - 1 / a->gamma;
}

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

const crs_method crs_method_admm_g = {
    .constrained = true,
    .accelerate = true,
    .reads = CRS_READS_POTENTIAL | CRS_READS(beta) | CRS_READS(gamma) | CRS_READS(h),
    .suits = suits,
    .check = check,
    .recipe = recipe,
    .step = step,
    .pull = pull,
};
