/* SPDX-License-Identifier: MIT
 * generate: random instances are what the recipe says; spectra as spectra are, ridges where the
 * physics puts them, and only there */
#include <stdlib.h>

#include "support/rpca_naive.h"

#include "rpca/rpca.h"

static void parts_are_as_the_recipe_says_and_add_up(void **state)
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
static void changing_one_part_leaves_the_others(void **state)
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

static void bad_recipes_are_refused(void **state)
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

static crease_cp_instance *instance(const crease_cp_recipe *r)
{
    crease_error e = { CREASE_OK, "" };
    crease_cp_instance *c = crease_eem_generate(r, &e);
    if (!c) fail_msg("%s", e.text);
    return c;
}

/* >= 0, of maximum 1, and no step larger than 1/4 of it on a grid of 3 nm */
static void spectra_are_nonnegative_smooth_and_of_maximum_one(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++)
        for (ptrdiff_t rank = 1; rank <= 4; rank++) {
            crease_cp_recipe r = crease_eem_recipe_default();
            r.seed = seed, r.rank = rank, r.shape.dim[0] = 2;
            crease_cp_instance *c = instance(&r);
            for (int axis = 1; axis < 3; axis++)
                for (ptrdiff_t k = 0; k < rank; k++) {
                    double top = 0, step = 0;
                    for (ptrdiff_t i = 0; i < r.shape.dim[axis]; i++) {
                        const double y = c->factor[axis][i * rank + k];
                        assert_true(y >= 0 && y <= 1);
                        top = y > top ? y : top;
                        if (i && fabs(y - c->factor[axis][(i - 1) * rank + k]) > step)
                            step = fabs(y - c->factor[axis][(i - 1) * rank + k]);
                    }
                    assert_true(top == 1 && step < 0.25);
                }
            for (ptrdiff_t i = 0; i < 2 * rank; i++)
                assert_true(c->factor[0][i] >= 0.05 && c->factor[0][i] <= 1);
            crease_cp_instance_free(c);
        }
}

/* Emission lies at longer wavelengths than excitation, compound by compound. */
static void emission_is_at_longer_wavelengths_than_excitation(void **state)
{
    crease_cp_recipe r = crease_eem_recipe_default();
    (void)state;
    for (r.seed = 0; r.seed < 20; r.seed++) {
        crease_cp_instance *c = instance(&r);
        for (ptrdiff_t k = 0; k < 3; k++) {
            double nm[3] = { 0 };
            for (int axis = 1; axis < 3; axis++)
                for (ptrdiff_t i = 0; i < r.shape.dim[axis]; i++)
                    if (c->factor[axis][i * 3 + k] == 1)
                        nm[axis] = crease_eem_wavelength(&r.shape, axis, i);
            assert_true(nm[1] > nm[2] + 30);
        }
        crease_cp_instance_free(c);
    }
}

/* Distances in nm to the three lines; the ridges reach 3 widths of 2, 2.5 and 2.5 nm. */
static bool scattered(double em, double ex)
{
    return fabs(em - ex) <= 6 || fabs(em - 2 * ex) <= 7.5 ||
           fabs(em - 1e7 / (1e7 / ex - 3400)) <= 7.5;
}

static void ridges_are_where_the_physics_puts_them(void **state)
{
    crease_cp_recipe r = crease_eem_recipe_default();
    (void)state;
    r.outliers = 0;
    crease_cp_instance *c = instance(&r);
    const ptrdiff_t ems = r.shape.dim[1], exs = r.shape.dim[2];
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < crease_size(&r.shape); j++) {
        const double em = crease_eem_wavelength(&r.shape, 1, j / exs % ems);
        const double ex = crease_eem_wavelength(&r.shape, 2, j % exs);
        assert_true((c->sparse[j] > 0) == scattered(em, ex) && c->sparse[j] >= 0);
        if (em == ex) assert_true(c->sparse[j] >= 0.8 * r.magnitude * pow(300 / ex, 4));
        count += c->sparse[j] != 0;
    }
    assert_true(count == c->count && count < crease_size(&r.shape) / 8);
    crease_cp_instance_free(c);
}

