/* SPDX-License-Identifier: MIT
 * half: terms of a true model reproduce in halves, or noise is to blame; a term that is another one
 * in each half does not; matrices and short modes are not judged */
#include "rpca/rank/rank.h"

#include <crease/random.h>
#include <crease/rpca_tools.h>

#include "support/test.h"

enum { R = 3, LONG = 24 };

static crease_cp_instance *instance(const crease_space *s, double noise)
{
    crease_cp_recipe r = crease_cp_recipe_default(s, R);
    r.outliers = 0.02, r.magnitude = 5, r.noise = noise, r.seed = 3;
    return crease_cp_generate(&r, NULL);
}

static crs_rank_likeness likeness(const crease_space *s, crease_cp_instance *c, double sigma)
{
    const crease_cp_fit_request r = { .shape = *s, .tensor = c->tensor, .rank = R };
    const crease_cp_rank_options o = { .threads = 1 };
    const crs_rank_halves h = { &r, crease_cp_fit_envelope, (void *)(uintptr_t)&o, sigma, 0.2 };
    crs_terms x = { .rank = R };
    crs_rank_likeness out;
    for (int n = 0; n < s->order; n++) x.factor[n] = c->factor[n];
    assert_true(crs_rank_compare_halves(&h, &x, &out, NULL));
    return out;
}

static void terms_of_the_truth_reproduce_or_noise_is_to_blame(void **state)
{
    const crease_space s = { .order = 3, .dim = { 10, LONG, 12 } };
    (void)state;
    for (double noise = 1e-2; noise < 2; noise *= 10) {
        crease_cp_instance *c = instance(&s, noise);
        const crs_rank_likeness out = likeness(&s, c, noise);
        assert_true(!out.known || out.reproduces);
        assert_true(noise > 0.5 || (out.known && out.congruence > 0.95));
        crease_cp_instance_free(c);
    }
}

/* The last term has one column of mode 0 in the runs of one half, another in those of the other. */
static void a_term_that_differs_between_halves_does_not(void **state)
{
    const crease_space s = { .order = 3, .dim = { 10, LONG, 12 } };
    crease_cp_instance *c = instance(&s, 1e-2);
    const crease_random random = { 8, 1 };
    (void)state;
    for (ptrdiff_t i = 0; i < 10; i++)
        for (ptrdiff_t j = 0; j < LONG; j++)
            for (ptrdiff_t k = 0; k < 12; k++) {
                const double other = crease_random_normal(random, (uint64_t)i);
                if (j * 8 / LONG % 2)
                    c->tensor[(i * LONG + j) * 12 + k] += (other - c->factor[0][i * R + 2]) *
                                                          c->factor[1][j * R + 2] *
                                                          c->factor[2][k * R + 2];
            }
    const crs_rank_likeness out = likeness(&s, c, 1e-2);
    assert_true(out.known && !out.reproduces && out.congruence < 0.8);
    crease_cp_instance_free(c);
}

static void matrices_and_short_modes_are_not_judged(void **state)
{
    const crease_space shapes[] = { { .order = 2, .dim = { 30, 40 } },
                                    { .order = 3, .dim = { 5, 7, 6 } } };
    (void)state;
    for (int k = 0; k < 2; k++) {
        crease_cp_instance *c = instance(shapes + k, 1e-2);
        const crs_rank_likeness out = likeness(shapes + k, c, 1e-2);
        assert_true(!out.known && isnan(out.congruence));
        crease_cp_instance_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_of_the_truth_reproduce_or_noise_is_to_blame),
        cmocka_unit_test(a_term_that_differs_between_halves_does_not),
        cmocka_unit_test(matrices_and_short_modes_are_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
