/* SPDX-License-Identifier: MIT
 * factor_couplings: values, gradients and block steps of matrix factorization, CP, Tucker and
 * multilinear forms against their definitions, orders 2 to 5, Z constant and Z a block */
#include "support/couplings.h"

/* A bound of everything added up on the way to a value or a gradient, relative to which rounding
 * is measured. */
static double magnitude(problem *p)
{
    double product = 1;
    for (int i = 1; i < p->b.count; i++)
        if (p->f.ops->touches(&p->f, i)) product *= 1 + crease_norm(p->space + i, p->x[i]);
    const double z = crs_norm(crease_size(&p->shape), p->cp.z < 0 ? p->target : p->x[0]);
    return square(product + 2 * z);
}

static void value_is_the_sum(problem *p, draws *d)
{
    (void)d;
    assert_true(p->f.ops->check(&p->f, &p->b, NULL));
    assert_true(fabs(value(p) - naive_value(p)) <= 200 * 0x1p-53 * magnitude(p));
}

static void values(void **state) { (void)state, for_all(value_is_the_sum, 1); }

/* f is at most quadratic in a block: central differences are exact for any step, here 1/2. */
static void gradient_is_the_difference(problem *p, draws *d)
{
    (void)d;
    for (int i = 0; i < p->b.count; i++) {
        double *g = gradient(p, i);
        for (ptrdiff_t j = 0; j < crease_size(p->space + i); j++) {
            const double x = p->x[i][j];
            p->x[i][j] = x + 0.5;
            const double high = naive_value(p);
            p->x[i][j] = x - 0.5;
            const double difference = high - naive_value(p);
            p->x[i][j] = x;
            if (!p->f.ops->touches(&p->f, i)) assert_true(g[j] == 0 && difference == 0);
            if (!(fabs(g[j] - difference) <= 1000 * 0x1p-53 * magnitude(p)))
                fail_msg("%s order %d block %d: %.17g, not %.17g", p->f.ops->name, p->shape.order,
                         i + 1, g[j], difference);
        }
        free(g);
    }
}

static void gradients(void **state) { (void)state, for_all(gradient_is_the_difference, 2); }

/* The block step's value with y in block i. */
static double model(problem *p, int i, double h, const double *v, double *y)
{
    double *kept = p->x[i], sum = 0;
    for (ptrdiff_t j = 0; j < crease_size(p->space + i); j++) sum += square(y[j] - v[j]);
    p->x[i] = y;
    const double total = naive_value(p) + h / 2 * sum;
    p->x[i] = kept;
    return total;
}

/* grad_i f(y) + h(y - v) = -nu y, nu >= 0, nu = 0 inside the ball; no random feasible point near
 * or far is better. */
static void check_step(problem *p, int i, double h, const double *v, double radius, double *y,
                       draws *d)
{
    const ptrdiff_t n = crease_size(p->space + i);
    double *kept = p->x[i], norm = crs_norm(n, y), best = model(p, i, h, v, y);
    p->x[i] = y;
    double *g = gradient(p, i);
    const double size = magnitude(p) + h * (norm + crs_norm(n, v));
    p->x[i] = kept;
    for (ptrdiff_t j = 0; j < n; j++) g[j] += h * (y[j] - v[j]);
    assert_true(norm <= radius * (1 + 100 * 0x1p-53));
    if (norm >= radius * (1 - 1e-10)) {
        const double nu = -crs_dot(n, g, y) / (norm * norm);
        assert_true(nu * norm >= -1e4 * 0x1p-53 * size);
        axpy(n, nu, y, g);
    }
    if (!(crs_norm(n, g) <= 1e4 * 0x1p-53 * size))
        fail_msg("%s order %d block %d h %g radius %g: |gradient| = %g", p->f.ops->name,
                 p->shape.order, i + 1, h, radius, crs_norm(n, g));
    for (int trial = 0; trial < 20; trial++) {
        double *other = random_doubles(d, n, pow(10, -trial % 5));
        if (trial % 2) axpy(n, 1, y, other);
        const double far = crs_norm(n, other);
        for (ptrdiff_t j = 0; j < n && far > radius; j++) other[j] *= radius / far;
        assert_true(best <= model(p, i, h, v, other) + 1e3 * 0x1p-53 * size * (1 + norm));
        free(other);
    }
    free(g);
}

