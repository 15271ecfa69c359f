/* SPDX-License-Identifier: MIT
 * selftest.h: the contract of every catalogue entry, checked against the definitions. The
 * contract tests run it with many trials, `crease selftest` runs it on the user's machine. */
#ifndef CRS_SELFTEST_H
#define CRS_SELFTEST_H

#include <crease/crease.h>

enum { CRS_CHECKS = 24 };

#define CRS_KNOWN "known to the independent checker"

/* One property: the worst error seen over all trials, and what it may be. NaN counts as worst. */
typedef struct {
    const char *what;
    double worst, limit;
    long trials;
} crs_check;

typedef struct {
    const char *kind, *name;
    int count;
    crs_check check[CRS_CHECKS];
} crs_report;

bool crs_report_passed(const crs_report *r);
void crs_report_note(crs_report *r, const char *what, double error, double limit);

/* Each fills the report of one entry; false only when memory runs out or an instance cannot be
 * made at all. */
bool crs_selftest_reg(int entry, long trials, uint64_t seed, crs_report *r, crease_error *e);
bool crs_selftest_set(int entry, long trials, uint64_t seed, crs_report *r, crease_error *e);
bool crs_selftest_map(int entry, long trials, uint64_t seed, crs_report *r, crease_error *e);
bool crs_selftest_smooth(int entry, long trials, uint64_t seed, crs_report *r, crease_error *e);

#endif
