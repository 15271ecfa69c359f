/* SPDX-License-Identifier: MIT
 * gevd_case.h: a tensor of known rank and a start by eigenvectors from it */
#ifndef CREASE_GEVD_CASE_H
#define CREASE_GEVD_CASE_H

#include "rpca/start.h"
#include "support/rpca_naive.h"

typedef struct {
    crease_space s;
    ptrdiff_t true_rank, rank;
    double *t, *low, *x[CREASE_MAX_ORDER];
    crs_cp_start_facts facts;
    crs_memory data;
} start;

/* Gaussian factors of the true rank; noise on every entry */
static inline start make(const ptrdiff_t *dim, int order, ptrdiff_t true_rank, ptrdiff_t rank,
                         double noise, uint64_t seed)
{
    draws d = { { seed, 0 }, 0 };
    start c = { .s = { .order = order }, .true_rank = true_rank, .rank = rank };
    double *f[CREASE_MAX_ORDER];
    for (int n = 0; n < order; n++) {
        c.s.dim[n] = dim[n];
        f[n] = random_doubles(&d, dim[n] * true_rank, 1);
        c.x[n] = unset_doubles(dim[n] * rank);
    }
    const ptrdiff_t size = crease_size(&c.s);
    c.t = doubles(size), c.low = doubles(size);
    assert_true(crease_cp_lowrank(&c.s, true_rank, (const double *const *)f, c.low, NULL));
    for (ptrdiff_t j = 0; j < size; j++) c.t[j] = c.low[j] + noise * normal(&d);
    for (int n = 0; n < order; n++) free(f[n]);
    return c;
}

static inline void discard(start *c)
{
    free(c->t), free(c->low);
    for (int n = 0; n < c->s.order; n++) free(c->x[n]);
}

static inline crs_cp_view view_of(start *c)
{
    crs_memory_open(&c->data, &c->s, c->t, NULL);
    return (crs_cp_view){ .shape = c->s, .source = &c->data.source, .limit = INFINITY };
}

/* |[[X]] - truth|/|truth| */
static inline double run(start *c, double clip_at, int rounds)
{
    const crs_cp_view v = view_of(c);
    const crs_cp_gevd_options o = {
        .rank = c->rank, .cut = c->rank > c->true_rank, .seed = 3, .clip = clip_at, .rounds = rounds
    };
    crease_error e = { CREASE_OK, "" };
    double *m = doubles(crease_size(&c->s));
    if (!crs_cp_gevd_robust(&v, &o, c->x, &c->facts, &e)) fail_msg("%s", e.text);
    assert_true(crease_cp_lowrank(&c->s, c->rank, (const double *const *)c->x, m, NULL));
    const double error = crease_relative_error(crease_size(&c->s), m, c->low);
    free(m);
    return error;
}

#endif
