/* SPDX-License-Identifier: MIT
 * flat: Gauss-Newton equations for X = U S V' in (dA, dB), xi = U dA + dB V', where f'' acts entry
 * by entry with weights W
 *
 * With rows l_i of the factor of the shorter side and r_j of the other one, the unknown rows d_i
 * and e_j of their changes obey
 *     Q_i d_i + sum_j W_ij r_j (l_i'e_j) = -gl_i,    Q_i = sum_j W_ij r_j r_j' + D,
 *     P_j e_j + sum_i W_ij l_i (r_j'd_i) = -gr_j,    P_j = sum_i W_ij l_i l_i' + D.
 * The e_j are eliminated one by one, which leaves a system of order k min(m,n):
 *     S_ii' = [i = i'] Q_i - sum_j W_ij W_i'j (l_i'P_j^{-1} l_i') r_j r_j'.
 * It is definite up to the k^2 changes of basis in U V', which D = diag(shift) bounds and xi does
 * not show. Okatani and Deguchi, On the Wiberg algorithm for factorization with missing components,
 * 2007. */
#include "newton/flat.h"

#include "core/carve.h"
#include "dense/dense.h"

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

static ptrdiff_t largest_rank(const crs_flat *f)
{
    const ptrdiff_t a = crs_short_side(f->m, f->n);
    return crs_short_side(a, CRS_FLAT_ORDER / a);
}

bool crs_flat_fits(const crs_flat *f, ptrdiff_t k) { return k <= largest_rank(f); }

static void carve(void *self, crs_carver *v)
{
    crs_flat *f = self;
    const ptrdiff_t a = crs_short_side(f->m, f->n), b = most(f->m, f->n), k = largest_rank(f);
    f->W = carve_doubles(v, f->m, f->n);
    f->left = carve_doubles(v, a, k);
    f->right = carve_doubles(v, b, k);
    f->gl = carve_doubles(v, a, k);
    f->gr = carve_doubles(v, b, k);
    f->pieces = carve_doubles(v, b, k * k);
    f->y = carve_doubles(v, a, k);
    f->S = carve_doubles(v, a * k, a * k);
}

bool crs_flat_open(crs_flat *f, ptrdiff_t m, ptrdiff_t n, crease_error *e)
{
    *f = (crs_flat){ .m = m, .n = n };
    f->memory = carve_block(carve, f);
    return f->memory || crs_fail(e, CREASE_NO_MEMORY, "no memory for steps on a low rank");
}

void crs_flat_close(crs_flat *f)
{
    crs_free(f->memory);
    f->memory = NULL;
}

/* W_ij of the orientation in which the rows are the shorter side */
static double weight(const crs_flat *f, ptrdiff_t i, ptrdiff_t j)
{
    return f->m <= f->n ? f->W[i * f->n + j] : f->W[j * f->n + i];
}

/* out += w x x' (k x k, rows `stride` apart) */
static void add_square(ptrdiff_t k, double w, const double *x, ptrdiff_t stride, double *out)
{
    for (ptrdiff_t p = 0; p < k; p++) axpy(k, w * x[p], x, out + p * stride);
}

static double dot(ptrdiff_t k, const double *x, const double *y)
{
    double sum = 0;
    for (ptrdiff_t p = 0; p < k; p++) sum += x[p] * y[p];
    return sum;
}

/* The factors by rows. */
static void orient(crs_flat *f)
{
    const bool upright = f->m <= f->n;
    double *u = upright ? f->left : f->right, *v = upright ? f->right : f->left;
    copy(f->m * f->k, f->U, u);
    for (ptrdiff_t j = 0; j < f->n; j++)
        for (ptrdiff_t p = 0; p < f->k; p++) v[j * f->k + p] = f->Vt[p * f->n + j];
}

/* The gradient in them. */
static void turn(crs_flat *f, const double *G)
{
    const bool upright = f->m <= f->n;
    const double *u = upright ? f->left : f->right, *v = upright ? f->right : f->left;
    crs_gemm(false, false, f->m, f->k, f->n, 1, G, v, 0, upright ? f->gl : f->gr);
    crs_gemm(true, false, f->n, f->k, f->m, 1, G, u, 0, upright ? f->gr : f->gl);
}

