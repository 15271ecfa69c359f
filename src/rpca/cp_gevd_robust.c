/* SPDX-License-Identifier: MIT
 * cp_gevd_robust: the start by eigenvectors of clipped data: T at +-kap median|T| first, then
 * M + clip(T - M) around the model so far, the pseudo-data of Huber's estimate
 *
 * Huber, Ronchetti, Robust Statistics, 2009, section 7.8 (modified residuals). */
#include "rpca/start.h"

/* One round from the model in v: the next factors, and their median|T - M|. */
static bool round_of(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *next,
                     double *median, crs_cp_start_facts *facts, crease_error *e)
{
    crs_kruskal k = { .shape = v->shape, .rank = o->rank };
    crs_cp_view fitted = *v;
    for (int n = 0; n < v->shape.order; n++) k.factor[n] = next[n];
    fitted.model = &k;
    return crs_cp_gevd(v, o, next, facts, e) && crs_view_median(&fitted, median, e);
}

static void take(const crease_space *s, ptrdiff_t rank, double *const *from, double *const *to)
{
    for (int n = 0; n < s->order; n++) copy(s->dim[n] * rank, from[n], to[n]);
}

static bool rounds(const crs_cp_view *data, const crs_cp_gevd_options *o, double *const *next,
                   double *const *factor, crs_cp_start_facts *facts, crease_error *e)
{
    crs_kruskal k = { .shape = data->shape, .rank = o->rank };
    crs_cp_view v = *data;
    double scale, median;
    for (int n = 0; n < v.shape.order; n++) k.factor[n] = factor[n];
    if (!crs_view_median(&v, &scale, e)) return false;
    for (int round = 0; round <= o->rounds && (round == 0 || scale > 0); round++) {
        crs_cp_start_facts now;
        v.limit = o->kap * scale > 0 ? o->kap * scale : INFINITY;
        if (!round_of(&v, o, next, &median, &now, e)) return false;
        if (round > 0 && !(median < scale)) break;
        take(&v.shape, o->rank, next, factor);
        if (facts) *facts = now;
        v.model = &k;
        scale = median;
    }
    return true;
}

bool crs_cp_gevd_robust(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                        crs_cp_start_facts *facts, crease_error *e)
{
    double *next[CREASE_MAX_ORDER] = { NULL };
    bool done = crs_view_check(v, e);
    for (int n = 0; done && n < v->shape.order; n++) {
        next[n] = crs_doubles(v->shape.dim[n] * o->rank, "a start", e);
        done = next[n];
    }
    done = done && rounds(v, o, next, factor, facts, e);
    for (int n = 0; n < v->shape.order; n++) crs_free(next[n]);
    return done;
}
