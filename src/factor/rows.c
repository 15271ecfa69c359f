/* SPDX-License-Identifier: MIT
 * rows: active sets with exact Newton steps
 *
 * On the free coordinates F (at no kink, on no bound) the problem is quadratic: d solves
 * (A_FF + rho'') d = -(h_F + rho'). The step goes to c + d, cut off where coordinates meet a bound
 * or change their sign, or if that is no lower to the first of these; they are then held. Where
 * nothing is met, the held coordinate whose slope promises most becomes free: with F at its
 * minimum, d moves it the right way. Each set of free coordinates comes at most once, so it ends; a
 * second answer near the first takes one or two steps. */
#include "factor/rows.h"

enum { WHOLE = 3 };

void crs_rows_carve(crs_rows *q, crs_carver *v)
{
    q->A = carve_doubles(v, q->n, q->n);
    q->U = carve_doubles(v, q->n, q->n);
    double **vector[] = { &q->h, &q->d, &q->low, &q->high, &q->side, &q->step, &q->column };
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        *vector[k] = carve_doubles(v, q->n, 1);
    q->free = carve_bytes(v, q->n, sizeof *q->free);
}

bool crs_rows_take(const crs_coordinate *by, ptrdiff_t n)
{
    static const double probe[] = { 1e-9, 1e-3, 1, 1e3, 1e9 };
    const crs_coordinate *before = NULL;
    for (ptrdiff_t j = 0; j < n; j++) {
        const crs_coordinate *k = &by[j];
        if (!k->rho || k->weight == 0) continue;
        if (before && k->rho == before->rho && k->par == before->par) continue;
        before = k;
        if (!k->rho->convex || !(k->rho->slope(k->par, 0) < INFINITY)) return false;
        const double curve = k->rho->curve ? k->rho->curve(k->par, 1) : 0;
        for (size_t i = 0; i < sizeof probe / sizeof *probe; i++) {
            const double y = probe[i], own = k->rho->curve ? k->rho->curve(k->par, y) : 0;
            const double line = k->rho->slope(k->par, 0) + curve * y;
            if (own != curve || !(fabs(k->rho->slope(k->par, y) - line) <= 1e-12 * line))
                return false;
        }
    }
    return true;
}

/* h = A c - p */
static void find_slope(crs_rows *q, const double *p, const double *c)
{
    const ptrdiff_t n = q->n;
    for (ptrdiff_t i = 0; i < n; i++) q->h[i] = -p[i];
    for (ptrdiff_t j = 0; j < n; j++)
        if (c[j] != 0) axpy(n, c[j], q->A + j * n, q->h);
}

/* rho' on the side to which a free coordinate belongs; it may still be 0 itself */
static double slope_on(const crs_coordinate *k, double c, double side)
{
    return crs_coordinate_slope(k, c == 0 ? side * 0x1p-1000 : c);
}

/* Coordinate j comes to place k of F, on the side of 0 where `side` is. */
static void release(crs_rows *q, ptrdiff_t k, const crs_coordinate *by, ptrdiff_t j, double side)
{
    q->free[k] = j;
    q->side[k] = side < 0 ? -1 : 1;
    q->low[k] = by[j].kink && side > 0 ? larger(by[j].low, 0) : by[j].low;
    q->high[k] = by[j].kink && side < 0 ? smaller(by[j].high, 0) : by[j].high;
}

/* U'U = A_FF + rho'' by columns, from the first that is new; a pivot that rounding lost is made
 * small and positive. */
static void factorize(crs_rows *q, ptrdiff_t size, const crs_coordinate *by)
{
    const ptrdiff_t n = q->n;
    double *y = q->column;
    for (ptrdiff_t j = q->done; j < size; j++) {
        const ptrdiff_t at = q->free[j];
        const double own = q->A[at * (n + 1)] + pos(crs_coordinate_curve(&by[at], 1));
        double pivot = own;
        for (ptrdiff_t p = 0; p < j; p++) y[p] = q->A[at * n + q->free[p]];
        for (ptrdiff_t p = 0; p < j; p++) {
            const double *row = q->U + p * n;
            y[p] /= row[p];
            axpy(j - p - 1, -y[p], row + p + 1, y + p + 1);
            q->U[p * n + j] = y[p];
            pivot -= y[p] * y[p];
        }
        const double least = 1e-13 * own + 0x1p-1000;
        q->U[j * (n + 1)] = sqrt(pivot <= least ? least : pivot);
    }
    q->done = size;
}

/* d = -(U'U)^{-1} (h_F + rho') */
static void solve(crs_rows *q, ptrdiff_t size, const crs_coordinate *by, const double *c)
{
    for (ptrdiff_t i = 0; i < size; i++) {
        const ptrdiff_t at = q->free[i];
        q->d[i] = -q->h[at] - slope_on(&by[at], c[at], q->side[i]);
    }
    for (ptrdiff_t p = 0; p < size; p++) {
        const double *row = q->U + p * q->n;
        q->d[p] /= row[p];
        axpy(size - p - 1, -q->d[p], row + p + 1, q->d + p + 1);
    }
    for (ptrdiff_t p = size - 1; p >= 0; p--) {
        const double *row = q->U + p * q->n;
        double sum = q->d[p];
        for (ptrdiff_t j = p + 1; j < size; j++) sum -= row[j] * q->d[j];
        q->d[p] = sum / row[p];
    }
}

