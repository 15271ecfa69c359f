/* SPDX-License-Identifier: MIT
 * envelope_solver_edges: NaN, zeros, size 1, a start at the solution, refusals */
#include "support/envelope_run.h"

static const crease_space shape = { .order = 3, .dim = { 3, 4, 5 } };
enum { SIZE = 60, RANK = 2 };

static crs_envelope_solver_settings settings(void)
{
    crs_envelope_solver_settings c = crs_envelope_solver_default(&shape, RANK);
    c.penalty.weight = 0.5;
    return c;
}

static void random_start(crs_envelope_solver *s, const crease_space *of, ptrdiff_t rank,
                         double scale)
{
    draws d = { 0 };
    double *x[CREASE_MAX_ORDER];
    for (int n = 0; n < of->order; n++) {
        x[n] = some(of->dim[n] * rank);
        for (ptrdiff_t j = 0; j < of->dim[n] * rank; j++) x[n][j] = scale * normal(&d);
    }
    started(s, rank, x);
    for (int n = 0; n < of->order; n++) free(x[n]);
}

/* A NaN among the data is never called stationary, and the run ends. */
static void nan_data(void **state)
{
    (void)state;
    for (int path = 0; path < 2; path++) {
        double *T = some(SIZE);
        T[7] = NAN;
        crs_envelope_solver_settings c = settings();
        c.path = path;
        crs_envelope_solver *s = solver_of(&c, T);
        random_start(s, &shape, RANK, 1);
        const crs_envelope_progress *p = run(s, 100);
        assert_int_equal(p->status, CRS_ENVELOPE_STALLED);
        assert_true(isnan(p->value));
        crs_envelope_solver_free(s);
        free(T);
    }
}

/* Zero factors are a solution for T = 0, and stationary (a saddle) for any T. */
static void zeros(void **state)
{
    (void)state;
    draws d = { 0 };
    double *T = some(SIZE);
    for (int data = 0; data < 2; data++) {
        for (ptrdiff_t j = 0; data && j < SIZE; j++) T[j] = normal(&d);
        const crs_envelope_solver_settings c = settings();
        crs_envelope_solver *s = solver_of(&c, T);
        random_start(s, &shape, RANK, 0);
        const crs_envelope_progress *p = run(s, 100);
        assert_int_equal(p->status, CRS_ENVELOPE_STATIONARY);
        assert_true(p->worst == 0);
        crs_envelope_solver_free(s);
    }
    free(T);
}

/* One entry: T = 3, and F -> 0 is reached. */
static void one_entry(void **state)
{
    (void)state;
    const crease_space one = { .order = 2, .dim = { 1, 1 } };
    const double T = 3;
    crs_envelope_solver_settings c = crs_envelope_solver_default(&one, 1);
    c.penalty.weight = 0.5;
    c.prune = false;
    crs_envelope_solver *s = solver_of(&c, &T);
    started(s, 1, (double *[]){ (double[]){ 0.7 }, (double[]){ 0.4 } });
    const crs_envelope_progress *p = run(s, 300);
    assert_int_equal(p->status, CRS_ENVELOPE_STATIONARY);
    assert_close(crs_envelope_solver_factor(s, 0)[0] * crs_envelope_solver_factor(s, 1)[0], 3,
                 1e-5);
    crs_envelope_solver_free(s);
}

