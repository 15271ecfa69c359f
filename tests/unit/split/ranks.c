/* SPDX-License-Identifier: MIT
 * ranks: consensus and sharing over ranks, here threads of one process: theorem, parameters, point
 * and certificate are those of one process, the same bits on every rank; what one rank refuses or
 * ends, all do */
#include "support/ranks.h"
#include "support/split_case.h"

typedef struct {
    split_case c;
    split_answer out[MOST_RANKS];
} everywhere;

static void run_one(int rank, int ranks, const crease_comm *comm, void *user)
{
    everywhere *all = user;
    all->out[rank] = answer_of(&all->c, rank, ranks, comm);
}

static split_case a_case(bool consensus, loss_kind loss, crease_mode mode)
{
    split_case c = { .consensus = consensus, .loss = loss, .failing = -1 };
    c.o = options_to(1e-7);
    c.o.mode = mode;
    return c;
}

static void assert_same_bits(const split_answer *a, const split_answer *b)
{
    assert_int_equal(a->how, b->how);
    assert_int_equal(a->iterations, b->iterations);
    assert_memory_equal(a->number, b->number, sizeof a->number);
    assert_memory_equal(a->x, b->x, sizeof a->x);
    assert_memory_equal(&a->objective, &b->objective, sizeof a->objective);
    assert_memory_equal(&a->worst, &b->worst, sizeof a->worst);
}

/* Two points with residuals of 1e-7: they differ by that times the inverse of the curvature, here
 * above 1/10; the objectives by it times the multiplier. */
static void assert_same_answer(const split_answer *a, const split_answer *one)
{
    assert_string_equal(a->theorem, one->theorem);
    assert_int_equal(a->method, one->method);
    for (int k = 0; k < 12; k++) assert_close(a->number[k], one->number[k], 1e-11);
    for (int k = 0; k < CASE_COLS; k++) assert_close(a->x[k], one->x[k], 2e-6);
    assert_close(a->objective, one->objective, 1e-8);
    assert_true(a->worst <= 1e-7 && one->worst <= 1e-7);
    assert_close(a->scale, one->scale, 1e-5);
    assert_int_equal(a->violations, 0);
}

static void agrees(bool consensus, loss_kind loss, crease_mode mode, crease_method method)
{
    everywhere all = { .c = a_case(consensus, loss, mode) };
    all.c.o.method = method;
    const split_answer one = answer_of(&all.c, 0, 1, NULL);
    assert_true(one.made && one.how == CREASE_STATIONARY);
    const bool few = method != CREASE_METHOD_ADMM_M;
    for (int ranks = few ? 3 : 1; ranks <= (few ? 3 : MOST_RANKS); ranks++) {
        assert_true(on_ranks(ranks, run_one, &all, NULL));
        for (int k = 0; k < ranks; k++) {
            if (!all.out[k].made) fail_msg("%s", all.out[k].e.text);
            assert_int_equal(all.out[k].how, CREASE_STATIONARY);
            assert_same_bits(&all.out[k], &all.out[0]);
            assert_same_answer(&all.out[k], &one);
        }
    }
}

static void consensus_has_the_theorem_of_one_process(void **state)
{
    (void)state;
    agrees(true, SQUARES, CREASE_MODE_THEORY, CREASE_METHOD_AUTO);
    agrees(true, SQUARES, CREASE_MODE_PRACTICAL, CREASE_METHOD_ADMM_M);
    agrees(true, SQUARES, CREASE_MODE_PRACTICAL, CREASE_METHOD_ADMM_G);
    agrees(true, LOGISTIC, CREASE_MODE_PRACTICAL, CREASE_METHOD_ADMM_G);
    agrees(true, HUBER, CREASE_MODE_PAPER, CREASE_METHOD_AUTO);
}

