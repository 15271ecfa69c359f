/* SPDX-License-Identifier: MIT
 * A job runs the verbs of the program on files in memory. */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <crease/crease.h>
#include <crease/job.h>

enum { I = 6, J = 7, K = 8, SIZE = I * J * K };

/* Rank one, with an outlier. */
static void tensor(double *x)
{
    for (int i = 0; i < I; i++)
        for (int j = 0; j < J; j++)
            for (int k = 0; k < K; k++)
                x[(i * J + j) * K + k] = (1 + i) * (2 + cos(j)) * (1.5 + sin(k));
    x[17] += 100;
}

static const crease_space shape = { .order = 3, .dim = { I, J, K } };

static crease_job *new_job(void)
{
    crease_error e;
    crease_job *j = crease_job_new(&e);
    assert_non_null(j);
    return j;
}

static bool run(crease_job *j, crease_error *e, int argc, ...)
{
    const char *argv[32];
    va_list list;
    va_start(list, argc);
    for (int k = 0; k < argc; k++) argv[k] = va_arg(list, const char *);
    va_end(list);
    return crease_job_run(j, argc, argv, e);
}

static const double *array_of(const crease_job *j, const char *name, ptrdiff_t size)
{
    for (int k = 0; k < crease_job_count(j); k++) {
        const crease_job_file f = crease_job_at(j, k);
        if (strcmp(f.name, name) != 0) continue;
        assert_int_equal(crease_size(&f.shape), size);
        return f.data;
    }
    fail_msg("%s is missing", name);
    return NULL;
}

static const char *text_of(const crease_job *j, const char *name)
{
    for (int k = 0; k < crease_job_count(j); k++)
        if (strcmp(crease_job_at(j, k).name, name) == 0) return crease_job_at(j, k).bytes;
    return NULL;
}

static void parts_in_memory_add_up_to_the_data(void **state)
{
    double x[SIZE], given[SIZE];
    crease_error e = { CREASE_OK, "" };
    (void)state;
    tensor(x);
    memcpy(given, x, sizeof x);
    crease_job *j = new_job();
    assert_true(crease_job_array(j, "data.npy", &shape, x, &e));
    if (!run(j, &e, 6, "rpca", "memory:data.npy", "--rank", "1", "--out", "memory:out"))
        fail_msg("%s", e.text);
    assert_int_equal(crease_job_status(j), 0);
    assert_non_null(strstr(crease_job_output(j), "certified"));
    assert_memory_equal(x, given, sizeof x); /* never written to */
    const double *low = array_of(j, "out/lowrank.npy", SIZE);
    const double *sparse = array_of(j, "out/sparse.npy", SIZE);
    const double *noise = array_of(j, "out/noise.npy", SIZE);
    for (int k = 0; k < SIZE; k++)
        assert_true(fabs(low[k] + sparse[k] + noise[k] - x[k]) <= 1e-12 * (1 + fabs(x[k])));
    assert_non_null(strstr(text_of(j, "out/result.json"), "\"path\": \"data.npy\""));
    double *own = crease_job_take(j, "out/lowrank.npy");
    assert_ptr_equal(own, low);
    assert_null(crease_job_take(j, "out/lowrank.npy")); /* it is ours already */
    assert_null(crease_job_take(j, "data.npy"));
    crease_job_free(j);
    assert_true(isfinite(own[0]));
    crease_job_release(own);
}

static void a_result_in_memory_is_verified_and_saved(void **state)
{
    char folder[] = "/tmp/crease-job-XXXXXX", path[64];
    double x[SIZE];
    crease_error e = { CREASE_OK, "" };
    (void)state;
    tensor(x);
    crease_job *j = new_job();
    assert_true(crease_job_array(j, "data.npy", &shape, x, &e));
    assert_true(run(j, &e, 6, "rpca", "memory:data.npy", "--rank", "1", "--out", "memory:out"));
    assert_true(crease_job_array(j, "out/data.npy", &shape, x, &e));
    if (!run(j, &e, 2, "verify", "memory:out")) fail_msg("%s", e.text);
    assert_non_null(strstr(crease_job_output(j), "VALID"));
    assert_null(strstr(crease_job_output(j), "INVALID"));
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/result", folder);
    if (!crease_job_save(j, "out", path, false, &e)) fail_msg("%s", e.text);
    assert_false(crease_job_save(j, "out", path, false, &e)); /* it is there */
    assert_true(crease_job_save(j, "out", path, true, &e));
    if (!run(j, &e, 2, "verify", path)) fail_msg("%s", e.text);
    assert_int_equal(crease_job_status(j), 0);
    assert_null(strstr(crease_job_output(j), "INVALID"));
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
    crease_job_free(j);
}

