/* SPDX-License-Identifier: MIT
 * extreme: one end of a spectrum: the pair that attains it, and proofs that nothing is beyond
 *
 * The largest singular triplet is the lowest eigenpair of -A'A or -AA', whichever is smaller: for
 * it squaring costs no accuracy, |A'A v - s^2 v| <= t s^2 says |A'u - s v| <= t s, u = A v/s. Up
 * to order DIRECT the whole spectrum is computed, above it the Lanczos method is used, and the
 * whole spectrum again up to order AFFORDABLE when Lanczos does not converge.
 * Wu, Simon, Thick-restart Lanczos method for large symmetric eigenvalue problems, 2000; Rump,
 * Verification of positive definiteness, BIT 46, 2006. */
#include <crease/random.h>

#include "dense/dense.h"

/* What a symmetric operator of order n needs: the matrix a (rows x columns), a power of two that
 * brings its entries near 1, and room for rows + columns numbers. */
typedef struct symmetric symmetric;
struct symmetric {
    void (*apply)(const symmetric *self, const double *x, double *y); /* y = Op x */
    ptrdiff_t n, rows, columns;
    const double *a;
    double scale, *room;
};

enum { STEPS = 400 };
static const ptrdiff_t BASIS = 48, KEPT = 16, CHECK = 8;
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

static ptrdiff_t lanczos_scratch(ptrdiff_t n)
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
static double expand(const symmetric *op, const krylov *k, ptrdiff_t j)
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

/* The lowest eigenvector of an operator of order above BASIS. Q'Op Q = H on an orthonormal basis Q
 * that grows by the residual of its last vector. A full basis restarts from its lowest Ritz
 * vectors. Every vector is orthogonalized twice against the whole basis, so H holds the true
 * projection and needs no special form after a restart. True: the estimated residual is at most
 * 1e-12 of the norm; false: q is the best vector the budget of steps found. */
static bool lanczos(const symmetric *op, double *q, double *work)
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

enum { BLOCK = 256 }; /* rows or columns of A in a piece of its Gram matrix */

static ptrdiff_t short_gram_scratch(ptrdiff_t m, ptrdiff_t n)
{
    return BLOCK * crs_short_side(m, n);
}

/* A power of two that brings peak > 0 near 1. */
static double unit_scale(double peak)
{
    int e; /* kept where neither unit vectors nor squares of entries underflow */
    frexp(peak, &e);
    return ldexp(1, e < -900 ? 900 : e > 900 ? -900 : -e);
}

/* g (k x k, k = min(m,n)) becomes the smaller of B'B and BB' for B = scale A. */
static void short_gram(ptrdiff_t m, ptrdiff_t n, const double *a, double scale, double *g,
                       double *work)
{
    const bool tall = m >= n;
    const ptrdiff_t k = crs_short_side(m, n), length = tall ? m : n;
    for (ptrdiff_t first = 0; first < length; first += BLOCK) {
        const ptrdiff_t count = crs_short_side(BLOCK, length - first);
        const ptrdiff_t rows = tall ? count : m, columns = tall ? n : count;
        const double *from = a + (tall ? first * n : first);
        for (ptrdiff_t i = 0; i < rows; i++)
            for (ptrdiff_t j = 0; j < columns; j++) work[i * columns + j] = scale * from[i * n + j];
        crs_gemm(tall, !tall, k, k, count, 1, work, work, first > 0, g);
    }
}

/* DIRECT: where both ways take the same time on a Gaussian matrix, whose spectrum ends without a
 * gap (measured with OpenBLAS); with a gap Lanczos wins from order 64 on. */
enum { DIRECT = 96, AFFORDABLE = 2000 };

static double peak(ptrdiff_t n, const double *a)
{
    double most = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = larger(most, fabs(a[j]));
    return most;
}

static void first_unit(ptrdiff_t n, double *x)
{
    fill(n, 0, x);
    x[0] = 1;
}

