/* SPDX-License-Identifier: MIT
 * size: sizes computed before anything is allocated, with overflow seen */
#include "core/core.h"

bool crs_mul_size(ptrdiff_t a, ptrdiff_t b, ptrdiff_t *product)
{
    if (a < 0 || b < 0 || (b > 0 && a > PTRDIFF_MAX / b)) return false;
    *product = a * b;
    return true;
}

bool crs_add_size(ptrdiff_t a, ptrdiff_t b, ptrdiff_t *sum)
{
    if (a < 0 || b < 0 || a > PTRDIFF_MAX - b) return false;
    *sum = a + b;
    return true;
}

double *crs_doubles(ptrdiff_t count, const char *what, crease_error *e)
{
    double *p = count < 0 ? NULL : crs_alloc((size_t)count, sizeof *p);
    if (!p)
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: %s needs %.3g MB; use a smaller problem",
                 what, 8e-6 * (double)count);
    return p;
}
