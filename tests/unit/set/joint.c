/* SPDX-License-Identifier: MIT
 * joint: a regularizer and a set together. The joint prox lies in the set and beats every other
 * point of it; the generalized linear oracle answers with a point of the set whose value it states,
 * and no other has a smaller one; pairs without an exact rule are refused by name */
#include "support/pairs.h"

/* What must be there. */
static const char *const prox_vector_pairs[] = {
    "zero: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex capped-simplex "
    "k-sparse permutahedron half-space hyperplane box-hyperplane soc capped-soc l0-ball",
    "squared-l2: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex "
    "capped-simplex k-sparse permutahedron half-space hyperplane box-hyperplane soc capped-soc "
    "l0-ball",
    "l1: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex capped-simplex "
    "k-sparse permutahedron half-space hyperplane box-hyperplane",
    "elastic-net: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex "
    "capped-simplex k-sparse permutahedron half-space hyperplane box-hyperplane",
    "weighted-l1: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex "
    "capped-simplex k-sparse half-space hyperplane box-hyperplane",
    "l0: box nonneg linf-ball l2-ball",
    "scad: box nonneg linf-ball l2-ball l1-ball simplex full-simplex capped-simplex half-space "
    "hyperplane box-hyperplane",
    "mcp: box nonneg linf-ball l2-ball l1-ball simplex full-simplex capped-simplex half-space "
    "hyperplane box-hyperplane",
    "lsp: box nonneg linf-ball l2-ball l1-ball simplex full-simplex capped-simplex half-space "
    "hyperplane box-hyperplane",
    "capped-l1: box nonneg linf-ball",
    "lq: box nonneg linf-ball",
    "huber: box nonneg linf-ball l2-ball l1-ball simplex full-simplex capped-simplex half-space "
    "hyperplane box-hyperplane",
    "nonneg: box nonneg linf-ball l2-ball l1-ball lp-ball simplex full-simplex capped-simplex",
    "nonneg-l1: box nonneg linf-ball l2-ball l1-ball lp-ball simplex full-simplex",
    "group-l1: l2-ball",
    "group-scad: l2-ball",
    "tv1d: l2-ball",
    "box: box nonneg linf-ball",
    NULL,
};
static const char *const prox_matrix_pairs[] = {
    "spectral-zero: nuclear-ball spectral-ball l2-ball spectrahedron box psd capped-psd "
    "column-balls row-balls rank-ball",
    "nuclear: nuclear-ball spectral-ball l2-ball",
    "rank: spectral-ball l2-ball",
    "spectral-scad: spectral-ball l2-ball",
    "spectral-squared-l2: nuclear-ball spectral-ball l2-ball spectrahedron box psd capped-psd "
    "column-balls row-balls rank-ball",
    "spectral-elastic-net: nuclear-ball spectral-ball l2-ball",
    "l1: l2-ball box column-balls row-balls",
    NULL,
};

static double prox_objective(const crease_reg *r, const crease_space *s, double t, const double *v,
                             const double *x)
{
    double sum = r->ops->value(r, s, x, work);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) sum += square(x[j] - v[j]) / (2 * t);
    return sum;
}

/* Points of the set around `centre`, one a call: the projections of a grid in the plane, or of
 * random points. */
static double best_around(draws *d, const crease_reg *r, const crease_set *c, const crease_space *s,
                          double t, const double *v, double *centre, double width)
{
    enum { GRID = 12 };
    const ptrdiff_t n = crease_size(s);
    double least = INFINITY, best[4], y[4];
    for (int k = 0; k < (GRID + 1) * (GRID + 1); k++) {
        for (ptrdiff_t j = 0; j < n; j++)
            y[j] = centre[j] + width * (n > 2    ? normal(d)
                                        : j == 0 ? (double)(k % (GRID + 1)) / GRID - 0.5
                                                 : (double)(k / (GRID + 1)) / GRID - 0.5);
        if (k == 0) fill(n, 0, y);
        c->ops->project(c, s, y, y, work);
        const double value = prox_objective(r, s, t, v, y);
        if (value < least) least = value, copy(n, y, best);
    }
    if (least < INFINITY) copy(n, best, centre);
    return least;
}

