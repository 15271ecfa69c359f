/* SPDX-License-Identifier: MIT
 * tangent: Newton steps for one spectral block, on the matrices of the rank that the proximal step
 * finds
 *
 * At t = prox_gamma(x - gamma grad f(x)) = U diag(s) V' of rank k, f + sum rho(s_j) is smooth on
 * the matrices of rank k. On the tangent space {U M V' + U_p V' + U V_p'} its Hessian is that of f
 * and, with a_i = rho'(s_i) and U'ZV = S + K split into symmetric and skew parts,
 *     ((a_i - a_j)/(s_i - s_j)) S_ij, rho''(s_i) on the diagonal,  ((a_i + a_j)/(s_i + s_j)) K_ij,
 *     a_i/s_i on the columns of U_p and V_p,
 * and, as the matrices of rank k are curved, N V_p diag(1/s) for U_p and N'U_p diag(1/s) for V_p,
 * with N the part of grad f(t) that is normal to them.
 * xi solves (Hessian + mu L) xi = -gradient by conjugate gradients; where f'' acts entry by entry
 * they are preconditioned by the Gauss-Newton equations in (dA, dB), xi = U dA + dB V' (flat.c).
 * The candidate is the best approximation of rank k to t + tau xi: the singular value decomposition
 * of a matrix of order 2k, which also gives its r. It is taken if F falls below F(t), else t:
 * Theorem S. From a cold start this runs into other ranks: 20 steps of panoc come first, and panoc
 * goes on from where they ended if this does not arrive.
 *
 * Vandereycken, Low-rank matrix completion by Riemannian optimization, 2013; Lewis and Sendov,
 * Twice differentiable spectral functions, 2001. */
#include "composite/cores.h"
#include "core/carve.h"
#include "dense/dense.h"
#include "newton/flat.h"

enum { WARM = 20, MOST = 60, CG = 60 };
static const double leap = 0.5; /* the longest step, relative to t: longer ones end at infinity */

typedef struct {
    double *x, *u, *g;
    double f, r;
} place;

typedef struct {
    crs_composite *c;
    crs_task task; /* that of panoc */
    void *panoc;   /* NULL: not open */
    bool warm;     /* the first steps are behind us, or panoc goes on for good */
    long steps;
    const crease_reg *r;
    ptrdiff_t m, n, k;
    place x, t, w;
    double *switched; /* x when the Newton steps began */
    double reach;     /* |x| beyond which they run away */
    double L, theta, mu, first, ratio;
    const double *U, *s, *Vt; /* of t */
    double *a1, *a2, *shift;  /* rho'(s), rho''(s) */
    double *h;                /* f'' by rows of u; the products of a direction */
    double *G, *xi, *res, *dir, *image, *ku, *normal, *easy;
    double *A, *B, *M, *N; /* k x n, m x k, k x k twice */
    double *left, *right;  /* m x 2k, 2k x n */
    double *core, *cu, *cs, *cv, *room;
    bool entrywise, preconditioned; /* K'K is diagonal in every term; flat has equations */
    crs_flat flat;
    void *memory;
} tangent;

static double objective(const place *p) { return p->f + p->r; }

/* Z becomes U L + R V', L = U'Z + add (k x n), R = Z V - U U'Z V + more (m x k) in A and B. */
static void compose(const tangent *s, const double *L, const double *R, double a, double *Z)
{
    crs_gemm(false, false, s->m, s->n, s->k, 1, s->U, L, a, Z);
    crs_gemm(false, false, s->m, s->n, s->k, 1, R, s->Vt, 1, Z);
}

/* A = U'Z (k x n), M = U'ZV, B = ZV - U M (m x k) */
static void split(const tangent *s, const double *Z, double *A, double *B, double *M)
{
    crs_gemm(true, false, s->k, s->n, s->m, 1, s->U, Z, 0, A);
    crs_gemm(false, true, s->k, s->k, s->n, 1, A, s->Vt, 0, M);
    crs_gemm(false, true, s->m, s->k, s->n, 1, Z, s->Vt, 0, B);
    crs_gemm(false, false, s->m, s->k, s->k, -1, s->U, M, 1, B);
}

