/* SPDX-License-Identifier: MIT
 * refusals: false assumptions, wrong gradients, unbounded problems, broken parameters */
#include "support/sharing.h"

enum { N = 3 };

static const crease_space line = { 1, { N }, NULL };

/* f = (c/2)|x|^2 - sum x, its gradient off by a factor. */
typedef struct {
    double curvature, lie;
} parabola;

static double value(void *user, const double *const *x)
{
    const parabola *f = user;
    double sum = 0;
    for (int j = 0; j < N; j++) sum += f->curvature / 2 * square(x[0][j]) - x[0][j];
    return sum;
}

static void grad(void *user, const double *const *x, int i, double *g)
{
    const parabola *f = user;
    for (int j = 0; j < N; j++) g[j] += f->lie * (f->curvature * x[i][j] - 1);
}

static crease_callback_smooth declare(parabola *f, double L)
{
    return (crease_callback_smooth){
        .value = value,
        .grad = grad,
        .user = f,
        .constants = { .L = L, .M = L, .p = 2, .rho = L, .lower = -10 },
    };
}

static void a_false_constant_is_noticed(void **state)
{
    parabola f = { 10, 1 };
    const crease_callback_smooth honest = declare(&f, 10), lie = declare(&f, 1);
    const crease_block block = { .reg = crease_l1(0.1) };
    crease_problem p = { 1, &line, &block, crease_smooth_callback(&lie), { 0 }, NULL };
    (void)state;
    for (int k = 0; k < 3; k++) {
        crease_options o = options_to(1e-6);
        o.accelerate = k == 0;
        o.audit = k == 1;
        o.mode = k == 2 ? CREASE_MODE_THEORY : CREASE_MODE_PRACTICAL;
        o.method = CREASE_METHOD_PROX_BCD;
        p.f = crease_smooth_callback(&lie);
        crease_solver *s = solver_for(&p, &o);
        assert_int_not_equal(crease_solve(s), CREASE_STATIONARY);
        const crease_report r = crease_solver_report(s);
        assert_true(r.audit_violations > 0 && r.audit_worst > 0);
        assert_true(strncmp(r.note, "assumption false: ", 18) == 0);
        crease_solver_free(s);
        p.f = crease_smooth_callback(&honest);
        s = certified(&p, &o);
        assert_string_equal(crease_solver_report(s).note, "");
        crease_solver_free(s);
    }
}

/* One sentence that names `word`. */
static void refused(const crease_problem *p, const crease_options *o, crease_code code,
                    const char *word)
{
    crease_error e = { CREASE_OK, "" };
    crease_solver *s = crease_solver_new(p, o, &e);
    if (s || e.code != code || !strstr(e.text, word))
        fail_msg("%s: wanted '%s', got %d '%s'", s ? "accepted" : "refused", word, e.code, e.text);
}

static void a_wrong_gradient_is_refused(void **state)
{
    const double lies[] = { -1, 0, 1.01, 2, NAN, INFINITY };
    const crease_block block = { .reg = crease_l1(0.1) };
    const crease_options o = options_to(1e-6);
    (void)state;
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        parabola f = { 10, lies[k] };
        const crease_callback_smooth c = declare(&f, 10);
        const crease_smooth term = crease_smooth_callback(&c);
        const crease_smooth_list list = { 1, &term };
        const crease_problem p = { 1, &line, &block, term, { 0 }, NULL };
        const crease_problem q = { 1, &line, &block, crease_smooth_sum(&list), { 0 }, NULL };
        refused(&p, &o, CREASE_BAD_ARGUMENT, "gradient of f in block x1");
        refused(&q, &o, CREASE_BAD_ARGUMENT, "gradient of f in block x1");
    }
}

