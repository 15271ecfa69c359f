/* SPDX-License-Identifier: MIT
 * factor_constants: curvatures and region constants of the couplings made from tensors are never
 * below what is observed on random segments, and not far above the Hessian where it is known */
#include "support/couplings.h"

/* The norm of the Hessian of block i, from below by power iteration: H v = grad(x+v) - grad(x). */
static double hessian_norm(problem *p, int i, draws *d)
{
    const ptrdiff_t n = crease_size(p->space + i);
    double *kept = p->x[i], *at = doubles(n), *g0 = gradient(p, i), norm = 0;
    double *v = random_doubles(d, n, 1);
    for (int k = 0; k < 300; k++) {
        const double length = crs_norm(n, v);
        for (ptrdiff_t j = 0; j < n; j++) at[j] = kept[j] + v[j] / (length > 0 ? length : 1);
        p->x[i] = at;
        double *g = gradient(p, i);
        p->x[i] = kept;
        for (ptrdiff_t j = 0; j < n; j++) v[j] = g[j] - g0[j];
        norm = crs_norm(n, v);
        free(g);
    }
    free(at), free(g0), free(v);
    return norm;
}

static void curvature_is_the_hessian_norm(problem *p, draws *d)
{
    if (!p->f.ops->curvature) return; /* linear in each block: the constant 0 serves */
    for (int i = 0; i < p->b.count; i++) {
        const double c = p->f.ops->curvature(&p->f, &p->b, (const double *const *)p->x, i, p->work);
        const double true_norm = hessian_norm(p, i, d);
        if (!(c >= true_norm * (1 - 1e-10) && c <= true_norm * (1 + 1e-3)))
            fail_msg("%s order %d block %d: %g for a norm %g", p->f.ops->name, p->shape.order,
                     i + 1, c, true_norm);
    }
}

static void curvatures(void **state) { (void)state, for_all(curvature_is_the_hessian_norm, 1); }

/* A point of the region, often on its boundary. */
static void random_point(problem *p, draws *d)
{
    for (int i = 0; i < p->b.count; i++) {
        const ptrdiff_t n = crease_size(p->space + i);
        for (ptrdiff_t j = 0; j < n; j++) p->x[i][j] = normal(d);
        const double scale = uniform(d, 0, 1) < 0.5 ? 1 : uniform(d, 0, 1);
        const double factor = scale * p->radius[i] / crs_norm(n, p->x[i]);
        for (ptrdiff_t j = 0; j < n; j++) p->x[i][j] *= factor;
    }
}

/* A second point of the region: all blocks move (only < 0), or one; short moves and long ones. */
static double move(problem *p, int only, double **y, draws *d)
{
    double sum = 0, *kept[MOST_BLOCKS];
    for (int i = 0; i < p->b.count; i++) kept[i] = p->x[i], p->x[i] = y[i];
    random_point(p, d);
    const double t = uniform(d, 0, 1) < 0.5 ? 1 : 1e-3;
    for (int i = 0; i < p->b.count; i++) {
        p->x[i] = kept[i];
        for (ptrdiff_t j = 0; j < crease_size(p->space + i); j++) {
            const double step = only < 0 || only == i ? t * (y[i][j] - kept[i][j]) : 0;
            y[i][j] = kept[i][j] + step;
            sum += square(step);
        }
    }
    return sqrt(sum);
}

/* |grad_i f(x) - grad_i f(y)| for all blocks. */
static void differences(problem *p, double **y, double *out)
{
    for (int i = 0; i < p->b.count; i++) {
        double *g = gradient(p, i), *kept[MOST_BLOCKS];
        for (int k = 0; k < p->b.count; k++) kept[k] = p->x[k], p->x[k] = y[k];
        double *h = gradient(p, i);
        for (int k = 0; k < p->b.count; k++) p->x[k] = kept[k];
        axpy(crease_size(p->space + i), -1, g, h);
        out[i] = crs_norm(crease_size(p->space + i), h);
        free(g), free(h);
    }
}

