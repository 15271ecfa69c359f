/* SPDX-License-Identifier: MIT
 * parallel: every task runs once, by a worker that exists; numbers below the normal ones survive
 * in tasks that may call LAPACK */
#include <float.h>

#include "core/parallel.h"
#include "support/test.h"

enum { TASKS = 37, MOST = 4 };

typedef struct {
    int times[TASKS], worker[TASKS];
    double tiny[TASKS];
} tally;

static void note(void *self, ptrdiff_t task, int worker)
{
    tally *t = self;
    volatile double small = DBL_MIN;
    t->times[task]++;
    t->worker[task] = worker;
    t->tiny[task] = small / 4;
}

static void every_task_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= MOST; threads++)
        for (int kind = 0; kind < 2; kind++) {
            tally t = { { 0 }, { 0 }, { 0 } };
            (kind ? crs_parallel_runs : crs_parallel)(threads, TASKS, note, &t);
            for (int k = 0; k < TASKS; k++) {
                assert_int_equal(t.times[k], 1);
                assert_true(t.worker[k] >= 0 && t.worker[k] < threads);
                if (kind) assert_true(t.tiny[k] == DBL_MIN / 4);
            }
        }
}

static void no_task(void **state)
{
    tally t = { { 0 }, { 0 }, { 0 } };
    (void)state;
    crs_parallel(2, 0, note, &t);
    crs_parallel_runs(2, 0, note, &t);
    assert_int_equal(t.times[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_task_once),
                                        cmocka_unit_test(no_task) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
