/* SPDX-License-Identifier: MIT
 * beyond: the instances of the paper's tables by the defaults of this library */
#include "study/beyond.h"
#include "rpca/rpca.h"

#include "study/trials.h"

typedef struct {
    const crs_beyond *b;
    crs_trial *out;
} batch;

static bool run_one(void *self, int k, crease_error *e)
{
    const batch *a = self;
    const crs_paper_row *row = &a->b->row;
    const crease_cp_recipe recipe = crs_paper_instance(row, &a->b->recipe, k);
    crease_cp_fit_settings s = crs_trial_settings(&row->shape, row->rank);
    crease_cp_instance *c = crease_cp_generate(&recipe, e);
    s.model.seed = recipe.seed;
    s.model.start = a->b->start;
    s.model.clip = a->b->clip;
    const bool done = c && crs_trial_run(&s, c, 0, a->out + k, e);
    crease_cp_instance_free(c);
    return done;
}

bool crs_beyond_runs(const crs_beyond *b, int count, int threads, crs_trial *out, crease_error *e)
{
    batch a = { b, out };
    return crs_trials(threads, count, run_one, &a, e);
}

crs_paper_method crs_beyond_best(const crs_paper_row *row)
{
    int best = 0;
    for (int m = 1; m < CRS_PAPER_METHODS; m++) {
        const crs_paper_figures a =
            crs_paper_cell_at(row->table, row->row, (crs_paper_method)m).printed;
        const crs_paper_figures b =
            crs_paper_cell_at(row->table, row->row, (crs_paper_method)best).printed;
        if (a.successes > b.successes ||
            (a.successes == b.successes && a.iterations < b.iterations))
            best = m;
    }
    return (crs_paper_method)best;
}
