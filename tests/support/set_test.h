/* SPDX-License-Identifier: MIT
 * set_test.h: what defines a projection, a linear oracle and a support function, as assertions
 *
 * Rounding allowance: an entry carries an error of a few 2^-53 times the size of v, of the point
 * and of the set; sums over n entries add n of them. */
#ifndef CREASE_SET_TEST_H
#define CREASE_SET_TEST_H

#include "support/test.h"

enum { MOST = 64 };

/* The 2-diameter; for sets without one, the size of the point alone counts. */
static inline double width(const crease_set *c, const crease_space *s)
{
    double d = NAN;
    assert_true(crease_diameter(c, s, 2, &d, NULL));
    return isinf(d) ? 0 : d;
}

static inline double roundoff(const crease_space *s)
{
    return 8 * (double)(crease_size(s) + 8) * 0x1p-53;
}

static inline double excess_of(const crease_set *c, const crease_space *s, const double *x)
{
    double t = NAN;
    assert_true(crease_excess(c, s, x, &t, NULL));
    return t;
}

static inline double support_of(const crease_set *c, const crease_space *s, const double *w)
{
    double t = NAN;
    assert_true(crease_support(c, s, w, &t, NULL));
    return t;
}

static inline double linf(ptrdiff_t n, const double *x)
{
    double most = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = larger(most, fabs(x[j]));
    return most;
}

#define assert_at_most(a, b)                                                                       \
    do {                                                                                           \
        const double a_ = (a), b_ = (b);                                                           \
        if (!(a_ <= b_)) fail_msg("%s: %s = %.17g exceeds %.17g", c->ops->name, #a, a_, b_);       \
    } while (0)

static inline void assert_inside(const crease_set *c, const crease_space *s, const double *x)
{
    assert_at_most(excess_of(c, s, x), roundoff(s) * (width(c, s) + linf(crease_size(s), x)));
}

/* p is the projection of v exactly when <v - p, y - p> <= 0 for all y, that is when
 * support(v - p) <= <v - p, p>. */
static inline void assert_projection(const crease_set *c, const crease_space *s, const double *v)
{
    double p[MOST], d[MOST], same[MOST];
    const ptrdiff_t n = crease_size(s);
    assert_true(crease_project(c, s, v, p, NULL));
    assert_inside(c, s, p);
    for (ptrdiff_t j = 0; j < n; j++) d[j] = v[j] - p[j];
    const double size = width(c, s) + crs_norm(n, p);
    const double gap = support_of(c, s, d) - crs_dot(n, d, p);
    assert_at_most(gap, roundoff(s) * (crs_norm(n, v) + crs_norm(n, p)) * size);

    copy(n, v, same);
    assert_true(crease_project(c, s, same, same, NULL)); /* in place */
    assert_memory_equal(same, p, (size_t)n * sizeof *p);
    assert_true(crease_project(c, s, p, same, NULL)); /* again */
    for (ptrdiff_t j = 0; j < n; j++) d[j] = same[j] - p[j];
    assert_at_most(crs_norm(n, d), roundoff(s) * size);
}

static inline void assert_firm(const crease_set *c, const crease_space *s, const double *u,
                               const double *v)
{
    double p[MOST], q[MOST], d[MOST];
    const ptrdiff_t n = crease_size(s);
    assert_true(crease_project(c, s, u, p, NULL) && crease_project(c, s, v, q, NULL));
    for (ptrdiff_t j = 0; j < n; j++) {
        d[j] = u[j] - v[j];
        p[j] -= q[j];
    }
    const double size = crs_norm(n, u) + crs_norm(n, v) + crs_norm(n, q) + width(c, s);
    assert_at_most(crs_dot(n, p, p) - crs_dot(n, p, d), roundoff(s) * size * size);
}

/* y = lmo(g) is in the set, <g, y> = -support(-g), and no sampled point z is better. */
static inline void assert_oracle(const crease_set *c, const crease_space *s, const double *g,
                                 const double *z)
{
    double y[MOST], w[MOST];
    const ptrdiff_t n = crease_size(s);
    assert_true(crease_lmo(c, s, g, y, NULL));
    assert_inside(c, s, y);
    for (ptrdiff_t j = 0; j < n; j++) w[j] = -g[j];
    const double size = crs_norm(n, g) * (crs_norm(n, y) + crs_norm(n, z));
    const double best = crs_dot(n, g, y), support = support_of(c, s, w);
    assert_at_most(fabs(best + support), roundoff(s) * size);
    assert_at_most(best - crs_dot(n, g, z), roundoff(s) * size);
    copy(n, g, w);
    assert_true(crease_lmo(c, s, w, w, NULL));
    assert_memory_equal(w, y, (size_t)n * sizeof *y);
}

static inline double distance(ptrdiff_t n, double p, const double *x, const double *y)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += pow(fabs(x[j] - y[j]), p);
    return pow(sum, 1 / p);
}

#endif
