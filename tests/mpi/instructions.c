/* SPDX-License-Identifier: MIT
 * instructions: ranks whose processors differ use what all of them have: a run has the bits of one
 * process of the slowest kind */
#include <stdlib.h>

#include "support/test.h"

#include "mpi/team.h"
#include "rpca/rpca.h"

enum { SIDE = 1449, SLABS = 3, SIZE = SLABS * SIDE * SIDE, SLOWEST = 2 };
static const crease_space shape = { .order = 3, .dim = { SLABS, SIDE, SIDE } };
static double *tensor;

static double *make(void)
{
    double *x = malloc(SIZE * sizeof *x);
    for (ptrdiff_t n = 0; x && n < SIZE; n++) {
        const double i = (double)(n / SIDE / SIDE), j = (double)(n / SIDE % SIDE);
        x[n] = (1 + i) * (2 - 0.001 * j) * (1 + 0.002 * (double)(n % SIDE)) + sin(7e-3 * (double)n);
    }
    return x;
}

/* The second factor after an iteration. */
static void fit(crs_source *s, double *factor)
{
    crease_rpca_settings settings = crease_rpca_default(&shape);
    crease_options options = crease_rpca_options();
    crease_error e;
    settings.rank = 2, settings.threads = 1;
    options.max_iterations = 1;
    crease_rpca *r = crs_rpca_new_on(&settings, &options, s, &e);
    assert_non_null(r);
    crease_rpca_run(r);
    assert_int_equal(crease_rpca_failure(r)->code, CREASE_OK);
    memcpy(factor, crease_rpca_factor(r, 1), 2 * SIDE * sizeof *factor);
    crease_rpca_free(r);
}

static void the_slowest_are_those_of_all(void **state)
{
    static const crs_job *const jobs[] = { CRS_RPCA_JOBS, NULL };
    double alone[2 * SIDE], shared[2 * SIDE];
    crs_mpi_team t;
    crs_memory m;
    int rank, size;
    (void)state;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    crs_mpi_team_open(&t, MPI_COMM_WORLD, rank == size - 1 ? SLOWEST : crs_instructions());
    assert_int_equal(t.team.instructions, SLOWEST);
    crs_memory_open(&m, &shape, tensor, NULL);
    crs_team_share(&t.team, &m.source);
    if (rank > 0) {
        const crs_team_service service = { .jobs = jobs, .source = &m.source };
        crs_team_serve(&t.team, &service);
    } else {
        fit(&m.source, shared);
        crs_team_end(&t.team);
        crs_memory_open(&m, &shape, tensor, NULL);
        m.source.instructions = SLOWEST;
        fit(&m.source, alone);
        assert_memory_equal(alone, shared, sizeof alone);
    }
    crs_mpi_team_close(&t);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_slowest_are_those_of_all) };
    MPI_Init(&argc, &argv);
    tensor = make();
    const int failed = tensor ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    free(tensor);
    if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
