/* SPDX-License-Identifier: MIT
 * bench_alpha: the error with the alpha that was learned, against the least on a grid */
#include "cli/cli.h"
#include "study/alpha_trial.h"
#include "study/bench_verb.h"

typedef struct {
    double learned; /* median error */
    double least;   /* of the medians on the grid */
    int at;         /* where */
    double worst;   /* learned error over the least of the grid, largest of the instances */
} comparison;

static comparison compare(int count, const crs_trial *t)
{
    comparison c = { .learned = crs_trial_median(count, CRS_ALPHA_TRIALS, t), .least = INFINITY };
    for (int i = 0; i < CRS_ALPHA_STEPS; i++) {
        const double error = crs_trial_median(count, CRS_ALPHA_TRIALS, t + CRS_ALPHA_FIRST + i);
        if (error < c.least) c.least = error, c.at = i;
    }
    for (int k = 0; k < count; k++) {
        const crs_trial *grid = t + k * CRS_ALPHA_TRIALS + CRS_ALPHA_FIRST;
        double best = INFINITY;
        for (int i = 0; i < CRS_ALPHA_STEPS; i++) best = smaller(best, grid[i].error);
        c.worst = larger(c.worst, t[k * CRS_ALPHA_TRIALS].error / best);
    }
    return c;
}

static void head(const crs_bench *b)
{
    printf("%d instances a cell, seed %.0f, l1. Grid: %d multiples of the learned alpha from 0.1 "
           "to 10, from starts of the same family; best: of least median error; worst: of one "
           "instance against the least error on its own grid\n\n",
           b->instances, (double)b->seed, CRS_ALPHA_STEPS);
    printf("| cell | median error | best on the grid | at a multiple of | ratio | worst ratio | "
           "ms |\n|---|---|---|---|---|---|---|\n");
}

static json_t *item(const crs_bench *b, const crs_hard_cell *cell, const comparison *c,
                    const crs_trial *t)
{
    json_t *grid = json_array();
    for (int i = 0; grid && i < CRS_ALPHA_STEPS; i++)
        json_array_append_new(
            grid,
            json_pack("{s:f, s:o}", "multiple", crs_alpha_multiple(i), "runs",
                      crs_trial_json(b->instances, CRS_ALPHA_TRIALS, t + CRS_ALPHA_FIRST + i)));
    return json_pack("{s:s, s:o, s:o, s:f, s:o, s:o, s:o, s:o}", "cell", cell->name, "median_error",
                     crs_real(c->learned), "best_median_error", crs_real(c->least), "best_multiple",
                     crs_alpha_multiple(c->at), "ratio", crs_real(c->learned / c->least),
                     "worst_ratio", crs_real(c->worst), "runs",
                     crs_trial_json(b->instances, CRS_ALPHA_TRIALS, t), "grid", grid);
}

static bool each(void *self, const crs_hard_cell *cell, crs_trial *out, crease_error *e)
{
    const crs_bench *b = self;
    if (!crs_alpha_trials(cell, b->seed, b->instances, b->threads, out, e)) return false;
    const comparison c = compare(b->instances, out);
    if (b->list) return crs_bench_append(b, item(b, cell, &c, out), e);
    double seconds = 0;
    for (int k = 0; k < b->instances; k++)
        seconds += out[k * CRS_ALPHA_TRIALS].seconds / b->instances;
    printf("| %s | %.3g | %.3g | %.2g | %.2f | %.2f | %.1f |\n", cell->name, c.learned, c.least,
           crs_alpha_multiple(c.at), c.learned / c.least, c.worst, 1e3 * seconds);
    fflush(stdout);
    return true;
}

static bool run(crs_bench *b, crease_error *e)
{
    return crs_bench_cells(b, CRS_ALPHA_TRIALS, head, each, b, e);
}

const crs_suite crs_bench_alpha = {
    .name = "alpha",
    .takes = CRS_LIST(CRS_TAKES(CELLS)),
    .run = run,
};
