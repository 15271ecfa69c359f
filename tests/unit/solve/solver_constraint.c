/* SPDX-License-Identifier: MIT
 * solver_constraint: constrained problems against their unconstrained equals and their duals */
#include "support/solving.h"

enum { M = 12, N = 4 };

static double step(const double *par, double z, double a) { return soft(z, par[0] / a); }

/* Columns of the two halves of B (M x 2N). */
static void split(const double *B, double *left, double *right)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            left[i * N + j] = B[i * 2 * N + j];
            right[i * N + j] = B[i * 2 * N + N + j];
        }
}

static double l1(int n, const double *x)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(x[j]);
    return sum;
}

/* min (1/2)|u|^2 + 0.5 |x_1|_1 + 0.5 |x_2|_1, B_1 x_1 + B_2 x_2 + u = y. */
static void sharing(void **state)
{
    double B[M * 2 * N], y[M], left[M * N], right[M * N], x[2 * N] = { 0 }, u[M];
    const crease_space space[] = { crease_vector(N), crease_vector(N), crease_vector(M) };
    const crease_distance_data loss = { 2, -1, 1, NULL };
    draws d = { { 1, 2 }, 0 };
    (void)state;
    gaussians(&d, M * 2 * N, B);
    gaussians(&d, M, y);
    split(B, left, right);
    const crease_block block[] = { { .reg = crease_l1(0.5), .map = crease_dense(left) },
                                   { .reg = crease_l1(0.5), .map = crease_dense(right) },
                                   { .map = crease_identity(1) } };
    const crease_problem p = { 3, space, block, crease_squared_distance(&loss), space[2], y };
    coordinate_descent(M, 2 * N, B, y, step, (double[]){ 0.5 }, x, u);
    const double expected = residual_of(M, 2 * N, B, y, x, u) / 2 + 0.5 * l1(2 * N, x);
    for (int k = 0; k < 3; k++) { /* R2; R1; Theorem 3.18 by the paper's recipe */
        crease_options o = options_to(1e-8);
        o.method = k == 1 ? CREASE_METHOD_ADMM_G : CREASE_METHOD_ADMM_M;
        o.mode = k == 2 ? CREASE_MODE_PAPER : CREASE_MODE_PRACTICAL;
        crease_solver *s = certified(&p, &o);
        assert_close(crease_solver_certificate(s)->objective, expected, 1e-7);
        for (int j = 0; j < 2 * N; j++) assert_close(crease_solution(s, j / N)[j % N], x[j], 1e-6);
        assert_true(crease_solver_analysis(s)->guarantee);
        crease_solver_free(s);
    }
}

/* min sum_k (1/2)|B_k x_k - y_k|^2 + 0.3 |z|_1, x_k = z: the stacked regression. */
static void consensus(void **state)
{
    enum { K = 3, ROWS = 5, ALL = K * N };
    double B[K * ROWS * N], y[K * ROWS], big[K * ROWS * ALL] = { 0 }, stack[ALL * N] = { 0 };
    double x[N] = { 0 }, u[K * ROWS];
    const crease_space space[] = { crease_vector(N), crease_vector(ALL) };
    const int last = 1;
    draws d = { { 2, 2 }, 0 };
    (void)state;
    gaussians(&d, K * ROWS * N, B);
    gaussians(&d, K * ROWS, y);
    for (int i = 0; i < K * ROWS; i++)
        for (int j = 0; j < N; j++) big[i * ALL + i / ROWS * N + j] = B[i * N + j];
    for (int i = 0; i < ALL; i++) stack[i * N + i % N] = -1;
    const crease_map map = crease_dense(big);
    const crease_predictor fit = { 1, &last, &map, crease_vector(K * ROWS), y };
    const crease_block block[] = { { .reg = crease_l1(0.3), .map = crease_dense(stack) },
                                   { .map = crease_identity(1) } };
    const crease_problem p = { 2, space, block, crease_least_squares(&fit), space[1], NULL };
    const crease_options o = options_to(1e-8);
    coordinate_descent(K * ROWS, N, B, y, step, (double[]){ 0.3 }, x, u);
    crease_solver *s = certified(&p, &o);
    assert_close(crease_solver_certificate(s)->objective,
                 residual_of(K * ROWS, N, B, y, x, u) / 2 + 0.3 * l1(N, x), 1e-7);
    for (int j = 0; j < N; j++) assert_close(crease_solution(s, 0)[j], x[j], 1e-7);
    crease_solver_free(s);
}

/* q(lambda) = min_x (1/2)|x - t|^2 + w|x|_1 - <lambda, C x - b>, a lower bound of the minimum. */
static double dual(int rows, int n, const double *C, const double *b, const double *t, double w,
                   const double *lambda)
{
    double sum = 0;
    for (int i = 0; i < rows; i++) sum += lambda[i] * b[i];
    for (int j = 0; j < n; j++) {
        double pull = 0;
        for (int i = 0; i < rows; i++) pull += C[i * n + j] * lambda[i];
        const double x = soft(t[j] + pull, w);
        sum += 0.5 * square(x - t[j]) + w * fabs(x) - pull * x;
    }
    return sum;
}

/* Both blocks regularized, the last map of rank 1: only the extension takes it. */
static void rank_deficient_last_block(void **state)
{
    enum { ROWS = 3 };
    double C[ROWS * 2 * N], left[ROWS * N], right[ROWS * N], t[2 * N], b[ROWS] = { 0 };
    const crease_space space[] = { crease_vector(N), crease_vector(N) };
    draws d = { { 3, 2 }, 0 };
    (void)state;
    gaussians(&d, ROWS * 2 * N, C);
    gaussians(&d, 2 * N, t);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < N; j++) {
            C[i * 2 * N + N + j] = (double)(i + 1) * (j - 1.5); /* rank 1 */
            left[i * N + j] = C[i * 2 * N + j];
            right[i * N + j] = C[i * 2 * N + N + j];
            b[i] += C[i * 2 * N + j] - C[i * 2 * N + N + j];
        }
    const crease_distance_data near[] = { { 0, -1, 1, t }, { 1, -1, 1, t + N } };
    const crease_smooth term[] = { crease_squared_distance(&near[0]),
                                   crease_squared_distance(&near[1]) };
    const crease_smooth_list list = { 2, term };
    const crease_block block[] = { { .reg = crease_l1(0.2), .map = crease_dense(left) },
                                   { .reg = crease_l1(0.2), .map = crease_dense(right) } };
    const crease_problem p = { 2, space, block, crease_smooth_sum(&list), crease_vector(ROWS), b };
    const crease_options o = options_to(1e-6);
    crease_solver *s = certified(&p, &o);
    assert_int_equal(crease_solver_analysis(s)->method, CREASE_METHOD_EXTENSION);
    assert_true(crease_solver_certificate(s)->feasibility.residual <= 1e-6);
    const double low = dual(ROWS, 2 * N, C, b, t, 0.2, crease_multiplier(s));
    assert_close(crease_solver_certificate(s)->objective, low, 1e-4);
    crease_solver_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharing),
        cmocka_unit_test(consensus),
        cmocka_unit_test(rank_deficient_last_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