static void missing_entries_are_of_a_copy(void **state)
{
    double x[SIZE], given[SIZE];
    crease_error e = { CREASE_OK, "" };
    (void)state;
    tensor(x);
    x[3] = x[80] = NAN;
    memcpy(given, x, sizeof x);
    crease_job *j = new_job();
    assert_true(crease_job_array(j, "data.npy", &shape, x, &e));
    if (!run(j, &e, 8, "rpca", "memory:data.npy", "--rank", "1", "--missing", "nan", "--out",
             "memory:out"))
        fail_msg("%s", e.text);
    assert_memory_equal(x, given, sizeof x);
    assert_true(fabs(array_of(j, "out/lowrank.npy", SIZE)[3] - (2 + 1) * (1.5 + sin(3))) < 1e-2);
    crease_job_free(j);
}

static void what_is_wrong_is_one_sentence(void **state)
{
    double x[SIZE];
    crease_error e = { CREASE_OK, "" };
    (void)state;
    tensor(x);
    crease_job *j = new_job();
    assert_false(run(j, &e, 2, "rpca", "memory:none.npy"));
    assert_false(run(j, &e, 4, "rpca", "memory:none.npy", "--out", "memory:out"));
    assert_int_equal(e.code, CREASE_NO_INPUT);
    assert_false(run(j, &e, 2, "rpcca", "memory:data.npy"));
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    assert_false(run(j, &e, 0));
    assert_true(crease_job_array(j, "data.npy", &shape, x, &e));
    assert_false(run(j, &e, 6, "rpca", "memory:data.npy", "--rank", "-1", "--out", "memory:out"));
    assert_non_null(strstr(e.text, "--rank"));
    assert_null(text_of(j, "out/result.json"));
    assert_false(crease_job_seal(j, "out", &e));
    crease_job_free(j);
}

static const double goal[3] = { 1, -2, 0.25 };

/* 1/2 |x - goal|^2, of the second of two blocks */
static double value(void *user, const double *const *x)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += 0.5 * (x[0][k] - goal[k]) * (x[0][k] - goal[k]);
    ++*(int *)user;
    return sum;
}

static void grad(void *user, const double *const *x, int i, double *g)
{
    assert_int_equal(i, 0);
    for (int k = 0; k < 3; k++) g[k] += x[0][k] - goal[k];
    ++*(int *)user;
}

static void a_problem_names_functions_of_the_caller(void **state)
{
    static const char problem[] =
        "{\"crease\": 1, \"blocks\": [{\"name\": \"y\", \"shape\": 2},"
        " {\"name\": \"x\", \"shape\": 3, \"regularizer\": \"l1:0.5\"}],"
        " \"smooth\": [{\"squared_distance\": {\"a\": \"y\", \"d\": [3, 4]}},"
        " {\"callback\": {\"name\": \"mine\", \"blocks\": [\"x\"], \"L\": 1}}]}";
    int calls = 0;
    const crease_callback_smooth f = { .value = value, .grad = grad, .user = &calls };
    crease_error e = { CREASE_OK, "" };
    (void)state;
    crease_job *j = new_job();
    assert_true(crease_job_bytes(j, "problem.json", problem, strlen(problem), &e));
    assert_false(run(j, &e, 2, "solve", "memory:problem.json")); /* it has no such function yet */
    assert_true(crease_job_smooth(j, "mine", &f, &e));
    if (!run(j, &e, 6, "solve", "memory:problem.json", "--eps", "1e-9", "--out", "memory:out"))
        fail_msg("%s", e.text);
    assert_true(calls > 0);
    assert_int_equal(crease_job_status(j), 0);
    const double *x = array_of(j, "out/x_x.npy", 3), *y = array_of(j, "out/x_y.npy", 2);
    assert_true(fabs(x[0] - 0.5) < 1e-8 && fabs(x[1] + 1.5) < 1e-8 && x[2] == 0);
    assert_true(fabs(y[0] - 3) < 1e-8 && fabs(y[1] - 4) < 1e-8);
    crease_job_free(j);
}

