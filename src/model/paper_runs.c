/* SPDX-License-Identifier: MIT
 * paper_runs: the instances of a row by one method, several at a time */
#include "model/paper.h"
#include "model/parallel.h"

typedef struct {
    const crs_paper_row *row;
    const crs_paper_recipe *r;
    crs_paper_method method;
    crs_paper_outcome *out;
    crease_error *trouble; /* of each instance */
} batch;

static void run_one(void *self, ptrdiff_t instance, int worker)
{
    const batch *b = self;
    (void)worker;
    crs_paper_run(b->row, b->r, b->method, (int)instance, b->out + instance, b->trouble + instance);
}

bool crs_paper_runs(const crs_paper_row *row, const crs_paper_recipe *r, crs_paper_method method,
                    int count, int threads, crs_paper_outcome *out, crease_error *e)
{
    batch b = { row, r, method, out, crs_alloc((size_t)count, sizeof *b.trouble) };
    bool done = b.trouble || crs_fail(e, CREASE_NO_MEMORY, "out of memory: %d instances", count);
    if (done) crs_parallel_runs(threads, count, run_one, &b);
    for (int k = 0; done && k < count; k++)
        if (b.trouble[k].code != CREASE_OK)
            done = crs_fail(e, b.trouble[k].code, "instance %d: %.300s", k + 1, b.trouble[k].text);
    crs_free(b.trouble);
    return done;
}
