/* SPDX-License-Identifier: MIT
 * last_solver: y = (ell I + beta A'A)^{-1} g for the map A of the last block
 *
 * Woodbury: (1/ell)(g - A'((ell/beta) I + A A')^{-1} A g). */
#include "dense/dense.h"
#include "method/method.h"

enum { LARGEST = 2000 }; /* side of the largest matrix that is factored */

typedef struct {
    const crease_map *A;
    const crease_space *dom, *ran;
    ptrdiff_t n, m, side;
} shape;

static shape shape_of(const crease_problem *p, const crease_analysis *a)
{
    const crease_space *dom = &p->space[a->last], *ran = &p->range;
    const ptrdiff_t n = crease_size(dom), m = crease_size(ran);
    return (shape){ &p->block[a->last].map, dom, ran, n, m, n <= m ? n : m };
}

static bool divides(const crease_analysis *a) { return !isnan(a->map_scale); }

ptrdiff_t crs_last_solver_size(const crease_problem *p, const crease_analysis *a)
{
    const shape s = shape_of(p, a);
    if (divides(a)) return 0;
    if (s.side <= LARGEST) return s.side * s.side + s.n + s.m;
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

bool crs_last_solver_prepare(crs_state *st, crease_error *e)
{
    const shape s = shape_of(st->p, st->a);
    const bool tall = s.side == s.n;
    const double scale = tall ? st->a->beta : 1,
                 shift = tall ? st->a->ell : st->a->ell / st->a->beta;
    if (divides(st->a) || s.side > LARGEST) return true;
    double *G = st->solve, *unit = G + s.side * s.side, *image = unit + (tall ? s.n : s.m);
    for (ptrdiff_t j = 0; j < s.side; j++) {
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
    double rr = crs_dot(s->n, r, r);
    const double enough = 1e-28 * rr;
    for (ptrdiff_t k = 0; k < 10 * s->n && rr > enough; k++) {
        fill(s->m, 0, Ad);
        s->A->ops->apply(s->A, s->dom, s->ran, 1, d, Ad, st->work);
        for (ptrdiff_t j = 0; j < s->n; j++) q[j] = st->a->ell * d[j];
        s->A->ops->adjoint(s->A, s->dom, s->ran, st->a->beta, Ad, q, st->work);
        const double step = rr / crs_dot(s->n, d, q);
        axpy(s->n, step, d, y);
        axpy(s->n, -step, q, r);
        const double next = crs_dot(s->n, r, r);
        for (ptrdiff_t j = 0; j < s->n; j++) d[j] = r[j] + next / rr * d[j];
        rr = next;
    }
}

void crs_last_solve(crs_state *st, const double *g, double *y)
{
    const shape s = shape_of(st->p, st->a);
    if (divides(st->a)) {
        const double weight = st->a->ell + st->a->beta * square(st->a->map_scale);
        for (ptrdiff_t j = 0; j < s.n; j++) y[j] = g[j] / weight;
    } else if (s.side <= LARGEST) {
        by_factor(st, &s, g, y);
    } else {
        by_conjugate_gradients(st, &s, g, y);
    }
}
