/* SPDX-License-Identifier: MIT
 * solver: where it says stationary, the residual of the definition agrees, and F falls on the way;
 * from random starts the truth, its rank and the noise are found; edges and refusals */
#include <stdio.h>
#include <stdlib.h>

#include "rpca/rpca.h"
#include "support/envelope_run.h"

static const crease_space shapes[] = {
    { .order = 2, .dim = { 18, 25 } },        { .order = 3, .dim = { 6, 7, 8 } },
    { .order = 3, .dim = { 12, 1, 9 } },      { .order = 4, .dim = { 4, 5, 3, 6 } },
    { .order = 5, .dim = { 3, 4, 3, 2, 4 } },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const crs_penalty_value weighted[] = {
    { &crs_l1, { 1 }, 0.8 },         { &crs_mcp, { 0.8, 3 }, 1 }, { &crs_scad, { 0.8, 4 }, 1 },
    { &crs_lsp, { 1, 2 }, 1 },       { &crs_l1, { 2 }, 0.1 },     { &crs_huber, { 1, 0.5 }, 1 },
    { &crs_squared_l2, { 1 }, 0.7 },
};
enum { WEIGHTED = sizeof weighted / sizeof *weighted };

static char doing[200];

static void one_case(const crease_space *shape, const crs_penalty_value *penalty, int variant,
                     draws *d)
{
    const bool masked = variant & 1, nonneg = variant & 2;
    const crs_envelope_settings pass = {
        .shape = *shape, .rank = 2, .alpha_noise = 1.3, .threads = 1
    };
    example a = example_make(&pass, 2, masked, d);
    crs_envelope_solver_settings c = crs_envelope_solver_default(shape, 2);
    c.penalty = *penalty;
    c.alpha_noise = 1.3;
    c.nonneg = nonneg;
    c.nu = variant & 4 ? 0.05 : 0;
    c.prune = false;
    c.path = !(variant & 4);
    snprintf(doing, sizeof doing, "order %d %s variant %d", shape->order, penalty->rho->name,
             variant);
    crs_envelope_solver *s = solver_of(&c, a.T, a.mask);
    started(s, 2, a.x);
    const crs_envelope_progress *p = run(s, 4000);
    if (p->status != CRS_ENVELOPE_STATIONARY)
        fail_msg("%s: status %d after %ld passes, residual %g", doing, p->status, p->passes,
                 p->worst);
    assert_true(p->worst <= c.eps);
    const double worst = naive_residual(&a, s, c.nu, nonneg);
    if (!(worst <= 1.001 * c.eps)) fail_msg("%s: residual %g by the definition", doing, worst);
    crs_envelope_solver_free(s);
    example_free(&a);
}

static void stationary_agrees_with_the_definition(void **state)
{
    (void)state;
    draws d = { 0 };
    for (int k = 0; k < SHAPES; k++)
        for (int f = 0; f < WEIGHTED; f++)
            for (int variant = 0; variant < 8; variant++)
                one_case(shapes + k, weighted + f, variant, &d);
}

static const crease_space small = { .order = 3, .dim = { 10, 12, 14 } };

typedef struct {
    crease_cp_instance *c;
    double *x[CREASE_MAX_ORDER];
} problem;

/* Random factors for a start of this rank, times scale each */
static problem make(const crease_cp_recipe *recipe, ptrdiff_t rank, double scale)
{
    crease_error e = { CREASE_OK, "" };
    problem p = { crease_cp_generate(recipe, &e), { NULL } };
    if (!p.c) fail_msg("%s", e.text);
    for (int n = 0; n < recipe->shape.order; n++) {
        const ptrdiff_t size = recipe->shape.dim[n] * rank;
        p.x[n] = some(size);
        for (ptrdiff_t j = 0; j < size; j++)
            p.x[n][j] =
                scale * crease_random_normal((crease_random){ recipe->seed, 90u + (unsigned)n },
                                             (uint64_t)j);
    }
    return p;
}

static void release(problem *p)
{
    for (int n = 0; n < p->c->recipe.shape.order; n++) free(p->x[n]);
    crease_cp_instance_free(p->c);
}

static double error_of(const problem *p, const crs_envelope_solver *s)
{
    const crease_space *shape = &p->c->recipe.shape;
    const double *factor[CREASE_MAX_ORDER];
    double *low = some(crease_size(shape));
    for (int n = 0; n < shape->order; n++) factor[n] = crs_envelope_solver_factor(s, n);
    assert_true(crease_cp_lowrank(shape, crs_envelope_solver_progress(s)->rank, factor, low, NULL));
    const double error = crease_relative_error(crease_size(shape), low, p->c->lowrank);
    free(low);
    return error;
}

/* The generator of the the_truth_of_the_paper_is_found, with R and R + 1 */
static void the_truth_of_the_paper_is_found(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (ptrdiff_t extra = 0; extra < 2; extra++) {
            crease_cp_recipe recipe = crease_cp_recipe_default(&small, 3);
            recipe.seed = seed;
            problem p = make(&recipe, 3 + extra, 1);
            crs_envelope_solver_settings c = crs_envelope_solver_default(&small, 3 + extra);
            c.penalty.weight = 2 / sqrt(14.0);
            crs_envelope_solver *s = solver_of(&c, p.c->tensor, NULL);
            started(s, 3 + extra, p.x);
            assert_int_equal(run(s, 200)->status, CRS_ENVELOPE_STATIONARY);
            assert_int_equal(crs_envelope_solver_progress(s)->rank, 3);
            assert_true(error_of(&p, s) < 0.01);
            crs_envelope_solver_free(s);
            release(&p);
        }
}

/* From the point of s with another penalty. */
static crs_envelope_solver *goes_on(crs_envelope_solver *s, const crs_envelope_solver_settings *c,
                                    const crs_penalty_value *penalty, const double *T)
{
    const double *x[CREASE_MAX_ORDER];
    crs_envelope_solver_settings other = *c;
    other.penalty = *penalty;
    other.learn = 0;
    other.path = other.prune = false;
    for (int n = 0; n < c->shape.order; n++) x[n] = crs_envelope_solver_factor(s, n);
    crs_envelope_solver *next = solver_of(&other, T, NULL);
    assert_true(crs_envelope_solver_start(next, crs_envelope_solver_progress(s)->rank, x, NULL));
    return next;
}

/* A fifth of the entries is replaced by outliers ten times as large; the threshold is learned, and
 * a nonconvex penalty takes away the bias of l1. The variance of l1 is then at least 2.05 (Huber
 * 1964, table I), that of a fit without the outliers 1/0.8: errors of a ratio of 0.78 at most. */
static void many_outliers_are_told_from_noise(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        const crease_space shape = { .order = 3, .dim = { 15, 16, 17 } };
        crease_cp_recipe recipe = crease_cp_recipe_default(&shape, 3);
        recipe.seed = seed;
        recipe.outliers = 0.2;
        recipe.magnitude = 10 * sqrt(3.0);
        problem p = make(&recipe, 4, 1);
        crs_envelope_solver_settings c = crs_envelope_solver_default(&shape, 4);
        c.learn = 3;
        c.threshold_factor = 1;
        crs_envelope_solver *s = solver_of(&c, p.c->tensor, NULL);
        started(s, 4, p.x);
        const crs_envelope_progress *out = run(s, 400);
        assert_int_equal(out->status, CRS_ENVELOPE_STATIONARY);
        assert_int_equal(out->rank, 3);
        const double l1 = error_of(&p, s);
        assert_true(l1 < 0.01);
        assert_true(out->scale > 0.8 * recipe.noise && out->scale < 1.2 * recipe.noise);
        assert_true(out->threshold > out->scale && out->threshold < 1.5 * out->scale);
        const crs_penalty_value mcp = { &crs_mcp, { c.learn * out->scale, 3 }, 1 };
        crs_envelope_solver *next = goes_on(s, &c, &mcp, p.c->tensor);
        assert_int_equal(run(next, 400)->status, CRS_ENVELOPE_STATIONARY);
        assert_true(error_of(&p, next) < 0.85 * l1);
        crs_envelope_solver_free(s), crs_envelope_solver_free(next);
        release(&p);
    }
}

