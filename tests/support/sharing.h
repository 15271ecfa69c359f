/* SPDX-License-Identifier: MIT
 * sharing.h: one constrained problem for tests of the solver's rules
 *
 *     min (1/2)|u|^2 + MCP(x_1) + l1(x_2)   s.t.  B_1 x_1 + B_2 x_2 + u = y                  */
#ifndef TEST_SHARING_H
#define TEST_SHARING_H

#include "support/solving.h"

enum { ROWS = 12, COLS = 5 };

typedef struct {
    double left[ROWS * COLS], right[ROWS * COLS], y[ROWS];
    crease_space space[3];
    crease_block block[3];
    crease_distance_data loss;
    crease_problem problem;
} sharing;

/* The blocks in the order x_1, x_2, u rotated by `turn`. */
static inline void make_sharing(sharing *s, uint64_t seed, int turn)
{
    draws d = { { seed, 77 }, 0 };
    gaussians(&d, ROWS * COLS, s->left);
    gaussians(&d, ROWS * COLS, s->right);
    for (int i = 0; i < ROWS; i++) s->y[i] = 3 * normal(&d);
    const crease_block blocks[] = {
        { .reg = crease_mcp(1, 3), .map = crease_dense(s->left) },
        { .reg = crease_l1(0.5), .map = crease_dense(s->right) },
        { .map = crease_identity(1) },
    };
    for (int k = 0; k < 3; k++) {
        const int from = (k + turn) % 3;
        s->block[k] = blocks[from];
        s->space[k] = crease_vector(from == 2 ? ROWS : COLS);
        if (from == 2) s->loss = (crease_distance_data){ k, -1, 1, NULL };
    }
    s->problem = (crease_problem){
        3, s->space, s->block, crease_squared_distance(&s->loss), crease_vector(ROWS), s->y
    };
}

#endif
