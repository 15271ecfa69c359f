/* SPDX-License-Identifier: MIT
 * regression: penalized regressions end where coordinate descent and ISTA end */
#include "support/solving.h"

enum { M = 60, N = 8 };

static const int first = 0;
static double A[M * N], y[M], u[M];
static crease_map map;
static crease_predictor fit;
static const crease_space space = { 1, { N }, NULL };

/* Standardized columns, |A_j|^2 = 1; a sparse truth and noise. */
static void draw(uint64_t seed)
{
    draws d = { { seed, 0 }, 0 };
    gaussians(&d, M * N, A);
    for (int j = 0; j < N; j++) {
        double mean = 0, squares = 0;
        for (int i = 0; i < M; i++) mean += A[i * N + j] / M;
        for (int i = 0; i < M; i++) A[i * N + j] -= mean, squares += square(A[i * N + j]);
        for (int i = 0; i < M; i++) A[i * N + j] /= sqrt(squares);
    }
    for (int i = 0; i < M; i++) {
        y[i] = 0.1 * normal(&d);
        for (int j = 0; j < 3; j++) y[i] += (double)(4 - j) * A[i * N + j];
    }
    map = crease_dense(A);
    fit = (crease_predictor){ 1, &first, &map, crease_vector(M), y, NULL };
}

static double soft_step(const double *par, double z, double a)
{
    return soft(z, par[0] / a) / (1 + par[1] / a);
}

/* rho = par0 y - y^2/(2 par1) up to par0 par1; a > 1/par1 makes the line problem convex. */
static double mcp_step(const double *par, double z, double a)
{
    return fabs(z) > par[0] * par[1] ? z : soft(z, par[0] / a) / (1 - 1 / (a * par[1]));
}

static double scad_step(const double *par, double z, double a)
{
    const double lambda = par[0], w = fabs(z), k = par[1] - 1;
    if (w > par[1] * lambda) return z;
    if (w <= lambda + lambda / a) return soft(z, lambda / a);
    return copysign((w - par[1] * lambda / (a * k)) / (1 - 1 / (a * k)), z);
}

static double penalty_sum(const crease_reg *r, const double *x)
{
    double value;
    assert_true(crease_reg_value(r, &space, x, &value, NULL));
    return value;
}

static void compare(const crease_reg *r, shrinkage *shrink, const double *par)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double x[N] = { 0 };
        draw(seed);
        const crease_block block = { .reg = *r };
        const crease_problem p = { 1, &space, &block, crease_least_squares(&fit), { 0 }, NULL };
        const crease_options o = options_to(1e-8);
        crease_solver *s = certified(&p, &o);
        coordinate_descent(M, N, A, y, shrink, par, x, u);
        const double expected = residual_of(M, N, A, y, x, u) / 2 + penalty_sum(r, x);
        assert_close(crease_solver_certificate(s)->objective, expected, 1e-9);
        for (int j = 0; j < N; j++) assert_close(crease_solution(s, 0)[j], x[j], 1e-6);
        crease_solver_free(s);
    }
}

static void lasso_ends_where_coordinate_descent_ends(void **state)
{
    const crease_reg r = crease_l1(0.4);
    (void)state;
    compare(&r, soft_step, (double[]){ 0.4, 0 });
}

static void elastic_net_ends_where_coordinate_descent_ends(void **state)
{
    const crease_reg r = crease_elastic_net(0.3, 0.5);
    (void)state;
    compare(&r, soft_step, (double[]){ 0.3, 0.5 });
}

static void mcp_ends_where_coordinate_descent_ends(void **state)
{
    const crease_reg r = crease_mcp(0.5, 3);
    (void)state;
    compare(&r, mcp_step, (double[]){ 0.5, 3 });
}

static void scad_ends_where_coordinate_descent_ends(void **state)
{
    const crease_reg r = crease_scad(0.5, 3.7);
    (void)state;
    compare(&r, scad_step, (double[]){ 0.5, 3.7 });
}

/* sum log(1 + exp(-b_i a_i'x)), and its gradient in g. */
static double logistic(const double *labels, const double *x, double *g)
{
    double sum = 0;
    for (int j = 0; j < N; j++) g[j] = 0;
    for (int i = 0; i < M; i++) {
        double t = 0;
        for (int j = 0; j < N; j++) t += labels[i] * A[i * N + j] * x[j];
        sum += log1p(exp(-t));
        for (int j = 0; j < N; j++) g[j] -= labels[i] * A[i * N + j] / (1 + exp(t));
    }
    return sum;
}

static void logistic_lasso_ends_where_ista_ends(void **state)
{
    double labels[M], x[N] = { 0 }, g[N], size = 0;
    draws d = { { 9, 0 }, 0 };
    (void)state;
    draw(3);
    for (int i = 0; i < M; i++) labels[i] = y[i] + 0.3 * normal(&d) > 0 ? 1 : -1;
    fit.rhs = labels;
    const crease_block block = { .reg = crease_l1(0.2) };
    const crease_problem p = { 1, &space, &block, crease_logistic(&fit), { 0 }, NULL };
    const crease_options o = options_to(1e-8);
    for (int k = 0; k < 100000; k++) { /* ISTA: L <= |A|_F^2/4 = N/4 */
        logistic(labels, x, g);
        for (int j = 0; j < N; j++) x[j] = soft(x[j] - g[j] * 4 / N, 0.2 * 4 / N);
    }
    for (int j = 0; j < N; j++) size += fabs(x[j]);
    assert_close(objective_of(&p, &o), logistic(labels, x, g) + 0.2 * size, 1e-9);
    assert_true(size > 0.1);
}

/* |x_g|_2 summed over pairs of entries; ISTA with block shrinkage, L <= N. */
static void group_lasso_ends_where_ista_ends(void **state)
{
    const ptrdiff_t start[] = { 0, 2, 4, 6, 8 };
    const crease_groups groups = { 4, start, NULL };
    const crease_block block = { .reg = crease_group_l1(0.8, &groups) };
    double x[N] = { 0 }, sum = 0;
    (void)state;
    draw(4);
    for (int k = 0; k < 5000; k++) {
        residual_of(M, N, A, y, x, u);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++) x[j] -= A[i * N + j] * u[i] / N;
        for (int j = 0; j < N; j += 2) {
            const double w = hypot(x[j], x[j + 1]), keep = w > 0.8 / N ? 1 - 0.8 / N / w : 0;
            x[j] *= keep, x[j + 1] *= keep;
        }
    }
    for (int j = 0; j < N; j += 2) sum += hypot(x[j], x[j + 1]);
    const crease_problem p = { 1, &space, &block, crease_least_squares(&fit), { 0 }, NULL };
    const crease_options o = options_to(1e-8);
    assert_close(objective_of(&p, &o), residual_of(M, N, A, y, x, u) / 2 + 0.8 * sum, 1e-9);
    assert_true(x[6] == 0 && x[7] == 0 && x[0] != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lasso_ends_where_coordinate_descent_ends),
        cmocka_unit_test(elastic_net_ends_where_coordinate_descent_ends),
        cmocka_unit_test(mcp_ends_where_coordinate_descent_ends),
        cmocka_unit_test(scad_ends_where_coordinate_descent_ends),
        cmocka_unit_test(group_lasso_ends_where_ista_ends),
        cmocka_unit_test(logistic_lasso_ends_where_ista_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