/* The penalty's dead zone: where the prox first is not 0. */
static void thresholds(void **state)
{
    (void)state;
    static const crs_penalty_value weighted[] = {
        { &crs_l1, { 2 }, 3 },         { &crs_mcp, { 0.8, 3 }, 1 },
        { &crs_scad, { 1e-3, 4 }, 2 }, { &crs_lsp, { 1, 2 }, 1 },
        { &crs_l0, { 1 }, 1e6 },       { &crs_capped_l1, { 1, 0.3 }, 1 },
        { &crs_l_half, { 1 }, 1e-9 },
    };
    const double c = 0.4;
    for (size_t k = 0; k < sizeof weighted / sizeof *weighted; k++) {
        const crs_penalty_value rho = weighted[k];
        const double t = crs_envelope_threshold(weighted + k, c);
        assert_true(t > 0);
        assert_true(crs_scalar_prox(&rho, 1 / (2 * c), t * (1 - 1e-9)) == 0);
        assert_true(crs_scalar_prox(&rho, 1 / (2 * c), t * (1 + 1e-9)) > 0);
    }
    const crs_penalty_value ridge = { &crs_squared_l2, { 1 }, 1 }, none = { &crs_l1, { 1 }, 0 };
    assert_true(crs_envelope_threshold(&ridge, c) == 0);
    assert_true(crs_envelope_threshold(&none, c) == 0);
    const crs_penalty_value back = crs_envelope_l1(0.7, c);
    assert_close(crs_envelope_threshold(&back, c), 0.7, 1e-15);
}

/* The scale of Gaussian numbers among a third of outliers is that of the Gaussian. */
static void scale(void **state)
{
    (void)state;
    enum { N = 60000 };
    const crease_space line = { .order = 2, .dim = { 300, 200 } };
    draws d = { 0 };
    double *T = some(N), *zero = some(300);
    for (ptrdiff_t j = 0; j < N; j++) T[j] = 0.02 * normal(&d) + (j % 3 == 0 ? 5 * normal(&d) : 0);
    const crs_envelope_settings pass = { .shape = line, .rank = 1, .alpha_noise = 1, .threads = 1 };
    crs_envelope *e = crs_envelope_new(&pass, T, NULL);
    crs_envelope_sums *sums = calloc(1, sizeof *sums);
    const double *factor[] = { zero, zero };
    const crs_penalty_value penalty = crs_envelope_l1(1, 0.5);
    crs_envelope_evaluate(e, 1, factor, &penalty, &penalty, sums);
    assert_true(fabs(crs_envelope_scale(sums, 0) / 0.02 - 1) < 0.1); /* a bin is 9 % wide */
    assert_close(crs_envelope_scale(sums, N / 4) / crs_envelope_scale(sums, 0), sqrt(4.0 / 3),
                 1e-12);
    crs_envelope_free(e);
    free(T), free(zero), free(sums);
}

static void refused(crs_envelope_solver_settings c)
{
    crease_error e = { CREASE_OK, "" };
    const double T[SIZE] = { 0 };
    assert_int_equal(crs_envelope_solver_bytes(&c, &e), -1);
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    assert_null(crs_envelope_solver_new(&c, T, NULL));
}

#define REFUSED(field, value)                                                                      \
    do {                                                                                           \
        crs_envelope_solver_settings c_ = settings();                                              \
        c_.field = (value);                                                                        \
        refused(c_);                                                                               \
    } while (0)

static void refusals(void **state)
{
    (void)state;
    REFUSED(penalty.weight, -1);
    REFUSED(penalty.weight, NAN);
    REFUSED(penalty.rho, NULL);
    REFUSED(learn, -1);
    REFUSED(learn, NAN);
    REFUSED(nu, -1);
    REFUSED(nu, NAN);
    REFUSED(kap, 0);
    REFUSED(ridge, -1);
    REFUSED(eps, 0);
    REFUSED(eps, NAN);
    REFUSED(alpha_noise, 0);
    REFUSED(rank, 0);
    const crs_envelope_solver_settings c = settings();
    const double T[SIZE] = { 0 }, x[SIZE] = { 0 }, bad[SIZE] = { [3] = NAN };
    const double *const good[] = { x, x, x }, *const broken[] = { x, bad, x };
    crs_envelope_solver *s = solver_of(&c, T);
    assert_false(crs_envelope_solver_start(s, RANK + 1, good, NULL));
    assert_false(crs_envelope_solver_start(s, 0, good, NULL));
    assert_false(crs_envelope_solver_start(s, RANK, broken, NULL));
    assert_true(crs_envelope_solver_start(s, 1, good, NULL));
    crs_envelope_solver_free(s);
    crs_envelope_solver_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_data),   cmocka_unit_test(zeros), cmocka_unit_test(one_entry),
        cmocka_unit_test(thresholds), cmocka_unit_test(scale), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