typedef struct {
    long passes;
    double value, error;
} outcome;

static outcome solve(const crs_envelope_solver_settings *c, const problem *p, const double *T)
{
    crs_envelope_solver *s = solver_of(c, T, NULL);
    started(s, c->rank, p->x);
    const crs_envelope_progress *out = run(s, 300);
    assert_int_equal(out->status, CRS_ENVELOPE_STATIONARY);
    const outcome result = { out->passes, out->value, error_of(p, s) };
    crs_envelope_solver_free(s);
    return result;
}

/* Powers of 2 scale without rounding: T by 8 and factors by 2 make F 64 times as large. */
static void scaling_changes_nothing(void **state)
{
    (void)state;
    crease_cp_recipe recipe = crease_cp_recipe_default(&small, 3);
    recipe.seed = 5;
    problem p = make(&recipe, 4, 1), q = make(&recipe, 4, 2);
    crs_envelope_solver_settings c = crs_envelope_solver_default(&small, 4);
    c.penalty.weight = 0.5;
    const outcome one = solve(&c, &p, p.c->tensor);
    for (ptrdiff_t j = 0; j < crease_size(&small); j++) q.c->tensor[j] *= 8, q.c->lowrank[j] *= 8;
    c.penalty.weight = 4;
    const outcome eight = solve(&c, &q, q.c->tensor);
    assert_close(eight.value / 64, one.value, 1e-6);
    assert_close(eight.error, one.error, 1e-6);
    release(&p), release(&q);
}