static void unbounded_problems_are_not_solved(void **state)
{
    const double top[] = { 1, 2, 3 }, start[] = { 5, 5, 5 }, slope[] = { 1, -1, 0 };
    const crease_distance_data hill = { 0, -1, -1, top };
    const double *const linear[] = { slope };
    const crease_quadratic_data plane = { 0, NULL, NULL, NULL, linear, 1 };
    const crease_smooth f[] = { crease_squared_distance(&hill), crease_quadratic(&plane) };
    const crease_set half = crease_orthant();
    (void)state;
    for (int k = 0; k < 8; k++) {
        const crease_block block = { .set = k & 2 ? &half : NULL, .start = start };
        const crease_problem p = { 1, &line, &block, f[k & 1], { 0 }, NULL };
        crease_options o = options_to(1e-6);
        o.relative = k / 4;
        o.max_iterations = 20000;
        crease_solver *s = solver_for(&p, &o);
        const crease_outcome how = crease_solve(s);
        const double *const x[] = { crease_solution(s, 0) }, *const d[] = { crease_ray(s, 0) };
        crease_refutation proof;
        assert_int_equal(how, CREASE_UNBOUNDED);
        assert_true(isfinite(crease_solver_certificate(s)->objective) && d[0]);
        assert_true(crease_verify_unbounded(&p, x, d, o.eps, false, &proof, NULL));
        assert_int_equal(proof.verdict, CREASE_VERDICT_VALID);
        assert_false(crease_solver_analysis(s)->guarantee);
        assert_true(crease_separator(s) == NULL && crease_solver_report(s).iterations <= 1000);
        crease_solver_free(s);
        o.mode = CREASE_MODE_THEORY;
        refused(&p, &o, CREASE_UNSUPPORTED, "bound the blocks");
    }
}

static void theory_says_what_would_help(void **state)
{
    const crease_space space[] = { crease_matrix(2, 1), crease_matrix(3, 1), crease_matrix(2, 3),
                                   crease_matrix(2, 3) };
    const double start[] = { 1, 2, 3 };
    const crease_factorization_data mf = { 0, 1, 3, NULL };
    const crease_block block[] = { { .start = start },
                                   { .start = start },
                                   { .reg = crease_l1(1), .map = crease_identity(1) },
                                   { .map = crease_identity(1) } };
    const crease_problem p = { 4, space, block, crease_matrix_factorization(&mf), space[2], NULL };
    crease_options o = options_to(1e-6);
    sharing s;
    (void)state;
    o.mode = CREASE_MODE_THEORY;
    refused(&p, &o, CREASE_UNSUPPORTED, "compact sets");
    make_sharing(&s, 1, 0);
    s.block[2].reg = crease_l1(1); /* now no block can be the last one */
    o.method = CREASE_METHOD_ADMM_G;
    refused(&s.problem, &o, CREASE_UNSUPPORTED, "extension");
    o.method = CREASE_METHOD_GCG;
    refused(&s.problem, &o, CREASE_UNSUPPORTED, "use auto");
    s.problem.range.order = 0;
    for (int i = 0; i < 3; i++) s.block[i].map.ops = NULL;
    refused(&s.problem, &o, CREASE_UNSUPPORTED, "compact set");
    o.mode = CREASE_MODE_PRACTICAL; /* a linear oracle is a need, not a matter of proof */
    refused(&s.problem, &o, CREASE_UNSUPPORTED, "compact set");
    const crease_set half = crease_orthant();
    for (int i = 0; i < 3; i++) s.block[i].set = &half;
    refused(&s.problem, &o, CREASE_UNSUPPORTED, "compact set");
}

/* Parameters outside their bounds run in practical mode, without a guarantee and with a reason. */
static void broken_parameters_lose_the_guarantee(void **state)
{
    const char *names[] = { "beta", "gamma", "beta" };
    const crease_method methods[] = { CREASE_METHOD_ADMM_G, CREASE_METHOD_ADMM_G,
                                      CREASE_METHOD_ADMM_M };
    (void)state;
    for (int k = 0; k < 3; k++) {
        sharing s;
        bool found = false;
        crease_options o = options_to(1e-6);
        make_sharing(&s, 1, 0);
        o.method = methods[k];
        *(k == 1 ? &o.gamma : &o.beta) = k == 1 ? 3 : 0.5;
        crease_analysis *a = crease_analyse(&s.problem, &o, NULL);
        assert_non_null(a);
        assert_false(a->guarantee);
        for (int j = 0; j < a->assumptions; j++)
            found =
                found || (a->assumption[j].status == CREASE_VIOLATED &&
                          strstr(a->assumption[j].name, names[k]) && a->assumption[j].reason[0]);
        assert_true(found);
        assert_true(crease_iteration_bound(a, 1, 1e-3) == INFINITY);
        crease_analysis_free(a);
        o.mode = CREASE_MODE_THEORY;
        refused(&s.problem, &o, CREASE_UNSUPPORTED, names[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_false_constant_is_noticed),
        cmocka_unit_test(a_wrong_gradient_is_refused),
        cmocka_unit_test(unbounded_problems_are_not_solved),
        cmocka_unit_test(theory_says_what_would_help),
        cmocka_unit_test(broken_parameters_lose_the_guarantee),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
