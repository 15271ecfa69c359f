/* SPDX-License-Identifier: MIT
 * row: one linear row on a box, l <= x <= u and a'x = b (or <= b): projection, joint prox with a
 * separable r, distance to normals
 *
 * All three are a scalar mu. Projection: x(mu) = clip(v - mu a, l, u); a'x(mu) falls with mu and is
 * linear between the points where an entry meets a bound, so the right piece is found among these,
 * sorted, and mu on it by one division. Joint prox, for t times the weak convexity of r below 1:
 * x(mu) = argmin r + |x - (v - mu a)|^2/(2t) over the box, entry by entry, and a'x(mu) falls again.
 * Distance: the subdifferential is d(r + box)(x) + mu a, mu >= 0 where the row is an inequality and
 * 0 where it is slack, and |g - mu a - nearest(g - mu a)|^2 is convex in mu. */
#include "reg/reg.h"
#include "set/set.h"

static double coefficient(const crease_row *r, ptrdiff_t j) { return r->a ? r->a[j] : 1; }

/* a'x - b */
static double above(const crease_row *r, const crease_space *s, const double *x)
{
    crs_total sum = { 0, 0 };
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        accumulate(&sum, coefficient(r, j) * x[j]);
    return crease_sum(s, total(&sum)) - r->b;
}

/* The rounding of a'x - b: of its terms, of the entries and of their sum. */
static double rounding(const crease_row *r, const crease_space *s, const double *x)
{
    double size = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) size += fabs(coefficient(r, j) * x[j]);
    return 4 * (total_size(s) + 8) * 0x1p-53 * (crease_sum(s, size) + fabs(r->b));
}

double crs_row_excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const crease_row r = c->ops->row(c);
    const double off = above(&r, s, x);
    (void)work;
    return larger(crs_outside(s, &r.box, x), r.equality ? fabs(off) : pos(off));
}

/* What rounding left of a'x - b goes to the entries inside their bounds; zeros that r keeps stay.
 */
static void settle(const crease_row *r, const crease_space *s, bool keep_zeros, double *x)
{
    const ptrdiff_t n = crease_size(s);
    for (int k = 0; k < 3; k++) {
        double squares = 0;
        const double off = above(r, s, x);
        for (ptrdiff_t j = 0; j < n; j++)
            if (x[j] > lower_at(&r->box, j) && x[j] < upper_at(&r->box, j) &&
                !(keep_zeros && x[j] == 0))
                squares += square(coefficient(r, j));
        squares = crease_sum(s, squares);
        if (!(fabs(off) > 0 && squares > 0)) return;
        for (ptrdiff_t j = 0; j < n; j++) {
            const double low = lower_at(&r->box, j), high = upper_at(&r->box, j);
            if (x[j] > low && x[j] < high && !(keep_zeros && x[j] == 0))
                x[j] = clip(x[j] - off / squares * coefficient(r, j), low, high);
        }
    }
}

static double moved(const crease_row *r, ptrdiff_t j, double mu, double v)
{
    return clip(v - mu * coefficient(r, j), lower_at(&r->box, j), upper_at(&r->box, j));
}

static double above_at(const crease_row *r, const crease_space *s, double mu, const double *v)
{
    crs_total sum = { 0, 0 };
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        accumulate(&sum, coefficient(r, j) * moved(r, j, mu, v[j]));
    return crease_sum(s, total(&sum)) - r->b;
}

/* Where an entry meets a bound, descending. */
static ptrdiff_t breaks(const crease_row *r, ptrdiff_t n, const double *v, double *at)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double a = coefficient(r, j);
        const double low = (v[j] - lower_at(&r->box, j)) / a;
        const double high = (v[j] - upper_at(&r->box, j)) / a;
        if (isfinite(low)) at[count++] = low;
        if (isfinite(high)) at[count++] = high;
    }
    crs_sort(count, at, NULL);
    return count;
}

/* The root of the linear piece on low <= mu <= high: its free entries are those of the middle. */
static double root_on(const crease_row *r, const crease_space *s, double low, double high,
                      const double *v)
{
    const double middle = isinf(low) ? (isinf(high) ? 0 : high - fabs(high) - 1)
                                     : (isinf(high) ? low + fabs(low) + 1 : low + (high - low) / 2);
    crs_total sum = { 0, 0 };
    double squares = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const double a = coefficient(r, j), x = moved(r, j, middle, v[j]);
        const bool free = x > lower_at(&r->box, j) && x < upper_at(&r->box, j);
        accumulate(&sum, a * (free ? v[j] : x));
        squares += free ? square(a) : 0;
    }
    squares = crease_sum(s, squares);
    return squares > 0 ? clip((crease_sum(s, total(&sum)) - r->b) / squares, low, high) : middle;
}

