/* SPDX-License-Identifier: MIT
 * cp_naive.h: iterations for robust CP with every array explicit and every sum a plain loop */
#ifndef CREASE_TEST_CP_NAIVE_H
#define CREASE_TEST_CP_NAIVE_H

#include <stdlib.h>

#include "rpca/fused/fused.h"
#include "support/test.h"

typedef struct {
    crs_cp_settings c;
    ptrdiff_t size;
    double *T, *Z, *E, *B, *lambda, *x[CREASE_MAX_ORDER];
    unsigned char *mask;
    double before; /* moves of the step before */
    crs_cp_statistics s;
} naive;

static double *some(ptrdiff_t n) { return calloc((size_t)n, sizeof(double)); }

static inline double entry_product(const naive *a, const ptrdiff_t *index, ptrdiff_t r, int skip)
{
    double product = 1;
    for (int n = 0; n < a->c.shape.order; n++)
        if (n != skip) product *= a->x[n][index[n] * a->c.rank + r];
    return product;
}

static inline void index_of(const naive *a, ptrdiff_t j, ptrdiff_t *index)
{
    for (int n = a->c.shape.order - 1; n >= 0; j /= a->c.shape.dim[n--])
        index[n] = j % a->c.shape.dim[n];
}

static inline double low_rank(const naive *a, ptrdiff_t j)
{
    ptrdiff_t index[CREASE_MAX_ORDER];
    double sum = 0;
    index_of(a, j, index);
    for (ptrdiff_t r = 0; r < a->c.rank; r++) sum += entry_product(a, index, r, -1);
    return sum;
}

