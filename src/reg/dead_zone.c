/* SPDX-License-Identifier: MIT
 * dead_zone: the largest w with prox_{t r}(w) = 0, by bisection over the doubles, which their bits
 * order: the prox is nondecreasing. INFINITY: it is 0 everywhere. */
#include <float.h>

#include "reg/reg.h"

double crs_dead_zone(const crs_scalar *r, double t)
{
    union {
        uint64_t bits;
        double number;
    } low = { 0 }, high = { .number = DBL_MAX }, middle;
    if (crs_scalar_prox(r, t, DBL_MAX) == 0) return INFINITY;
    while (high.bits - low.bits > 1) {
        middle.bits = low.bits + (high.bits - low.bits) / 2;
        *(crs_scalar_prox(r, t, middle.number) == 0 ? &low : &high) = middle;
    }
    return low.number;
}
