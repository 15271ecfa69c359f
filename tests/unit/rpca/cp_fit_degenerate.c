/* SPDX-License-Identifier: MIT
 * cp_fit_degenerate: shapes of one entry, zeros, constants, nothing observed: certified all the
 * same
 */
#include "rpca/rpca.h"
#include "support/cp_fit_case.h"

static void judge(fit_case *c)
{
    const double *factor[CREASE_MAX_ORDER];
    const crease_outcome o = fit_run(c);
    if (o != CREASE_STATIONARY)
        fail_msg("%s: %s at %g", crease_method_name(c->s.run.method), crease_outcome_text(o),
                 crease_cp_fit_certificate(c->fit)->worst_relative);
    const crease_cp_claim claim = fit_claim(c, factor);
    crease_verification v;
    assert_true(crease_cp_verify(&claim, 1e-6, true, &v, NULL));
    if (v.verdict != CREASE_VERDICT_VALID) fail_msg("%s", v.text);
    crease_verification_free(&v);
    fit_free(c);
}

enum { PLAIN, OVER_RANK, ZERO, CONSTANT, ALL_MISSING, SLICE_MISSING, TRIALS };

/* Degenerate data and shapes end certified, whatever the method. */
static void test_degenerate(void **state)
{
    const crease_space shapes[] = { fit_shape(3),
                                    { .order = 3, .dim = { 1, 9, 11 } },
                                    { .order = 3, .dim = { 1, 1, 1 } },
                                    { .order = 4, .dim = { 3, 1, 5, 1 } },
                                    { .order = 2, .dim = { 12, 1 } } };
    (void)state;
    for (int m = 0; m < 4; m++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int trial = 0; trial < TRIALS; trial++) {
                fit_case c = fit_draw(&shapes[k], false, 1);
                c.s.run.method = fit_methods[m];
                c.s.model.missing = trial == ALL_MISSING || trial == SLICE_MISSING;
                if (trial == OVER_RANK) c.s.model.rank = 14, c.s.model.ridge = 0.1;
                const ptrdiff_t slice = c.size / c.shape.dim[0];
                for (ptrdiff_t j = 0; j < c.size; j++) {
                    if (trial == ZERO) c.tensor[j] = 0;
                    if (trial == CONSTANT) c.tensor[j] = 2.5;
                    if (trial == ALL_MISSING) c.tensor[j] = NAN;
                    if (trial == SLICE_MISSING && j < slice) c.tensor[j] = NAN;
                    c.given[j] = c.tensor[j];
                }
                judge(&c);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_degenerate) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