/* Divided differences of rho'. */
static double symmetric_part(const tangent *s, ptrdiff_t i, ptrdiff_t j)
{
    const double gap = s->s[i] - s->s[j];
    if (fabs(gap) <= 1e-9 * s->s[0]) return (s->a2[i] + s->a2[j]) / 2;
    return (s->a1[i] - s->a1[j]) / gap;
}

/* A and M, B of Z become the parts of (the penalty's Hessian and the curvature) Z that `compose`
 * puts together: A goes with U, B with V'. `convex`: what may be negative is left out. */
static void penalty_parts(const tangent *s, bool convex, const double *M, double *A, double *B)
{
    const ptrdiff_t k = s->k, kn = k * s->n, mk = s->m * k;
    double *Vp = A + kn, *Up = B + mk;
    crs_gemm(false, false, k, s->n, k, -1, M, s->Vt, 1, A);
    for (ptrdiff_t i = 0; i < k; i++)
        for (ptrdiff_t j = 0; j < s->n; j++) {
            Vp[i * s->n + j] = A[i * s->n + j] / s->s[i];
            A[i * s->n + j] = s->a1[i] * Vp[i * s->n + j];
        }
    for (ptrdiff_t i = 0; i < s->m; i++)
        for (ptrdiff_t j = 0; j < k; j++) {
            Up[i * k + j] = B[i * k + j] / s->s[j];
            B[i * k + j] = s->a1[j] * Up[i * k + j];
        }
    if (!convex) {
        crs_gemm(true, false, k, s->n, s->m, 1, Up, s->normal, 1, A);
        crs_gemm(false, true, s->m, k, s->n, 1, s->normal, Vp, 1, B);
    }
    for (ptrdiff_t i = 0; i < k; i++)
        for (ptrdiff_t j = 0; j < k; j++) {
            const double even = (M[i * k + j] + M[j * k + i]) / 2, odd = M[i * k + j] - even;
            const double c = symmetric_part(s, i, j);
            const double skew = (s->a1[i] + s->a1[j]) / (s->s[i] + s->s[j]);
            s->N[i * k + j] = (convex ? pos(c) : c) * even + skew * odd;
        }
    crs_gemm(false, false, k, s->n, k, 1, s->N, s->Vt, 1, A);
}

/* image = (Hessian + mu L) Z on the tangent space */
static void multiply(const tangent *s, bool convex, const double *Z, double *image)
{
    const crs_composite *c = s->c;
    const ptrdiff_t kn = s->k * s->n, mk = s->m * s->k;
    fill(c->rows, 0, s->ku);
    fill(c->n, 0, image);
    crs_add_products(c, 1, Z, s->ku);
    for (int t = 0; t < c->terms; t++) {
        const crs_term *term = &c->term[t];
        for (ptrdiff_t j = term->at; j < term->at + term->rows; j++)
            s->ku[j] *= convex ? pos(s->h[j]) : s->h[j];
        crs_term_adjoint(c, term, 1, s->ku + term->at, image);
    }
    split(s, image, s->A, s->B, s->M);
    double *A = s->A + kn, *B = s->B + mk;
    split(s, Z, A, B, s->M);
    penalty_parts(s, convex, s->M, A, B);
    axpy(kn, 1, A, s->A);
    axpy(mk, 1, B, s->B);
    compose(s, s->A, s->B, 0, image);
    axpy(c->n, s->mu * s->L, Z, image);
}

static void precondition(tangent *s)
{
    if (!s->preconditioned) {
        copy(s->c->n, s->res, s->easy);
        return;
    }
    crs_flat_solve(&s->flat, s->res, s->easy);
    for (ptrdiff_t j = 0; j < s->c->n; j++) s->easy[j] = -s->easy[j];
}

