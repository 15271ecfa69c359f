/* SPDX-License-Identifier: MIT
 * ballquad: quadratics over a ball, dense and diagonal, are minimized: optimality conditions and
 * brute force */
#include "dense/dense.h"
#include "support/arrays.h"
#include "support/test.h"

enum { ROWS = 4, N = 5 };

/* G = A'A with A (rank x N), scaled. */
static void random_gram(draws *d, ptrdiff_t rank, double scale, double *g)
{
    double a[N * N];
    for (ptrdiff_t j = 0; j < rank * N; j++) a[j] = scale * normal(d);
    crs_gram(rank, N, a, g);
}

static bool solve(const double *g, double shift, double radius, double *y)
{
    double *work = unset_doubles(crs_ballquad_scratch(ROWS, N));
    const bool solved = crs_ballquad(ROWS, N, g, shift, radius, y, work);
    free(work);
    return solved;
}

/* gradient Y(G + shift I) - B */
static void gradient(const double *g, double shift, const double *b, const double *y, double *out)
{
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < N; k++) {
            out[i * N + k] = shift * y[i * N + k] - b[i * N + k];
            for (int l = 0; l < N; l++) out[i * N + k] += y[i * N + l] * g[l * N + k];
        }
}

/* gradient = -nu Y with nu >= 0, and nu = 0 inside the ball. */
static void check_optimal(const double *g, double shift, double radius, const double *b,
                          const double *y)
{
    double slope[ROWS * N], norm = crs_norm(ROWS * N, y);
    gradient(g, shift, b, y, slope);
    const double size = crs_norm(ROWS * N, b) + (crs_norm(N * N, g) + shift) * norm;
    const double nu =
        radius < INFINITY ? -crs_dot(ROWS * N, slope, y) / (norm > 0 ? norm * norm : 1) : 0;
    const bool boundary = norm >= radius * (1 - 1e-12);
    assert_true(norm <= radius * (1 + 100 * 0x1p-53));
    if (boundary) {
        assert_true(nu >= -1e-13 * size / norm);
        axpy(ROWS * N, nu, y, slope);
    }
    assert_true(crs_norm(ROWS * N, slope) <= 1e3 * 0x1p-53 * size);
}

static void solutions_are_optimal(void **state)
{
    const double shifts[] = { 1e-3, 1, 1e6 }, radii[] = { 1e-12, 1e-3, 0.5, 2, 1e6, INFINITY };
    draws d = { { 1, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 40; trial++)
        for (size_t s = 0; s < 3; s++)
            for (size_t r = 0; r < 6; r++) {
                double g[N * N], b[ROWS * N], y[ROWS * N];
                random_gram(&d, 1 + trial % N, 1, g);
                for (int j = 0; j < ROWS * N; j++) y[j] = b[j] = normal(&d);
                assert_true(solve(g, shifts[s], radii[r], y));
                check_optimal(g, shifts[s], radii[r], b, y);
            }
}

/* B in the range of a singular G, no shift: the least-norm solution, orthogonal to the kernel. */
static void singular_without_shift(void **state)
{
    const double radii[] = { INFINITY, 1e3, 1e-2 };
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        double g[N * N], c[ROWS * N], b[ROWS * N] = { 0 }, y[ROWS * N], again[ROWS * N] = { 0 };
        random_gram(&d, 1 + trial % (N - 1), 1, g);
        for (int j = 0; j < ROWS * N; j++) c[j] = 0.01 * normal(&d);
        crs_gemm(false, false, ROWS, N, N, 1, c, g, 0, b);
        copy(ROWS * N, b, y);
        assert_true(solve(g, 0, radii[trial % 3], y));
        check_optimal(g, 0, radii[trial % 3], b, y);
        if (radii[trial % 3] < INFINITY) continue;
        for (int j = 0; j < ROWS * N; j++) c[j] = y[j]; /* G^+ G Y = Y */
        crs_gemm(false, false, ROWS, N, N, 1, c, g, 0, again);
        assert_true(solve(g, 0, INFINITY, again));
        axpy(ROWS * N, -1, y, again);
        assert_true(crs_norm(ROWS * N, again) <= 1e-8 * (1 + crs_norm(ROWS * N, y)));
    }
}

static void linear_and_zero(void **state)
{
    const double g[N * N] = { 0 };
    double b[ROWS * N], y[ROWS * N];
    (void)state;
    for (int j = 0; j < ROWS * N; j++) y[j] = b[j] = j - 7;
    assert_true(solve(g, 0, 3, y)); /* no curvature: R B/|B| */
    for (int j = 0; j < ROWS * N; j++)
        assert_close(y[j], 3 * b[j] / crs_norm(ROWS * N, b), 100 * 0x1p-53);
    fill(ROWS * N, 0, y);
    assert_true(solve(g, 0, 3, y));
    for (int j = 0; j < ROWS * N; j++) assert_true(y[j] == 0);
    copy(ROWS * N, b, y);
    assert_true(solve(g, 2, 0, y)); /* the ball is a point */
    for (int j = 0; j < ROWS * N; j++) assert_true(y[j] == 0);
}

static void nan_comes_through(void **state)
{
    draws d = { { 3, 0 }, 0 };
    const double radii[] = { INFINITY, 0.1, 0 };
    (void)state;
    for (int r = 0; r < 3; r++) {
        double g[N * N], y[ROWS * N];
        random_gram(&d, N, 1, g);
        fill(ROWS * N, 1, y);
        y[3] = NAN;
        solve(g, 1, radii[r], y);
        assert_true(isnan(crs_norm(ROWS * N, y)));
        fill(ROWS * N, 1, y);
        g[0] = NAN;
        assert_false(solve(g, 1, radii[r], y));
        assert_true(isnan(crs_norm(ROWS * N, y)));
    }
}

