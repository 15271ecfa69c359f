/* SPDX-License-Identifier: MIT
 * history: rows of a run, as CSV */
#include "io/result/result.h"

static void thin(crs_history *h)
{
    int kept = 0;
    h->stride *= 2;
    for (int k = 0; k < h->count; k++)
        if (h->row[k].iteration % h->stride == 0) h->row[kept++] = h->row[k];
    h->count = kept;
}

void crs_history_add(crs_history *h, const crease_progress *p)
{
    if (h->stride == 0) h->stride = 1;
    h->last = *p;
    if (h->count == CRS_HISTORY) thin(h);
    if (p->iteration % h->stride == 0) h->row[h->count++] = *p;
}

void crs_history_names(FILE *f)
{
    fprintf(f, "iteration,objective,feasibility,worst,theta,potential,seconds\n");
}

void crs_history_line(FILE *f, const crease_progress *p)
{
    const double column[] = { p->objective, p->feasibility, p->worst, p->theta, p->potential };
    fprintf(f, "%ld", p->iteration);
    for (size_t k = 0; k < sizeof column / sizeof *column; k++)
        isfinite(column[k]) ? fprintf(f, ",%.17g", column[k]) : fprintf(f, ",");
    fprintf(f, ",%.6f\n", p->seconds);
}

bool crs_history_put(FILE *f, const void *what)
{
    const crs_history *h = what;
    crs_history_names(f);
    for (int k = 0; k < h->count; k++) crs_history_line(f, &h->row[k]);
    if (h->count > 0 && h->row[h->count - 1].iteration != h->last.iteration)
        crs_history_line(f, &h->last);
    return !ferror(f);
}
