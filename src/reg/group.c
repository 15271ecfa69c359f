/* SPDX-License-Identifier: MIT
 * group: r(x) = sum_g w_g rho(|x_g|_2) over groups of entries
 *
 * The prox shrinks the length of each group and keeps its direction. Restricted to |x|_2 <= R:
 * l1 and zero by scaling the prox into the ball, one single group by the scalar prox on [0, R].
 * Yuan and Lin, Model selection and estimation in regression with grouped variables, 2006. */
#include "reg/reg.h"

static bool starts_ascend(const crease_groups *a, ptrdiff_t size, crease_error *e)
{
    if (a->start[0] != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "groups: start 1 is %td; it must be 0",
                        a->start[0]);
    for (ptrdiff_t k = 0; k < a->count; k++)
        if (a->start[k + 1] <= a->start[k])
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "groups: start %td is %td but start %td is %td; they must ascend, for "
                            "no group is empty",
                            k + 1, a->start[k], k + 2, a->start[k + 1]);
    if (a->start[a->count] != size)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "groups: the last start is %td but there are %td entries; let the groups "
                        "cover all of them",
                        a->start[a->count], size);
    return true;
}

static bool mark_all(const ptrdiff_t *index, ptrdiff_t size, char *seen, crease_error *e)
{
    for (ptrdiff_t k = 0; k < size; k++) {
        const ptrdiff_t j = index[k];
        if (j < 0 || j >= size)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "groups: index %td is %td; give entries from 0 to %td", k + 1, j,
                            size - 1);
        if (seen[j])
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "groups: index %td names entry %td again; give every entry once", k + 1,
                            j);
        seen[j] = 1;
    }
    return true;
}

static bool index_permutes(const ptrdiff_t *index, ptrdiff_t size, crease_error *e)
{
    char *seen = crs_alloc((size_t)size, 1);
    if (!seen)
        return crs_fail(e, CREASE_NO_MEMORY,
                        "out of memory: checking groups needs %td bytes; use a smaller problem",
                        size);
    const bool fine = mark_all(index, size, seen, e);
    crs_free(seen);
    return fine;
}

static bool check(const crease_reg *r, const crease_space *s, crease_error *e)
{
    const crease_groups *a = r->groups;
    const ptrdiff_t size = crease_size(s);
    if (s->comm)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "group-%s on a vector split over ranks is not supported; keep the vector "
                        "on one rank",
                        r->penalty->name);
    if (!a || !a->start || a->count < 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "group-%s has no groups; give at least one",
                        r->penalty->name);
    return starts_ascend(a, size, e) && crs_check_penalty(r, a->count, e) &&
           (!a->index || index_permutes(a->index, size, e));
}

static ptrdiff_t entry(const crease_groups *a, ptrdiff_t k) { return a->index ? a->index[k] : k; }
static ptrdiff_t size_of(const crease_groups *a, ptrdiff_t i)
{
    return a->start[i + 1] - a->start[i];
}

/* Entries of a group that is not contiguous are gathered. */
static ptrdiff_t scratch(const crease_reg *r, const crease_space *s)
{
    ptrdiff_t most = 0;
    (void)s;
    for (ptrdiff_t i = 0; r->groups->index && i < r->groups->count; i++)
        if (size_of(r->groups, i) > most) most = size_of(r->groups, i);
    return most;
}

/* Groups of a few entries, as the differences at a pixel are, are many: their squares are added up
 * here where these neither vanish nor overflow. */
static double norm_of(const crease_groups *a, ptrdiff_t i, const double *x, double *work)
{
    enum { FEW = 8 };
    const ptrdiff_t n = size_of(a, i), first = a->start[i];
    double sum = 0;
    for (ptrdiff_t k = first; n <= FEW && k < first + n; k++) sum += square(x[entry(a, k)]);
    if (sum > 1e-200 && sum < 1e200) return sqrt(sum);
    if (!a->index) return crs_norm(n, x + first);
    for (ptrdiff_t k = 0; k < n; k++) work[k] = x[a->index[first + k]];
    return crs_norm(n, work);
}

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    double sum = 0;
    (void)s;
    for (ptrdiff_t i = 0; i < r->groups->count; i++) {
        const crs_penalty_value at = scalar_at(r, i);
        sum += crs_scalar_value(&at, norm_of(r->groups, i, x, work));
    }
    return sum;
}

/* x_g = v_g brought from its length to another; a length of 0 stays. */
static void set_length(const crease_groups *a, ptrdiff_t i, double from, double to, const double *v,
                       double *x)
{
    const double factor = to == from ? 1 : to / from;
    for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++) {
        const ptrdiff_t j = entry(a, k);
        x[j] = to == 0 ? 0 : factor * v[j];
    }
}

