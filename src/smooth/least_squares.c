/* SPDX-License-Identifier: MIT
 * least_squares: f(x) = (1/2) sum_j w_j (W x - rhs)_j^2                         convex
 *
 * argmin over |y| <= R of (1/2)|W_i y - r|^2 + (h/2)|y - v|^2, r = rhs - sum_{j != i} W_j x_j, with
 * weights sqrt(w) o W_i and sqrt(w) o r in their place:
 * entry by entry when W_i is diagonal; otherwise, when W_i is small, in the basis of its thin
 * singular value decomposition U S V', where the part of v across V is one more coordinate. With
 * h = 0 and several minimizers inside the ball, the one of least norm. */
#include "dense/dense.h"
#include "smooth/smooth.h"

enum { SIDE = 2048, ENTRIES = 1 << 16 }; /* the largest W_i that is written out and factored */

static double value(const double *par, double u) { return (void)par, u * u / 2; }
static double slope(const double *par, double u) { return (void)par, u; }

/* By the whole W_i, so that it does not depend on the ranks: each has a block on its diagonal. */
static bool affordable(const crease_predictor *p, const crease_space *dom)
{
    const double m = crs_whole_size(&p->range), n = crs_whole_size(dom);
    return dom->comm == p->range.comm && m <= SIDE && n <= SIDE && m * n <= ENTRIES;
}

/* W_i = U S V', thin, k = min(m, n); then r and v in that basis. */
typedef struct {
    ptrdiff_t m, n, k;
    double *a, *u, *s, *vt, *r, *across, *e, *c, *work;
} factors;

static ptrdiff_t small_scratch(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t k = m < n ? m : n;
    return m * n + m * k + k + k * n + m + n + 2 * (k + 1) + crs_svd_scratch(m, n);
}

static factors carve(ptrdiff_t m, ptrdiff_t n, double *work)
{
    factors w = { .m = m, .n = n, .k = m < n ? m : n, .a = work };
    w.u = w.a + m * n;
    w.s = w.u + m * w.k;
    w.vt = w.s + w.k;
    w.r = w.vt + w.k * n;
    w.across = w.r + m;
    w.e = w.across + n;
    w.c = w.e + w.k + 1;
    w.work = w.c + w.k + 1;
    return w;
}

static ptrdiff_t extra_scratch(const crease_smooth *f, const crease_blocks *b)
{
    const crease_predictor *p = f->data;
    ptrdiff_t most = 4 * crease_size(&p->range); /* the diagonal case */
    for (int i = 0; i < b->count; i++) {
        const crease_space *dom = &b->space[i];
        if (!crs_predictor_touches(f, i) || !affordable(p, dom)) continue;
        const ptrdiff_t n = small_scratch(crease_size(&p->range), crease_size(dom));
        if (n > most) most = n;
    }
    return most;
}

/* r = rhs - sum_{j != i} W_j x_j */
static void remainder_of(const crease_predictor *p, const crease_blocks *b, const double *const *x,
                         int i, double *r, double *work)
{
    const ptrdiff_t m = crease_size(&p->range);
    if (p->rhs)
        copy(m, p->rhs, r);
    else
        fill(m, 0, r);
    for (int j = 0; j < b->count; j++)
        if (j != i) crs_predictor_apply(p, b, j, -1, x[j], r, work);
}

/* (w_j d_j^2 + h) y_j = w_j d_j r_j + h v_j, d = W_i 1 */
static bool solve_diagonal(const crease_predictor *p, const crease_blocks *b, int i,
                           const crs_step *t, double *work)
{
    const ptrdiff_t n = crease_size(&p->range);
    double *r = work, *d = r + n, *e = d + n, *c = e + n;
    fill(n, 1, e);
    fill(n, 0, d);
    crs_predictor_apply(p, b, i, 1, e, d, c);
    for (ptrdiff_t j = 0; j < n; j++) {
        const double w = p->weight ? p->weight[j] : 1;
        e[j] = w * d[j] * d[j] + t->h;
        c[j] = w * d[j] * r[j] + t->h * t->v[j];
    }
    return crs_ball_diagonal(&b->space[i], e, c, t->radius, t->y);
}

