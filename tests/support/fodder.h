/* SPDX-License-Identifier: MIT
 * fodder.h: small valid problems of every kind, all their numbers in one pool that can be spoilt */
#ifndef CREASE_FODDER_H
#define CREASE_FODDER_H

#include "support/fodder_terms.h"

/* Block i in R^n (or n x m) with r, X and A of the given kinds. */
static inline void add(fodder *f, draws *d, crease_space s, int reg, int set, int link)
{
    const int i = f->p.count++, n = (int)crease_size(&s);
    const crease_reg regs[] = { { .ops = NULL },
                                crease_l1(0.3),
                                crease_mcp(0.4, 2),
                                crease_l0(0.1),
                                crease_elastic_net(0.2, 0.3) };
    const crease_set sets[] = {
        { .ops = NULL }, crease_box(-1, 1.5), crease_l2_ball(1.2), crease_simplex(1)
    };
    f->space[i] = s;
    f->reg[i] = reg, f->shape[i] = set, f->link[i] = link;
    f->set[i] = sets[set];
    f->block[i] = (crease_block){ .reg = regs[reg], .set = set ? &f->set[i] : NULL };
    f->block[i].start = take(f, d, n);
    if (link == SCALE) f->block[i].map = crease_identity(1);
    if (link != DENSE) return;
    f->matrix[i] = take(f, d, n * (int)crease_size(&f->p.range));
    f->block[i].map = crease_dense(f->matrix[i]);
}

static inline void constrain(fodder *f, draws *d, crease_space range)
{
    f->p.range = range;
    f->p.rhs = take(f, d, (int)crease_size(&range));
}

/* The blocks of each kind: space, r, X, A. */
typedef struct {
    crease_space space;
    int reg, set, link;
} plan;

#define VECTOR(n)                                                                                  \
    {                                                                                              \
        1, { n }, NULL                                                                             \
    }
#define MATRIX(m, n)                                                                               \
    {                                                                                              \
        2, { m, n }, NULL                                                                          \
    }

static inline void make_blocks(fodder *f, draws *d, int kind)
{
    static const plan plans[KINDS][BLOCKS] = {
        { { VECTOR(4), L1, NO_SET, NO_MAP } },
        { { VECTOR(4), MCP, NO_SET, NO_MAP } },
        { { VECTOR(4), ENET, NO_SET, NO_MAP } },
        { { VECTOR(4), NO_REG, BOX, NO_MAP } },
        { { VECTOR(4), NO_REG, SIMPLEX, NO_MAP } },
        { { VECTOR(3), L1, BALL, NO_MAP }, { VECTOR(4), NO_REG, BALL, NO_MAP } },
        { { VECTOR(4), NO_REG, BOX, NO_MAP }, { VECTOR(4), L1, BOX, NO_MAP } },
        { { VECTOR(4), L1, NO_SET, DENSE }, { VECTOR(3), NO_REG, NO_SET, SCALE } },
        { { VECTOR(4), MCP, BOX, DENSE }, { VECTOR(4), NO_REG, NO_SET, DENSE } },
        { { VECTOR(4), L1, NO_SET, DENSE }, { VECTOR(3), MCP, NO_SET, DENSE } },
        { { MATRIX(2, 1), NO_REG, NO_SET, NO_MAP },
          { MATRIX(3, 1), NO_REG, BALL, NO_MAP },
          { MATRIX(2, 3), L1, NO_SET, SCALE },
          { MATRIX(2, 3), NO_REG, NO_SET, SCALE } },
        { { VECTOR(3), MCP, NO_SET, NO_MAP } },
        { { VECTOR(4), L0, BOX, NO_MAP } },
    };
    if (kind >= 7 && kind <= 9) constrain(f, d, crease_vector(3));
    if (kind == 10) constrain(f, d, crease_matrix(2, 3));
    for (const plan *b = plans[kind]; b < plans[kind] + BLOCKS && b->space.order; b++)
        add(f, d, b->space, b->reg, b->set, b->link);
}

static inline void make_fodder(fodder *f, int kind, uint64_t seed)
{
    static const term terms[KINDS][TERMS] = {
        { { .type = FIT } },
        { { .type = FIT } },
        { { .type = LOGIT } },
        { { .type = QUADRATIC } },
        { { .type = QUADRATIC } },
        { { .type = BILINEAR, .b = 1, .weight = -1 } },
        { { .type = DISTANCE, .b = 1, .weight = -1 } },
        { { .type = DISTANCE, .a = 1, .b = -1, .weight = 1 } },
        { { .type = FIT }, { .type = DISTANCE, .a = 1, .b = -1, .weight = 2 } },
        { { .type = DISTANCE, .b = -1, .weight = 1 },
          { .type = DISTANCE, .a = 1, .b = -1, .weight = 0.5 } },
        { { .type = FACTORS } },
        { { .type = OWN } },
        { { .type = DISTANCE, .b = -1, .weight = 1 } },
    };
    draws d = { { seed, (uint64_t)kind }, 0 };
    *f = (fodder){ .lie = 1, .o = options_to(1e-6) };
    make_blocks(f, &d, kind);
    f->terms = kind == 8 || kind == 9 ? 2 : 1;
    for (int k = 0; k < f->terms; k++) {
        f->term[k] = terms[kind][k];
        f->smooth[k] = make_term(f, &d, k);
    }
    f->list = (crease_smooth_list){ f->terms, f->smooth };
    f->p.f = f->terms == 1 ? f->smooth[0] : crease_smooth_sum(&f->list);
    f->p.space = f->space;
    f->p.block = f->block;
    f->o.max_seconds = 0.2;
    f->o.max_iterations = 2000;
}

#endif
