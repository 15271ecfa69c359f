/* SPDX-License-Identifier: MIT
 * folds: each fold holds out the share asked for, in runs along every mode, of what was
 * observed and nothing else */
#include "rpca/rank/rank.h"
#include "support/arrays.h"

static void folds_hold_out_their_share_of_what_was_observed(void **state)
{
    const crease_space shapes[] = { { .order = 2, .dim = { 30, 40 } },
                                    { .order = 3, .dim = { 9, 20, 11 } },
                                    { .order = 5, .dim = { 2, 6, 4, 7, 5 } } };
    (void)state;
    for (int k = 0; k < 3; k++) {
        const ptrdiff_t size = crease_size(shapes + k);
        double *t = doubles(size);
        unsigned char *lot = calloc((size_t)size, 1);
        ptrdiff_t missing = 0;
        for (ptrdiff_t j = 0; j < size; j++) t[j] = j % 11 == 3 ? missing++, NAN : 1;
        assert_int_equal(crs_rank_folds(shapes + k, t, NULL, 0.1, 5, lot), size - missing);
        for (int f = 0; f < CRS_RANK_FOLDS; f++) {
            ptrdiff_t out = 0;
            for (ptrdiff_t j = 0; j < size; j++) {
                assert_int_equal(crs_rank_in_fold(lot[j], -1), !isnan(t[j]));
                assert_false(crs_rank_in_fold(lot[j], f) && isnan(t[j]));
                out += crs_rank_in_fold(lot[j], f);
            }
            /* a run too many for each mode, at most */
            assert_true(out >= (ptrdiff_t)(0.1 * (double)(size - missing)) - 5);
            assert_true((double)out <= 0.1 * (double)(size - missing) + 0.4 * 40 * 5);
        }
        free(lot);
        free(t);
    }
}

/* A neighbour of what is held out is held out more often than anything is. */
static void what_is_held_out_has_neighbours_that_are(void **state)
{
    const crease_space s = { .order = 3, .dim = { 20, 20, 20 } };
    static double t[8000];
    static unsigned char lot[8000];
    (void)state;
    crs_rank_folds(&s, t, NULL, 0.1, 7, lot);
    for (int n = 0; n < 3; n++) {
        const ptrdiff_t step = n == 0 ? 400 : n == 1 ? 20 : 1;
        double pairs = 0, both = 0;
        for (ptrdiff_t j = 0; j < 8000; j++) {
            if (j / step % 20 == 19 || !crs_rank_in_fold(lot[j], 0)) continue;
            pairs++;
            both += crs_rank_in_fold(lot[j + step], 0);
        }
        assert_true(both > 0.25 * pairs); /* a third of the runs go this way */
    }
}

static void a_large_tensor_has_fewer_folds(void **state)
{
    const crease_space s = { .order = 2, .dim = { 200, 200 } };
    double *t = doubles(40000);
    unsigned char *lot = calloc(40000, 1);
    (void)state;
    crs_rank_folds(&s, t, NULL, 0.1, 7, lot);
    for (int f = 0; f < CRS_RANK_FOLDS; f++) {
        ptrdiff_t out = 0;
        for (ptrdiff_t j = 0; j < 40000; j++) out += crs_rank_in_fold(lot[j], f);
        assert_true(f < 4 ? out >= 4000 : out == 0);
    }
    free(lot);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_hold_out_their_share_of_what_was_observed),
        cmocka_unit_test(a_large_tensor_has_fewer_folds),
        cmocka_unit_test(what_is_held_out_has_neighbours_that_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
