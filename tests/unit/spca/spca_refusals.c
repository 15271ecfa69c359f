/* SPDX-License-Identifier: MIT
 * spca_refusals: settings, data and options that are wrong, each in a sentence */
#include "support/test.h"

static const crease_space shape = { .order = 3, .dim = { 2, 2, 2 } };
static const double good[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static void refused(const crease_spca_settings *s, const double *t, crease_code code,
                    const char *word)
{
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_spca_new(s, t, &e));
    assert_null(crease_spca_new(s, t, NULL));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' lacks '%s'", e.text, word);
}

static void settings(void **state)
{
    const crease_spca_settings plain = crease_spca_default(&shape);
    const double bad_alpha[] = { -1, NAN, INFINITY }, bad_fraction[] = { 0, 1, NAN };
    (void)state;
    for (int k = 0; k < 3; k++) {
        crease_spca_settings s = plain;
        s.alpha = bad_alpha[k];
        refused(&s, good, CREASE_BAD_ARGUMENT, "alpha");
        s = plain, s.fraction = bad_fraction[k];
        refused(&s, good, CREASE_BAD_ARGUMENT, "fraction");
    }
    crease_spca_settings s = plain;
    s.threshold = NAN;
    refused(&s, good, CREASE_BAD_ARGUMENT, "threshold");
    s = plain, s.starts = 0;
    refused(&s, good, CREASE_BAD_ARGUMENT, "0 starts");
    s = plain, s.shape.order = 1;
    refused(&s, good, CREASE_BAD_SHAPE, "1 dimension");
    s = plain, s.shape.dim[1] = 0;
    refused(&s, good, CREASE_BAD_SHAPE, "dimension");
    const crease_reg no_prox[] = { crease_capped_l1(1, 1), crease_lq(1, 0.5), crease_l_half(1) };
    for (int k = 0; k < 3; k++) {
        s = plain, s.penalty = no_prox[k];
        refused(&s, good, CREASE_UNSUPPORTED, "no exact joint prox");
    }
    s = plain, s.penalty = crease_scad(1, 2);
    refused(&s, good, CREASE_BAD_ARGUMENT, "scad");
}

static void data(void **state)
{
    const crease_spca_settings s = crease_spca_default(&shape);
    const double odd[] = { NAN, INFINITY, -INFINITY, 1e200, 1e308 };
    (void)state;
    refused(&s, NULL, CREASE_BAD_ARGUMENT, "no tensor");
    for (int k = 0; k < 5; k++) {
        double t[8] = { 0 };
        t[5] = odd[k];
        refused(&s, t, CREASE_BAD_DATA, k < 3 ? "entry 6" : "too large");
        t[5] = 1e-200;
        refused(&s, t, CREASE_BAD_DATA, "too small");
    }
}

static void options(void **state)
{
    const crease_spca_settings s = crease_spca_default(&shape);
    crease_spca *m = crease_spca_new(&s, good, NULL);
    crease_spca_component c;
    crease_error e;
    (void)state;
    crease_options o = crease_spca_options(m);
    o.method = CREASE_METHOD_ADMM_G;
    assert_false(crease_spca_next(m, &o, &c, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    assert_non_null(strstr(e.text, "prox-bcd or gcg"));
    o = crease_spca_options(m), o.eps = NAN;
    assert_false(crease_spca_next(m, &o, &c, &e));
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    crease_spca_free(m);

    crease_spca_settings nonconvex = s;
    nonconvex.penalty = crease_mcp(1, 3);
    m = crease_spca_new(&nonconvex, good, NULL);
    o = crease_spca_options(m), o.method = CREASE_METHOD_GCG;
    assert_false(crease_spca_next(m, &o, &c, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    crease_spca_free(m);
    crease_spca_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(settings), cmocka_unit_test(data),
                                        cmocka_unit_test(options) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
