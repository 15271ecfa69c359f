/* SPDX-License-Identifier: MIT
 * fail_alloc.h: the library's allocator with failures on demand. Include it in one file of a test
 * executable: it takes the place of core/alloc.c. */
#ifndef CREASE_FAIL_ALLOC_H
#define CREASE_FAIL_ALLOC_H

#include <stdint.h>
#include <stdlib.h>

#include "core/core.h"

long allocations_left = -1;       /* so many succeed, then they fail; negative: none fails */
bool allocations_recover = false; /* true: only one call fails, the later ones succeed */
long allocations_live = 0;        /* blocks not yet freed */
size_t allocations_bytes = 0;     /* given by crs_alloc so far */

static bool allocation_fails(void)
{
    if (allocations_left < 0) return false;
    if (allocations_left > 0) return allocations_left--, false;
    if (allocations_recover) allocations_left = -1;
    return true;
}

void *crs_alloc(size_t count, size_t size)
{
    void *p = allocation_fails() ? NULL : calloc(count ? count : 1, size);
    allocations_live += p != NULL;
    allocations_bytes += p ? count * size : 0;
    return p;
}

void *crs_resize(void *p, size_t count, size_t size)
{
    if (allocation_fails() || (size && count > SIZE_MAX / size)) return NULL;
    void *q = realloc(p, count > 0 && size > 0 ? count * size : 1);
    allocations_live += q != NULL && p == NULL;
    return q;
}

void crs_free(void *p)
{
    allocations_live -= p != NULL;
    free(p);
}

#endif
