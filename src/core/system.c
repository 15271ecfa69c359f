/* SPDX-License-Identifier: MIT
 * system: what the library asks of the machine: tasks by OpenMP where the compiler has it; seconds
 * that never run backwards, whatever is done to the time of day; memory that is free; and large
 * pages, which save translations of addresses while streaming, a hint without effect on results */
#define _DEFAULT_SOURCE
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <xmmintrin.h>

#include "core/core.h"
#include "core/parallel.h"

double crs_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* MemAvailable of /proc/meminfo in bytes; INFINITY where there is none. */
static double machine_free(void)
{
    char line[200];
    double bytes = INFINITY;
    long long kilobytes;
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && bytes == INFINITY && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %lld kB", &kilobytes) == 1)
            bytes = 1024 * (double)kilobytes;
    if (f) fclose(f);
    return bytes;
}

static double process_limit(void)
{
    struct rlimit r;
    return getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY ? (double)r.rlim_cur
                                                                        : INFINITY;
}

/* The number after a word in a file of a group; INFINITY: there is none. The word may be "". */
static double group_number(const char *group, const char *file, const char *word)
{
    char path[5000], line[200];
    double x = INFINITY;
    const size_t n = strlen(word);
    snprintf(path, sizeof path, "%s/%s", group, file);
    FILE *f = fopen(path, "r");
    while (f && x == INFINITY && fgets(line, sizeof line, f))
        if (strncmp(line, word, n) == 0 && sscanf(line + n, "%lf", &x) != 1) x = INFINITY;
    if (f) fclose(f);
    return x;
}

/* The files of a group of processes: of the two ways in which kernels tell. */
typedef struct {
    const char *root, *limit, *used, *cache;
} group_files;

/* What this group of processes, and those that it is in, may still take; pages of files that are
 * not in use go when memory is wanted. */
static double group_free(const group_files *g, const char *name)
{
    char path[4600];
    double least = INFINITY;
    snprintf(path, sizeof path, "%s%s", g->root, name);
    for (char *slash = path; slash && strlen(path) >= strlen(g->root);) {
        const double limit = group_number(path, g->limit, ""),
                     used = group_number(path, g->used, "");
        const double cache = group_number(path, "memory.stat", g->cache);
        if (limit < INFINITY && used < INFINITY)
            least = smaller(least, pos(limit - used) + (cache < INFINITY ? cache : 0));
        slash = strrchr(path, '/');
        if (slash) *slash = '\0';
    }
    return least;
}

/* By the limits of the groups that /proc/self/cgroup names; INFINITY where there are none. */
static double groups_free(void)
{
    static const group_files one = { "/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                     "memory.usage_in_bytes", "total_inactive_file " };
    static const group_files two = { "/sys/fs/cgroup", "memory.max", "memory.current",
                                     "inactive_file " };
    char line[4200];
    double least = INFINITY;
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        const char *name = strchr(line, '/');
        if (!name) continue;
        if (strstr(line, ":memory:")) least = smaller(least, group_free(&one, name));
        if (strncmp(line, "0::", 3) == 0) least = smaller(least, group_free(&two, name));
    }
    if (f) fclose(f);
    return least;
}

double crs_memory_free(void)
{
    return smaller(smaller(machine_free(), process_limit()), groups_free());
}

#if defined(_OPENMP)
#define PARALLEL _Pragma("omp parallel num_threads(threads)")
#define SHARED   _Pragma("omp for schedule(dynamic, 1)")
static int worker_index(void) { return omp_get_thread_num(); }
int crs_threads(void) { return omp_get_max_threads(); }
void crs_threads_limit(int most) { omp_set_num_threads(most); }
#else
#define PARALLEL
#define SHARED
static int worker_index(void) { return 0; }
int crs_threads(void) { return 1; }
void crs_threads_limit(int most) { (void)most; }
#endif

#if defined(__SSE2__)
enum { FLUSH = 0x8040 }; /* flush to zero, denormals are zero */
static unsigned flush_tiny(void)
{
    const unsigned was = _mm_getcsr();
    _mm_setcsr(was | FLUSH);
    return was;
}
static void restore(unsigned was) { _mm_setcsr(was); }
#else
static unsigned flush_tiny(void) { return 0; }
static void restore(unsigned was) { (void)was; }
#endif

void crs_parallel(int threads, ptrdiff_t tasks, void (*run)(void *self, ptrdiff_t task, int worker),
                  void *self)
{
    if (threads > tasks) threads = tasks > 1 ? (int)tasks : 1;
    PARALLEL
    {
        const unsigned was = flush_tiny();
        SHARED
        for (ptrdiff_t k = 0; k < tasks; k++) run(self, k, worker_index());
        restore(was);
    }
}

int crs_useful_threads(int asked, ptrdiff_t entries)
{
    enum { SHARE = 1 << 16 }; /* entries that make a thread worth its waiting for others */
    const int most = crs_threads(), wanted = asked > 0 && asked < most ? asked : most;
    const ptrdiff_t useful = entries / SHARE;
    return useful < 1 ? 1 : useful < wanted ? (int)useful : wanted;
}

void crs_parallel_runs(int threads, ptrdiff_t tasks,
                       void (*run)(void *self, ptrdiff_t task, int worker), void *self)
{
    if (threads > tasks) threads = tasks > 1 ? (int)tasks : 1;
    PARALLEL
    {
        SHARED
        for (ptrdiff_t k = 0; k < tasks; k++) run(self, k, worker_index());
    }
}

#if defined(__linux__)

enum { LARGE = 1 << 21 };

void crs_large_pages(void *p, size_t bytes)
{
    const uintptr_t from = ((uintptr_t)p + LARGE - 1) & ~(uintptr_t)(LARGE - 1);
    const uintptr_t to = ((uintptr_t)p + bytes) & ~(uintptr_t)(LARGE - 1);
    if (to > from) (void)madvise((void *)from, to - from, MADV_HUGEPAGE);
}
#else
void crs_large_pages(void *p, size_t bytes) { (void)p, (void)bytes; }
#endif
