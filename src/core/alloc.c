/* SPDX-License-Identifier: MIT
 * alloc: the only calls of calloc, realloc and free in the library */
#include <stdint.h>
#include <stdlib.h>

#include "core/core.h"

void *crs_alloc(size_t count, size_t size) { return calloc(count ? count : 1, size); }

void *crs_resize(void *p, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return NULL;
    return realloc(p, count > 0 && size > 0 ? count * size : 1);
}

void crs_free(void *p) { free(p); }
