/* SPDX-License-Identifier: MIT
 * model: the built problem is the formula: value, residuals, and the theorem that covers it;
 * settings and data that are wrong; certified solutions of random instances recover the low-rank
 * part, whatever the order, the penalty, the mask, the scale of the data and the order of the modes
 */
#include "rpca/rpca.h"
#include "solve/engine.h"
#include "theory/theory.h"

#include "support/rpca_naive.h"

typedef struct {
    crease_cp_rpca_settings s;
    bool holes;
    double *t, *x[MOST_BLOCKS], *lambda;
    crease_cp_rpca *m;
    const crease_problem *p;
} instance;

static void make(instance *c, int order, bool holes, bool unconstrained, draws *d)
{
    const crease_space shape = shape_of(order);
    c->s = crease_cp_rpca_default(&shape, 2);
    c->s.alpha = 0.7, c->s.alpha_noise = 1.3, c->s.ridge = order % 2 ? 0.6 : 0;
    c->s.penalty = crease_mcp(0.9, 2);
    c->s.missing = c->holes = holes;
    c->s.unconstrained = unconstrained;
    c->t = tensor_with_holes(&shape, holes, d);
    c->m = crease_cp_rpca_new(&c->s, c->t, NULL);
    assert_non_null(c->m);
    c->p = crease_cp_rpca_problem(c->m);
    assert_int_equal(c->p->count, order + (unconstrained ? 2 : 3));
    for (int i = 0; i < c->p->count; i++)
        c->x[i] = random_doubles(d, crease_size(&c->p->space[i]), 1);
    c->lambda = random_doubles(d, crease_size(&shape), 1);
}

static void discard(instance *c)
{
    for (int i = 0; i < c->p->count; i++) free(c->x[i]);
    free(c->t), free(c->lambda);
    crease_cp_rpca_free(c->m);
}

static void for_all(void (*test)(instance *c), uint64_t seed)
{
    draws d = { { seed, 0 }, 0 };
    for (int order = 2; order <= 5; order++)
        for (int k = 0; k < 4; k++) {
            instance c;
            make(&c, order, k & 1, k & 2, &d);
            test(&c);
            discard(&c);
        }
}

/* rho(y) of MCP with lambda 0.9 and gamma 2 */
static double mcp(double y) { return y <= 1.8 ? 0.9 * y - y * y / 4 : 0.81; }

static double noise_at(const instance *c, ptrdiff_t j)
{
    const int d = c->s.shape.order;
    return c->s.unconstrained ? c->x[d][j] + c->x[d + 1][j] - observed_at(c->t, j) : c->x[d + 2][j];
}

static void value_is_the_formula(instance *c)
{
    const int d = c->s.shape.order;
    const double *const *x = (const double *const *)c->x;
    double sum = 0, value;
    for (ptrdiff_t j = 0; j < crease_size(&c->s.shape); j++)
        sum += square(x[d + 1][j] - low_rank(&c->s.shape, 2, x, j)) + 0.7 * mcp(fabs(x[d][j])) +
               1.3 * weight_at(c->holes, j) * square(noise_at(c, j));
    for (int n = 0; n < d; n++)
        for (ptrdiff_t j = 0; j < crease_size(&c->p->space[n]); j++)
            sum += c->s.ridge / 2 * square(x[n][j]);
    assert_true(crease_objective(c->p, x, &value, NULL));
    assert_close(value, sum, 1e-13);
}

static void value_of_the_problem_is_the_formula(void **state)
{
    (void)state, for_all(value_is_the_formula, 1);
}

/* |2(X_n G_n - Z_(n) M_n) + nu X_n|, the sum over the tensor written out */
static double factor_residual(const instance *c, int n)
{
    const crease_space *s = &c->s.shape;
    const double *const *x = (const double *const *)c->x;
    double sum = 0;
    for (ptrdiff_t k = 0; k < crease_size(&c->p->space[n]); k++) {
        double g = c->s.ridge * x[n][k];
        for (ptrdiff_t j = 0; j < crease_size(s); j++) {
            ptrdiff_t i[CREASE_MAX_ORDER];
            unravel(s, j, i);
            if (i[n] != k / 2) continue;
            g += 2 * (low_rank(s, 2, x, j) - x[s->order + 1][j]) * term(s, 2, x, j, n, k % 2);
        }
        sum += g * g;
    }
    return sqrt(sum);
}

