/* SPDX-License-Identifier: MIT
 * reduced.h: min sum_i phi(y_i - (A x)_i) + sum_k r_k(x_k) without any splitting, by proximal
 * gradient steps; logistic: sum_i log(1 + exp(-y_i (A x)_i)) */
#ifndef CREASE_REDUCED_H
#define CREASE_REDUCED_H

#include "support/solving.h"

typedef enum { SQUARES, HUBER, LOGISTIC } loss_kind;

enum { MOST_ROWS = 64, MOST_COLS = 16 };

typedef struct {
    int rows, cols, parts;
    const double *A, *y; /* rows x cols */
    loss_kind loss;
    int size[4]; /* of the parts of x */
    crease_reg reg[4];
} reduced;

static const double huber_delta = 2;

static inline double loss_at(const reduced *p, int i, double ax)
{
    const double u = p->y[i] - ax;
    if (p->loss == LOGISTIC) return log1p(exp(-p->y[i] * ax));
    if (p->loss == HUBER && fabs(u) > huber_delta) return huber_delta * (fabs(u) - huber_delta / 2);
    return u * u / 2;
}

/* d/d(ax) */
static inline double slope_at(const reduced *p, int i, double ax)
{
    const double u = p->y[i] - ax;
    if (p->loss == LOGISTIC) return -p->y[i] / (1 + exp(p->y[i] * ax));
    if (p->loss == HUBER && fabs(u) > huber_delta) return u > 0 ? -huber_delta : huber_delta;
    return -u;
}

static inline double reduced_value(const reduced *p, const double *x)
{
    double u[MOST_ROWS], sum = 0;
    residual_of(p->rows, p->cols, p->A, NULL, x, u);
    for (int i = 0; i < p->rows; i++) sum += loss_at(p, i, u[i]);
    for (int k = 0; k < p->parts; x += p->size[k], k++) {
        const crease_space s = crease_vector(p->size[k]);
        double r;
        assert_true(crease_reg_value(&p->reg[k], &s, x, &r, NULL));
        sum += r;
    }
    return sum;
}

static inline void reduced_solve(const reduced *p, double *x)
{
    double u[MOST_ROWS], mass = 0;
    for (int j = 0; j < p->rows * p->cols; j++) mass += p->A[j] * p->A[j];
    const double t = 1 / mass; /* |A|_F^2 is at least the curvature */
    for (int step = 0; step < 20000; step++) {
        residual_of(p->rows, p->cols, p->A, NULL, x, u);
        for (int i = 0; i < p->rows; i++) u[i] = slope_at(p, i, u[i]);
        for (int i = 0; i < p->rows; i++)
            for (int j = 0; j < p->cols; j++) x[j] -= t * p->A[i * p->cols + j] * u[i];
        double *part = x;
        for (int k = 0; k < p->parts; part += p->size[k], k++) {
            const crease_space s = crease_vector(p->size[k]);
            assert_true(crease_prox(&p->reg[k], &s, t, part, part, NULL));
        }
    }
}

static inline crease_smooth named_loss(loss_kind kind)
{
    return kind == SQUARES ? (crease_smooth){ .ops = NULL }
           : kind == HUBER ? crease_huber_loss(NULL, huber_delta)
                           : crease_logistic(NULL);
}

/* y = A truth + noise, or its signs */
static inline void draw_data(draws *d, loss_kind loss, int rows, int cols, double *A, double *y)
{
    double truth[MOST_COLS] = { 0 };
    for (int j = 0; j < cols; j += 3) truth[j] = j % 2 ? -2 : 1.5;
    gaussians(d, rows * cols, A);
    residual_of(rows, cols, A, NULL, truth, y);
    for (int i = 0; i < rows; i++) {
        y[i] += 0.5 * normal(d);
        if (loss == HUBER && i % 7 == 0) y[i] += 20;
        if (loss == LOGISTIC) y[i] = y[i] > 0 ? 1 : -1;
    }
}

#endif
