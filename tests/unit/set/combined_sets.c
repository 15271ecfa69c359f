/* SPDX-License-Identifier: MIT
 * combined_sets: affine images and products; vectors split over ranks; what is refused */
#include "support/set_test.h"

static void examine(const crease_set *c, const crease_space *s, draws *d)
{
    double u[MOST], v[MOST], z[MOST];
    for (int trial = 0; trial < 60; trial++) {
        const double scale = pow(10, trial % 5 - 2);
        for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
            u[j] = scale * normal(d);
            v[j] = scale * normal(d);
        }
        assert_true(crease_lmo(c, s, v, z, NULL));
        assert_oracle(c, s, u, z);
        if (!c->ops->project) continue;
        assert_projection(c, s, u);
        assert_firm(c, s, u, v);
    }
}

static void affine_images(void **state)
{
    const double shift[] = { 1, -2, 3, 0.5, 7, -1 };
    const crease_set inner[] = { crease_simplex(2), crease_box(-1, 4), crease_lp_ball(1, 3),
                                 crease_k_support(1, 2), crease_l1_ball(1) };
    const crease_space s = crease_vector(6);
    draws d = { .r = { .seed = 41 } };
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 4; k++) {
            const crease_affine_set a = { &inner[i], k % 2 ? -3 : 0.25, k / 2 ? shift : NULL };
            const crease_set c = crease_affine(&a);
            double whole, part;
            assert_true(!c.ops->project == !inner[i].ops->project);
            assert_true(crease_diameter(&c, &s, 1.5, &whole, NULL));
            assert_true(crease_diameter(&inner[i], &s, 1.5, &part, NULL));
            assert_close(whole, fabs(a.scale) * part, 4 * 0x1p-53);
            examine(&c, &s, &d);
        }
}

static void products(void **state)
{
    const double a[] = { 1, 2, 3 }, x[] = { 1, 0, 0, 3, 4, 0, 0, 2, 2, 2 };
    const crease_set inner[] = { crease_simplex(1), crease_l2_ball(2), crease_permutahedron(a),
                                 crease_k_support(1, 2) };
    const crease_space space[] = { crease_vector(3), crease_matrix(2, 2), crease_vector(3),
                                   crease_vector(2) };
    draws d = { .r = { .seed = 42 } };
    (void)state;
    for (int count = 1; count <= 4; count++) {
        const crease_product_set parts = { count, inner, space };
        const crease_set c = crease_product(&parts);
        ptrdiff_t n = 0;
        double value, sum = 0;
        for (int i = 0; i < count; i++) {
            n += crease_size(&space[i]);
            assert_true(crease_diameter(&inner[i], &space[i], 3, &value, NULL));
            sum += pow(value, 3);
        }
        const crease_space s = crease_vector(n);
        assert_true(!c.ops->project == (count == 4));
        assert_true(crease_diameter(&c, &s, 3, &value, NULL));
        assert_close(value, cbrt(sum), 8 * 0x1p-53);
        examine(&c, &s, &d);
        if (count == 3) assert_close(excess_of(&c, &s, x), 3, 2 * 0x1p-53); /* |(3,4)| - 2 */
    }
}

/* Two ranks with equal halves: a sum over them doubles, a maximum stays. */
static void both(const void *self, double *v, int n)
{
    (void)self;
    for (int k = 0; k < n; k++) v[k] *= 2;
}

static void same(const void *self, double *v, int n) { (void)self, (void)v, (void)n; }

static const crease_comm comm = { both, same, NULL };
enum { HALF = 5 };

