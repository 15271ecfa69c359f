/* SPDX-License-Identifier: MIT
 * table: the tables of Jiang, Lin, Ma, Zhang 2019, section 5, beside what comes out here */
#include <time.h>

#include "study/table.h"

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The cells in order, each with room for its outcomes. */
static bool prepare(crs_paper_job *j, crease_error *e)
{
    const int cells = CRS_PAPER_ROWS * CRS_PAPER_METHODS;
    j->result = crs_alloc((size_t)cells, sizeof *j->result);
    if (!j->result) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the results");
    for (int cell = 0; cell < cells; cell++) {
        const int row = cell / CRS_PAPER_METHODS, method = cell % CRS_PAPER_METHODS;
        crs_paper_result *r = j->result + j->count;
        if (!j->row[row] || !j->method[method]) continue;
        r->row = crs_paper_row_at(j->table, row + 1);
        r->method = (crs_paper_method)method;
        r->outcome = crs_alloc((size_t)j->instances, sizeof *r->outcome);
        if (!r->outcome) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
        j->count++;
    }
    return true;
}

static void discard(crs_paper_job *j)
{
    for (int k = 0; j->result && k < j->count; k++) crs_free(j->result[k].outcome);
    crs_free(j->result);
}

/* A cell may take minutes, so it is shown when it is done; style NULL: nothing is. */
static bool work(crs_paper_job *j, const crs_paper_style *style, double *value, crease_error *e)
{
    const bool log = crs_given(j->a, CRS_OPT_VERBOSE);
    if (style) style->head(j);
    for (int k = 0; k < j->count; k++) {
        crs_paper_result *r = j->result + k;
        const double start = now();
        if (!crs_paper_runs(&r->row, &j->recipe, r->method, j->instances, j->threads, r->outcome,
                            e))
            return false;
        r->seconds = now() - start;
        crs_paper_compare(j, r, value);
        if (style) style->cell(j, r, k > 0 ? r - 1 : NULL);
        fflush(stdout);
        if (log)
            fprintf(stderr, "cell %d of %d: table %d, row %d, %s, %.1f s\n", k + 1, j->count,
                    j->table, r->row.row, crs_paper_title(r->method), r->seconds);
    }
    return true;
}

static bool finish(const crs_paper_job *j, const crs_paper_style *style, crease_error *e)
{
    if (!style) return crs_paper_json(j, e);
    printf("\n");
    crs_paper_conclude(j, style->bullet);
    return true;
}

static bool run(const crs_args *a, crease_error *e)
{
    crs_paper_job j = { .a = a };
    if (!crs_paper_options(&j, e)) return false;
    if (crs_given(a, CRS_OPT_INIT) && !crs_given(a, CRS_OPT_BEYOND))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--init is for --beyond; the paper's methods take --start");
    if (crs_given(a, CRS_OPT_BEYOND)) return crs_paper_beyond(&j, e);
    const crs_paper_style *style = crs_given(a, CRS_OPT_JSON)       ? NULL
                                   : crs_given(a, CRS_OPT_MARKDOWN) ? &crs_paper_markdown
                                                                    : &crs_paper_text;
    double *value = crs_doubles(j.instances, "the values of a cell", e);
    const bool done = value && prepare(&j, e) && work(&j, style, value, e) && finish(&j, style, e);
    discard(&j);
    crs_free(value);
    return done;
}

const crs_verb crs_paper_verb = {
    .name = "paper",
    .words = "",
    .text = "Repeat the tables of the paper beside its printed numbers. A table compares proximal "
            "ADMM-g, proximal ADMM-m, BCD and proximal BCD on random tensors: mean iterations, "
            "mean relative error of the low-rank part and how many of 20 instances end below "
            "0.01. The recipe is the stated one to the letter; --calibrated has more outliers and "
            "a relative stop, with which the iterations of tables 2 and 3 come out, too; --start "
            "generic shows what the constant start hides. Table 1 has R = R_CP, table 2 R_CP + 1, "
            "table 3 R_CP + ceil(0.2 R_CP); rows 1 to 3 are 10 x 20 x 30 (seconds), 4 to 6 "
            "15 x 25 x 40, 7 to 9 30 x 50 x 70 (minutes). Default: table 1, all of it. --beyond "
            "solves the same instances by the defaults of crease rpca instead, given R alone, or R "
            "and the start that --init names.",
    .example = "crease paper --table 1 --rows 1 --instances 4",
    .takes = CRS_LIST(CRS_TAKES(TABLE), CRS_TAKES(ROWS), CRS_TAKES(METHODS), CRS_TAKES(INSTANCES),
                      CRS_TAKES(CALIBRATED), CRS_TAKES(START), CRS_TAKES(BEYOND), CRS_TAKES(INIT),
                      CRS_TAKES(THREADS), CRS_TAKES(seed), CRS_TAKES(VERBOSE), CRS_TAKES(MARKDOWN),
                      CRS_TAKES(JSON)),
    .run = run,
};