/* dist(g, 0.7 d rho(|x|)): MCP is smooth away from 0 */
static double mcp_gap(double x, double g)
{
    if (x == 0) return pos(fabs(g) - 0.63);
    const double slope = fabs(x) < 1.8 ? 0.9 - fabs(x) / 2 : 0;
    return fabs(g - 0.7 * copysign(slope, x));
}

static void residuals_are_the_formulas(instance *c)
{
    const int d = c->s.shape.order;
    const double *const *x = (const double *const *)c->x;
    crease_residual room[MOST_BLOCKS];
    crease_certificate cert = { .block = room };
    double *work = unset_doubles(crease_certify_scratch(c->p)), E = 0, Z = 0, B = 0, s = 0;
    for (ptrdiff_t j = 0; j < crease_size(&c->s.shape); j += 3) c->x[d][j] = 0;
    crease_certify(c->p, x, c->s.unconstrained ? NULL : c->lambda, &cert, work);
    for (ptrdiff_t j = 0; j < crease_size(&c->s.shape); j++) {
        const double pull = 2.6 * weight_at(c->holes, j) * noise_at(c, j);
        const double fit = 2 * (x[d + 1][j] - low_rank(&c->s.shape, 2, x, j));
        const double lambda = c->s.unconstrained ? -pull : c->lambda[j];
        E += square(mcp_gap(x[d][j], lambda));
        Z += square(fit - lambda);
        if (c->s.unconstrained) continue;
        B += square(pull - lambda);
        s += square(x[d][j] + x[d + 1][j] + x[d + 2][j] - observed_at(c->t, j));
    }
    for (int n = 0; n < d; n++) assert_close(room[n].residual, factor_residual(c, n), 1e-12);
    assert_close(room[d].residual, sqrt(E), 1e-12);
    assert_close(room[d + 1].residual, sqrt(Z), 1e-12);
    if (!c->s.unconstrained) assert_close(room[d + 2].residual, sqrt(B), 1e-12);
    if (!c->s.unconstrained) assert_close(cert.feasibility.residual, sqrt(s), 1e-12);
    free(work);
}

static void residuals_of_the_problem_are_the_formulas(void **state)
{
    (void)state, for_all(residuals_are_the_formulas, 2);
}

/* R2 by default and R1 for admm-g, with D = 2 alpha_N W; every step exact but the one of E. */
static void theorem_is_recognised(instance *c)
{
    const int d = c->s.shape.order;
    crease_options o = crease_options_default();
    for (int g = 0; g < (c->s.unconstrained ? 1 : 2); g++) {
        o.method = g ? CREASE_METHOD_ADMM_G : CREASE_METHOD_AUTO;
        crease_analysis *a = crs_analyse(c->p, &o, CRS_EFFORT, NULL); /* the paper's methods */
        assert_non_null(a);
        assert_true(a->guarantee);
        for (int n = 0; n < d; n++) assert_true(a->block[n].exact);
        assert_true(c->s.unconstrained || a->block[d + 1].exact);
        assert_int_equal(a->last, c->s.unconstrained ? -1 : d + 2);
        assert_memory_equal(a->theorem, c->s.unconstrained ? "Th" : g ? "R1" : "R2", 2);
        if (!c->s.unconstrained) {
            assert_true(a->exact_last == !g && a->separable_last);
            assert_close(a->last_high, 2.6, 1e-15);
            assert_close(a->last_low, c->holes ? 0 : 2.6, 1e-15);
            assert_close(a->L_last, 2.6, 1e-14);
            assert_true(a->beta > (g ? 5.2 : 2.6));
        }
        crease_analysis_free(a);
    }
}

static void the_theorem_that_covers_the_problem_is_recognised(void **state)
{
    (void)state, for_all(theorem_is_recognised, 3);
}

static crease_cp_rpca_settings good(void)
{
    const crease_space shape = shape_of(3);
    return crease_cp_rpca_default(&shape, 2);
}

