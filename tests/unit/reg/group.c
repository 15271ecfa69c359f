/* SPDX-License-Identifier: MIT
 * group: penalties of the lengths of groups of entries */
#include "support/plane.h"

enum { N = 7 };

static const ptrdiff_t pair_start[] = { 0, 2 }, starts[] = { 0, 1, 4, 7 },
                       order[] = { 6, 2, 0, 5, 1, 4, 3 };
static const crease_groups pair = { 1, pair_start, NULL }, runs = { 3, starts, NULL },
                           mixed = { 3, starts, order };

/* One group of two entries: prox in the plane, and in a ball for every penalty and step. */
static void exact_in_the_plane(void **state)
{
    draws d = { { 40, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++)
        for (int trial = 0; trial < 60; trial++) {
            double par[CREASE_PARS] = { 0 };
            draw_par(&d, penalties[k], 0.5, par);
            const crease_reg r = crease_group(penalties[k], par, &pair);
            const double v[] = { 3 * normal(&d), 3 * normal(&d) };
            crease_reg_traits traits;
            r.ops->traits(&r, &plane, 1, &traits);
            assert_true(traits.ball_step == INFINITY);
            assert_plane_prox(&r, decades(&d, 1), trial % 2 ? uniform(&d, 0.1, 4) : INFINITY, v);
        }
}

/* Each group against the scalar prox of its length; entries gathered by hand. */
static void groups_shrink_their_length(void **state)
{
    draws d = { { 41, 1 }, 0 };
    const crease_space s = crease_vector(N);
    const double weight[] = { 0.5, 0, 3 };
    (void)state;
    for (int trial = 0; trial < 200 * PENALTIES; trial++) {
        double par[CREASE_PARS] = { 0 }, v[N], x[N], g[N], value = 0, total, dist;
        const crease_groups *a = trial % 2 ? &runs : &mixed;
        draw_par(&d, penalties[trial % PENALTIES], 1, par);
        const crease_reg r =
            crease_weighted(crease_group(penalties[trial % PENALTIES], par, a), weight);
        const double t = decades(&d, 1);
        for (int j = 0; j < N; j++) v[j] = normal(&d) * decades(&d, 1);
        assert_true(crease_prox(&r, &s, t, v, x, NULL));
        for (int i = 0; i < 3; i++) {
            double from = 0, to = 0, cross = 0;
            for (ptrdiff_t k = starts[i]; k < starts[i + 1]; k++) {
                const ptrdiff_t j = a->index ? a->index[k] : k;
                from += square(v[j]);
                to += square(x[j]);
                cross += x[j] * v[j];
                assert_false(x[j] == 0 && signbit(x[j]));
            }
            const crs_penalty_value at = scalar_at(&r, i);
            const double wanted = crs_scalar_prox(&at, t, sqrt(from));
            assert_true((wanted == 0) == (to == 0));
            assert_close(sqrt(to), wanted, 1e-13);
            assert_close(cross, sqrt(from * to), 1e-13); /* the same direction */
            value += crs_scalar_value(&at, sqrt(to));
        }
        for (int j = 0; j < N; j++) g[j] = (v[j] - x[j]) / t;
        assert_true(crease_reg_value(&r, &s, x, &total, NULL));
        assert_close(total, value, 1e-12);
        assert_true(crease_reg_dist(&r, &s, x, g, &dist, NULL));
        assert_true(dist <= 1e-12 * crs_norm(N, v) / t);
        assert_true(crease_prox(&r, &s, t, v, v, NULL)); /* in place */
        assert_memory_equal(v, x, sizeof x);
    }
}

/* dist by definition: 0 inside the ball of radius w rho'(0), |g - w rho' x/|x|| elsewhere. */
static void distances(void **state)
{
    const crease_space s = crease_vector(N);
    const double x[N] = { 3, 0, 0, 0, 0, 4, 0 }, g[N] = { 0.6, 3, 4, 0, 0, 0.8, 5 };
    const ptrdiff_t start[] = { 0, 2, 5, 7 }, index[] = { 0, 5, 1, 2, 3, 4, 6 };
    const crease_groups a = { 3, start, index };
    double dist;
    crease_reg r = crease_group_l1(1, &a); /* x/|x| = g in group 1; 5 - 1; 5 - 1 */
    (void)state;
    assert_true(crease_reg_dist(&r, &s, x, g, &dist, NULL));
    assert_close(dist, sqrt(32), 0x1p-50);
    r = crease_group(&crs_capped_l1, (double[]){ 1, 5 }, &a); /* |x_1| at the kink: either end */
    assert_true(crease_reg_dist(&r, &s, x, g, &dist, NULL));
    assert_close(dist, sqrt(32), 0x1p-50);
    r = crease_group(&crs_l0, (double[]){ 1 }, &a);
    assert_true(crease_reg_dist(&r, &s, x, g, &dist, NULL));
    assert_close(dist, 1, 0x1p-50);
    assert_true(crease_reg_dist(&r, &s, (double[N]){ NAN }, g, &dist, NULL) && isnan(dist));
}

static void traits_and_ball(void **state)
{
    draws d = { { 42, 1 }, 0 };
    const crease_space s = crease_vector(N);
    crease_reg_traits traits;
    (void)state;
    for (int k = 0; k < PENALTIES; k++)
        for (int trial = 0; trial < 300; trial++) {
            double par[CREASE_PARS] = { 0 }, x[N], y[N], one, two;
            draw_par(&d, penalties[k], 1, par);
            const crease_reg r = crease_group(penalties[k], par, &mixed);
            const double radius = decades(&d, 1);
            for (int j = 0; j < N; j++) x[j] = trial % 2 ? radius : uniform(&d, -radius, radius);
            for (int j = 0; j < N; j++) y[j] = x[j] * (trial % 2 ? 0.999 : uniform(&d, 0, 1));
            assert_true(crease_reg_describe(&r, &s, radius, &traits, NULL));
            assert_true(crease_reg_value(&r, &s, x, &one, NULL));
            assert_true(crease_reg_value(&r, &s, y, &two, NULL));
            for (int j = 0; j < N; j++) y[j] -= x[j];
            assert_true(fabs(one - two) <= traits.lipschitz * crs_norm(N, y) + 1e-13 * one);
            assert_false(traits.separable);
            const bool homogeneous = penalties[k] == &crs_l1 || penalties[k] == &crs_zero;
            assert_true(traits.ball_step == (homogeneous ? INFINITY : 0));
        }
    const ptrdiff_t single[] = { 0, 1, 2 }; /* two groups of one entry: the separable l1 */
    const crease_groups two = { 2, single, NULL };
    const crease_reg r = crease_group_l1(1, &two);
    for (int trial = 0; trial < 100; trial++)
        assert_plane_prox(&r, decades(&d, 1), decades(&d, 1),
                          (double[]){ 3 * normal(&d), 3 * normal(&d) });
}

static void groups_are_checked(void **state)
{
    const ptrdiff_t late[] = { 1, 7 }, empty[] = { 0, 3, 3, 7 }, brief[] = { 0, 6 };
    const ptrdiff_t far[] = { 0, 1, 2, 3, 4, 5, 7 }, below[] = { 0, 1, 2, -1, 4, 5, 6 },
                    twice[] = { 0, 1, 2, 3, 4, 5, 5 };
    const crease_groups bad[] = { { 0, starts, NULL },  { 1, NULL, NULL },   { 1, late, NULL },
                                  { 3, empty, NULL },   { 1, brief, NULL },  { 3, starts, far },
                                  { 3, starts, below }, { 3, starts, twice } };
    crease_space s = crease_vector(N);
    crease_error e;
    (void)state;
    crease_reg r = crease_group_l1(1, NULL);
    assert_false(crease_reg_check(&r, &s, &e));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        r.groups = &bad[k];
        assert_false(crease_reg_check(&r, &s, &e));
        assert_true(e.code == CREASE_BAD_ARGUMENT || e.code == CREASE_BAD_SHAPE);
        assert_false(crease_reg_check(&r, &s, NULL));
    }
    r = crease_weighted(crease_group_l1(1, &mixed), (double[]){ 1, -1, 1 });
    assert_false(crease_reg_check(&r, &s, &e));
    r = crease_group_l1(1, &mixed);
    assert_true(crease_reg_check(&r, &s, &e));
    const crease_comm comm = { 0 };
    s.comm = &comm;
    assert_false(crease_reg_check(&r, &s, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_in_the_plane), cmocka_unit_test(groups_shrink_their_length),
        cmocka_unit_test(distances),          cmocka_unit_test(traits_and_ball),
        cmocka_unit_test(groups_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
