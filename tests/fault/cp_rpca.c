/* SPDX-License-Identifier: MIT
 * cp_rpca: building, generating and describing survive any one of their allocations failing */
#include "support/survive.h"

static const crease_space shape = { .order = 3, .dim = { 4, 3, 5 } };

static bool generate(crease_error *e)
{
    crease_cp_recipe r = crease_cp_recipe_default(&shape, 2);
    r.outliers = 0.1;
    crease_cp_instance *c = crease_cp_generate(&r, e);
    crease_cp_instance_free(c);
    return c;
}

static bool build(crease_error *e, bool unconstrained)
{
    double t[60];
    for (int j = 0; j < 60; j++) t[j] = j % 7 ? sin(j) : NAN;
    crease_cp_rpca_settings s = crease_cp_rpca_default(&shape, 2);
    s.missing = true, s.unconstrained = unconstrained;
    s.penalty = crease_group_l1(1, NULL), s.groups = CREASE_GROUPS_FIBRES;
    crease_cp_rpca *m = crease_cp_rpca_new(&s, t, e);
    crease_cp_rpca_free(m);
    return m;
}

static bool build_constrained(crease_error *e) { return build(e, false); }
static bool build_unconstrained(crease_error *e) { return build(e, true); }

static bool describe(crease_error *e)
{
    double t[60], u0[8], u1[6], u2[10], weight[2], *unit[] = { u0, u1, u2 };
    const double *factor[] = { t, t, t };
    ptrdiff_t rank;
    for (int j = 0; j < 60; j++) t[j] = cos(j);
    return crease_cp_components(&shape, 2, factor, unit, weight, e) &&
           crease_cp_rank(&shape, t, NULL, &rank, e);
}

static void survive(void **state)
{
    fallible *const call[] = { generate, build_constrained, build_unconstrained, describe };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
