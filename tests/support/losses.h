/* SPDX-License-Identifier: MIT
 * losses.h: a predictor with shared blocks, and every loss on it whose constants hold everywhere */
#ifndef CREASE_TEST_LOSSES_H
#define CREASE_TEST_LOSSES_H

#include "smooth/smooth.h"
#include "support/coupling.h"

enum { ROWS = 6, N0 = 5, N1 = 4, LOSSES = 10 };

/* Blocks 0 and 1 enter the predictor, block 0 twice; block 2 does not. */
typedef struct {
    double a[ROWS * N0], b[ROWS * N1], c[ROWS * N0], rhs[ROWS], label[ROWS];
    double weight[ROWS]; /* for those who set p.weight to it: one row is left out */
    crease_map map[3];
    int block[3];
    crease_space space[3];
    crease_predictor p;
    crease_blocks blocks;
} model;

static inline crease_smooth make_loss(int k, const crease_predictor *p)
{
    switch (k) {
    case 0:
        return crease_least_squares(p);
    case 1:
        return crease_cauchy(p);
    case 2:
        return crease_welsch(p);
    case 3:
        return crease_geman(p);
    case 4:
        return crease_tukey(p);
    case 5:
        return crease_huber_loss(p, 0.7);
    case 6:
        return crease_lp_loss(p, 1.5);
    case 7:
        return crease_logistic(p);
    case 8:
        return crease_quantile(p, 0.8, 0.5);
    default:
        return crease_squared_hinge(p);
    }
}

/* For loss k. */
static inline void make_model(draws *d, int terms, int k, model *m)
{
    draw_vector(d, ROWS * N0, 1, m->a);
    draw_vector(d, ROWS * N1, 1, m->b);
    draw_vector(d, ROWS * N0, 1, m->c);
    draw_vector(d, ROWS, 1, m->rhs);
    for (int j = 0; j < ROWS; j++) m->weight[j] = j == 2 ? 0 : fabs(normal(d));
    for (int j = 0; j < ROWS; j++) m->label[j] = j % 3 ? 1 : -1;
    m->map[0] = crease_dense(m->a);
    m->map[1] = crease_dense(m->b);
    m->map[2] = crease_dense(m->c);
    m->block[0] = m->block[2] = 0;
    m->block[1] = 1;
    m->space[0] = m->space[2] = crease_vector(N0);
    m->space[1] = crease_vector(N1);
    m->p = (crease_predictor){ .count = terms,
                               .block = m->block,
                               .map = m->map,
                               .range = crease_vector(ROWS),
                               .rhs = make_loss(k, NULL).ops->labels ? m->label : m->rhs };
    m->blocks = (crease_blocks){ .count = 3, .space = m->space };
}

#endif
