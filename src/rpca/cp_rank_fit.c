/* SPDX-License-Identifier: MIT
 * cp_rank_fit: the fits of a rank sweep: the pilot of the envelope's method (cp_pilot.h) at the
 * rank that is asked for, none of its terms pruned; and where the sweep begins, by pruning */
#include <crease/rpca_rank.h>

#include "rpca/fit.h"
#include "rpca/cp_pilot.h"
#include "rpca/cp_rank_judge.h"

enum { PASSES = 200, ROUNDS = 3 }; /* of a start, and of pruning; at most */
static const double learn = 3;     /* deviations that an outlier is beyond, for pruning */
static const double fair =
    1.5; /* and for the fits, whose errors then depend less on the outliers */
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

static void count(const crease_cp_fit_request *r, const crs_cp_pilot *p)
{
    if (r->readings) *r->readings += p->report.readings;
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
    p.given = r->start;
    p.c.learn = fair;
    for (int n = 0; n < r->shape.order; n++) p.factor[n] = factor[n];
    done = done && crs_cp_pilot_run(&p, e);
    count(r, &p);
    if (done) *objective = p.value;
    crs_free(o.tensor);
    crs_free(o.mask);
    return done;
}

void crs_rank_pruned_free(crs_rank_pruned *p)
{
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(p->factor[n]);
    *p = (crs_rank_pruned){ .rank = 0 };
}

/* What is left of `over` terms */
static bool prune(const crease_cp_fit_settings *s, const crease_cp_fit_request *r, ptrdiff_t over,
                  crs_rank_pruned *out, crease_error *e)
{
    crease_cp_fit_request many = *r;
    observed o;
    many.rank = over;
    bool done = observe(r, &o, e);
    crs_cp_pilot p = pilot(s, &many, &o);
    p.c.prune = true;
    p.starts = 1;
    for (int n = 0; done && n < r->shape.order; n++) {
        p.factor[n] = out->factor[n] = crs_doubles(r->shape.dim[n] * over, "a fit", e);
        done = p.factor[n];
    }
    done = done && crs_cp_pilot_run(&p, e);
    count(r, &p);
    out->rank = p.rank;
    crs_free(o.tensor);
    crs_free(o.mask);
    return done;
}

/* As long as all terms remain there may be more. */
bool crs_rank_prune(const crease_cp_fit_settings *s, const crease_cp_fit_request *r, ptrdiff_t over,
                    ptrdiff_t high, crs_rank_pruned *out, crease_error *e)
{
    *out = (crs_rank_pruned){ .rank = 0 };
    for (int k = 0; k < ROUNDS; k++, over *= 2) {
        over = fewer(high, over);
        if (!prune(s, r, over, out, e)) return crs_rank_pruned_free(out), false;
        if (out->rank < over || over == high) return true;
        crs_rank_pruned_free(out);
    }
    return true;
}