static void sharing_has_the_theorem_of_one_process(void **state)
{
    (void)state;
    agrees(false, SQUARES, CREASE_MODE_THEORY, CREASE_METHOD_AUTO);
    agrees(false, HUBER, CREASE_MODE_THEORY, CREASE_METHOD_AUTO);
    agrees(false, LOGISTIC, CREASE_MODE_PRACTICAL, CREASE_METHOD_ADMM_G);
    agrees(false, SQUARES, CREASE_MODE_PRACTICAL, CREASE_METHOD_ADMM_M);
    agrees(false, SQUARES, CREASE_MODE_PRACTICAL, CREASE_METHOD_EXTENSION);
    agrees(false, HUBER, CREASE_MODE_PRACTICAL, CREASE_METHOD_ADMM_G);
}

/* Where one process takes a core of practical mode, ranks take the paper's method: the answer is
 * the same. */
static void practical_mode_finds_the_same_point(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        everywhere all = { .c = a_case(kind, SQUARES, CREASE_MODE_PRACTICAL) };
        const split_answer one = answer_of(&all.c, 0, 1, NULL);
        assert_true(on_ranks(3, run_one, &all, NULL));
        for (int k = 0; k < 3; k++) {
            assert_int_equal(all.out[k].how, CREASE_STATIONARY);
            for (int j = 0; j < CASE_COLS; j++) assert_close(all.out[k].x[j], one.x[j], 2e-6);
        }
    }
}

static void relative_residuals_are_those_of_one_process(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        everywhere all = { .c = a_case(kind, SQUARES, CREASE_MODE_PRACTICAL) };
        all.c.o.method = CREASE_METHOD_ADMM_M;
        all.c.o.relative = 1;
        all.c.o.max_iterations = 20;
        const split_answer one = answer_of(&all.c, 0, 1, NULL);
        assert_true(on_ranks(3, run_one, &all, NULL));
        for (int k = 0; k < 3; k++) {
            assert_close(all.out[k].worst_relative, one.worst_relative, 1e-9);
            assert_close(all.out[k].scale, one.scale, 1e-9);
        }
    }
}

/* min l(A x - b) + r(x), rows of A and b by rank and x on all of them. */
static void regress(int rank, int ranks, const crease_comm *comm, void *user)
{
    everywhere *all = user;
    double A[CASE_ROWS * CASE_COLS], y[CASE_ROWS];
    draws d = { { 9, 4 }, 0 };
    draw_data(&d, all->c.loss, CASE_ROWS, CASE_COLS, A, y);
    const int first = CASE_ROWS * rank / ranks, rows = CASE_ROWS * (rank + 1) / ranks - first;
    const int last = 0;
    const crease_map map = crease_dense(A + first * CASE_COLS);
    crease_predictor w = { 1, &last, &map, crease_vector(rows), y + first, NULL };
    const crease_space space = crease_vector(CASE_COLS);
    const crease_block block = { .reg = all->c.consensus ? crease_mcp(1, 3)
                                                         : (crease_reg){ .ops = NULL } };
    w.range.comm = comm;
    crease_smooth f = all->c.loss == SQUARES ? crease_least_squares(&w)
                      : all->c.loss == HUBER ? crease_huber_loss(&w, huber_delta)
                                             : crease_logistic(&w);
    const crease_problem p = { .count = 1, .space = &space, .block = &block, .f = f };
    split_answer *out = &all->out[rank];
    *out = (split_answer){ .made = false };
    crease_solver *s = crease_solver_new(&p, &all->c.o, &out->e);
    out->made = s;
    if (!s) return;
    out->how = crease_solve(s);
    snprintf(out->theorem, sizeof out->theorem, "%s", crease_solver_analysis(s)->theorem);
    out->number[0] = crease_solver_analysis(s)->L;
    out->objective = crease_solver_certificate(s)->objective;
    copy(CASE_COLS, crease_solution(s, 0), out->x);
    crease_solver_free(s);
}

