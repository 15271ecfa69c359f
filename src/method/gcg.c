/* SPDX-License-Identifier: MIT
 * gcg: the generalized conditional gradient method; Frank-Wolfe is r = 0
 *
 * Jiang, Lin, Ma, Zhang 2019, Algorithm 1, for f(y) <= f(x) + <grad f(x), y-x> + (rho/2)|y-x|_p^p
 * on the compact X = X_1 x ... x X_N, r convex with a closed-form oracle; (p, rho) known or found
 * by doubling. The gap Dl of a step is -psi_S(x): when it is <= eps the point is eps-stationary.
 * Theorem 2.7: K = ceil(2 drop/(eps min{1, (eps/(D^p rho))^{1/(p-1)}})); concave f takes whole
 * steps and K = ceil(drop/eps) (Proposition 2.8). */
#include "method/method.h"

static void check_block(const crease_problem *p, int i, crease_analysis *a)
{
    const crease_set *c = p->block[i].set;
    const crease_reg *r = crs_reg_of(p, i);
    crease_reg_traits t;
    crease_error why = { CREASE_OK, "the block has no set" };
    r->ops->traits(r, &p->space[i], INFINITY, &t);
    const bool compact = c && c->ops->diameter(c, &p->space[i], 2) < INFINITY;
    crs_note(a, "X_i compact", i, when(compact), NAN,
             compact ? "its diameter is finite" : "gcg needs a compact set; give the block one");
    crs_note(a, "r_i convex", i, when(t.convex), NAN,
             t.convex ? "by its catalogue entry" : "gcg needs a convex r_i; use prox-bcd");
    const bool oracle = c && crease_lmo_with_check(c, r, &p->space[i], &why);
    crs_note(a, "oracle known", i, when(oracle), NAN, "%.150s",
             oracle ? "argmin <c,y> + r(y) has a closed form" : why.text);
    if (compact) a->diameter_p += pow(c->ops->diameter(c, &p->space[i], a->p), a->p);
}

static void recipe(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    a->theorem = a->concave ? "Proposition 2.8" : "Theorem 2.7";
    a->diameter_p = 0;
    a->line_search = o->line_search == 1;
    a->backtrack_rho = !(a->rho < INFINITY) || a->mode == CREASE_MODE_PRACTICAL;
    for (int i = 0; i < p->count; i++) check_block(p, i, a);
    a->diameter_p = pow(a->diameter_p, 1 / a->p);
    if (a->concave)
        crs_note(a, "f concave", -1, CREASE_PROVED, NAN, "whole steps, alpha = 1");
    else
        crs_note(a, "(p, rho) known", -1,
                 a->rho < INFINITY         ? CREASE_PROVED
                 : crs_has_callback(&p->f) ? CREASE_UNKNOWN
                                           : CREASE_ESTIMATED,
                 a->rho, a->rho < INFINITY ? "p = %g" : "p = %g; rho is found by doubling", a->p);
    a->theta_factor = a->last_weight = 1;
}

static double bound(const crease_analysis *a, double drop, double eps)
{
    if (a->concave) return ceil(drop / eps);
    const double rho = a->backtrack_rho ? 2 * a->rho : a->rho;
    const double ratio = eps / (pow(a->diameter_p, a->p) * rho);
    const double share = ratio < 1 ? pow(ratio, 1 / (a->p - 1)) : 1;
    return ceil(2 * drop / (eps * share));
}

/* Without compact sets and their oracles no mode can take a conditional gradient step. */
static bool check(const crease_problem *p, crs_last last, crease_error *e)
{
    char name[32];
    (void)last;
    for (int i = 0; i < p->count; i++) {
        const crease_set *c = p->block[i].set;
        if (!c || !(c->ops->diameter(c, &p->space[i], 2) < INFINITY))
            return crs_fail(
                e, CREASE_UNSUPPORTED,
                "gcg needs a compact set for every block; give block %s one, or use auto",
                crs_block_name(p, i, name));
        if (!crease_lmo_with_check(c, crs_reg_of(p, i), &p->space[i], e)) return false;
    }
    return true;
}

/* Where some block has no exact prox with its set, but every block a linear oracle. */
static bool suits(const crease_problem *p, const crease_options *o, crs_last last)
{
    bool lacks = false;
    (void)o;
    for (int i = 0; i < p->count; i++)
        lacks = lacks || (p->block[i].set && !crease_joint_check(crs_reg_of(p, i), p->block[i].set,
                                                                 &p->space[i], NULL, NULL));
    return lacks && check(p, last, NULL);
}

static ptrdiff_t size(const crs_state *st, int i) { return crease_size(&st->p->space[i]); }

/* y = argmin <grad f(x), y> + r(y) over X_i; to_i = y - x_i; share = -<c, y-x_i> + r(x_i) - r(y).
 */
