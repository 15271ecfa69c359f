/* SPDX-License-Identifier: MIT
 * admm_m: the last block moves by y with (ell I + beta A'A) y = g whichever way that is
 * found: by a division, by either Cholesky factor, by conjugate gradients */
#include <stdlib.h>

#include "method/method.h"
#include "support/test.h"

enum { SMALL = 7, WIDE = 12, LARGE = 2100 }; /* LARGE is beyond what is factored */

/* The relative residual of a step from 0 for a map from R^n to R^m, f = 0: g = beta A's. */
static double residual(crease_map map, ptrdiff_t n, ptrdiff_t m, double scale)
{
    const crease_space space = crease_vector(n);
    const crease_block block = { .map = map };
    const crease_problem p = {
        .count = 1, .space = &space, .block = &block, .range = crease_vector(m)
    };
    const crease_analysis a = { .last = 0, .map_scale = scale, .ell = 0.7, .beta = 3 };
    const crs_method *method = &crs_method_admm_m;
    double *memory = calloc((size_t)(5 * n + 5 * m), sizeof *memory), *at = memory;
    double *x[] = { at }, *g = at + n, *y = g + n, *v = y + n, *r = v + n;
    double value[1];
    crs_state st = { .p = &p, .a = &a, .x = x, .r = value, .g = g, .y = y, .v = v };
    at = r + n;
    st.lambda = at, st.s = at + m, st.m = at + 2 * m;
    double *s = at + 3 * m, *t = at + 4 * m;
    draws d = { { 5, (uint64_t)n }, 0 };
    st.solve = calloc((size_t)method->solver_size(&p, &a) + 1, sizeof *st.solve);
    st.work = calloc((size_t)crs_problem_scratch(&p) + 1, sizeof *st.work);
    for (ptrdiff_t j = 0; j < m; j++) s[j] = st.s[j] = normal(&d);
    assert_true(method->prepare(&st, NULL));
    method->step(&st);
    for (ptrdiff_t j = 0; j < n; j++) r[j] = a.ell * x[0][j], y[j] = 0; /* x = -y */
    crs_apply(&p, 0, 1, x[0], t, st.work);
    crs_adjoint(&p, 0, a.beta, t, r, st.work);
    crs_adjoint(&p, 0, a.beta, s, y, st.work);
    axpy(n, 1, y, r);
    const double off = crs_norm(n, r) / crs_norm(n, y);
    free(memory), free(st.solve), free(st.work);
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
