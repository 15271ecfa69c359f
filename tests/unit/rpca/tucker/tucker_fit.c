/* SPDX-License-Identifier: MIT
 * tucker_fit: Tucker robust PCA recovers planted tensors, at points that are stationary by the
 * definition of the full problem */
#include "support/tucker_planted.h"

static void recovers(void **state)
{
    static const struct {
        crease_space shape, ranks;
        double outliers;
    } list[] = {
        { { .order = 3, .dim = { 14, 15, 16 } }, { .order = 3, .dim = { 2, 3, 4 } }, 0.05 },
        { { .order = 3, .dim = { 14, 15, 16 } }, { .order = 3, .dim = { 2, 3, 4 } }, 0.4 },
        { { .order = 4, .dim = { 7, 8, 9, 10 } }, { .order = 4, .dim = { 2, 1, 2, 2 } }, 0.2 },
        { { .order = 2, .dim = { 100, 80 } }, { .order = 2, .dim = { 2, 2 } }, 0.2 },
        { { .order = 3, .dim = { 30, 1, 40 } }, { .order = 3, .dim = { 2, 1, 2 } }, 0.05 },
    };
    static planted p;
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            p.shape = list[k].shape;
            p.ranks = list[k].ranks;
            plant(&p, seed, list[k].outliers, 0.01);
            const crs_tucker_settings c = settings_of(&p);
            crs_tucker_fit *s = fit(&c, p.T);
            assert_stationary(s, &p, NULL);
            if (!(error_of(&p, p.found) < 0.01))
                fail_msg("case %zu, seed %d: error %g", k, (int)seed, error_of(&p, p.found));
            crs_tucker_fit_free(s);
        }
}

/* Entries that were not observed change nothing, and are filled in. */
static void missing_entries(void **state)
{
    static planted p;
    static unsigned char mask[MOST];
    draws d = { { 5, 5 }, 0 };
    (void)state;
    p.shape = (crease_space){ .order = 3, .dim = { 14, 15, 16 } };
    p.ranks = (crease_space){ .order = 3, .dim = { 2, 3, 3 } };
    plant(&p, 1, 0.1, 0.01);
    for (ptrdiff_t j = 0; j < crease_size(&p.shape); j++) {
        mask[j] = uniform(&d, 0, 1) < 0.7;
        if (!mask[j]) p.T[j] = 1e6;
    }
    crs_tucker_settings c = settings_of(&p);
    c.mask = mask;
    crs_tucker_fit *s = fit(&c, p.T);
    assert_stationary(s, &p, mask);
    assert_true(error_of(&p, p.found) < 0.01);
    crs_tucker_fit_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers),
        cmocka_unit_test(missing_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