static void direction_of(crs_state *st, int i)
{
    const crease_reg *r = crs_reg_of(st->p, i);
    const ptrdiff_t n = size(st, i);
    crs_gradient(st, i, st->g);
    const double least =
        crease_lmo_with(st->p->block[i].set, r, &st->p->space[i], st->g, st->to[i], st->work);
    st->share[i] = crease_dot(&st->p->space[i], st->g, st->x[i]) +
                   r->ops->value(r, &st->p->space[i], st->x[i], st->work) - least;
    for (ptrdiff_t j = 0; j < n; j++) st->to[i][j] -= st->x[i][j];
}

/* Dl, the sum of the shares */
static double direction(crs_state *st)
{
    double gap = 0;
    if (!st->crew || !crs_crew_all(st, direction_of))
        for (int i = 0; i < st->p->count; i++) direction_of(st, i);
    for (int i = 0; i < st->p->count; i++) gap += st->share[i];
    return gap;
}

/* sum_i |d_i|_p^p */
static double length(const crs_state *st, double p)
{
    double sum = 0;
    for (int i = 0; i < st->p->count; i++)
        for (ptrdiff_t j = 0, n = size(st, i); j < n; j++)
            sum += p == 2 ? square(st->to[i][j]) : pow(fabs(st->to[i][j]), p);
    return sum;
}

static void image_of(crs_state *st, int i)
{
    crs_images_move(st->p, i, st->to[i], st->u_last, st->work);
}

/* u_from and u_last: the images of was and of d. */
static void image(crs_state *st)
{
    const ptrdiff_t rows = crs_images_size(st->p);
    copy(rows, st->u, st->u_from);
    fill(rows, 0, st->u_last);
    if (st->crew)
        crs_crew_levels(st, image_of, NULL);
    else
        for (int i = 0; i < st->p->count; i++) image_of(st, i);
}

/* x = was + alpha d; returns Phi there. */
static double go(crs_state *st, double alpha)
{
    for (int i = 0; i < st->p->count; i++)
        for (ptrdiff_t j = 0, n = size(st, i); j < n; j++)
            st->x[i][j] =
                alpha == 1 ? st->was[i][j] + st->to[i][j] : st->was[i][j] + alpha * st->to[i][j];
    for (ptrdiff_t j = 0, rows = crs_images_size(st->p); j < rows; j++)
        st->u[j] = st->u_from[j] + alpha * st->u_last[j];
    return crs_value(st) + crs_regs(st->p, points(st->x), st->work);
}

/* alpha = min{1, (2 Dl/(p rho |d|_p^p))^{1/(p-1)}} */
static double model_step(double gap, double p, double rho, double d)
{
    const double ratio = 2 * gap / (p * rho * d);
    return ratio >= 1 || d == 0 ? 1 : pow(ratio, 1 / (p - 1));
}

/* Golden section on [0, 1]: the best point seen, never worse than the closed-form step. */
static double search(crs_state *st, double alpha, double value)
{
    const double golden = 0.6180339887498949;
    double low = 0, high = 1;
    for (int k = 0; k < 40 && !crease_watch_over(st->watch); k++) {
        const double a = high - golden * (high - low), b = low + golden * (high - low);
        const double at_a = go(st, a), at_b = go(st, b);
        if (at_a < value) value = at_a, alpha = a;
        if (at_b < value) value = at_b, alpha = b;
        if (at_a <= at_b)
            high = b;
        else
            low = a;
    }
    return go(st, 1) < value ? 1 : alpha;
}

static void step(crs_state *st)
{
    const double p = st->a->p;
    const double before = crs_images_f(st->p, points(st->x), st->u, st->work) +
                          crs_regs(st->p, points(st->x), st->work);

    st->gap = direction(st); /* c = grad f(x^k), y = argmin <c,y> + r(y), d = y - x^k */
    if (!(st->gap > 0)) return;
    image(st);
    if (st->a->concave) { /* concave f: the whole step */
        go(st, 1);
        return;
    }
    const double d = length(st, p);
    double alpha = model_step(st->gap, p, st->rho_guess, d), after = go(st, alpha);
    const double rounding = 1e-14 * (1 + fabs(before));
    for (int k = 0; k < 200 && st->a->backtrack_rho && !crease_watch_over(st->watch);
         k++) { /* double rho-hat until it majorizes */
        if (after <= before - alpha * st->gap + st->rho_guess / 2 * pow(alpha, p) * d + rounding)
            break;
        st->rho_guess *= 2;
        alpha = model_step(st->gap, p, st->rho_guess, d), after = go(st, alpha);
    }
    if (st->a->line_search) alpha = search(st, alpha, after);
    go(st, alpha); /* x^{k+1} = x^k + alpha d */
}

const crs_method crs_method_gcg = {
    .oracle = true,
    .reads = CRS_READS_ITERATES | CRS_READS(line_search),
    .suits = suits,
    .check = check,
    .recipe = recipe,
    .bound = bound,
    .step = step,
};
