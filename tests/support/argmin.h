/* SPDX-License-Identifier: MIT
 * argmin.h: block steps are optimal: stationary, and never beaten by another point */
#ifndef CREASE_TEST_ARGMIN_H
#define CREASE_TEST_ARGMIN_H

#include "support/coupling.h"

/* f(.., y, ..) + (h/2)|y - v|^2 */
static inline double step_value(const crease_smooth *f, const crease_blocks *b, point *x, int i,
                                double h, const double *v, const double *y)
{
    const double *kept = x->at[i];
    x->at[i] = y;
    const double value =
        value_of(f, b, x) + h / 2 * square(distance(crease_size(&b->space[i]), y, v));
    x->at[i] = kept;
    return value;
}

/* y = argmin is stationary inside the ball, has grad = -nu y with nu >= 0 on the sphere, and no
 * other point of the ball is better. `curvature` bounds that of the step's objective. */
static inline vector assert_argmin(const crease_smooth *f, const crease_blocks *b, point *x, int i,
                                   double h, double radius, double curvature, draws *d)
{
    static double work[200000];
    vector v, y, g;
    const ptrdiff_t n = crease_size(&b->space[i]);
    draw_vector(d, n, 2, v.entry);
    assert_true(crease_smooth_scratch(f, b) <= (ptrdiff_t)(sizeof work / sizeof *work));
    assert_true(f->ops->argmin(f, b, x->at, i, h, v.entry, radius, NULL, work));
    assert_true(f->ops->argmin(f, b, x->at, i, h, v.entry, radius, y.entry, work));

    const double *kept = x->at[i];
    x->at[i] = y.entry;
    g = grad_of(f, b, x, i);
    x->at[i] = kept;
    for (ptrdiff_t j = 0; j < n; j++) g.entry[j] += h * (y.entry[j] - v.entry[j]);
    const double norm = crs_norm(n, y.entry), at0 = step_value(f, b, x, i, h, v.entry, y.entry);
    const double tolerance =
        4096 * 0x1p-53 * (1 + curvature) * (1 + norm + crs_norm(n, v.entry)) * (1 + fabs(at0));
    assert_true(norm <= radius * (1 + 8 * 0x1p-53));
    if (norm < radius * (1 - 1e-9)) {
        assert_true(crs_norm(n, g.entry) <= tolerance);
    } else {
        const double nu = -crs_dot(n, g.entry, y.entry) / (norm * norm);
        assert_true(nu >= -tolerance);
        axpy(n, nu, y.entry, g.entry);
        assert_true(crs_norm(n, g.entry) <= tolerance);
    }
    for (int k = 0; k < 200; k++) {
        vector z;
        draw_vector(d, n, pow(10, -(k % 5)) * (radius < INFINITY ? radius : 2), z.entry);
        if (k % 2) axpy(n, 1, y.entry, z.entry);
        const double size = crs_norm(n, z.entry);
        for (ptrdiff_t j = 0; size > radius && j < n; j++) z.entry[j] *= radius / size;
        const double there = step_value(f, b, x, i, h, v.entry, z.entry);
        assert_true(there >= at0 - tolerance * (1 + norm));
    }
    vector same = v; /* in place */
    assert_true(f->ops->argmin(f, b, x->at, i, h, same.entry, radius, same.entry, work));
    for (ptrdiff_t j = 0; j < n; j++) assert_true(same.entry[j] == y.entry[j]);
    return y;
}

#endif