/* The tensor with its modes in another order has the same minimum, and the same answer. */
static void the_order_of_modes_changes_nothing(void **state)
{
    (void)state;
    static const int mode[] = { 2, 0, 1 };
    crease_cp_recipe recipe = crease_cp_recipe_default(&small, 3);
    recipe.seed = 3;
    problem p = make(&recipe, 3, 1);
    crs_envelope_solver_settings c = crs_envelope_solver_default(&small, 3);
    c.penalty.weight = 0.5;
    const outcome one = solve(&c, &p, p.c->tensor);
    problem q = { p.c, { p.x[2], p.x[0], p.x[1] } };
    double *T = some(crease_size(&small)), *low = some(crease_size(&small));
    for (int n = 0; n < 3; n++) c.shape.dim[n] = small.dim[mode[n]];
    for (ptrdiff_t j = 0; j < crease_size(&small); j++) {
        ptrdiff_t i[CREASE_MAX_ORDER];
        index_of(&small, j, i);
        const ptrdiff_t to = (i[2] * small.dim[0] + i[0]) * small.dim[1] + i[1];
        T[to] = p.c->tensor[j];
        low[to] = p.c->lowrank[j];
    }
    crs_envelope_solver *s = solver_of(&c, T, NULL);
    started(s, 3, q.x);
    const crs_envelope_progress *out = run(s, 300);
    assert_int_equal(out->status, CRS_ENVELOPE_STATIONARY);
    assert_close(out->value, one.value, 1e-6);
    crs_envelope_solver_free(s);
    free(T), free(low);
    release(&p);
}

