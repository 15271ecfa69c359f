/* SPDX-License-Identifier: MIT
 * tangent: with every loss and spectral penalty it ends stationary by the definitions; it finds the
 * answer of convex problems, and in few steps once the rank is known */
#include "reg/reg.h"
#include "support/core_steps.h"

enum { ROWS = 12, COLS = 10, N = ROWS * COLS, RANK = 2, SEEN = 90, MOST = 20000, REGS = 5 };

typedef struct {
    double y[N], K[SEEN * N];
    ptrdiff_t index[N];
    crease_index_list list;
    crease_map map;
    int block;
    crease_predictor u;
    crease_space space;
    crease_block blocks[1];
} example;

/* A matrix of low rank with noise, of which `entries` entries, or random combinations (0), are
 * seen.
 */
static void draw_example(draws *d, int entries, example *s)
{
    const int seen = entries ? entries : SEEN;
    double left[ROWS * RANK], right[COLS * RANK], X[N];
    normals(d, ROWS * RANK, 1, left);
    normals(d, COLS * RANK, 1, right);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLS; j++)
            X[i * COLS + j] = crs_dot(RANK, left + i * RANK, right + j * RANK) + 0.05 * normal(d);
    normals(d, SEEN * N, 1 / sqrt(SEEN), s->K);
    for (int i = 0; i < seen; i++) s->index[i] = (i * 7) % N; /* 7 and 120 have no common factor */
    s->list = (crease_index_list){ .count = seen, .index = s->index };
    s->map = entries ? crease_selection(&s->list) : crease_dense(s->K);
    for (int i = 0; i < seen; i++) s->y[i] = entries ? X[s->index[i]] : crs_dot(N, s->K + i * N, X);
    s->block = 0;
    s->u = (crease_predictor){ .count = 1, .block = &s->block, .map = &s->map, .rhs = s->y };
    s->u.range = crease_vector(seen);
    s->space = crease_matrix(ROWS, COLS);
    s->blocks[0] = (crease_block){ 0 };
}

static crease_problem problem_of(example *s, crease_smooth f, crease_reg r)
{
    s->blocks[0].reg = r;
    return (crease_problem){ .count = 1, .space = &s->space, .block = s->blocks, .f = f };
}

static crease_reg reg_at(int k)
{
    const crease_reg all[REGS] = {
        crease_nuclear(0.3),
        crease_spectral(&crs_mcp, (double[]){ 0.4, 3 }),
        crease_spectral(&crs_scad, (double[]){ 0.4, 3.7 }),
        crease_rank(0.5),
        crease_spectral(&crs_lsp, (double[]){ 0.3, 1 }),
    };
    return all[k];
}

static void every_penalty_ends_stationary(void **state)
{
    draws d = { { 71, 1 }, 0 };
    static example s;
    core_steps r;
    (void)state;
    for (int k = 0; k < 4 * REGS; k++) {
        const bool entries = k / REGS % 2, huber = k / (2 * REGS) % 2;
        /* with entries unseen and no convexity there need be no minimizer */
        draw_example(&d, !entries ? 0 : k % REGS == 0 ? SEEN : N, &s);
        const crease_smooth f = huber ? crease_huber_loss(&s.u, 1) : crease_least_squares(&s.u);
        const crease_problem p = problem_of(&s, f, reg_at(k % REGS));
        core_begin(&r, &crs_core_tangent, &p, 1e-7, NULL);
        core_go(&r, MOST);
        const double worst = core_certified(&r, &p);
        if (r.said != CRS_CORE_DONE || !(worst <= 1.001e-7))
            fail_msg("penalty %d, entries %d, huber %d: state %d after %ld steps, worst %g",
                     k % REGS, entries, huber, (int)r.said, r.steps, worst);
        core_end(&r);
    }
}

static double answer(const crs_core *core, const crease_problem *p, double eps, long *steps)
{
    core_steps r;
    core_begin(&r, core, p, eps, NULL);
    core_go(&r, MOST);
    assert_int_equal(r.said, CRS_CORE_DONE);
    const double F = r.now.objective;
    *steps = r.steps;
    core_end(&r);
    return F;
}

static void convex_problems_have_one_answer_and_end_in_few_steps(void **state)
{
    draws d = { { 72, 1 }, 0 };
    static example s;
    long steps, plain, sum = 0, plain_sum = 0;
    (void)state;
    for (int k = 0; k < 8; k++) {
        draw_example(&d, k % 2 ? SEEN : 0, &s);
        const crease_problem p = problem_of(&s, crease_least_squares(&s.u), crease_nuclear(0.3));
        const double F = answer(&crs_core_tangent, &p, 1e-9, &steps);
        assert_close(F, answer(&crs_core_panoc, &p, 1e-9, &plain), 1e-12);
        assert_true(steps <= 40);
        sum += steps;
        plain_sum += plain;
    }
    assert_true(sum < plain_sum);
}

static void other_blocks_are_left_to_others(void **state)
{
    draws d = { { 73, 1 }, 0 };
    static example s;
    crs_work work = { 0 };
    (void)state;
    draw_example(&d, SEEN, &s);
    const crease_problem p = problem_of(&s, crease_least_squares(&s.u), crease_l1(1));
    crs_composite *c = crs_composite_new(&p, 0, &work, NULL, NULL);
    assert_false(crs_core_tangent.suits(c));
    crs_composite_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_penalty_ends_stationary),
        cmocka_unit_test(convex_problems_have_one_answer_and_end_in_few_steps),
        cmocka_unit_test(other_blocks_are_left_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
