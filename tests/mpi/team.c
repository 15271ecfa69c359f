/* SPDX-License-Identifier: MIT
 * team: looks over the ranks of MPI have the bits of one process; failures are told */
#include "mpi/team.h"
#include "support/teams.h"

static crs_mpi_team all;

/* What rank 0 found; the others have none. */
static bool find(const team_case *c, team_result *out)
{
    look_in_team(c, &all.team, out);
    return all.team.rank == 0;
}

static void totals_are_those_of_one_process(void **state)
{
    (void)state;
    for (int k = 0; k < TEAM_SHAPES; k++) {
        team_result one, found;
        const team_case c = { .shape = team_shapes[k], .fails = -1 };
        look_alone(&c, &one);
        if (!find(&c, &found)) continue;
        assert_true(found.done && found.again);
        assert_memory_equal(found.sum, one.sum, sizeof one.sum);
        assert_memory_equal(found.count, one.count, sizeof one.count);
    }
}

static void the_least_slab_that_fails_speaks_for_all(void **state)
{
    (void)state;
    for (ptrdiff_t fails = 0; fails < 12; fails += 4) {
        team_result found;
        const team_case c = { .shape = team_shapes[0], .fails = fails };
        char text[20];
        snprintf(text, sizeof text, "slab %td", fails);
        if (!find(&c, &found)) continue;
        assert_true(!found.done && found.again);
        assert_string_equal(found.e.text, text);
    }
}

static void what_one_rank_cannot_is_told(void **state)
{
    const int last = all.team.size - 1;
    const team_case cases[] = { { .closed = last }, { .blind = last }, { .other = last } };
    (void)state;
    for (int k = 0; k < 3 && last > 0; k++) {
        team_result found;
        team_case c = cases[k];
        char text[20];
        c.shape = team_shapes[0], c.fails = -1;
        snprintf(text, sizeof text, "rank %d ", last);
        if (!find(&c, &found)) continue;
        assert_true(!found.done && found.again);
        assert_non_null(strstr(found.e.text, text));
    }
}

static void long_messages_arrive(void **state)
{
    enum { LONG = 300000 };
    int64_t *v = calloc(LONG, sizeof *v);
    const crs_team *t = &all.team;
    (void)state;
    for (int j = 0; j < LONG; j++) v[j] = t->rank == 0 ? j : -1;
    t->tell(t->self, v, LONG * (ptrdiff_t)sizeof *v);
    for (int j = 0; j < LONG; j++) assert_true(v[j] == j);
    t->count(t->self, v, LONG);
    for (int j = 0; j < LONG && t->rank == 0; j++) assert_true(v[j] == j * (int64_t)t->size);
    for (int j = 0; j < LONG; j++) v[j] = (int64_t)1 << 60 | t->rank;
    t->max(t->self, v, LONG);
    for (int j = 0; j < LONG; j++) assert_true(v[j] == ((int64_t)1 << 60 | (t->size - 1)));
    free(v);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(totals_are_those_of_one_process),
        cmocka_unit_test(the_least_slab_that_fails_speaks_for_all),
        cmocka_unit_test(what_one_rank_cannot_is_told),
        cmocka_unit_test(long_messages_arrive),
    };
    MPI_Init(&argc, &argv);
    crs_mpi_team_open(&all, MPI_COMM_WORLD, 0);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
    crs_mpi_team_close(&all);
    MPI_Finalize();
    return 0;
}