/* Conjugate gradients for xi; false: a direction without curvature, xi is what was there before. */
static bool conjugate(tangent *s, bool convex, double tolerance)
{
    const ptrdiff_t n = s->c->n;
    const double size = crs_norm(n, s->G);
    fill(n, 0, s->xi);
    for (ptrdiff_t j = 0; j < n; j++) s->res[j] = -s->G[j];
    precondition(s);
    copy(n, s->easy, s->dir);
    double rz = crs_dot(n, s->res, s->easy);
    for (int k = 0; k < CG && !crease_watch_over(s->c->watch); k++) {
        multiply(s, convex, s->dir, s->image);
        const double curve = crs_dot(n, s->dir, s->image);
        if (!(curve > 1e-14 * crs_dot(n, s->dir, s->dir))) {
            if (k == 0) copy(n, s->dir, s->xi);
            return false;
        }
        axpy(n, rz / curve, s->dir, s->xi);
        axpy(n, -rz / curve, s->image, s->res);
        if (crs_norm(n, s->res) <= tolerance * size) break;
        precondition(s);
        const double next = crs_dot(n, s->res, s->easy);
        for (ptrdiff_t j = 0; j < n; j++) s->dir[j] = s->easy[j] + next / rz * s->dir[j];
        rz = next;
    }
    return true;
}

/* h = f'' at t, and rho', rho'' at its singular values */
static void curvatures(tangent *s)
{
    const crease_penalty *p = s->r->penalty;
    for (int t = 0; t < s->c->terms; t++) {
        const crs_term *term = &s->c->term[t];
        crs_term_curve(term, s->t.u + term->at, s->h + term->at);
    }
    for (ptrdiff_t j = 0; j < s->k; j++) {
        s->a1[j] = p->slope(s->r->par, s->s[j]);
        s->a2[j] = p->curve ? p->curve(s->r->par, s->s[j]) : 0;
    }
}

/* G = the projection of grad f(t) + U diag(rho') V', and the rest of grad f(t) */
static void gradient(tangent *s)
{
    copy(s->c->n, s->t.g, s->G);
    copy(s->c->n, s->t.g, s->normal);
    split(s, s->G, s->A, s->B, s->M);
    crs_gemm(false, false, s->m, s->n, s->k, -1, s->U, s->A, 1, s->normal);
    crs_gemm(false, false, s->m, s->n, s->k, -1, s->B, s->Vt, 1, s->normal);
    for (ptrdiff_t i = 0; i < s->k; i++) axpy(s->n, s->a1[i], s->Vt + i * s->n, s->A + i * s->n);
    compose(s, s->A, s->B, 0, s->G);
}

/* Bases of the columns of [U, U_p] and [V, V_p] and the parts of xi in them:
 * t + tau xi = left [diag(s) + tau M, tau W_v s_v; tau s_u W_u', 0] right'. */
static bool frame(tangent *s, double *ru, double *rv)
{
    const ptrdiff_t m = s->m, n = s->n, k = s->k, mk = m * k, kn = k * n;
    double *Q = s->B + mk, *sigma = s->cs, *turned = s->A + kn;
    split(s, s->xi, s->A, s->B, s->M);
    crs_gemm(false, false, k, n, k, -1, s->M, s->Vt, 1, s->A); /* V_p' = A - M V' */
    if (!crs_svd(m, k, s->B, Q, sigma, ru, s->room)) return false;
    for (ptrdiff_t i = 0; i < k; i++)
        for (ptrdiff_t j = 0; j < k; j++) ru[i * k + j] *= sigma[i];
    for (ptrdiff_t i = 0; i < m; i++) {
        copy(k, s->U + i * k, s->left + 2 * i * k);
        copy(k, Q + i * k, s->left + 2 * i * k + k);
    }
    if (!crs_svd(k, n, s->A, rv, sigma, turned, s->room)) return false;
    for (ptrdiff_t i = 0; i < k; i++)
        for (ptrdiff_t j = 0; j < k; j++) rv[i * k + j] *= sigma[j];
    copy(kn, s->Vt, s->right);
    copy(kn, turned, s->right + kn);
    return true;
}

