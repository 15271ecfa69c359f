/* SPDX-License-Identifier: MIT
 * coupling.h: properties every coupling must have, checked against values of f alone */
#ifndef CREASE_TEST_COUPLING_H
#define CREASE_TEST_COUPLING_H

#include "support/test.h"

enum { BLOCKS = 4, ENTRIES = 64 };

typedef struct {
    double entry[BLOCKS][ENTRIES];
    const double *at[BLOCKS];
} point;

typedef struct {
    double entry[ENTRIES];
} vector;

static inline void draw_vector(draws *d, ptrdiff_t n, double scale, double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) x[j] = scale * normal(d);
}

static inline void draw_point(draws *d, const crease_blocks *b, double scale, point *x)
{
    for (int i = 0; i < b->count; i++) {
        const ptrdiff_t n = crease_size(&b->space[i]);
        draw_vector(d, n, scale, x->entry[i]);
        const double norm = crs_norm(n, x->entry[i]), most = b->radius ? b->radius[i] : INFINITY;
        for (ptrdiff_t j = 0; norm > most && j < n; j++) x->entry[i][j] *= most / norm;
        x->at[i] = x->entry[i];
    }
}

static inline double value_of(const crease_smooth *f, const crease_blocks *b, const point *x)
{
    double value;
    crease_error e = { 0 };
    if (!crease_smooth_value(f, b, x->at, &value, &e)) fail_msg("%s", e.text);
    return value;
}

static inline vector grad_of(const crease_smooth *f, const crease_blocks *b, const point *x, int i)
{
    vector g;
    crease_error e = { 0 };
    if (!crease_smooth_grad(f, b, x->at, i, g.entry, &e)) fail_msg("%s", e.text);
    return g;
}

static inline double distance(ptrdiff_t n, const double *x, const double *y)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += square(x[j] - y[j]);
    return sqrt(sum);
}

/* Every partial derivative against a central difference with step t = 2^-17: the truncation is
 * t^2/6 times a third derivative, the rounding 2^-53 |f| / t times the length of the sums. */
static inline void assert_gradients(const crease_smooth *f, const crease_blocks *b, point *x,
                                    double third)
{
    const double t = 0x1p-17, rounding = 0x1p-53 / t * 64 * (1 + fabs(value_of(f, b, x)));
    for (int i = 0; i < b->count; i++) {
        const vector g = grad_of(f, b, x, i);
        for (ptrdiff_t j = 0; j < crease_size(&b->space[i]); j++) {
            const double kept = x->entry[i][j];
            x->entry[i][j] = kept + t;
            const double ahead = value_of(f, b, x);
            x->entry[i][j] = kept - t;
            const double quotient = (ahead - value_of(f, b, x)) / (2 * t);
            x->entry[i][j] = kept;
            if (!(fabs(g.entry[j] - quotient) <= t * t * third + rounding))
                fail_msg("%s: block %d, entry %td: gradient %.12g, difference %.12g", f->ops->name,
                         i + 1, j + 1, g.entry[j], quotient);
        }
    }
}

/* |grad f(x) - grad f(y)| <= L |x - y|, the same for grad_last with M, and
 * f(y) <= f(x) + <grad f(x), y - x> + (rho/2)|y - x|_p^p, f >= lower. */
static inline void assert_bounds(const crease_smooth *f, const crease_blocks *b, int last,
                                 const crease_constants *c, const point *x, const point *y)
{
    double step = 0, change = 0, change_last = 0, slope = 0, power = 0, size = 0;
    for (int i = 0; i < b->count; i++) {
        const ptrdiff_t n = crease_size(&b->space[i]);
        const vector gx = grad_of(f, b, x, i), gy = grad_of(f, b, y, i);
        step += square(distance(n, x->entry[i], y->entry[i]));
        change += square(distance(n, gx.entry, gy.entry));
        if (i == last) change_last = distance(n, gx.entry, gy.entry);
        size += crs_norm(n, gx.entry) + crs_norm(n, gy.entry);
        for (ptrdiff_t j = 0; j < n; j++) {
            const double d = y->entry[i][j] - x->entry[i][j];
            slope += gx.entry[j] * d;
            power += pow(fabs(d), c->p);
        }
    }
    const double fx = value_of(f, b, x), fy = value_of(f, b, y), rounding = 256 * 0x1p-53;
    assert_true(sqrt(change) <= c->L * sqrt(step) + rounding * size || c->L == INFINITY);
    assert_true(change_last <= c->M * sqrt(step) + rounding * size || c->M == INFINITY);
    assert_true(fy - fx - slope <=
                c->rho / 2 * power + rounding * (fabs(fx) + fabs(fy) + size * sqrt(step)));
    assert_true(fx >= c->lower - rounding * fabs(fx) && fy >= c->lower - rounding * fabs(fy));
}

/* The same with the points apart in block i alone: |grad_i f(x) - grad_i f(y)| <= L_i |x - y|. */
static inline void assert_block_bound(const crease_smooth *f, const crease_blocks *b, int i,
                                      double L, const point *x, const point *y)
{
    point z = *x;
    const ptrdiff_t n = crease_size(&b->space[i]);
    for (int k = 0; k < b->count; k++) z.at[k] = z.entry[k];
    copy(n, y->entry[i], z.entry[i]);
    const vector gx = grad_of(f, b, x, i), gz = grad_of(f, b, &z, i);
    const double size = crs_norm(n, gx.entry) + crs_norm(n, gz.entry);
    assert_true(distance(n, gx.entry, gz.entry) <=
                    L * distance(n, x->entry[i], y->entry[i]) + 256 * 0x1p-53 * size ||
                L == INFINITY);
}

static inline crease_constants constants_of(const crease_smooth *f, const crease_blocks *b,
                                            int last, double *block)
{
    crease_constants c;
    crease_error e = { 0 };
    if (!crease_smooth_constants(f, b, last, &c, block, &e)) fail_msg("%s", e.text);
    return c;
}

/* All of the above for points far apart and near, large and small. */
static inline void assert_constants(const crease_smooth *f, const crease_blocks *b, draws *d)
{
    static const double scale[] = { 1e-2, 0.3, 1, 30 };
    for (int last = 0; last < b->count; last++) {
        double block[BLOCKS];
        const crease_constants c = constants_of(f, b, last, block);
        for (int k = 0; k < 40; k++) {
            point x, y;
            draw_point(d, b, scale[k % 4], &x);
            draw_point(d, b, scale[k / 4 % 4], &y);
            if (k % 3 == 0) /* near: y = x + (y - x)/100 */
                for (int i = 0; i < b->count; i++)
                    for (ptrdiff_t j = 0; j < crease_size(&b->space[i]); j++)
                        y.entry[i][j] = x.entry[i][j] + 0.01 * (y.entry[i][j] - x.entry[i][j]);
            assert_bounds(f, b, last, &c, &x, &y);
            for (int i = 0; i < b->count; i++) assert_block_bound(f, b, i, block[i], &x, &y);
        }
    }
}

static inline void assert_refused(const crease_smooth *f, const crease_blocks *b, crease_code code,
                                  const char *word)
{
    crease_error e = { 0 };
    assert_false(crease_smooth_check(f, b, &e));
    assert_false(crease_smooth_check(f, b, NULL));
    if (e.code != code || !strstr(e.text, word)) fail_msg("code %d: %s", (int)e.code, e.text);
}

#endif
