/* SPDX-License-Identifier: MIT
 * vector_sets: every set of vectors, at every scale, against what defines its operations */
#include "support/set_test.h"

enum { KINDS = 19 };

static double ramp[MOST], lower[MOST], upper[MOST];
static crease_bounds sides;

/* All kinds at size n and radius R. */
static void make_sets(ptrdiff_t n, double R, crease_set *c)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        ramp[j] = R * sin(3.0 * (double)j);
        lower[j] = j % 3 ? R * ((double)j - 2) : -INFINITY;
        upper[j] = j % 3 == 1 ? INFINITY : larger(lower[j], -R) + R * (double)(j % 2);
    }
    sides = (crease_bounds){ .lower = lower, .upper = upper };
    const double half = (double)((n + 1) / 2);
    const crease_set all[KINDS] = {
        crease_box(-R, 2 * R),
        crease_box_array(&sides),
        crease_orthant(),
        crease_l1_ball(R),
        crease_l2_ball(R),
        crease_linf_ball(R),
        crease_lp_ball(R, 1.5),
        crease_lp_ball(R, 2),
        crease_lp_ball(R, 3),
        crease_lp_ball(R, 1.01),
        crease_lp_ball(R, 1 + 1e-12),
        crease_lp_ball(R, 1e6),
        crease_simplex(R),
        crease_full_simplex(R),
        crease_capped_simplex(half),
        crease_k_sparse(R, half),
        crease_k_sparse(R, 1e300),
        crease_k_support(R, half),
        crease_permutahedron(ramp),
    };
    memcpy(c, all, sizeof all);
}

static void draw(draws *d, ptrdiff_t n, double scale, double *v)
{
    const double offset = scale * normal(d) * (d->next % 3 == 0);
    for (ptrdiff_t j = 0; j < n; j++) {
        v[j] = scale * normal(d) + offset;
        if (d->next % 11 == 0) v[j] = 0;
        if (d->next % 5 == 0 && j > 0) v[j] = v[j - 1]; /* ties */
    }
}

static void sample(const crease_set *c, const crease_space *s, const double *v, double *z)
{
    if (c->ops->project)
        assert_true(crease_project(c, s, v, z, NULL));
    else
        assert_true(crease_lmo(c, s, v, z, NULL));
}

static void examine(const crease_set *c, const crease_space *s, double scale, draws *d)
{
    double u[MOST], v[MOST], z[MOST];
    const ptrdiff_t n = crease_size(s);
    draw(d, n, scale, u);
    draw(d, n, scale, v);
    sample(c, s, u, z);
    if (c->ops->compact || (c->ops == crease_box(0, 1).ops && !c->data)) {
        assert_oracle(c, s, u, z);
        assert_oracle(c, s, v, z);
    }
    if (!c->ops->project) return;
    assert_projection(c, s, u);
    assert_projection(c, s, v);
    assert_firm(c, s, u, v);
}

static void definitions_hold_at_every_scale(void **state)
{
    static const ptrdiff_t sizes[] = { 1, 2, 3, 7, 40 };
    draws d = { .r = { .seed = 7 } };
    crease_set c[KINDS];
    (void)state;
    for (double R = 1e-12; R < 2e12; R *= 1e6)
        for (double scale = 1e-12; scale < 2e12; scale *= 1e3)
            for (int k = 0; k < 5; k++) {
                const crease_space s = crease_vector(sizes[k]);
                make_sets(sizes[k], R, c);
                for (int i = 0; i < KINDS; i++) examine(&c[i], &s, scale, &d);
            }
}

static void near_the_boundary(void **state)
{
    draws d = { .r = { .seed = 8 } };
    crease_set c[KINDS];
    double v[MOST];
    (void)state;
    const crease_space s = crease_vector(9);
    make_sets(9, 1, c);
    for (int i = 0; i < KINDS; i++)
        for (int trial = 0; trial < 200 && c[i].ops->project; trial++) {
            draw(&d, 9, 3, v);
            assert_true(crease_project(&c[i], &s, v, v, NULL));
            for (int j = 0; j < 9; j++) v[j] *= 1 + pow(10, -(double)(trial % 17));
            assert_projection(&c[i], &s, v);
        }
}

static void nan_is_never_hidden(void **state)
{
    crease_set c[KINDS];
    double x[7], t;
    (void)state;
    const crease_space s = crease_vector(7);
    make_sets(7, 1, c);
    for (int i = 0; i < KINDS; i++)
        for (int j = 0; j < 7; j++) {
            double v[7] = { 0.01, -0.02, 0.03, 2, -4, 5, 0 };
            v[j] = NAN;
            assert_true(crease_lmo(&c[i], &s, v, x, NULL));
            assert_true(isnan(crs_dot(7, x, x)));
            if (c[i].ops->project) assert_true(crease_project(&c[i], &s, v, x, NULL));
            assert_true(isnan(crs_dot(7, x, x)));
            assert_true(crease_support(&c[i], &s, v, &t, NULL) && isnan(t));
            assert_true(crease_excess(&c[i], &s, v, &t, NULL) && isnan(t));
        }
}

static void zero_costs_give_a_legal_point(void **state)
{
    crease_set c[KINDS];
    double y[MOST];
    const double zero[MOST] = { 0 };
    (void)state;
    for (ptrdiff_t n = 1; n < 12; n++) {
        const crease_space s = crease_vector(n);
        make_sets(n, 2, c);
        for (int i = 0; i < KINDS; i++) {
            assert_true(crease_lmo(&c[i], &s, zero, y, NULL));
            assert_true(crs_all_finite(n, y));
            assert_inside(&c[i], &s, y);
            assert_true(support_of(&c[i], &s, zero) == 0);
        }
    }
}

/* A large common part of v moves nothing: the answer stays as accurate as the radius. */
static void offsets_do_not_spoil_the_sum(void **state)
{
    draws d = { .r = { .seed = 9 } };
    double v[MOST], x[MOST];
    (void)state;
    const crease_space s = crease_vector(30);
    for (int trial = 0; trial < 100; trial++) {
        const double R = pow(10, uniform(&d, -12, 0));
        for (int j = 0; j < 30; j++) v[j] = 1e12 + 1e3 * normal(&d);
        for (int j = 0; j < 30; j++) ramp[j] = R * normal(&d);
        const crease_set sets[] = { crease_simplex(R), crease_full_simplex(R), crease_l1_ball(R),
                                    crease_capped_simplex(4), crease_permutahedron(ramp) };
        for (int i = 0; i < 5; i++) {
            const crease_set *c = &sets[i];
            assert_true(crease_project(c, &s, v, x, NULL));
            assert_at_most(excess_of(c, &s, x), roundoff(&s) * width(c, &s));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_hold_at_every_scale),
        cmocka_unit_test(near_the_boundary),
        cmocka_unit_test(nan_is_never_hidden),
        cmocka_unit_test(zero_costs_give_a_legal_point),
        cmocka_unit_test(offsets_do_not_spoil_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