static void assert_split(const crease_set *c, const crease_set *part, const double *v)
{
    const crease_space whole = crease_vector(2 * HALF);
    crease_space here = crease_vector(HALF);
    double twice[2 * HALF], x[HALF], y[2 * HALF], a, b;
    here.comm = &comm;
    for (int j = 0; j < 2 * HALF; j++) twice[j] = v[j % HALF];
    assert_true(crease_project(part, &here, v, x, NULL));
    assert_true(crease_project(c, &whole, twice, y, NULL));
    for (int j = 0; j < 2 * HALF; j++) assert_close(x[j % HALF], y[j], 32 * 0x1p-53);
    assert_true(crease_lmo(part, &here, v, x, NULL) && crease_lmo(c, &whole, twice, y, NULL));
    for (int j = 0; j < 2 * HALF; j++) assert_close(x[j % HALF], y[j], 32 * 0x1p-53);
    assert_close(support_of(part, &here, v), support_of(c, &whole, twice), 32 * 0x1p-53);
    assert_close(excess_of(part, &here, v), excess_of(c, &whole, twice), 32 * 0x1p-53);
    for (double p = 1; p < 4; p += 0.7) {
        assert_true(crease_diameter(part, &here, p, &a, NULL));
        assert_true(crease_diameter(c, &whole, p, &b, NULL));
        assert_close(a, b, 32 * 0x1p-53);
    }
}

static void split_vectors(void **state)
{
    const double v[HALF] = { 3, -1, 0, 0.25, 8 }, one[2 * HALF] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
    const double bad[HALF] = { 1, NAN };
    const crease_set sets[] = { crease_box(-1, 2),    crease_linf_ball(2),    crease_l2_ball(2),
                                crease_lp_ball(2, 3), crease_lp_ball(2, 1.3), crease_box(-9, 9),
                                crease_lp_ball(99, 3) };
    const crease_set sorts[] = { crease_l1_ball(1),      crease_simplex(1),
                                 crease_full_simplex(1), crease_capped_simplex(1),
                                 crease_k_sparse(1, 1),  crease_k_support(1, 1),
                                 crease_permutahedron(v) };
    crease_space here = crease_vector(HALF);
    here.comm = &comm;
    crease_error e;
    (void)state;
    for (int i = 0; i < 7; i++) {
        const crease_affine_set a = { &sets[i], -2, one };
        const crease_set affine = crease_affine(&a);
        assert_split(&sets[i], &sets[i], v);
        assert_split(&affine, &affine, v);
        assert_true(isnan(excess_of(&sets[i], &here, bad)));
        assert_false(crease_set_check(&sorts[i], &here, &e));
        assert_int_equal(e.code, CREASE_UNSUPPORTED);
        assert_non_null(strstr(e.text, sorts[i].ops->name));
        const crease_product_set parts = { 1, &sets[i], &here };
        const crease_set product = crease_product(&parts);
        assert_split(&sets[i], &product, v);
    }
}

/* Ranks of different size: the other one holds the single number 4. */
static void other_sum(const void *self, double *v, int n) { (void)self, (void)n, v[0] += 1; }
static void other_max(const void *self, double *v, int n)
{
    (void)self, (void)n;
    v[0] = larger(v[0], 4);
}

static void norms_over_unequal_ranks(void **state)
{
    const crease_comm pair = { other_sum, other_max, NULL };
    const crease_set ball = crease_lp_ball(1, 3);
    crease_space here = crease_vector(2);
    (void)state;
    here.comm = &pair;
    assert_close(excess_of(&ball, &here, (double[]){ 3, 5e-1 }), cbrt(91.125) - 1, 8 * 0x1p-53);
}

/* Every evaluation of the norm is two sums: a count of the sums is a count of evaluations. */
static void count_sum(const void *self, double *v, int n)
{
    (void)v, (void)n;
    (*(int *const *)self)[0]++;
}

static void lp_projections_are_quick(void **state)
{
    int sums = 0, *counter = &sums;
    const crease_comm one = { count_sum, same, &counter };
    draws d = { .r = { .seed = 43 } };
    crease_space here = crease_vector(MOST);
    double v[MOST], x[MOST];
    (void)state;
    here.comm = &one;
    for (int trial = 0; trial < 500; trial++) {
        const crease_set c =
            crease_lp_ball(pow(10, uniform(&d, -6, 2)), 1 + pow(10, uniform(&d, -1, 3)));
        for (int j = 0; j < MOST; j++) v[j] = normal(&d);
        sums = 0;
        assert_true(crease_project(&c, &here, v, x, NULL));
        assert_true(sums <= 2 * 16 + 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(affine_images),
        cmocka_unit_test(products),
        cmocka_unit_test(split_vectors),
        cmocka_unit_test(norms_over_unequal_ranks),
        cmocka_unit_test(lp_projections_are_quick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
