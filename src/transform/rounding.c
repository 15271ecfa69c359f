/* SPDX-License-Identifier: MIT
 * rounding: how far off a transform may be (transform.h) */
#include "transform/transform.h"

double crs_transform_steps(const crease_space *s)
{
    enum { SMALL = 32 };
    double steps = 16;
    for (int i = 0; i < s->order; i++) {
        ptrdiff_t rest = s->dim[i];
        for (ptrdiff_t p = 2; rest > 1 && p <= SMALL; p++)
            for (; rest % p == 0; rest /= p) steps += (double)p + 6;
        if (rest > 1) steps += SMALL + 3 * 8 * log2(2 * (double)rest);
    }
    return steps;
}
