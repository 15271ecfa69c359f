/* SPDX-License-Identifier: MIT
 * blocks: answers that are known otherwise: quadratics on sets by enumeration, matrix and tensor
 * models by their truth, constrained problems by their unconstrained equals and their duals */
#include "support/solving.h"

enum { N = 5 };

static const int zero = 0;
static double Q[N * N], q[N];
static const double *const matrix = Q, *const linear = q;
static const crease_quadratic_data quadratic = { 1, &zero, &zero, &matrix, &linear, 1 };
static const crease_space vectors = { 1, { N }, NULL };

static double value(const double *x)
{
    double sum = 0;
    for (int i = 0; i < N; i++) {
        sum += q[i] * x[i];
        for (int j = 0; j < N; j++) sum += 0.5 * x[i] * Q[i * N + j] * x[j];
    }
    return sum;
}

/* Q = B'B/N - shift I */
static void draw(uint64_t seed, double shift, double slope)
{
    draws d = { { seed, 1 }, 0 };
    double B[N * N];
    gaussians(&d, N * N, B);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = i == j ? -shift : 0;
            for (int k = 0; k < N; k++) sum += B[k * N + i] * B[k * N + j] / N;
            Q[i * N + j] = sum;
        }
    for (int j = 0; j < N; j++) q[j] = slope * normal(&d);
}

static double least_on(const crease_set *c, crease_method method, double eps)
{
    const crease_block block = { .set = c };
    const crease_problem p = { 1, &vectors, &block, crease_quadratic(&quadratic), { 0 }, NULL };
    crease_options o = options_to(eps);
    o.method = method;
    return objective_of(&p, &o);
}

/* Gaussian elimination with pivoting, A and b overwritten; false: singular. */
static bool eliminate(int n, double A[N + 1][N + 1], double *b)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
        if (fabs(A[best][k]) < 1e-12) return false;
        for (int j = 0; j < n; j++) {
            const double t = A[k][j];
            A[k][j] = A[best][j], A[best][j] = t;
        }
        const double t = b[k];
        b[k] = b[best], b[best] = t;
        for (int i = 0; i < n; i++) {
            const double f = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = 0; j < n; j++) A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; k++) b[k] /= A[k][k];
    return true;
}

/* The minimizer of the quadratic over x_j = 0 where sign[j] = 0, and sign'x = 1 if `tight`. */
static bool on_face(const int *sign, bool tight, double *x)
{
    int at[N], n = 0;
    double A[N + 1][N + 1] = { { 0 } }, b[N + 1];
    for (int j = 0; j < N; j++)
        if (sign[j]) at[n++] = j;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) A[i][j] = Q[at[i] * N + at[j]];
        A[i][n] = A[n][i] = sign[at[i]];
        b[i] = -q[at[i]];
    }
    b[n] = 1;
    if (!eliminate(tight ? n + 1 : n, A, b)) return false;
    for (int j = 0; j < N; j++) x[j] = 0;
    for (int i = 0; i < n; i++) x[at[i]] = b[i];
    for (int j = 0; j < N; j++)
        if (x[j] * sign[j] < 0) return false;
    return true;
}

/* Least value over the faces of {sign'x = 1, x sign >= 0}, and over the inside too. */
static double by_faces(bool signs, bool inside)
{
    double least = inside ? 0 : INFINITY, x[N];
    for (int code = 1; code < 243; code++) {
        int sign[N], c = code, total = 0;
        for (int j = 0; j < N; j++, c /= 3) sign[j] = c % 3 == 2 ? -1 : c % 3, total += sign[j] < 0;
        if (total > 0 && !signs) continue;
        if (on_face(sign, true, x)) least = smaller(least, value(x));
        double norm = 0;
        if (!inside || !on_face(sign, false, x)) continue;
        for (int j = 0; j < N; j++) norm += fabs(x[j]);
        if (norm <= 1) least = smaller(least, value(x));
    }
    return least;
}

static void quadratics_on_simplex_and_l1_ball_agree_with_enumeration(void **state)
{
    const crease_set simplex = crease_simplex(1), ball = crease_l1_ball(1);
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        draw(seed, -0.1, seed % 2 ? 0.3 : 2);
        const double on_simplex = by_faces(false, false), in_ball = by_faces(true, true);
        assert_close(least_on(&simplex, CREASE_METHOD_AUTO, 1e-9), on_simplex, 1e-9);
        assert_close(least_on(&ball, CREASE_METHOD_AUTO, 1e-9), in_ball, 1e-9);
        assert_close(least_on(&ball, CREASE_METHOD_GCG, 1e-4), in_ball, 1e-4);
    }
}