/* min 1/2 |A x - b|^2 + l1: the optimality conditions, by hand for a diagonal A */
static void a_kept_solver_goes_on_with_new_numbers(void **state)
{
    static const char text[] =
        "{\"crease\": 1, \"blocks\": [{\"name\": \"x\", \"shape\": 3, \"regularizer\": \"l1:%g\"}],"
        " \"smooth\": [{\"least_squares\": {\"terms\": {\"x\": \"A.npy\"}, \"rhs\": \"b.npy\"}}]}";
    const double A[9] = { 1, 0, 0, 0, 2, 0, 0, 0, 3 };
    const crease_space square = crease_matrix(3, 3), vector = crease_vector(3);
    double b[3] = { 1, 1, 1 };
    char problem[400];
    crease_error e = { CREASE_OK, "" };
    (void)state;
    crease_job *j = new_job();
    crease_job_keep(j);
    assert_true(crease_job_array(j, "A.npy", &square, A, &e));
    assert_true(crease_job_array(j, "b.npy", &vector, b, &e));
    for (int round = 0; round < 4; round++) {
        const double lambda = 0.1 * (1 + round);
        for (int k = 0; k < 3; k++) b[k] = 1 + round - k;
        snprintf(problem, sizeof problem, text, lambda);
        assert_true(crease_job_bytes(j, "problem.json", problem, strlen(problem), &e));
        if (!run(j, &e, 6, "solve", "memory:problem.json", "--eps", "1e-10", "--out", "memory:out"))
            fail_msg("%s", e.text);
        assert_int_equal(crease_job_status(j), 0);
        const double *x = array_of(j, "out/x_x.npy", 3);
        for (int k = 0; k < 3; k++) {
            const double a = 1 + k, c = a * b[k]; /* a^2 x - c + lambda sign(x) = 0 */
            const double right = fabs(c) <= lambda ? 0 : (c - copysign(lambda, c)) / (a * a);
            assert_true(fabs(x[k] - right) < 1e-8);
        }
    }
    crease_job_free(j);
}

static bool look(const crease_state *s, void *user)
{
    (void)s;
    return ++*(int *)user < 3;
}

static void a_look_stops_the_job_and_the_next_run_is_free(void **state)
{
    double x[SIZE];
    int looks = 0;
    crease_error e = { CREASE_OK, "" };
    (void)state;
    tensor(x);
    crease_job *j = new_job();
    assert_true(crease_job_array(j, "data.npy", &shape, x, &e));
    crease_job_look(j, look, &looks, 1e-9);
    const bool done = run(j, &e, 4, "rpca", "memory:data.npy", "--out", "memory:out");
    assert_true(done ? crease_job_status(j) != 0 : e.code == CREASE_CUT);
    assert_true(looks >= 3);
    crease_job_look(j, NULL, NULL, 1);
    if (!run(j, &e, 6, "rpca", "memory:data.npy", "--rank", "1", "--out", "memory:out"))
        fail_msg("%s", e.text);
    assert_int_equal(crease_job_status(j), 0);
    crease_job_free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_in_memory_add_up_to_the_data),
        cmocka_unit_test(a_result_in_memory_is_verified_and_saved),
        cmocka_unit_test(missing_entries_are_of_a_copy),
        cmocka_unit_test(what_is_wrong_is_one_sentence),
        cmocka_unit_test(a_problem_names_functions_of_the_caller),
        cmocka_unit_test(a_kept_solver_goes_on_with_new_numbers),
        cmocka_unit_test(a_look_stops_the_job_and_the_next_run_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