/* Coordinates of F that have come to a bound or a kink are held; returns how many are free. */
static ptrdiff_t hold(crs_rows *q, ptrdiff_t size, const crs_coordinate *by, const double *c)
{
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < size; i++) {
        const ptrdiff_t j = q->free[i];
        if (crs_is_held(&by[j], c[j])) {
            if (q->done > kept) q->done = kept;
            continue;
        }
        q->free[kept] = j;
        q->side[kept] = q->side[i];
        q->low[kept] = q->low[i];
        q->high[kept++] = q->high[i];
    }
    return kept;
}

/* c moves along d until the first bound; returns the place in F of the one that met it, or -1. */
static ptrdiff_t move(crs_rows *q, ptrdiff_t size, double *c)
{
    double tau = 1;
    ptrdiff_t met = -1;
    for (ptrdiff_t i = 0; i < size; i++) {
        const double at = c[q->free[i]], to = at + q->d[i];
        const double bound = to < q->low[i] ? q->low[i] : q->high[i];
        if (to >= q->low[i] && to <= q->high[i]) continue;
        const double part = (bound - at) / q->d[i];
        if (part < tau || met < 0) tau = part, met = i;
    }
    for (ptrdiff_t i = 0; i < size; i++) {
        double *own = &c[q->free[i]];
        *own = clip(*own + tau * q->d[i], q->low[i], q->high[i]);
    }
    if (met >= 0) c[q->free[met]] = q->d[met] < 0 ? q->low[met] : q->high[met];
    return met;
}

/* All of d, cut off at the bounds, where that is lower: half the sum of the slopes before and after
 * times the step is the change, as everything is quadratic. d becomes the step; returns whether it
 * was taken, with the slope in h. */
static bool move_clipped(crs_rows *q, ptrdiff_t size, const crs_coordinate *by, const double *p,
                         double *c)
{
    double change = 0;
    bool all = true;
    for (ptrdiff_t i = 0; i < size; i++) {
        const ptrdiff_t j = q->free[i];
        const double from = c[j], to = clip(from + q->d[i], q->low[i], q->high[i]);
        all = all && to == from + q->d[i];
        q->step[i] = to - from;
        q->column[i] = from;
        change += q->step[i] * (q->h[j] + slope_on(&by[j], from, q->side[i]));
        c[j] = to;
    }
    if (!all) {
        find_slope(q, p, c);
        for (ptrdiff_t i = 0; i < size; i++) {
            const ptrdiff_t j = q->free[i];
            change += q->step[i] * (q->h[j] + slope_on(&by[j], c[j], q->side[i]));
        }
        if (change < 0) return true;
    }
    for (ptrdiff_t i = 0; i < size; i++) c[q->free[i]] = q->column[i];
    if (!all) find_slope(q, p, c);
    return false;
}

/* The held coordinate that should be free, with the side to which it goes; -1: none by more than
 * `tolerance`. */
static ptrdiff_t most_wanting(const crs_rows *q, const crs_coordinate *by, const double *c,
                              double tolerance, double *side)
{
    ptrdiff_t best = -1;
    for (ptrdiff_t j = 0; j < q->n; j++) {
        if (!crs_is_held(&by[j], c[j])) continue;
        const double up = -q->h[j] - slope_on(&by[j], c[j], 1);
        const double down = q->h[j] + slope_on(&by[j], c[j], -1);
        if (c[j] < by[j].high && up > tolerance) best = j, tolerance = up, *side = 1;
        if (c[j] > by[j].low && down > tolerance) best = j, tolerance = down, *side = -1;
    }
    return best;
}

/* The free coordinates and their slope's largest magnitude. */
static double off_by(const crs_rows *q, ptrdiff_t size, const crs_coordinate *by, const double *c)
{
    double most = 0;
    for (ptrdiff_t i = 0; i < size; i++) {
        const ptrdiff_t j = q->free[i];
        most = larger(most, fabs(q->h[j] + slope_on(&by[j], c[j], q->side[i])));
    }
    return most;
}

static bool is_free(const crs_rows *q, ptrdiff_t size, ptrdiff_t j)
{
    for (ptrdiff_t i = 0; i < size; i++)
        if (q->free[i] == j) return true;
    return false;
}

double crs_rows_minimize(crs_rows *q, const crs_coordinate *by, const double *p, double *c)
{
    double size_of = 0, side = 1;
    ptrdiff_t size = 0;
    for (ptrdiff_t j = 0; j < q->n; j++) {
        size_of = larger(size_of, fabs(p[j]));
        if (!crs_is_held(&by[j], c[j])) release(q, size++, by, j, c[j]);
    }
    const double tolerance = 1e-13 * size_of;
    q->done = 0;
    find_slope(q, p, c);
    for (ptrdiff_t k = 0; k < q->most;) {
        int whole = 0; /* steps that met nothing: one, and others against its rounding */
        for (; k < q->most && size > 0 && whole < WHOLE && off_by(q, size, by, c) > tolerance;
             k++) {
            factorize(q, size, by);
            solve(q, size, by, c);
            if (!move_clipped(q, size, by, p, c)) {
                const ptrdiff_t met = move(q, size, c);
                find_slope(q, p, c);
                whole += met < 0;
            }
            size = hold(q, size, by, c);
        }
        if (k >= q->most) break;
        const ptrdiff_t next = most_wanting(q, by, c, 10 * tolerance, &side);
        if (next < 0 || is_free(q, size, next)) break;
        release(q, size++, by, next, c[next] == 0 ? side : c[next]);
    }
    return off_by(q, size, by, c);
}