static void constants_hold(problem *p, draws *d)
{
    crease_constants c[MOST_BLOCKS];
    double block[MOST_BLOCKS], *y[MOST_BLOCKS];
    for (int i = 0; i < p->b.count; i++) {
        p->radius[i] = uniform(d, 0.3, 2.5);
        y[i] = random_doubles(d, crease_size(p->space + i), 1);
    }
    p->b.radius = p->radius;
    for (int i = 0; i < p->b.count; i++)
        assert_true(p->f.ops->constants(&p->f, &p->b, i, c + i, block, NULL));
    for (int trial = 0; trial < 300; trial++) {
        const int only = trial % (p->b.count + 1) - 1;
        double gap[MOST_BLOCKS];
        random_point(p, d);
        assert_true(value(p) >= c[0].lower);
        const double length = move(p, only, y, d), rounding = 1e-13 * c[0].L;
        differences(p, y, gap);
        const double all = crs_norm(p->b.count, gap);
        assert_true(all <= c[0].L * length + rounding);
        for (int i = 0; i < p->b.count; i++) assert_true(gap[i] <= c[i].M * length + rounding);
        if (only >= 0) assert_true(gap[only] <= block[only] * length + rounding);
    }
    for (int i = 0; i < p->b.count; i++) {
        const bool touched = p->f.ops->touches(&p->f, i);
        assert_true(c[i].p == 2 && c[i].rho == c[i].L && c[i].M <= c[i].L && !c[i].concave);
        assert_true(c[i].separable_last == !touched && c[i].quadratic_last == !touched);
        if (!touched) assert_true(c[i].M == 0 && c[i].last_low == 0 && c[i].last_high == 0);
        free(y[i]);
    }
}

static void region_constants(void **state) { (void)state, for_all(constants_hold, 2); }

/* Where the bound is nearly reached: everything in one direction, Z opposite, |.| = 1. */
static void constants_are_near(problem *p, draws *d)
{
    crease_constants c;
    double gap[MOST_BLOCKS], *y[MOST_BLOCKS], sum = 0;
    if (p->kind == MULTILINEAR) return;
    fill(crease_size(&p->shape), 0, p->target);
    p->target[0] = -1;
    for (int i = 0; i < p->b.count; i++) {
        const bool touched = p->f.ops->touches(&p->f, i);
        y[i] = random_doubles(d, crease_size(p->space + i), 0);
        fill(crease_size(p->space + i), 0, p->x[i]);
        p->radius[i] = 1;
        p->x[i][0] = i ? 1 : -1;
        y[i][0] = p->x[i][0] - (touched ? 1e-3 * p->x[i][0] : 0);
        sum += touched ? 1e-6 : 0;
    }
    p->b.radius = p->radius;
    assert_true(p->f.ops->constants(&p->f, &p->b, 0, &c, NULL, NULL));
    differences(p, y, gap);
    const double seen = crs_norm(p->b.count, gap) / sqrt(sum);
    assert_true(seen <= c.L && seen >= 0.5 * c.L);
    for (int i = 0; i < p->b.count; i++) free(y[i]);
}

static void near_the_bound(void **state) { (void)state, for_all(constants_are_near, 5); }

static void unbounded_regions(problem *p, draws *d)
{
    crease_constants c;
    double block[MOST_BLOCKS];
    (void)d;
    assert_true(p->f.ops->constants(&p->f, &p->b, 0, &c, block, NULL));
    if (p->kind == MULTILINEAR) {
        assert_true(c.lower == -INFINITY);
        assert_true(p->shape.order == 2 ? c.L > 0 && c.L < INFINITY : c.L == INFINITY);
        return;
    }
    assert_true(c.L == INFINITY && c.rho == INFINITY && c.lower == 0);
    assert_true(p->cp.z < 0 || block[0] == 2);
    for (int i = 0; i < p->b.count; i++) p->radius[i] = i == 0 ? INFINITY : 2;
    p->b.radius = p->radius; /* a free Z alone: no joint constant, but one for every block and M */
    assert_true(p->f.ops->constants(&p->f, &p->b, 0, &c, block, NULL));
    assert_true(p->cp.z < 0 ? c.L < INFINITY : c.L == INFINITY && c.M < INFINITY);
    for (int i = 0; i < p->b.count; i++) assert_true(block[i] < INFINITY);
    if (p->kind == MF && p->cp.z == 0) assert_close(c.M, 2 * sqrt(1 + 4 + 4), 1e-11);
}

static void unbounded(void **state) { (void)state, for_all(unbounded_regions, 3); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curvatures),
        cmocka_unit_test(region_constants),
        cmocka_unit_test(near_the_bound),
        cmocka_unit_test(unbounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
