/* SPDX-License-Identifier: MIT
 * parts: counting the parts of an answer of several slabs survives any one of its allocations
 * failing, and counts the same afterwards */
#include "rpca/handle.h"
#include "support/fail_alloc.h"
#include "support/test.h"

static const crease_space shape = { .order = 3, .dim = { 5, 1000, 1000 } }; /* two slabs */

static double *data(void)
{
    double *t = malloc(sizeof *t * (size_t)crease_size(&shape));
    assert_non_null(t);
    for (ptrdiff_t j = 0; j < crease_size(&shape); j++)
        t[j] = (j % 101 == 7 ? 9 : 1) + 0.01 * (double)(j % 13 - 6);
    return t;
}

static crease_rpca *fit(double *t)
{
    crease_error e = { CREASE_OK, "" };
    crease_rpca_settings s = crease_rpca_default(&shape);
    crease_options o = crease_rpca_options();
    double *ones = malloc(sizeof *ones * 1000);
    assert_non_null(ones);
    const double *const x[] = { ones, ones, ones };
    for (int j = 0; j < 1000; j++) ones[j] = 1;
    s.rank = 1, s.factor = x, s.threads = 2;
    o.max_iterations = 1;
    crease_rpca *r = crease_rpca_new(&s, &o, t, &e);
    if (!r) fail_msg("%s", e.text);
    crease_rpca_run(r);
    free(ones);
    return r;
}

static void counting_survives(void **state)
{
    double *t = data();
    crease_rpca *r = fit(t);
    const ptrdiff_t outliers = crease_rpca_about(r)->outliers;
    crs_parts parts;
    (void)state;
    assert_true(outliers > crease_size(&shape) / 102);
    assert_true(crs_parts_of(r, &parts));
    const long live = allocations_live; /* the counts of an earlier look among them */
    for (int once = 0; once < 2; once++) {
        long n = 0;
        for (bool done = false; !done; n++) {
            crease_error e = { CREASE_OK, "" };
            crs_calm calm;
            allocations_left = n, allocations_recover = once;
            done = crs_parts_count(r, &parts, INFINITY, &calm, &e);
            allocations_left = -1;
            assert_true(allocations_live <= live);
            assert_int_equal(e.code, done ? CREASE_OK : CREASE_NO_MEMORY);
            if (done) assert_true(crease_rpca_about(r)->outliers == outliers);
        }
        assert_true(n > 5);
    }
    crease_rpca_free(r);
    assert_true(allocations_live == 0);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counting_survives) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
