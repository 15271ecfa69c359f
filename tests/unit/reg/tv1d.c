/* SPDX-License-Identifier: MIT
 * tv1d: the prox satisfies the optimality conditions of its dual, dist is the distance to a
 * polytope found by another method */
#include "support/test.h"

#define EPS 0x1p-52
enum { MOST = 300 };

static double size_of(ptrdiff_t n, const double *v)
{
    double most = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = larger(most, fabs(v[j]));
    return most;
}

/* x is the prox of v iff u_k = sum_{j<=k} (v_j - x_j) has |u_k| <= lambda, u_k = -lambda where
 * x steps up after k, +lambda where it steps down, and u_n = 0. */
static void assert_optimal(ptrdiff_t n, double lambda, const double *v, const double *x)
{
    const double tol = 20 * (double)(n * n) * EPS * size_of(n, v);
    double u = 0;
    for (ptrdiff_t k = 0; k < n; k++) {
        u += v[k] - x[k];
        const double next = k + 1 < n ? x[k + 1] : x[k];
        if (k + 1 == n) assert_true(fabs(u) <= tol);
        if (next > x[k]) assert_true(fabs(u + lambda) <= tol);
        if (next < x[k]) assert_true(fabs(u - lambda) <= tol);
        assert_true(fabs(u) <= lambda + tol);
    }
}

/* Signals of several kinds: noise, small integers (ties), a random walk, a rare spike. */
static void signal(draws *d, int kind, ptrdiff_t n, double *v)
{
    double walk = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        walk += normal(d);
        v[j] = kind == 0   ? normal(d)
               : kind == 1 ? floor(uniform(d, -2, 3))
               : kind == 2 ? walk
                           : (uniform(d, 0, 1) < 0.1 ? 100 * normal(d) : 0);
    }
}

static void prox_is_optimal(void **state)
{
    static double v[MOST], x[MOST], work[MOST];
    draws d = { { 3, 1 }, 0 };
    (void)state;
    for (int k = 0; k < 20000; k++) {
        const ptrdiff_t n = 1 + k % 40;
        const crease_space s = crease_vector(n);
        const double scale = k % 7 ? 1 : pow(10, uniform(&d, -12, 12));
        const double t = pow(10, uniform(&d, -1, 1));
        const double lambda = k % 5 == 0 ? 0 : floor(uniform(&d, 0, 8)) / 4 * (k % 2 ? scale : 1);
        const crease_reg r = crease_tv1d(k % 11 ? lambda : pow(10, uniform(&d, -12, 12)));
        signal(&d, k % 4, n, v);
        for (ptrdiff_t j = 0; j < n; j++) v[j] *= scale;
        r.ops->prox(&r, &s, t, v, x, work);
        assert_optimal(n, t * r.par[0], v, x);

        double g[MOST]; /* (v - x)/t is a subgradient at x */
        for (ptrdiff_t j = 0; j < n; j++) g[j] = (v[j] - x[j]) / t;
        const double tol = 40 * (double)(n * n) * EPS * (size_of(n, v) / t + r.par[0]);
        assert_true(r.ops->dist(&r, &s, x, g, work) <= tol);
        r.ops->prox(&r, &s, t, v, v, work); /* in place */
        assert_memory_equal(v, x, (size_t)n * sizeof *x);
    }
}

static void long_signals_are_denoised(void **state)
{
    enum { N = 20000 };
    static double v[N], x[N];
    draws d = { { 3, 2 }, 0 };
    const crease_space s = crease_vector(N);
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const crease_reg r = crease_tv1d(3);
        signal(&d, kind, N, v);
        assert_true(crease_prox(&r, &s, 1, v, x, NULL));
        assert_optimal(N, 3, v, x);
    }
}

/* min |g - D'z| with z = lambda sgn at the jumps of x and |z| <= lambda elsewhere, by many sweeps
 * of exact minimization in one z_j at a time. (D'z)_j = z_{j-1} - z_j. */
static double dist_by_sweeps(ptrdiff_t n, double lambda, const double *x, const double *g)
{
    double z[8] = { 0 };
    for (int sweep = 0; sweep < 4000; sweep++)
        for (ptrdiff_t j = 0; j + 1 < n; j++) {
            const double before = j ? z[j - 1] : 0, after = j + 2 < n ? z[j + 1] : 0;
            /* minimize (g_j - before + z)^2 + (g_{j+1} - z + after)^2 */
            const double free = (g[j + 1] + after - g[j] + before) / 2;
            z[j] = x[j + 1] > x[j]   ? lambda
                   : x[j + 1] < x[j] ? -lambda
                                     : clip(free, -lambda, lambda);
        }
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        sum += square(g[j] - (j ? z[j - 1] : 0) + (j + 1 < n ? z[j] : 0));
    return sqrt(sum);
}

