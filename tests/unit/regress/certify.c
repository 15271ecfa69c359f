/* SPDX-License-Identifier: MIT
 * certify: certificates follow the definition, and what is called a minimizer is one */
#include "support/regression_naive.h"

enum { ROWS = 60, COLS = 12, LAMBDAS = 50 };
static double X[NAIVE_ROWS * NAIVE_COLS], y[NAIVE_ROWS];

static crease_regression *path_of(crease_reg penalty, int n, int p, double ratio)
{
    crease_regression_settings s = crease_regression_default();
    crease_error e = { CREASE_OK, "" };
    s.penalty = penalty, s.path = LAMBDAS, s.ratio = ratio, s.eps = 1e-9;
    crease_regression *m = crease_regression_new(&s, n, p, X, y, &e);
    if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
    return m;
}

/* The matrix of the problem's map, n x p, from its columns A e_j */
static void matrix_of(const crease_predictor *f, int n, int p, double *x)
{
    const crease_space dom = crease_vector(p);
    for (int j = 0; j < p; j++) {
        double unit[NAIVE_COLS] = { 0 }, column[NAIVE_ROWS];
        unit[j] = 1;
        assert_true(crease_apply(f->map, &dom, &f->range, unit, column, NULL));
        for (int i = 0; i < n; i++) x[i * p + j] = column[i];
    }
}

/* The residual by hand: |x_j's/n + ...| coordinate by coordinate from the problem's own data. */
static double residual_by_hand(const crease_regression *m, int k, int n, int p)
{
    const crease_problem *q = crease_regression_problem(m, k);
    const crease_reg *r = &q->block->reg;
    const crease_predictor *f = q->f.data;
    const double *b = crease_regression_point(m, k);
    static double x[NAIVE_ROWS * NAIVE_COLS];
    double sum = 0;
    matrix_of(f, n, p, x);
    for (int j = 0; j < p; j++) {
        double g = 0;
        for (int i = 0; i < n; i++) {
            double u = -f->rhs[i];
            for (int l = 0; l < p; l++) u += x[i * p + l] * b[l];
            g += u * x[i * p + j];
        }
        const double slope = r->weight[j] * r->penalty->slope(r->par, fabs(b[j]));
        const double off = b[j] == 0 ? fabs(g) - slope : fabs(g + (b[j] > 0 ? slope : -slope));
        if (off > 0) sum += off * off;
    }
    return sqrt(sum);
}

static void certificates_follow_the_definition(void **state)
{
    enum { WIDE_ROWS = 30, WIDE_COLS = 45 };
    (void)state;
    draw_regression(WIDE_ROWS, WIDE_COLS, 3, X, y);
    crease_regression *m = path_of(crease_mcp(1, 3), WIDE_ROWS, WIDE_COLS, 0.1);
    for (int k = 0; k < LAMBDAS; k++) {
        crease_regression_certificate c;
        crease_error e;
        assert_true(crease_regression_certify(m, k, true, &c, &e));
        assert_true(c.certified && c.checked && c.verdict == CREASE_VERDICT_VALID);
        assert_true(c.relative <= 1e-9);
        assert_close(c.residual.residual - c.residual.rounding,
                     residual_by_hand(m, k, WIDE_ROWS, WIDE_COLS), 1e-12 * c.residual.scale);
        assert_close(c.margin, 1 - 1 / 3.0, 1e-12); /* columns of mean square 1 */
    }
    crease_regression_free(m);
}

static void a_spoiled_point_is_not_certified(void **state)
{
    crease_regression_certificate c;
    (void)state;
    draw_regression(50, 10, 4, X, y);
    crease_regression *m = path_of(crease_l1(1), 50, 10, 0.1);
    double *b = (double *)(uintptr_t)crease_regression_point(m, 30);
    b[1] += 1e-3;
    assert_true(crease_regression_certify(m, 30, true, &c, NULL));
    assert_false(c.certified);
    crease_regression_free(m);
}

