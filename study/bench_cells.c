/* SPDX-License-Identifier: MIT
 * bench_cells: cells of the hard suite, one after the other */
#include "study/study.h"

static const char *cell_at(int k) { return crs_hard_cell_at(k)->name; }

bool crs_bench_cells(const crs_bench *b, int trials, void (*head)(const crs_bench *b),
                     crs_bench_cell *each, void *self, crease_error *e)
{
    const int count = crs_hard_cells();
    bool *chosen = crs_alloc((size_t)count, sizeof *chosen);
    bool done = chosen || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the cells");
    done =
        done && crs_bench_choose("cell", crs_given(b->a, CRS_OPT_CELLS), count, cell_at, chosen, e);
    crs_trial *out = done ? crs_alloc((size_t)b->instances * (size_t)trials, sizeof *out) : NULL;
    if (done && !out) done = crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
    if (done && !b->list) head(b);
    for (int k = 0; done && k < count; k++)
        if (chosen[k]) done = each(self, crs_hard_cell_at(k), out, e);
    crs_free(out);
    crs_free(chosen);
    return done;
}