static void refused(const crease_cp_rpca_settings *s, const double *t, crease_code code,
                    const char *word)
{
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_cp_rpca_new(s, t, &e));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' does not say '%s'", e.text, word);
    assert_null(crease_cp_rpca_new(s, t, NULL));
}

static void bad_settings_are_refused(void **state)
{
    draws d = { { 1, 0 }, 0 };
    (void)state;
    crease_cp_rpca_settings s = good();
    double *t = random_doubles(&d, crease_size(&s.shape), 1);
    s.rank = 0, refused(&s, t, CREASE_BAD_ARGUMENT, "rank is 0");
    s = good(), s.shape.order = 1, refused(&s, t, CREASE_BAD_SHAPE, "dimension");
    s = good(), s.alpha = -1, refused(&s, t, CREASE_BAD_ARGUMENT, "alpha");
    s = good(), s.alpha = NAN, refused(&s, t, CREASE_BAD_ARGUMENT, "alpha");
    s = good(), s.alpha_noise = 0, refused(&s, t, CREASE_BAD_ARGUMENT, "alpha_noise");
    s = good(), s.ridge = INFINITY, refused(&s, t, CREASE_BAD_ARGUMENT, "ridge");
    s = good(), s.sweeps = -1, refused(&s, t, CREASE_BAD_ARGUMENT, "sweeps");
    s = good(), s.penalty = crease_l1(-1), refused(&s, t, CREASE_BAD_ARGUMENT, "lambda");
    s = good(), s.groups = CREASE_GROUPS_SLICES, refused(&s, t, CREASE_BAD_ARGUMENT, "groups");
    s = good(), s.penalty = crease_group_l1(1, NULL), s.groups = CREASE_GROUPS_SLICES, s.axis = 3;
    refused(&s, t, CREASE_BAD_ARGUMENT, "axis 3");
    free(t);
}

static void bad_data_are_refused_by_index_and_missing_ones_counted(void **state)
{
    draws d = { { 2, 0 }, 0 };
    (void)state;
    crease_cp_rpca_settings s = good();
    double *t = random_doubles(&d, crease_size(&s.shape), 1), mask[60], bad[8];
    const double *factor[] = { bad, bad, bad };
    fill(60, 1, mask), fill(8, NAN, bad);
    t[16] = NAN, refused(&s, t, CREASE_BAD_DATA, "entry 17 (at 2,1,2)");
    s.missing = true;
    crease_cp_rpca *m = crease_cp_rpca_new(&s, t, NULL);
    assert_int_equal(crease_cp_rpca_missing(m), 1);
    crease_cp_rpca_free(m);
    t[59] = -INFINITY, refused(&s, t, CREASE_BAD_DATA, "entry 60 (at 4,3,5) of the tensor is -inf");
    mask[59] = 0, s.mask = mask; /* what is not observed may be anything */
    m = crease_cp_rpca_new(&s, t, NULL);
    assert_int_equal(crease_cp_rpca_missing(m), 2);
    assert_true(crease_cp_rpca_problem(m)->rhs[59] == 0);
    crease_cp_rpca_free(m);
    mask[0] = 0.5, refused(&s, t, CREASE_BAD_DATA, "mask is 0.5");
    mask[0] = NAN, refused(&s, t, CREASE_BAD_DATA, "mask");
    mask[0] = 1, s.factor = factor, refused(&s, t, CREASE_BAD_DATA, "factor");
    free(t);
}

/* Zeros are solved at the start; constants, dimensions of 1 and ranks beyond them have finite
 * starts and end certified although every multiplier vanishes. */
