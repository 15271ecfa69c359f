/* SPDX-License-Identifier: MIT
 * lanczos: the lowest eigenpair of a symmetric operator
 *
 * Q'Op Q = H on an orthonormal basis Q that grows by the residual of its last vector. A full
 * basis restarts from its lowest Ritz vectors. Every vector is orthogonalized twice against the
 * whole basis, so H holds the true projection and needs no special form after a restart.
 * Wu, Simon, Thick-restart Lanczos method for large symmetric eigenvalue problems, 2000. */
#include <crease/random.h>

#include "dense/lanczos.h"

enum { STEPS = 400 };
static const ptrdiff_t BASIS = CRS_LANCZOS_LEAST, KEPT = 16, CHECK = 8;
static const double tolerance = 1e-12;

typedef struct {
    ptrdiff_t n;
    double *basis;      /* BASIS + 1 rows of n */
    double *spare;      /* KEPT rows of n */
    double *h;          /* BASIS x BASIS */
    double *packed, *y; /* the leading part of h, and its eigenvectors as rows */
    double *theta, *c;  /* eigenvalues; coefficients */
    double *rest;
} krylov;

ptrdiff_t crs_lanczos_scratch(ptrdiff_t n)
{
    return (BASIS + 1 + KEPT) * n + 3 * BASIS * BASIS + 2 * BASIS + crs_eigh_scratch(BASIS);
}

static krylov carve(ptrdiff_t n, double *work)
{
    krylov k = { .n = n, .basis = work };
    k.spare = k.basis + (BASIS + 1) * n;
    k.h = k.spare + KEPT * n;
    k.packed = k.h + BASIS * BASIS;
    k.y = k.packed + BASIS * BASIS;
    k.theta = k.y + BASIS * BASIS;
    k.c = k.theta + BASIS;
    k.rest = k.c + BASIS;
    return k;
}

static void normalize(ptrdiff_t n, double *x)
{
    const double norm = crs_norm(n, x);
    for (ptrdiff_t j = 0; j < n; j++) x[j] /= norm;
}

/* Gaussian: in general position to any vector that a problem singles out. */
static void start(ptrdiff_t n, double *q)
{
    const crease_random r = { .seed = 0x6c616e637a6f73u };
    for (ptrdiff_t j = 0; j < n; j++) q[j] = crease_random_normal(r, (uint64_t)j);
    normalize(n, q);
}

/* The row after the j-th becomes Op q_j - Q h, column j of H becomes h; returns its norm. */
static double expand(const crs_operator *op, const krylov *k, ptrdiff_t j)
{
    double *w = k->basis + (j + 1) * k->n;
    op->apply(op, k->basis + j * k->n, w);
    for (ptrdiff_t i = 0; i <= j; i++) k->h[i * BASIS + j] = 0;
    for (int pass = 0; pass < 2; pass++) {
        crs_gemv(false, j + 1, k->n, 1, k->basis, w, 0, k->c);
        crs_gemv(true, j + 1, k->n, -1, k->basis, k->c, 1, w);
        for (ptrdiff_t i = 0; i <= j; i++) k->h[i * BASIS + j] += k->c[i];
    }
    for (ptrdiff_t i = 0; i < j; i++) k->h[j * BASIS + i] = k->h[i * BASIS + j];
    return crs_norm(k->n, w);
}

static bool ritz(const krylov *k, ptrdiff_t size)
{
    for (ptrdiff_t i = 0; i < size; i++) copy(size, k->h + i * BASIS, k->packed + i * size);
    return crs_eigh(size, k->packed, k->theta, k->y, k->rest);
}

static ptrdiff_t restart(const krylov *k)
{
    crs_gemm(false, false, KEPT, k->n, BASIS, 1, k->y, k->basis, 0, k->spare);
    copy(KEPT * k->n, k->spare, k->basis);
    copy(k->n, k->basis + BASIS * k->n, k->basis + KEPT * k->n);
    fill(BASIS * BASIS, 0, k->h);
    for (ptrdiff_t i = 0; i < KEPT; i++) k->h[i * BASIS + i] = k->theta[i];
    return KEPT;
}

bool crs_lanczos(const crs_operator *op, double *q, double *work)
{
    const krylov k = carve(op->n, work);
    double norm = 0; /* of Op, from below */
    ptrdiff_t size = 0;
    bool done = false;
    start(k.n, k.basis);
    for (int step = 1; step <= STEPS && !done; step++) {
        const double beta = expand(op, &k, size), *h = k.h + size * BASIS;
        norm = larger(norm, larger(beta, fabs(h[size])));
        const bool invariant = !(beta > tolerance * norm);
        double *next = k.basis + ++size * k.n;
        for (ptrdiff_t j = 0; j < k.n && !invariant; j++) next[j] /= beta;
        if (!invariant && size % CHECK != 0 && step < STEPS) continue;
        if (!ritz(&k, size)) return fill(k.n, NAN, q), false;
        done = invariant || beta * fabs(k.y[size - 1]) <= tolerance * norm;
        if (!done && size == BASIS && step < STEPS) size = restart(&k);
    }
    crs_gemv(true, size, k.n, 1, k.basis, k.y, 0, q);
    normalize(k.n, q);
    return done;
}
