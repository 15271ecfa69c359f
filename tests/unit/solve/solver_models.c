/* SPDX-License-Identifier: MIT
 * solver_models: matrix and tensor models with known answers */
#include "support/solving.h"

/* (1/2)|X - D|^2 + |X|_*: the singular values 3, 2, 0.4 of D shrink by 1. */
static void nuclear_norm_denoising(void **state)
{
    enum { ROWS = 4, COLS = 3 };
    const double sigma[] = { 3, 2, 0.4 };
    const double a[ROWS] = { 0.5, 0.5, -0.5, 0.5 }, b[COLS] = { 2. / 3, -1. / 3, 2. / 3 };
    double D[ROWS * COLS] = { 0 };
    const crease_space space = crease_matrix(ROWS, COLS);
    (void)state;
    for (int i = 0; i < ROWS; i++) /* reflections I - 2aa', I - 2bb' hold the singular vectors */
        for (int j = 0; j < COLS; j++)
            for (int k = 0; k < COLS; k++)
                D[i * COLS + j] +=
                    ((i == k) - 2 * a[i] * a[k]) * sigma[k] * ((j == k) - 2 * b[j] * b[k]);
    const crease_distance_data near = { 0, -1, 1, D };
    const crease_block block = { .reg = crease_nuclear(1) };
    const crease_problem p = { 1, &space, &block, crease_squared_distance(&near), { 0 }, NULL };
    const crease_options o = options_to(1e-9);
    assert_close(objective_of(&p, &o), 0.5 * (1 + 1 + 0.16) + 2 + 1, 1e-9);
}

enum { I = 5, J = 4, K = 3, R = 2, T = I * J * K };

/* min |Z - [[X_1, X_2, X_3]]|^2 + 0.1 |E|_1 + |B|^2, Z + E + B = low rank + spikes. */
static void cp_with_spikes(void **state)
{
    double X[3][I * R], start[3][I * R], target[T] = { 0 }, spikes = 0;
    const crease_space shape = { 3, { I, J, K }, NULL };
    const crease_space space[] = {
        crease_matrix(I, R), crease_matrix(J, R), crease_matrix(K, R), shape, shape, shape
    };
    const int factor[] = { 0, 1, 2 };
    const crease_cp_data cp = { shape, R, factor, 4, NULL, 0 };
    const crease_distance_data noise = { 5, -1, 2, NULL };
    draws d = { { 4, 3 }, 0 };
    (void)state;
    for (int n = 0; n < 3; n++)
        for (int j = 0; j < I * R; j++) {
            X[n][j] = normal(&d);
            start[n][j] = X[n][j] + 0.3 * normal(&d);
        }
    for (int t = 0; t < T; t++)
        for (int r = 0; r < R; r++)
            target[t] += X[0][t / (J * K) * R + r] * X[1][t / K % J * R + r] * X[2][t % K * R + r];
    for (int t = 0; t < T; t += 17) target[t] += 4, spikes += 4;
    const crease_smooth term[] = { crease_cp(&cp), crease_squared_distance(&noise) };
    const crease_smooth_list f = { 2, term };
    const crease_map one = crease_identity(1);
    const crease_block block[] = {
        { .start = start[0] },           { .start = start[1] },
        { .start = start[2] },           { .reg = crease_l1(0.1), .map = one },
        { .map = one, .start = target }, { .map = one }
    };
    const crease_problem p = { 6, space, block, crease_smooth_sum(&f), shape, target };
    for (int k = 0; k < 2; k++) {
        crease_options o = options_to(1e-6);
        o.method = k ? CREASE_METHOD_ADMM_G : CREASE_METHOD_AUTO;
        const double value = objective_of(&p, &o);
        assert_true(value > 0 && value <= 0.1 * spikes); /* the truth has that much */
    }
}

/* min |Z - X Y'|^2 + 0.2 |E|_1, Z + E = D, Z last: X, Y in balls (R0) or free (doubling). */
static void factorization(void **state)
{
    double X[I * R], Y[J * R], D[I * J] = { 0 }, x0[I * R], y0[J * R];
    const crease_space space[] = { crease_matrix(I, R), crease_matrix(J, R), crease_matrix(I, J),
                                   crease_matrix(I, J) };
    const crease_factorization_data mf = { 0, 1, 3, NULL };
    const crease_set ball = crease_l2_ball(5);
    draws d = { { 5, 3 }, 0 };
    (void)state;
    gaussians(&d, I * R, X), gaussians(&d, J * R, Y), gaussians(&d, I * R, x0),
        gaussians(&d, J * R, y0);
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            for (int r = 0; r < R; r++) D[i * J + j] += X[i * R + r] * Y[j * R + r];
    D[7] += 5;
    for (int k = 0; k < 2; k++) {
        const crease_set *set = k ? NULL : &ball;
        const crease_block block[] = { { .set = set, .start = x0 },
                                       { .set = set, .start = y0 },
                                       { .reg = crease_l1(0.2), .map = crease_identity(1) },
                                       { .map = crease_identity(1), .start = D } };
        const crease_problem p = { 4, space, block, crease_matrix_factorization(&mf), space[2], D };
        const crease_options o = options_to(1e-6);
        crease_solver *s = certified(&p, &o);
        assert_int_equal(crease_solver_analysis(s)->adaptive, k);
        const double value = crease_solver_certificate(s)->objective;
        assert_true(value > 0 && value <= 1); /* the truth has 0.2 * 5 */
        crease_solver_free(s);
    }
}

/* min -T(x_1, x_2, x_3) on unit balls for T = a o b o c: -|a||b||c|. */
static void rank_one_tensor(void **state)
{
    double a[I], b[J], c[K], tensor[T], s0[I], s1[J], s2[K];
    const int block_of[] = { 0, 1, 2 };
    const crease_space space[] = { crease_vector(I), crease_vector(J), crease_vector(K) };
    const crease_set ball = crease_l2_ball(1);
    draws d = { { 6, 3 }, 0 };
    (void)state;
    gaussians(&d, I, a), gaussians(&d, J, b), gaussians(&d, K, c);
    gaussians(&d, I, s0), gaussians(&d, J, s1), gaussians(&d, K, s2);
    for (int t = 0; t < T; t++) tensor[t] = a[t / (J * K)] * b[t / K % J] * c[t % K];
    const crease_multilinear_data m = { { 3, { I, J, K }, NULL }, tensor, block_of, -1 };
    const crease_block block[] = { { .set = &ball, .start = s0 },
                                   { .set = &ball, .start = s1 },
                                   { .set = &ball, .start = s2 } };
    const crease_problem p = { 3, space, block, crease_multilinear(&m), { 0 }, NULL };
    const double expected = -sqrt(crs_dot(I, a, a) * crs_dot(J, b, b) * crs_dot(K, c, c));
    for (int k = 0; k < 2; k++) {
        crease_options o = options_to(1e-8);
        o.method = k ? CREASE_METHOD_GCG : CREASE_METHOD_AUTO;
        assert_close(objective_of(&p, &o), expected, 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nuclear_norm_denoising),
        cmocka_unit_test(cp_with_spikes),
        cmocka_unit_test(factorization),
        cmocka_unit_test(rank_one_tensor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
