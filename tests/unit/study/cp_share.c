/* SPDX-License-Identifier: MIT
 * cp_share: with many outliers and many parameters the noise is still measured, not what the fit
 * owes to clipped outliers; and alpha may be given as well as learned */
#include <crease/random.h>

#include "rpca/rpca.h"
#include "study/hard.h"
#include "support/test.h"

static const crs_hard_cell *cell_named(const char *name)
{
    for (int k = 0; k < crs_hard_cells(); k++)
        if (strcmp(crs_hard_cell_at(k)->name, name) == 0) return crs_hard_cell_at(k);
    return NULL;
}

static crease_cp_instance *instance(const crs_hard_cell *cell, int k, crease_cp_fit_settings *s)
{
    const uint64_t seed = crease_random_bits((crease_random){ 300000, 0 }, (uint64_t)k);
    *s = crs_trial_settings(&cell->shape, cell->rank);
    s->model.seed = seed;
    return crs_hard_generate(cell, seed, NULL);
}

/* 580 parameters, 3600 good entries of 6000. With a threshold of three deviations those that are
 * clipped add 9 (0.4/0.36) 580/6000 = 0.97 of the squared deviation to the squared deviation: a
 * scale of that origin does not fall. Alpha is the threshold, about one deviation. */
static void the_noise_is_measured(void **state)
{
    const crs_hard_cell *cell = cell_named("tiny-40-10x");
    (void)state;
    for (int k = 6; k < 8; k++) {
        crease_cp_fit_settings s;
        crease_cp_instance *c = instance(cell, k, &s);
        crs_trial t;
        assert_true(crs_trial_run(&s, c, 0, &t, NULL));
        assert_true(t.certified && t.valid && t.success && t.rank == 10);
        assert_true(t.alpha > 0.5 * c->recipe.noise && t.alpha < 1.5 * c->recipe.noise);
        crease_cp_instance_free(c);
    }
}

/* Columns that are alike: a ridge in units of a small alpha would take some for one. */
static void alpha_is_given(void **state)
{
    const crs_hard_cell *cell = cell_named("alike-20-10x");
    crease_cp_fit_settings s;
    crease_cp_instance *c = instance(cell, 0, &s);
    crs_trial learned, given;
    (void)state;
    assert_true(crs_trial_run(&s, c, 0, &learned, NULL));
    s.learn = 0;
    for (double multiple = 0.25; multiple < 5; multiple *= 4) {
        s.model.alpha = multiple * learned.alpha;
        assert_true(crs_trial_run(&s, c, 0, &given, NULL));
        assert_true(given.rank == 5 && given.certified && given.success);
        assert_true(multiple != 1 || fabs(given.error / learned.error - 1) < 1e-3);
    }
    crease_cp_instance_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_noise_is_measured),
                                        cmocka_unit_test(alpha_is_given) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
