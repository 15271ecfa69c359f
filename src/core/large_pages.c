/* SPDX-License-Identifier: MIT
 * large_pages: fewer translations of addresses while streaming; a hint, without effect on results
 */
#define _DEFAULT_SOURCE
#include <stdint.h>

#include "core/parallel.h"

#if defined(__linux__)
#include <sys/mman.h>

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
