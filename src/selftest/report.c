/* SPDX-License-Identifier: MIT
 * report: the worst error of each property */
#include "core/core.h"
#include "selftest/selftest.h"

bool crs_report_passed(const crs_report *r)
{
    bool passed = r->count > 0;
    for (int k = 0; k < r->count; k++) passed = passed && r->check[k].worst <= r->check[k].limit;
    return passed;
}

void crs_report_note(crs_report *r, const char *what, double error, double limit)
{
    int k = 0;
    while (k < r->count && strcmp(r->check[k].what, what) != 0) k++;
    if (k == CRS_CHECKS) return;
    if (k == r->count) r->check[r->count++] = (crs_check){ what, error, limit, 0 };
    r->check[k].worst = larger(r->check[k].worst, error);
    r->check[k].trials++;
}
