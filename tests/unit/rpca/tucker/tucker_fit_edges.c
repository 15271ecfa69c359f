/* SPDX-License-Identifier: MIT
 * tucker_fit_edges: threads, scale, zeros, refusals and NaN in Tucker fits */
#include "support/tucker_planted.h"

/* The same bits for any number of threads; data times a power of two give that times the answer. */
static void invariant(void **state)
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

static void zeros_and_refusals(void **state)
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
        cmocka_unit_test(invariant),
        cmocka_unit_test(zeros_and_refusals),
        cmocka_unit_test(nan_is_not_an_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