/* x A = b for symmetric positive definite A (n x n), by elimination with pivots */
static inline void eliminate(ptrdiff_t n, double *A, double *b)
{
    for (ptrdiff_t k = 0; k < n; k++) {
        ptrdiff_t p = k;
        for (ptrdiff_t i = k; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        for (ptrdiff_t j = 0; p != k && j < n; j++) {
            const double t = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = t;
        }
        const double t = b[k];
        b[k] = b[p];
        b[p] = p == k ? b[p] : t;
        for (ptrdiff_t i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            for (ptrdiff_t j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (ptrdiff_t k = n - 1; k >= 0; k--) {
        for (ptrdiff_t j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
}

static inline double gram_entry(const naive *a, int skip, ptrdiff_t r, ptrdiff_t q)
{
    double product = 1;
    for (int n = 0; n < a->c.shape.order; n++) {
        double sum = 0;
        for (ptrdiff_t i = 0; i < a->c.shape.dim[n]; i++)
            sum += a->x[n][i * a->c.rank + r] * a->x[n][i * a->c.rank + q];
        if (n != skip) product *= sum;
    }
    return product;
}

/* X_n = (Z_(n) M_n + (h/2) X_n)(G_n + ((h + nu)/2) I)^{-1} */
static inline double naive_factor(naive *a, int n)
{
    const ptrdiff_t R = a->c.rank, dim = a->c.shape.dim[n];
    double *m = some(dim * R), *G = some(R * R), *A = some(R * R), moved = 0;
    for (ptrdiff_t j = 0; j < a->size; j++) {
        ptrdiff_t index[CREASE_MAX_ORDER];
        index_of(a, j, index);
        for (ptrdiff_t r = 0; r < R; r++)
            m[index[n] * R + r] += a->Z[j] * entry_product(a, index, r, n);
    }
    for (ptrdiff_t r = 0; r < R; r++)
        for (ptrdiff_t q = 0; q < R; q++)
            G[r * R + q] = gram_entry(a, n, r, q) + (r == q ? (a->c.h_factor + a->c.nu) / 2 : 0);
    for (ptrdiff_t i = 0; i < dim; i++) {
        double *x = a->x[n] + i * R;
        axpy(R, a->c.h_factor / 2, x, m + i * R);
        copy(R * R, G, A);
        eliminate(R, A, m + i * R);
        for (ptrdiff_t r = 0; r < R; r++) moved += square(m[i * R + r] - x[r]);
        copy(R, m + i * R, x);
    }
    free(m), free(G), free(A);
    return moved;
}

/* What entry j contributes to the statistics besides the moves. */
static inline void naive_measure(naive *a, ptrdiff_t j, double g, double s)
{
    const double w = a->mask && !a->mask[j] ? 0 : 1, fit = a->Z[j] - low_rank(a, j);
    const bool bcd = a->c.method == CRS_CP_BCD;
    const double lambda = bcd ? -2 * a->c.alpha_noise * w * s : a->lambda[j];
    const crs_penalty_value rho = a->c.penalty;
    a->s.fit += square(fit);
    a->s.penalty += crs_scalar_value(&rho, a->E[j]);
    a->s.noise += w * square(bcd ? s : a->B[j]);
    a->s.feasibility += bcd ? 0 : square(s);
    a->s.residual_e += square(lambda - g);
    a->s.residual_z += square(2 * fit - lambda);
    a->s.residual_b += bcd ? 0 : square(2 * a->c.alpha_noise * w * a->B[j] - lambda);
    a->s.nonzeros += a->E[j] != 0;
}

/* math of the last block: the new B from the residual r = Z + E - T */
static inline double naive_last(const naive *a, double b, double lambda, double r, double w)
{
    const double beta = a->c.beta, D = 2 * a->c.alpha_noise * w, ell = a->c.ell;
    const double gamma = a->c.gamma > 0 ? a->c.gamma : 1 / beta;
    if (a->c.method == CRS_CP_ADMM_G) return b - gamma * (D * b - lambda + beta * (r + b));
    if (ell == 0) return (lambda - beta * r) / (D + beta);
    return ((ell - D) * b + lambda - beta * r) / (ell + beta);
}

static inline void naive_entry(naive *a, ptrdiff_t j)
{
    const double w = a->mask && !a->mask[j] ? 0 : 1, t = w > 0 ? a->T[j] : 0;
    const bool bcd = a->c.method == CRS_CP_BCD;
    const double pull = bcd ? 2 * a->c.alpha_noise * w : a->c.beta, hE = a->c.h_sparse;
    const double b = bcd ? 0 : a->B[j], lambda = bcd ? 0 : a->lambda[j], z = a->Z[j], e = a->E[j];
    const crs_penalty_value rho = a->c.penalty;
    const double v = (pull * (t - z - b) + lambda + hE * e) / (pull + hE);
    a->E[j] = pull + hE > 0 ? crs_scalar_prox(&rho, 1 / (pull + hE), v) : 0;
    const double g = pull + hE > 0 ? (pull + hE) * (v - a->E[j]) : 0;
    a->Z[j] = (2 * low_rank(a, j) + a->c.h_z * z + lambda - pull * (a->E[j] + b - t)) /
              (2 + pull + a->c.h_z);
    const double r = a->Z[j] + a->E[j] - t;
    if (!bcd) {
        a->B[j] = naive_last(a, b, lambda, r, w);
        a->lambda[j] = lambda - a->c.beta * (r + a->B[j]);
        a->s.move_b += square(a->B[j] - b);
    }
    a->s.move_e += square(a->E[j] - e);
    a->s.move_z += square(a->Z[j] - z);
    naive_measure(a, j, g, bcd ? r : r + a->B[j]);
}

static inline void naive_step(naive *a)
{
    const long k = a->s.iteration;
    a->s = (crs_cp_statistics){ .iteration = k + 1 };
    for (int n = 0; n < a->c.shape.order; n++) a->s.move_factor[n] = naive_factor(a, n);
    for (ptrdiff_t j = 0; j < a->size; j++) naive_entry(a, j);
    a->s.moves = a->s.move_e + a->s.move_z + a->s.move_b;
    a->s.objective = a->s.fit + a->s.penalty + a->c.alpha_noise * a->s.noise;
    for (int n = 0; n < a->c.shape.order; n++) {
        a->s.moves += a->s.move_factor[n];
        for (ptrdiff_t i = 0; i < a->c.shape.dim[n] * a->c.rank; i++)
            a->s.objective += a->c.nu / 2 * square(a->x[n][i]);
    }
    a->s.theta = a->s.moves + (a->c.method == CRS_CP_BCD ? 0 : k == 0 ? INFINITY : a->before);
    a->before = a->s.moves;
    double *norm[] = { &a->s.feasibility, &a->s.residual_e, &a->s.residual_z, &a->s.residual_b };
    for (int i = 0; i < 4; i++) *norm[i] = sqrt(*norm[i]);
}

#endif
