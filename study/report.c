/* SPDX-License-Identifier: MIT
 * paper_verdict: what reproduces, counted from the results */
#include <stdarg.h>

#include "study/table.h"

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(const char *bullet, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("%s", bullet);
    crs_print_wrapped(text, (int)strlen(bullet), (int)strlen(bullet));
}

static void compare_all(const crs_paper_job *j, const char *bullet, bool earlier)
{
    int same[CRS_FIGURES];
    for (int f = 0; f < CRS_FIGURES; f++) same[f] = j->count - crs_paper_differing(j, f, earlier);
    say(bullet,
        "%s: within 3 standard errors (or 2 %%) in %d of %d cells for Iter., %d for Err., %d for "
        "Num.",
        earlier ? "Against an earlier independent program by the same recipe" : "Against the paper",
        same[CRS_ITER], j->count, same[CRS_ERR], same[CRS_NUM]);
}

static void list_cells(const crs_paper_job *j, const char *bullet, int figure, bool earlier)
{
    char text[400] = "";
    size_t used = 0;
    for (int k = 0; k < j->count && used < sizeof text; k++) {
        const crs_paper_result *r = j->result + k;
        const crs_paper_difference *d = earlier ? &r->from_earlier : &r->from_printed;
        if (!d->differs[figure]) continue;
        const int n =
            snprintf(text + used, sizeof text - used, "%s row %d %s (%+.1f)", used ? "," : "",
                     r->row.row, crs_paper_name(r->method), d->score[figure]);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used)
        say(bullet, "%s differs from %s, in standard errors:%s%s", crs_paper_figure(figure),
            earlier ? "the earlier program" : "the paper", text, used < sizeof text ? "." : " ...");
}

/* Of the runs of BCD: how many ended with a Gram matrix of rank one, and how many succeeded. */
static void rank_one(const crs_paper_job *j, const char *bullet)
{
    int runs = 0, ones = 0, good = 0, good_ones = 0;
    for (int k = 0; k < j->count; k++)
        for (int i = 0; j->result[k].method == CRS_PAPER_BCD && i < j->instances; i++) {
            const crs_paper_outcome *o = j->result[k].outcome + i;
            const bool one = o->gram_rank == 1, success = crs_paper_success(o);
            runs++, ones += one, good += success, good_ones += one && success;
        }
    if (runs)
        say(bullet,
            "BCD: X_1'X_1 o X_2'X_2 has numerical rank one at the end of %d of %d runs; %d of "
            "these succeed, and %d of the other %d.",
            ones, runs, good_ones, good - good_ones, runs - ones);
}

static void sum_up(const crs_paper_job *j, const char *bullet)
{
    const int iter = crs_paper_differing(j, CRS_ITER, false);
    const int err = crs_paper_differing(j, CRS_ERR, false);
    const int num = crs_paper_differing(j, CRS_NUM, false);
    const char *recipe = j->recipe.calibrated ? "calibrated" : "stated";
    say(bullet, "By the %s recipe%s Iter. %s, Err. %s, Num %s.%s", recipe,
        j->recipe.generic ? " from a generic start" : "",
        iter ? "does not reproduce in every cell" : "reproduces",
        err ? "does not reproduce in every cell" : "reproduces",
        num ? "does not reproduce in every cell" : "reproduces",
        iter * 4 > j->count && !j->recipe.calibrated && !j->recipe.generic
            ? " The iterations do not follow from the stated stopping rule; see --calibrated."
            : "");
}

void crs_paper_conclude(const crs_paper_job *j, const char *bullet)
{
    compare_all(j, bullet, false);
    for (int f = 0; f < CRS_FIGURES; f++) list_cells(j, bullet, f, false);
    if (j->has_earlier) {
        compare_all(j, bullet, true);
        for (int f = 0; f < CRS_FIGURES; f++) list_cells(j, bullet, f, true);
    }
    rank_one(j, bullet);
    sum_up(j, bullet);
}