static void assert_joint(draws *d, const crease_reg *r, const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = crease_size(s);
    double v[4], x[4], centre[4] = { 0 }, least = INFINITY, excess, most = NAN;
    assert_true(crease_joint_check(r, c, s, &most, NULL) && most > 0);
    const double t = smaller(uniform(d, 0.05, 2), 0.9 * most);
    for (ptrdiff_t j = 0; j < n; j++) v[j] = 1.3 * normal(d);
    assert_true(crease_joint_scratch(r, c, s) <= WORK);
    crease_joint_prox(r, c, s, t, v, x, work);
    excess = c->ops->excess(c, s, x, work);
    assert_true(excess <= 100 * DBL_EPSILON);
    const double value = prox_objective(r, s, t, v, x);
    for (double width = 4; width > 1e-6; width /= 5)
        least = smaller(least, best_around(d, r, c, s, t, v, centre, width));
    copy(n, x, centre);
    for (double width = 0.1; width > 1e-8; width /= 10)
        least = smaller(least, best_around(d, r, c, s, t, v, centre, width));
    /* a candidate may leave the set by rounding, and gain that much times the slope */
    if (!(value <= least + 1e-13 * (1 + 1 / t)))
        fail_msg("%s on %s, t = %g: %.17g > %.17g", r->ops->name, c->ops->name, t, value, least);

    crease_joint_prox(r, c, s, t, v, v, work);
    assert_memory_equal(v, x, (size_t)n * sizeof *x);
    v[n - 1] = NAN;
    crease_joint_prox(r, c, s, t, v, x, work);
    bool any = false;
    for (ptrdiff_t j = 0; j < n; j++) any |= isnan(x[j]);
    assert_true(any);
}

static bool prox_check(const crease_reg *r, const crease_set *c, const crease_space *s,
                       crease_error *e)
{
    return crease_joint_check(r, c, s, NULL, e);
}

static void joint_prox_of_vectors_is_in_the_set_and_unbeaten(void **state)
{
    const question q = { prox_check, assert_joint, prox_vector_pairs, 3 };
    (void)state;
    ask_all(5, &q, false);
}

static void joint_prox_of_matrices_is_in_the_set_and_unbeaten(void **state)
{
    const question q = { prox_check, assert_joint, prox_matrix_pairs, 3 };
    (void)state;
    ask_all(5, &q, true);
}

/* A table of one's own needs no registration: what it offers is used. */
static void joint_prox_uses_what_an_own_table_offers(void **state)
{
    crease_reg_ops own = crs_separable_ops;
    crease_reg r = crease_scad(0.5, 3), mine = r;
    const crease_space s = crease_vector(2);
    const crease_set box = crease_box(-0.4, 0.9), ball = crease_l2_ball(0.8);
    const double v[] = { 1.2, -0.3 };
    double x[2], y[2], most;
    (void)state;
    own.name = "own";
    mine.ops = &own;
    for (int k = 0; k < 2; k++) {
        const crease_set *c = k ? &ball : &box;
        assert_true(crease_joint_check(&mine, c, &s, &most, NULL));
        assert_true(k ? most == 2 : most == INFINITY); /* 1/weak convexity = a - 1 */
        crease_joint_prox(&mine, c, &s, 0.5, v, x, work);
        crease_joint_prox(&r, c, &s, 0.5, v, y, work);
        assert_memory_equal(x, y, sizeof x);
    }
    own.prox_box = NULL, own.prox_ball = NULL;
    assert_false(crease_joint_check(&mine, &box, &s, NULL, NULL));
    const crease_reg doubled = crease_scaled(4, &r);
    assert_true(crease_joint_check(&doubled, &ball, &s, &most, NULL) && most == 0.5);
}

