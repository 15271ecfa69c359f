/* SPDX-License-Identifier: MIT
 * paper_markdown: a table for a page; no times, which belong to a machine */
#include "study/table.h"

static const char *bold(const crs_paper_result *r, int figure)
{
    return r->from_printed.differs[figure] ? "**" : "";
}

static void cell(const crs_paper_job *j, const crs_paper_result *r, const crs_paper_result *before)
{
    (void)before;
    const ptrdiff_t *dim = r->row.shape.dim;
    const crs_paper_figures *f = &r->printed;
    printf("| %td x %td x %td | %td | %td | %s ", dim[0], dim[1], dim[2], r->row.true_rank,
           r->row.rank, crs_paper_title(r->method));
    printf("| %.2f -> %s%.1f +- %.1f%s ", f->iterations, bold(r, CRS_ITER), r->mean[CRS_ITER],
           r->sampling[CRS_ITER], bold(r, CRS_ITER));
    printf("| %.4f -> %s%.4f +- %.4f%s ", f->error, bold(r, CRS_ERR), r->mean[CRS_ERR],
           r->sampling[CRS_ERR], bold(r, CRS_ERR));
    printf("| %d -> %s%.0f +- %.1f%s ", f->successes, bold(r, CRS_NUM), r->mean[CRS_NUM],
           r->sampling[CRS_NUM], bold(r, CRS_NUM));
    if (j->has_earlier)
        printf("| %.0f / %.4f / %d of %d ", r->earlier.iterations, r->earlier.error,
               r->earlier.successes, r->earlier.instances);
    printf("| %.4f |\n", r->mean_z);
}

static void head(const crs_paper_job *j)
{
    printf("### Table %d, %s recipe, %s start: %d instances, seed %.0f\n\n", j->table,
           j->recipe.calibrated ? "calibrated" : "stated",
           j->recipe.generic ? "generic" : "the paper's", j->instances, (double)j->recipe.seed);
    printf("| size | R_CP | R | method | Iter. | Err. | Num | %sErr. of Z |\n",
           j->has_earlier ? "earlier program | " : "");
    printf("|---|---|---|---|---|---|---|%s---|\n", j->has_earlier ? "---|" : "");
}

const crs_paper_style crs_paper_markdown = { head, cell, "- " };