/* Every diagonal entry is negative, so that minima are corners; the slope outweighs the couplings,
 * so that a descent from 0 cannot miss the best one. */
static void indefinite_quadratic_reaches_the_global_corner(void **state)
{
    const crease_set box = crease_box(-1, 1);
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        double least = INFINITY;
        draw(seed, 1, 0);
        for (int j = 0; j < N; j++) {
            if (Q[j * N + j] > -0.1) Q[j * N + j] = -0.1;
            q[j] = 0.1;
            for (int k = 0; k < N; k++) q[j] += fabs(Q[j * N + k]);
            if (j % 2) q[j] = -q[j];
        }
        for (int corner = 0; corner < 1 << N; corner++) {
            double x[N];
            for (int j = 0; j < N; j++) x[j] = corner >> j & 1 ? 1 : -1;
            least = smaller(least, value(x));
        }
        assert_close(least_on(&box, CREASE_METHOD_AUTO, 1e-9), least, 1e-12);
    }
}

/* max |x - y| over two boxes: a concave f, whole steps, a corner. */
static void farthest_points_of_boxes_are_corners(void **state)
{
    const crease_set left = crease_box(0, 1), right = crease_box(-2, 0.5);
    const crease_space spaces[] = { vectors, vectors };
    const double start[2][N] = { { 0.5, 0.5, 0.5, 0.5, 0.5 }, { -1, -1, -1, -1, -1 } };
    const crease_block blocks[] = { { .set = &left, .start = start[0] },
                                    { .set = &right, .start = start[1] } };
    const crease_distance_data far = { 0, 1, -1, NULL };
    const crease_problem p = { 2, spaces, blocks, crease_squared_distance(&far), { 0 }, NULL };
    crease_options o = options_to(1e-9);
    (void)state;
    o.method = CREASE_METHOD_GCG;
    crease_solver *s = certified(&p, &o);
    assert_true(crease_solver_analysis(s)->concave);
    assert_close(crease_solver_certificate(s)->objective, -0.5 * N * 9, 1e-15);
    assert_true(crease_solver_report(s).iterations <= 10);
    crease_solver_free(s);
}

/* (1/2)|x - d|^2 + lambda |x|_0 on a box, entry by entry. */
static void l0_with_a_box_is_solved_entry_by_entry(void **state)
{
    const double d[N] = { 3, -0.2, 0.1, -4, 0.9 }, lambda = 0.2;
    const double start[N] = { 3, -0.3, 0.2, -3, 0.7 }; /* 0 and d are stationary themselves */
    const crease_set box = crease_box(-1, 2);
    const crease_distance_data near = { 0, -1, 1, d };
    const crease_block block = { .reg = crease_l0(lambda), .set = &box, .start = start };
    const crease_problem p = { 1, &vectors, &block, crease_squared_distance(&near), { 0 }, NULL };
    const crease_options o = options_to(1e-9);
    double expected = 0;
    (void)state;
    for (int j = 0; j < N; j++)
        expected += smaller(0.5 * square(d[j]), lambda + 0.5 * square(clip(d[j], -1, 2) - d[j]));
    crease_solver *s = certified(&p, &o);
    assert_int_equal(crease_solver_analysis(s)->block[0].setting, 2);
    assert_close(crease_solver_certificate(s)->objective, expected, 1e-12);
    assert_true(crease_solution(s, 0)[1] == 0 && crease_solution(s, 0)[2] == 0);
    assert_int_equal(crease_solver_report(s).moved_starts, 1);
    crease_solver_free(s);
}

/* (1/2)|X - D|^2 + |X|_*: the singular values 3, 2, 0.4 of D shrink by 1. */
static void the_nuclear_norm_shrinks_singular_values(void **state)
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
static void cp_with_spikes_is_as_good_as_the_truth(void **state)
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
static void factors_in_balls_or_free_are_as_good_as_the_truth(void **state)
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
    for (int k = 0; k < 4; k++) {
        const crease_set *set = k % 2 ? NULL : &ball;
        const crease_block block[] = { { .set = set, .start = x0 },
                                       { .set = set, .start = y0 },
                                       { .reg = crease_l1(0.2), .map = crease_identity(1) },
                                       { .map = crease_identity(1), .start = D } };
        const crease_problem p = { 4, space, block, crease_matrix_factorization(&mf), space[2], D };
        crease_options o = options_to(1e-6);
        if (k < 2) o.method = CREASE_METHOD_ADMM_G;
        crease_solver *s = certified(&p, &o);
        if (k < 2) assert_int_equal(crease_solver_analysis(s)->adaptive, k);
        const double value = crease_solver_certificate(s)->objective;
        assert_true(value > 0 && value <= 1); /* the truth has 0.2 * 5 */
        crease_solver_free(s);
    }
}

