/* SPDX-License-Identifier: MIT
 * cp_rpca_solve: certified solutions of random instances recover the low-rank part, whatever the
 * order, the penalty, the mask, the scale of the data and the order of the modes */
#include "support/rpca_naive.h"

static crease_space sizes(int order)
{
    static const ptrdiff_t dim[3][4] = { { 30, 40 }, { 10, 20, 30 }, { 6, 8, 10, 12 } };
    crease_space s = { .order = order };
    for (int n = 0; n < order; n++) s.dim[n] = dim[order - 2][n];
    return s;
}

static crease_cp_instance *draw(int order, uint64_t seed)
{
    const crease_space s = sizes(order);
    crease_cp_recipe r = crease_cp_recipe_default(&s, 3);
    r.seed = seed;
    return crease_cp_generate(&r, NULL);
}

static void lose_a_fifth(ptrdiff_t n, double *t)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (crease_random_uniform((crease_random){ 7, 7 }, (uint64_t)j) < 0.2) t[j] = NAN;
}

typedef struct {
    double objective, error, error_z;
} found;

/* Solves to a relative certificate of 1e-7 and compares with the truth. */
static found solve(const crease_cp_rpca_settings *s, const double *t, const double *truth,
                   crease_method method, double h)
{
    const ptrdiff_t n = crease_size(&s->shape);
    const int d = s->shape.order;
    crease_options o = crease_options_default();
    crease_error e = { CREASE_OK, "" };
    const double *factor[CREASE_MAX_ORDER];
    found out = { 0 };
    o.relative = 1, o.eps = 1e-7, o.max_iterations = 3000, o.method = method, o.h = h;
    crease_cp_rpca *m = crease_cp_rpca_new(s, t, &e);
    crease_solver *solver = m ? crease_solver_new(crease_cp_rpca_problem(m), &o, &e) : NULL;
    if (!solver) fail_msg("%s", e.text);
    if (crease_solve(solver) != CREASE_STATIONARY)
        fail_msg("order %d: %s, residual %g", d,
                 crease_outcome_text(crease_solver_report(solver).outcome),
                 crease_solver_certificate(solver)->worst_relative);
    assert_true(crease_solver_analysis(solver)->guarantee);
    assert_true(crease_solver_report(solver).audit_violations == 0);
    double *low = doubles(n);
    for (int k = 0; k < d; k++) factor[k] = crease_solution(solver, k);
    assert_true(crease_cp_lowrank(&s->shape, s->rank, factor, low, NULL));
    out.error = crease_relative_error(n, low, truth);
    out.error_z = crease_relative_error(n, crease_solution(solver, d + 1), truth);
    out.objective = crease_solver_certificate(solver)->objective;
    free(low);
    crease_solver_free(solver);
    crease_cp_rpca_free(m);
    return out;
}

static void recovers(void **state)
{
    const crease_reg penalty[] = { crease_l1(1), crease_mcp(1, 2), crease_capped_l1(1, 0.5),
                                   crease_scad(1, 3.7) };
    (void)state;
    for (int order = 2; order <= 4; order++)
        for (int k = 0; k < 8; k++) {
            crease_cp_instance *c = draw(order, (uint64_t)order);
            crease_cp_rpca_settings s = crease_cp_rpca_default(&c->recipe.shape, 3);
            s.start = CREASE_START_HOSVD;
            s.penalty = penalty[k / 2];
            s.missing = k % 2;
            if (s.missing) lose_a_fifth(crease_size(&s.shape), c->tensor);
            const found f = solve(&s, c->tensor, c->lowrank, CREASE_METHOD_AUTO, 0);
            if (!(f.error < 0.01 && f.error_z < 0.02))
                fail_msg("order %d penalty %d missing %d: errors %g and %g", order, k / 2,
                         s.missing, f.error, f.error_z);
            crease_cp_instance_free(c);
        }
}

/* Both forms and three methods meet at the same objective from the same start. */
static void methods_agree(void **state)
{
    const crease_method method[] = { CREASE_METHOD_ADMM_M, CREASE_METHOD_ADMM_G,
                                     CREASE_METHOD_PROX_BCD };
    double objective[3];
    crease_cp_instance *c = draw(3, 5);
    (void)state;
    for (int holes = 0; holes < 2; holes++) {
        if (holes) lose_a_fifth(crease_size(&c->recipe.shape), c->tensor);
        for (int k = 0; k < 3; k++) {
            crease_cp_rpca_settings s = crease_cp_rpca_default(&c->recipe.shape, 3);
            s.missing = holes, s.unconstrained = k == 2, s.ridge = 0.01;
            objective[k] = solve(&s, c->tensor, c->lowrank, method[k], 0).objective;
        }
        assert_close(objective[1], objective[0], 1e-6);
        assert_close(objective[2], objective[0], 1e-6);
    }
    crease_cp_instance_free(c);
}

/* T -> cT with alpha -> c alpha gives Z, E, B -> cZ, cE, cB, X_n -> c^{1/3} X_n and F -> c^2 F for
 * the 1-norm. The Gram matrices G_n shrink by c^{4/3}: h must not dwarf them. */
static void scales(void **state)
{
    crease_cp_instance *c = draw(3, 6);
    const ptrdiff_t n = crease_size(&c->recipe.shape);
    double *t = doubles(n), *truth = doubles(n);
    crease_cp_rpca_settings s = crease_cp_rpca_default(&c->recipe.shape, 3);
    s.alpha = 0.36;
    const found plain = solve(&s, c->tensor, c->lowrank, CREASE_METHOD_AUTO, 0);
    (void)state;
    for (double by = 1e-6; by < 1e7; by *= 1e12) {
        for (ptrdiff_t j = 0; j < n; j++) t[j] = by * c->tensor[j], truth[j] = by * c->lowrank[j];
        s.alpha = 0.36 * by;
        const double h = by < 1 ? 0.06 * pow(by, 4.0 / 3) : 0;
        const found f = solve(&s, t, truth, CREASE_METHOD_AUTO, h);
        assert_close(f.objective / by / by, plain.objective, 1e-5);
        assert_close(f.error, plain.error, 1e-5);
    }
    free(t), free(truth);
    crease_cp_instance_free(c);
}

/* The modes in another order: the same problem. */
static void permutes(void **state)
{
    crease_cp_instance *c = draw(3, 8);
    const crease_space was = c->recipe.shape;
    const crease_space now = { .order = 3, .dim = { was.dim[2], was.dim[0], was.dim[1] } };
    double *t = doubles(crease_size(&was)), *truth = doubles(crease_size(&was));
    (void)state;
    for (ptrdiff_t j = 0; j < crease_size(&was); j++) {
        ptrdiff_t i[3];
        unravel(&was, j, i);
        const ptrdiff_t k = (i[2] * now.dim[1] + i[0]) * now.dim[2] + i[1];
        t[k] = c->tensor[j], truth[k] = c->lowrank[j];
    }
    const crease_cp_rpca_settings s = crease_cp_rpca_default(&was, 3),
                                  p = crease_cp_rpca_default(&now, 3);
    const found a = solve(&s, c->tensor, c->lowrank, CREASE_METHOD_AUTO, 0);
    const found b = solve(&p, t, truth, CREASE_METHOD_AUTO, 0);
    assert_close(a.objective, b.objective, 1e-6);
    assert_close(a.error, b.error, 1e-6);
    free(t), free(truth);
    crease_cp_instance_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers),
        cmocka_unit_test(methods_agree),
        cmocka_unit_test(scales),
        cmocka_unit_test(permutes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