static void a_loss_may_have_its_rows_on_ranks(void **state)
{
    (void)state;
    for (int penalized = 0; penalized < 2; penalized++)
        for (loss_kind loss = SQUARES; loss <= LOGISTIC; loss++) {
            everywhere one = { .c = a_case(penalized, loss, CREASE_MODE_PRACTICAL) };
            one.c.o.method = CREASE_METHOD_PROX_BCD;
            one.c.o.eps = 1e-6;
            everywhere all = one;
            regress(0, 1, NULL, &one);
            assert_true(on_ranks(3, regress, &all, NULL));
            for (int k = 0; k < 3; k++) {
                if (!all.out[k].made) fail_msg("%s", all.out[k].e.text);
                assert_int_equal(all.out[k].how, one.out[0].how);
                assert_int_equal(all.out[k].how, CREASE_STATIONARY);
                assert_string_equal(all.out[k].theorem, one.out[0].theorem);
                assert_close(all.out[k].number[0], one.out[0].number[0], 1e-12);
                assert_close(all.out[k].objective, one.out[0].objective, 1e-10);
                assert_memory_equal(all.out[k].x, all.out[0].x, sizeof all.out[0].x);
                for (int j = 0; j < CASE_COLS; j++)
                    assert_close(all.out[k].x[j], one.out[0].x[j], 2e-5);
            }
        }
}

static void what_one_rank_refuses_all_do(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++)
            for (int bad = 0; bad < ranks; bad++) {
                everywhere all = { .c = a_case(kind, SQUARES, CREASE_MODE_THEORY) };
                all.c.failing = bad;
                assert_true(on_ranks(ranks, run_one, &all, NULL));
                for (int k = 0; k < ranks; k++) {
                    const char *text = all.out[k].e.text;
                    assert_false(all.out[k].made);
                    assert_non_null(strstr(text, k == bad ? "nan" : "another rank"));
                }
            }
}

/* The limit of rank 1 alone has passed. */
static void limited(int rank, int ranks, const crease_comm *comm, void *user)
{
    everywhere *all = user;
    split_case c = all->c;
    if (rank == 1) c.o.max_seconds = 1e-9;
    all->out[rank] = answer_of(&c, rank, ranks, comm);
}

static void the_clock_of_one_rank_ends_all(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        everywhere all = { .c = a_case(kind, SQUARES, CREASE_MODE_THEORY) };
        assert_true(on_ranks(3, limited, &all, NULL));
        for (int k = 0; k < 3; k++) assert_int_equal(all.out[k].how, CREASE_TIME_LIMIT);
        assert_same_bits(&all.out[1], &all.out[0]);
    }
}

/* Rank 2 ends without a word: the others do not wait for it. */
static void leaving(int rank, int ranks, const crease_comm *comm, void *user)
{
    everywhere *all = user;
    if (rank != 2) all->out[rank] = answer_of(&all->c, rank, ranks, comm);
}

static void a_rank_that_leaves_ends_the_others(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        everywhere all = { .c = a_case(kind, SQUARES, CREASE_MODE_THEORY) };
        assert_false(on_ranks(3, leaving, &all, NULL));
        for (int k = 0; k < 2; k++) {
            assert_false(all.out[k].made);
            assert_non_null(strstr(all.out[k].e.text, "has left"));
        }
    }
}

static void what_needs_one_process_is_refused_by_name(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        everywhere all = { .c = a_case(true, SQUARES, CREASE_MODE_PRACTICAL) };
        const char *const says[] = { "--continuation is read", "split over ranks", "--starts" };
        if (which == 0) all.c.o.continuation = 1;
        if (which == 1) all.c.o.method = CREASE_METHOD_PANOC;
        if (which == 2) all.c.o.starts = 3;
        assert_true(on_ranks(2, run_one, &all, NULL));
        for (int k = 0; k < 2; k++) {
            assert_false(all.out[k].made);
            if (!strstr(all.out[k].e.text, says[which]))
                fail_msg("'%s' lacks '%s'", all.out[k].e.text, says[which]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consensus_has_the_theorem_of_one_process),
        cmocka_unit_test(sharing_has_the_theorem_of_one_process),
        cmocka_unit_test(practical_mode_finds_the_same_point),
        cmocka_unit_test(relative_residuals_are_those_of_one_process),
        cmocka_unit_test(a_loss_may_have_its_rows_on_ranks),
        cmocka_unit_test(what_one_rank_refuses_all_do),
        cmocka_unit_test(the_clock_of_one_rank_ends_all),
        cmocka_unit_test(a_rank_that_leaves_ends_the_others),
        cmocka_unit_test(what_needs_one_process_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
