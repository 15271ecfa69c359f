/* SPDX-License-Identifier: MIT
 * trials: many trials, several at a time */
#include "study/trials.h"

#include "core/parallel.h"

typedef struct {
    bool (*run)(void *self, int k, crease_error *e);
    void *self;
    crease_error *trouble; /* of each trial */
} batch;

static void run_one(void *self, ptrdiff_t k, int worker)
{
    const batch *b = self;
    (void)worker;
    b->run(b->self, (int)k, b->trouble + k);
}

bool crs_trials(int threads, int count, bool (*run)(void *self, int k, crease_error *e), void *self,
                crease_error *e)
{
    batch b = { run, self, crs_alloc((size_t)count, sizeof *b.trouble) };
    bool done = b.trouble || crs_fail(e, CREASE_NO_MEMORY, "out of memory: %d instances", count);
    if (done) crs_parallel_runs(threads, count, run_one, &b);
    for (int k = 0; done && k < count; k++)
        if (b.trouble[k].code != CREASE_OK)
            done = crs_fail(e, b.trouble[k].code, "instance %d: %.300s", k + 1, b.trouble[k].text);
    crs_free(b.trouble);
    return done;
}
