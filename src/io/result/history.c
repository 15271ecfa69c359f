/* SPDX-License-Identifier: MIT
 * history: the rows that a watch has kept, as CSV */
#include "io/result/result.h"

static void put_row(FILE *f, const crease_progress *p)
{
    const double column[] = { p->objective,      p->feasibility, p->worst,
                              p->worst_relative, p->theta,       p->potential };
    fprintf(f, "%s,%ld", crease_phase_name(p->phase), p->iteration);
    for (size_t k = 0; k < sizeof column / sizeof *column; k++)
        isfinite(column[k]) ? fprintf(f, ",%.17g", column[k]) : fprintf(f, ",");
    fprintf(f, ",%.6f\n", p->seconds);
}

bool crs_history_put(FILE *f, const void *watch)
{
    const long rows = crease_watch_rows(watch);
    fprintf(f, "phase,iteration,objective,feasibility,worst,worst_relative,theta,potential,"
               "seconds\n");
    for (long k = 0; k < rows; k++) {
        const crease_progress row = crease_watch_row(watch, k);
        put_row(f, &row);
    }
    return !ferror(f);
}