/* What must be there. */
static const char *const lmo_vector_pairs[] = {
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
static const char *const lmo_matrix_pairs[] = {
    "spectral-zero: nuclear-ball spectral-ball l2-ball spectrahedron birkhoff box",
    "nuclear: nuclear-ball spectral-ball l2-ball",
    "spectral-squared-l2: nuclear-ball spectral-ball l2-ball spectrahedron box",
    "spectral-elastic-net: nuclear-ball spectral-ball l2-ball",
    "l1: l2-ball box birkhoff",
    NULL,
};

static double lmo_objective(const crease_reg *r, const crease_space *s, const double *g,
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
    assert_close(least, lmo_objective(r, s, g, y), 100 * DBL_EPSILON);
    for (int k = 0; k < 200; k++) {
        sample(d, k, c, s, y, p);
        if (!(least <= lmo_objective(r, s, g, p) + 1e-13))
            fail_msg("%s on %s: %.17g > %.17g", r->ops->name, c->ops->name, least,
                     lmo_objective(r, s, g, p));
    }
    copy(n, g, p); /* y may be g */
    const double again = crease_lmo_with(c, r, s, p, p, work);
    assert_true(again == least);
    assert_memory_equal(p, y, (size_t)n * sizeof *y);
    g[0] = NAN;
    assert_true(isnan(crease_lmo_with(c, r, s, g, y, work)));
}

static bool lmo_check(const crease_reg *r, const crease_set *c, const crease_space *s,
                      crease_error *e)
{
    return crease_lmo_with_check(c, r, s, e);
}

static void oracle_on_vectors_is_in_the_set_and_least(void **state)
{
    const question q = { lmo_check, assert_least, lmo_vector_pairs, 20 };
    (void)state;
    ask_all(6, &q, false);
}

static void oracle_on_matrices_is_in_the_set_and_least(void **state)
{
    const question q = { lmo_check, assert_least, lmo_matrix_pairs, 20 };
    (void)state;
    ask_all(6, &q, true);
}

/* lambda = 0 is the plain oracle; a large lambda brings y to 0 where 0 is in the set. */
static void oracle_with_no_weight_is_plain_and_with_much_is_zero(void **state)
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
static void oracle_of_the_nuclear_norm_is_least_on_larger_matrices(void **state)
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
        assert_close(least, lmo_objective(&r, &s, g, y), 1000 * DBL_EPSILON);
        for (int j = 0; j < 40; j++) {
            sample(&d, j, c, &s, y, p);
            assert_true(least <= lmo_objective(&r, &s, g, p) + 1e-13 * (1 + fabs(least)));
        }
    }
}

/* A user's own sets: the segment from 0 to (1, 2); |x_1| <= 1, |x_2| <= 1/2; a disc. */
static void to_segment(const crease_set *c, const crease_space *s, const double *v, double *x,
                       double *scratch)
{
    const double a = clip((v[0] + 2 * v[1]) / 5, 0, 1);
    (void)c, (void)s, (void)scratch;
    x[0] = a, x[1] = 2 * a;
}

static double off_segment(const crease_set *c, const crease_space *s, const double *x,
                          double *scratch)
{
    double p[2];
    to_segment(c, s, x, p, scratch);
    return hypot(x[0] - p[0], x[1] - p[1]);
}

static void end_of_segment(const crease_set *c, const crease_space *s, const double *g, double *y,
                           double *scratch)
{
    const double slope = g[0] + 2 * g[1];
    (void)c, (void)s, (void)scratch;
    y[0] = slope < 0 ? 1 : 0 * slope, y[1] = 2 * y[0];
}

static void range_of_segment(const crease_set *c, const crease_space *s, double *low, double *high)
{
    (void)c, (void)s;
    *low = 0, *high = 2;
}

static void to_rectangle(const crease_set *c, const crease_space *s, const double *v, double *x,
                         double *scratch)
{
    (void)c, (void)s, (void)scratch;
    x[0] = clip(v[0], -1, 1), x[1] = clip(v[1], -0.5, 0.5);
}

static double off_rectangle(const crease_set *c, const crease_space *s, const double *x,
                            double *scratch)
{
    double p[2];
    to_rectangle(c, s, x, p, scratch);
    return hypot(x[0] - p[0], x[1] - p[1]);
}

