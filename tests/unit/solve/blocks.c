/* SPDX-License-Identifier: MIT
 * solver_sets: quadratics on boxes, simplices and balls, against enumeration */
#include "support/solving.h"

enum { N = 5 };

static const int zero = 0;
static double Q[N * N], q[N];
static const double *const matrix = Q, *const linear = q;
static const crease_quadratic_data quadratic = { 1, &zero, &zero, &matrix, &linear, 1 };
static const crease_space space = { 1, { N }, NULL };

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
    const crease_problem p = { 1, &space, &block, crease_quadratic(&quadratic), { 0 }, NULL };
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

static void quadratic_on_simplex_and_l1_ball(void **state)
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
static void farthest_points(void **state)
{
    const crease_set left = crease_box(0, 1), right = crease_box(-2, 0.5);
    const crease_space spaces[] = { space, space };
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
static void l0_with_a_box(void **state)
{
    const double d[N] = { 3, -0.2, 0.1, -4, 0.9 }, lambda = 0.2;
    const double start[N] = { 3, -0.3, 0.2, -3, 0.7 }; /* 0 and d are stationary themselves */
    const crease_set box = crease_box(-1, 2);
    const crease_distance_data near = { 0, -1, 1, d };
    const crease_block block = { .reg = crease_l0(lambda), .set = &box, .start = start };
    const crease_problem p = { 1, &space, &block, crease_squared_distance(&near), { 0 }, NULL };
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadratic_on_simplex_and_l1_ball),
        cmocka_unit_test(indefinite_quadratic_reaches_the_global_corner),
        cmocka_unit_test(farthest_points),
        cmocka_unit_test(l0_with_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