/* F over a grid of small moves: what is called a minimizer is one. */
static void minimizers_are_minimizers(void **state)
{
    crease_regression_settings s = crease_regression_default();
    int local = 0;
    (void)state;
    draw_regression(ROWS, COLS, 10, X, y);
    for (int i = 0; i < ROWS; i++) X[i * COLS + 5] = X[i * COLS + 1] + 0.3 * X[i * COLS + 6];
    s.path = 30, s.ratio = 0.02, s.eps = 1e-10, s.penalty = crease_mcp(1, 1.5);
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, NULL);
    assert_true(m && crease_regression_fit(m, NULL));
    for (int k = 0; k < 30; k++) {
        crease_regression_certificate c;
        const double *at = crease_regression_point(m, k);
        double near[COLS], f;
        const double *x = near;
        assert_true(crease_regression_certify(m, k, false, &c, NULL));
        assert_true(crease_objective(crease_regression_problem(m, k), &at, &f, NULL));
        if (c.convexity == CREASE_CONVEXITY_UNKNOWN) continue;
        local += c.convexity == CREASE_CONVEXITY_LOCAL;
        for (int trial = 0; trial < 200; trial++) {
            double g;
            for (int j = 0; j < COLS; j++)
                near[j] = at[j] + 1e-5 * crease_random_normal((crease_random){ 1, (uint64_t)trial },
                                                              (uint64_t)j);
            assert_true(crease_objective(crease_regression_problem(m, k), &x, &g, NULL));
            assert_true(g > f);
        }
    }
    assert_true(local > 5);
    crease_regression_free(m);
}

/* Two classes that a plane separates, X's columns in all, of -1 and 1; F by its definition */
static double logistic_value(int n, int p, double lambda, const crease_regression_solution *s)
{
    double sum = 0, size = 0;
    for (int i = 0; i < n; i++) {
        double u = s->intercept;
        for (int j = 0; j < p; j++) u += X[i * p + j] * s->coef[j];
        sum += log1p(exp(-fabs(u))) + (y[i] * u < 0 ? fabs(u) : 0);
    }
    for (int j = 0; j < p; j++) size += fabs(s->coef[j]);
    return sum / n + lambda * size;
}

static void separate(int n, int p)
{
    draw_regression(n, p, 7, X, y);
    for (int i = 0; i < n; i++) y[i] = X[i * p] + X[i * p + 1] / 2 > 0.1 ? 1 : -1;
}

/* The same lambda with another eps, from X as it is; certificate may be NULL */
static double logistic_at(int n, int p, double lambda, double eps, long sweeps,
                          crease_regression_certificate *c)
{
    crease_regression_settings s = crease_regression_default();
    s.loss = CREASE_REGRESSION_LOGISTIC, s.standardize = false;
    s.lambda = &lambda, s.path = 1, s.eps = eps, s.max_sweeps = sweeps;
    crease_regression *m = crease_regression_new(&s, n, p, X, y, NULL);
    assert_true(m && crease_regression_fit(m, NULL));
    assert_true(crease_regression_certify(m, 0, false, c, NULL));
    const double F = logistic_value(n, p, lambda, crease_regression_at(m, 0));
    assert_close(crease_regression_at(m, 0)->objective, F, 1e-12 * F);
    crease_regression_free(m);
    return F;
}

/* However small lambda, and however early a run ends, F less the gap is no more than the least
 * value, and a global minimizer is one to 100 eps. */
static void a_gap_is_a_bound_where_lambda_vanishes(void **state)
{
    const long sweeps[] = { 3, 30, 100000 };
    (void)state;
    separate(ROWS, 4);
    for (double lambda = 1e-2; lambda > 1e-9; lambda /= 100) {
        crease_regression_certificate c;
        const double least = logistic_at(ROWS, 4, lambda, 1e-10, 1000000, &c);
        assert_int_equal(c.convexity, CREASE_CONVEXITY_GLOBAL);
        assert_true(c.gap <= 1e-8 * least);
        for (int k = 0; k < 3; k++) {
            const double F = logistic_at(ROWS, 4, lambda, 1e-6, sweeps[k], &c);
            assert_true(F - c.gap <= least);
            if (c.convexity == CREASE_CONVEXITY_GLOBAL) assert_true(F <= least * (1 + 1e-4));
        }
        assert_true(c.certified && c.convexity == CREASE_CONVEXITY_GLOBAL);
    }
}

/* No sweeps: nothing converged, and the certificate says so. */
static void a_limit_is_told(void **state)
{
    crease_regression_settings s = crease_regression_default();
    crease_regression_certificate c;
    (void)state;
    draw_regression(6, 3, 4, X, y);
    s.path = 3, s.max_sweeps = 0;
    crease_regression *m = crease_regression_new(&s, 6, 3, X, y, NULL);
    assert_true(m && crease_regression_fit(m, NULL));
    assert_false(crease_regression_at(m, 2)->converged);
    assert_true(crease_regression_certify(m, 2, true, &c, NULL));
    assert_false(c.certified);
    crease_regression_free(m);
    crease_regression_free(NULL);
    assert_string_equal(crease_convexity_text((crease_convexity)99), "unknown convexity");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_follow_the_definition),
        cmocka_unit_test(a_spoiled_point_is_not_certified),
        cmocka_unit_test(minimizers_are_minimizers),
        cmocka_unit_test(a_gap_is_a_bound_where_lambda_vanishes),
        cmocka_unit_test(a_limit_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
