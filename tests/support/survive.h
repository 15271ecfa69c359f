/* SPDX-License-Identifier: MIT
 * survive.h: a call whose n-th allocation fails, for n = 0, 1, ... until it succeeds, once and for
 * ever: it says so, and nothing is left behind */
#ifndef CREASE_SURVIVE_H
#define CREASE_SURVIVE_H

#include "support/fail_alloc.h"
#include "support/test.h"

typedef bool fallible(crease_error *e);

/* The call needs more than `least` allocations. */
static inline void survives(fallible *call, long least)
{
    for (int once = 0; once < 2; once++) {
        long n = 0;
        for (bool done = false; !done; n++) {
            crease_error e = { CREASE_OK, "" };
            allocations_left = n, allocations_recover = once;
            done = call(&e);
            assert_true(allocations_live == 0);
            assert_int_equal(e.code, done ? CREASE_OK : CREASE_NO_MEMORY);
        }
        assert_true(n > least);
    }
    allocations_left = -1;
}

#endif