/* w = the best approximation of rank k to t + tau xi, with its r */
static bool retract(tangent *s, double tau, const double *ru, const double *rv)
{
    const ptrdiff_t k = s->k, two = 2 * k;
    fill(two * two, 0, s->core);
    for (ptrdiff_t i = 0; i < k; i++)
        for (ptrdiff_t j = 0; j < k; j++) {
            s->core[i * two + j] = tau * s->M[i * k + j] + (i == j ? s->s[i] : 0);
            s->core[i * two + k + j] = tau * rv[i * k + j];
            s->core[(k + i) * two + j] = tau * ru[i * k + j];
        }
    if (!crs_svd(two, two, s->core, s->cu, s->cs, s->cv, s->room)) return false;
    s->w.r = 0;
    for (ptrdiff_t j = 0; j < k; j++) s->w.r += s->r->penalty->value(s->r->par, s->cs[j]);
    for (ptrdiff_t i = 0; i < two; i++)
        for (ptrdiff_t j = 0; j < two; j++) s->cu[i * two + j] *= j < k ? s->cs[j] : 0;
    crs_gemm(false, false, s->m, two, two, 1, s->left, s->cu, 0, s->B);
    crs_gemm(false, false, two, s->n, two, 1, s->cv, s->right, 0, s->A);
    crs_gemm(false, false, s->m, s->n, two, 1, s->B, s->A, 0, s->w.x);
    return true;
}

/* The candidate w below F(t) along xi. */
static bool descend(tangent *s)
{
    const ptrdiff_t k = s->k;
    double *ru = s->N + k * k, *rv = ru + k * k, tau = 1;
    const double far = leap * crs_norm(s->c->n, s->t.x) / crs_norm(s->c->n, s->xi);
    for (ptrdiff_t j = 0; far < 1 && j < s->c->n; j++) s->xi[j] *= far;
    const double slope = crs_dot(s->c->n, s->G, s->xi), F = objective(&s->t);
    bool lower = false;
    if (!frame(s, ru, rv)) return false;
    for (int trial = 0; trial < 4 && !lower; trial++, tau *= 0.3) {
        if (crease_watch_over(s->c->watch) || !retract(s, tau, ru, rv)) return false;
        crs_products(s->c, s->w.x, s->w.u);
        s->w.f = crs_smooth_part(s->c, s->w.x, s->w.u);
        lower = objective(&s->w) <= F + 1e-4 * tau * (slope < 0 ? slope : 0) + 1e-14 * fabs(F);
        if (lower && trial == 0) s->mu *= 0.1;
        if (lower && trial > 1) s->mu = larger(10 * s->mu, 1e-6);
    }
    if (!lower) s->mu = larger(10 * s->mu, 1e-6);
    return lower;
}

/* The Gauss-Newton equations with the positive part of the penalty, where f'' acts on entries. */
static bool factor(tangent *s)
{
    const crs_composite *c = s->c;
    if (!s->entrywise || !crs_flat_fits(&s->flat, s->k)) return false;
    fill(c->n, 0, s->flat.W);
    for (ptrdiff_t j = 0; j < c->rows; j++) s->ku[j] = pos(s->h[j]);
    for (int t = 0; t < c->terms; t++)
        crs_matrix_squares(c->term[t].part[0].matrix, s->ku + c->term[t].at, s->flat.W);
    for (ptrdiff_t j = 0; j < s->k; j++) s->shift[j] = s->mu * s->L + s->a1[j] / s->s[j];
    c->work->factorizations++;
    return crs_flat_factor(&s->flat, s->k, s->U, s->Vt, s->shift);
}

static bool newton(tangent *s)
{
    const double tolerance = clip(sqrt(s->ratio / s->first), 1e-3, 0.1);
    if (s->k == 0) return false;
    curvatures(s);
    gradient(s);
    s->preconditioned = factor(s);
    if (!conjugate(s, false, tolerance)) conjugate(s, true, tolerance);
    return descend(s);
}

/* t from x, with its factors, by a theta that passes the test of the plain step. */
static bool plain(tangent *s)
{
    const crs_composite *c = s->c;
    for (;; s->theta /= 2) {
        const double gamma = s->theta / s->L;
        for (ptrdiff_t j = 0; j < c->n; j++) s->G[j] = s->x.x[j] - gamma * s->x.g[j];
        crs_prox(c, &gamma, s->G, s->t.x);
        s->t.r = crs_nonsmooth_part(c, s->t.x);
        crs_products(c, s->t.x, s->t.u);
        s->t.f = crs_smooth_part(c, s->t.x, s->t.u);
        for (ptrdiff_t j = 0; j < c->n; j++) s->G[j] = s->t.x[j] - s->x.x[j];
        const double D = crs_dot(c->n, s->G, s->G) / gamma, slope = crs_dot(c->n, s->x.g, s->G);
        if (s->t.f <= s->x.f + slope + D / 2 + 1e-13 * fabs(s->x.f)) break;
        if (!(s->theta > 1e-10) || crease_watch_over(c->watch)) return false;
    }
    const crs_thin *f = crs_factors_of(c, 0, s->t.x);
    if (!f) return false;
    s->k = f->k;
    s->U = f->u;
    s->s = f->s;
    s->Vt = f->vt;
    crs_smooth_slope(c, s->t.x, s->t.u, s->t.g);
    s->ratio = crs_residual(c, s->t.x, s->t.g, s->task.tolerance);
    return true;
}

