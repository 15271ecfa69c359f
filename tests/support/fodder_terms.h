/* SPDX-License-Identifier: MIT
 * fodder_terms.h: the terms of f of the problems in fodder.h, all numbers in one pool */
#ifndef CREASE_FODDER_TERMS_H
#define CREASE_FODDER_TERMS_H

#include "support/solving.h"

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
    gaussians(d, n, x);
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
        f->fit[k] = (crease_predictor){ 1, &t->a, &f->map[k], crease_vector(rows), y, NULL };
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
                                                 t->matrix, f->pair, t->weight, NULL };
        return crease_multilinear(&f->bilinear);
    case FACTORS:
        f->factors = (crease_factorization_data){ 0, 1, 3, NULL };
        return crease_matrix_factorization(&f->factors);
    default:
        t->vector = take(f, d, n);
        f->own = (crease_callback_smooth){
            .value = own_value, .grad = own_grad, .user = f, .constants = { .L = 3, .M = 3 }
        };
        f->own.constants.lower = -100;
        return crease_smooth_callback(&f->own);
    }
}

#endif
