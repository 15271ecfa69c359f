/* SPDX-License-Identifier: MIT
 * grid: differences of pixels in any order and with any signs: stationary by the definitions, the
 * answer of the multipliers, and no other matrix is taken for a grid */
#include "support/core_steps.h"

enum {
    HIGH = 5,
    WIDE = 4,
    N = HIGH * WIDE,
    M = HIGH * (WIDE - 1) + (HIGH - 1) * WIDE,
    MOST = 2000
};

typedef struct {
    ptrdiff_t start[M + 1], col[2 * M];
    double value[2 * M], target[N], rhs[M];
    crease_csr_matrix csr;
    crease_space spaces[2];
    crease_block blocks[2];
    crease_distance_data near;
} example;

static void put(example *s, ptrdiff_t row, ptrdiff_t from, ptrdiff_t to, double a)
{
    s->col[2 * row] = from, s->col[2 * row + 1] = to;
    s->value[2 * row] = -a, s->value[2 * row + 1] = a;
}

static crease_problem problem_of(draws *d, example *s, double a, double c)
{
    ptrdiff_t order[M], k = 0;
    for (ptrdiff_t i = 0; i < M; i++) order[i] = i, s->start[i] = 2 * i;
    s->start[M] = 2 * (ptrdiff_t)M;
    for (ptrdiff_t i = M - 1; i > 0; i--) {
        const ptrdiff_t j = below(d, i + 1), t = order[i];
        order[i] = order[j], order[j] = t;
    }
    for (ptrdiff_t j = 0; j < N; j++) {
        if (j % WIDE < WIDE - 1) put(s, order[k++], j, j + 1, below(d, 2) ? a : -a);
        if (j + WIDE < N) put(s, order[k++], j, j + WIDE, below(d, 2) ? a : -a);
    }
    normals(d, N, 1, s->target);
    normals(d, M, 0.2, s->rhs);
    s->csr = (crease_csr_matrix){ M, N, s->start, s->col, s->value };
    s->spaces[0] = crease_vector(N), s->spaces[1] = crease_vector(M);
    s->blocks[0] = (crease_block){ .map = crease_csr(&s->csr) };
    s->blocks[1] = (crease_block){ .reg = crease_l1(0.4), .map = crease_identity(c) };
    s->near = (crease_distance_data){ .a = 0, .b = -1, .weight = 1.7, .d = s->target };
    return (crease_problem){ .count = 2,
                             .space = s->spaces,
                             .block = s->blocks,
                             .range = crease_vector(M),
                             .rhs = s->rhs,
                             .f = crease_squared_distance(&s->near) };
}

static void ends_stationary_where_multipliers_do(void **state)
{
    draws d = { { 81, 1 }, 0 };
    example s;
    core_steps r, other;
    (void)state;
    for (int k = 0; k < 12; k++) {
        const crease_problem p = problem_of(&d, &s, k % 2 ? 1 : 0.3, k % 3 ? -1 : 2);
        core_begin(&r, &crs_core_grid, &p, 1e-8, NULL);
        core_go(&r, MOST);
        const double worst = core_certified(&r, &p);
        if (r.said != CRS_CORE_DONE || !(worst <= 1.01e-8))
            fail_msg("case %d: state %d after %ld steps, worst %g", k, (int)r.said, r.steps, worst);
        core_begin(&other, &crs_core_multipliers, &p, 1e-8, NULL);
        core_go(&other, MOST);
        assert_int_equal(other.said, CRS_CORE_DONE);
        for (int j = 0; j < N; j++) assert_close(r.now.x[j], other.now.x[j], 1e-6);
        core_end(&r);
        core_end(&other);
    }
}

static bool is_taken(const crease_problem *p)
{
    crs_work work = { 0 };
    crs_composite *c = crs_composite_new(p, 0, &work, NULL, NULL);
    assert_non_null(c);
    const bool taken = crs_core_grid.suits(c);
    crs_composite_free(c);
    return taken;
}

static void other_matrices_are_no_grid(void **state)
{
    draws d = { { 82, 1 }, 0 };
    example s;
    (void)state;
    crease_problem p = problem_of(&d, &s, 1, -1);
    assert_true(is_taken(&p));
    s.value[3] *= 2;
    assert_false(is_taken(&p)); /* a weight of its own */
    p = problem_of(&d, &s, 1, -1);
    s.value[5] = s.value[4];
    assert_false(is_taken(&p)); /* a sum */
    p = problem_of(&d, &s, 1, -1);
    s.col[0] = s.col[2], s.col[1] = s.col[3];
    assert_false(is_taken(&p)); /* one difference twice, one missing */
    p = problem_of(&d, &s, 1, -1);
    s.blocks[0].reg = crease_l1(1);
    assert_false(is_taken(&p)); /* x is not free */
}

static void data_that_are_no_number_end_it(void **state)
{
    draws d = { { 83, 1 }, 0 };
    example s;
    core_steps r;
    (void)state;
    const crease_problem p = problem_of(&d, &s, 1, -1);
    s.target[4] = NAN;
    core_begin(&r, &crs_core_grid, &p, 1e-8, NULL);
    core_go(&r, MOST);
    assert_int_equal(r.said, CRS_CORE_STUCK);
    core_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_stationary_where_multipliers_do),
        cmocka_unit_test(other_matrices_are_no_grid),
        cmocka_unit_test(data_that_are_no_number_end_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