/* y = alpha op(A) x in the operator's scale; x scaled first, so that nothing overflows. */
static void multiply(const symmetric *op, bool at, double alpha, const double *x, double *y)
{
    const ptrdiff_t n = at ? op->rows : op->columns;
    for (ptrdiff_t j = 0; j < n; j++) op->room[j] = op->scale * x[j];
    crs_gemv(at, op->rows, op->columns, alpha, op->a, op->room, 0, y);
}

static void apply_matrix(const symmetric *op, const double *x, double *y)
{
    multiply(op, false, 1, x, y);
}

static void apply_gram(const symmetric *op, const double *x, double *y)
{
    const bool wide = op->rows < op->columns;
    double *middle = op->room + (wide ? op->columns : op->rows);
    multiply(op, wide, 1, x, middle);
    multiply(op, !wide, -1, middle, y);
}

static bool iterative(const symmetric *op, double *q, double *work)
{
    return op->n > DIRECT && lanczos(op, q, work);
}

/* Room for the operator, then for either way. */
static ptrdiff_t room(ptrdiff_t m, ptrdiff_t n) { return 2 * (m > n ? m : n); }

static ptrdiff_t direct_scratch(ptrdiff_t n)
{
    return n > AFFORDABLE ? 0 : n * n + n + crs_eigh_scratch(n);
}

static ptrdiff_t scratch(ptrdiff_t n, ptrdiff_t direct)
{
    const ptrdiff_t lanczos = n > DIRECT ? lanczos_scratch(n) : 0;
    return lanczos > direct ? lanczos : direct;
}

/* The k-th eigenvector of a symmetric matrix. */
static bool direct(ptrdiff_t n, const double *a, ptrdiff_t k, double *q, double *work)
{
    double *w = work, *all = w + n;
    if (!crs_eigh(n, a, w, all, all + n * n)) return false;
    copy(n, all + k * n, q);
    return true;
}

static bool direct_gram(const symmetric *op, double *q, double *work)
{
    double *g = work, *rest = g + op->n * op->n;
    short_gram(op->rows, op->columns, op->a, op->scale, g, rest);
    return direct(op->n, g, op->n - 1, q, rest);
}

/* |op(A) x - lambda y| in the operator's scale. */
static double deviation(const symmetric *op, bool at, const double *x, double lambda,
                        const double *y)
{
    const ptrdiff_t n = at ? op->columns : op->rows;
    double *r = op->room + room(op->rows, op->columns) / 2;
    multiply(op, at, 1, x, r);
    axpy(n, -lambda, y, r);
    return crs_norm(n, r);
}

/* What rounding may hide from a residual: errors of sums of m + n terms grow like the root. */
static double blur(ptrdiff_t m, ptrdiff_t n, const double *a)
{
    return sqrt((double)(m + n)) * 0x1p-53 * crs_norm(m * n, a);
}

ptrdiff_t crs_top_singular_scratch(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t k = crs_short_side(m, n), gram = short_gram_scratch(m, n);
    const ptrdiff_t whole = direct_scratch(k), rest = whole > gram ? whole : gram;
    return room(m, n) + scratch(k, k > AFFORDABLE ? 0 : k * k + rest);
}

static bool top_singular(const symmetric *op, double *u, double *v, double *sigma, double *residual)
{
    const bool wide = op->rows < op->columns;
    const ptrdiff_t length = wide ? op->columns : op->rows;
    double *near = wide ? u : v, *far = wide ? v : u, *rest = op->room + 2 * length;
    if (!iterative(op, near, rest) && op->n <= AFFORDABLE && !direct_gram(op, near, rest))
        return false;
    multiply(op, wide, 1, near, far);
    const double s = crs_norm(length, far);
    for (ptrdiff_t j = 0; j < length; j++) far[j] /= s;
    const double r = larger(deviation(op, wide, near, s, far), deviation(op, !wide, far, s, near));
    *sigma = s / op->scale;
    *residual = r / op->scale + blur(op->rows, op->columns, op->a);
    return isfinite(r);
}