/* Bit for bit, for any number of threads_change_nothing */
static void threads_change_nothing(void **state)
{
    (void)state;
    const crease_space shape = { .order = 3, .dim = { 30, 31, 33 } };
    crease_cp_recipe recipe = crease_cp_recipe_default(&shape, 4);
    problem p = make(&recipe, 5, 1);
    crs_envelope_solver_settings c = crs_envelope_solver_default(&shape, 5);
    c.penalty.weight = 0.4;
    outcome first = { 0 };
    for (c.threads = 1; c.threads <= 3; c.threads++) {
        const outcome now = solve(&c, &p, p.c->tensor);
        if (c.threads == 1) first = now;
        assert_int_equal(now.passes, first.passes);
        assert_true(now.value == first.value && now.error == first.error);
    }
    release(&p);
}

static const crease_space tiny = { .order = 3, .dim = { 3, 4, 5 } };
enum { TINY = 60, TINY_RANK = 2 };

static crs_envelope_solver_settings settings(void)
{
    crs_envelope_solver_settings c = crs_envelope_solver_default(&tiny, TINY_RANK);
    c.penalty.weight = 0.5;
    return c;
}

static void random_start(crs_envelope_solver *s, const crease_space *of, ptrdiff_t rank,
                         double the_scale_is_that_of_the_noise_among_outliers)
{
    draws d = { 0 };
    double *x[CREASE_MAX_ORDER];
    for (int n = 0; n < of->order; n++) {
        x[n] = some(of->dim[n] * rank);
        for (ptrdiff_t j = 0; j < of->dim[n] * rank; j++)
            x[n][j] = the_scale_is_that_of_the_noise_among_outliers * normal(&d);
    }
    started(s, rank, x);
    for (int n = 0; n < of->order; n++) free(x[n]);
}

/* A NaN among the data is never called stationary, and the run ends. */
static void nan_data_are_never_stationary(void **state)
{
    (void)state;
    for (int path = 0; path < 2; path++) {
        double *T = some(TINY);
        T[7] = NAN;
        crs_envelope_solver_settings c = settings();
        c.path = path;
        crs_envelope_solver *s = solver_of(&c, T, NULL);
        random_start(s, &tiny, TINY_RANK, 1);
        const crs_envelope_progress *p = run(s, 100);
        assert_int_equal(p->status, CRS_ENVELOPE_STALLED);
        assert_true(isnan(p->value));
        crs_envelope_solver_free(s);
        free(T);
    }
}

/* Zero factors are a solution for T = 0, and stationary (a saddle) for any T. */
static void zero_factors_are_stationary(void **state)
{
    (void)state;
    draws d = { 0 };
    double *T = some(TINY);
    for (int data = 0; data < 2; data++) {
        for (ptrdiff_t j = 0; data && j < TINY; j++) T[j] = normal(&d);
        const crs_envelope_solver_settings c = settings();
        crs_envelope_solver *s = solver_of(&c, T, NULL);
        random_start(s, &tiny, TINY_RANK, 0);
        const crs_envelope_progress *p = run(s, 100);
        assert_int_equal(p->status, CRS_ENVELOPE_STATIONARY);
        assert_true(p->worst == 0);
        crs_envelope_solver_free(s);
    }
    free(T);
}

/* One entry: T = 3, and F -> 0 is reached. */
static void a_single_entry_is_fitted(void **state)
{
    (void)state;
    const crease_space one = { .order = 2, .dim = { 1, 1 } };
    const double T = 3;
    crs_envelope_solver_settings c = crs_envelope_solver_default(&one, 1);
    c.penalty.weight = 0.5;
    c.prune = false;
    crs_envelope_solver *s = solver_of(&c, &T, NULL);
    started(s, 1, (double *[]){ (double[]){ 0.7 }, (double[]){ 0.4 } });
    const crs_envelope_progress *p = run(s, 300);
    assert_int_equal(p->status, CRS_ENVELOPE_STATIONARY);
    assert_close(crs_envelope_solver_factor(s, 0)[0] * crs_envelope_solver_factor(s, 1)[0], 3,
                 1e-5);
    crs_envelope_solver_free(s);
}

