/* SPDX-License-Identifier: MIT
 * separable: r(x) = sum_j w_j rho(|x_j|), entry by entry, also with every x_j in an interval; and
 * weighted-l1, r(x) = sum_j lambda_j |x_j|: the l1 with lambda = 1 and the numbers lambda_j >= 0
 * as its weights, which may not be left out there. */
#include "reg/reg.h"

static double lower_in(const crs_range *a, ptrdiff_t j)
{
    return a->bounds ? larger(a->low, lower_at(a->bounds, j)) : a->low;
}

static double upper_in(const crs_range *a, ptrdiff_t j)
{
    return a->bounds ? smaller(a->high, upper_at(a->bounds, j)) : a->high;
}

void crs_entries_prox(const crease_reg *r, const crease_space *s, double t, const crs_range *range,
                      const double *v, double *x)
{
    crs_penalty_value at = scalar_at(r, 0);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        at.weight = reg_weight(r, j);
        x[j] = crs_scalar_prox_box(&at, t, v[j], lower_in(range, j), upper_in(range, j));
    }
}

double crs_entries_value(const crease_reg *r, const crease_space *s, const crs_range *range,
                         const double *x)
{
    crs_penalty_value at = scalar_at(r, 0);
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        at.weight = reg_weight(r, j);
        const bool outside = x[j] < lower_in(range, j) || x[j] > upper_in(range, j);
        sum += outside ? INFINITY : crs_scalar_value(&at, x[j]);
    }
    return crease_sum(s, sum);
}

double crs_entries_dist(const crease_reg *r, const crease_space *s, const crs_range *range,
                        const double *x, const double *g)
{
    crs_penalty_value at = scalar_at(r, 0);
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        at.weight = reg_weight(r, j);
        sum += square(crs_scalar_dist_box(&at, x[j], g[j], lower_in(range, j), upper_in(range, j)));
    }
    return sqrt(crease_sum(s, sum));
}

static const crs_range line = { NULL, -INFINITY, INFINITY };

static crs_range inside(const crease_bounds *b) { return (crs_range){ b, line.low, line.high }; }

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    (void)work;
    return crs_entries_value(r, s, &line, x);
}

void crs_separable_prox(const crease_reg *r, const crease_space *s, double t, const double *v,
                        double *x, double *work)
{
    crs_penalty_value at = scalar_at(r, 0);
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        at.weight = reg_weight(r, j);
        x[j] = crs_scalar_prox(&at, t, v[j]);
    }
}

static double dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work)
{
    (void)work;
    return crs_entries_dist(r, s, &line, x, g);
}

static void nearest(const crease_reg *r, const crease_space *s, const double *x,
                    const double *toward, double *g, double *work)
{
    crs_penalty_value at = scalar_at(r, 0);
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        at.weight = reg_weight(r, j);
        g[j] = crs_scalar_nearest(&at, x[j], toward[j]);
    }
}

static void prox_box(const crease_reg *r, const crease_space *s, double t, const crease_bounds *b,
                     const double *v, double *x, double *work)
{
    const crs_range range = inside(b);
    (void)work;
    crs_entries_prox(r, s, t, &range, v, x);
}

static double dist_box(const crease_reg *r, const crease_space *s, const crease_bounds *b,
                       const double *x, const double *g, double *work)
{
    const crs_range range = inside(b);
    (void)work;
    return crs_entries_dist(r, s, &range, x, g);
}

static double weight_norm(const crease_reg *r, ptrdiff_t count)
{
    return r->weight ? crs_norm(count, r->weight) : sqrt((double)count);
}

/* |sum_j w_j (rho(|x_j|) - rho(|y_j|))| <= lip sum_j w_j |x_j - y_j| <= lip |w|_2 |x - y|_2 */
void crs_separable_traits(const crease_reg *r, const crease_space *s, double radius,
                          crease_reg_traits *out)
{
    const ptrdiff_t n = crease_size(s);
    const double norm = sqrt(crease_sum(s, square(weight_norm(r, n)))),
                 most = crease_max(s, crs_weight_max(r, n));
    *out = (crease_reg_traits){
        .convex = r->penalty->convex,
        .separable = true,
        .lipschitz = times(r->penalty->lipschitz(r->par, radius), norm),
        .weak_convexity = times(r->penalty->weak_convexity(r->par), most),
        .ball_step = crs_ball_step(r, s),
    };
}

const crease_reg_ops crs_separable_ops = {
    .name = "separable",
    .formula = "sum_j rho(|x_j|)",
    .kind = CREASE_KIND_ENTRIES,
    .check = crs_check_entries,
    .scratch = crs_ball_scratch,
    .value = value,
    .prox = crs_separable_prox,
    .dist = dist,
    .traits = crs_separable_traits,
    .nearest = nearest,
    .prox_box = prox_box,
    .dist_box = dist_box,
    .prox_ball = crs_ball_prox,
};

crease_reg crease_separable(const crease_penalty *p, const double *par)
{
    return crs_from_penalty(&crs_separable_ops, p, par);
}

/* Only the caller knows how many weights there are: one for each entry is taken for granted. */
static bool check_weights(const crease_reg *r, const crease_space *s, crease_error *e)
{
    if (!r->weight)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "weighted-l1 has no weights; give it %td numbers >= 0, one for each entry",
                        crease_size(s));
    return crs_check_entries(r, s, e);
}

const crease_reg_ops crs_weighted_l1_ops = {
    .name = "weighted-l1",
    .formula = "sum_j lambda_j |x_j|",
    .vector = "lambda",
    .traits_text = { "|lambda|_2", "0" },
    .convex = true,
    .kind = CREASE_KIND_ENTRIES,
    .check = check_weights,
    .scratch = crs_ball_scratch,
    .value = value,
    .prox = crs_separable_prox,
    .dist = dist,
    .traits = crs_separable_traits,
    .nearest = nearest,
    .prox_box = prox_box,
    .dist_box = dist_box,
    .prox_ball = crs_ball_prox,
};

crease_reg crease_weighted_l1(const double *lambda)
{
    return crease_weighted(crs_from_penalty(&crs_weighted_l1_ops, &crs_l1, (double[]){ 1 }),
                           lambda);
}
