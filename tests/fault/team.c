/* SPDX-License-Identifier: MIT
 * team: a look of two ranks, and problems over them, survive any one allocation failing on either
 * rank: the others do not wait, and nothing is left behind */
#include "support/fail_alloc.h"

#include "support/split_case.h"
#include "support/teams.h"

static void a_look_survives(void **state)
{
    const team_case c = { .shape = team_shapes[0], .fails = -1 };
    (void)state;
    for (int once = 0; once < 2; once++)
        for (long n = 0, done = 0; !done; n++) {
            team_result found;
            allocations_left = n, allocations_recover = once;
            look_on_threads(&c, 2, &found);
            done = allocations_left > 0 && found.done;
            allocations_left = -1;
            assert_int_equal(allocations_live, 0);
            if (!found.done) assert_int_equal(found.e.code, CREASE_NO_MEMORY);
        }
}

typedef struct {
    split_case c;
    split_answer out[MOST_RANKS];
} everywhere;

static void run_one(int rank, int ranks, const crease_comm *comm, void *user)
{
    everywhere *all = user;
    all->out[rank] = answer_of(&all->c, rank, ranks, comm);
}

static void a_run_over_ranks_survives(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (long n = 0, done = 0; !done; n += 1 + n / 8) {
            everywhere all = { .c = { .consensus = kind, .failing = -1 } };
            all.c.o = options_to(1e-3);
            all.c.o.mode = CREASE_MODE_THEORY;
            allocations_left = n, allocations_recover = true;
            on_ranks(2, run_one, &all, NULL);
            done = allocations_left > 0;
            allocations_left = -1;
            assert_int_equal(allocations_live, 0);
            for (int k = 0; k < 2 && done; k++) assert_int_equal(all.out[k].how, CREASE_STATIONARY);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_survives),
        cmocka_unit_test(a_run_over_ranks_survives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
