/* SPDX-License-Identifier: MIT
 * fit: planted Tucker tensors are recovered and stationary by plain sums, also with entries
 * missing; invariances, zeros, NaN, refusals */
#include "support/tucker_planted.h"

static void planted_tensors_are_recovered(void **state)
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
static void missing_entries_are_recovered(void **state)
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

/* The same bits for any number of threads; data times a power of two give that times the answer. */
static void scaling_and_threads_change_nothing(void **state)
{
    static planted p;
    static double scaled[MOST], first[MOST];
    (void)state;
    p.shape = (crease_space){ .order = 3, .dim = { 14, 15, 16 } };
    p.ranks = (crease_space){ .order = 3, .dim = { 2, 3, 3 } };
    plant(&p, 2, 0.1, 0.01);
    const ptrdiff_t n = crease_size(&p.shape);
    crs_tucker_settings c = settings_of(&p);
    crs_tucker_fit *s = fit(&c, p.T);
    take(s, &p);
    copy(n, p.found, first);
    crs_tucker_fit_free(s);
    c.threads = 3;
    s = fit(&c, p.T);
    take(s, &p);
    for (ptrdiff_t j = 0; j < n; j++) assert_true(first[j] == p.found[j]);
    crs_tucker_fit_free(s);
    for (ptrdiff_t j = 0; j < n; j++) scaled[j] = 0x1p20 * p.T[j];
    s = fit(&c, scaled);
    take(s, &p);
    for (ptrdiff_t j = 0; j < n; j++)
        assert_close(p.found[j] * 0x1p-20, first[j], 1e-8 * (1 + fabs(first[j])));
    crs_tucker_fit_free(s);
}

static void zeros_are_fitted_and_bad_ranks_refused(void **state)
{
    static planted p;
    crease_error e;
    (void)state;
    p.shape = (crease_space){ .order = 3, .dim = { 4, 5, 6 } };
    p.ranks = (crease_space){ .order = 3, .dim = { 2, 2, 2 } };
    crs_tucker_settings c = settings_of(&p);
    c.learn = 0;
    crs_tucker_fit *s = fit(&c, p.T); /* all zero */
    take(s, &p);
    assert_true(crs_norm(120, p.found) == 0);
    crs_tucker_fit_free(s);
    assert_true(crs_tucker_fit_bytes(&c, &e) > 0);
    c.ranks.dim[0] = 0;
    assert_null(crs_tucker_fit_new(&c, p.T, &e));
    assert_non_null(strstr(e.text, "rank 0 of mode 1"));
    c.ranks.dim[0] = 5;
    assert_null(crs_tucker_fit_new(&c, p.T, &e));
    assert_non_null(strstr(e.text, "give 1 to 4"));
    c.ranks = (crease_space){ .order = 3, .dim = { 1, 1, 2 } };
    assert_null(crs_tucker_fit_new(&c, p.T, &e));
    assert_non_null(strstr(e.text, "above the product of the others"));
    c.ranks.order = 2;
    assert_int_equal(crs_tucker_fit_bytes(&c, &e), -1);
    assert_non_null(strstr(e.text, "2 ranks for 3 modes"));
}

static void nan_is_not_an_answer(void **state)
{
    static planted p;
    crease_error e;
    (void)state;
    p.shape = (crease_space){ .order = 2, .dim = { 10, 8 } };
    p.ranks = (crease_space){ .order = 2, .dim = { 2, 2 } };
    plant(&p, 1, 0, 0.01);
    p.T[17] = NAN;
    const crs_tucker_settings c = settings_of(&p);
    crs_tucker_fit *s = crs_tucker_fit_new(&c, p.T, &e);
    for (int k = 0; k < 10; k++) assert_false(crs_tucker_fit_step(s));
    assert_true(isnan(s->statistics.residual));
    crs_tucker_fit_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_tensors_are_recovered),
        cmocka_unit_test(missing_entries_are_recovered),
        cmocka_unit_test(scaling_and_threads_change_nothing),
        cmocka_unit_test(zeros_are_fitted_and_bad_ranks_refused),
        cmocka_unit_test(nan_is_not_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
