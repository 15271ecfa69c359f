/* SPDX-License-Identifier: MIT
 * alpha_trial: an instance of the hard suite with the alpha learned, and with multiples of it */
#include "study/alpha_trial.h"
#include "rpca/rpca.h"

#include <crease/random.h>

#include "core/core.h"
#include "study/trials.h"

typedef struct {
    const crs_hard_cell *cell;
    uint64_t seed;
    crs_trial *out;
} batch;

double crs_alpha_multiple(int k) { return pow(10, (k - CRS_ALPHA_STEPS / 2) / 5.0); }

static bool run_one(void *self, int k, crease_error *e)
{
    const batch *b = self;
    const crease_random bits = { b->seed, 0 };
    const uint64_t seed = crease_random_bits(bits, (uint64_t)k);
    crease_cp_instance *c = crs_hard_generate(b->cell, seed, e);
    crease_cp_fit_settings s = crs_trial_settings(&b->cell->shape, b->cell->rank);
    crs_trial *out = b->out + (ptrdiff_t)k * CRS_ALPHA_TRIALS;
    s.model.seed = seed;
    bool done = c && crs_trial_run(&s, c, 0, out + CRS_ALPHA_LEARNED, e);
    s.learn = 0;
    for (int i = 0; done && i < CRS_ALPHA_STEPS; i++) {
        s.model.alpha = crs_alpha_multiple(i) * out[CRS_ALPHA_LEARNED].alpha;
        done = crs_trial_run(&s, c, 0, out + CRS_ALPHA_FIRST + i, e);
    }
    crease_cp_instance_free(c);
    return done;
}

bool crs_alpha_trials(const crs_hard_cell *cell, uint64_t seed, int count, int threads,
                      crs_trial *out, crease_error *e)
{
    batch b = { cell, seed, out };
    return crs_trials(threads, count, run_one, &b, e);
}
