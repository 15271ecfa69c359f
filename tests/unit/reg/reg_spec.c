/* SPDX-License-Identifier: MIT
 * reg_spec: regularizers by name */
#include "support/test.h"

static bool make(const char *text, crease_spec *spec, crease_reg *r, crease_error *e)
{
    return crease_spec_parse(text, spec, e) && crease_reg_from_spec(spec, r, e);
}

/* Numbers after the name are the weights; their number is the caller's to compare. */
static void weighted_l1_takes_a_vector(void **state)
{
    const crease_space s = crease_vector(3);
    const double v[] = { 5, -5, 5 };
    crease_spec spec;
    crease_reg r;
    crease_error e;
    double x[3];
    (void)state;
    assert_true(make("weighted-l1:1,2,6", &spec, &r, &e));
    assert_int_equal(spec.count, 3);
    assert_true(crease_prox(&r, &s, 1, v, x, &e));
    assert_true(x[0] == 4 && x[1] == -3 && x[2] == 0);
    crease_spec_free(&spec);
    assert_true(make("weighted-l1", &spec, &r, &e)); /* the weights may come from elsewhere */
    assert_false(crease_reg_check(&r, &s, &e));
    assert_non_null(strstr(e.text, "3 numbers"));
    r.weight = v;
    assert_false(crease_reg_check(&r, &s, &e));
    crease_spec_free(&spec);
}

static void parameters_are_the_penaltys(void **state)
{
    crease_spec spec;
    crease_reg r;
    crease_error e;
    (void)state;
    assert_true(make("nonneg-scad:2,3.7", &spec, &r, &e));
    assert_true(r.par[0] == 2 && r.par[1] == 3.7 && !r.weight);
    crease_spec_free(&spec);
    assert_true(make("box:-inf,2", &spec, &r, &e));
    assert_true(r.par[0] == -INFINITY && r.par[1] == 2);
    crease_spec_free(&spec);
    assert_false(make("scad:2,2", &spec, &r, &e));
    assert_non_null(strstr(e.text, "a = 2"));
    crease_spec_free(&spec);
    assert_false(make("box:1", &spec, &r, &e));
    crease_spec_free(&spec);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weighted_l1_takes_a_vector),
        cmocka_unit_test(parameters_are_the_penaltys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
