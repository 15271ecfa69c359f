/* SPDX-License-Identifier: MIT
 * verify_refusals: what the checker does not support, and wrong arguments */
#include "reg/reg.h"
#include "set/set.h"
#include "smooth/smooth.h"
#include "support/verify_test.h"

enum { N = 2 };

static const crease_space space = { 1, { N }, NULL };
static const double x[N] = { 1, 0 };

static void assert_unsupported(const crease_problem *p, const double *const *at, bool gcg)
{
    crease_verification v;
    crease_error e = { 0 };
    if (!crease_verify(p, at, at[0], NULL, gcg, 1, false, &v, &e)) fail_msg("%s", e.text);
    assert_int_equal(v.verdict, CREASE_VERDICT_UNSUPPORTED);
    assert_true(strncmp(v.text, "unsupported: ", 13) == 0 && isinf(v.smallest_eps));
    crease_verification_free(&v);
}

/* Copies of the tables under the same names are not the catalogue's. */
static void the_users_own_is_unsupported(void **state)
{
    const crease_reg_ops reg = crs_separable_ops;
    const crease_penalty penalty = crs_l1;
    crease_set_ops set = crs_box_ops;
    const crease_smooth_ops smooth = crs_squared_distance_ops;
    const crease_set own_set = { .ops = &set, .par = { -1, 1 } };
    crease_map_ops map = *crease_identity(1).ops;
    single s;
    (void)state;
    set.name = "my box";
    make_single(&s, &space, 1, NULL, NULL, NULL, x);
    assert_true(verdict_on(&s.p, s.at, NULL, 1) != CREASE_VERDICT_UNSUPPORTED);
    s.block.reg = crease_l1(1);
    s.block.reg.ops = &reg;
    assert_unsupported(&s.p, s.at, false);
    s.block.reg = crease_separable(&penalty, (double[]){ 1 });
    assert_unsupported(&s.p, s.at, false);
    s.block = (crease_block){ .set = &own_set };
    assert_unsupported(&s.p, s.at, false);
    s.block = (crease_block){ .map = { .ops = &map, .par = { 1 } } };
    s.p.range = space;
    assert_unsupported(&s.p, s.at, false);
    s.block = (crease_block){ 0 };
    s.p.range.order = 0;
    s.p.f.ops = &smooth;
    assert_unsupported(&s.p, s.at, false);
}

static void same(const void *self, double *v, int n) { (void)self, (void)v, (void)n; }

static void other_refusals(void **state)
{
    const crease_comm comm = { same, same, NULL };
    const crease_set simplex = crease_simplex(1), orthant = crease_orthant();
    crease_space split = space;
    single s;
    (void)state;
    make_single(&s, &space, 1, NULL, NULL, NULL, x);
    split.comm = &comm;
    s.p.f.ops = NULL;
    s.p.space = &split;
    assert_unsupported(&s.p, s.at, false);
    make_single(&s, &space, 1, NULL, NULL, NULL, x);
    s.block = (crease_block){ .reg = crease_l0(1), .set = &simplex };
    assert_unsupported(&s.p, s.at, false); /* l0 is not Lipschitz, the simplex no box */
    s.block = (crease_block){ .reg = crease_l1(1), .set = &orthant };
    assert_unsupported(&s.p, s.at, true); /* not compact */
    s.block = (crease_block){ .reg = crease_mcp(1, 2), .set = &simplex };
    assert_unsupported(&s.p, s.at, true);
    s.block = (crease_block){ 0 };
    assert_unsupported(&s.p, s.at, true);
    s.block = (crease_block){ .set = &simplex, .map = crease_identity(1) };
    s.p.range = space;
    assert_unsupported(&s.p, s.at, true);
}

static void large_matrices(void **state)
{
    const crease_space large = crease_matrix(600, 600);
    double *zeros = doubles(360000);
    const double *const at[] = { zeros };
    const crease_block block = { .reg = crease_nuclear(1) };
    const crease_problem p = { .count = 1, .space = &large, .block = &block };
    (void)state;
    assert_unsupported(&p, at, false);
    free(zeros);
}

static void assert_refused(const crease_problem *p, const double *const *at, double eps,
                           const char *word)
{
    crease_verification v;
    crease_error e = { 0 };
    assert_false(crease_verify(p, at, NULL, NULL, false, eps, false, &v, &e));
    assert_false(crease_verify(p, at, NULL, NULL, false, eps, false, &v, NULL));
    if (!strstr(e.text, word)) fail_msg("%s", e.text);
    assert_true(v.verdict == CREASE_VERDICT_UNSUPPORTED && !v.residual && v.count == 0);
}

static void wrong_arguments(void **state)
{
    const double *const none[] = { NULL };
    const crease_set negative = crease_simplex(-1);
    single s;
    (void)state;
    make_single(&s, &space, 1, NULL, NULL, NULL, x);
    assert_refused(&s.p, s.at, NAN, "eps");
    assert_refused(&s.p, s.at, -1, "eps");
    assert_refused(&s.p, none, 1, "x[0]");
    s.block.map = crease_identity(1);
    s.p.range = space;
    assert_refused(&s.p, s.at, 1, "lambda");
    s.block.set = &negative;
    assert_refused(&s.p, s.at, 1, "simplex");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_users_own_is_unsupported),
        cmocka_unit_test(other_refusals),
        cmocka_unit_test(large_matrices),
        cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