/* The rows of a and r times sqrt(w) */
static void weigh(const crease_predictor *p, factors *w)
{
    for (ptrdiff_t j = 0; p->weight && j < w->m; j++) {
        const double root = sqrt(p->weight[j]);
        w->r[j] *= root;
        for (ptrdiff_t l = 0; l < w->n; l++) w->a[j * w->n + l] *= root;
    }
}

/* In the basis: (s_j^2 + h) y_j = s_j (U'r)_j + h (V'v)_j, and h y = h |v - VV'v| across it. */
static void to_basis(factors *w, double h, const double *v)
{
    const ptrdiff_t k = w->k;
    const double none = w->s[0] * (double)(w->m + w->n) * 0x1p-52;
    crs_gemv(false, k, w->n, 1, w->vt, v, 0, w->c);
    copy(w->n, v, w->across);
    crs_gemv(true, k, w->n, -1, w->vt, w->c, 1, w->across);
    crs_gemv(true, w->m, k, 1, w->u, w->r, 0, w->e);
    for (ptrdiff_t j = 0; j < k; j++) {
        const double s = w->s[j] <= none ? 0 : w->s[j];
        w->c[j] = s * w->e[j] + h * w->c[j];
        w->e[j] = s * s + h;
    }
    w->e[k] = h;
    w->c[k] = w->n > k ? h * crs_norm(w->n, w->across) : 0;
}

static bool solve_small(factors *w, const crs_step *t)
{
    const ptrdiff_t k = w->k, count = w->n > k ? k + 1 : k;
    const crease_space s = crease_vector(count);
    if (!crs_svd(w->m, w->n, w->a, w->u, w->s, w->vt, w->work)) return fill(w->n, NAN, t->y), true;
    to_basis(w, t->h, t->v);
    const double length = w->n > k ? crs_norm(w->n, w->across) : 0;
    if (!crs_ball_diagonal(&s, w->e, w->c, t->radius, w->c)) return false;
    crs_gemv(true, k, w->n, 1, w->vt, w->c, 0, t->y);
    if (length > 0) axpy(w->n, w->c[k] / length, w->across, t->y);
    crs_into_ball(w->n, t->radius, t->y, t->y);
    return true;
}

static bool argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                   double h, const double *v, double radius, double *y, double *work)
{
    const crease_predictor *p = f->data;
    const crease_space *dom = &b->space[i];
    if (!crs_predictor_touches(f, i)) return false;
    const bool diagonal = crs_predictor_diagonal(p, b, i);
    if (!diagonal && (!affordable(p, dom) || (dom->comm && radius < INFINITY))) return false;
    if (!y) return true;
    const crs_step t = { h, v, radius, y };
    if (diagonal) {
        remainder_of(p, b, x, i, work, work + crease_size(&p->range));
        return solve_diagonal(p, b, i, &t, work);
    }
    factors w = carve(crease_size(&p->range), crease_size(dom), work);
    remainder_of(p, b, x, i, w.r, w.work);
    crs_predictor_matrix(p, b, i, w.a, w.work);
    weigh(p, &w);
    return solve_small(&w, &t);
}

const crs_loss crs_least_squares = {
    .ops = { .name = "least_squares",
             .formula = "sum_j w_j u_j^2/2, u = sum_k A_k x_k - rhs",
             CRS_PREDICTOR_OPS,
             .argmin = argmin },
    .value = value,
    .slope = slope,
    .low = 1,
    .high = 1,
    .quadratic = true,
    .extra_scratch = extra_scratch,
};

crease_smooth crease_least_squares(const crease_predictor *p)
{
    return (crease_smooth){ .ops = &crs_least_squares.ops, .data = p };
}
