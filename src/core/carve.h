/* SPDX-License-Identifier: MIT
 * carve.h: one block of memory carved into arrays that start at cache lines */
#ifndef CRS_CARVE_H
#define CRS_CARVE_H

#include "core/core.h"

enum { CRS_LINE = 64 }; /* bytes of a cache line */

/* With base NULL it only counts. used < 0: more than memory can be. */
typedef struct {
    char *base;
    ptrdiff_t used;
} crs_carver;

static inline void *carve_bytes(crs_carver *c, ptrdiff_t count, size_t size)
{
    ptrdiff_t bytes, end;
    const bool fits = c->used >= 0 && crs_mul_size(count, (ptrdiff_t)size, &bytes) &&
                      crs_add_size(bytes, CRS_LINE - 1, &bytes) &&
                      crs_add_size(c->used, bytes / CRS_LINE * CRS_LINE, &end);
    void *p = c->base ? c->base + c->used : NULL;
    c->used = fits ? end : -1;
    return p;
}

static inline double *carve_doubles(crs_carver *c, ptrdiff_t rows, ptrdiff_t columns)
{
    ptrdiff_t count;
    if (!crs_mul_size(rows, columns, &count)) c->used = -1;
    return carve_bytes(c, c->used < 0 ? 0 : count, sizeof(double));
}

/* Of a block with CRS_LINE bytes to spare. */
static inline crs_carver carver_of(void *memory)
{
    const uintptr_t off = (uintptr_t)memory % CRS_LINE;
    return (crs_carver){ (char *)memory + (CRS_LINE - off) % CRS_LINE, 0 };
}

/* One block for all that `carve` asks for, which runs twice: to count, and to carve. NULL: out of
 * memory. */
static inline void *carve_block(void (*carve)(void *self, crs_carver *c), void *self)
{
    crs_carver count = { 0 };
    carve(self, &count);
    void *memory = count.used < 0 ? NULL : crs_alloc((size_t)count.used + CRS_LINE, 1);
    crs_carver c = carver_of(memory);
    if (memory) carve(self, &c);
    return memory;
}

#endif
