/* SPDX-License-Identifier: MIT
 * clock: seconds that never run backwards, whatever is done to the time of day */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "core/core.h"

double crs_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
