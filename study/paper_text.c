/* SPDX-License-Identifier: MIT
 * paper_text: a table for the terminal: printed -> ours +- sampling error, then the time */
#include "study/table.h"

const char *crs_paper_figure(int figure)
{
    static const char *const name[] = { "Iter.", "Err.", "Num" };
    return name[figure];
}

/* '*' differs from the paper, '+' from the earlier measurement, '#' from both */
static char mark(const crs_paper_result *r, int figure)
{
    const bool paper = r->from_printed.differs[figure], earlier = r->from_earlier.differs[figure];
    return paper && earlier ? '#' : paper ? '*' : earlier ? '+' : ' ';
}

static void head(const crs_paper_job *j)
{
    printf("Table %d: %s recipe, %s start, %d instances, seed %.0f; paper -> here +- sampling "
           "error\n",
           j->table, j->recipe.calibrated ? "calibrated" : "stated",
           j->recipe.generic ? "generic" : "the paper's", j->instances, (double)j->recipe.seed);
}

static void cell(const crs_paper_job *j, const crs_paper_result *r, const crs_paper_result *before)
{
    const crs_paper_figures *f = &r->printed;
    const ptrdiff_t *dim = r->row.shape.dim;
    if (!before || r->row.row != before->row.row)
        printf("%td x %td x %td, R_CP = %td, R = %td\n", dim[0], dim[1], dim[2], r->row.true_rank,
               r->row.rank);
    printf("  %-15s  %7.2f -> %6.1f +-%5.1f%c  %.4f -> %.4f +- %.4f%c  %2d/%d -> %2.0f/%d +- "
           "%.1f%c %7.2f s\n",
           crs_paper_title(r->method), f->iterations, r->mean[CRS_ITER], r->sampling[CRS_ITER],
           mark(r, CRS_ITER), f->error, r->mean[CRS_ERR], r->sampling[CRS_ERR], mark(r, CRS_ERR),
           f->successes, f->instances, r->mean[CRS_NUM], j->instances, r->sampling[CRS_NUM],
           mark(r, CRS_NUM), r->seconds);
}

const crs_paper_style crs_paper_text = { head, cell, "" };