/* min -T(x_1, x_2, x_3) on unit balls for T = a o b o c: -|a||b||c|. */
static void a_rank_one_tensor_reaches_its_norm(void **state)
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
    const crease_multilinear_data m = { { 3, { I, J, K }, NULL }, tensor, block_of, -1, NULL };
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

enum { M = 12, COLUMNS = 4 };

static double step(const double *par, double z, double a) { return soft(z, par[0] / a); }

/* Columns of the two halves of B (M x 2N). */
static void split(const double *B, double *left, double *right)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < COLUMNS; j++) {
            left[i * COLUMNS + j] = B[i * 2 * COLUMNS + j];
            right[i * COLUMNS + j] = B[i * 2 * COLUMNS + COLUMNS + j];
        }
}

static double l1(int n, const double *x)
{
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(x[j]);
    return sum;
}

/* min (1/2)|u|^2 + 0.5 |x_1|_1 + 0.5 |x_2|_1, B_1 x_1 + B_2 x_2 + u = y. */
static void sharing_agrees_with_its_unconstrained_equal(void **state)
{
    double B[M * 2 * COLUMNS], y[M], left[M * COLUMNS], right[M * COLUMNS], x[2 * COLUMNS] = { 0 },
                                                                                  u[M];
    const crease_space space[] = { crease_vector(COLUMNS), crease_vector(COLUMNS),
                                   crease_vector(M) };
    const crease_distance_data loss = { 2, -1, 1, NULL };
    draws d = { { 1, 2 }, 0 };
    (void)state;
    gaussians(&d, M * 2 * COLUMNS, B);
    gaussians(&d, M, y);
    split(B, left, right);
    const crease_block block[] = { { .reg = crease_l1(0.5), .map = crease_dense(left) },
                                   { .reg = crease_l1(0.5), .map = crease_dense(right) },
                                   { .map = crease_identity(1) } };
    const crease_problem p = { 3, space, block, crease_squared_distance(&loss), space[2], y };
    coordinate_descent(M, 2 * COLUMNS, B, y, step, (double[]){ 0.5 }, x, u);
    const double expected = residual_of(M, 2 * COLUMNS, B, y, x, u) / 2 + 0.5 * l1(2 * COLUMNS, x);
    for (int k = 0; k < 3; k++) { /* R2; R1; Theorem 3.18 by the paper's recipe */
        crease_options o = options_to(1e-8);
        o.method = k == 1 ? CREASE_METHOD_ADMM_G : CREASE_METHOD_ADMM_M;
        o.mode = k == 2 ? CREASE_MODE_PAPER : CREASE_MODE_PRACTICAL;
        crease_solver *s = certified(&p, &o);
        assert_close(crease_solver_certificate(s)->objective, expected, 1e-7);
        for (int j = 0; j < 2 * COLUMNS; j++)
            assert_close(crease_solution(s, j / COLUMNS)[j % COLUMNS], x[j], 1e-6);
        assert_true(crease_solver_analysis(s)->guarantee);
        crease_solver_free(s);
    }
}

