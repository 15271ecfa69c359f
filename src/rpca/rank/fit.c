/* SPDX-License-Identifier: MIT
 * fit: robust fits of a given rank for the search: by the pilot of the envelope's method, and
 * what pruning leaves of too many terms; the rank where singular values fall */
#include "core/parallel.h"
#include "rpca/rank/rank.h"

enum { PASSES = 200 }; /* of a start, at most */

/* The first k with s_k > 4 s_{k+1}; without one, the largest ratio in the upper half. */
ptrdiff_t crs_spectral_gap(ptrdiff_t n, const double *squares)
{
    ptrdiff_t best = 1;
    double most = 0;
    for (ptrdiff_t k = 1; k < n; k++)
        if (squares[k - 1] > 16 * squares[k]) return k;
    for (ptrdiff_t k = 1; k <= n / 2; k++) {
        if (!(squares[k - 1] > most * squares[k])) continue;
        most = squares[k - 1] / squares[k];
        best = k;
    }
    return best;
}

bool crease_cp_rank(const crease_space *shape, const double *tensor, const double *mask,
                    ptrdiff_t *rank, crease_error *e)
{
    const ptrdiff_t size = crease_size(shape);
    double *known = crs_doubles(size, "the observed entries", e);
    bool done = known;
    *rank = 1;
    for (ptrdiff_t j = 0; done && j < size; j++)
        known[j] = isnan(tensor[j]) || (mask && mask[j] == 0) ? 0 : tensor[j];
    for (int n = 0; done && n < shape->order; n++) {
        const ptrdiff_t length = shape->dim[n];
        if (!crs_unfolding_fits(shape, n)) continue;
        double *squares = crs_doubles(length + crs_unfolding_scratch(shape, n), "a spectrum", e);
        done = squares;
        if (done && crs_unfolding(shape, n, known, squares, NULL, squares + length, NULL))
            *rank = more(*rank, crs_spectral_gap(length, squares));
        crs_free(squares);
    }
    crs_free(known);
    return done;
}

/* No CP model needs more terms than the unfolding along the longest mode has columns. */
ptrdiff_t crs_rank_highest(const crease_space *s)
{
    enum { MOST = 1000 };
    ptrdiff_t columns = 1, longest = 0;
    for (int n = 1; n < s->order; n++)
        if (s->dim[n] > s->dim[longest]) longest = n;
    for (int n = 0; n < s->order; n++)
        if (n != longest) columns = columns > MOST ? columns : columns * s->dim[n];
    return fewer(columns, MOST);
}

static const double learn = 3; /* deviations that an outlier is beyond, for pruning */
static const double fair =
    1.5; /* and for the fits, whose errors then depend less on the outliers */
static const double close = 1e-4; /* relative residual: medians do not show more */

static void count_passes(const crease_cp_fit_request *r, const crs_cp_pilot *p)
{
    if (r->readings) *r->readings += p->report.readings;
}

/* s NULL: bad starts are detected and replaced; a sweep has starts of its own. */
static crs_cp_pilot pilot_of(const crease_cp_rank_options *s, const crease_cp_fit_request *r,
                             crs_observed *o)
{
    crs_cp_pilot p = { .c = crs_envelope_solver_default(&r->shape, r->rank),
                       .source = &o->data.source,
                       .passes = PASSES };
    p.c.threads = crs_useful_threads(s ? s->threads : 1, crease_size(&r->shape));
    p.c.nonneg = s && s->nonneg;
    p.c.learn = learn;
    p.c.prune = false;
    p.c.seed = r->seed;
    p.c.eps = r->eps > 0 ? r->eps : close;
    if (!s) return p;
    p.starts = 1;
    p.c.watch = s->watch;
    return p;
}

bool crease_cp_fit_envelope(void *self, const crease_cp_fit_request *r, double *const *factor,
                            double *objective, crease_error *e)
{
    crs_observed o;
    bool done = crs_observe(&r->shape, r->tensor, r->mask, &o, e);
    crs_cp_pilot p = pilot_of(self, r, &o);
    p.given = r->start;
    p.alone = self && !r->beside;
    p.c.learn = fair;
    for (int n = 0; n < r->shape.order; n++) p.factor[n] = factor[n];
    done = done && crs_cp_pilot_run(&p, e);
    count_passes(r, &p);
    if (done) *objective = p.value;
    crs_observed_close(&o);
    return done;
}

void crs_terms_free(crs_terms *x)
{
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(x->factor[n]);
    *x = (crs_terms){ .rank = 0 };
}

bool crs_terms_new(const crease_space *s, ptrdiff_t rank, crs_terms *x, crease_error *e)
{
    *x = (crs_terms){ .rank = rank };
    for (int n = 0; n < s->order; n++) {
        x->factor[n] = crs_doubles(s->dim[n] * rank, "a fit", e);
        if (!x->factor[n]) return crs_terms_free(x), false;
    }
    return true;
}

bool crs_rank_prune(const crease_cp_rank_options *o, const crease_cp_fit_request *r, ptrdiff_t over,
                    crs_terms *out, crease_error *e)
{
    crease_cp_fit_request many = *r;
    crs_observed seen;
    many.rank = over;
    if (!crs_terms_new(&r->shape, over, out, e)) return false;
    bool done = crs_observe(&r->shape, r->tensor, r->mask, &seen, e);
    crs_cp_pilot p = pilot_of(o, &many, &seen);
    p.c.prune = true;
    p.starts = 1;
    for (int n = 0; n < r->shape.order; n++) p.factor[n] = out->factor[n];
    done = done && crs_cp_pilot_run(&p, e);
    count_passes(r, &p);
    crs_observed_close(&seen);
    if (!done) return crs_terms_free(out), false;
    out->rank = p.rank;
    return true;
}
