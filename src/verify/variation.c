/* SPDX-License-Identifier: MIT
 * variation: the subdifferential of lambda sum_j |x_{j+1} - x_j| and its point nearest to t
 *
 * It holds g_j = z_{j-1} - z_j, z_{-1} = z_{n-1} = 0, with z_j = lambda sgn(x_{j+1} - x_j) at a
 * jump and |z_j| <= lambda on a constant stretch. On a stretch with sums S_k of what is left of t,
 * S_k + z_k is the taut string through the tube S_k +- lambda from 0 to the last sum; the string
 * is found by looking ahead from every bend. Whatever string is found, g is a subgradient.
 * Davies and Kovac, Local extremes, runs, strings and multiresolution, 2001. */
#include "verify/verify.h"

/* The tube over points 0..n: S[k] +- lambda, without width at the ends. */
typedef struct {
    ptrdiff_t n;
    real lambda;
    const real *S;
} tube;

static real half_width(const tube *t, ptrdiff_t k) { return k < t->n ? t->lambda : 0; }

/* The straight piece that starts at (*at, y): its slope; *at becomes its end. */
static real next_piece(const tube *t, ptrdiff_t *at, real y)
{
    real floor_slope = -INFINITY, roof_slope = INFINITY;
    ptrdiff_t floor_at = *at, roof_at = *at;
    for (ptrdiff_t k = *at + 1; k <= t->n; k++) {
        const real run = (real)(k - *at);
        const real low = (t->S[k] - half_width(t, k) - y) / run;
        const real high = (t->S[k] + half_width(t, k) - y) / run;
        if (high < floor_slope) return *at = floor_at, floor_slope;
        if (low > roof_slope) return *at = roof_at, roof_slope;
        if (low >= floor_slope) floor_slope = low, floor_at = k;
        if (high <= roof_slope) roof_slope = high, roof_at = k;
    }
    return *at = t->n, floor_slope;
}

/* z[0..n-1) for a stretch of n points, from its sums */
static void pull(const tube *t, real *z)
{
    real y = 0;
    for (ptrdiff_t at = 0, from = 0; from < t->n; from = at) {
        const real slope = next_piece(t, &at, y);
        if (at <= from) at = from + 1; /* only NaN stands still */
        for (ptrdiff_t k = from + 1; k <= at; k++) {
            y += slope;
            if (k < t->n) z[k - 1] = within(y - t->S[k], -t->lambda, t->lambda);
        }
    }
}

bool crs_nearest_variation(crs_verifier *v, const crs_subdifferential *d, const real *t, real *g,
                           crs_sizes *size)
{
    const ptrdiff_t n = crease_size(d->s);
    const real lambda = d->k->factor * d->k->par[0], *x = d->x;
    real *z = crs_reals(v, n), *S = crs_reals(v, n + 1);
    if (!z || !S) return false;
    for (ptrdiff_t j = 0; j + 1 < n; j++)
        z[j] = x[j + 1] > x[j] ? lambda : x[j + 1] < x[j] ? -lambda : 0;
    for (ptrdiff_t first = 0, last; first < n; first = last + 1) {
        last = first;
        while (last + 1 < n && x[last + 1] == x[first]) last++;
        S[0] = first > 0 ? -z[first - 1] : 0;
        for (ptrdiff_t j = first; j <= last; j++) S[j - first + 1] = S[j - first] + t[j];
        if (last + 1 < n) S[last - first + 1] += z[last];
        /* the string starts at 0, so the left end goes into all sums but S[0] */
        S[0] = 0;
        pull(&(tube){ last - first + 1, lambda, S }, z + first);
    }
    size->all = lambda * sqrtl((real)n);
    for (ptrdiff_t j = 0; j < n; j++) {
        g[j] = (j > 0 ? z[j - 1] : 0) - (j + 1 < n ? z[j] : 0);
        if (g[j] != t[j]) size->used = size->all;
    }
    return true;
}