static void dist_is_the_distance(void **state)
{
    draws d = { { 3, 3 }, 0 };
    (void)state;
    for (int k = 0; k < 1000; k++) {
        const ptrdiff_t n = 1 + k % 7;
        const crease_space s = crease_vector(n);
        const crease_reg r = crease_tv1d(uniform(&d, 0, 2));
        double x[8], g[8], work[8];
        for (ptrdiff_t j = 0; j < n; j++) x[j] = floor(uniform(&d, 0, 2.5)), g[j] = 2 * normal(&d);
        /* a sweep contracts by cos^2(pi/n) < 0.82: 4000 leave only rounding */
        assert_close(r.ops->dist(&r, &s, x, g, work), dist_by_sweeps(n, r.par[0], x, g), 1e-13);
    }
}

static void ball_is_exact(void **state)
{
    draws d = { { 3, 4 }, 0 };
    const crease_space s = crease_vector(4);
    const crease_reg r = crease_tv1d(0.7);
    double v[4], x[4], y[4], work[4];
    (void)state;
    for (int k = 0; k < 300; k++) {
        const double radius = uniform(&d, 0.1, 2), t = uniform(&d, 0.1, 2);
        for (int j = 0; j < 4; j++) v[j] = normal(&d);
        r.ops->prox_ball(&r, &s, t, radius, v, x, work);
        assert_true(crs_norm(4, x) <= radius * (1 + 8 * EPS));
        for (int trial = 0; trial < 100; trial++) { /* no feasible point nearby is better */
            double best = r.ops->value(&r, &s, x, work), other;
            for (int j = 0; j < 4; j++) y[j] = x[j] + pow(10, -trial % 5) * normal(&d);
            const double norm = crs_norm(4, y);
            for (int j = 0; j < 4; j++) y[j] *= norm > radius ? radius / norm : 1;
            other = r.ops->value(&r, &s, y, work);
            for (int j = 0; j < 4; j++)
                best += square(x[j] - v[j]) / (2 * t), other += square(y[j] - v[j]) / (2 * t);
            assert_true(best <= other + 100 * EPS * (1 + other));
        }
    }
}

static void edges(void **state)
{
    double v[3] = { 1, NAN, 2 }, x[3], work[3];
    const crease_space s = crease_vector(3), one = crease_vector(1), matrix = crease_matrix(2, 2);
    const crease_reg r = crease_tv1d(1), huge = crease_tv1d(1e12), bad = crease_tv1d(-1);
    crease_reg_traits traits;
    (void)state;
    r.ops->prox(&r, &s, 1, v, x, work);
    assert_true(isnan(x[0]) && isnan(x[1]) && isnan(x[2]));
    assert_true(isnan(r.ops->value(&r, &s, v, work)) && isnan(r.ops->value(&r, &one, v + 1, work)));
    assert_true(isnan(r.ops->dist(&r, &s, v, x, work)));
    v[1] = 9;
    assert_close(r.ops->value(&r, &s, v, work), 15, 0);
    huge.ops->prox(&huge, &s, 1e12, v, x, work); /* one segment, at the mean */
    assert_true(x[0] == x[1] && x[1] == x[2]);
    assert_close(x[0], 4, 4 * EPS);
    fill(3, 0.1, v);
    r.ops->prox(&r, &s, 1, v, x, work); /* a constant stays itself */
    assert_true(x[0] == 0.1 && x[2] == 0.1);
    assert_true(crease_reg_describe(&r, &s, 1, &traits, NULL));
    assert_true(traits.convex && traits.weak_convexity == 0 && traits.ball_step == INFINITY);
    assert_close(traits.lipschitz, 2 * sqrt(3), EPS);
    crease_error e;
    assert_false(crease_reg_check(&r, &matrix, &e));
    assert_int_equal(e.code, CREASE_BAD_SHAPE);
    assert_false(crease_reg_check(&bad, &s, &e));
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prox_is_optimal),
        cmocka_unit_test(long_signals_are_denoised),
        cmocka_unit_test(dist_is_the_distance),
        cmocka_unit_test(ball_is_exact),
        cmocka_unit_test(edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
