/* SPDX-License-Identifier: MIT
 * report: the worst error of each property; what all kinds of entries have in common: random
 * parameters, and the question to the independent checker */
#include "selftest/sample.h"

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

/* Finite ranges evenly; half-infinite ones over several orders of magnitude from their end; the
 * whole line by a normal number. Integers 1..n. Now and then a closed end itself. */
void crs_sample_params(draws *d, const crease_param *params, ptrdiff_t n, double *par)
{
    for (int k = 0; params && params[k].name; k++) {
        const crease_param *p = &params[k];
        const bool low = isfinite(p->low), high = isfinite(p->high);
        if (p->flags & CREASE_INTEGER)
            par[k] = p->low + (double)below(d, n);
        else if (low && high)
            par[k] = uniform(d, p->low + 1e-3, p->high - 1e-3);
        else if (low && !(p->flags & CREASE_OPEN_LOW) && below(d, 20) == 0)
            par[k] = p->low;
        else
            par[k] = low ? p->low + spread(d, -2, 2) : 2 * normal(d);
    }
}

void crs_note_checker(crs_report *r, const crease_problem *p)
{
    static const double zero[CRS_MOST * CRS_MOST];
    const double *x[8];
    crease_verification v;
    for (int i = 0; i < p->count; i++) x[i] = zero;
    const bool asked = crease_verify(p, x, zero, NULL, false, 1, false, &v, NULL);
    crs_report_note(r, CRS_KNOWN, !asked || v.verdict == CREASE_VERDICT_UNSUPPORTED, 0.5);
    if (asked) crease_verification_free(&v);
}
