/* SPDX-License-Identifier: MIT
 * verify_verdicts: given subgradients, the checker's own choice, and upper bounds */
#include "support/verify_test.h"

enum { N = 2 };

static const crease_space space = { 1, { N }, NULL };

static void texts(void **state)
{
    (void)state;
    assert_string_equal(crease_verdict_text(CREASE_VERDICT_UNSUPPORTED), "UNSUPPORTED");
    assert_string_equal(crease_verdict_text(CREASE_VERDICT_INVALID), "INVALID");
    assert_string_equal(crease_verdict_text(CREASE_VERDICT_VALID), "VALID");
    assert_string_equal(crease_verdict_text(CREASE_VERDICT_UPPER_BOUND_ONLY), "UPPER-BOUND-ONLY");
    assert_string_equal(crease_verdict_text((crease_verdict)9), "unknown verdict");
    assert_int_equal(CREASE_VERDICT_UNSUPPORTED, 0);
    crease_verification_free(NULL);
}

/* f = <c, x>, r = |x|_1 on a simplex in disguise, at (1, 0): g_1 = 1, and of all g_2 in [-1, 1]
 * only those >= 1/2 prove that the gap is 0; the one nearest to -c is -1/2. */
typedef struct {
    crease_set inner, set;
    crease_affine_set same;
    double c[N], x[N];
    const double *linear[1], *at[1];
    crease_quadratic_data q;
    crease_block block;
    crease_problem p;
} disguise;

static void make_disguise(disguise *s)
{
    *s = (disguise){ .inner = crease_simplex(1), .c = { 0, 0.5 }, .x = { 1, 0 } };
    s->same = (crease_affine_set){ &s->inner, 1, NULL };
    s->set = crease_affine(&s->same);
    s->linear[0] = s->c, s->at[0] = s->x;
    s->q = (crease_quadratic_data){ .linear = s->linear, .blocks = 1 };
    s->block = (crease_block){ .reg = crease_l1(1), .set = &s->set };
    s->p = (crease_problem){ .count = 1, .space = &space, .block = &s->block };
    s->p.f = crease_quadratic(&s->q);
}

static crease_verification with_g(const disguise *s, const double *g, double eps)
{
    const double *const all[] = { g };
    crease_verification v;
    assert_true(crease_verify(&s->p, s->at, NULL, all, false, eps, false, &v, NULL));
    return v;
}

static void assert_given(const disguise *s, const double *g, crease_verdict verdict, double least)
{
    crease_verification v = with_g(s, g, 1e-12);
    assert_int_equal(v.verdict, verdict);
    assert_close(v.smallest_eps, least, 1e-14);
    crease_verification_free(&v);
}

static void given_subgradients(void **state)
{
    disguise s;
    (void)state;
    make_disguise(&s);
    assert_given(&s, NULL, CREASE_VERDICT_UPPER_BOUND_ONLY, 1);
    assert_given(&s, (double[]){ 1, -1 }, CREASE_VERDICT_UPPER_BOUND_ONLY, 1);
    assert_given(&s, (double[]){ 1, 0.25 }, CREASE_VERDICT_UPPER_BOUND_ONLY, 0.25);
    assert_given(&s, (double[]){ 1, 0.5 }, CREASE_VERDICT_VALID, 0);
    assert_given(&s, (double[]){ 1, 1 }, CREASE_VERDICT_VALID, 0);
    assert_given(&s, (double[]){ 1, 1 + 0x1p-52 }, CREASE_VERDICT_VALID, 0);
    assert_given(&s, (double[]){ 1, 1.0001 }, CREASE_VERDICT_INVALID, INFINITY);
    assert_given(&s, (double[]){ 0.9999, 1 }, CREASE_VERDICT_INVALID, INFINITY);
    assert_given(&s, (double[]){ 1, NAN }, CREASE_VERDICT_INVALID, INFINITY);
    crease_verification v = with_g(&s, (double[]){ 1, 1.25 }, 1);
    assert_true(strstr(v.text, "g is 0.25 away") != NULL);
    crease_verification_free(&v);
}

/* On the simplex itself the checker knows the best choice, and on a box both slopes of a kink. */
static void best_choices(void **state)
{
    const crease_set plain = crease_simplex(1), box = crease_box(-1, 1);
    disguise s;
    (void)state;
    make_disguise(&s);
    s.block.set = &plain;
    assert_given(&s, NULL, CREASE_VERDICT_VALID, 0);
    s.c[1] = -2; /* now gap = 1 - (-2 + 1) = 2 for the best g */
    assert_given(&s, NULL, CREASE_VERDICT_INVALID, 2);
    s.block = (crease_block){ .reg = crease_capped_l1(1, 0.5), .set = &box };
    s.x[0] = 0.5, s.c[0] = 0, s.c[1] = 0.5;
    assert_given(&s, NULL, CREASE_VERDICT_VALID, 0);
    s.c[0] = -1;
    assert_given(&s, NULL, CREASE_VERDICT_VALID, 0);
    s.c[0] = -0.25; /* min of 0.75 * 1.5 and 0.25 * 0.5 */
    assert_given(&s, NULL, CREASE_VERDICT_INVALID, 0.125);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts),
        cmocka_unit_test(given_subgradients),
        cmocka_unit_test(best_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
