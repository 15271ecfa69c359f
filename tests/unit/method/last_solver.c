/* SPDX-License-Identifier: MIT
 * last_solver: y solves (ell I + beta A'A) y = g whichever way it is found: by a division, by
 * either Cholesky factor, by conjugate gradients */
#include <stdlib.h>

#include "method/method.h"
#include "support/test.h"

enum { SMALL = 7, WIDE = 12, LARGE = 2100 }; /* LARGE is beyond what is factored */

/* The relative residual of the solve for a map from R^n to R^m. */
static double residual(crease_map map, ptrdiff_t n, ptrdiff_t m, double scale)
{
    const crease_space space = crease_vector(n);
    const crease_block block = { .map = map };
    const crease_problem p = {
        .count = 1, .space = &space, .block = &block, .range = crease_vector(m)
    };
    const crease_analysis a = { .last = 0, .map_scale = scale, .ell = 0.7, .beta = 3 };
    crs_state st = { .p = &p, .a = &a };
    double *g = calloc((size_t)(3 * n + m), sizeof *g), *y = g + n, *r = y + n, *t = r + n;
    draws d = { { 5, (uint64_t)n }, 0 };
    st.solve = calloc((size_t)crs_last_solver_size(&p, &a) + 1, sizeof *st.solve);
    st.work = calloc((size_t)crs_problem_scratch(&p) + 1, sizeof *st.work);
    for (ptrdiff_t j = 0; j < n; j++) g[j] = normal(&d);
    assert_true(crs_last_solver_prepare(&st, NULL));
    crs_last_solve(&st, g, y);
    for (ptrdiff_t j = 0; j < n; j++) r[j] = a.ell * y[j] - g[j];
    crs_apply(&p, 0, 1, y, t, st.work);
    crs_adjoint(&p, 0, a.beta, t, r, st.work);
    const double off = crs_norm(n, r) / crs_norm(n, g);
    free(g), free(st.solve), free(st.work);
    return off;
}

static void every_way_solves(void **state)
{
    static double entries[WIDE * WIDE], diagonal[LARGE];
    draws d = { { 1, 1 }, 0 };
    (void)state;
    for (int k = 0; k < WIDE * WIDE; k++) entries[k] = normal(&d);
    for (int k = 0; k < LARGE; k++) diagonal[k] = uniform(&d, 0.5, 2);
    /* condition numbers are below 100 here, so 1e4 roundings are plenty */
    assert_true(residual(crease_identity(-2), SMALL, SMALL, -2) <= 1e4 * 0x1p-53);
    assert_true(residual(crease_dense(entries), SMALL, WIDE, NAN) <= 1e4 * 0x1p-53);
    assert_true(residual(crease_dense(entries), WIDE, SMALL, NAN) <= 1e4 * 0x1p-53);
    assert_true(residual(crease_diagonal(diagonal), LARGE, LARGE, NAN) <= 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_way_solves) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