static void corner_of_rectangle(const crease_set *c, const crease_space *s, const double *g,
                                double *y, double *scratch)
{
    (void)c, (void)s, (void)scratch;
    y[0] = isnan(g[0]) ? g[0] : g[0] > 0 ? -1 : 1;
    y[1] = isnan(g[1]) ? g[1] : g[1] > 0 ? -0.5 : 0.5;
}

static double own_diameter(const crease_set *c, const crease_space *s, double p)
{
    (void)c, (void)s, (void)p;
    return 3;
}

static const crease_set_ops segment = {
    .name = "segment",
    .compact = true,
    .nonnegative = true,
    .range = range_of_segment,
    .excess = off_segment,
    .project = to_segment,
    .lmo = end_of_segment,
    .diameter = own_diameter,
};
static const crease_set_ops rectangle = {
    .name = "rectangle",
    .compact = true,
    .solid = true,
    .excess = off_rectangle,
    .project = to_rectangle,
    .lmo = corner_of_rectangle,
    .diameter = own_diameter,
};

static void own_sets_follow_the_rules_of_their_traits(void **state)
{
    const crease_space s = crease_vector(2);
    crease_set_ops disc = *crease_l2_ball(1).ops;
    disc.name = "disc";
    const struct {
        crease_set c;
        crease_reg r;
    } pair[] = {
        { { .ops = &segment }, crease_l1(0.6) },
        { { .ops = &segment }, crease_elastic_net(0.3, 0.8) },
        { { .ops = &segment }, crease_nonneg(&crs_l1, (double[]){ 0.4 }) },
        { { .ops = &segment }, crease_box_indicator(-1, 2) },
        { { .ops = &rectangle }, crease_l1(0.6) },
        { { .ops = &rectangle }, crease_weighted_l1(weights) },
        { { .ops = &rectangle }, crease_nonneg_indicator() },
        { { .ops = &disc, .par = { 0.8 } }, crease_mcp(0.6, 1.5) },
        { { .ops = &disc, .par = { 0.8 } }, crease_group_l1(0.6, &apart) },
    };
    draws d = { { 7, 1 }, 0 };
    (void)state;
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++)
        for (int trial = 0; trial < 20; trial++) {
            assert_joint(&d, &pair[k].r, &pair[k].c, &s);
            if (crease_lmo_with_check(&pair[k].c, &pair[k].r, &s, NULL))
                assert_least(&d, &pair[k].r, &pair[k].c, &s);
        }
}

/* Without a trait nothing but the projection is known, and that fits the zero regularizer alone. */
static void own_sets_without_traits_are_only_projected_on(void **state)
{
    crease_set_ops plain = segment;
    const crease_space s = crease_vector(2);
    const crease_set c = { .ops = &plain };
    const crease_reg zero = crease_zero(), l1 = crease_l1(1), inside = crease_box_indicator(-1, 2);
    (void)state;
    plain.nonnegative = false, plain.range = NULL;
    assert_true(crease_joint_check(&zero, &c, &s, NULL, NULL));
    assert_false(crease_joint_check(&l1, &c, &s, NULL, NULL));
    assert_false(crease_joint_check(&inside, &c, &s, NULL, NULL));
    assert_false(crease_lmo_with_check(&c, &l1, &s, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_prox_of_vectors_is_in_the_set_and_unbeaten),
        cmocka_unit_test(joint_prox_of_matrices_is_in_the_set_and_unbeaten),
        cmocka_unit_test(joint_prox_uses_what_an_own_table_offers),
        cmocka_unit_test(oracle_on_vectors_is_in_the_set_and_least),
        cmocka_unit_test(oracle_on_matrices_is_in_the_set_and_least),
        cmocka_unit_test(oracle_with_no_weight_is_plain_and_with_much_is_zero),
        cmocka_unit_test(oracle_of_the_nuclear_norm_is_least_on_larger_matrices),
        cmocka_unit_test(own_sets_follow_the_rules_of_their_traits),
        cmocka_unit_test(own_sets_without_traits_are_only_projected_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
