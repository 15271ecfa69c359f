/* SPDX-License-Identifier: MIT
 * machine: where a measurement was taken */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"

double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_cpu(void)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0) {
            printf("cpu: %s", strchr(line, ':') ? strchr(line, ':') + 2 : line);
            break;
        }
    if (f) fclose(f);
}

void describe_machine(void)
{
    char *(*text)(void);
    void (*threads)(int);
    print_cpu();
    *(void **)&text = dlsym(RTLD_DEFAULT, "openblas_get_config");
    printf("blas: %s\n", text ? text() : "unknown, not OpenBLAS");
    *(void **)&text = dlsym(RTLD_DEFAULT, "openblas_get_corename");
    if (text) printf("kernels: %s (OPENBLAS_CORETYPE chooses others)\n", text());
    *(void **)&threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (threads) threads(1);
}