/* The penalty's dead zone: where the prox first is not 0. */
static void a_threshold_is_where_the_prox_leaves_zero(void **state)
{
    (void)state;
    static const crs_penalty_value zoned[] = {
        { &crs_l1, { 2 }, 3 },         { &crs_mcp, { 0.8, 3 }, 1 },
        { &crs_scad, { 1e-3, 4 }, 2 }, { &crs_lsp, { 1, 2 }, 1 },
        { &crs_l0, { 1 }, 1e6 },       { &crs_capped_l1, { 1, 0.3 }, 1 },
        { &crs_l_half, { 1 }, 1e-9 },
    };
    const double c = 0.4;
    for (size_t k = 0; k < sizeof zoned / sizeof *zoned; k++) {
        const crs_penalty_value rho = zoned[k];
        const double t = crs_envelope_threshold(zoned + k, c);
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

/* The the_scale_is_that_of_the_noise_among_outliers of Gaussian numbers among a third of outliers
 * is that of the Gaussian. */
static void the_scale_is_that_of_the_noise_among_outliers(void **state)
{
    (void)state;
    enum { N = 60000 };
    const crease_space line = { .order = 2, .dim = { 300, 200 } };
    draws d = { 0 };
    double *T = some(N), *zero = some(300);
    for (ptrdiff_t j = 0; j < N; j++) T[j] = 0.02 * normal(&d) + (j % 3 == 0 ? 5 * normal(&d) : 0);
    const crs_envelope_settings pass = { .shape = line, .rank = 1, .alpha_noise = 1, .threads = 1 };
    crs_envelope *e = crs_envelope_new(&pass, source_of(&line, T, NULL), NULL);
    crs_envelope_sums *sums = calloc(1, sizeof *sums);
    const double *factor[] = { zero, zero };
    const crs_penalty_value penalty = crs_envelope_l1(1, 0.5);
    crs_envelope_evaluate(e, 1, factor, &penalty, &penalty, sums, NULL);
    assert_true(fabs(crs_envelope_scale(sums, 0) / 0.02 - 1) < 0.1); /* a bin is 9 % wide */
    assert_close(crs_envelope_scale(sums, N / 4) / crs_envelope_scale(sums, 0), sqrt(4.0 / 3),
                 1e-12);
    crs_envelope_free(e);
    free(T), free(zero), free(sums);
}

static void refused(crs_envelope_solver_settings c)
{
    crease_error e = { CREASE_OK, "" };
    const double T[TINY] = { 0 };
    assert_int_equal(crs_envelope_solver_bytes(&c, &e), -1);
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    assert_null(crs_envelope_solver_new(&c, source_of(&tiny, T, NULL), NULL));
}

#define REFUSED(field, value)                                                                      \
    do {                                                                                           \
        crs_envelope_solver_settings c_ = settings();                                              \
        c_.field = (value);                                                                        \
        refused(c_);                                                                               \
    } while (0)

static void settings_out_of_range_are_refused(void **state)
{
    (void)state;
    REFUSED(penalty.weight, -1);
    REFUSED(penalty.weight, NAN);
    REFUSED(penalty.rho, NULL);
    REFUSED(learn, -1);
    REFUSED(learn, NAN);
    REFUSED(nu, -1);
    REFUSED(nu, NAN);
    REFUSED(threshold_factor, 0);
    REFUSED(ridge, -1);
    REFUSED(eps, 0);
    REFUSED(eps, NAN);
    REFUSED(alpha_noise, 0);
    REFUSED(rank, 0);
    const crs_envelope_solver_settings c = settings();
    const double T[TINY] = { 0 }, x[TINY] = { 0 }, bad[TINY] = { [3] = NAN };
    const double *const good[] = { x, x, x }, *const broken[] = { x, bad, x };
    crs_envelope_solver *s = solver_of(&c, T, NULL);
    assert_false(crs_envelope_solver_start(s, TINY_RANK + 1, good, NULL));
    assert_false(crs_envelope_solver_start(s, 0, good, NULL));
    assert_false(crs_envelope_solver_start(s, TINY_RANK, broken, NULL));
    assert_true(crs_envelope_solver_start(s, 1, good, NULL));
    crs_envelope_solver_free(s);
    crs_envelope_solver_free(NULL);
}

enum { RANK = 3 };

static double *instance(const crease_space *shape)
{
    crease_cp_recipe r = crease_cp_recipe_default(shape, RANK);
    crease_cp_instance *c = crease_cp_generate(&r, NULL);
    const size_t bytes = (size_t)crease_size(shape) * sizeof(double);
    double *tensor = malloc(bytes);
    memcpy(tensor, c->tensor, bytes);
    crease_cp_instance_free(c);
    return tensor;
}

static void with_alpha_given_one_start_is_enough(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 10, 20, 30 } };
    (void)state;
    double *tensor = instance(&shape);
    crease_cp_fit_settings s = crease_cp_fit_default(&shape, RANK);
    s.model.alpha = 0.003;
    crease_cp_fit *f = crease_cp_fit_new(&s, tensor, NULL);
    assert_int_equal(crease_cp_fit_run(f), CREASE_STATIONARY);
    assert_int_equal(crease_cp_fit_pilot(f).starts, 1);
    assert_true(crease_cp_fit_pilot(f).deviation > 5e-4); /* the noise is 1e-3 */
    assert_true(crease_cp_fit_pilot(f).deviation < 2e-3);
    crease_cp_fit_free(f);
    free(tensor);
}