void crs_row_project(const crease_set *c, const crease_space *s, const double *v, double *x,
                     double *work)
{
    const crease_row r = c->ops->row(c);
    const ptrdiff_t n = crease_size(s);
    const double first = above_at(&r, s, 0, v);
    if (isnan(first)) {
        fill(n, NAN, x);
        return;
    }
    const bool slack = r.equality ? first == 0 : first <= 0;
    double mu = 0;
    if (!slack) {
        const ptrdiff_t count = breaks(&r, n, v, work);
        ptrdiff_t from = 0, to = count; /* the first break where a'x(mu) >= b */
        while (from < to) {
            const ptrdiff_t middle = from + (to - from) / 2;
            if (above_at(&r, s, work[middle], v) >= 0)
                to = middle;
            else
                from = middle + 1;
        }
        mu = root_on(&r, s, to < count ? work[to] : -INFINITY, to > 0 ? work[to - 1] : INFINITY, v);
    }
    for (ptrdiff_t j = 0; j < n; j++) x[j] = moved(&r, j, mu, v[j]);
    if (!slack) settle(&r, s, false, x);
}

/* A function that falls and what it is about; it also says how much of a value may be rounding. */
typedef struct {
    double (*at)(const void *data, double mu, double *noise);
    const void *data;
} falling;

/* Turned so that it falls to the right of 0; 0 where it is no more than rounding. */
static double turned(const falling *f, double sign, double mu)
{
    double noise;
    const double value = sign * f->at(f->data, sign * mu, &noise);
    return fabs(value) <= noise ? 0 : value;
}

/* A root, given a first step; of `onward` alone one that is >= 0. Steps eight times as large each,
 * then false position with the stale end halved (Illinois), and a bisection after a step that did
 * not halve the interval. */
static double find_root(const falling *f, bool onward, double step)
{
    enum { STEPS = 200, WIDENINGS = 400 };
    const double first = turned(f, 1, 0), sign = first > 0 ? 1 : -1;
    if (first == 0 || isnan(first) || (onward && first < 0)) return 0;
    double low = 0, high = fabs(step) > 0 && isfinite(step) ? fabs(step) : 1, width = INFINITY;
    double before = fabs(first), after = turned(f, sign, high);
    for (int k = 0; k < WIDENINGS && after > 0 && isfinite(high); k++) {
        low = high, before = after;
        high *= 8;
        after = turned(f, sign, high);
    }
    for (int k = 0, last = 0; k < STEPS && after < 0; k++) {
        const double secant = low + before * ((high - low) / (before - after));
        const double mid = low + (high - low) / 2;
        const bool slow = high - low > width / 2;
        const double mu = !slow && secant > low && secant < high ? secant : mid;
        if (!(mu > low && mu < high)) break;
        const double value = turned(f, sign, mu);
        width = slow ? INFINITY : high - low;
        if (value > 0)
            low = mu, before = value, after /= last > 0 ? 2 : 1, last = 1;
        else if (value < 0)
            high = mu, after = value, before /= last < 0 ? 2 : 1, last = -1;
        else
            return sign * mu;
    }
    return sign * high;
}

typedef struct {
    const crease_row *row;
    const crease_reg *r;
    const crease_space *s;
    double t;
    const double *v;
} proximal;

/* r + |x - v|^2/(2t) is convex in every entry: within bounds its minimizer is clipped. */
static double point(const proximal *p, ptrdiff_t j, double mu)
{
    const crs_penalty_value at = scalar_at(p->r, j);
    return clip(crs_scalar_prox(&at, p->t, p->v[j] - mu * coefficient(p->row, j)),
                lower_at(&p->row->box, j), upper_at(&p->row->box, j));
}

/* a'x(mu) - b; where x_j is not 0 the rounding of v_j - mu a_j is in it. */
static double above_prox(const void *data, double mu, double *noise)
{
    const proximal *p = data;
    crs_total sum = { 0, 0 };
    double size = 0;
    for (ptrdiff_t j = 0, n = crease_size(p->s); j < n; j++) {
        const double a = coefficient(p->row, j), x = point(p, j, mu);
        accumulate(&sum, a * x);
        if (x != 0) size += fabs(a) * (fabs(x) + fabs(p->v[j]) + fabs(mu * a));
    }
    *noise = 0x1p-54 * (crease_sum(p->s, size) + fabs(p->row->b));
    return crease_sum(p->s, total(&sum)) - p->row->b;
}

