/* SPDX-License-Identifier: MIT
 * fodder.h: small valid problems of every kind, all their numbers in one pool that can be spoilt */
#ifndef CREASE_FODDER_H
#define CREASE_FODDER_H

#include "solving.h"

enum { KINDS = 13, POOL = 400, BLOCKS = 4, TERMS = 2 };
enum { DISTANCE, FIT, LOGIT, QUADRATIC, BILINEAR, FACTORS, OWN };
enum { NO_REG, L1, MCP, L0, ENET };
enum { NO_SET, BOX, BALL, SIMPLEX };
enum { NO_MAP, SCALE, DENSE };

/* One term of f, as its own formula sees it. */
typedef struct {
    int type, a, b;
    const double *matrix, *vector; /* in the pool */
    double weight;
} term;

typedef struct {
    double pool[POOL];
    int used, terms;
    term term[TERMS];
    int reg[BLOCKS], shape[BLOCKS], link[BLOCKS]; /* kinds of r_i, X_i, A_i */
    const double *matrix[BLOCKS];                 /* of A_i */
    double lie;                                   /* the factor of the user's gradient */

    crease_space space[BLOCKS];
    crease_set set[BLOCKS];
    crease_block block[BLOCKS];
    crease_smooth smooth[TERMS];
    crease_smooth_list list;
    crease_distance_data distance[TERMS];
    crease_map map[TERMS];
    crease_predictor fit[TERMS];
    crease_quadratic_data quadratic;
    crease_multilinear_data bilinear;
    crease_factorization_data factors;
    crease_callback_smooth own;
    const double *matrices[1], *linears[1];
    int pair[2], zero;
    crease_problem p;
    crease_options o;
} fodder;

static inline double *take(fodder *f, draws *d, int n)
{
    double *x = f->pool + f->used;
    f->used += n;
    normals(d, n, x);
    return x;
}

static inline double own_value(void *user, const double *const *x)
{
    const fodder *f = user;
    double sum = 0;
    for (ptrdiff_t j = 0; j < crease_size(&f->space[0]); j++)
        sum += 1.5 * square(x[0][j]) - f->term[0].vector[j] * x[0][j];
    return sum;
}

static inline void own_grad(void *user, const double *const *x, int i, double *g)
{
    const fodder *f = user;
    for (ptrdiff_t j = 0; i == 0 && j < crease_size(&f->space[0]); j++)
        g[j] += f->lie * (3 * x[0][j] - f->term[0].vector[j]);
}

static inline crease_smooth make_term(fodder *f, draws *d, int k)
{
    term *t = &f->term[k];
    const int n = (int)crease_size(&f->space[t->a]), rows = 6;
    switch (t->type) {
    case DISTANCE:
        t->vector = take(f, d, n);
        f->distance[k] = (crease_distance_data){ t->a, t->b, t->weight, t->vector };
        return crease_squared_distance(&f->distance[k]);
    case FIT:
    case LOGIT:
        t->matrix = take(f, d, rows * n);
        double *y = take(f, d, rows);
        for (int i = 0; t->type == LOGIT && i < rows; i++) y[i] = y[i] > 0 ? 1 : -1;
        t->vector = y;
        f->map[k] = crease_dense(t->matrix);
        f->fit[k] = (crease_predictor){ 1, &t->a, &f->map[k], crease_vector(rows), y };
        return t->type == FIT ? crease_least_squares(&f->fit[k]) : crease_logistic(&f->fit[k]);
    case QUADRATIC: {
        double *Q = take(f, d, n * n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) Q[i * n + j] = Q[j * n + i];
        f->matrices[0] = t->matrix = Q;
        f->linears[0] = t->vector = take(f, d, n);
        f->quadratic = (crease_quadratic_data){ 1, &f->zero, &f->zero, f->matrices, f->linears, 1 };
        return crease_quadratic(&f->quadratic);
    }
    case BILINEAR:
        t->matrix = take(f, d, n * (int)crease_size(&f->space[t->b]));
        f->pair[0] = t->a, f->pair[1] = t->b;
        f->bilinear = (crease_multilinear_data){ crease_matrix(n, crease_size(&f->space[t->b])),
                                                 t->matrix, f->pair, t->weight };
        return crease_multilinear(&f->bilinear);
    case FACTORS:
        f->factors = (crease_factorization_data){ 0, 1, 3, NULL };
        return crease_matrix_factorization(&f->factors);
    default:
        t->vector = take(f, d, n);
        f->own = (crease_callback_smooth){ own_value, own_grad, f, { .L = 3, .M = 3 }, NULL };
        f->own.constants.lower = -100;
        return crease_smooth_callback(&f->own);
    }
}

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

static inline void make_blocks(fodder *f, draws *d, int kind)
{
    const crease_space three = crease_vector(3), four = crease_vector(4), m = crease_matrix(2, 3);
    if (kind >= 7 && kind <= 9) constrain(f, d, three);
    if (kind == 10) constrain(f, d, m);
    switch (kind) {
    case 0:
    case 1:
    case 2:
        add(f, d, four, (int[]){ L1, MCP, ENET }[kind], NO_SET, NO_MAP);
        break;
    case 3:
    case 4:
        add(f, d, four, NO_REG, kind == 3 ? BOX : SIMPLEX, NO_MAP);
        break;
    case 5:
        add(f, d, three, L1, BALL, NO_MAP), add(f, d, four, NO_REG, BALL, NO_MAP);
        break;
    case 6:
        add(f, d, four, NO_REG, BOX, NO_MAP), add(f, d, four, L1, BOX, NO_MAP);
        break;
    case 7:
        add(f, d, four, L1, NO_SET, DENSE), add(f, d, three, NO_REG, NO_SET, SCALE);
        break;
    case 8:
        add(f, d, four, MCP, BOX, DENSE), add(f, d, four, NO_REG, NO_SET, DENSE);
        break;
    case 9:
        add(f, d, four, L1, NO_SET, DENSE), add(f, d, three, MCP, NO_SET, DENSE);
        break;
    case 10:
        add(f, d, crease_matrix(2, 1), NO_REG, NO_SET, NO_MAP);
        add(f, d, crease_matrix(3, 1), NO_REG, BALL, NO_MAP);
        add(f, d, m, L1, NO_SET, SCALE), add(f, d, m, NO_REG, NO_SET, SCALE);
        break;
    case 11:
        add(f, d, three, MCP, NO_SET, NO_MAP);
        break;
    default:
        add(f, d, four, L0, BOX, NO_MAP);
    }
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
