/* SPDX-License-Identifier: MIT
 * cp_rank_fit: the fit of a rank sweep: the pilot of the envelope's method (cp_pilot.h) at the rank
 * that is asked for, none of its terms pruned */
#include <crease/rpca_rank.h>

#include "model/cp_fit.h"
#include "model/cp_pilot.h"

enum { PASSES = 200 };            /* a start, at most */
static const double learn = 3;    /* deviations that an outlier is beyond */
static const double close = 1e-4; /* relative residual: medians do not show more */

typedef struct {
    double *tensor; /* 0 where it was not observed */
    unsigned char *mask;
} observed;

/* Entries that are missing become 0: they may be nan. */
static bool observe(const crease_cp_fit_request *r, observed *o, crease_error *e)
{
    const ptrdiff_t size = crease_size(&r->shape);
    *o = (observed){ .tensor = NULL };
    if (!r->mask) return true;
    o->mask = crs_alloc((size_t)size, 1);
    if (!o->mask) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a mask");
    o->tensor = crs_doubles(size, "the observed entries", e);
    for (ptrdiff_t j = 0; o->tensor && j < size; j++) {
        o->mask[j] = r->mask[j] > 0;
        o->tensor[j] = o->mask[j] ? r->tensor[j] : 0;
    }
    return o->tensor;
}

static crs_cp_pilot pilot(const crease_cp_fit_settings *s, const crease_cp_fit_request *r,
                          const observed *o)
{
    crs_cp_pilot p = { .c = crs_envelope_solver_default(&r->shape, r->rank),
                       .tensor = o->mask ? o->tensor : r->tensor,
                       .passes = PASSES };
    crease_cp_fit_settings threads = s ? *s : (crease_cp_fit_settings){ .threads = 1 };
    threads.model.shape = r->shape;
    p.c.threads = crs_cp_fit_threads(&threads);
    p.c.nonneg = s && s->model.nonneg;
    p.c.learn = learn;
    p.c.prune = false;
    p.c.mask = o->mask;
    p.c.seed = r->seed;
    p.c.eps = close;
    return p;
}

bool crease_cp_fit_envelope(void *self, const crease_cp_fit_request *r, double *const *factor,
                            double *objective, crease_error *e)
{
    observed o;
    bool done = observe(r, &o, e);
    crs_cp_pilot p = pilot(self, r, &o);
    for (int n = 0; n < r->shape.order; n++) p.factor[n] = factor[n];
    done = done && crs_cp_pilot_run(&p, e);
    if (done) *objective = p.value;
    crs_free(o.tensor);
    crs_free(o.mask);
    return done;
}