/* min sum_k (1/2)|B_k x_k - y_k|^2 + 0.3 |z|_1, x_k = z: the stacked regression. */
static void consensus_agrees_with_the_stacked_regression(void **state)
{
    enum { PARTS = 3, ROWS = 5, ALL = PARTS * COLUMNS };
    double B[PARTS * ROWS * COLUMNS], y[PARTS * ROWS],
        big[PARTS * ROWS * ALL] = { 0 }, stack[ALL * COLUMNS] = { 0 };
    double x[COLUMNS] = { 0 }, u[PARTS * ROWS];
    const crease_space space[] = { crease_vector(COLUMNS), crease_vector(ALL) };
    const int last = 1;
    draws d = { { 2, 2 }, 0 };
    (void)state;
    gaussians(&d, PARTS * ROWS * COLUMNS, B);
    gaussians(&d, PARTS * ROWS, y);
    for (int i = 0; i < PARTS * ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            big[i * ALL + i / ROWS * COLUMNS + j] = B[i * COLUMNS + j];
    for (int i = 0; i < ALL; i++) stack[i * COLUMNS + i % COLUMNS] = -1;
    const crease_map map = crease_dense(big);
    const crease_predictor fit = { 1, &last, &map, crease_vector(PARTS * ROWS), y, NULL };
    const crease_block block[] = { { .reg = crease_l1(0.3), .map = crease_dense(stack) },
                                   { .map = crease_identity(1) } };
    const crease_problem p = { 2, space, block, crease_least_squares(&fit), space[1], NULL };
    const crease_options o = options_to(1e-8);
    coordinate_descent(PARTS * ROWS, COLUMNS, B, y, step, (double[]){ 0.3 }, x, u);
    crease_solver *s = certified(&p, &o);
    assert_close(crease_solver_certificate(s)->objective,
                 residual_of(PARTS * ROWS, COLUMNS, B, y, x, u) / 2 + 0.3 * l1(COLUMNS, x), 1e-7);
    for (int j = 0; j < COLUMNS; j++) assert_close(crease_solution(s, 0)[j], x[j], 1e-7);
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
static void only_the_extension_takes_a_rank_deficient_last_block(void **state)
{
    enum { ROWS = 3 };
    double C[ROWS * 2 * COLUMNS], left[ROWS * COLUMNS], right[ROWS * COLUMNS], t[2 * COLUMNS],
        b[ROWS] = { 0 };
    const crease_space space[] = { crease_vector(COLUMNS), crease_vector(COLUMNS) };
    draws d = { { 3, 2 }, 0 };
    (void)state;
    gaussians(&d, ROWS * 2 * COLUMNS, C);
    gaussians(&d, 2 * COLUMNS, t);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            C[i * 2 * COLUMNS + COLUMNS + j] = (double)(i + 1) * (j - 1.5); /* rank 1 */
            left[i * COLUMNS + j] = C[i * 2 * COLUMNS + j];
            right[i * COLUMNS + j] = C[i * 2 * COLUMNS + COLUMNS + j];
            b[i] += C[i * 2 * COLUMNS + j] - C[i * 2 * COLUMNS + COLUMNS + j];
        }
    const crease_distance_data near[] = { { 0, -1, 1, t }, { 1, -1, 1, t + COLUMNS } };
    const crease_smooth term[] = { crease_squared_distance(&near[0]),
                                   crease_squared_distance(&near[1]) };
    const crease_smooth_list list = { 2, term };
    const crease_block block[] = { { .reg = crease_l1(0.2), .map = crease_dense(left) },
                                   { .reg = crease_l1(0.2), .map = crease_dense(right) } };
    const crease_problem p = { 2, space, block, crease_smooth_sum(&list), crease_vector(ROWS), b };
    crease_options o = options_to(1e-6);
    crease_error e;
    for (int k = 0; k < 2; k++) {
        o.method = k ? CREASE_METHOD_ADMM_M : CREASE_METHOD_ADMM_G;
        assert_null(crease_solver_new(&p, &o, &e));
        assert_int_equal(e.code, CREASE_UNSUPPORTED);
    }
    o.method = CREASE_METHOD_EXTENSION;
    crease_solver *s = certified(&p, &o);
    assert_true(crease_solver_certificate(s)->feasibility.residual <= 1e-6);
    const double low = dual(ROWS, 2 * COLUMNS, C, b, t, 0.2, crease_multiplier(s));
    assert_close(crease_solver_certificate(s)->objective, low, 1e-4);
    crease_solver_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratics_on_simplex_and_l1_ball_agree_with_enumeration),
        cmocka_unit_test(indefinite_quadratic_reaches_the_global_corner),
        cmocka_unit_test(farthest_points_of_boxes_are_corners),
        cmocka_unit_test(l0_with_a_box_is_solved_entry_by_entry),
        cmocka_unit_test(the_nuclear_norm_shrinks_singular_values),
        cmocka_unit_test(cp_with_spikes_is_as_good_as_the_truth),
        cmocka_unit_test(factors_in_balls_or_free_are_as_good_as_the_truth),
        cmocka_unit_test(a_rank_one_tensor_reaches_its_norm),
        cmocka_unit_test(sharing_agrees_with_its_unconstrained_equal),
        cmocka_unit_test(consensus_agrees_with_the_stacked_regression),
        cmocka_unit_test(only_the_extension_takes_a_rank_deficient_last_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
