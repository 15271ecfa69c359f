/* SPDX-License-Identifier: MIT
 * split: consensus and sharing over the ranks of MPI find the point, theorem, parameters and
 * certificate of one process; what one rank refuses, or its end, ends all */
#include <crease/mpi.h>

#include "support/split_case.h"

static int rank, ranks;

static crease_mpi *open_all(void)
{
    crease_error e = { CREASE_OK, "" };
    crease_mpi *m = crease_mpi_open(MPI_COMM_WORLD, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

static split_case a_case(bool consensus, loss_kind loss, crease_mode mode)
{
    split_case c = { .consensus = consensus, .loss = loss, .failing = -1 };
    c.o = options_to(1e-6);
    c.o.mode = mode;
    return c;
}

/* Every rank has the bits of rank 0. */
static void assert_same_bits(const split_answer *a)
{
    split_answer first = *a;
    MPI_Bcast(&first, sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    assert_memory_equal(a->number, first.number, sizeof first.number);
    assert_memory_equal(a->x, first.x, sizeof first.x);
    assert_true(a->objective == first.objective && a->worst == first.worst);
    assert_int_equal(a->iterations, first.iterations);
}

static void agrees(bool consensus, loss_kind loss, crease_mode mode, crease_method method)
{
    split_case c = a_case(consensus, loss, mode);
    c.o.method = method;
    crease_mpi *m = open_all();
    const split_answer one = answer_of(&c, 0, 1, NULL);
    const split_answer all = answer_of(&c, rank, ranks, crease_mpi_comm(m));
    if (!all.made) fail_msg("%s", all.e.text);
    assert_int_equal(all.how, CREASE_STATIONARY);
    assert_string_equal(all.theorem, one.theorem);
    for (int k = 0; k < 12; k++) assert_close(all.number[k], one.number[k], 1e-11);
    for (int k = 0; k < CASE_COLS; k++) assert_close(all.x[k], one.x[k], 2e-5);
    assert_close(all.objective, one.objective, 1e-7);
    assert_true(all.worst <= 1e-6 && all.violations == 0);
    assert_close(all.scale, one.scale, 1e-4);
    assert_same_bits(&all);
    assert_true(crease_mpi_sound(m, NULL));
    crease_mpi_close(m);
}

static void consensus_has_the_theorem_of_one_process(void **state)
{
    (void)state;
    agrees(true, SQUARES, CREASE_MODE_PRACTICAL, CREASE_METHOD_ADMM_M);
    agrees(true, HUBER, CREASE_MODE_PRACTICAL, CREASE_METHOD_ADMM_G);
}

static void sharing_has_the_theorem_of_one_process(void **state)
{
    (void)state;
    agrees(false, SQUARES, CREASE_MODE_THEORY, CREASE_METHOD_AUTO);
    agrees(false, HUBER, CREASE_MODE_PRACTICAL, CREASE_METHOD_ADMM_G);
}

static void what_one_rank_refuses_all_do(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        split_case c = a_case(kind, SQUARES, CREASE_MODE_THEORY);
        c.failing = ranks - 1;
        crease_mpi *m = open_all();
        const split_answer all = answer_of(&c, rank, ranks, crease_mpi_comm(m));
        assert_false(all.made);
        assert_non_null(strstr(all.e.text, rank == ranks - 1 ? "nan" : "another rank"));
        assert_true(crease_mpi_sound(m, NULL));
        crease_mpi_close(m);
    }
}

/* The last rank goes without having asked for anything. */
static void a_rank_that_closes_ends_the_others(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const split_case c = a_case(kind, SQUARES, CREASE_MODE_THEORY);
        crease_mpi *m = open_all();
        if (rank != ranks - 1) {
            crease_error e;
            const split_answer all = answer_of(&c, rank, ranks, crease_mpi_comm(m));
            assert_false(all.made);
            assert_non_null(strstr(all.e.text, "has left"));
            assert_false(crease_mpi_sound(m, &e));
            assert_non_null(strstr(e.text, "has closed"));
        }
        crease_mpi_close(m);
    }
}

/* ... or in the middle of a run, which the others end with NaN. */
static void a_rank_that_closes_in_a_run_ends_the_others(void **state)
{
    const double A[4] = { 1, 2, 0, 1 }, *matrix = A, b[2] = { 1, 2 }, *rhs = b;
    const ptrdiff_t rows = 2;
    (void)state;
    if (ranks == 1) return;
    crease_mpi *m = open_all();
    const crease_consensus_settings s = { .agents = 1,
                                          .size = 2,
                                          .rows = &rows,
                                          .matrix = &matrix,
                                          .rhs = &rhs,
                                          .reg = crease_l1(0.1),
                                          .comm = crease_mpi_comm(m) };
    crease_options o = options_to(1e-14);
    o.max_iterations = 10000000;
    crease_consensus *model = crease_consensus_new(&s, NULL);
    crease_solver *solver = crease_solver_new(crease_consensus_problem(model), &o, NULL);
    assert_non_null(solver);
    if (rank != ranks - 1) {
        assert_int_equal(crease_solve(solver), CREASE_NUMERICAL);
        assert_false(crease_mpi_sound(m, NULL));
    } else {
        for (int k = 0; k < 3; k++) assert_int_equal(crease_step(solver), CREASE_NOT_RUN);
        crease_mpi_close(m), m = NULL;
    }
    crease_solver_free(solver);
    crease_consensus_free(model);
    crease_mpi_close(m);
}

static bool stops(const crease_progress *now, void *user)
{
    (void)user;
    return rank != ranks - 1 || now->iteration < 5;
}

static void a_stop_on_one_rank_stops_all(void **state)
{
    const double A[4] = { 1, 2, 0, 1 }, *matrix = A, b[2] = { 1, 2 }, *rhs = b;
    const ptrdiff_t rows = 2;
    (void)state;
    crease_mpi *m = open_all();
    const crease_consensus_settings s = { .agents = 1,
                                          .size = 2,
                                          .rows = &rows,
                                          .matrix = &matrix,
                                          .rhs = &rhs,
                                          .comm = crease_mpi_comm(m) };
    crease_options o = options_to(1e-14);
    crease_consensus *model = crease_consensus_new(&s, NULL);
    crease_solver *solver = crease_solver_new(crease_consensus_problem(model), &o, NULL);
    assert_non_null(solver);
    crease_solver_callback(solver, stops, NULL);
    assert_int_equal(crease_solve(solver), CREASE_STOPPED);
    assert_int_equal(crease_solver_report(solver).iterations, 5);
    crease_solver_free(solver);
    crease_consensus_free(model);
    crease_mpi_close(m);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consensus_has_the_theorem_of_one_process),
        cmocka_unit_test(sharing_has_the_theorem_of_one_process),
        cmocka_unit_test(what_one_rank_refuses_all_do),
        cmocka_unit_test(a_rank_that_closes_ends_the_others),
        cmocka_unit_test(a_rank_that_closes_in_a_run_ends_the_others),
        cmocka_unit_test(a_stop_on_one_rank_stops_all),
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
