/* SPDX-License-Identifier: MIT
 * smooth: every call on a coupling survives any one of its allocations failing */
#include <stdlib.h>

#include "smooth/smooth.h"
#include "support/test.h"

static int allocations_left;

void *crs_alloc(size_t count, size_t size)
{
    return allocations_left-- == 0 ? NULL : calloc(count ? count : 1, size);
}

void *crs_resize(void *p, size_t count, size_t size)
{
    return allocations_left-- == 0 ? NULL : realloc(p, count * size + 1);
}

void crs_free(void *p) { free(p); }

enum { N = 3 };

static const double matrix[N * N] = { 4, 1, 0, 1, 4, 1, 0, 1, 4 }, q[N] = { 1, 2, 3 };
static const double *const matrices[] = { matrix, matrix }, *const linear[] = { q, NULL };
static const int zero[] = { 0, 0 }, cross[] = { 0, 1 };
static const crease_space space[] = { { 1, { N }, NULL }, { 1, { N }, NULL } };
static const crease_blocks blocks = { .count = 2, .space = space };
static const double *const x[] = { q, q };

typedef bool call(const crease_smooth *f, crease_error *e);

static bool constants(const crease_smooth *f, crease_error *e)
{
    crease_constants c;
    double block[2];
    return crease_smooth_constants(f, &blocks, 0, &c, block, e);
}

static bool value(const crease_smooth *f, crease_error *e)
{
    double v;
    return crease_smooth_value(f, &blocks, x, &v, e);
}

static bool grad(const crease_smooth *f, crease_error *e)
{
    double g[N];
    return crease_smooth_grad(f, &blocks, x, 0, g, e);
}

static bool check_gradient(const crease_smooth *f, crease_error *e)
{
    double error;
    return crease_smooth_check_gradient(f, &blocks, x, 0, 2, &error, e);
}

/* Fails the k-th allocation for k = 0, 1, ... until the call has none left to fail. */
static int survives(call *run, const crease_smooth *f)
{
    for (int k = 0; k < 1000; k++) {
        crease_error e = { 0 };
        allocations_left = k;
        if (run(f, &e)) return k;
        assert_int_equal(e.code, CREASE_NO_MEMORY);
        allocations_left = k;
        assert_false(run(f, NULL));
    }
    return -1;
}

static void failing_allocations_are_survived(void **state)
{
    const crease_map map[] = { crease_dense(matrix), crease_identity(1) };
    const crease_predictor p = { 1, zero, map, space[0], q, NULL },
                           two = { 2, cross, map, space[0], q, NULL };
    const crease_predictor last = { 1, zero, map + 1, space[0], NULL, NULL };
    const crease_quadratic_data quadratic = { 2, zero, cross, matrices, linear, 2 };
    const crease_predictor classes = { 1, zero, map, { 2, { 1, N }, NULL }, q, NULL };
    const crease_power_data power = { 0, 1, 3, q };
    const crease_distance_data distance = { 0, 1, 1, NULL };
    const crease_smooth term[] = {
        crease_cauchy(&p),
        crease_least_squares(&p),
        crease_least_squares(&last),
        crease_lp_loss(&two, 1.5),
        crease_quadratic(&quadratic),
        crease_squared_distance(&distance),
        crease_least_squares(&two),
        crease_softmax(&classes),
        crease_poisson(&p),
        crease_norm_power(&power),
    };
    enum { TERMS = sizeof term / sizeof *term };
    const crease_smooth_list list = { TERMS, term };
    const crease_smooth sum = crease_smooth_sum(&list);
    call *const calls[] = { constants, value, grad, check_gradient };
    (void)state;
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        for (int t = 0; t < TERMS; t++) assert_true(survives(calls[k], &term[t]) >= 0);
        assert_true(survives(calls[k], &sum) > 0);
    }
    assert_true(survives(constants, &term[4]) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(failing_allocations_are_survived) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
