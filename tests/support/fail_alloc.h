/* SPDX-License-Identifier: MIT
 * fail_alloc.h: the library's allocator with failures on demand. Include it in one file of a test
 * executable: it takes the place of core/alloc.c. */
#ifndef CREASE_FAIL_ALLOC_H
#define CREASE_FAIL_ALLOC_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/core.h"

long allocations_left = -1;       /* so many succeed, then they fail; negative: none fails */
bool allocations_recover = false; /* true: only one call fails, the later ones succeed */
long allocations_live = 0;        /* blocks not yet freed */
size_t allocations_bytes = 0;     /* given by crs_alloc so far */

/* Threads that are ranks share the counters. */
static atomic_flag allocations_busy = ATOMIC_FLAG_INIT;

static void count_allocation(long blocks, size_t bytes)
{
    while (atomic_flag_test_and_set(&allocations_busy)) continue;
    allocations_live += blocks;
    allocations_bytes += bytes;
    atomic_flag_clear(&allocations_busy);
}

static bool allocation_fails(void)
{
    while (atomic_flag_test_and_set(&allocations_busy)) continue;
    const bool fails = allocations_left == 0;
    if (allocations_left > 0)
        allocations_left--;
    else if (fails && allocations_recover)
        allocations_left = -1;
    atomic_flag_clear(&allocations_busy);
    return fails;
}

void *crs_alloc(size_t count, size_t size)
{
    void *p = allocation_fails() ? NULL : calloc(count ? count : 1, size);
    if (p) count_allocation(1, count * size);
    return p;
}

void *crs_resize(void *p, size_t count, size_t size)
{
    if (allocation_fails() || (size && count > SIZE_MAX / size)) return NULL;
    void *q = realloc(p, count > 0 && size > 0 ? count * size : 1);
    if (q && !p) count_allocation(1, 0);
    return q;
}

void crs_free(void *p)
{
    if (p) count_allocation(-1, 0);
    free(p);
}

#endif
