/* SPDX-License-Identifier: MIT
 * moves: what the methods share; each move keeps s = sum A_i x_i - b and the images u of x */
#include "method/method.h"

static ptrdiff_t size(const crs_state *st, int i) { return crease_size(&st->p->space[i]); }
static bool constrained(const crs_state *st) { return st->a->last >= 0; }

void crs_refresh(crs_state *st)
{
    crs_images(st->p, points(st->x), st->u, st->work);
    fill(st->p->count, NAN, st->r);
    if (constrained(st)) crs_constraint(st->p, points(st->x), st->s, st->work);
}

double crs_value(crs_state *st)
{
    st->evaluations++;
    return crs_images_f(st->p, points(st->x), st->u, st->work);
}

void crs_gradient(crs_state *st, int i, double *g)
{
    st->evaluations++;
    crs_images_grad(st->p, points(st->x), st->u, i, g, st->work);
}

void crs_lagrangian_grad(crs_state *st, int i, double *g)
{
    crs_gradient(st, i, g);
    if (!constrained(st) || !crs_in_constraint(st->p, i)) return;
    for (ptrdiff_t j = 0, m = crease_size(&st->p->range); j < m; j++)
        st->m[j] = st->a->beta * st->s[j] - st->lambda[j]; /* one product with A_i', not two */
    crs_adjoint(st->p, i, 1, st->m, g, st->work);
}

/* x_i <- y; u is what it becomes, NULL: K_i (y - x_i) is added to it. */
static void move_with(crs_state *st, int i, const double *y, const double *u)
{
    const ptrdiff_t n = size(st, i), rows = crs_images_size(st->p);
    double *d = st->x[i];
    st->r[i] = NAN;
    for (ptrdiff_t j = 0; j < n; j++) d[j] = y[j] - d[j];
    if (constrained(st)) crs_apply(st->p, i, 1, d, st->s, st->work);
    if (u) {
        copy(rows, u, st->u);
    } else if (i == st->a->last) {
        fill(rows, 0, st->u_last);
        crs_images_move(st->p, i, d, st->u_last, st->work);
        axpy(rows, 1, st->u_last, st->u);
    } else {
        crs_images_move(st->p, i, d, st->u, st->work);
    }
    copy(n, y, st->x[i]);
}

void crs_move_to(crs_state *st, int i, const double *y) { move_with(st, i, y, NULL); }

/* y = prox_{r_i/tau, X_i}(x_i - g/tau); returns r_i(y) or NaN */
static double prox_step(const crs_state *st, int i, double tau, const double *g, double *y)
{
    const crease_set *c = st->p->block[i].set;
    for (ptrdiff_t j = 0, n = size(st, i); j < n; j++) st->v[j] = st->x[i][j] - g[j] / tau;
    if (!c) return crs_prox_value(st->p, i, 1 / tau, st->v, y, st->factors, st->work);
    crease_joint_prox(crs_reg_of(st->p, i), c, &st->p->space[i], 1 / tau, st->v, y, st->work);
    return NAN;
}

/* Is f(.., y, ..) <= f(x) + <grad_i f, y - x_i> + (L/2)|y - x_i|^2, up to rounding? The gradient is
 * in to[i]; u_from becomes the images of (.., y, ..). */
static bool majorized(crs_state *st, int i, double f, double L, double *y)
{
    double *x = st->x[i], *d = st->v, inner = 0, step = 0;
    for (ptrdiff_t j = 0, n = size(st, i); j < n; j++) {
        d[j] = y[j] - x[j];
        inner += st->to[i][j] * d[j];
        step += square(d[j]);
    }
    inner = crease_sum(&st->p->space[i], inner);
    step = crease_sum(&st->p->space[i], step);
    copy(crs_images_size(st->p), st->u, st->u_from);
    crs_images_move(st->p, i, d, st->u_from, st->work);
    st->x[i] = y;
    const double moved = crs_images_f(st->p, points(st->x), st->u_from, st->work);
    st->x[i] = x;
    st->evaluations++;
    const double rounding = 1e-14 * (fabs(f) + fabs(moved) + fabs(inner));
    return !(moved > f + inner + L / 2 * step + rounding);
}

/* L_i at the iterate: the plan's constant, or the curvature there, or the running guess. */
static double lipschitz(const crs_state *st, int i, bool *guessed)
{
    const crease_blocks b = crs_blocks(st->p);
    const crease_smooth *f = &st->p->f;
    double L = st->a->block[i].lipschitz;
    if (!(L < INFINITY) && f->ops && f->ops->curvature)
        L = f->ops->curvature(f, &b, points(st->x), i, st->work);
    *guessed = !(L < INFINITY);
    return *guessed ? st->guess[i] : L;
}

/* tau_i = beta |A_i|^2 + L_i + h, never so small that the joint prox loses its exactness, and never
 * 0: where the other factors of a product are, f does not change with x_i and any step will do */
