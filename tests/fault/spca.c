/* SPDX-License-Identifier: MIT
 * spca: building, solving and verifying survive any one of their allocations failing */
#include "support/survive.h"

static bool verify(const crease_spca_settings *s, const double *t, const crease_spca_component *c,
                   crease_error *e)
{
    double factor[3][5];
    const double *factors[3];
    crease_verification v;
    for (int n = 0; n < 3; n++) {
        for (ptrdiff_t j = 0; j < s->shape.dim[n]; j++) factor[n][j] = c->x[n][j] / c->length[n];
        factors[n] = factor[n];
    }
    const crease_spca_claim claim = { .shape = s->shape,
                                      .tensor = t,
                                      .penalty = s->penalty,
                                      .count = 1,
                                      .columns = 1,
                                      .alpha = &c->alpha,
                                      .point = c->x,
                                      .factor = factors,
                                      .weight = &c->sigma,
                                      .eps = c->eps,
                                      .gap = c->method == CREASE_METHOD_GCG };
    if (!crease_spca_verify(&claim, &v, e)) return false;
    assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
    crease_verification_free(&v);
    return true;
}

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
    bool done = m && crease_spca_next(m, &o, &c, e);
    assert_true(!done || c.verdict == CREASE_VERDICT_VALID);
    done = done && verify(&s, t, &c, e);
    crease_spca_free(m);
    return done;
}

static bool by_bcd(crease_error *e) { return find(CREASE_METHOD_PROX_BCD, e); }
static bool by_gcg(crease_error *e) { return find(CREASE_METHOD_GCG, e); }

static void any_failed_allocation_is_survived(void **state)
{
    fallible *const call[] = { by_bcd, by_gcg };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(any_failed_allocation_is_survived) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
