/* SPDX-License-Identifier: MIT
 * rank_trial: the instances of a row of the paper's tables, searched for their rank */
#include "study/rank_trial.h"

#include "rpca/rpca.h"
#include "study/trials.h"

typedef struct {
    const crs_paper_row *row;
    crs_paper_recipe recipe;
    crs_rank_trial *out;
} batch;

ptrdiff_t crs_rank_trial_from(const crs_paper_row *row)
{
    return row->true_rank + (row->true_rank + 4) / 5 + 2;
}

static bool search(const crease_cp_instance *c, ptrdiff_t from, crs_rank_trial *out,
                   crease_error *e)
{
    const crease_space *shape = &c->recipe.shape;
    const crease_cp_rank_options o = { .high = crs_rank_highest(shape),
                                       .from = from,
                                       .seed = c->recipe.seed };
    const double begun = crs_now();
    crease_cp_rank_table *t = crease_cp_rank_sweep(shape, c->tensor, NULL, &o, e);
    if (!t) return false;
    *out = (crs_rank_trial){ t->rank, (int)t->count, t->readings, crs_now() - begun };
    crease_cp_rank_table_free(t);
    return true;
}

static bool run_one(void *self, int k, crease_error *e)
{
    const batch *b = self;
    const crease_cp_recipe recipe = crs_paper_instance(b->row, &b->recipe, k);
    crease_cp_instance *c = crease_cp_generate(&recipe, e);
    crs_rank_trial *out = b->out + (ptrdiff_t)k * CRS_RANK_SEARCHES;
    const bool done = c && search(c, crs_rank_trial_from(b->row), out + CRS_RANK_FROM, e) &&
                      search(c, 0, out + CRS_RANK_FREE, e);
    crease_cp_instance_free(c);
    return done;
}

bool crs_rank_trials(const crs_paper_row *row, uint64_t seed, int count, int threads,
                     crs_rank_trial *out, crease_error *e)
{
    batch b = { row, { .seed = seed }, out };
    return crs_trials(threads, count, run_one, &b, e);
}
