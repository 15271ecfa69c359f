/* SPDX-License-Identifier: MIT
 * separable: r(x) = sum_j w_j rho(|x_j|), entry by entry, also with every x_j in an interval;
 * weighted-l1, r(x) = sum_j lambda_j |x_j|: the l1 with lambda = 1 and the numbers lambda_j >= 0
 * as its weights, which may not be left out there; nonneg, r(x) = sum_j w_j rho(x_j) for x >= 0,
 * +infinity elsewhere; and box_indicator, r(x) = 0 if low <= x_j <= high for all j, +infinity
 * elsewhere. */
#include "reg/reg.h"

/* In a ball: min sum_j w_j rho(|x_j|) + |x-v|^2/(2t) over |x|_2 <= R, three exact cases. l1 and
 * zero: convex and homogeneous, the prox scaled into the ball. l0: the best number of entries to
 * keep. Any rho with t * weak convexity < 1: strongly convex, so the multiplier mu >= 0 of the ball
 * settles it; with c = 1/(1 + t mu) in [R/|v|, 1], x(c) = prox_{c t r}(c v), and |x(c)| grows with
 * c. */

/* G((s^2 + w^2)) - G(s^2), compared with a^2 without squares that cancel. */
static bool worth(double s, double w, double a, double radius)
{
    const double next = hypot(s, w);
    if (next <= radius) return w > a;
    if (s >= radius) return 2 * radius * (w / (s + next)) * w > a * a;
    return (radius - s) * (radius + s) + 2 * radius * (next - radius) > a * a;
}

static void sift_down(double *heap, ptrdiff_t n, ptrdiff_t i)
{
    const double moved = heap[i];
    for (ptrdiff_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && heap[child + 1] > heap[child];
        if (moved >= heap[child]) break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

/* l0 with a^2 = 2 t lambda, |prox(v)| > radius, v finite; heap has n doubles. On a given support
 * the best x is v scaled into the ball; it lowers |x-v|^2 by G(s^2), s the norm of v there, G(u) =
 * u up to R^2 and R (2 sqrt(u) - R) after: increasing and concave. So the best support of k entries
 * holds the k largest, the gain of one more falls with k, and the first gain <= 2 t lambda ends the
 * search. */
static void l0_ball_prox(ptrdiff_t n, double a, double radius, const double *v, double *x,
                         double *heap)
{
    double s = 0, least = INFINITY; /* entries below `least` are dropped */
    ptrdiff_t ties = 0;             /* and so many equal to it stay, the first ones */
    for (ptrdiff_t j = 0; j < n; j++) heap[j] = fabs(v[j]);
    for (ptrdiff_t i = n / 2; i-- > 0;) sift_down(heap, n, i);
    for (ptrdiff_t left = n; left > 0 && heap[0] > 0 && worth(s, heap[0], a, radius); left--) {
        ties = heap[0] == least ? ties + 1 : 1;
        least = heap[0];
        s = hypot(s, least);
        heap[0] = heap[left - 1];
        sift_down(heap, left - 1, 0);
    }
    for (ptrdiff_t j = 0; j < n; j++) {
        const double w = fabs(v[j]);
        const bool tied = w == least && ties > 0;
        ties -= tied;
        x[j] = w > least || tied ? v[j] : 0;
    }
    crs_into_ball(n, radius, x, x);
}

enum { STEPS = 200 };

static ptrdiff_t ball_scratch(const crease_reg *r, const crease_space *s)
{
    return r->penalty == &crs_l0 ? crease_size(s) : 0;
}

/* What x(c) is made from. */
typedef struct {
    const crease_reg *r;
    const crease_space *s;
    double t;
    const double *v;
} family;

static double member(const family *f, double c, ptrdiff_t j)
{
    const crs_penalty_value at = scalar_at(f->r, j);
    return crs_scalar_prox(&at, c * f->t, c * f->v[j]);
}

static double norm_of_member(const family *f, double c)
{
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(f->s); j < n; j++) sum += square(member(f, c, j));
    return sqrt(crease_sum(f->s, sum));
}

/* The c with |x(c)| = radius, given |x(1)| = most > radius: false position, the stale end halved
 * (Illinois), and a bisection every fourth step. */
static double meet_radius(const family *f, double radius, double most)
{
    double low = radius / crease_norm(f->s, f->v), high = 1;
    double below = norm_of_member(f, low) - radius, above = most - radius;
    int last = 0; /* the end that moved last */
    if (!(below < 0)) return low;
    for (int k = 1; k <= STEPS; k++) {
        const double secant = low - below * ((high - low) / (above - below));
        const double mid = low + (high - low) / 2;
        const double c = k % 4 && secant > low && secant < high ? secant : mid;
        if (!(c > low && c < high)) break;
        const double gap = norm_of_member(f, c) - radius;
        if (fabs(gap) <= 0x1p-52 * radius) return c;
        if (gap > 0)
            high = c, above = gap, below /= last > 0 ? 2 : 1, last = 1;
        else
            low = c, below = gap, above /= last < 0 ? 2 : 1, last = -1;
    }
    return low;
}

static void ball_prox(const crease_reg *r, const crease_space *s, double t, double radius,
                      const double *v, double *x, double *work)
{
    const ptrdiff_t n = crease_size(s);
    const family f = { r, s, t, v };
    const double norm = norm_of_member(&f, 1);
    if (!(norm < INFINITY)) {
        fill(n, NAN, x);
        return;
    }
    const bool active = norm > radius;
    if (active && r->penalty == &crs_l0) {
        l0_ball_prox(n, sqrt(2 * t * r->par[0]), radius, v, x, work);
        return;
    }
    const double c = active && !has_homogeneous_penalty(r) ? meet_radius(&f, radius, norm) : 1;
    for (ptrdiff_t j = 0; j < n; j++) x[j] = member(&f, c, j);
    if (active) crs_scale_into_ball(s, radius, x, x);
}

/* The entries' own bounds and one range for all: low <= x_j <= high as well. */
typedef struct {
    const crease_bounds *bounds; /* NULL: none */
    double low, high;
} crs_range;

static double lower_in(const crs_range *a, ptrdiff_t j)
{
    return a->bounds ? larger(a->low, lower_at(a->bounds, j)) : a->low;
}

static double upper_in(const crs_range *a, ptrdiff_t j)
{
    return a->bounds ? smaller(a->high, upper_at(a->bounds, j)) : a->high;
}

static void entries_prox(const crease_reg *r, const crease_space *s, double t,
                         const crs_range *range, const double *v, double *x)
{
    crs_penalty_value at = scalar_at(r, 0);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        at.weight = reg_weight(r, j);
        x[j] = crs_scalar_prox_box(&at, t, v[j], lower_in(range, j), upper_in(range, j));
    }
}

