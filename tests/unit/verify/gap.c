/* SPDX-License-Identifier: MIT
 * gap: the checker's -psi_S(x) agrees with the certificate's, is 0 at minimizers and never
 * below what any point of the set proves */
#include "support/verify_test.h"

enum { N = 9, SETS = 22, REGS = 8 };

static const crease_space space = { 2, { 3, 3 }, NULL };
static const double weights[N] = { 0.5, 1, 2, 0, 1.5, 1, 0.25, 3, 1 };
static const double a[N] = { 0.9, -0.4, 0.3, 1.2, 0, 0, 0.7, -1, 0.2 };
static const double low[N] = { -1, -0.5, 0, -2, -1, 0.1, -0.3, -1, 0 };
static const double high[N] = { 1, 0.5, 0, 1, 0, 0.6, 2, 1, 0.8 };
static const crease_bounds bounds = { 0, 0, low, high };

static crease_set set_at(int k)
{
    const crease_set all[SETS] = {
        crease_box(-0.4, 1.2),     crease_box_array(&bounds),
        crease_l1_ball(0.9),       crease_l2_ball(0.8),
        crease_linf_ball(0.7),     crease_lp_ball(0.9, 3),
        crease_lp_ball(0.9, 1.4),  crease_simplex(1.3),
        crease_full_simplex(1.1),  crease_capped_simplex(4),
        crease_k_sparse(0.8, 3),   crease_k_support(0.9, 3),
        crease_nuclear_ball(1.2),  crease_spectral_ball(0.7),
        crease_spectrahedron(1.1), crease_birkhoff(),
        crease_permutahedron(a),   crease_box_hyperplane(-0.6, 0.9, a, 0.1),
        crease_capped_soc(0.8),    crease_capped_psd(0.9),
        crease_column_balls(0.6),  crease_row_balls(0.7),
    };
    return all[k];
}

static crease_reg reg_at(int k, crease_reg *inner)
{
    *inner = crease_elastic_net(0.2, 0.6);
    const crease_reg all[REGS] = {
        crease_zero(),
        crease_l1(0.4),
        crease_weighted_l1(weights),
        crease_squared_l2(0.7),
        crease_elastic_net(0.3, 1.1),
        crease_scaled(1.5, inner),
        crease_nonneg_indicator(),
        crease_weighted(crease_squared_l2(0.8), weights), /* one weight is 0 */
    };
    return all[k];
}

/* psi_S by the definition over some points: min_y <c, y-x> + r(y) - r(x) is no more than this. */
static double best_of_some(draws *d, const crease_reg *r, const crease_set *set, const double *c,
                           const double *x)
{
    double here, best = 0;
    assert_true(crease_reg_value(r, &space, x, &here, NULL));
    for (int k = 0; k < 20; k++) {
        double v[N], y[N], there;
        for (int j = 0; j < N; j++) v[j] = c[j] + normal(d);
        assert_true(crease_lmo(set, &space, v, y, NULL));
        assert_true(crease_reg_value(r, &space, y, &there, NULL));
        for (int j = 0; j < N; j++) there += c[j] * (y[j] - x[j]);
        best = larger(best, here - there);
    }
    return best;
}

/* One random problem with f = <c, x>; true when both have an answer. */
static bool compare(draws *d, const crease_reg *r, const crease_set *set)
{
    double c[N], v[N], x[N], psi;
    const double *const linear[] = { c }, *const at[] = { x };
    const crease_quadratic_data q = { .linear = linear, .blocks = 1 };
    const crease_block block = { .reg = *r, .set = set };
    const crease_problem p = { 1, &space, &block, crease_quadratic(&q), { 0 }, NULL };
    crease_verification out;
    crease_error e = { 0 };
    for (int j = 0; j < N; j++) c[j] = normal(d), v[j] = normal(d);
    assert_true(crease_lmo(set, &space, v, x, NULL));
    const bool known = crease_certify_gcg(&p, at, &psi, &e);
    assert_true(crease_verify(&p, at, NULL, NULL, true, 1, false, &out, NULL));
    const bool checked = out.verdict != CREASE_VERDICT_UNSUPPORTED;
    if (known && checked && fabs(out.smallest_eps + psi) > 1e-10 * fabs(psi) + 1e-13)
        fail_msg("%s on %s: %.17g, certified %.17g", r->penalty ? r->penalty->name : r->ops->name,
                 set->ops->name, out.smallest_eps, -psi);
    if (checked) assert_true(out.smallest_eps >= best_of_some(d, r, set, c, x) - 1e-14);
    if (checked)
        assert_int_equal(out.verdict,
                         out.smallest_eps <= 1 ? CREASE_VERDICT_VALID : CREASE_VERDICT_INVALID);
    crease_verification_free(&out);
    return known && checked;
}

static void agrees(void **state)
{
    draws d = { .r = { .seed = 51 } };
    int compared = 0;
    (void)state;
    for (int k = 0; k < SETS * REGS * 15; k++) {
        crease_reg inner;
        const crease_set set = set_at(k % SETS);
        const crease_reg r = reg_at(k / SETS % REGS, &inner);
        compared += compare(&d, &r, &set);
    }
    assert_true(compared > 1200);
}

/* At the generalized linear oracle's own answer the gap is rounding. */
static void minimizers_are_valid(void **state)
{
    draws d = { .r = { .seed = 52 } };
    int valid = 0;
    (void)state;
    for (int k = 0; k < SETS * REGS * 5; k++) {
        crease_reg inner;
        const crease_set set = set_at(k % SETS);
        const crease_reg r = reg_at(k / SETS % REGS, &inner);
        double c[N], x[N];
        const double *const linear[] = { c }, *const at[] = { x };
        const crease_quadratic_data q = { .linear = linear, .blocks = 1 };
        const crease_block block = { .reg = r, .set = &set };
        const crease_problem p = { 1, &space, &block, crease_quadratic(&q), { 0 }, NULL };
        crease_verification out;
        if (!crease_lmo_with_check(&set, &r, &space, NULL)) continue;
        for (int j = 0; j < N; j++) c[j] = normal(&d);
        double *work = doubles(crease_lmo_with_scratch(&set, &r, &space));
        crease_lmo_with(&set, &r, &space, c, x, work);
        free(work);
        assert_true(crease_verify(&p, at, NULL, NULL, true, 1e-12, true, &out, NULL));
        if (out.verdict != CREASE_VERDICT_UNSUPPORTED && out.verdict != CREASE_VERDICT_VALID)
            fail_msg("%s: %s", set.ops->name, out.text);
        valid += out.verdict == CREASE_VERDICT_VALID;
        crease_verification_free(&out);
    }
    assert_true(valid > 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees),
        cmocka_unit_test(minimizers_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