static void zeros_constants_and_excessive_ranks_end_certified(void **state)
{
    double zero[120] = { 0 }, one[120];
    crease_options o = crease_options_default();
    o.relative = 1; /* of a rank beyond all need, how many iterations is a matter of rounding */
    (void)state;
    fill(120, 1, one);
    for (int start = 0; start < 3; start++)
        for (int order = 2; order <= 5; order++) {
            const crease_space shape = shape_of(order);
            crease_cp_rpca_settings s = crease_cp_rpca_default(&shape, 7);
            s.start = (crease_cp_start)start;
            crease_cp_rpca *m = crease_cp_rpca_new(&s, zero, NULL);
            crease_solver *solver = crease_solver_new(crease_cp_rpca_problem(m), NULL, NULL);
            assert_int_equal(crease_solve(solver), CREASE_STATIONARY);
            assert_true(crease_solver_report(solver).iterations == 0);
            assert_true(crease_solution(solver, 0)[0] == 0);
            crease_solver_free(solver);
            crease_cp_rpca_free(m);
            m = crease_cp_rpca_new(&s, one, NULL);
            const crease_problem *p = crease_cp_rpca_problem(m);
            for (int n = 0; n < order; n++)
                assert_true(crs_all_finite(crease_size(&p->space[n]), p->block[n].start));
            solver = crease_solver_new(p, &o, NULL);
            assert_int_equal(crease_solve(solver), CREASE_STATIONARY);
            crease_solver_free(solver);
            crease_cp_rpca_free(m);
        }
}

/* sum over fibres, or slices, of their 2-norms, by loops over the tensor */
static double naive_groups(const crease_space *s, int axis, bool slices, const double *x)
{
    const ptrdiff_t size = crease_size(s);
    double sum = 0;
    for (ptrdiff_t first = 0; first < size; first++) {
        ptrdiff_t i[CREASE_MAX_ORDER], k[CREASE_MAX_ORDER];
        double squares = 0;
        bool lowest = true;
        unravel(s, first, i);
        for (ptrdiff_t j = 0; j < size; j++) {
            bool same = true;
            unravel(s, j, k);
            for (int n = 0; n < s->order; n++)
                same = same && ((n == axis) != slices || k[n] == i[n]);
            lowest = lowest && (!same || j >= first);
            squares += same ? x[j] * x[j] : 0;
        }
        sum += lowest ? sqrt(squares) : 0;
    }
    return sum;
}

static void groups_are_the_fibres_or_slices(void **state)
{
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (int order = 2; order <= 4; order++)
        for (int axis = 0; axis < order; axis++)
            for (int slices = 0; slices < 2; slices++) {
                const crease_space shape = shape_of(order);
                crease_cp_rpca_settings s = crease_cp_rpca_default(&shape, 1);
                double *t = random_doubles(&d, crease_size(&shape), 1), value;
                s.penalty = crease_group_l1(2, NULL), s.alpha = 0.5, s.axis = axis;
                s.groups = slices ? CREASE_GROUPS_SLICES : CREASE_GROUPS_FIBRES;
                crease_cp_rpca *m = crease_cp_rpca_new(&s, t, NULL);
                assert_non_null(m);
                const crease_problem *p = crease_cp_rpca_problem(m);
                assert_true(crease_reg_value(&p->block[order].reg, &shape, t, &value, NULL));
                assert_close(value, naive_groups(&shape, axis, slices, t), 1e-13);
                crease_cp_rpca_free(m);
                free(t);
            }
}

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
    crease_solver *solver = m ? crs_paper_solver(crease_cp_rpca_problem(m), &o, &e) : NULL;
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

static void certified_solutions_recover_the_low_rank_part(void **state)
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
static void both_forms_and_three_methods_agree(void **state)
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
static void the_unit_of_the_data_does_not_matter(void **state)
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
static void the_order_of_the_modes_does_not_matter(void **state)
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
        cmocka_unit_test(value_of_the_problem_is_the_formula),
        cmocka_unit_test(residuals_of_the_problem_are_the_formulas),
        cmocka_unit_test(the_theorem_that_covers_the_problem_is_recognised),
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(bad_data_are_refused_by_index_and_missing_ones_counted),
        cmocka_unit_test(zeros_constants_and_excessive_ranks_end_certified),
        cmocka_unit_test(groups_are_the_fibres_or_slices),
        cmocka_unit_test(certified_solutions_recover_the_low_rank_part),
        cmocka_unit_test(both_forms_and_three_methods_agree),
        cmocka_unit_test(the_unit_of_the_data_does_not_matter),
        cmocka_unit_test(the_order_of_the_modes_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
