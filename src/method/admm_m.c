/* SPDX-License-Identifier: MIT
 * admm_m: proximal ADMM-m, a majorized step on the last block; A_N of full row rank
 *
 * Jiang, Lin, Ma, Zhang 2019, Algorithm 3, with ell >= L_N in place of L. Theorem 3.18 with M for
 * L: tau_N = ell - L_N/2 - 3(2 ell^2 + M^2)/(b sigma), c_H = 3 M^2/(b sigma); with ell = M the
 * paper's b > 18 M/sigma. M = 0 leaves b free and asks for ell < b sigma/6. */
#include "dense/dense.h"
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

/* y = (ell I + beta A_N'A_N)^{-1} g. c I: a division. Small: Cholesky of ell I + beta A'A when A is
 * tall, of (ell/beta) I + A A' with Woodbury's identity when it is wide, (1/ell)(g - A'((ell/beta)
 * I
 * + A A')^{-1} A g). Larger: conjugate gradients. */
enum { LARGEST = 2000 }; /* side of the largest matrix that is factored */

typedef struct {
    const crease_map *A;
    const crease_space *dom, *ran;
    ptrdiff_t n, m, side; /* here; a map of split blocks is one of every rank */
    bool factors;         /* by the size of the whole, alike on all ranks, as is what follows */
    double most;          /* conjugate gradients */
} shape;

static shape shape_of(const crease_problem *p, const crease_analysis *a)
{
    const crease_space *dom = &p->space[a->last], *ran = &p->range;
    const ptrdiff_t n = crease_size(dom), m = crease_size(ran);
    const double side = smaller(crs_whole_size(dom), crs_whole_size(ran));
    return (shape){ &p->block[a->last].map,  dom, ran, n, m, n <= m ? n : m, side <= LARGEST,
                    10 * crs_whole_size(dom) };
}

static bool divides(const crease_analysis *a) { return !isnan(a->map_scale); }

static ptrdiff_t solver_size(const crease_problem *p, const crease_analysis *a)
{
    const shape s = shape_of(p, a);
    if (divides(a)) return 0;
    if (s.factors) return s.side * s.side + s.n + s.m;
    return 3 * s.n + s.m; /* r, p, q and A p of conjugate gradients */
}

/* Column j of the small matrix: A'(A e_j) or A(A'e_j). */
static void gram_column(const crs_state *st, const shape *s, ptrdiff_t j, double *out, double *unit,
                        double *image)
{
    const bool tall = s->side == s->n;
    fill(tall ? s->n : s->m, 0, unit);
    fill(tall ? s->m : s->n, 0, image);
    fill(s->side, 0, out);
    unit[j] = 1;
    if (tall) {
        s->A->ops->apply(s->A, s->dom, s->ran, 1, unit, image, st->work);
        s->A->ops->adjoint(s->A, s->dom, s->ran, 1, image, out, st->work);
    } else {
        s->A->ops->adjoint(s->A, s->dom, s->ran, 1, unit, image, st->work);
        s->A->ops->apply(s->A, s->dom, s->ran, 1, image, out, st->work);
    }
}

static bool prepare(crs_state *st, crease_error *e)
{
    const shape s = shape_of(st->p, st->a);
    const bool tall = s.side == s.n;
    const double scale = tall ? st->a->beta : 1,
                 shift = tall ? st->a->ell : st->a->ell / st->a->beta;
    if (divides(st->a) || !s.factors) return true;
    double *G = st->solve, *unit = G + s.side * s.side, *image = unit + (tall ? s.n : s.m);
    for (ptrdiff_t j = 0; j < s.side; j++) {
        if (crease_watch_over(st->watch)) return true; /* no step will be taken */
        gram_column(st, &s, j, G + j * s.side, unit, image);
        for (ptrdiff_t i = 0; i < s.side; i++) G[j * s.side + i] *= scale;
        G[j * s.side + j] += shift;
    }
    return crs_cholesky(s.side, G) ||
           crs_fail(
               e, CREASE_NUMERICAL_FAILURE,
               "ell I + beta A_N'A_N is not positive definite to rounding (ell = %g, beta = %g); "
               "scale the last block's map",
               st->a->ell, st->a->beta);
}

static void by_factor(crs_state *st, const shape *s, const double *g, double *y)
{
    double *G = st->solve, *t = G + s->side * s->side;
    if (s->side == s->n) {
        copy(s->n, g, y);
        crs_cholesky_solve(s->n, G, 1, y);
        return;
    }
    fill(s->m, 0, t);
    s->A->ops->apply(s->A, s->dom, s->ran, 1, g, t, st->work);
    crs_cholesky_solve(s->m, G, 1, t);
    copy(s->n, g, y);
    s->A->ops->adjoint(s->A, s->dom, s->ran, -1, t, y, st->work);
    for (ptrdiff_t j = 0; j < s->n; j++) y[j] /= st->a->ell;
}

static void by_conjugate_gradients(crs_state *st, const shape *s, const double *g, double *y)
{
    double *r = st->solve, *d = r + s->n, *q = d + s->n, *Ad = q + s->n;
    fill(s->n, 0, y);
    copy(s->n, g, r);
    copy(s->n, g, d);
    double rr = crease_dot(s->dom, r, r);
    const double enough = 1e-28 * rr;
    for (double k = 0; k < s->most && rr > enough && !crease_watch_over(st->watch); k++) {
        fill(s->m, 0, Ad);
        s->A->ops->apply(s->A, s->dom, s->ran, 1, d, Ad, st->work);
        for (ptrdiff_t j = 0; j < s->n; j++) q[j] = st->a->ell * d[j];
        s->A->ops->adjoint(s->A, s->dom, s->ran, st->a->beta, Ad, q, st->work);
        const double step = rr / crease_dot(s->dom, d, q);
        axpy(s->n, step, d, y);
        axpy(s->n, -step, q, r);
        const double next = crease_dot(s->dom, r, r);
        for (ptrdiff_t j = 0; j < s->n; j++) d[j] = r[j] + next / rr * d[j];
        rr = next;
    }
}

static void last_solve(crs_state *st, const double *g, double *y)
{
    const shape s = shape_of(st->p, st->a);
    if (divides(st->a)) {
        const double weight = st->a->ell + st->a->beta * square(st->a->map_scale);
        for (ptrdiff_t j = 0; j < s.n; j++) y[j] = g[j] / weight;
    } else if (s.factors) {
        by_factor(st, &s, g, y);
    } else {
        by_conjugate_gradients(st, &s, g, y);
    }
}

static void step(crs_state *st)
{
    const int N = st->a->last;

    /* Step 1: x_i <- argmin L_beta(.., x_i, ..) + (1/2)|x_i - x_i^k|_{H_i}^2,  i < N */
    crs_all_blocks_but_last(st);

    /* Step 2: x_N <- x_N - (ell I + beta A_N'A_N)^{-1} grad_N L_beta */
    crs_lagrangian_grad(st, N, st->g);
    last_solve(st, st->g, st->y);
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
    .solver_size = solver_size,
    .prepare = prepare,
    .step = step,
    .pull = pull,
    .exact = &crs_admm_exact,
};
