/* SPDX-License-Identifier: MIT
 * verify_stationary: minimizers known from a prox, a projection or a linear oracle are VALID at
 * 1e-12 */
#include "support/penalties.h"
#include "support/verify_test.h"

enum { N = 6 };

static const crease_space space = { 1, { N }, NULL };

static crease_reg made(int kind, const crease_penalty *p, const double *par, const crease_groups *g)
{
    return kind == 0   ? crease_separable(p, par)
           : kind == 1 ? crease_nonneg(p, par)
           : kind == 2 ? crease_group(p, par, g)
                       : crease_spectral(p, par);
}

/* Ties aside, a global minimizer is stationary; the residual is a few roundings of (v-x)/t. */
static void proximal_points_are_valid(void **state)
{
    static const ptrdiff_t starts[] = { 0, 1, 4, 6 };
    const crease_groups groups = { 3, starts, NULL };
    const crease_space matrix = crease_matrix(2, 3);
    draws d = { .r = { .seed = 61 } };
    (void)state;
    for (int k = 0; k < PENALTIES * 4 * 50; k++) {
        const crease_penalty *p = penalties[k % PENALTIES];
        double par[CREASE_PARS], v[N], x[N];
        const double t = decades(&d, 0.7);
        single s;
        draw_par(&d, p, 0.5, par);
        const crease_reg r = made(k / PENALTIES % 4, p, par, &groups);
        for (int j = 0; j < N; j++) v[j] = 2 * normal(&d);
        assert_true(crease_prox(&r, &matrix, t, v, x, NULL));
        make_single(&s, &matrix, t, v, &r, NULL, x);
        crease_verification out = verified(&s.p, s.at, NULL, 1e-12, false);
        if (out.verdict != CREASE_VERDICT_VALID) fail_msg("%s: %s", p->name, out.text);
        crease_verification_free(&out);
    }
}

static void projections_and_oracles_are_valid(void **state)
{
    static const double a[N] = { 1, -1, 0.5, 2, 0, 0.25 };
    const crease_set sets[] = {
        crease_box(-0.4, 1.2),    crease_l1_ball(0.9),      crease_l2_ball(0.8),
        crease_linf_ball(0.7),    crease_lp_ball(0.9, 3),   crease_simplex(1.3),
        crease_full_simplex(1.1), crease_capped_simplex(2), crease_k_sparse(0.8, 2),
        crease_k_support(0.9, 2), crease_permutahedron(a),  crease_orthant(),
    };
    draws d = { .r = { .seed = 62 } };
    (void)state;
    for (int k = 0; k < 1200; k++) {
        const crease_set *set = &sets[k % 12];
        double v[N], x[N];
        single s;
        for (int j = 0; j < N; j++) v[j] = 2 * normal(&d);
        if (set->ops->project) {
            assert_true(crease_project(set, &space, v, x, NULL));
            make_single(&s, &space, 1, v, NULL, set, x);
            assert_int_equal(verdict_on(&s.p, s.at, NULL, 1e-12), CREASE_VERDICT_VALID);
        }
        if (set->ops->name[0] == 'n') continue; /* the orthant is not bounded */
        const double *const linear[] = { v };
        const crease_quadratic_data q = { .linear = linear, .blocks = 1 };
        assert_true(crease_lmo(set, &space, v, x, NULL));
        make_single(&s, &space, 1, v, NULL, set, x);
        s.p.f = crease_quadratic(&q);
        assert_int_equal(verdict_on(&s.p, s.at, NULL, 1e-12), CREASE_VERDICT_VALID);
    }
}

static crease_reg reg_at(int k, const crease_groups *g)
{
    const crease_reg all[] = {
        crease_l1(0.4),          crease_scad(0.5, 3),    crease_mcp(0.5, 2),
        crease_lsp(0.4, 0.9),    crease_huber(0.8, 0.3), crease_squared_l2(1),
        crease_group_l1(0.4, g), crease_nuclear(0.4),    crease_elastic_net(0.3, 0.5),
    };
    return all[k];
}