static double prox_weight(const crs_state *st, int i, double L)
{
    const crease_block_plan *plan = &st->a->block[i];
    const double beta = constrained(st) ? st->a->beta : 0;
    const double tau = beta * square(plan->map_norm) + (1 + plan->h_relative) * L + plan->h;
    return tau == 0 && plan->tau_least == 0 ? 1 : larger(tau, larger(plan->tau_least, 1e-200));
}

static void linearized_step(crs_state *st, int i)
{
    bool guessed, fits = false;
    double L = lipschitz(st, i, &guessed);
    crs_lagrangian_grad(st, i, st->g);
    double r = prox_step(st, i, prox_weight(st, i, L), st->g, st->y);
    if (guessed) {
        const double f = crs_value(st);
        crs_gradient(st, i, st->to[i]);
        for (int k = 0; k < 60 && !crease_watch_over(st->watch); k++) {
            fits = majorized(st, i, f, L, st->y);
            if (fits) break;
            L = st->guess[i] = 2 * L;
            r = prox_step(st, i, prox_weight(st, i, L), st->g, st->y);
        }
    }
    move_with(st, i, st->y, fits ? st->u_from : NULL);
    st->r[i] = r;
}

/* f is minimized over the block itself: (beta c^2 + h) v = c lambda - beta c (s - c x_i) + h x_i;
 * false where it has no minimizer */
static bool exact_step(crs_state *st, int i)
{
    const crease_block_plan *plan = &st->a->block[i];
    const crease_blocks b = crs_blocks(st->p);
    const crease_smooth *f = &st->p->f;
    const double c = constrained(st) ? plan->map_scale : 0, beta = c != 0 ? st->a->beta : 0;
    const double weight = beta * c * c + plan->h;
    const double *x = st->x[i];
    for (ptrdiff_t j = 0, n = size(st, i); j < n; j++) {
        const double pull = c != 0 ? c * st->lambda[j] - beta * c * (st->s[j] - c * x[j]) : 0;
        st->v[j] = weight > 0 ? (pull + plan->h * x[j]) / weight : x[j];
    }
    if (!f->ops->argmin(f, &b, points(st->x), i, weight, st->v, plan->radius, st->y, st->work))
        return false;
    st->evaluations++;
    crs_move_to(st, i, st->y);
    return true;
}

void crs_block_step(crs_state *st, int i)
{
    const crease_block_plan *plan = &st->a->block[i];
    if (plan->exact && crs_factored_step(st, i, plan->h)) return;
    if (!plan->exact || isnan(plan->map_scale) || !exact_step(st, i)) linearized_step(st, i);
}

void crs_all_blocks_but_last(crs_state *st)
{
    if (st->crew) {
        crs_crew_levels(st, crs_block_step, st->watch);
        return;
    }
    for (int i = 0; i < st->p->count && !crease_watch_over(st->watch); i++)
        if (i != st->a->last) crs_block_step(st, i);
}

void crs_multiplier_step(crs_state *st)
{
    axpy(crease_size(&st->p->range), -st->a->beta, st->s, st->lambda);
}

static double regs(const crs_state *st)
{
    double sum = 0;
    for (int i = 0; i < st->p->count; i++) {
        const crease_reg *r = crs_reg_of(st->p, i);
        sum += isnan(st->r[i]) ? r->ops->value(r, &st->p->space[i], st->x[i], st->work) : st->r[i];
    }
    return sum;
}

static double lagrangian(crs_state *st)
{
    double value = crs_value(st) + regs(st);
    if (constrained(st))
        value += st->a->beta / 2 * square(crease_norm(&st->p->range, st->s)) -
                 crease_dot(&st->p->range, st->lambda, st->s);
    return value;
}

double crs_potential(crs_state *st)
{
    const int last = st->a->last;
    double memory = 0;
    if (last >= 0 && st->a->potential_weight > 0) {
        for (ptrdiff_t j = 0, n = size(st, last); j < n; j++)
            memory += square(st->x[last][j] - st->was[last][j]);
        memory = crease_sum(&st->p->space[last], memory);
    }
    return lagrangian(st) + (last >= 0 ? st->a->potential_weight * memory : 0);
}

void crs_restore_multiplier(crs_state *st)
{
    const int last = st->a->last;
    const crs_method *m = crs_method_for(st->a);
    const double weight = m->pull ? m->pull(st->a) : 0;
    double *x = st->x[last];
    if (m->pull) { /* grad_N f at (x_<, xbar): x_N - xbar is the last move */
        const ptrdiff_t rows = crs_images_size(st->p);
        for (ptrdiff_t j = 0; j < rows; j++) st->u_from[j] = st->u[j] - st->u_last[j];
        st->x[last] = st->was[last];
        crs_images_grad(st->p, points(st->x), st->u_from, last, st->g, st->work);
        st->x[last] = x;
        st->evaluations++;
    } else {
        crs_gradient(st, last, st->g);
    }
    for (ptrdiff_t j = 0, n = size(st, last); j < n; j++)
        st->lambda[j] = (st->g[j] + weight * (st->was[last][j] - x[j])) / st->a->map_scale;
}
