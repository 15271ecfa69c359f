/* SPDX-License-Identifier: MIT
 * envelope_solver_paper: from random starts the truth, its rank and the noise are found; scaling,
 * permuting modes and threads change nothing that matters */
#include "support/envelope_run.h"

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

/* The generator of the paper, with R and R + 1 */
static void paper(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (ptrdiff_t extra = 0; extra < 2; extra++) {
            crease_cp_recipe recipe = crease_cp_recipe_default(&small, 3);
            recipe.seed = seed;
            problem p = make(&recipe, 3 + extra, 1);
            crs_envelope_solver_settings c = crs_envelope_solver_default(&small, 3 + extra);
            c.penalty.weight = 2 / sqrt(14.0);
            crs_envelope_solver *s = solver_of(&c, p.c->tensor);
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
    crs_envelope_solver *next = solver_of(&other, T);
    assert_true(crs_envelope_solver_start(next, crs_envelope_solver_progress(s)->rank, x, NULL));
    return next;
}

/* A fifth of the entries is replaced by outliers ten times as large; the threshold is learned, and
 * a nonconvex penalty takes away the bias of l1. The variance of l1 is then at least 2.05 (Huber
 * 1964, table I), that of a fit without the outliers 1/0.8: errors of a ratio of 0.78 at most. */
static void hard(void **state)
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
        c.kap = 1;
        crs_envelope_solver *s = solver_of(&c, p.c->tensor);
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
    crs_envelope_solver *s = solver_of(c, T);
    started(s, c->rank, p->x);
    const crs_envelope_progress *out = run(s, 300);
    assert_int_equal(out->status, CRS_ENVELOPE_STATIONARY);
    const outcome result = { out->passes, out->value, error_of(p, s) };
    crs_envelope_solver_free(s);
    return result;
}

/* Powers of 2 scale without rounding: T by 8 and factors by 2 make F 64 times as large. */
static void scaling(void **state)
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
static void permuted(void **state)
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
    crs_envelope_solver *s = solver_of(&c, T);
    started(s, 3, q.x);
    const crs_envelope_progress *out = run(s, 300);
    assert_int_equal(out->status, CRS_ENVELOPE_STATIONARY);
    assert_close(out->value, one.value, 1e-6);
    crs_envelope_solver_free(s);
    free(T), free(low);
    release(&p);
}

/* Bit for bit, for any number of threads */
static void threads(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(paper), cmocka_unit_test(hard),
                                        cmocka_unit_test(scaling), cmocka_unit_test(permuted),
                                        cmocka_unit_test(threads) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