/* All of a far start's entries are beyond the goal: the threshold has to come down to it. */
static void a_far_start_is_led_along_the_path(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 10, 20, 30 } };
    const double goal = 0.003;
    double *tensor = instance(&shape), *x[3], highest = 0;
    (void)state;
    crs_envelope_solver_settings c = crs_envelope_solver_default(&shape, RANK);
    c.penalty = crs_envelope_l1(goal, 0.5);
    crs_envelope_solver *s = crs_envelope_solver_new(&c, source_of(&shape, tensor, NULL), NULL);
    for (int n = 0; n < 3; n++) {
        x[n] = malloc((size_t)(shape.dim[n] * RANK) * sizeof(double));
        for (ptrdiff_t j = 0; j < shape.dim[n] * RANK; j++)
            x[n][j] = crease_random_normal((crease_random){ 5, (uint64_t)n }, (uint64_t)j);
    }
    assert_true(crs_envelope_solver_start(s, RANK, (const double *const *)x, NULL));
    const crs_envelope_progress *p = crs_envelope_solver_progress(s);
    double median = NAN;
    while (crs_envelope_solver_step(s) == CRS_ENVELOPE_RUNNING && p->passes < 200) {
        if (p->passes == 1) median = p->median;
        highest = p->threshold > highest ? p->threshold : highest;
    }
    assert_int_equal(p->status, CRS_ENVELOPE_STATIONARY);
    assert_true(median > 100 * goal);
    assert_true(highest > median);
    assert_true(fabs(p->threshold - goal) <= 1e-15);
    crs_envelope_solver_free(s);
    for (int n = 0; n < 3; n++) free(x[n]);
    free(tensor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stationary_agrees_with_the_definition),
        cmocka_unit_test(the_truth_of_the_paper_is_found),
        cmocka_unit_test(many_outliers_are_told_from_noise),
        cmocka_unit_test(scaling_changes_nothing),
        cmocka_unit_test(the_order_of_modes_changes_nothing),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(nan_data_are_never_stationary),
        cmocka_unit_test(zero_factors_are_stationary),
        cmocka_unit_test(a_single_entry_is_fitted),
        cmocka_unit_test(a_threshold_is_where_the_prox_leaves_zero),
        cmocka_unit_test(the_scale_is_that_of_the_noise_among_outliers),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(with_alpha_given_one_start_is_enough),
        cmocka_unit_test(a_far_start_is_led_along_the_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
