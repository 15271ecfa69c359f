/* SPDX-License-Identifier: MIT
 * job: a command on files in memory whose n-th allocation fails ends with a sentence or with a
 * whole result, loses nothing, and the job goes on afterwards */
#define _XOPEN_SOURCE 700
#include <crease/job.h>

#include "support/survive.h"

#include "io/problem/problem.h"

enum { DIM = 4, SIZE = DIM * DIM * DIM };

static double data[SIZE];
static const crease_space shape = { .order = 3, .dim = { DIM, DIM, DIM } };
static const char problem[] =
    "{\"crease\": 1, \"blocks\": [{\"name\": \"x\", \"shape\": 3, \"regularizer\": \"l1:0.5\"}],"
    " \"smooth\": [{\"callback\": {\"name\": \"mine\", \"blocks\": [\"x\"], \"L\": 1}}]}";

static double value(void *user, const double *const *x)
{
    double sum = 0;
    (void)user;
    for (int k = 0; k < 3; k++) sum += 0.5 * (x[0][k] - k) * (x[0][k] - k);
    return sum;
}

static void grad(void *user, const double *const *x, int i, double *g)
{
    (void)user, (void)i;
    for (int k = 0; k < 3; k++) g[k] += x[0][k] - k;
}

static const crease_callback_smooth mine = { .value = value, .grad = grad };

/* A job with all that the commands below use. */
static crease_job *new_job(crease_error *e)
{
    crease_job *j = crease_job_new(e);
    if (j && crease_job_array(j, "data.npy", &shape, data, e) &&
        crease_job_bytes(j, "problem.json", problem, strlen(problem), e) &&
        crease_job_smooth(j, "mine", &mine, e))
        return j;
    crease_job_free(j);
    return NULL;
}

/* The files of the result are all there, or none is. They are as well when the text about them
 * could not be written. */
static bool is_whole(const crease_job *j, bool done)
{
    int found = 0, documents = 0;
    for (int k = 0; k < crease_job_count(j); k++) {
        const crease_job_file f = crease_job_at(j, k);
        found += strncmp(f.name, "out/", 4) == 0;
        documents += strcmp(f.name, "out/result.json") == 0;
        documents += strcmp(f.name, "out/certificate.json") == 0;
        assert_true(f.shape.order > 0 ? f.data != NULL : f.bytes != NULL);
    }
    return (found > 3 && documents == 2) || (!done && found == 0);
}

static bool run(crease_job *j, const char *verb, const char *from, crease_error *e)
{
    const char *const words[] = { verb, from, "--out", "memory:out", "--rank", "1" };
    return crease_job_run(j, strcmp(verb, "rpca") == 0 ? 6 : 4, words, e);
}

static bool fit(crease_error *e)
{
    crease_job *j = new_job(e);
    const bool done = j && run(j, "rpca", "memory:data.npy", e);
    if (j) assert_true(is_whole(j, done));
    crease_job_free(j);
    return done;
}

static bool solve(crease_error *e)
{
    crease_job *j = new_job(e);
    const bool done = j && run(j, "solve", "memory:problem.json", e);
    if (j) assert_true(is_whole(j, done));
    crease_job_free(j);
    return done;
}

static bool seal(crease_error *e)
{
    const long left = allocations_left;
    allocations_left = -1;
    crease_job *j = new_job(e);
    assert_true(j && run(j, "rpca", "memory:data.npy", e));
    allocations_left = left;
    const bool done = crease_job_seal(j, "out", e);
    crease_job_free(j);
    return done;
}

/* After a run that failed the same job runs the same command. */
static bool fail_and_go_on(crease_error *e)
{
    const long left = allocations_left;
    allocations_left = -1;
    crease_job *j = new_job(e);
    allocations_left = left;
    const bool done = run(j, "rpca", "memory:data.npy", e);
    const long after = allocations_left;
    allocations_left = -1;
    crease_error again = { CREASE_OK, "" };
    if (!run(j, "rpca", "memory:data.npy", &again)) fail_msg("%s", again.text);
    assert_int_equal(crease_job_status(j), 0);
    crease_job_free(j);
    allocations_left = after;
    return done;
}

/* For every n that there is, or some of them: failures may be made up for, as by a start less. */
static void survives_all(fallible *call, long step, long least)
{
    for (int once = 0; once < 2; once++) {
        long n = 0;
        for (bool reached = true; reached; n += step) {
            crease_error e = { CREASE_OK, "" };
            allocations_left = n, allocations_recover = once;
            const bool done = call(&e);
            reached = allocations_left <= 0;
            assert_true(allocations_live == 0);
            assert_int_equal(e.code, done ? CREASE_OK : CREASE_NO_MEMORY);
        }
        assert_true(n > least);
    }
    allocations_left = -1;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int k = 0; k < SIZE; k++)
        data[k] = (1 + k % 4) * (2 - k / 4 % 4) * (1 + k / 16) + 0.01 * sin(k * k);
    data[5] += 4;
    crs_json_begin();
    survives_all(fit, 1, 100);
    survives_all(solve, 1, 100);
    survives_all(seal, 1, 20);
    survives_all(fail_and_go_on, 17, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation_may_fail) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
