/* SPDX-License-Identifier: MIT
 * memory: how much is free, by the kernel's estimate and the limit of the process */
#define _POSIX_C_SOURCE 200809L
#include <sys/resource.h>

#include "cli/outdir.h"

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

bool crs_memory_suffices(const char *what, double bytes, crease_error *e)
{
    const double have = smaller(machine_free(), process_limit());
    return bytes <= have || crs_fail(e, CREASE_NO_MEMORY,
                                     "%s needs %.3g MB of memory and %.3g MB are free; use smaller "
                                     "data or a larger machine",
                                     what, bytes / 1e6, have / 1e6);
}
