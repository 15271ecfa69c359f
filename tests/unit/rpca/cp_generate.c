/* SPDX-License-Identifier: MIT
 * cp_generate: random instances are what the recipe says; components say the same as factors */
#include "support/rpca_naive.h"

static void parts_add_up(void **state)
{
    const crease_space s = { .order = 3, .dim = { 20, 30, 40 } };
    crease_cp_recipe r = crease_cp_recipe_default(&s, 4);
    const ptrdiff_t n = crease_size(&s);
    (void)state;
    r.outliers = 0.05, r.magnitude = 3, r.noise = 0.25, r.seed = 11;
    crease_cp_instance *c = crease_cp_generate(&r, NULL), *again = crease_cp_generate(&r, NULL);
    double outliers = 0, noise = 0, factors = 0;
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        const double low = low_rank(&s, 4, (const double *const *)c->factor, j);
        assert_close(c->lowrank[j], low, 1e-13);
        assert_true(c->tensor[j] == c->lowrank[j] + c->sparse[j] + c->noise[j]);
        assert_true(c->tensor[j] == again->tensor[j]);
        count += c->sparse[j] != 0;
        outliers += square(c->sparse[j]), noise += square(c->noise[j]);
    }
    for (ptrdiff_t j = 0; j < 40 * 4; j++) factors += square(c->factor[2][j]);
    assert_true(count == 1200 && c->count == 1200);
    /* means of squares: their standard deviations are sqrt(2/count) relative; five of them */
    assert_true(fabs(outliers / 1200 / 9 - 1) < 5 * sqrt(2.0 / 1200));
    assert_true(fabs(noise / (double)n / 0.0625 - 1) < 5 * sqrt(2.0 / (double)n));
    assert_true(fabs(factors / 160 - 1) < 5 * sqrt(2.0 / 160));
    crease_cp_instance_free(again);
    r.seed = 12, again = crease_cp_generate(&r, NULL);
    assert_true(again->tensor[0] != c->tensor[0]);
    crease_cp_instance_free(again);
    crease_cp_instance_free(c);
}

/* Changing one part leaves the others as they were. */
static void parts_are_independent(void **state)
{
    const crease_space s = shape_of(4);
    crease_cp_recipe r = crease_cp_recipe_default(&s, 2);
    r.outliers = 0.1;
    crease_cp_instance *a = crease_cp_generate(&r, NULL);
    r.noise = 0, r.magnitude = 0;
    crease_cp_instance *b = crease_cp_generate(&r, NULL);
    (void)state;
    assert_true(a->count == 12 && b->count == 12);
    for (ptrdiff_t j = 0; j < 120; j++) {
        assert_true(a->lowrank[j] == b->lowrank[j]);
        assert_true(b->sparse[j] == 0 && b->noise[j] == 0 && b->tensor[j] == b->lowrank[j]);
    }
    crease_cp_instance_free(a), crease_cp_instance_free(b);
}

static void bad_recipes(void **state)
{
    const crease_space s = shape_of(3);
    crease_cp_recipe r = crease_cp_recipe_default(&s, 0);
    (void)state;
    assert_null(crease_cp_generate(&r, NULL));
    r = crease_cp_recipe_default(&s, 1), r.outliers = 1.5,
    assert_null(crease_cp_generate(&r, NULL));
    r = crease_cp_recipe_default(&s, 1), r.outliers = NAN,
    assert_null(crease_cp_generate(&r, NULL));
    r = crease_cp_recipe_default(&s, 1), r.magnitude = -1,
    assert_null(crease_cp_generate(&r, NULL));
    r = crease_cp_recipe_default(&s, 1), r.noise = INFINITY;
    assert_null(crease_cp_generate(&r, NULL));
    r = crease_cp_recipe_default(&s, 1), r.shape.order = 1,
    assert_null(crease_cp_generate(&r, NULL));
    crease_cp_instance_free(NULL);
}

/* Unit columns, weights descending and >= 0, signs by the rule, the same tensor. */
static void components(void **state)
{
    draws d = { { 9, 0 }, 0 };
    (void)state;
    for (int order = 2; order <= 5; order++) {
        const crease_space s = shape_of(order);
        double *x[5], *u[5], weight[4], *was = doubles(crease_size(&s)),
                                        *now = doubles(crease_size(&s));
        const double *const *factor = (const double *const *)x;
        for (int n = 0; n < order; n++) {
            x[n] = random_doubles(&d, s.dim[n] * 4, 1), u[n] = doubles(s.dim[n] * 4);
            for (ptrdiff_t i = 0; i < s.dim[n]; i++) x[n][i * 4 + 2] = n == 1 ? 0 : 1;
        }
        assert_true(crease_cp_components(&s, 4, factor, u, weight, NULL));
        assert_true(weight[0] >= weight[1] && weight[1] >= weight[2] && weight[3] == 0);
        for (int n = 0; n < order; n++)
            for (int r = 0; r < 4; r++) {
                double squares = 0, top = 0;
                for (ptrdiff_t i = 0; i < s.dim[n]; i++) {
                    squares += square(u[n][i * 4 + r]);
                    if (fabs(u[n][i * 4 + r]) > fabs(top)) top = u[n][i * 4 + r];
                }
                assert_close(squares, r < 3, 1e-15);
                assert_true(n == order - 1 || r == 3 || top > 0);
            }
        assert_true(crease_cp_lowrank(&s, 4, factor, was, NULL));
        for (ptrdiff_t i = 0; i < s.dim[0] * 4; i++) u[0][i] *= weight[i % 4];
        assert_true(crease_cp_lowrank(&s, 4, (const double *const *)u, now, NULL));
        assert_true(crease_relative_error(crease_size(&s), now, was) < 1e-14);
        for (int n = 0; n < order; n++) free(x[n]), free(u[n]);
        free(was), free(now);
    }
}

static void errors_and_ranks(void **state)
{
    const double zero[2] = { 0, 0 }, x[2] = { 3, 4 };
    const crease_space s = { .order = 3, .dim = { 12, 10, 9 } };
    (void)state;
    assert_true(crease_relative_error(2, zero, zero) == 0);
    assert_true(crease_relative_error(2, x, zero) == INFINITY);
    assert_true(crease_relative_error(2, zero, x) == 1);
    for (ptrdiff_t rank = 1; rank <= 4; rank++) {
        ptrdiff_t guess;
        crease_cp_recipe r = crease_cp_recipe_default(&s, rank);
        r.seed = 3;
        crease_cp_instance *c = crease_cp_generate(&r, NULL);
        assert_true(crease_cp_rank(&s, c->tensor, NULL, &guess, NULL));
        assert_int_equal(guess, rank);
        crease_cp_instance_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_add_up),     cmocka_unit_test(parts_are_independent),
        cmocka_unit_test(bad_recipes),      cmocka_unit_test(components),
        cmocka_unit_test(errors_and_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
