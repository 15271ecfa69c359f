/* SPDX-License-Identifier: MIT
 * reductions: the sums and maxima of a handle, of any length, are those of the tree, the same bits
 * everywhere; calls that differ are seen */
#include <stdlib.h>

#include <crease/mpi.h>

#include "support/test.h"

static int rank, ranks;

static crease_mpi *open_all(void)
{
    crease_error e = { CREASE_OK, "" };
    crease_mpi *m = crease_mpi_open(MPI_COMM_WORLD, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

static double term(int of, int j)
{
    const crease_random r = { 5, (uint64_t)of };
    return ldexp(crease_random_normal(r, (uint64_t)j), 40 * (of % 3));
}

/* Of ranks from..from+count-1: what stands below the rank in the tree. */
static double tree(int from, int count, int j)
{
    int half = 1;
    if (count == 1) return term(from, j);
    while (2 * half < count) half *= 2;
    return tree(from, half, j) + tree(from + half, count - half, j);
}

static void sums_are_those_of_the_tree(void **state)
{
    static const int length[] = { 0, 1, 2, 27, 28, 29, 57, 100000 };
    crease_mpi *m = open_all();
    const crease_comm *c = crease_mpi_comm(m);
    (void)state;
    for (size_t k = 0; k < sizeof length / sizeof *length; k++) {
        const int n = length[k];
        double *sum = calloc((size_t)n + 1, sizeof *sum),
               *most = calloc((size_t)n + 1, sizeof *most);
        for (int j = 0; j < n; j++) sum[j] = most[j] = term(rank, j);
        sum[n] = most[n] = 42;
        c->sum(c->self, sum, n);
        c->max(c->self, most, n);
        for (int j = 0; j < n; j++) {
            double largest = -INFINITY;
            for (int of = 0; of < ranks; of++) largest = larger(largest, term(of, j));
            assert_true(sum[j] == tree(0, ranks, j));
            assert_true(most[j] == largest);
        }
        assert_true(sum[n] == 42 && most[n] == 42);
        free(sum);
        free(most);
    }
    assert_true(crease_mpi_sound(m, NULL));
    crease_mpi_close(m);
}

static void nan_of_one_rank_reaches_all(void **state)
{
    crease_mpi *m = open_all();
    const crease_comm *c = crease_mpi_comm(m);
    double sum = rank == ranks - 1 ? NAN : 1, most = sum;
    (void)state;
    c->sum(c->self, &sum, 1);
    c->max(c->self, &most, 1);
    assert_true(isnan(sum) && isnan(most) && crease_mpi_sound(m, NULL));
    crease_mpi_close(m);
}

static void calls_that_differ_end_the_common_work(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        crease_mpi *m = open_all();
        const crease_comm *c = crease_mpi_comm(m);
        const bool odd = rank == ranks - 1 && ranks > 1;
        double v[2] = { 1, 1 };
        crease_error e = { CREASE_OK, "" };
        if (which == 0) (odd ? c->max : c->sum)(c->self, v, 2);
        if (which == 1) c->sum(c->self, v, odd ? 1 : 2);
        if (which == 2 && odd) crease_mpi_close(m);
        if (which == 2 && !odd) c->sum(c->self, v, 2);
        if (which == 2 && odd) continue;
        const char *says = which == 2 ? "has closed" : "another call";
        assert_int_equal(isnan(v[0]), ranks > 1);
        assert_int_equal(crease_mpi_sound(m, &e), ranks == 1);
        if (ranks > 1) assert_non_null(strstr(e.text, says));
        v[0] = 3;
        c->max(c->self, v, 1);
        assert_int_equal(isnan(v[0]), ranks > 1);
        crease_mpi_close(m);
    }
}

static void handles_do_not_disturb_each_other(void **state)
{
    crease_mpi *a = open_all(), *b = open_all();
    const crease_comm *ca = crease_mpi_comm(a), *cb = crease_mpi_comm(b);
    double x = 1, y = rank;
    (void)state;
    ca->sum(ca->self, &x, 1);
    cb->max(cb->self, &y, 1);
    assert_true(x == ranks && y == ranks - 1);
    crease_mpi_close(a);
    crease_mpi_close(b);
    crease_mpi_close(NULL);
}

static void what_is_no_group_of_ranks_is_refused(void **state)
{
    crease_error e;
    (void)state;
    assert_null(crease_mpi_open(MPI_COMM_NULL, &e));
    assert_true(e.code == CREASE_BAD_ARGUMENT && strstr(e.text, "MPI_COMM_NULL"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_tree),
        cmocka_unit_test(nan_of_one_rank_reaches_all),
        cmocka_unit_test(calls_that_differ_end_the_common_work),
        cmocka_unit_test(handles_do_not_disturb_each_other),
        cmocka_unit_test(what_is_no_group_of_ranks_is_refused),
    };
    crease_error e;
    if (crease_mpi_open(MPI_COMM_WORLD, &e) || !strstr(e.text, "has not begun")) return 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return crease_mpi_open(MPI_COMM_WORLD, &e) || !strstr(e.text, "has ended");
}
