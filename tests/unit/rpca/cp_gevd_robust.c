/* SPDX-License-Identifier: MIT
 * cp_gevd_robust: clipped and completed data give a start where raw ones do not; NaN is refused */
#include "support/gevd_case.h"

/* A tenth of the entries is ten times too large, another tenth missing. */
static void outliers_and_holes(void **state)
{
    const ptrdiff_t dim[] = { 15, 20, 25 };
    draws d = { { 31, 0 }, 0 };
    (void)state;
    start c = make(dim, 3, 4, 4, 1e-3, 31);
    for (ptrdiff_t j = 0; j < 7500; j++)
        if (below(&d, 10) == 0) c.t[j] += 20 * normal(&d);
    const double raw = run(&c, 0, 0), clipped = run(&c, 3, 3);
    assert_true(clipped < 0.2 && clipped < raw / 2);
    double *mask = doubles(7500), *m = doubles(7500);
    for (ptrdiff_t j = 0; j < 7500; j++) {
        mask[j] = below(&d, 10) > 0;
        if (mask[j] == 0) c.t[j] = NAN;
    }
    crs_cp_view v = view_of(&c);
    v.mask = mask;
    const crs_cp_gevd_options o = { .rank = 4, .clip = 3, .rounds = 5 };
    assert_true(crs_cp_gevd_robust(&v, &o, c.x, NULL, NULL));
    assert_true(crease_cp_lowrank(&c.s, 4, (const double *const *)c.x, m, NULL));
    assert_true(crease_relative_error(7500, m, c.low) < 0.2);
    free(mask), free(m);
    discard(&c);
}

static void nan_is_refused(void **state)
{
    const ptrdiff_t dim[] = { 4, 5, 6 };
    crease_error e;
    (void)state;
    start c = make(dim, 3, 2, 2, 0, 1);
    const crs_cp_view v = view_of(&c);
    const crs_cp_gevd_options o = { .rank = 2 };
    c.t[17] = NAN;
    assert_false(crs_cp_gevd_robust(&v, &o, c.x, NULL, &e));
    assert_int_equal(e.code, CREASE_BAD_DATA);
    assert_non_null(strstr(e.text, "entry 18"));
    discard(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(outliers_and_holes),
                                        cmocka_unit_test(nan_is_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
