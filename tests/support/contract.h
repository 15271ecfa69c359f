/* SPDX-License-Identifier: MIT
 * contract.h: runs a catalogue's contract over every entry of its list */
#ifndef CREASE_CONTRACT_H
#define CREASE_CONTRACT_H

#include <stdio.h>

#include "selftest/selftest.h"
#include "support/test.h"

/* Sanitizers look for faults, not for rare numbers: fewer trials do there. */
#ifdef __SANITIZE_ADDRESS__
enum { SLOWDOWN = 20 };
#else
enum { SLOWDOWN = 1 };
#endif

typedef bool contract(int entry, long trials, uint64_t seed, crs_report *r, crease_error *e);

/* Fails with every broken property of every entry named. */
static inline void hold(contract *check, int count, long trials)
{
    int broken = 0;
    assert_true(count > 0);
    for (int k = 0; k < count; k++) {
        crs_report r;
        crease_error e = { CREASE_OK, "" };
        if (!check(k, trials / SLOWDOWN, 1, &r, &e))
            fail_msg("%s %s: no instance: %s", r.kind, r.name, e.text);
        for (int i = 0; i < r.count; i++)
            if (!(r.check[i].worst <= r.check[i].limit))
                print_error("%s %s: %s: %g > %g\n", r.kind, r.name, r.check[i].what,
                            r.check[i].worst, r.check[i].limit);
        broken += !crs_report_passed(&r);
    }
    assert_int_equal(broken, 0);
}

#endif
