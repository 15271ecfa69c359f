/* SPDX-License-Identifier: MIT
 * cp_slice_steps: residual, outliers and gradient of a slice; Newton's step for Huber's function, a
 * piecewise quadratic that exact line searches end in finitely many; majorization for the rest
 *
 * Madsen, Nielsen, Finite algorithms for robust linear regression, 1990. */
#include "rpca/cp_slice.h"

enum { BISECTIONS = 60, SWEEPS = 200 };

static double outlier(const crs_slice *s, double r)
{
    return fabs(r) <= s->dead ? 0 : crs_scalar_prox(&s->penalty, 1 / (2 * s->c), r);
}

/* r = t - M a, 0 where t is NaN; e = prox(r); g = -2c M'(r - e) + nu a */
void crs_slice_look(crs_slice *s, const double *t, const double *a)
{
    copy(s->entries, t, s->r);
    crs_gemv(false, s->entries, s->rank, -1, s->m, a, 1, s->r);
    for (ptrdiff_t j = 0; j < s->entries; j++) {
        if (isnan(t[j])) s->r[j] = 0;
        s->e[j] = outlier(s, s->r[j]);
        s->q[j] = s->r[j] - s->e[j];
    }
    crs_gemv(true, s->entries, s->rank, -2 * s->c, s->m, s->q, 0, s->g);
    axpy(s->rank, s->nu, a, s->g);
}

/* d = -(2c sum over r without outlier of m m' + nu I)^{-1} g; false: too few are left */
static bool newton_direction(crs_slice *s, const double *t)
{
    const ptrdiff_t R = s->rank;
    fill(R * R, 0, s->h);
    for (ptrdiff_t j = 0; j < s->entries; j++) {
        const double *m = s->m + j * R;
        if (s->e[j] != 0 || isnan(t[j])) continue;
        for (ptrdiff_t p = 0; p < R; p++) axpy(p + 1, 2 * s->c * m[p], m, s->h + p * R);
    }
    for (ptrdiff_t p = 0; p < R; p++) {
        s->h[p * R + p] += s->nu;
        for (ptrdiff_t k = 0; k < p; k++) s->h[k * R + p] = s->h[p * R + k];
    }
    for (ptrdiff_t p = 0; p < R; p++) s->d[p] = -s->g[p];
    if (!crs_cholesky(R, s->h)) return false;
    crs_cholesky_solve(R, s->h, 1, s->d);
    return true;
}

/* d/dtau F(a + tau d); q = M d */
static double slope(const crs_slice *s, const double *t, const double *a, double tau)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < s->entries; j++) {
        if (isnan(t[j])) continue;
        const double r = s->r[j] - tau * s->q[j];
        sum -= 2 * s->c * clip(r, -s->dead, s->dead) * s->q[j];
    }
    for (ptrdiff_t p = 0; p < s->rank; p++) sum += s->nu * (a[p] + tau * s->d[p]) * s->d[p];
    return sum;
}

void crs_slice_newton(crs_slice *s, const double *t, double *a)
{
    double low = 0, high = 1;
    if (!newton_direction(s, t)) {
        crs_slice_majorize(s, a);
        return;
    }
    crs_gemv(false, s->entries, s->rank, 1, s->m, s->d, 0, s->q);
    double at = slope(s, t, a, high);
    for (int k = 0; k < BISECTIONS && at < 0; k++) low = high, high *= 2, at = slope(s, t, a, high);
    for (int k = 0; k < BISECTIONS && at > 0 && high - low > 1e-15 * high; k++) {
        const double middle = low + (high - low) / 2;
        *(slope(s, t, a, middle) < 0 ? &low : &high) = middle;
    }
    axpy(s->rank, high, s->d, a);
}

/* argmin over a' >= 0 of <g, a' - a> + (1/2)(a' - a)'Gram(a' - a), one entry after the other */
static void nonnegative(crs_slice *s, double *a)
{
    const ptrdiff_t R = s->rank;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double moved = 0, size = 0;
        for (ptrdiff_t p = 0; p < R; p++) {
            const double curve = s->gram[p * R + p];
            const double next = curve > 0 ? pos(a[p] - s->g[p] / curve) : 0, step = next - a[p];
            axpy(R, step, s->gram + p * R, s->g);
            a[p] = next;
            moved = larger(moved, fabs(step)), size = larger(size, fabs(next));
        }
        if (moved <= 1e-14 * size) return;
    }
}

void crs_slice_majorize(crs_slice *s, double *a)
{
    if (s->nonneg) {
        nonnegative(s, a);
        return;
    }
    crs_cholesky_solve(s->rank, s->chol, 1, s->g);
    axpy(s->rank, -1, s->g, a);
}