static void swap(place *a, place *b)
{
    const place was = *a;
    *a = *b;
    *b = was;
}

static crs_core_state newton_step(tangent *s)
{
    if (s->ratio <= 1) s->ratio = crs_residual(s->c, s->t.x, s->t.g, s->task.tolerance);
    if (s->ratio <= 1) return CRS_CORE_DONE;
    if (newton(s)) {
        crs_smooth_slope(s->c, s->w.x, s->w.u, s->w.g);
        swap(&s->x, &s->w);
    } else {
        swap(&s->x, &s->t);
    }
    s->steps++;
    if (!plain(s) || crs_norm(s->c->n, s->t.x) > s->reach) return CRS_CORE_STUCK;
    return s->ratio <= 1 ? CRS_CORE_DONE : CRS_CORE_GOES_ON;
}

/* From where panoc stands. */
static bool change_over(tangent *s)
{
    crs_standing at;
    crs_core_panoc.stand(s->panoc, &at);
    copy(s->c->n, at.x, s->switched);
    copy(s->c->n, at.x, s->x.x);
    crs_core_panoc.close(s->panoc);
    s->panoc = NULL;
    s->x.f = crs_smooth_both(s->c, s->x.x, s->x.u, s->x.g);
    if (!crs_block_curvatures(s->c, s->x.x, s->x.u, &s->L, NULL)) return false;
    s->reach = 1e3 * (1 + crs_norm(s->c->n, s->x.x));
    s->theta = 0.95;
    s->mu = 1e-3;
    const bool good = plain(s);
    s->first = s->ratio;
    return good;
}

/* From where the Newton steps ended, or began if they ran away. */
static bool resume(tangent *s, bool away)
{
    if (!away) copy(s->c->n, s->t.x, s->switched);
    s->task.start = s->switched;
    s->panoc = crs_core_panoc.open(&s->task, NULL);
    s->warm = true;
    return s->panoc;
}

static crs_core_state step(void *self)
{
    tangent *s = self;
    crs_core_state state;
    if (s->panoc) {
        state = crs_core_panoc.step(s->panoc);
        if (s->warm || ++s->steps < WARM || state != CRS_CORE_GOES_ON) return state;
        if (!change_over(s)) return resume(s, true) ? CRS_CORE_GOES_ON : CRS_CORE_STUCK;
        s->steps = 0;
        return s->ratio <= 1 ? CRS_CORE_DONE : CRS_CORE_GOES_ON;
    }
    state = newton_step(s);
    if (state == CRS_CORE_DONE || crease_watch_over(s->c->watch)) return state;
    if (state == CRS_CORE_GOES_ON && s->steps < MOST) return state;
    const bool away = state == CRS_CORE_STUCK;
    return resume(s, away) ? CRS_CORE_GOES_ON : CRS_CORE_STUCK;
}

static void stand(const void *self, crs_standing *out)
{
    const tangent *s = self;
    if (s->panoc)
        crs_core_panoc.stand(s->panoc, out);
    else
        *out = (crs_standing){ .x = s->t.x, .objective = objective(&s->t), .ratio = s->ratio };
}

/* Rows of K with one entry at most: its Gram matrix is diagonal. */
static bool is_entrywise(const crs_matrix *K)
{
    if (K->kind == CRS_SCALAR || K->kind == CRS_DIAGONAL) return true;
    if (K->kind != CRS_SPARSE || K->start[K->cols] > K->rows) return false;
    bool *seen = crs_alloc((size_t)K->rows + 1, sizeof *seen);
    bool once = seen;
    for (ptrdiff_t j = 0; once && j < K->start[K->cols]; j++) {
        once = !seen[K->row[j]];
        seen[K->row[j]] = true;
    }
    crs_free(seen);
    return once;
}