static double squares_of(const crease_row *r, const crease_space *s)
{
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) sum += square(coefficient(r, j));
    return crease_sum(s, sum);
}

void crs_row_prox(const crease_row *row, const crease_reg *r, const crease_space *s, double t,
                  double *x)
{
    const ptrdiff_t n = crease_size(s);
    const proximal p = { row, r, s, t, x };
    double noise;
    const double first = above_prox(&p, 0, &noise);
    if (!isfinite(first)) {
        fill(n, NAN, x);
        return;
    }
    const bool slack = row->equality ? first == 0 : first <= 0;
    const double step = first / squares_of(row, s);
    const falling f = { above_prox, &p };
    const double mu = slack ? 0 : find_root(&f, !row->equality, step);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = point(&p, j, mu);
    if (!slack) settle(row, s, true, x);
}

typedef struct {
    const crease_row *row;
    const crease_reg *r;
    const crease_space *s;
    const double *x, *g;
} normals;

/* What is left of g - mu a: signed. */
static double left(const normals *d, ptrdiff_t j, double mu)
{
    const crs_penalty_value at = scalar_at(d->r, j);
    const double g = d->g[j] - mu * coefficient(d->row, j);
    return g - crs_scalar_nearest_box(&at, d->x[j], g, lower_at(&d->row->box, j),
                                      upper_at(&d->row->box, j));
}

static double pull(const void *data, double mu, double *noise)
{
    const normals *d = data;
    crs_total sum = { 0, 0 };
    double size = 0;
    for (ptrdiff_t j = 0, n = crease_size(d->s); j < n; j++) {
        const double a = coefficient(d->row, j), rest = left(d, j, mu);
        accumulate(&sum, a * rest);
        if (rest != 0) size += fabs(a) * (fabs(d->g[j]) + fabs(mu * a));
    }
    *noise = 0x1p-54 * crease_sum(d->s, size);
    return crease_sum(d->s, total(&sum));
}

double crs_row_multiplier(const crease_row *row, const crease_reg *r, const crease_space *s,
                          const double *x, const double *g)
{
    const normals d = { row, r, s, x, g };
    const bool active = row->equality || above(row, s, x) >= -rounding(row, s, x);
    if (!active) return 0;
    double noise;
    const falling f = { pull, &d };
    return find_root(&f, !row->equality, pull(&d, 0, &noise) / squares_of(row, s));
}

double crs_row_dist(const crease_row *row, const crease_reg *r, const crease_space *s,
                    const double *x, const double *g)
{
    const normals d = { row, r, s, x, g };
    const double outside = crs_outside(s, &row->box, x);
    if (!(outside == 0)) return outside > 0 ? INFINITY : NAN;
    const double mu = crs_row_multiplier(row, r, s, x, g);
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) sum += square(left(&d, j, mu));
    return sqrt(crease_sum(s, sum));
}

double crs_row_dist_normal(const crease_set *c, const crease_space *s, const double *x,
                           const double *v, double *work)
{
    const crease_row row = c->ops->row(c);
    const crease_reg none = crease_zero();
    (void)work;
    return crs_row_dist(&row, &none, s, x, v);
}

bool crs_check_row(const crease_set *c, const crease_space *s, const double *a, double counted,
                   crease_error *e)
{
    const ptrdiff_t n = crease_size(s);
    double most = 0;
    if (!a)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%s: the vector a is missing; give %td numbers",
                        c->ops->name, n);
    if (counted != 0 && counted != (double)n)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s: a has %g number%s but the point has %td entr%s; give one number for "
                        "each entry",
                        c->ops->name, counted, counted == 1 ? "" : "s", n, n == 1 ? "y" : "ies");
    for (ptrdiff_t j = 0; j < n; j++) {
        if (!isfinite(a[j]))
            return crs_fail(e, CREASE_BAD_ARGUMENT, "%s: entry %td of a is %g; give finite numbers",
                            c->ops->name, j + 1, a[j]);
        most = larger(most, fabs(a[j]));
    }
    return crease_max(s, most) > 0 ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%s: all entries of a are 0; give at least one other number", c->ops->name);
}
