/* SPDX-License-Identifier: MIT
 * envelope_solver: where it says stationary, the residual of the definition agrees, for every
 * order, penalty, mask, sign and ridge; F falls on the way */
#include <stdio.h>

#include "support/envelope_run.h"

static const crease_space shapes[] = {
    { .order = 2, .dim = { 18, 25 } },        { .order = 3, .dim = { 6, 7, 8 } },
    { .order = 3, .dim = { 12, 1, 9 } },      { .order = 4, .dim = { 4, 5, 3, 6 } },
    { .order = 5, .dim = { 3, 4, 3, 2, 4 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const crs_penalty_value weighted[] = {
    { &crs_l1, { 1 }, 0.8 },         { &crs_mcp, { 0.8, 3 }, 1 }, { &crs_scad, { 0.8, 4 }, 1 },
    { &crs_lsp, { 1, 2 }, 1 },       { &crs_l1, { 2 }, 0.1 },     { &crs_huber, { 1, 0.5 }, 1 },
    { &crs_squared_l2, { 1 }, 0.7 },
};
enum { WEIGHTED = sizeof weighted / sizeof *weighted };

static char doing[200];

static void one_case(const crease_space *shape, const crs_penalty_value *penalty, int variant,
                     draws *d)
{
    const bool masked = variant & 1, nonneg = variant & 2;
    const crs_envelope_settings pass = {
        .shape = *shape, .rank = 2, .alpha_noise = 1.3, .threads = 1
    };
    example a = example_make(&pass, 2, masked, d);
    crs_envelope_solver_settings c = crs_envelope_solver_default(shape, 2);
    c.penalty = *penalty;
    c.alpha_noise = 1.3;
    c.mask = a.mask;
    c.nonneg = nonneg;
    c.nu = variant & 4 ? 0.05 : 0;
    c.prune = false;
    c.path = !(variant & 4);
    snprintf(doing, sizeof doing, "order %d %s variant %d", shape->order, penalty->rho->name,
             variant);
    crs_envelope_solver *s = solver_of(&c, a.T);
    started(s, 2, a.x);
    const crs_envelope_progress *p = run(s, 4000);
    if (p->status != CRS_ENVELOPE_STATIONARY)
        fail_msg("%s: status %d after %ld passes, residual %g", doing, p->status, p->passes,
                 p->worst);
    assert_true(p->worst <= c.eps);
    const double worst = naive_residual(&a, s, c.nu, nonneg);
    if (!(worst <= 1.001 * c.eps)) fail_msg("%s: residual %g by the definition", doing, worst);
    crs_envelope_solver_free(s);
    example_free(&a);
}

static void everywhere(void **state)
{
    (void)state;
    draws d = { 0 };
    for (int k = 0; k < SHAPES; k++)
        for (int f = 0; f < WEIGHTED; f++)
            for (int variant = 0; variant < 8; variant++)
                one_case(shapes + k, weighted + f, variant, &d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(everywhere) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
