/* SPDX-License-Identifier: MIT
 * cp_fit: the streaming certificate and the streaming checker say what the general ones say on
 * the whole problem, and every run that ends stationary is VALID by both checkers */
#include "rpca/rpca.h"
#include "support/cp_fit_case.h"

/* Two residuals of the same condition: equal up to the rounding of their terms. */
static void same_residual(const crease_residual *a, const crease_residual *b, double size)
{
    assert_true(fabs(a->residual - b->residual) <= 1e-10 * b->scale + 1e-13 * size);
    assert_true(fabs(a->scale - b->scale) <= 1e-10 * b->scale + 1e-13 * size);
}

static void compare_certificates(const fit_case *k, const fit_whole *w)
{
    const crease_problem *p = crease_cp_rpca_problem(w->model);
    const crease_certificate *c = crease_cp_fit_certificate(k->fit);
    crease_residual block[CREASE_MAX_ORDER + 3];
    const double *point[CREASE_MAX_ORDER + 3];
    crease_certificate whole = { .block = block, .point = point };
    double *work = malloc((size_t)crease_certify_scratch(p) * sizeof(double));
    crease_certify(p, w->x, w->lambda, &whole, work);
    free(work);
    const double size = whole.feasibility.scale;
    assert_close(c->objective, whole.objective, 1e-11);
    assert_true(c->count == whole.count);
    for (int i = 0; i < c->count; i++) same_residual(&c->block[i], &block[i], size);
    same_residual(&c->feasibility, &whole.feasibility, size);
}

static void compare_checkers(const fit_case *k, const fit_whole *w, crease_outcome o)
{
    const double *factor[CREASE_MAX_ORDER];
    const crease_cp_claim claim = fit_claim(k, factor);
    const double eps = k->s.run.eps;
    crease_verification a, b;
    assert_true(crease_verify(crease_cp_rpca_problem(w->model), w->x, w->lambda, NULL, false, eps,
                              true, &b, NULL));
    assert_true(crease_cp_verify(&claim, eps, true, &a, NULL));
    if (a.verdict != b.verdict) fail_msg("%s but %s", a.text, b.text);
    assert_true(o != CREASE_STATIONARY || a.verdict == CREASE_VERDICT_VALID);
    assert_true(fabs(a.smallest_eps - b.smallest_eps) <= 1e-3 * b.smallest_eps + 1e-12);
    crease_verification_free(&a);
    crease_verification_free(&b);
}

static void agree(fit_case *k, bool must_end)
{
    const crease_outcome o = fit_run(k);
    if (must_end && o != CREASE_STATIONARY)
        fail_msg("order %d, %s, %s: %s at %g", k->shape.order, crease_method_name(k->s.run.method),
                 k->s.model.penalty.penalty->name, crease_outcome_text(o),
                 crease_cp_fit_certificate(k->fit)->worst_relative);
    fit_whole w = fit_recover(k);
    compare_certificates(k, &w);
    compare_checkers(k, &w, o);
    fit_whole_free(&w);
    fit_free(k);
}

static void test_methods(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order++)
        for (int m = 0; m < 4; m++)
            for (int masked = 0; masked < 2; masked++) {
                const crease_space s = fit_shape(order);
                fit_case k = fit_draw(&s, masked, 1);
                k.s.run.method = fit_methods[m];
                agree(&k, true);
                fit_case single = fit_draw(&s, masked, 1);
                single.s.run.method = fit_methods[m];
                single.s.single = true;
                agree(&single, true);
            }
}

/* Penalties whose E follows from the factors, and those whose E is the iteration's own. */
static void test_penalties(void **state)
{
    const crease_reg list[] = { crease_l1(1),       crease_scad(1, 3.7),
                                crease_mcp(1, 3),   crease_mcp(1, 0.2),
                                crease_lsp(1, 0.5), crease_lsp(1, 0.05),
                                crease_l0(0.5),     crease_capped_l1(1, 1),
                                crease_l_half(1),   crease_elastic_net(1, 0.1) };
    const crease_space s = fit_shape(3);
    (void)state;
    for (size_t p = 0; p < sizeof list / sizeof *list; p++)
        for (int m = 1; m < 3; m++) {
            fit_case k = fit_draw(&s, p % 2, 1);
            k.s.model.penalty = list[p];
            k.s.run.method = fit_methods[m];
            k.s.model.ridge = 1e-3;
            agree(&k, true);
        }
}

static void test_theory_and_start(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    for (int m = 0; m < 3; m++) {
        fit_case k = fit_draw(&s, false, 1);
        k.s.run.method = fit_methods[m];
        k.s.run.mode = CREASE_MODE_THEORY;
        k.s.run.eps = 1e-4;
        agree(&k, true);
        fit_case r = fit_draw(&s, true, 1);
        r.s.run.method = fit_methods[m];
        r.s.model.start = CREASE_START_RANDOM;
        r.s.run.max_iterations = 3; /* far from anything */
        agree(&r, false);
    }
}

/* Nonnegative factors and groups: the other engine under the same loop. */
static void test_generic(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    fit_case k = fit_draw(&s, true, 1);
    k.s.model.nonneg = true;
    k.s.model.ridge = 0.1;
    k.s.run.eps = 1e-4;
    fit_case fibres = fit_draw(&s, false, 1);
    fibres.s.model.penalty = crease_group_l1(1, NULL);
    fibres.s.model.groups = CREASE_GROUPS_FIBRES;
    fibres.s.model.axis = 2;
    const crease_outcome o = fit_run(&fibres);
    assert_int_equal(o, CREASE_STATIONARY);
    assert_string_equal(crease_cp_fit_engine(fibres.fit), "generic");
    fit_whole w = fit_recover(&fibres);
    compare_certificates(&fibres, &w);
    crease_verification v;
    assert_true(crease_verify(crease_cp_rpca_problem(w.model), w.x, w.lambda, NULL, false, 1e-6,
                              true, &v, NULL));
    assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
    crease_verification_free(&v);
    fit_whole_free(&w);
    fit_free(&fibres);
    agree(&k, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_methods),
                                        cmocka_unit_test(test_penalties),
                                        cmocka_unit_test(test_theory_and_start),
                                        cmocka_unit_test(test_generic) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