/* A joint prox is stationary on the set. Where the checker cannot choose the best subgradient it
 * may say no more than UPPER-BOUND-ONLY, never INVALID. */
static void joint_proximal_points(void **state)
{
    static const ptrdiff_t starts[] = { 0, 1, 4, 6 };
    const crease_groups groups = { 3, starts, NULL };
    const crease_space matrix = crease_matrix(2, 3);
    const crease_set sets[] = { crease_box(-0.4, 0.9),     crease_l2_ball(0.8),
                                crease_l1_ball(0.9),       crease_simplex(1.2),
                                crease_spectral_ball(0.7), crease_nuclear_ball(0.8) };
    draws d = { .r = { .seed = 64 } };
    int valid = 0, bounds = 0;
    (void)state;
    for (int k = 0; k < 9 * 6 * 40; k++) {
        const crease_reg r = reg_at(k % 9, &groups);
        const crease_set *set = &sets[k / 9 % 6];
        double v[N], x[N], most;
        single s;
        if (!crease_joint_check(&r, set, &matrix, &most, NULL)) continue;
        const double t = 0.9 * smaller(most, 1);
        for (int j = 0; j < N; j++) v[j] = 1.5 * normal(&d);
        double *work = doubles(crease_joint_scratch(&r, set, &matrix));
        crease_joint_prox(&r, set, &matrix, t, v, x, work);
        free(work);
        make_single(&s, &matrix, t, v, &r, set, x);
        const crease_verdict verdict = verdict_on(&s.p, s.at, NULL, 1e-10);
        if (verdict == CREASE_VERDICT_INVALID) fail_msg("%d on %s", k % 9, set->ops->name);
        valid += verdict == CREASE_VERDICT_VALID;
        bounds += verdict == CREASE_VERDICT_UPPER_BOUND_ONLY;
    }
    assert_true(valid > 1000 && bounds < 300);
}

/* Nothing pulls, nothing rounds: a scale of 0 is met by a residual of exactly 0. */
static void zero_is_relative_too(void **state)
{
    static const ptrdiff_t starts[] = { 0, 2, 6 };
    const crease_groups groups = { 2, starts, NULL };
    const crease_set ball = crease_l2_ball(1);
    const crease_reg regs[] = { crease_l1(1), crease_scad(0.3, 3), crease_group_l1(2, &groups),
                                crease_tv1d(0.7), crease_l0(1) };
    const double zeros[N] = { 0 };
    single s;
    (void)state;
    for (int k = 0; k < 9; k++) {
        make_single(&s, &space, 1, NULL, &regs[k % 5], k < 5 ? NULL : &ball, zeros);
        crease_verification out = verified(&s.p, s.at, NULL, 0, true);
        if (out.verdict != CREASE_VERDICT_VALID) fail_msg("%d: %s", k, out.text);
        assert_true(out.smallest_eps == 0 && out.residual[0] == 0);
        crease_verification_free(&out);
    }
}

/* (1 + 2^-52)(1 - 2^-52) - 1 = -2^-104 is lost in long double, but not in the bound. */
static void rounding_is_accounted_for(void **state)
{
    const double x[1] = { 1 + 0x1p-52 }, matrix[1] = { 1 - 0x1p-52 }, rhs[1] = { 1 };
    const crease_space one = crease_vector(1);
    const crease_map map = crease_dense(matrix);
    const int block[1] = { 0 };
    const crease_predictor p = { 1, block, &map, one, rhs };
    single s;
    (void)state;
    make_single(&s, &one, 1, NULL, NULL, NULL, x);
    s.p.f = crease_least_squares(&p);
    crease_verification out = verified(&s.p, s.at, NULL, 0, false);
    assert_true(out.verdict == CREASE_VERDICT_INVALID);
    assert_true(out.residual[0] >= 0x1p-104 * (1 - 0x1p-52) && out.residual[0] <= 0x1p-50);
    crease_verification_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proximal_points_are_valid),
        cmocka_unit_test(projections_and_oracles_are_valid),
        cmocka_unit_test(joint_proximal_points),
        cmocka_unit_test(zero_is_relative_too),
        cmocka_unit_test(rounding_is_accounted_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
