/* SPDX-License-Identifier: MIT
 * box_hyperplane: {x : l <= x <= u, a'x = b}, the sides finite
 *
 * Projection clip(v - mu a, l, u) (row.c). Linear oracle: a fractional knapsack. With
 * z_j = |a_j| |x_j - (the end of least a_j x_j)| the row is sum z = B, 0 <= z_j <= w_j, and the
 * entries are filled in the order of their gain c_j/a_j, the last one in part. In these terms
 * |z - z'|_1 <= 2 min(B, sum w - B), which bounds the diameter besides the sides of the box. */
#include "reg/reg.h"
#include "set/set.h"

static crease_row row(const crease_set *c)
{
    const crease_row *given = c->data;
    crease_row own = { .box = { .low = c->par[0], .high = c->par[1] },
                       .a = c->vec,
                       .b = c->par[2],
                       .equality = true };
    if (given) own = *given, own.equality = true;
    return own;
}

/* The ends of entry j where a_j x_j is least, and where it is most. */
static double least_end(const crease_row *r, ptrdiff_t j)
{
    return r->a[j] > 0 ? lower_at(&r->box, j) : upper_at(&r->box, j);
}

static double other_end(const crease_row *r, ptrdiff_t j)
{
    return r->a[j] > 0 ? upper_at(&r->box, j) : lower_at(&r->box, j);
}

static double side(const crease_row *r, ptrdiff_t j)
{
    return upper_at(&r->box, j) - lower_at(&r->box, j);
}

/* B = b - min a'x and sum w - B = max a'x - b over the box */
static void slacks(const crease_row *r, ptrdiff_t n, double *least, double *most)
{
    crs_total low = { 0, 0 }, high = { 0, 0 };
    for (ptrdiff_t j = 0; j < n; j++) {
        accumulate(&low, r->a[j] * least_end(r, j));
        accumulate(&high, r->a[j] * other_end(r, j));
    }
    *least = r->b - total(&low);
    *most = total(&high) - r->b;
}

static bool check_box(const crease_row *r, ptrdiff_t n, crease_error *e)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const double low = lower_at(&r->box, j), high = upper_at(&r->box, j);
        if (!(isfinite(low) && isfinite(high) && low <= high))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "box-hyperplane: entry %td has the bounds %g and %g; give two finite "
                            "numbers, the lower one first",
                            j + 1, low, high);
    }
    return true;
}

static bool check(const crease_set *c, const crease_space *s, crease_error *e)
{
    const crease_row r = row(c);
    double least, most, size = fabs(r.b);
    const ptrdiff_t n = crease_size(s);
    if (!crs_check_whole(c, s, e) || !crs_check_row(c, s, r.a, c->data ? 0 : c->par[3], e) ||
        !check_box(&r, n, e))
        return false;
    if (!isfinite(r.b))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "box-hyperplane: b is %g; give a finite number",
                        r.b);
    slacks(&r, n, &least, &most);
    for (ptrdiff_t j = 0; j < n; j++)
        size += fabs(r.a[j]) * (fabs(lower_at(&r.box, j)) + fabs(upper_at(&r.box, j)));
    const double allowance = 4 * (double)(n + 8) * 0x1p-53 * size;
    return (least >= -allowance && most >= -allowance) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "box-hyperplane: a'x is between %g and %g on the box, so it is never b = %g "
                    "and the set is empty; give a b between them",
                    r.b - least, r.b + most, r.b);
}

/* The ratios in descending order, which entry each is of, and a vector. */
static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    (void)c;
    return 3 * crease_size(s);
}

/* y maximizes <w, y> */
static void fill_knapsack(const crease_row *r, ptrdiff_t n, const double *w, double *y,
                          double *work)
{
    double *ratio = work, *which = work + n, least, most;
    ptrdiff_t count = 0;
    slacks(r, n, &least, &most);
    crs_total room = { pos(least), 0 };
    for (ptrdiff_t j = 0; j < n; j++) {
        if (r->a[j] == 0) {
            y[j] = w[j] > 0 ? upper_at(&r->box, j) : lower_at(&r->box, j);
            continue;
        }
        ratio[count] = w[j] / r->a[j];
        which[count++] = (double)j;
        y[j] = least_end(r, j);
    }
    crs_sort(count, ratio, which);
    for (ptrdiff_t k = 0; k < count && total(&room) > 0; k++) {
        const ptrdiff_t j = (ptrdiff_t)which[k];
        const double full = fabs(r->a[j]) * side(r, j), left = total(&room);
        const bool whole = full <= left;
        accumulate(&room, whole ? -full : -left);
        y[j] = whole ? other_end(r, j)
                     : clip(y[j] + left / r->a[j], lower_at(&r->box, j), upper_at(&r->box, j));
    }
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const crease_row r = row(c);
    const ptrdiff_t n = crease_size(s);
    if (crs_nan_through(n, g, y)) return;
    for (ptrdiff_t j = 0; j < n; j++) work[2 * n + j] = -g[j];
    fill_knapsack(&r, n, work + 2 * n, y, work);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const crease_row r = row(c);
    const ptrdiff_t n = crease_size(s);
    double *y = work + 2 * n;
    if (crs_any_nan(n, w)) return NAN;
    fill_knapsack(&r, n, w, y, work);
    return crs_dot(n, w, y);
}

/* sum_j (d_j/|a_j|)^p with d_j <= w_j and sum d <= D: no more than D max_j side_j^{p-1}/|a_j|. */
static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const crease_row r = row(c);
    const crease_space here = crease_vector(1);
    crs_power sides = { .p = p }, free = { .p = p };
    double least, most, densest = 0;
    slacks(&r, crease_size(s), &least, &most);
    const double slack = pos(smaller(least, most));
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const double a = fabs(r.a[j]);
        const double reach = a > 0 ? smaller(side(&r, j), slack / a) : side(&r, j);
        crs_power_add(&sides, reach);
        if (a > 0)
            densest = larger(densest, pow(reach, p - 1) / a);
        else
            crs_power_add(&free, reach);
    }
    crs_power_add(&free, pow(2 * slack * densest, 1 / p));
    return smaller(crs_power_root(&sides, &here), crs_power_root(&free, &here));
}

static void range(const crease_set *c, const crease_space *s, double *low, double *high)
{
    const crease_row r = row(c);
    *low = INFINITY, *high = -INFINITY;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        *low = smaller(*low, lower_at(&r.box, j));
        *high = larger(*high, upper_at(&r.box, j));
    }
}

static const crease_param params[] = {
    { "low", -INFINITY, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "lower bound l" },
    { "high", -INFINITY, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "upper bound u >= l" },
    { "b", -INFINITY, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "the right-hand side" },
    { 0 },
};

const crease_set_ops crs_box_hyperplane_ops = {
    .name = "box-hyperplane",
    .formula = "{x : l <= x_j <= u, a'x = b}",
    .polyhedral = true,
    .params = params,
    .vector = "a",
    .compact = true,
    .range = range,
    .row = row,
    .check = check,
    .scratch = scratch,
    .excess = crs_row_excess,
    .project = crs_row_project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
    .dist_normal = crs_row_dist_normal,
};

crease_set crease_box_hyperplane(double low, double high, const double *a, double b)
{
    return (crease_set){ .ops = &crs_box_hyperplane_ops, .par = { low, high, b }, .vec = a };
}

crease_set crease_box_hyperplane_array(const crease_row *r)
{
    return (crease_set){ .ops = &crs_box_hyperplane_ops, .par = { 0, 0, r->b }, .data = r };
}
