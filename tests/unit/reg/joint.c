/* SPDX-License-Identifier: MIT
 * joint: the joint prox of a regularizer and a set lies in the set and beats every other point of
 * it; pairs without an exact one are refused by name */
#include "support/pairs.h"

/* What must be there. */
static const char *const vector_pairs[] = {
    "zero: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex capped-simplex "
    "k-sparse permutahedron",
    "squared-l2: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex "
    "capped-simplex k-sparse permutahedron",
    "l1: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex capped-simplex "
    "k-sparse permutahedron",
    "elastic-net: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex "
    "capped-simplex k-sparse permutahedron",
    "weighted-l1: box nonneg l1-ball l2-ball linf-ball lp-ball simplex full-simplex "
    "capped-simplex k-sparse",
    "l0: box nonneg linf-ball l2-ball",
    "scad: box nonneg linf-ball l2-ball",
    "mcp: box nonneg linf-ball l2-ball",
    "capped-l1: box nonneg linf-ball",
    "lq: box nonneg linf-ball",
    "huber: box nonneg linf-ball l2-ball",
    "nonneg: box nonneg linf-ball l2-ball l1-ball lp-ball simplex full-simplex capped-simplex",
    "nonneg-l1: box nonneg linf-ball l2-ball l1-ball lp-ball simplex full-simplex",
    "group-l1: l2-ball",
    "group-scad: l2-ball",
    "tv1d: l2-ball",
    "box: box nonneg linf-ball",
    NULL,
};
static const char *const matrix_pairs[] = {
    "spectral-zero: nuclear-ball spectral-ball l2-ball spectrahedron box",
    "nuclear: nuclear-ball spectral-ball l2-ball",
    "rank: spectral-ball l2-ball",
    "spectral-scad: spectral-ball l2-ball",
    "spectral-squared-l2: nuclear-ball spectral-ball l2-ball spectrahedron box",
    "spectral-elastic-net: nuclear-ball spectral-ball l2-ball",
    "l1: l2-ball box",
    NULL,
};

static double objective(const crease_reg *r, const crease_space *s, double t, const double *v,
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
        const double value = objective(r, s, t, v, y);
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
    const double value = objective(r, s, t, v, x);
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

static bool check(const crease_reg *r, const crease_set *c, const crease_space *s, crease_error *e)
{
    return crease_joint_check(r, c, s, NULL, e);
}

static void vectors(void **state)
{
    const question q = { check, assert_joint, vector_pairs, 3 };
    (void)state;
    ask_all(5, &q, false);
}

static void matrices(void **state)
{
    const question q = { check, assert_joint, matrix_pairs, 3 };
    (void)state;
    ask_all(5, &q, true);
}

/* A table of one's own needs no registration: what it offers is used. */
static void own_tables_work(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),
        cmocka_unit_test(matrices),
        cmocka_unit_test(own_tables_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
