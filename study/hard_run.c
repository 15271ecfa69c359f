/* SPDX-License-Identifier: MIT
 * hard_run: an instance of the hard suite by several methods */
#include <crease/random.h>

#include "rpca/rpca.h"
#include "study/hard.h"
#include "study/trials.h"

enum { MOST = 2000 };

static crease_cp_fit_settings settings(const crs_hard_cell *cell, crs_hard_method m,
                                       const crs_trial *envelope, double largest)
{
    crease_cp_fit_settings s = crs_trial_settings(&cell->shape, cell->rank);
    const bool learns = m <= CRS_HARD_LSP;
    s.run.max_iterations = MOST;
    if (m == CRS_HARD_MCP) s.model.penalty = crease_mcp(1, 3);
    if (m == CRS_HARD_CAPPED) s.model.penalty = crease_capped_l1(1, 3);
    if (m == CRS_HARD_LSP) s.model.penalty = crease_lsp(1, 1);
    if (m == CRS_HARD_ADMM_G) s.run.method = CREASE_METHOD_ADMM_G;
    if (m == CRS_HARD_PROX_BCD) s.run.method = CREASE_METHOD_PROX_BCD;
    if (!learns) s.learn = 0;
    if (!learns) s.model.alpha = m == CRS_HARD_SQUARES ? 4 * largest : envelope->alpha;
    return s;
}

bool crs_hard_run(const crs_hard_cell *cell, uint64_t seed, const bool *method, crs_trial *out,
                  crease_error *e)
{
    crease_cp_instance *c = crs_hard_generate(cell, seed, e);
    double oracle = 0, largest = 0;
    bool done = c && crs_trial_oracle(c, cell->rank, &oracle, e);
    for (ptrdiff_t j = 0; done && j < crease_size(&cell->shape); j++)
        largest = larger(largest, fabs(c->tensor[j]));
    for (int m = 0; done && m < CRS_HARD_METHODS; m++) {
        if (!method[m] && m != CRS_HARD_ENVELOPE) continue;
        crease_cp_fit_settings s = settings(cell, (crs_hard_method)m, out, largest);
        s.model.seed = seed;
        done = crs_trial_run(&s, c, oracle, out + m, e);
    }
    crease_cp_instance_free(c);
    return done;
}

typedef struct {
    const crs_hard_job *j;
    crs_trial *out;
} batch;

static bool run_one(void *self, int k, crease_error *e)
{
    const batch *b = self;
    const crease_random bits = { b->j->seed, 0 };
    return crs_hard_run(b->j->cell, crease_random_bits(bits, (uint64_t)k), b->j->method,
                        b->out + (ptrdiff_t)k * CRS_HARD_METHODS, e);
}

bool crs_hard_runs(const crs_hard_job *j, crs_trial *out, crease_error *e)
{
    batch b = { j, out };
    return crs_trials(j->threads, j->count, run_one, &b, e);
}
