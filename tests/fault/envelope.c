/* SPDX-License-Identifier: MIT
 * envelope: any allocation may fail, the forecast is what is allocated, evaluations and
 * steps allocate none */
#include <stdlib.h>

#include "rpca/envelope/envelope.h"
#include "support/fail_alloc.h"
#include "support/test.h"

static void one_case(const crease_space *shape, ptrdiff_t rank)
{
    const crs_envelope_settings c = {
        .shape = *shape, .rank = rank, .alpha_noise = 1, .threads = 2
    };
    const crs_penalty_value penalty = { &crs_l1, { 1 }, 1 };
    double *T = calloc((size_t)crease_size(shape), sizeof *T);
    double *x = calloc((size_t)(shape->dim[0] + 100) * (size_t)rank, sizeof *x);
    double *out = calloc((size_t)crease_size(shape), sizeof *out);
    const double *factor[CREASE_MAX_ORDER];
    crs_memory data;
    crs_envelope *s = NULL;
    crs_envelope_sums sums = { 0 };
    long needed = 0;
    for (int n = 0; n < shape->order; n++) factor[n] = x;
    crs_memory_open(&data, shape, T, NULL);
    for (; !s; needed++) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = needed;
        allocations_bytes = 0;
        s = crs_envelope_new(&c, &data.source, &e);
        assert_true(s || (e.code == CREASE_NO_MEMORY && allocations_live == 0));
    }
    assert_int_equal(needed, 3);
    assert_int_equal(allocations_bytes, crs_envelope_bytes(&c, NULL));
    allocations_left = 0;
    sums.gradient[0] = calloc((size_t)(shape->dim[0] * rank), sizeof(double));
    crs_envelope_evaluate(s, rank, factor, &penalty, &penalty, &sums, NULL);
    assert_true(sums.value == 0 && sums.observed == crease_size(shape));
    assert_true(crs_envelope_read(s, rank, factor, &penalty, CRS_CP_B, out, NULL));
    crs_envelope_free(s);
    assert_int_equal(allocations_live, 0);
    free(T), free(x), free(out), free(sums.gradient[0]);
}

static void a_pass_allocates_what_it_forecasts(void **state)
{
    const crease_space shapes[] = { { .order = 2, .dim = { 1, 1 } },
                                    { .order = 3, .dim = { 5, 7, 100 } },
                                    { .order = 5, .dim = { 97, 2, 3, 1, 5 } } };
    (void)state;
    for (int k = 0; k < 3; k++) one_case(&shapes[k], 1 + 4 * k);
}

static void a_pass_over_slabs_survives_any_failure(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 171, 160, 155 } };
    const crs_envelope_settings c = { .shape = shape, .rank = 2, .alpha_noise = 1, .threads = 2 };
    double *T = calloc((size_t)crease_size(&shape), sizeof *T);
    crs_memory data;
    crs_envelope *s = NULL;
    (void)state;
    crs_memory_open(&data, &shape, T, NULL);
    assert_true(data.source.cut.count > 1);
    for (long needed = 0; !s; needed++) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = needed;
        allocations_bytes = 0;
        s = crs_envelope_new(&c, &data.source, &e);
        assert_true(s || (e.code == CREASE_NO_MEMORY && allocations_live == 0));
    }
    assert_true((ptrdiff_t)allocations_bytes <= crs_envelope_bytes(&c, NULL));
    allocations_left = 0; /* nothing is allocated from here on */
    crs_envelope_sums *sums = calloc(1, sizeof *sums);
    double *x = calloc(171 * 2, sizeof *x);
    const double *const factor[] = { x, x, x };
    const crs_penalty_value penalty = { &crs_l1, { 1 }, 1 };
    assert_true(crs_envelope_evaluate(s, 2, factor, &penalty, &penalty, sums, NULL));
    assert_true(sums->value == 0 && sums->observed == crease_size(&shape));
    crs_envelope_free(s);
    assert_int_equal(allocations_live, 0);
    free(T), free(x), free(sums);
}

static void one_solver(const crease_space *shape, bool nonneg)
{
    enum { SIZE = 7 * 8 * 9 };
    crs_envelope_solver_settings c = crs_envelope_solver_default(shape, 3);
    double T[SIZE], x[3 * 72];
    const double *factor[] = { x, x, x };
    crs_envelope_solver *s = NULL;
    crs_memory data;
    draws d = { 0 };
    for (int j = 0; j < SIZE; j++) T[j] = normal(&d);
    for (int j = 0; j < 3 * 72; j++) x[j] = normal(&d);
    crs_memory_open(&data, shape, T, NULL);
    c.penalty.weight = 0.5;
    c.nonneg = nonneg;
    c.threads = 2;
    for (long needed = 0; !s; needed++) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = needed;
        allocations_bytes = 0;
        s = crs_envelope_solver_new(&c, &data.source, &e);
        assert_true(s || (e.code == CREASE_NO_MEMORY && allocations_live == 0));
    }
    assert_int_equal(allocations_bytes, crs_envelope_solver_bytes(&c, NULL));
    allocations_left = 0; /* nothing is allocated from here on */
    assert_true(crs_envelope_solver_start(s, 3, factor, NULL));
    for (int k = 0; k < 50; k++) crs_envelope_solver_step(s);
    assert_true(isfinite(crs_envelope_solver_progress(s)->value));
    crs_envelope_solver_free(s);
    assert_int_equal(allocations_live, 0);
}

/* The second is tall: its rows are eliminated. */
static void a_solver_allocates_what_it_forecasts(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 7, 8, 9 } }, tall = crease_matrix(72, 7);
    (void)state;
    one_solver(&shape, true);
    one_solver(&tall, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_pass_allocates_what_it_forecasts),
                                        cmocka_unit_test(a_pass_over_slabs_survives_any_failure),
                                        cmocka_unit_test(a_solver_allocates_what_it_forecasts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
