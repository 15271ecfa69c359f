/* SPDX-License-Identifier: MIT
 * fused: any allocation may fail, and the forecast is what is allocated */
#include <stdlib.h>

#include "rpca/fused/fused.h"
#include "support/fail_alloc.h"
#include "support/test.h"

static void one_case(crs_cp_method method, bool accelerate, const crease_space *shape,
                     ptrdiff_t rank)
{
    crs_cp_settings c = { .shape = *shape, .rank = rank, .method = method, .beta = 4 };
    c.penalty.weight = c.alpha_noise = c.penalty.par[0] = c.h_factor = c.h_sparse = c.h_z = 1;
    c.penalty.rho = &crs_l1;
    c.potential_weight = 1;
    c.accelerate = accelerate;
    c.threads = 2;
    c.full = true;
    double *T = calloc((size_t)crease_size(shape), sizeof *T);
    double *x = calloc((size_t)(shape->dim[0] + 100) * (size_t)rank, sizeof *x);
    const double *factor[CREASE_MAX_ORDER];
    crs_cp_fused *f = NULL;
    long needed = 0;
    for (int n = 0; n < shape->order; n++) factor[n] = x;
    for (; !f; needed++) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = needed;
        allocations_bytes = 0;
        f = crs_cp_fused_new(&c, T, &e);
        assert_true(f || (e.code == CREASE_NO_MEMORY && allocations_live == 0));
    }
    assert_int_equal(needed, 3);
    assert_int_equal(allocations_bytes, crs_cp_fused_bytes(&c, NULL));
    allocations_left = 0; /* nothing is allocated from here on */
    assert_true(crs_cp_fused_start(f, factor, T, T, T, NULL, NULL));
    for (int k = 0; k < 3; k++) crs_cp_fused_step(f);
    assert_int_equal(crs_cp_fused_statistics(f)->eliminations > 0, accelerate);
    assert_true(isfinite(crs_cp_fused_statistics(f)->objective));
    crs_cp_fused_free(f);
    assert_int_equal(allocations_live, 0);
    free(T), free(x);
}

static void allocations(void **state)
{
    const crease_space shapes[] = { { .order = 2, .dim = { 1, 1 } },
                                    { .order = 3, .dim = { 5, 7, 100 } },
                                    { .order = 5, .dim = { 97, 2, 3, 1, 5 } } };
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int method = 0; method < 6; method++)
            one_case((crs_cp_method)(method / 2), method % 2, &shapes[k], 1 + 4 * k);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(allocations) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
