/* SPDX-License-Identifier: MIT
 * set_excess: by how much a point violates a set, by hand and by the k-support norm */
#include "support/set_test.h"

enum { N = 9 };

static void expect(crease_set c, double x, double y, double z, double expected)
{
    const crease_space s = crease_vector(3);
    assert_close(excess_of(&c, &s, (double[]){ x, y, z }), expected, 8 * 0x1p-53);
}

static void balls_and_boxes(void **state)
{
    (void)state;
    expect(crease_box(-1, 2), -1, 2, 0, 0);
    expect(crease_box(-1, 2), -4, 0, 3, 3);
    expect(crease_box(-1, 2), -4, 0, 7, 5);
    expect(crease_orthant(), 9, -2, -1, 2);
    expect(crease_linf_ball(1), 1, -4, 2, 3);
    expect(crease_l1_ball(2), 1, -4, 2, 5);
    expect(crease_l2_ball(2), 3, -4, 0, 3);
    expect(crease_lp_ball(2, 3), 3, -4, 5, 4); /* 27 + 64 + 125 = 216 */
    expect(crease_k_support(1, 2), 3, -4, 0, 4);
}

static void polytopes(void **state)
{
    const double a[] = { 1, 0, 2 };
    (void)state;
    expect(crease_simplex(2), 1, 0.5, 0.5, 0);
    expect(crease_simplex(2), 3, 0.5, -1.5, 1.5);
    expect(crease_simplex(2), 0.5, 0, 0, 1.5);
    expect(crease_simplex(2), 4, 1, 0, 3);
    expect(crease_full_simplex(2), 0.5, 0, 0, 0);
    expect(crease_full_simplex(2), 4, 1, 0, 3);
    expect(crease_full_simplex(2), 0.5, 0, -1, 1);
    expect(crease_capped_simplex(2), 1, 0.5, 0.5, 0);
    expect(crease_capped_simplex(2), 1, 0, 0, 1);
    expect(crease_capped_simplex(2), 1.75, 0.5, -0.25, 0.75);
    expect(crease_k_sparse(2, 2), 2, -1, 1, 0);
    expect(crease_k_sparse(2, 2), 2.5, -1, 0, 0.5);
    expect(crease_k_sparse(2, 2), 2, -2, 1.5, 1.5);
    expect(crease_permutahedron(a), 1, 1, 1, 0);
    expect(crease_permutahedron(a), 0.25, 0.5, 2.25, 0.25);
    expect(crease_permutahedron(a), 0, 0, 0, 3);
    expect(crease_permutahedron(a), 2, 2, 1, 2);
}

/* The k-support norm squared is min sum x_j^2/theta_j over 0 < theta_j <= 1, sum theta <= k; the
 * minimum has theta_j = min(1, |x_j|/level). */
static double k_support_norm(int n, int k, const double *x)
{
    double low = 0, high = 0, sum = 0;
    for (int j = 0; j < n; j++) high += fabs(x[j]);
    for (int step = 0; step < 2000 && low < high; step++) {
        const double mid = low + (high - low) / 2;
        double theta = 0;
        for (int j = 0; j < n; j++) theta += fabs(x[j]) >= mid ? x[j] != 0 : fabs(x[j]) / mid;
        if (mid <= low || mid >= high) break;
        if (theta > k)
            low = mid;
        else
            high = mid;
    }
    for (int j = 0; j < n; j++)
        if (x[j] != 0) sum += fabs(x[j]) * larger(fabs(x[j]), high);
    return sqrt(sum);
}

static void k_support_excess_is_the_norm(void **state)
{
    draws d = { .r = { .seed = 32 } };
    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        const int n = 1 + trial % N, k = 1 + (trial / N) % N;
        const crease_space s = crease_vector(n);
        const crease_set ball = crease_k_support(1e-12, k), *c = &ball;
        double x[N], w[N];
        for (int j = 0; j < n; j++) {
            x[j] = trial % 2 ? normal(&d) : floor(uniform(&d, -2, 3));
            w[j] = normal(&d) * (j % 2 ? 1 : fabs(x[j]));
        }
        const double norm = k_support_norm(n, k, x);
        assert_close(excess_of(c, &s, x), pos(norm - 1e-12), 8 * N * 0x1p-53);
        const double dual = support_of(c, &s, w) / 1e-12; /* <w, x> <= dual norm * norm */
        assert_at_most(crs_dot(n, w, x), dual * norm * (1 + 8 * N * 0x1p-53));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_and_boxes),
        cmocka_unit_test(polytopes),
        cmocka_unit_test(k_support_excess_is_the_norm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
