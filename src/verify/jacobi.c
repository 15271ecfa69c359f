/* SPDX-License-Identifier: MIT
 * jacobi: A = U diag(s) V' by one-sided Jacobi rotations, which make the columns orthogonal
 *
 * Hestenes, Inversion of matrices by biorthogonalization and related results, 1958. */
#include "verify/verify.h"

static const double most_work = 0x1p27; /* of m n min(m,n) */
enum { MOST_SWEEPS = 80 };

static void turn(ptrdiff_t n, real c, real s, real *p, real *q)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const real a = p[i], b = q[i];
        p[i] = c * a - s * b;
        q[i] = s * a + c * b;
    }
}

/* Makes rows p and q of w (n long) orthogonal, and turns those of v (k long) along; false: they
 * were, up to the rounding of their product. */
static bool rotate(ptrdiff_t n, ptrdiff_t k, real *wp, real *wq, real *vp, real *vq)
{
    const real a = crs_inner(n, wp, wp), b = crs_inner(n, wq, wq), c = crs_inner(n, wp, wq);
    if (!(fabsl(c) > (real)n * LDBL_EPSILON * sqrtl(a) * sqrtl(b))) return false;
    const real zeta = (b - a) / (2 * c);
    const real t = (zeta < 0 ? -1 : 1) / (fabsl(zeta) + sqrtl(1 + zeta * zeta));
    const real cosine = 1 / sqrtl(1 + t * t);
    turn(n, cosine, cosine * t, wp, wq);
    turn(k, cosine, cosine * t, vp, vq);
    return true;
}

static bool sweep(ptrdiff_t n, ptrdiff_t k, real *w, real *v)
{
    bool turned = false;
    for (ptrdiff_t p = 0; p < k; p++)
        for (ptrdiff_t q = p + 1; q < k; q++)
            turned = rotate(n, k, w + p * n, w + q * n, v + p * k, v + q * k) || turned;
    return turned;
}

/* The factors from rows of w (the long side n, unnormalized) and of z (k long), largest first. */
static void arrange(crs_svd_real *f, ptrdiff_t n, const real *w, const real *z, real *norm)
{
    real *outer = f->m >= f->n ? f->u : f->v, *inner = f->m >= f->n ? f->v : f->u;
    for (ptrdiff_t j = 0; j < f->k; j++) norm[j] = crs_length(n, w + j * n);
    for (ptrdiff_t j = 0; j < f->k; j++) {
        ptrdiff_t top = 0;
        for (ptrdiff_t p = 1; p < f->k; p++)
            if (norm[p] > norm[top]) top = p;
        f->s[j] = norm[top];
        for (ptrdiff_t i = 0; i < n; i++)
            outer[i * f->k + j] = f->s[j] > 0 ? w[top * n + i] / f->s[j] : 0;
        for (ptrdiff_t i = 0; i < f->k; i++) inner[i * f->k + j] = z[top * f->k + i];
        norm[top] = -1;
    }
}

bool crs_jacobi(crs_verifier *v, ptrdiff_t m, ptrdiff_t n, const real *a, crs_svd_real *out)
{
    const ptrdiff_t k = m < n ? m : n, l = m < n ? n : m;
    if ((double)m * (double)n * (double)k > most_work)
        return crs_refuse(v, "a %td x %td matrix is too large for the checker to decompose", m, n);
    *out = (crs_svd_real){ m, n, k, crs_reals(v, m * k), crs_reals(v, k), crs_reals(v, n * k) };
    real *w = crs_reals(v, k * l), *z = crs_reals(v, k * k), *norm = crs_reals(v, k);
    if (v->no_memory) return false;
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) w[m < n ? i * l + j : j * l + i] = a[i * n + j];
    for (ptrdiff_t j = 0; j < k; j++) z[j * k + j] = 1;
    int sweeps = 0;
    while (sweep(l, k, w, z))
        if (++sweeps == MOST_SWEEPS)
            return crs_refuse(v, "the decomposition of a %td x %td matrix did not converge", m, n);
    arrange(out, l, w, z, norm);
    return true;
}

/* With c = |A|_F, the matrix (A+A')/2 + c I has eigenvalues >= 0: they are its singular values. */
bool crs_top_eigenvalue(crs_verifier *v, ptrdiff_t n, const real *a, real *top)
{
    const real c = crs_length(n * n, a);
    real *shifted = crs_reals(v, n * n);
    crs_svd_real f;
    if (!shifted) return false;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            shifted[i * n + j] = (a[i * n + j] + a[j * n + i]) / 2 + (i == j ? c : 0);
    if (!crs_jacobi(v, n, n, shifted, &f)) return false;
    *top = f.s[0] - c;
    return true;
}
