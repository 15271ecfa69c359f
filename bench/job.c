/* SPDX-License-Identifier: MIT
 * job: processor seconds of a command on files in memory (crease/job.h), the least of all turns:
 * what the same call from Python is measured by (bench/python/overhead)
 *
 *     bench_job TURNS NAME=FILE... -- VERB WORD... */
#include <stdio.h>
#include <sys/resource.h>

#include <crease/job.h>

#include "io/problem/problem.h"

static double used(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

/* An array, or the bytes of a file of JSON. */
static bool give(crease_job *j, const char *name, const char *path, crease_error *e)
{
    const char *dot = strrchr(path, '.');
    crs_array a;
    char *text;
    size_t n;
    if (dot && strcmp(dot, ".json") == 0)
        return crs_text_read(path, &text, &n, e) && crease_job_bytes(j, name, text, n, e);
    return crs_read_array(path, &a, e) && crease_job_array(j, name, &a.shape, a.data, e);
}

static bool run(int words, char **word, double *least, crease_error *e)
{
    int k = 0;
    crease_job *j = crease_job_new(e);
    bool done = j;
    for (; done && k < words && strcmp(word[k], "--") != 0; k++) {
        char *equal = strchr(word[k], '=');
        if (equal) *equal = '\0';
        done = equal && give(j, word[k], equal + 1, e);
        if (equal) *equal = '=';
    }
    const double begun = used();
    done = done && k < words &&
           crease_job_run(j, words - k - 1, (const char *const *)(word + k + 1), e);
    const double now = used() - begun;
    if (now < *least) *least = now;
    crease_job_free(j);
    return done;
}

int main(int argc, char **argv)
{
    crease_error e = { CREASE_BAD_ARGUMENT, "bench_job TURNS NAME=FILE... -- VERB WORD..." };
    double least = INFINITY;
    bool done = argc > 3;
    for (int turn = done ? atoi(argv[1]) : 0; done && turn > 0; turn--)
        done = run(argc - 2, argv + 2, &least, &e);
    if (done)
        printf("%.6f\n", least);
    else
        fprintf(stderr, "%s\n", e.text);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
