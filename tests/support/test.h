/* SPDX-License-Identifier: MIT
 * test.h: cmocka in the order it wants, and the few things most tests need */
#ifndef CREASE_TEST_H
#define CREASE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <crease/crease.h>

#include "core/core.h"
#include "selftest/draw.h"

/* |a - b| <= tolerance * (1 + |b|), or both NaN, or equal infinities. */
static inline bool close_to(double a, double b, double tolerance)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * (1 + fabs(b));
}

#define assert_close(a, b, tolerance)                                                              \
    do {                                                                                           \
        const double a_ = (a), b_ = (b);                                                           \
        if (!close_to(a_, b_, tolerance))                                                          \
            fail_msg("%s = %.17g is not %s = %.17g", #a, a_, #b, b_);                              \
    } while (0)

#endif
