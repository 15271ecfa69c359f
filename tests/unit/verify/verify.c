/* SPDX-License-Identifier: MIT
 * verify: every corruption of an exactly stationary point is caught */
#include "support/verify_test.h"

enum { N = 6 };

static const crease_space space = { 1, { N }, NULL };

/* min |x|_1 + (1/2)|y - d|^2 with x - y = 0 in eighths: y = d - lambda', all exact. */
typedef struct {
    double x[2], y[2], lambda[2], d[2];
    crease_distance_data distance;
    crease_space space[2];
    crease_block block[2];
    crease_problem p;
    const double *at[2];
} split;

static void make_split(split *s)
{
    *s = (split){ { 2, 0 }, { 2, 0 }, { 1, 0.25 }, { 3, 0.25 }, .at = { s->x, s->y } };
    s->distance = (crease_distance_data){ 1, -1, 1, s->d };
    s->space[0] = s->space[1] = crease_vector(2);
    s->block[0] = (crease_block){ .reg = crease_l1(1), .map = crease_identity(1) };
    s->block[1] = (crease_block){ .map = crease_identity(-1), .name = "copy" };
    s->p = (crease_problem){
        2, s->space, s->block, crease_squared_distance(&s->distance), crease_vector(2), NULL
    };
}

static void assert_caught(split *s, double *entry, double value, int block)
{
    const double kept = *entry;
    *entry = value;
    crease_verification v = verified(&s->p, s->at, s->lambda, 1e-8, false);
    assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
    assert_int_equal(v.worst_block, block);
    assert_true(v.smallest_eps > 1e-8);
    crease_verification_free(&v);
    *entry = kept;
    assert_int_equal(verdict_on(&s->p, s->at, s->lambda, 1e-15), CREASE_VERDICT_VALID);
}

static void corruptions_are_caught(void **state)
{
    split s;
    (void)state;
    make_split(&s);
    assert_int_equal(verdict_on(&s.p, s.at, s.lambda, 1e-15), CREASE_VERDICT_VALID);
    assert_caught(&s, &s.x[0], 2 + 1e-7, -1);
    assert_caught(&s, &s.y[1], 1e-7, -1);
    assert_caught(&s, &s.x[1], 1e-300, 0);  /* the slope there is 1, not 1/4 */
    assert_caught(&s, &s.x[1], -1e-300, 0); /* and here -1 */
    assert_caught(&s, &s.lambda[0], 1 + 1e-6, 0);
    assert_caught(&s, &s.lambda[1], 0.25 - 1e-6, 1);
    assert_caught(&s, &s.d[0], 3 - 1e-6, 1);
}

static void assert_not_finite(split *s, double *entry, double value, const char *text)
{
    const double kept = *entry;
    *entry = value;
    crease_verification v = verified(&s->p, s->at, s->lambda, INFINITY, false);
    assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
    assert_true(isinf(v.smallest_eps));
    if (!strstr(v.text, text)) fail_msg("'%s' is not in '%s'", text, v.text);
    crease_verification_free(&v);
    *entry = kept;
}

static void not_finite_is_invalid(void **state)
{
    split s;
    (void)state;
    make_split(&s);
    assert_not_finite(&s, &s.x[1], NAN, "block x1: entry 2 of x is nan");
    assert_not_finite(&s, &s.y[0], -INFINITY, "block copy: entry 1 of x is -inf");
    assert_not_finite(&s, &s.lambda[1], NAN, "the constraint: entry 2 of lambda is nan");
    s.x[0] = s.y[0] = 1e308, s.distance.weight = 1e10; /* c = 1e318 is no double */
    crease_verification v = verified(&s.p, s.at, s.lambda, 1e300, false);
    assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
    assert_true(isinf(v.smallest_eps) && strstr(v.text, "residual is inf"));
    crease_verification_free(&v);
}

static double nothing(void *user, const double *const *x) { return (void)user, (void)x, 0.0; }
static void not_a_number(void *user, const double *const *x, int i, double *g)
{
    (void)user, (void)x, (void)i;
    g[0] = NAN;
}

static void callbacks_may_not_give_nan(void **state)
{
    const crease_callback_smooth call = { nothing, not_a_number, NULL, { .L = 1 }, NULL };
    const double x[N] = { 0 };
    single s;
    (void)state;
    make_single(&s, &space, 1, NULL, NULL, NULL, x);
    s.p.f = crease_smooth_callback(&call);
    crease_verification v = verified(&s.p, s.at, NULL, INFINITY, false);
    assert_true(v.verdict == CREASE_VERDICT_INVALID && v.trusted_callback);
    assert_true(strstr(v.text, "residual is") && v.worst_block == 0);
    crease_verification_free(&v);
}

/* A point of each set, moved out of it a little. */
static void outside_is_invalid(void **state)
{
    static const double a[N] = { 1, -1, 0.5, 2, 0, 0.25 };
    const crease_set sets[] = {
        crease_box(-0.5, 1),    crease_orthant(),        crease_l1_ball(1),
        crease_l2_ball(1),      crease_linf_ball(1),     crease_lp_ball(1, 3),
        crease_simplex(1),      crease_full_simplex(1),  crease_capped_simplex(2),
        crease_k_sparse(1, 2),  crease_k_support(1, 2),  crease_permutahedron(a),
        crease_nuclear_ball(1), crease_spectral_ball(1),
    };
    draws d = { .r = { .seed = 63 } };
    const crease_space matrix = crease_matrix(2, 3);
    (void)state;
    for (int k = 0; k < 14 * 40; k++) {
        const crease_set *set = &sets[k % 14];
        double c[N], x[N];
        single s;
        for (int j = 0; j < N; j++) c[j] = k % 14 == 1 ? 1 + uniform(&d, 0, 1) : normal(&d);
        assert_true(crease_lmo(set, &matrix, c, x, NULL));
        make_single(&s, &matrix, 1, c, NULL, set, x);
        assert_true(verdict_on(&s.p, s.at, NULL, 1e3) == CREASE_VERDICT_VALID);
        const double out = crs_norm(N, c);
        for (int j = 0; j < N; j++) x[j] -= 1e-9 * c[j] / out; /* beyond an extreme point */
        crease_verification v = verified(&s.p, s.at, NULL, 1e3, false);
        assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
        assert_true(v.outside > 1e-11 && v.outside < 1e-8 && isinf(v.smallest_eps));
        assert_true(strstr(v.text, "outside") != NULL);
        crease_verification_free(&v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corruptions_are_caught),
        cmocka_unit_test(not_finite_is_invalid),
        cmocka_unit_test(callbacks_may_not_give_nan),
        cmocka_unit_test(outside_is_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
