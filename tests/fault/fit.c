/* SPDX-License-Identifier: MIT
 * fit: fits and their check survive any one of their allocations failing */
#include "rpca/rpca.h"
#include "support/survive.h"

static const crease_space shape = { .order = 3, .dim = { 4, 3, 5 } };

static bool read_part(void *fit, crease_rpca_part part, ptrdiff_t row, double *out)
{
    crease_cp_fit_read(fit, part, row, 1, out);
    return true;
}

static bool check(crease_cp_fit *f, crease_error *e)
{
    const crease_cp_rpca_settings s = crease_cp_fit_used(f).model;
    const double *factor[3];
    crease_verification v;
    crease_cp_claim c = { .shape = shape,
                          .rank = s.rank,
                          .penalty = s.penalty,
                          .alpha = s.alpha,
                          .alpha_noise = s.alpha_noise,
                          .factor = factor,
                          .read = read_part,
                          .user = f };
    for (int n = 0; n < 3; n++) factor[n] = crease_cp_fit_factor(f, n);
    crease_cp_fit_rows(f, &c.left, &c.right);
    if (!crease_cp_verify(&c, 1e-6, true, &v, e)) return false;
    crease_verification_free(&v);
    return true;
}

static bool fit(crease_error *e, crease_method method, bool missing, bool generic)
{
    double t[60];
    for (int j = 0; j < 60; j++) t[j] = missing && j % 7 == 0 ? NAN : sin(j);
    crease_cp_fit_settings s = crease_cp_fit_default(&shape, 2);
    s.model.missing = missing;
    s.run.method = method;
    s.run.max_iterations = 3;
    if (method == CREASE_METHOD_ENVELOPE) s.model.start = CREASE_START_ALS, s.model.clip = 2;
    if (generic) s.model.penalty = crease_group_l1(1, NULL), s.model.groups = CREASE_GROUPS_FIBRES;
    crease_cp_fit *f = crease_cp_fit_new(&s, t, e);
    bool done = f;
    if (f) {
        const long live = allocations_live, left = allocations_left;
        crease_cp_fit_run(f);
        assert_true(allocations_live == live && allocations_left == left); /* none in the loop */
    }
    if (f && !generic) done = check(f, e);
    crease_cp_fit_free(f);
    return done;
}

static bool fused(crease_error *e) { return fit(e, CREASE_METHOD_ADMM_G, false, false); }
static bool masked(crease_error *e) { return fit(e, CREASE_METHOD_ADMM_M, true, false); }
static bool descent(crease_error *e) { return fit(e, CREASE_METHOD_PROX_BCD, true, false); }
static bool envelope(crease_error *e) { return fit(e, CREASE_METHOD_ENVELOPE, true, false); }
static bool groups(crease_error *e) { return fit(e, CREASE_METHOD_AUTO, true, true); }

static void survive(void **state)
{
    fallible *const call[] = { fused, masked, descent, envelope, groups };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
