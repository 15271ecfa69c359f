/* SPDX-License-Identifier: MIT
 * axes.h: are two lists of axes the same, to the bit and to the letter? */
#ifndef CRS_TEST_AXES_H
#define CRS_TEST_AXES_H

#include "io/formats/io.h"

static inline bool same_text(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static inline bool same_axis(const crs_axis *a, const crs_axis *b)
{
    bool same = same_text(a->name, b->name) && same_text(a->unit, b->unit) &&
                a->count == b->count && !a->at == !b->at && !a->label == !b->label;
    for (ptrdiff_t k = 0; same && k < a->count; k++)
        same = (!a->at || a->at[k] == b->at[k]) &&
               (!a->label || strcmp(a->label[k], b->label[k]) == 0);
    return same;
}

static inline bool same_axes(const crs_axes *a, const crs_axes *b, int order)
{
    bool same = true;
    for (int n = 0; n < order; n++) same = same && same_axis(&a->axis[n], &b->axis[n]);
    return same;
}

#endif