static bool suits(const crs_composite *c)
{
    const crease_reg *r = crs_reg_of(&c->parts, 0);
    if (c->constraint || c->count != 1 || c->parts.block[0].set || c->rest.ops ||
        !crs_is_kind(r, CREASE_KIND_SPECTRAL))
        return false;
    for (int t = 0; t < c->terms; t++) {
        const crs_loss *loss = c->term[t].loss;
        if (!loss || !(loss->curve || loss->quadratic)) return false;
    }
    return c->terms > 0;
}

static void carve(void *self, crs_carver *v)
{
    tangent *s = self;
    const ptrdiff_t m = s->m, n = s->n, k = crs_short_side(m, n), rows = s->c->rows;
    place *points[] = { &s->x, &s->t, &s->w };
    double **vectors[] = { &s->switched, &s->G,     &s->xi,     &s->res,
                           &s->dir,      &s->image, &s->normal, &s->easy };
    double **squares[] = { &s->core, &s->cu, &s->cv };
    for (int i = 0; i < 3; i++) {
        points[i]->x = carve_doubles(v, m, n);
        points[i]->g = carve_doubles(v, m, n);
        points[i]->u = carve_doubles(v, rows, 1);
        *squares[i] = carve_doubles(v, 2 * k, 2 * k);
    }
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = carve_doubles(v, m, n);
    s->h = carve_doubles(v, rows, 1);
    s->ku = carve_doubles(v, rows, 1);
    s->a1 = carve_doubles(v, k, 1);
    s->a2 = carve_doubles(v, k, 1);
    s->shift = carve_doubles(v, k, 1);
    s->A = carve_doubles(v, 3 * k, n);
    s->B = carve_doubles(v, m, 3 * k);
    s->M = carve_doubles(v, k, k);
    s->N = carve_doubles(v, 3 * k, k);
    s->left = carve_doubles(v, m, 2 * k);
    s->right = carve_doubles(v, 2 * k, n);
    s->cs = carve_doubles(v, 2 * k, 1);
    const ptrdiff_t tall = crs_svd_scratch(m, k), wide = crs_svd_scratch(k, n);
    const ptrdiff_t core = crs_svd_scratch(2 * k, 2 * k), both = tall > wide ? tall : wide;
    s->room = carve_doubles(v, both > core ? both : core, 1);
}

static void tangent_close(void *self)
{
    tangent *s = self;
    if (!s) return;
    if (s->panoc) crs_core_panoc.close(s->panoc);
    crs_flat_close(&s->flat);
    crs_free(s->memory);
    crs_free(s);
}

static bool set_up(tangent *s, crease_error *e)
{
    s->memory = carve_block(carve, s);
    if (!s->memory) return crs_fail(e, CREASE_NO_MEMORY, "no memory for steps on a low rank");
    s->entrywise = true;
    for (int t = 0; t < s->c->terms; t++)
        s->entrywise = s->entrywise && is_entrywise(s->c->term[t].part[0].matrix);
    if (s->entrywise && !crs_flat_open(&s->flat, s->m, s->n, e)) return false;
    s->panoc = crs_core_panoc.open(&s->task, e);
    return s->panoc;
}

static void *tangent_open(const crs_task *task, crease_error *e)
{
    tangent *s = crs_alloc(1, sizeof *s);
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "no memory for steps on a low rank"), NULL;
    *s = (tangent){ .c = task->c, .task = *task, .r = crs_reg_of(&task->c->parts, 0) };
    s->m = s->c->parts.space[0].dim[0];
    s->n = s->c->parts.space[0].dim[1];
    if (set_up(s, e)) return s;
    tangent_close(s);
    return NULL;
}

const crs_core crs_core_tangent = {
    .name = "tangent",
    .patience = 10, /* residuals of its points go up and down */
    .needs = "one block with a spectral regularizer, no set, losses of linear predictors and no "
             "constraint",
    .suits = suits,
    .open = tangent_open,
    .step = step,
    .stand = stand,
    .close = tangent_close,
};