static void prox(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 double *work)
{
    crs_penalty_value at = scalar_at(r, 0);
    (void)s;
    for (ptrdiff_t i = 0; i < r->groups->count; i++) {
        const double norm = norm_of(r->groups, i, v, work);
        at.weight = reg_weight(r, i);
        set_length(r->groups, i, norm, crs_scalar_prox(&at, t, norm), v, x);
    }
}

/* The point of the subdifferential of group i nearest to `toward`: slope x_g/y with the slope, of
 * the two at a concave kink, nearer to the radial part; at y = 0 a point of the ball. */
static void nearest_in(const crease_reg *r, ptrdiff_t i, const double *x, const double *toward,
                       double *g, double *work)
{
    const crs_penalty_value at = scalar_at(r, i);
    const crease_groups *a = r->groups;
    const double y = norm_of(a, i, x, work), length = norm_of(a, i, toward, work);
    double radial = 0;
    if (y == 0) {
        set_length(a, i, length, crs_scalar_nearest(&at, 0, length), toward, g);
        return;
    }
    for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++)
        radial += toward[entry(a, k)] * (x[entry(a, k)] / y);
    set_length(a, i, y, crs_scalar_nearest(&at, y, radial), x, g);
}

static void nearest(const crease_reg *r, const crease_space *s, const double *x,
                    const double *toward, double *g, double *work)
{
    (void)s;
    for (ptrdiff_t i = 0; i < r->groups->count; i++) nearest_in(r, i, x, toward, g, work);
}

/* |g_g - slope x_g/y|^2, y = |x_g| */
static double gap(const crease_groups *a, ptrdiff_t i, double slope, double y, const double *x,
                  const double *g)
{
    double sum = 0;
    for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++) {
        const ptrdiff_t j = entry(a, k);
        sum += square(g[j] - slope * (x[j] / y));
    }
    return sum;
}

static double dist_of(const crease_reg *r, ptrdiff_t i, const double *x, const double *g,
                      double *work)
{
    const crs_penalty_value at = scalar_at(r, i);
    const double y = norm_of(r->groups, i, x, work);
    if (y == 0 || isinf(y)) return crs_scalar_dist(&at, y, norm_of(r->groups, i, g, work));
    const double before = crs_scalar_slope_before(&at, y), after = crs_scalar_slope_after(&at, y);
    const double square_after = gap(r->groups, i, after, y, x, g);
    /* the two points of a concave kink */
    return sqrt(before == after ? square_after
                                : smaller(gap(r->groups, i, before, y, x, g), square_after));
}

static double dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work)
{
    double sum = 0;
    (void)s;
    for (ptrdiff_t i = 0; i < r->groups->count; i++) sum += square(dist_of(r, i, x, g, work));
    return sqrt(sum);
}

static void prox_ball(const crease_reg *r, const crease_space *s, double t, double radius,
                      const double *v, double *x, double *work)
{
    if (r->groups->count == 1) {
        const crs_penalty_value at = scalar_at(r, 0);
        const double norm = norm_of(r->groups, 0, v, work);
        set_length(r->groups, 0, norm, crs_scalar_prox_box(&at, t, norm, 0, radius), v, x);
    } else {
        prox(r, s, t, v, x, work);
        crs_scale_into_ball(s, radius, x, x);
    }
}

/* |x_j| <= radius gives |x_g| <= radius sqrt(size of g). */
static double lipschitz(const crease_reg *r, double radius)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < r->groups->count; i++) {
        const double most = radius * sqrt((double)size_of(r->groups, i));
        sum += square(times(reg_weight(r, i), r->penalty->lipschitz(r->par, most)));
    }
    return sqrt(sum);
}

static void traits(const crease_reg *r, const crease_space *s, double radius,
                   crease_reg_traits *out)
{
    const ptrdiff_t count = r->groups->count;
    (void)s;
    *out = (crease_reg_traits){
        .convex = r->penalty->convex,
        .lipschitz = lipschitz(r, radius),
        .weak_convexity = times(r->penalty->weak_convexity(r->par), crs_weight_max(r, count)),
        .ball_step = count == 1 || has_homogeneous_penalty(r) ? INFINITY : 0,
    };
}

const crease_reg_ops crs_group_ops = {
    .name = "group",
    .formula = "sum_g rho(|x_g|_2)",
    .kind = CREASE_KIND_GROUPS,
    .check = check,
    .scratch = scratch,
    .value = value,
    .prox = prox,
    .dist = dist,
    .traits = traits,
    .nearest = nearest,
    .prox_ball = prox_ball,
};

crease_reg crease_group(const crease_penalty *p, const double *par, const crease_groups *g)
{
    crease_reg r = crs_from_penalty(&crs_group_ops, p, par);
    r.groups = g;
    return r;
}

crease_reg crease_group_l1(double lambda, const crease_groups *g)
{
    return crease_group(&crs_l1, (double[]){ lambda }, g);
}