/* The blocks Q_i in S, P_j in pieces; returns their mean diagonal entry. */
static double diagonal_blocks(crs_flat *f)
{
    const ptrdiff_t a = crs_short_side(f->m, f->n), b = most(f->m, f->n), k = f->k, order = a * k;
    double trace = 0;
    fill(order * order, 0, f->S);
    fill(b * k * k, 0, f->pieces);
    for (ptrdiff_t i = 0; i < a; i++)
        for (ptrdiff_t j = 0; j < b; j++) {
            const double w = weight(f, i, j);
            const double *l = f->left + i * k, *r = f->right + j * k;
            if (w == 0) continue;
            add_square(k, w, r, order, f->S + i * k * order + i * k);
            add_square(k, w, l, k, f->pieces + j * k * k);
            trace += w * (dot(k, l, l) + dot(k, r, r));
        }
    return trace / (double)((a + b) * k);
}

/* What the elimination of e_j does to S (lower half). */
static bool eliminate(crs_flat *f, ptrdiff_t j, const double *shift, double least)
{
    const ptrdiff_t a = crs_short_side(f->m, f->n), k = f->k, order = a * k;
    const double *r = f->right + j * k;
    double *P = f->pieces + j * k * k;
    for (ptrdiff_t p = 0; p < k; p++) P[p * k + p] += shift[p] + least;
    if (!crs_cholesky(k, P)) return false;
    copy(order, f->left, f->y);
    crs_cholesky_solve_rows(k, P, a, f->y);
    for (ptrdiff_t i = 0; i < a; i++) {
        const double w = weight(f, i, j), *l = f->left + i * k;
        for (ptrdiff_t q = 0; q <= i && w != 0; q++) {
            const double v = weight(f, q, j);
            if (v == 0) continue;
            add_square(k, -w * v * dot(k, l, f->y + q * k), r, order, f->S + i * k * order + q * k);
        }
    }
    return true;
}

bool crs_flat_factor(crs_flat *f, ptrdiff_t k, const double *U, const double *Vt,
                     const double *shift)
{
    const ptrdiff_t a = crs_short_side(f->m, f->n), b = most(f->m, f->n), order = a * k;
    f->k = k;
    f->U = U;
    f->Vt = Vt;
    orient(f);
    const double least = 1e-12 * diagonal_blocks(f);
    for (ptrdiff_t j = 0; j < b; j++)
        if (!eliminate(f, j, shift, least)) return false;
    for (ptrdiff_t i = 0; i < order; i++) f->S[i * order + i] += shift[i % k] + least;
    return crs_cholesky(order, f->S);
}

/* gr_j becomes P_j^{-1} gr_j, and what that means for gl */
static void reduce(crs_flat *f, ptrdiff_t j)
{
    const ptrdiff_t a = crs_short_side(f->m, f->n), k = f->k;
    double *g = f->gr + j * k;
    crs_cholesky_solve(k, f->pieces + j * k * k, 1, g);
    for (ptrdiff_t i = 0; i < a; i++) {
        const double w = weight(f, i, j);
        if (w != 0) axpy(k, -w * dot(k, f->left + i * k, g), f->right + j * k, f->gl + i * k);
    }
}

/* e_j = -P_j^{-1} (gr_j + sum_i W_ij l_i (r_j'd_i)), d in gl, into gr */
static void substitute(crs_flat *f, ptrdiff_t j)
{
    const ptrdiff_t a = crs_short_side(f->m, f->n), k = f->k;
    double *e = f->gr + j * k, *sum = f->y;
    fill(k, 0, sum);
    for (ptrdiff_t i = 0; i < a; i++) {
        const double w = weight(f, i, j);
        if (w != 0) axpy(k, w * dot(k, f->right + j * k, f->gl + i * k), f->left + i * k, sum);
    }
    crs_cholesky_solve(k, f->pieces + j * k * k, 1, sum);
    for (ptrdiff_t p = 0; p < k; p++) e[p] = -e[p] - sum[p];
}

void crs_flat_solve(crs_flat *f, const double *G, double *xi)
{
    const ptrdiff_t a = crs_short_side(f->m, f->n), b = most(f->m, f->n), order = a * f->k;
    const bool upright = f->m <= f->n;
    turn(f, G);
    for (ptrdiff_t j = 0; j < b; j++) reduce(f, j);
    for (ptrdiff_t i = 0; i < order; i++) f->gl[i] = -f->gl[i];
    crs_cholesky_solve(order, f->S, 1, f->gl);
    for (ptrdiff_t j = 0; j < b; j++) substitute(f, j);
    const double *du = upright ? f->gl : f->gr, *dv = upright ? f->gr : f->gl;
    crs_gemm(false, true, f->m, f->n, f->k, 1, f->U, dv, 0, xi);
    crs_gemm(false, false, f->m, f->n, f->k, 1, du, f->Vt, 1, xi);
}
