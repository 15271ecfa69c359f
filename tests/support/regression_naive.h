/* SPDX-License-Identifier: MIT
 * regression_naive.h: penalized least squares by cyclic coordinate descent in plain loops, with its
 * own standardization and its own thresholds; shares nothing with the library */
#ifndef CREASE_REGRESSION_NAIVE_H
#define CREASE_REGRESSION_NAIVE_H

#include "support/test.h"

enum { NAIVE_ROWS = 120, NAIVE_COLS = 120 };

typedef struct {
    int n, p;
    double z[NAIVE_ROWS][NAIVE_COLS], r[NAIVE_ROWS], b[NAIVE_COLS]; /* r = y - z b */
} naive;

typedef enum { LASSO, ELASTIC_NET, MCP, SCAD } naive_penalty;

/* Columns of mean 0 and mean square 1, y of mean 0. */
static inline void naive_start(naive *a, int n, int p, const double *X, const double *y)
{
    double mean = 0;
    a->n = n, a->p = p;
    for (int i = 0; i < n; i++) mean += y[i] / n;
    for (int i = 0; i < n; i++) a->r[i] = y[i] - mean;
    for (int j = 0; j < p; j++) {
        double m = 0, v = 0;
        for (int i = 0; i < n; i++) m += X[i * p + j] / n;
        for (int i = 0; i < n; i++) v += (X[i * p + j] - m) * (X[i * p + j] - m) / n;
        for (int i = 0; i < n; i++) a->z[i][j] = (X[i * p + j] - m) / sqrt(v);
        a->b[j] = 0;
    }
}

static inline double naive_soft(double t, double by)
{
    return t > by ? t - by : t < -by ? t + by : 0;
}

/* The minimizer of (b - t)^2/2 + penalty, for columns of mean square 1; gamma = 3, a = 3.7, half.
 */
static inline double naive_step(naive_penalty k, double lambda, double t)
{
    const double size = fabs(t), gamma = 3, a = 3.7;
    switch (k) {
    case LASSO:
        return naive_soft(t, lambda);
    case ELASTIC_NET:
        return naive_soft(t, lambda / 2) / (1 + lambda / 2);
    case MCP:
        return size > gamma * lambda ? t : naive_soft(t, lambda) / (1 - 1 / gamma);
    default:
        break;
    }
    if (size <= 2 * lambda) return naive_soft(t, lambda);
    return size > a * lambda ? t : naive_soft(t, a * lambda / (a - 1)) / (1 - 1 / (a - 1));
}

static inline double naive_value(naive_penalty k, double lambda, double y)
{
    const double gamma = 3, a = 3.7;
    switch (k) {
    case LASSO:
        return lambda * y;
    case ELASTIC_NET:
        return lambda / 2 * y + lambda / 4 * y * y;
    case MCP:
        return y <= gamma * lambda ? lambda * y - y * y / (2 * gamma) : gamma * lambda * lambda / 2;
    default:
        break;
    }
    if (y <= lambda) return lambda * y;
    if (y <= a * lambda) return (2 * a * lambda * y - y * y - lambda * lambda) / (2 * (a - 1));
    return lambda * lambda * (a + 1) / 2;
}

static inline double naive_objective(const naive *a, naive_penalty k, double lambda)
{
    double sum = 0;
    for (int i = 0; i < a->n; i++) sum += a->r[i] * a->r[i] / (2 * a->n);
    for (int j = 0; j < a->p; j++) sum += naive_value(k, lambda, fabs(a->b[j]));
    return sum;
}

/* From wherever it is, until no coefficient moves by more than 1e-13. */
static inline void naive_solve(naive *a, naive_penalty k, double lambda)
{
    double most = 1;
    for (int sweep = 0; sweep < 200000 && most > 1e-13; sweep++) {
        most = 0;
        for (int j = 0; j < a->p; j++) {
            double t = a->b[j];
            for (int i = 0; i < a->n; i++) t += a->z[i][j] * a->r[i] / a->n;
            const double change = naive_step(k, lambda, t) - a->b[j];
            a->b[j] += change;
            for (int i = 0; i < a->n; i++) a->r[i] -= change * a->z[i][j];
            most = fabs(change) > most ? fabs(change) : most;
        }
    }
}

/* X ~ N(0, scales), a few true coefficients, noise. */
static inline void draw_regression(int n, int p, int seed, double *X, double *y)
{
    const crease_random r = { 7, (uint64_t)seed };
    for (int i = 0; i < n; i++) {
        y[i] = 2 + crease_random_normal(r, (uint64_t)(i + 1000000));
        for (int j = 0; j < p; j++) {
            const double common = crease_random_normal(r, (uint64_t)(2000000 + i));
            X[i * p + j] =
                (1 + j % 5) * (crease_random_normal(r, (uint64_t)(i * p + j)) + 0.4 * common) +
                j % 3;
            if (j % 7 == 1) y[i] += (j % 2 ? 1 : -0.6) * X[i * p + j] / (1 + j % 5);
        }
    }
}

#endif