static double entries_value(const crease_reg *r, const crease_space *s, const crs_range *range,
                            const double *x)
{
    crs_penalty_value at = scalar_at(r, 0);
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const bool outside = x[j] < lower_in(range, j) || x[j] > upper_in(range, j);
        if (x[j] == 0 && !outside) continue;
        at.weight = reg_weight(r, j);
        sum += outside ? INFINITY : crs_scalar_value(&at, x[j]);
    }
    return crease_sum(s, sum);
}

static double entries_dist(const crease_reg *r, const crease_space *s, const crs_range *range,
                           const double *x, const double *g)
{
    crs_penalty_value at = scalar_at(r, 0);
    const double slope = at.rho->slope(at.par, 0);
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        at.weight = reg_weight(r, j);
        const bool held = x[j] == 0 && lower_in(range, j) < 0 && upper_in(range, j) > 0 &&
                          fabs(g[j]) <= at.weight * slope;
        if (held) continue;
        sum += square(crs_scalar_dist_box(&at, x[j], g[j], lower_in(range, j), upper_in(range, j)));
    }
    return sqrt(crease_sum(s, sum));
}

static const crs_range line = { NULL, -INFINITY, INFINITY };

static crs_range inside(const crease_bounds *b) { return (crs_range){ b, line.low, line.high }; }

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    (void)work;
    return entries_value(r, s, &line, x);
}

static void separable_prox(const crease_reg *r, const crease_space *s, double t, const double *v,
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
    return entries_dist(r, s, &line, x, g);
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
    entries_prox(r, s, t, &range, v, x);
}

