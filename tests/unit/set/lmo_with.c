/* SPDX-License-Identifier: MIT
 * lmo_with: the generalized linear oracle answers with a point of the set whose value it states,
 * and no other point of the set has a smaller one */
#include "support/pairs.h"

/* What must be there. */
static const char *const vector_pairs[] = {
    "zero: box l1-ball l2-ball linf-ball lp-ball simplex full-simplex capped-simplex k-sparse "
    "k-support permutahedron",
    "squared-l2: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex "
    "capped-simplex k-sparse permutahedron",
    "l1: box l1-ball l2-ball linf-ball lp-ball simplex full-simplex capped-simplex k-sparse "
    "k-support permutahedron",
    "elastic-net: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex",
    "weighted-l1: box l1-ball l2-ball linf-ball lp-ball simplex full-simplex",
    "nonneg: simplex full-simplex capped-simplex l2-ball l1-ball",
    "nonneg-l1: simplex full-simplex capped-simplex l2-ball l1-ball linf-ball",
    "group-l1: l2-ball",
    "tv1d: l2-ball",
    "box: simplex full-simplex capped-simplex permutahedron",
    NULL,
};
static const char *const matrix_pairs[] = {
    "spectral-zero: nuclear-ball spectral-ball l2-ball spectrahedron birkhoff box",
    "nuclear: nuclear-ball spectral-ball l2-ball",
    "spectral-squared-l2: nuclear-ball spectral-ball l2-ball spectrahedron box",
    "spectral-elastic-net: nuclear-ball spectral-ball l2-ball",
    "l1: l2-ball box birkhoff",
    NULL,
};

static double objective(const crease_reg *r, const crease_space *s, const double *g,
                        const double *y)
{
    return crease_dot(s, g, y) + r->ops->value(r, s, y, work);
}

/* A point of the set: a vertex, the projection of a point near y, or one between y and these. */
static void sample(draws *d, int k, const crease_set *c, const crease_space *s, const double *y,
                   double *p)
{
    const ptrdiff_t n = crease_size(s);
    const double width = pow(10, -(k / 4) % 7), part = k % 2 ? 1 : uniform(d, 0, 1) * width;
    for (ptrdiff_t j = 0; j < n; j++) p[j] = normal(d);
    if (c->ops->project && k % 4 < 2) {
        for (ptrdiff_t j = 0; j < n; j++) p[j] = y[j] + width * p[j];
        c->ops->project(c, s, p, p, work);
    } else if (c->ops->compact || c->ops->diameter(c, s, 2) < INFINITY) {
        c->ops->lmo(c, s, p, p, work);
    } else {
        c->ops->project(c, s, p, p, work);
    }
    for (ptrdiff_t j = 0; j < n; j++) p[j] = y[j] + part * (p[j] - y[j]);
}

static void assert_least(draws *d, const crease_reg *r, const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = crease_size(s);
    double g[4], y[4], p[4];
    for (ptrdiff_t j = 0; j < n; j++) g[j] = 1.2 * normal(d);
    assert_true(crease_lmo_with_scratch(c, r, s) <= WORK);
    const double least = crease_lmo_with(c, r, s, g, y, work);
    assert_true(c->ops->excess(c, s, y, work) <= 100 * DBL_EPSILON);
    assert_close(least, objective(r, s, g, y), 100 * DBL_EPSILON);
    for (int k = 0; k < 200; k++) {
        sample(d, k, c, s, y, p);
        if (!(least <= objective(r, s, g, p) + 1e-13))
            fail_msg("%s on %s: %.17g > %.17g", r->ops->name, c->ops->name, least,
                     objective(r, s, g, p));
    }
    copy(n, g, p); /* y may be g */
    const double again = crease_lmo_with(c, r, s, p, p, work);
    assert_true(again == least);
    assert_memory_equal(p, y, (size_t)n * sizeof *y);
    g[0] = NAN;
    assert_true(isnan(crease_lmo_with(c, r, s, g, y, work)));
}

static bool check(const crease_reg *r, const crease_set *c, const crease_space *s, crease_error *e)
{
    return crease_lmo_with_check(c, r, s, e);
}

static void vectors(void **state)
{
    const question q = { check, assert_least, vector_pairs, 20 };
    (void)state;
    ask_all(6, &q, false);
}

static void matrices(void **state)
{
    const question q = { check, assert_least, matrix_pairs, 20 };
    (void)state;
    ask_all(6, &q, true);
}

/* lambda = 0 is the plain oracle; a large lambda brings y to 0 where 0 is in the set. */
static void extreme_weights(void **state)
{
    static named_set sets[MOST_SETS];
    draws d = { { 6, 3 }, 0 };
    const int count = vector_sets(sets);
    const crease_space s = crease_vector(2);
    const crease_reg none[] = { crease_l1(0), crease_squared_l2(0), crease_elastic_net(0, 0),
                                crease_tv1d(0), crease_group_l1(0, &apart) };
    const crease_reg much[] = { crease_l1(1e12), crease_squared_l2(1e12),
                                crease_elastic_net(1e12, 1e-12) };
    (void)state;
    for (int i = 0; i < count; i++) {
        const crease_set *c = &sets[i].c;
        if (!(c->ops->diameter(c, &s, 2) < INFINITY)) continue;
        double g[2] = { normal(&d), normal(&d) }, y[2], plain[2], zero[2] = { 0, 0 };
        c->ops->lmo(c, &s, g, plain, work);
        for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
            assert_true(crease_lmo_with_check(c, &none[k], &s, NULL));
            const double least = crease_lmo_with(c, &none[k], &s, g, y, work);
            assert_memory_equal(y, plain, sizeof y);
            assert_close(least, crease_dot(&s, g, y), 0);
        }
        if (c->ops->excess(c, &s, zero, work) > 0) continue;
        for (size_t k = 0; k < sizeof much / sizeof *much; k++) {
            if (!crease_lmo_with_check(c, &much[k], &s, NULL)) continue;
            const double least = crease_lmo_with(c, &much[k], &s, g, y, work);
            assert_true(least <= 0 && crs_norm(2, y) <= 1e-11);
        }
    }
}

/* The closed forms of the nuclear norm at sizes where no grid reaches. */
static void nuclear_closed_forms(void **state)
{
    draws d = { { 6, 4 }, 0 };
    const crease_space s = crease_matrix(5, 3);
    const crease_reg r = crease_nuclear(1.1);
    const crease_set ball[] = { crease_nuclear_ball(2), crease_spectral_ball(2),
                                crease_l2_ball(2) };
    (void)state;
    for (int k = 0; k < 300; k++) {
        double g[15], y[15], p[15];
        for (int j = 0; j < 15; j++) g[j] = normal(&d);
        const crease_set *c = &ball[k % 3];
        assert_true(crease_lmo_with_check(c, &r, &s, NULL));
        const double least = crease_lmo_with(c, &r, &s, g, y, work);
        assert_close(least, objective(&r, &s, g, y), 1000 * DBL_EPSILON);
        for (int j = 0; j < 40; j++) {
            sample(&d, j, c, &s, y, p);
            assert_true(least <= objective(&r, &s, g, p) + 1e-13 * (1 + fabs(least)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(matrices),
        cmocka_unit_test(extreme_weights),
        cmocka_unit_test(nuclear_closed_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
