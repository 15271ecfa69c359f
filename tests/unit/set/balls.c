/* SPDX-License-Identifier: MIT
 * balls: diameters of the curved sets, sets that coincide, what a projection keeps */
#include "support/set_test.h"

enum { N = 9 };

/* No two sampled points are further apart than the diameter, and the two given ones are not
 * nearer: they attain it. */
static void assert_diameter(crease_set set, double p, const double *x, draws *d)
{
    const crease_space s = crease_vector(N);
    const crease_set *c = &set;
    double value, y[N], g[N], minus[N];
    assert_true(crease_diameter(c, &s, p, &value, NULL));
    assert_inside(c, &s, x);
    for (int j = 0; j < N; j++) minus[j] = -x[j];
    assert_close(distance(N, p, x, minus), value, 8 * N * 0x1p-53);
    for (int trial = 0; trial < 200; trial++) {
        double z[N];
        for (int j = 0; j < N; j++) g[j] = normal(d) * (trial % 3 == 0 || j % 3 == 0 ? 1 : 0.1);
        assert_true(crease_lmo(c, &s, g, y, NULL));
        for (int j = 0; j < N; j++) g[j] = normal(d);
        assert_true(crease_lmo(c, &s, g, z, NULL));
        assert_at_most(distance(N, p, y, z), value * (1 + 8 * N * 0x1p-53));
    }
}

static void flat_point(int entries, double norm_power, double R, double *x)
{
    for (int j = 0; j < N; j++) x[j] = j < entries ? R * pow(entries, -1 / norm_power) : 0;
}

static void diameters_of_balls(void **state)
{
    static const double powers[] = { 1, 1.2, 1.5, 2, 3, 5 }, exponents[] = { 1.2, 1.5, 2, 3, 8 };
    draws d = { .r = { .seed = 31 } };
    double x[N];
    (void)state;
    for (int i = 0; i < 6; i++) {
        const double p = powers[i];
        for (int k = 0; k < 5; k++) { /* all entries equal, or one alone */
            flat_point(p < exponents[k] ? N : 1, exponents[k], 2, x);
            assert_diameter(crease_lp_ball(2, exponents[k]), p, x, &d);
        }
        flat_point(p < 2 ? N : 1, 2, 2, x);
        assert_diameter(crease_l2_ball(2), p, x, &d);
        flat_point(p < 2 ? 4 : 1, 2, 2, x);
        assert_diameter(crease_k_support(2, 4), p, x, &d);
    }
}

static void assert_same(crease_set a, crease_set b, const double *v, bool project)
{
    const crease_space s = crease_vector(N);
    double x[N], y[N];
    const double size = roundoff(&s) * (1 + crs_norm(N, v));
    assert_true((excess_of(&a, &s, v) > 0) == (excess_of(&b, &s, v) > 0));
    assert_close(support_of(&a, &s, v), support_of(&b, &s, v), size);
    assert_true(crease_lmo(&a, &s, v, x, NULL) && crease_lmo(&b, &s, v, y, NULL));
    for (int j = 0; j < N; j++) assert_close(x[j], y[j], size);
    if (!project) return;
    assert_true(crease_project(&a, &s, v, x, NULL) && crease_project(&b, &s, v, y, NULL));
    for (int j = 0; j < N; j++) assert_close(x[j], y[j], size);
}

static void sets_that_coincide(void **state)
{
    const double unit[N] = { 0, 0, 2, 0 }, three[N] = { 0, 1, 0, 1, 0, 1 };
    draws d = { .r = { .seed = 33 } };
    (void)state;
    for (int trial = 0; trial < 200; trial++) {
        double v[N];
        for (int j = 0; j < N; j++) v[j] = (1 + trial % 4) * normal(&d);
        assert_same(crease_lp_ball(2, 2), crease_l2_ball(2), v, true);
        assert_same(crease_k_sparse(2, 1), crease_l1_ball(2), v, true);
        assert_same(crease_k_sparse(2, N), crease_linf_ball(2), v, true);
        assert_same(crease_box(-2, 2), crease_linf_ball(2), v, true);
        assert_same(crease_k_support(2, 1), crease_l1_ball(2), v, false);
        assert_same(crease_k_support(2, N), crease_l2_ball(2), v, false);
        const crease_set a = crease_permutahedron(unit), b = crease_permutahedron(three);
        const crease_set simplex = crease_simplex(2), capped = crease_capped_simplex(3);
        const crease_space s = crease_vector(N);
        double x[N], y[N];
        assert_true(crease_project(&a, &s, v, x, NULL) && crease_project(&simplex, &s, v, y, NULL));
        for (int j = 0; j < N; j++) assert_close(x[j], y[j], roundoff(&s));
        assert_true(crease_project(&b, &s, v, x, NULL) && crease_project(&capped, &s, v, y, NULL));
        for (int j = 0; j < N; j++) assert_close(x[j], y[j], roundoff(&s));
    }
}

/* Zeros of v stay zeros, and a point inside is returned bit by bit. */
static void projections_keep_what_they_should(void **state)
{
    const double v[N] = { 3, 0, -2, 0, 1e-9, 0, 5, 0, 0 }, in[N] = { 0.1, -0.2, 0, 0.05, -0.1 };
    const crease_set sets[] = {
        crease_l1_ball(1),    crease_k_sparse(1, 2), crease_lp_ball(1, 1.5),
        crease_lp_ball(1, 3), crease_l2_ball(1),     crease_full_simplex(1)
    };
    const crease_space s = crease_vector(N);
    double x[N];
    (void)state;
    for (int i = 0; i < 6; i++) {
        assert_true(crease_project(&sets[i], &s, v, x, NULL));
        for (int j = 0; j < N; j++) assert_true(v[j] != 0 || x[j] == 0);
        if (i == 5) break;
        assert_true(crease_project(&sets[i], &s, in, x, NULL));
        assert_memory_equal(x, in, sizeof x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diameters_of_balls),
        cmocka_unit_test(sets_that_coincide),
        cmocka_unit_test(projections_keep_what_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