static double dist_box(const crease_reg *r, const crease_space *s, const crease_bounds *b,
                       const double *x, const double *g, double *work)
{
    const crs_range range = inside(b);
    (void)work;
    return entries_dist(r, s, &range, x, g);
}

static double weight_norm(const crease_reg *r, ptrdiff_t count)
{
    return r->weight ? crs_norm(count, r->weight) : sqrt((double)count);
}

static double ball_step(const crease_reg *r, const crease_space *s)
{
    const double most = crease_max(s, crs_weight_max(r, crease_size(s)));
    if (r->penalty == &crs_l0) return r->weight || s->comm ? 0 : INFINITY;
    return 1 / times(r->penalty->weak_convexity(r->par), most);
}

/* |sum_j w_j (rho(|x_j|) - rho(|y_j|))| <= lip sum_j w_j |x_j - y_j| <= lip |w|_2 |x - y|_2 */
static void separable_traits(const crease_reg *r, const crease_space *s, double radius,
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
        .ball_step = ball_step(r, s),
    };
}

static bool check_entries(const crease_reg *r, const crease_space *s, crease_error *e)
{
    return crs_check_penalty(r, crease_size(s), e);
}

const crease_reg_ops crs_separable_ops = {
    .name = "separable",
    .formula = "sum_j rho(|x_j|)",
    .kind = CREASE_KIND_ENTRIES,
    .check = check_entries,
    .scratch = ball_scratch,
    .value = value,
    .prox = separable_prox,
    .dist = dist,
    .traits = separable_traits,
    .nearest = nearest,
    .prox_box = prox_box,
    .dist_box = dist_box,
    .prox_ball = ball_prox,
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
    return check_entries(r, s, e);
}

const crease_reg_ops crs_weighted_l1_ops = {
    .name = "weighted-l1",
    .formula = "sum_j lambda_j |x_j|",
    .vector = "lambda",
    .traits_text = { "|lambda|_2", "0" },
    .convex = true,
    .kind = CREASE_KIND_ENTRIES,
    .check = check_weights,
    .scratch = ball_scratch,
    .value = value,
    .prox = separable_prox,
    .dist = dist,
    .traits = separable_traits,
    .nearest = nearest,
    .prox_box = prox_box,
    .dist_box = dist_box,
    .prox_ball = ball_prox,
};

crease_reg crease_weighted_l1(const double *lambda)
{
    return crease_weighted(crs_from_penalty(&crs_weighted_l1_ops, &crs_l1, (double[]){ 1 }),
                           lambda);
}

/* nonneg: rho does not decrease, so v_j <= 0 gives x_j = 0: moving x_j > 0 there lowers rho,
 * |x_j - v_j| and |x|. For v_j > 0 the minimizer of the separable problem is >= 0 already. Hence
 * every prox, the one in a ball too, is the separable one of max(v, 0). */
static const crs_range half_line = { NULL, 0, INFINITY };

static crs_range inside_half(const crease_bounds *b)
{
    return (crs_range){ b, half_line.low, half_line.high };
}

static double nonneg_value(const crease_reg *r, const crease_space *s, const double *x,
                           double *work)
{
    (void)work;
    return entries_value(r, s, &half_line, x);
}

static void positive_part(ptrdiff_t n, const double *v, double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) x[j] = pos(v[j]);
}

static void nonneg_prox(const crease_reg *r, const crease_space *s, double t, const double *v,
                        double *x, double *work)
{
    positive_part(crease_size(s), v, x);
    separable_prox(r, s, t, x, x, work);
}

static double nonneg_dist(const crease_reg *r, const crease_space *s, const double *x,
                          const double *g, double *work)
{
    (void)work;
    return entries_dist(r, s, &half_line, x, g);
}

static void nonneg_prox_box(const crease_reg *r, const crease_space *s, double t,
                            const crease_bounds *b, const double *v, double *x, double *work)
{
    const crs_range range = inside_half(b);
    (void)work;
    entries_prox(r, s, t, &range, v, x);
}

static double nonneg_dist_box(const crease_reg *r, const crease_space *s, const crease_bounds *b,
                              const double *x, const double *g, double *work)
{
    const crs_range range = inside_half(b);
    (void)work;
    return entries_dist(r, s, &range, x, g);
}

