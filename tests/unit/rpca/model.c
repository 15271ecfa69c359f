/* SPDX-License-Identifier: MIT
 * cp_rpca: the built problem is the formula: value, residuals, and the theorem that covers it */
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

static void values(void **state) { (void)state, for_all(value_is_the_formula, 1); }

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

static void residuals(void **state) { (void)state, for_all(residuals_are_the_formulas, 2); }

/* R2 by default and R1 for admm-g, with D = 2 alpha_N W; every step exact but the one of E. */
static void theorem_is_recognised(instance *c)
{
    const int d = c->s.shape.order;
    crease_options o = crease_options_default();
    for (int g = 0; g < (c->s.unconstrained ? 1 : 2); g++) {
        o.method = g ? CREASE_METHOD_ADMM_G : CREASE_METHOD_AUTO;
        crease_analysis *a = crease_analyse(c->p, &o, NULL);
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

static void theorems(void **state) { (void)state, for_all(theorem_is_recognised, 3); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(residuals),
        cmocka_unit_test(theorems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
