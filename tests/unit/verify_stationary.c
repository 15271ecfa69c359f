/* SPDX-License-Identifier: MIT
 * verify_stationary: minimizers known from a prox, a projection or a linear oracle are VALID at
 * 1e-12 */
#include "penalties.h"
#include "verify_test.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proximal_points_are_valid),
        cmocka_unit_test(projections_and_oracles_are_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