static void nonneg_prox_ball(const crease_reg *r, const crease_space *s, double t, double radius,
                             const double *v, double *x, double *work)
{
    positive_part(crease_size(s), v, x);
    ball_prox(r, s, t, radius, x, x, work);
}

static void nonneg_traits(const crease_reg *r, const crease_space *s, double radius,
                          crease_reg_traits *out)
{
    separable_traits(r, s, radius, out);
    out->lipschitz = INFINITY;
}

const crease_reg_ops crs_nonneg_ops = {
    .name = "nonneg",
    .formula = "sum_j rho(x_j), x >= 0",
    .kind = CREASE_KIND_NONNEG,
    .check = check_entries,
    .scratch = ball_scratch,
    .value = nonneg_value,
    .prox = nonneg_prox,
    .dist = nonneg_dist,
    .traits = nonneg_traits,
    .prox_box = nonneg_prox_box,
    .dist_box = nonneg_dist_box,
    .prox_ball = nonneg_prox_ball,
};

crease_reg crease_nonneg(const crease_penalty *p, const double *par)
{
    return crs_from_penalty(&crs_nonneg_ops, p, par);
}

crease_reg crease_nonneg_indicator(void) { return crease_nonneg(&crs_zero, NULL); }

/* box_indicator: the zero penalty on a range: the prox clips for every t, dr(x) is the normal cone.
 */
static crs_range inside_range(const crease_reg *r, const crease_bounds *b)
{
    return (crs_range){ b, r->par[0], r->par[1] };
}

static bool check_range(const crease_reg *r, const crease_space *s, crease_error *e)
{
    (void)s;
    return r->par[0] <= r->par[1] ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "box: low = %g is above high = %g; exchange them",
                    r->par[0], r->par[1]);
}

static double range_value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    const crease_reg zero = crease_zero();
    const crs_range range = inside_range(r, NULL);
    (void)work;
    return entries_value(&zero, s, &range, x);
}

static void range_prox_box(const crease_reg *r, const crease_space *s, double t,
                           const crease_bounds *b, const double *v, double *x, double *work)
{
    const crease_reg zero = crease_zero();
    const crs_range range = inside_range(r, b);
    (void)work;
    entries_prox(&zero, s, t, &range, v, x);
}

static void range_prox(const crease_reg *r, const crease_space *s, double t, const double *v,
                       double *x, double *work)
{
    range_prox_box(r, s, t, NULL, v, x, work);
}

static double range_dist_box(const crease_reg *r, const crease_space *s, const crease_bounds *b,
                             const double *x, const double *g, double *work)
{
    const crease_reg zero = crease_zero();
    const crs_range range = inside_range(r, b);
    (void)work;
    return entries_dist(&zero, s, &range, x, g);
}

static double range_dist(const crease_reg *r, const crease_space *s, const double *x,
                         const double *g, double *work)
{
    return range_dist_box(r, s, NULL, x, g, work);
}

static void range_traits(const crease_reg *r, const crease_space *s, double radius,
                         crease_reg_traits *out)
{
    const bool idle = r->par[0] <= -radius && r->par[1] >= radius;
    (void)s;
    *out = (crease_reg_traits){
        .convex = true,
        .separable = true,
        .lipschitz = idle ? 0 : INFINITY,
    };
}

static const crease_param range_params[] = {
    { "low", -INFINITY, INFINITY, CREASE_OPEN_HIGH, "least value of an entry" },
    { "high", -INFINITY, INFINITY, CREASE_OPEN_LOW, "largest value of an entry" },
    { 0 },
};

const crease_reg_ops crs_box_indicator_ops = {
    .name = "box",
    .formula = "0 if low <= x_j <= high, else infinity",
    .params = range_params,
    .traits_text = { "none", "0" },
    .convex = true,
    .kind = CREASE_KIND_RANGE,
    .check = check_range,
    .value = range_value,
    .prox = range_prox,
    .dist = range_dist,
    .traits = range_traits,
    .prox_box = range_prox_box,
    .dist_box = range_dist_box,
};

crease_reg crease_box_indicator(double low, double high)
{
    return (crease_reg){ .ops = &crs_box_indicator_ops, .par = { low, high } };
}