/* Entry by entry the same problem with a diagonal matrix; extreme curvatures. */
static void secular_divisors(void **state)
{
    const double s[] = { 1e-8, -3, 2e8, 0 }, radii[] = { 1e-9, 1, 1e9, 1e14 };
    (void)state;
    for (int r = 0; r < 4; r++) {
        double e[] = { 1e-12, 1e12, 1, 0 }, y[4], sum = 0;
        const double curvature[] = { 1e-12, 1e12, 1, 0 };
        crs_secular(4, s, e, radii[r]);
        for (int k = 0; k < 4; k++) y[k] = s[k] / e[k], sum += square(y[k]);
        assert_true(y[3] == 0);
        const double nu = e[0] - curvature[0];
        for (int k = 0; k < 3; k++) assert_close(e[k], curvature[k] + nu, 4 * 0x1p-53);
        assert_true(nu >= 0);
        if (nu > 0) assert_close(sqrt(sum) / radii[r], 1, 100 * 0x1p-53);
        assert_true(sqrt(sum) <= radii[r] * (1 + 100 * 0x1p-53));
    }
}

enum { ENTRIES = 7 };

/* y is a global minimizer iff (e + nu) y = c for some nu >= 0 with e + nu >= 0, and nu > 0 only
 * on the sphere. */
static void assert_optimal(const double *e, const double *c, double radius, const double *y)
{
    const double norm = crs_norm(ENTRIES, y);
    const bool inside = norm < radius * (1 - 1e-10);
    double least = e[0], most = 0, nu = 0, scale = 0;
    assert_true(norm <= radius * (1 + 8 * 0x1p-53));
    for (int j = 0; j < ENTRIES; j++) {
        least = smaller(least, e[j]);
        scale = larger(scale, fabs(e[j]) + fabs(c[j]) / radius);
        if (inside || fabs(y[j]) <= most) continue;
        most = fabs(y[j]);
        nu = (c[j] - e[j] * y[j]) / y[j]; /* best known from the largest entry */
    }
    assert_true(nu >= -1e-13 * scale && least + nu >= -1e-13 * scale);
    for (int j = 0; j < ENTRIES; j++)
        assert_true(fabs((e[j] + nu) * y[j] - c[j]) <=
                    1e-12 * (fabs(c[j]) + (fabs(e[j]) + fabs(nu)) * most));
}

static void steps_are_optimal(void **state)
{
    draws d = { { 1, 0 }, 0 };
    const crease_space s = crease_vector(ENTRIES);
    (void)state;
    for (int k = 0; k < 20000; k++) {
        double e[ENTRIES], c[ENTRIES], y[ENTRIES];
        const double span = pow(10, uniform(&d, -6, 6)), radius = pow(10, uniform(&d, -6, 6));
        const double shift = k % 3 == 0 ? 0 : k % 3 == 1 ? span * 3 : -span;
        for (int j = 0; j < ENTRIES; j++) {
            e[j] = k % 5 == 0 ? span : span * normal(&d) + shift;
            c[j] = pow(10, uniform(&d, -6, 6)) * (k % 7 == 0 && j < 3 ? 0 : normal(&d));
        }
        if (k % 11 == 0) e[1] = e[0];
        assert_true(crs_ball_diagonal(&s, e, c, radius, y));
        assert_optimal(e, c, radius, y);
        assert_true(crs_ball_diagonal(&s, e, c, radius, c)); /* in place */
        for (int j = 0; j < ENTRIES; j++) assert_true(c[j] == y[j]);
    }
}

static void hard_case_fills_the_ball(void **state)
{
    const crease_space s = crease_vector(3);
    const double e[] = { -2, 1, 3 }, c[] = { 0, 0.3, -0.5 };
    double y[3];
    (void)state;
    assert_true(crs_ball_diagonal(&s, e, c, 1, y));
    assert_close(crs_norm(3, y), 1, 4 * 0x1p-53);
    assert_close(y[1], 0.3 / 3, 4 * 0x1p-53);
    assert_close(y[2], -0.5 / 5, 4 * 0x1p-53);
    const double zero[] = { 0, 0, 0 };
    assert_true(crs_ball_diagonal(&s, e, zero, 2, y));
    assert_true(fabs(y[0]) == 2 && y[1] == 0 && y[2] == 0);
}

static void no_minimizer_is_said(void **state)
{
    const crease_space s = crease_vector(2);
    const double convex[] = { 0, 2 }, concave[] = { -1, 2 }, c[] = { 1, 1 }, flat[] = { 0, 1 };
    const double bad[] = { NAN, 1 };
    double y[2];
    (void)state;
    assert_false(crs_ball_diagonal(&s, convex, c, INFINITY, y));
    assert_false(crs_ball_diagonal(&s, concave, flat, INFINITY, y));
    assert_true(crs_ball_diagonal(&s, convex, flat, INFINITY, y));
    assert_true(y[0] == 0 && y[1] == 0.5);
    assert_true(crs_ball_diagonal(&s, convex, c, 0, y) && y[0] == 0 && y[1] == 0);
    assert_true(crs_ball_diagonal(&s, bad, c, 1, y) && isnan(y[0]));
    assert_true(crs_ball_diagonal(&s, convex, bad, 1, y) && isnan(y[0]) && isnan(y[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_are_optimal),    cmocka_unit_test(singular_without_shift),
        cmocka_unit_test(linear_and_zero),          cmocka_unit_test(nan_comes_through),
        cmocka_unit_test(secular_divisors),         cmocka_unit_test(steps_are_optimal),
        cmocka_unit_test(hard_case_fills_the_ball), cmocka_unit_test(no_minimizer_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