bool crs_top_singular(ptrdiff_t m, ptrdiff_t n, const double *a, double *u, double *v,
                      double *sigma, double *residual, double *work)
{
    const double most = peak(m * n, a);
    const symmetric op = { .apply = apply_gram,
                           .n = crs_short_side(m, n),
                           .rows = m,
                           .columns = n,
                           .a = a,
                           .scale = unit_scale(most),
                           .room = work };
    if (most == 0) {
        first_unit(m, u), first_unit(n, v);
        *sigma = *residual = 0;
        return true;
    }
    if (isfinite(most) && top_singular(&op, u, v, sigma, residual)) return true;
    fill(m, NAN, u), fill(n, NAN, v);
    *sigma = *residual = NAN;
    return false;
}

ptrdiff_t crs_bottom_eigen_scratch(ptrdiff_t n)
{
    return room(n, n) + scratch(n, direct_scratch(n));
}

static bool bottom_eigen(const symmetric *op, double *q, double *lambda, double *residual)
{
    double *image = op->room + op->n, *rest = image + op->n;
    if (!iterative(op, q, rest) && op->n <= AFFORDABLE && !direct(op->n, op->a, 0, q, rest))
        return false;
    op->apply(op, q, image);
    const double theta = crs_dot(op->n, q, image), r = deviation(op, false, q, theta, q);
    *lambda = theta / op->scale;
    *residual = r / op->scale + blur(op->n, op->n, op->a);
    return isfinite(r);
}

bool crs_bottom_eigen(ptrdiff_t n, const double *a, double *q, double *lambda, double *residual,
                      double *work)
{
    const double most = peak(n * n, a);
    const symmetric op = { .apply = apply_matrix,
                           .n = n,
                           .rows = n,
                           .columns = n,
                           .a = a,
                           .scale = unit_scale(most),
                           .room = work };
    if (most == 0) {
        first_unit(n, q);
        *lambda = *residual = 0;
        return true;
    }
    if (isfinite(most) && bottom_eigen(&op, q, lambda, residual)) return true;
    fill(n, NAN, q);
    *lambda = *residual = NAN;
    return false;
}

static const double unit = 0x1p-53;

static double trace(ptrdiff_t n, const double *h)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < n; i++) sum += h[i * n + i];
    return sum;
}

/* Is every matrix within `error` of H, in norm, positive semidefinite? It is if Cholesky runs to
 * its end on H - cI in floating point, c >= gamma_{n+1} trace(H) (Rump). */
static bool semidefinite(ptrdiff_t n, double *h, double error)
{
    const double margin = error + (double)(n + 8) * unit * trace(n, h);
    for (ptrdiff_t i = 0; i < n; i++) h[i * n + i] -= margin;
    return crs_cholesky(n, h);
}

static bool reaches(ptrdiff_t n, const double *a, double bound) /* NaN does not */
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(a[j]) <= bound)) return false;
    return true;
}

ptrdiff_t crs_certify_scratch(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t k = crs_short_side(m, n);
    return k * k + short_gram_scratch(m, n);
}

bool crs_certify_norm(ptrdiff_t m, ptrdiff_t n, const double *w, double bound, double *work)
{
    const ptrdiff_t k = crs_short_side(m, n), length = m + n - k;
    if (!(bound >= 0 && bound < INFINITY) || !reaches(m * n, w, bound)) return false;
    if (bound == 0) return true;

    double *h = work;
    const double scale = unit_scale(bound), b = bound * scale;
    short_gram(m, n, w, scale, h, work + k * k);
    /* Sums of `length` products, and |B|_F^2 = trace: the error of the Gram matrix in norm. */
    const double error = (double)(length + 8) * unit * trace(k, h) + 4 * unit * b * b;
    for (ptrdiff_t j = 0; j < k * k; j++) h[j] = -h[j];
    for (ptrdiff_t i = 0; i < k; i++) h[i * k + i] += b * b;
    return semidefinite(k, h, error);
}

bool crs_certify_eigen(ptrdiff_t n, const double *a, double bound, double *work)
{
    double most = fabs(bound);
    for (ptrdiff_t j = 0; j < n * n; j++) most = larger(most, fabs(a[j]));
    if (!isfinite(most)) return false;
    const double scale = unit_scale(most);
    for (ptrdiff_t j = 0; j < n * n; j++) work[j] = -a[j] * scale;
    for (ptrdiff_t i = 0; i < n; i++) work[i * n + i] += bound * scale;
    return most == 0 || semidefinite(n, work, 0);
}

