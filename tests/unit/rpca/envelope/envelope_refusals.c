/* SPDX-License-Identifier: MIT
 * envelope_refusals: settings out of range are refused, and NaN in gives NaN out */
#include "support/envelope_naive.h"

static void not_a_number_stays(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 4, 5, 6 } };
    draws d = { { 6, 0 }, 0 };
    (void)state;
    for (int p = 0; p < PENALTIES; p++)
        for (int where = 0; where < 2; where++) {
            const crs_envelope_settings c = settings_for(&shape, 2);
            example a = example_make(&c, 2, false, &d);
            a.penalty = (crs_penalty_value){ .rho = penalties[p], .weight = 0.7 };
            draw_par(&d, a.penalty.rho, 0.3, a.penalty.par);
            if (where == 0) a.T[77] = NAN;
            if (where == 1) a.x[1][3] = NAN;
            crs_envelope *s = envelope_of(&a);
            crs_envelope_sums out = sums_make(&a);
            crs_envelope_evaluate(s, 2, (const double *const *)a.x, &a.penalty, &a.penalty, &out);
            assert_true(isnan(out.value) && isnan(out.value_next) && isnan(out.weights));
            for (int n = 0; n < 3; n++) {
                double sum = 0;
                for (ptrdiff_t k = 0; k < shape.dim[n] * 2; k++) sum += out.gradient[n][k];
                assert_true(isnan(sum));
            }
            sums_free(&out);
            crs_envelope_free(s);
            example_free(&a);
        }
}

static void refused(crs_envelope_settings c)
{
    crease_error e = { CREASE_OK, "" };
    const double T[4] = { 0 };
    assert_null(crs_envelope_new(&c, T, &e));
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    assert_int_equal(crs_envelope_bytes(&c, NULL), -1);
}

static void refusals(void **state)
{
    const crease_space square = { .order = 2, .dim = { 2, 2 } };
    crs_envelope_settings c = settings_for(&square, 1);
    (void)state;
    assert_true(crs_envelope_bytes(&c, NULL) > 0);
    const double bad[] = { 0, -1, INFINITY, NAN };
    for (int k = 0; k < 4; k++) {
        c.alpha_noise = bad[k];
        refused(c);
    }
    c = settings_for(&square, 0);
    refused(c);
    c = settings_for(&square, 1);
    c.threads = 0;
    refused(c);
    c.threads = 1;
    c.shape.order = 1;
    refused(c);
    crs_envelope_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(not_a_number_stays),
                                        cmocka_unit_test(refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
