/* SPDX-License-Identifier: MIT
 * alpha: how good is the alpha that was learned, against multiples of it? Cells of the hard suite;
 * multiples 0.1, 0.16, 0.25, 0.4, 0.63, 1, 1.6, ... 10; all start alike. */
#include "rpca/rpca.h"
#include "study/hard.h"

enum { LEARNED, FIRST, STEPS = 11, TRIALS };

static double multiple(int k) { return pow(10, (k - STEPS / 2) / 5.0); }

static bool run_instance(const crs_hard_suite *h, uint64_t seed, crs_trial *out, crease_error *e)
{
    crease_cp_instance *c = crs_hard_generate(h->cell, seed, e);
    crease_cp_fit_settings s = crs_trial_settings(&h->cell->shape, h->cell->rank);
    s.model.seed = seed;
    bool done = c && crs_trial_run(&s, c, 0, out + LEARNED, e);
    s.learn = 0;
    for (int i = 0; done && i < STEPS; i++) {
        s.model.alpha = multiple(i) * out[LEARNED].alpha;
        done = crs_trial_run(&s, c, 0, out + FIRST + i, e);
    }
    crease_cp_instance_free(c);
    return done;
}

typedef struct {
    double learned; /* median error */
    double least;   /* of the medians on the grid */
    int at;         /* where */
    double worst;   /* learned error over the least of the grid, largest of the instances */
} comparison;

static comparison compare(int count, const crs_trial *t)
{
    comparison c = { .learned = crs_trial_median(count, TRIALS, t), .least = INFINITY };
    for (int i = 0; i < STEPS; i++) {
        const double error = crs_trial_median(count, TRIALS, t + FIRST + i);
        if (error < c.least) c.least = error, c.at = i;
    }
    for (int k = 0; k < count; k++) {
        const crs_trial *grid = t + k * TRIALS + FIRST;
        double best = INFINITY;
        for (int i = 0; i < STEPS; i++) best = smaller(best, grid[i].error);
        c.worst = larger(c.worst, t[k * TRIALS].error / best);
    }
    return c;
}

static void head(const crs_study *s)
{
    printf("%d instances per cell, seed %.0f, l1. Grid: %d multiples of the learned alpha from 0.1 "
           "to 10, from starts of the same family; best: of least median error; worst: of one "
           "instance against the least error on its own grid\n\n",
           s->instances, (double)s->seed, STEPS);
    printf("| cell | median error | best on the grid | at a multiple of | ratio | worst ratio | "
           "ms |\n|---|---|---|---|---|---|---|\n");
}

static json_t *item(const crs_hard_suite *h, const comparison *c)
{
    const int count = h->s->instances;
    json_t *grid = json_array();
    for (int i = 0; grid && i < STEPS; i++)
        json_array_append_new(grid, json_pack("{s:f, s:o}", "multiple", multiple(i), "runs",
                                              crs_trial_json(count, TRIALS, h->trial + FIRST + i)));
    return json_pack("{s:s, s:o, s:o, s:f, s:o, s:o, s:o, s:o}", "cell", h->cell->name,
                     "median_error", crs_study_real(c->learned), "best_median_error",
                     crs_study_real(c->least), "best_multiple", multiple(c->at), "ratio",
                     crs_study_real(c->learned / c->least), "worst_ratio", crs_study_real(c->worst),
                     "runs", crs_trial_json(count, TRIALS, h->trial), "grid", grid);
}

static bool show(const crs_hard_suite *h, crease_error *e)
{
    const int count = h->s->instances;
    const comparison c = compare(count, h->trial);
    double seconds = 0;
    if (h->s->document) return crs_study_append(h->s, item(h, &c), e);
    for (int k = 0; k < count; k++) seconds += h->trial[k * TRIALS].seconds / count;
    printf("| %s | %.3g | %.3g | %.2g | %.2f | %.2f | %.1f |\n", h->cell->name, c.learned, c.least,
           multiple(c.at), c.learned / c.least, c.worst, 1e3 * seconds);
    fflush(stdout);
    return true;
}

static bool run(crs_study *s, crease_error *e)
{
    crs_hard_suite h = {
        .s = s, .trials = TRIALS, .head = head, .run = run_instance, .show = show
    };
    return crs_hard_run(&h, e);
}

const crs_study_verb crs_study_alpha = {
    .name = "alpha",
    .text = "Compare the alpha that was learned with others. On the cells of the hard suite: the "
            "error with it, against the least on a grid from a tenth to ten times of it.",
    .example = "crease-study alpha --cells noise-10dB --instances 2",
    .takes = CRS_STUDY_TAKES(CELLS),
    .least = 1,
    .run = run,
};