ptrdiff_t crs_gram_proof_scratch(ptrdiff_t n) { return n * n + n + crs_bottom_eigen_scratch(n); }

/* A Gram matrix errs by gamma_length |A|_F^2 in norm, b^2 - G by a rounding of its diagonal. */
bool crs_certify_gram(ptrdiff_t length, ptrdiff_t n, const double *g, double bound, double *work)
{
    const double b = bound * bound;
    const double error = (double)(length + 8) * unit * trace(n, g) + 4 * unit * b;
    if (!(bound >= 0 && bound < INFINITY)) return false;
    for (ptrdiff_t j = 0; j < n * n; j++) work[j] = -g[j];
    for (ptrdiff_t i = 0; i < n; i++) work[i * n + i] += b;
    return semidefinite(n, work, error);
}

/* As below, of -G. */
double crs_proved_gram(ptrdiff_t length, ptrdiff_t n, const double *g, double *work)
{
    double *h = work, *q = h + n * n, least, residual;
    const double last = sqrt(trace(n, g) * (1 + (double)(length + 8) * unit)) * (1 + 4 * unit);
    double loss = ((double)(length + 8) * unit * trace(n, g) + (double)((n + 24) * n) * unit);
    if (trace(n, g) == 0) return 0;
    for (ptrdiff_t j = 0; j < n * n; j++) h[j] = -g[j];
    if (!crs_bottom_eigen(n, h, q, &least, &residual, q + n)) return NAN;
    for (;; loss *= 16) {
        const double bound =
            sqrt(-least + residual + 2 * loss * larger(1, -least)) * (1 + 4 * unit);
        if (!(bound < last)) return last;
        if (crs_certify_gram(length, n, g, bound, h)) return bound;
    }
}

static double frobenius(ptrdiff_t n, const double *a)
{
    return crs_norm(n, a) * (1 + (double)(n + 128) * 0x1p-54); /* above its own rounding */
}

/* The first guess is what the extreme pair found plus what the proof loses to rounding. A guess
 * that fails (the method met another pair) grows until it passes; |A|_F needs no proof. */
ptrdiff_t crs_proved_scratch(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t top = m + n + crs_top_singular_scratch(m, n);
    const ptrdiff_t eigen = m == n ? n * n + n + crs_bottom_eigen_scratch(n) : 0;
    const ptrdiff_t find = top > eigen ? top : eigen, proof = crs_certify_scratch(m, n);
    return find > proof ? find : proof;
}

double crs_proved_norm(ptrdiff_t m, ptrdiff_t n, const double *a, double *work)
{
    const ptrdiff_t k = crs_short_side(m, n);
    const double last = frobenius(m * n, a);
    double sigma, residual, loss = (double)((m + n + 24) * k) * 0x1p-53;
    if (!crs_top_singular(m, n, a, work, work + m, &sigma, &residual, work + m + n)) return NAN;
    for (;; loss *= 16) {
        const double bound = (sigma + residual) * (1 + loss);
        if (!(bound < last)) return last;
        if (crs_certify_norm(m, n, a, bound, work)) return bound;
    }
}

double crs_proved_eigen(ptrdiff_t n, const double *a, double *work)
{
    const double last = frobenius(n * n, a);
    double lambda, residual, *negative = work, *q = work + n * n;
    for (ptrdiff_t j = 0; j < n * n; j++) negative[j] = -a[j];
    if (!crs_bottom_eigen(n, negative, q, &lambda, &residual, q + n)) return NAN;
    const double guess = residual - lambda;
    double trace = 0; /* of guess I - A: the proof loses a multiple of it */
    for (ptrdiff_t i = 0; i < n; i++) trace += guess - a[i * n + i];
    for (double loss = ((double)(4 * n + 32) * pos(trace) + 8 * last) * 0x1p-53;; loss *= 16) {
        const double bound = guess + loss;
        if (!(bound < last)) return last;
        if (crs_certify_eigen(n, a, bound, work)) return bound;
    }
}