static void steps_are_optimal(problem *p, draws *d)
{
    const double hs[] = { 0, 1e-3, 1, 1e6 }, radii[] = { INFINITY, 10, 1, 1e-3 };
    for (int i = 0; i < p->b.count; i++)
        for (int trial = 0; trial < 16; trial++) {
            const double h = hs[trial % 4], radius = radii[trial / 4];
            const ptrdiff_t n = crease_size(p->space + i);
            const double *const *x = (const double *const *)p->x;
            double *v = random_doubles(d, n, 1), *y = unset_doubles(n);
            const bool has = p->f.ops->argmin(&p->f, &p->b, x, i, h, v, radius, NULL, NULL);
            const bool bounded = p->kind != MULTILINEAR || h > 0 || radius < INFINITY;
            assert_true(has == (p->f.ops->touches(&p->f, i) && bounded));
            if (has) {
                assert_true(p->f.ops->argmin(&p->f, &p->b, x, i, h, v, radius, y, p->work));
                check_step(p, i, h, v, radius, y, d);
                p->f.ops->argmin(&p->f, &p->b, x, i, h, v, radius, v, p->work); /* in place */
                for (ptrdiff_t j = 0; j < n; j++) assert_true(v[j] == y[j]);
            }
            free(v), free(y);
        }
}

static void block_steps(void **state) { (void)state, for_all(steps_are_optimal, 3); }

/* Two equal columns in every factor and h = 0: the matrix of the step is singular. */
static void singular_steps(problem *p, draws *d)
{
    if (p->kind == MULTILINEAR) return;
    for (int n = 0; n < p->shape.order; n++)
        for (ptrdiff_t j = 0, r = p->ranks.dim[n]; r > 1 && j < p->shape.dim[n]; j++)
            p->x[p->factor[n]][j * r + 1] = p->x[p->factor[n]][j * r];
    for (int i = 0; i < p->b.count; i++) {
        const ptrdiff_t n = crease_size(p->space + i);
        double *y = unset_doubles(n), *v = random_doubles(d, n, 1);
        for (int trial = 0; trial < 2 && p->f.ops->touches(&p->f, i); trial++) {
            const double radius = trial ? 0.7 : INFINITY;
            p->f.ops->argmin(&p->f, &p->b, (const double *const *)p->x, i, 0, v, radius, y,
                             p->work);
            check_step(p, i, 0, v, radius, y, d);
        }
        free(y), free(v);
    }
}

static void singular(void **state) { (void)state, for_all(singular_steps, 4); }

static void nan_spreads(problem *p, draws *d)
{
    (void)d;
    for (int i = 0; i < p->b.count; i++) {
        if (!p->f.ops->touches(&p->f, i)) continue;
        const double kept = p->x[i][0];
        p->x[i][0] = NAN;
        assert_true(isnan(value(p)));
        for (int k = 0; k < p->b.count; k++) {
            const ptrdiff_t n = crease_size(p->space + k);
            if (!p->f.ops->touches(&p->f, k) || (k == i && p->kind == MULTILINEAR)) continue;
            double *g = gradient(p, k), *v = doubles(n);
            assert_true(isnan(crs_norm(n, g)));
            for (int ball = 0; ball < 2 && k != i; ball++) {
                p->f.ops->argmin(&p->f, &p->b, (const double *const *)p->x, k, 1, v,
                                 ball ? 0.5 : INFINITY, g, p->work);
                assert_true(isnan(crs_norm(n, g)));
            }
            free(g), free(v);
        }
        p->x[i][0] = kept;
    }
}

static void nan_comes_through(void **state) { (void)state, for_all(nan_spreads, 5); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(gradients),
        cmocka_unit_test(block_steps),
        cmocka_unit_test(singular),
        cmocka_unit_test(nan_comes_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
