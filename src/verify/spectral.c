/* SPDX-License-Identifier: MIT
 * spectral: the subdifferential of sum_j rho(sigma_j(X)) and its point nearest to T
 *
 * With X = U diag(s) V', s > 0, it holds U diag(rho'(s)) V' + P, U'P = 0, P V = 0 and
 * |P|_2 <= rho'(0+). The nearest point to T takes for P the projection (I - UU') T (I - VV') with
 * its singular values clipped. Lewis and Sendov, Nonsmooth analysis of singular values, 2005. */
#include "verify/verify.h"

/* T becomes (I - UU') T for the first r columns of u; a transposed copy does the other side. */
static void remove_range(ptrdiff_t m, ptrdiff_t n, ptrdiff_t r, const real *u, ptrdiff_t k, real *T)
{
    for (ptrdiff_t j = 0; j < r; j++)
        for (ptrdiff_t c = 0; c < n; c++) {
            real dot = 0;
            for (ptrdiff_t i = 0; i < m; i++) dot += u[i * k + j] * T[i * n + c];
            for (ptrdiff_t i = 0; i < m; i++) T[i * n + c] -= dot * u[i * k + j];
        }
}

static void transpose(ptrdiff_t m, ptrdiff_t n, const real *a, real *b)
{
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) b[j * m + i] = a[i * n + j];
}

/* G += factor u_j v_j' */
static void add_pair(const crs_svd_real *f, ptrdiff_t j, real factor, real *G)
{
    for (ptrdiff_t i = 0; i < f->m; i++)
        for (ptrdiff_t c = 0; c < f->n; c++)
            G[i * f->n + c] += factor * f->u[i * f->k + j] * f->v[c * f->k + j];
}

static real between(const crs_svd_real *f, ptrdiff_t j, const real *T) /* u_j'T v_j */
{
    real sum = 0;
    for (ptrdiff_t i = 0; i < f->m; i++)
        for (ptrdiff_t c = 0; c < f->n; c++)
            sum += f->u[i * f->k + j] * T[i * f->n + c] * f->v[c * f->k + j];
    return sum;
}

/* P, clipped at d0 */
static bool rest(crs_verifier *v, const crs_svd_real *f, ptrdiff_t rank, real d0, const real *T,
                 real *G)
{
    const ptrdiff_t m = f->m, n = f->n;
    crs_svd_real p;
    real *t = crs_reals(v, m * n);
    if (!t) return false;
    for (ptrdiff_t j = 0; j < m * n; j++) G[j] = T[j];
    remove_range(m, n, rank, f->u, f->k, G);
    transpose(m, n, G, t);
    remove_range(n, m, rank, f->v, f->k, t);
    transpose(n, m, t, G);
    if (isinf(d0)) return true;
    if (!crs_jacobi(v, m, n, G, &p)) return false;
    for (ptrdiff_t j = 0; j < p.k; j++)
        if (p.s[j] > d0) add_pair(&p, j, d0 - p.s[j], G);
    return true;
}

bool crs_nearest_spectral(crs_verifier *v, const crs_subdifferential *d, const real *t, real *g,
                          crs_sizes *size)
{
    const crs_known_reg *k = d->k;
    const ptrdiff_t m = d->s->dim[0], n = d->s->dim[1];
    const crs_slopes zero = crs_slopes_at(k, 0, 0, -INFINITY, INFINITY, 0);
    crs_svd_real f;
    ptrdiff_t rank = 0;
    if (!crs_jacobi(v, m, n, d->x, &f)) return false;
    const real noise = (real)(m > n ? m : n) * DBL_EPSILON * f.s[0];
    while (rank < f.k && f.s[rank] > noise) rank++;
    if (!rest(v, &f, rank, zero.high, t, g)) return false;
    size->all = isinf(zero.high) ? 0 : zero.high * sqrtl((real)f.k);
    for (ptrdiff_t j = 0; j < rank; j++) {
        const real kink = k->rule->kink ? k->rule->kink(k->par) : INFINITY;
        const crs_slopes at =
            crs_slopes_at(k, 0, f.s[j], -INFINITY, INFINITY, isinf(kink) ? 0 : 8 * noise / kink);
        add_pair(&f, j, crs_nearest_slope(&at, between(&f, j, t)), g);
        size->all = bigger(size->all, at.size);
    }
    size->all *= (real)(m + n);
    size->used = size->all;
    return true;
}