/* Without scatter what is left are the spikes: their share, within five standard deviations. */
static void spikes_have_their_share_and_noise_its_size(void **state)
{
    crease_cp_recipe r = crease_eem_recipe_default();
    (void)state;
    r.outliers = 0;
    crease_cp_instance *plain = instance(&r);
    r.outliers = 0.01;
    crease_cp_instance *c = instance(&r);
    const double n = (double)crease_size(&r.shape);
    double count = 0, noise = 0;
    for (ptrdiff_t j = 0; j < crease_size(&r.shape); j++) {
        const double spike = c->sparse[j] - plain->sparse[j];
        assert_true(spike == 0 || (spike > 1.49 && spike < 4.51));
        assert_true(c->lowrank[j] == plain->lowrank[j] && c->noise[j] == plain->noise[j]);
        assert_true(c->tensor[j] == c->lowrank[j] + c->sparse[j] + c->noise[j]);
        count += spike != 0;
        noise += square(c->noise[j]);
    }
    assert_true(fabs(count - 0.01 * n) < 5 * sqrt(0.01 * n));
    assert_true(fabs(noise / n / square(0.005) - 1) < 5 * sqrt(2 / n));
    crease_cp_instance_free(plain), crease_cp_instance_free(c);
}

static void seeds_change_the_data_and_bad_recipes_of_fluorescence_are_refused(void **state)
{
    crease_cp_recipe r = crease_eem_recipe_default();
    crease_error e = { CREASE_OK, "" };
    (void)state;
    r.shape.dim[0] = r.shape.dim[1] = r.shape.dim[2] = 1;
    crease_cp_instance *a = instance(&r), *b = instance(&r);
    assert_true(a->tensor[0] == b->tensor[0] && isfinite(a->tensor[0]));
    crease_cp_instance_free(b);
    r.seed = 1, b = instance(&r);
    assert_true(a->tensor[0] != b->tensor[0]);
    crease_cp_instance_free(a), crease_cp_instance_free(b);
    r.shape.order = 2;
    assert_true(!crease_eem_generate(&r, &e) && e.code == CREASE_BAD_ARGUMENT);
    r = crease_eem_recipe_default(), r.noise = NAN;
    assert_null(crease_eem_generate(&r, NULL));
    r = crease_eem_recipe_default(), r.rank = 0;
    assert_null(crease_eem_generate(&r, NULL));
}

/* In pieces of any length: outliers and noise bit for bit, sums over r to rounding. */
static void entries_drawn_in_pieces_are_those_of_the_instance(void **state)
{
    (void)state;
    enum { PIECE = 13 };
    const crease_space shape = { .order = 3, .dim = { 7, 5, 11 } };
    crease_cp_recipe r = crease_cp_recipe_default(&shape, 3);
    r.outliers = 0.2;
    r.noise = 0.1;
    r.seed = 5;
    crease_cp_instance *whole = crease_cp_generate(&r, NULL);
    crease_cp_instance *bare = crs_cp_instance_bare(&r, NULL);
    assert_non_null(whole);
    assert_non_null(bare);
    assert_null(bare->tensor);
    assert_int_equal(bare->count, whole->count);
    const double *part[] = { whole->tensor, whole->lowrank, whole->sparse, whole->noise };
    const ptrdiff_t n = crease_size(&shape);
    for (int k = 0; k < 4; k++) {
        crs_cp_drawing d = { bare, k <= 1, k % 2 == 0, k == 0 || k == 3, 0, 0 };
        for (ptrdiff_t at = 0; at < n; at += PIECE) {
            double out[PIECE];
            const ptrdiff_t now = n - at < PIECE ? n - at : PIECE;
            crs_cp_draw(&d, now, out);
            for (ptrdiff_t j = 0; j < now; j++)
                if (k < 2)
                    assert_close(out[j], part[k][at + j], 1e-14);
                else
                    assert_true(out[j] == part[k][at + j]);
        }
        if (k == 2) assert_int_equal(d.taken, bare->count);
    }
    for (int m = 0; m < 3; m++)
        assert_memory_equal(bare->factor[m], whole->factor[m],
                            (size_t)(shape.dim[m] * 3) * sizeof(double));
    crease_cp_instance_free(bare);
    crease_cp_instance_free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_drawn_in_pieces_are_those_of_the_instance),
        cmocka_unit_test(parts_are_as_the_recipe_says_and_add_up),
        cmocka_unit_test(changing_one_part_leaves_the_others),
        cmocka_unit_test(bad_recipes_are_refused),
        cmocka_unit_test(spectra_are_nonnegative_smooth_and_of_maximum_one),
        cmocka_unit_test(emission_is_at_longer_wavelengths_than_excitation),
        cmocka_unit_test(ridges_are_where_the_physics_puts_them),
        cmocka_unit_test(spikes_have_their_share_and_noise_its_size),
        cmocka_unit_test(seeds_change_the_data_and_bad_recipes_of_fluorescence_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
