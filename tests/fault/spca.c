/* SPDX-License-Identifier: MIT
 * spca: building and solving survive any one of their allocations failing */
#include "support/survive.h"

static bool find(crease_method method, crease_error *e)
{
    const crease_space shape = { .order = 3, .dim = { 4, 3, 5 } };
    double t[60];
    for (int j = 0; j < 60; j++) t[j] = sin(j);
    crease_spca_settings s = crease_spca_default(&shape);
    s.starts = 2;
    crease_spca *m = crease_spca_new(&s, t, e);
    crease_options o = crease_options_default();
    crease_spca_component c;
    o.method = method;
    const bool done = m && crease_spca_next(m, &o, &c, e);
    assert_true(!done || c.verdict == CREASE_VERDICT_VALID);
    crease_spca_free(m);
    return done;
}

static bool by_bcd(crease_error *e) { return find(CREASE_METHOD_PROX_BCD, e); }
static bool by_gcg(crease_error *e) { return find(CREASE_METHOD_GCG, e); }

static void survive(void **state)
{
    fallible *const call[] = { by_bcd, by_gcg };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
