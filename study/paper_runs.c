/* SPDX-License-Identifier: MIT
 * paper_runs: the instances of a row by one method, several at a time */
#include "study/paper.h"
#include "study/trials.h"

typedef struct {
    const crs_paper_row *row;
    const crs_paper_recipe *r;
    crs_paper_method method;
    crs_paper_outcome *out;
} batch;

static bool run_one(void *self, int k, crease_error *e)
{
    const batch *b = self;
    return crs_paper_run(b->row, b->r, b->method, k, b->out + k, e);
}

bool crs_paper_runs(const crs_paper_row *row, const crs_paper_recipe *r, crs_paper_method method,
                    int count, int threads, crs_paper_outcome *out, crease_error *e)
{
    batch b = { row, r, method, out };
    return crs_trials(threads, count, run_one, &b, e);
}
