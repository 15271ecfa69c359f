/* SPDX-License-Identifier: MIT
 * cp_fit_huber: robust CP by majorization: one sweep of least squares on the pseudo-data
 * M + clip(T - M, +-limit), M where nothing was observed; the limit falls with median|T - M|
 *
 * Huber's function is majorized by the squares around the pseudo-data, so that a sweep decreases it
 * while the limit stays. */
#include <crease/rpca_rank.h>

#include "model/cp_gevd.h"
#include "model/cp_sweep.h"

enum { STARTS = 3, TRIAL = 10, MOST = 150, CALM = 3 };
static const double kap = 3, change = 1e-4;

typedef struct {
    crs_cp_view v; /* around the model k */
    crs_kruskal k; /* the factors */
    double *x[CREASE_MAX_ORDER];
    double *pseudo, *work, *sample; /* V whole, its making, its median's */
    crs_cp_sweeper w;
    double median;
} fitter;

static void discard(fitter *f)
{
    for (int n = 0; n < f->v.shape.order; n++) crs_free(f->x[n]);
    crs_free(f->pseudo);
    crs_free(f->work);
    crs_free(f->sample);
    crs_cp_sweeper_close(&f->w);
}

static bool open(const crease_cp_fit_request *r, fitter *f, crease_error *e)
{
    *f = (fitter){ .k = { .shape = r->shape, .rank = r->rank } };
    f->v = (crs_cp_view){ .shape = r->shape, .tensor = r->tensor, .mask = r->mask, .limit = 1 };
    f->v.model = &f->k;
    bool done = true;
    for (int n = 0; done && n < r->shape.order; n++) {
        f->x[n] = crs_doubles(r->shape.dim[n] * r->rank, "a fit", e);
        f->k.factor[n] = f->x[n];
        done = f->x[n];
    }
    f->pseudo = done ? crs_doubles(crease_size(&r->shape), "a fit", e) : NULL;
    f->work =
        f->pseudo ? crs_doubles(crs_view_scratch(&f->v, crs_view_rows(&f->v)), "a fit", e) : NULL;
    f->sample = f->work ? crs_doubles(crs_view_sample(&f->v), "a fit", e) : NULL;
    return f->sample && crs_cp_sweeper_open(&f->w, &r->shape, r->rank, f->pseudo, 0, f->x, e);
}

/* V slab by slab; a limit of 0 would stop everything */
static void make_pseudo(fitter *f)
{
    const ptrdiff_t rows = crs_view_rows(&f->v), right = crs_right(&f->v.shape, 0);
    f->v.limit = f->median > 0 ? kap * f->median : INFINITY;
    for (ptrdiff_t first = 0; first < f->v.shape.dim[0]; first += rows) {
        const ptrdiff_t count = fewer(rows, f->v.shape.dim[0] - first);
        copy(count * right, crs_view_slab(&f->v, first, count, f->work), f->pseudo + first * right);
    }
}

/* Until the median has hardly changed CALM times, or is 0. */
static void iterate(fitter *f, int most)
{
    int calm = 0;
    for (int k = 0; k < most && calm < CALM && f->median > 0; k++) {
        const double before = f->median;
        make_pseudo(f);
        crs_cp_sweep(&f->w);
        crs_cp_balance(&f->v.shape, f->k.rank, f->x);
        f->median = crs_view_median_in(&f->v, f->sample);
        calm = fabs(f->median - before) <= change * before ? calm + 1 : 0;
    }
}

/* sum of r^2 where |r| <= limit, 2 limit |r| - limit^2 beyond; over the observed entries */
static double huber(fitter *f)
{
    const double limit = kap * f->median;
    double sum = 0;
    fill(crease_size(&f->v.shape), 0, f->pseudo);
    crs_reconstruct(&f->k, 1, f->pseudo, f->w.work);
    for (ptrdiff_t j = 0; j < crease_size(&f->v.shape); j++) {
        if (!crs_view_observed(&f->v, j)) continue;
        const double t = fabs(f->v.tensor[j] - f->pseudo[j]);
        sum += t <= limit ? t * t : 2 * limit * t - limit * limit;
    }
    return sum;
}

/* The start whose residual has the least median after a few sweeps, in factor. */
static bool best_start(fitter *f, const crease_cp_fit_request *r, double *const *factor,
                       crease_error *e)
{
    const crs_cp_gevd_options o = { .rank = r->rank, .seed = r->seed };
    const crs_cp_view data = {
        .shape = r->shape, .tensor = r->tensor, .mask = r->mask, .limit = INFINITY
    };
    double least = INFINITY;
    for (int q = 0; q < STARTS && least > 0; q++) {
        if (!crs_cp_start_of(&data, &o, q, f->x, e)) return false;
        f->median = crs_view_median_in(&f->v, f->sample);
        iterate(f, TRIAL);
        if (!(f->median < least)) continue;
        least = f->median;
        for (int n = 0; n < r->shape.order; n++)
            copy(r->shape.dim[n] * r->rank, f->x[n], factor[n]);
    }
    for (int n = 0; n < r->shape.order; n++) copy(r->shape.dim[n] * r->rank, factor[n], f->x[n]);
    f->median = least;
    return true;
}

bool crease_cp_fit_huber(void *self, const crease_cp_fit_request *r, double *const *factor,
                         double *objective, crease_error *e)
{
    fitter f;
    (void)self;
    const bool done = open(r, &f, e) && best_start(&f, r, factor, e);
    if (done) iterate(&f, MOST);
    for (int n = 0; done && n < r->shape.order; n++)
        copy(r->shape.dim[n] * r->rank, f.x[n], factor[n]);
    if (done) *objective = huber(&f);
    discard(&f);
    return done;
}
