/* SPDX-License-Identifier: MIT
 * permutahedron: the hull of the permutations of a
 *
 * x is in it when sum x = sum a and, for every k, the k largest x_j sum to no more than the k
 * largest a_j. LMO(c): the largest a_j where c is smallest; support: sorted w times sorted a.
 * Projection: with v and a sorted down, v minus the nearest nonincreasing sequence to v - a
 * (pool adjacent violators). Lim, Wright, Efficient Bregman projections onto the
 * permutahedron and related polytopes, 2016. */
#include "set/set.h"

/* u becomes u - PAV(u - a) for u and a sorted down, PAV the nearest nonincreasing sequence; start
 * and sum are work. A block that starts at f keeps D = sum_j ((u_j - u_f) - a_j); its mean is
 * u_f + D/size, and two neighbours are pooled while the later mean exceeds the earlier. Only
 * differences of u enter, so the answer is as accurate as a however large u is; a block of one
 * gives a_j itself. */
static void subtract_pooled(ptrdiff_t n, const double *a, double *u, double *start, double *sum)
{
    ptrdiff_t blocks = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        start[blocks] = (double)j;
        sum[blocks] = -a[j];
        for (; blocks > 0; blocks--) {
            const ptrdiff_t last = (ptrdiff_t)start[blocks], first = (ptrdiff_t)start[blocks - 1];
            const double shift = u[last] - u[first], size = (double)(j + 1 - last);
            const double mean = sum[blocks - 1] / (double)(last - first);
            if (!(shift + (sum[blocks] / size - mean) > 0)) break;
            sum[blocks - 1] += sum[blocks] + size * shift;
        }
        blocks++;
    }
    for (ptrdiff_t b = 0, j = 0; b < blocks; b++) {
        const ptrdiff_t first = j, end = b + 1 < blocks ? (ptrdiff_t)start[b + 1] : n;
        const double from = u[first], mean = sum[b] / (double)(end - first);
        for (; j < end; j++) u[j] = (u[j] - from) - mean;
    }
}

/* par[0] is the length of a when a text gave it, else 0. */
static bool check(const crease_set *c, const crease_space *s, crease_error *e)
{
    const ptrdiff_t n = crease_size(s);
    if (!crs_check_whole(c, s, e)) return false;
    if (!c->vec)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "permutahedron: the vector a is missing; give %td numbers", n);
    if (c->par[0] != 0 && c->par[0] != (double)n)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "permutahedron: a has %g number%s but the point has %td entr%s; give one "
                        "number for each entry",
                        c->par[0], c->par[0] == 1 ? "" : "s", n, n == 1 ? "y" : "ies");
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isfinite(c->vec[j]))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "permutahedron: entry %td of a is %g; give finite numbers", j + 1,
                            c->vec[j]);
    return true;
}

/* Sorted argument, its order, sorted a; starts and sums of the pooled blocks. */
static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    (void)c;
    return 5 * crease_size(s);
}

static double *sorted_a(const crease_set *c, ptrdiff_t n, double *work)
{
    copy(n, c->vec, work);
    crs_sort(n, work, NULL);
    return work;
}

static double *sorted(ptrdiff_t n, double factor, const double *v, double *order, double *work)
{
    for (ptrdiff_t j = 0; j < n; j++) work[j] = factor * v[j];
    for (ptrdiff_t j = 0; order && j < n; j++) order[j] = (double)j;
    crs_sort(n, work, order);
    return work;
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t n = crease_size(s);
    if (crs_any_nan(n, x)) return NAN;
    const double *y = sorted(n, 1, x, NULL, work), *a = sorted_a(c, n, work + n);
    crs_total ahead = { 0, 0 };
    double most = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        accumulate(&ahead, y[j]);
        accumulate(&ahead, -a[j]);
        most = larger(most, total(&ahead));
    }
    return larger(most, -total(&ahead));
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const ptrdiff_t n = crease_size(s);
    if (crs_nan_through(n, v, x)) return;
    const double *order = work + n, *a = sorted_a(c, n, work + 2 * n);
    double *u = sorted(n, 1, v, work + n, work);
    subtract_pooled(n, a, u, work + 3 * n, work + 4 * n);
    for (ptrdiff_t j = 0; j < n; j++) x[(ptrdiff_t)order[j]] = u[j];
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = crease_size(s);
    if (crs_nan_through(n, g, y)) return;
    const double *order = work + n, *a = sorted_a(c, n, work + 2 * n);
    sorted(n, -1, g, work + n, work);
    for (ptrdiff_t j = 0; j < n; j++) y[(ptrdiff_t)order[j]] = a[j];
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const ptrdiff_t n = crease_size(s);
    if (crs_any_nan(n, w)) return NAN;
    return crs_dot(n, sorted(n, 1, w, NULL, work), sorted_a(c, n, work + n));
}

/* |a_up - a_down|_p; when there is no memory to sort, the bound n^{1/p} (max a - min a). */
static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const ptrdiff_t n = crease_size(s);
    double low = c->vec[0], high = c->vec[0];
    for (ptrdiff_t j = 1; j < n; j++) {
        low = smaller(low, c->vec[j]);
        high = larger(high, c->vec[j]);
    }
    double *a = crs_doubles(n, "the diameter of a permutahedron", NULL);
    if (!a) return (high - low) * pow((double)n, 1 / p);

    sorted_a(c, n, a);
    crs_power norm = { .p = p };
    for (ptrdiff_t j = 0; j < n; j++) crs_power_add(&norm, a[j] - a[n - 1 - j]);
    crs_free(a);
    return crs_power_root(&norm, s);
}

static void range(const crease_set *c, const crease_space *s, double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        *low = smaller(*low, c->vec[j]), *high = larger(*high, c->vec[j]);
}

const crease_set_ops crs_permutahedron_ops = {
    .name = "permutahedron",
    .formula = "hull {permutations of a}",
    .polyhedral = true,
    .vector = "a",
    .compact = true,
    .fixed_sum = true,
    .range = range,
    .check = check,
    .scratch = scratch,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_permutahedron(const double *a)
{
    return (crease_set){ .ops = &crs_permutahedron_ops, .vec = a };
}
