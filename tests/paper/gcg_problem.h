/* SPDX-License-Identifier: MIT
 * gcg_problem.h: random problems on compact sets with a convex r and a known linear oracle */
#ifndef CREASE_TEST_GCG_PROBLEM_H
#define CREASE_TEST_GCG_PROBLEM_H

#include "paper/random_coupling.h"
#include "problem/problem.h"

typedef enum { LIPSCHITZ, HOELDER, CONCAVE } smoothness;

static inline bool convex(const crease_reg *r, const crease_space *s)
{
    crease_reg_traits t;
    r->ops->traits(r, s, INFINITY, &t);
    return t.convex;
}

static inline void draw_block(random_problem *q, int i, ptrdiff_t n)
{
    crease_block *b = &q->block[i];
    q->space[i] = crease_vector(n);
    normals(&q->d, ENTRIES, 1, q->start[i]);
    *b = (crease_block){ .start = q->start[i], .set = &q->set[i] };
    do {
        b->reg = chance(&q->d, 0.3) ? crease_zero() : random_reg(&q->d);
        q->set[i] = random_set(&q->d);
    } while (!convex(&b->reg, &q->space[i]) || !compact(q, i) ||
             !crease_lmo_with_check(b->set, &b->reg, &q->space[i], NULL));
}

static inline void draw_gcg(random_problem *q, uint64_t seed, smoothness kind, ptrdiff_t most)
{
    const bool all[MOST] = { true, true, true, true, true, true };
    *q = (random_problem){ .d = { .r = { .seed = seed, .stream = 8 } } };
    q->p = (crease_problem){ .count = 1 + pick(&q->d, 4), .space = q->space, .block = q->block };
    for (int i = 0; i < q->p.count; i++)
        draw_block(q, i, most == 2 ? 2 : 2 + pick(&q->d, (int)most - 1));
    if (kind == CONCAVE) {
        add_quadratic(q, 0, all, 0.2, -4);
    } else {
        add_loss(q, 0, all);
        if (kind == LIPSCHITZ && chance(&q->d, 0.5)) add_quadratic(q, 0, all, 0.5, 0);
    }
    if (kind == HOELDER) {
        for (int j = 0; j < ENTRIES; j++) q->target[0][j] = normal(&q->d);
        q->term[0] = crease_lp_loss(&q->loss[0], uniform(&q->d, 1.2, 1.9));
    }
    const double scale = chance(&q->d, 0.1) ? 1e-3 : 1; /* a tiny rho */
    for (int i = 0; i < q->p.count; i++)
        for (int j = 0; j < ENTRIES * ENTRIES; j++) q->weight[0][i][j] *= scale;
    q->sum.term = q->term;
    q->p.f = q->sum.count > 1 ? crease_smooth_sum(&q->sum) : q->term[0];
}

/* Dl at x for the point y, from the definition. */
static inline double gap_to(const crease_problem *p, const double *const *x, const double *const *y)
{
    double sum = 0, g[ENTRIES], work[512];
    for (int i = 0; i < p->count; i++) {
        const crease_reg *r = &p->block[i].reg;
        crs_grad(p, x, i, g, work);
        for (ptrdiff_t j = 0; j < crease_size(&p->space[i]); j++) sum += g[j] * (x[i][j] - y[i][j]);
        sum +=
            r->ops->value(r, &p->space[i], x[i], work) - r->ops->value(r, &p->space[i], y[i], work);
    }
    return sum;
}

#endif
