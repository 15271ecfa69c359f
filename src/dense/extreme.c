/* SPDX-License-Identifier: MIT
 * extreme: the largest singular triplet of a matrix, the lowest eigenpair of a symmetric one
 *
 * The triplet is the lowest eigenpair of -A'A or -AA', whichever is smaller. For the largest
 * singular value squaring costs no accuracy: |A'A v - s^2 v| <= t s^2 says |A'u - s v| <= t s,
 * u = A v/s. Up to order DIRECT the whole spectrum is computed, above it the Lanczos method is
 * used, and the whole spectrum again up to order AFFORDABLE when Lanczos does not converge. */
#include "dense/lanczos.h"

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
static void multiply(const crs_operator *op, bool at, double alpha, const double *x, double *y)
{
    const ptrdiff_t n = at ? op->rows : op->columns;
    for (ptrdiff_t j = 0; j < n; j++) op->room[j] = op->scale * x[j];
    crs_gemv(at, op->rows, op->columns, alpha, op->a, op->room, 0, y);
}

static void apply_matrix(const crs_operator *op, const double *x, double *y)
{
    multiply(op, false, 1, x, y);
}

static void apply_gram(const crs_operator *op, const double *x, double *y)
{
    const bool wide = op->rows < op->columns;
    double *middle = op->room + (wide ? op->columns : op->rows);
    multiply(op, wide, 1, x, middle);
    multiply(op, !wide, -1, middle, y);
}

static bool iterative(const crs_operator *op, double *q, double *work)
{
    return op->n > DIRECT && crs_lanczos(op, q, work);
}

/* Room for the operator, then for either way. */
static ptrdiff_t room(ptrdiff_t m, ptrdiff_t n) { return 2 * (m > n ? m : n); }

static ptrdiff_t direct_scratch(ptrdiff_t n)
{
    return n > AFFORDABLE ? 0 : n * n + n + crs_eigh_scratch(n);
}

static ptrdiff_t scratch(ptrdiff_t n, ptrdiff_t direct)
{
    const ptrdiff_t lanczos = n > DIRECT ? crs_lanczos_scratch(n) : 0;
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

static bool direct_gram(const crs_operator *op, double *q, double *work)
{
    double *g = work, *rest = g + op->n * op->n;
    crs_short_gram(op->rows, op->columns, op->a, op->scale, g, rest);
    return direct(op->n, g, op->n - 1, q, rest);
}

/* |op(A) x - lambda y| in the operator's scale. */
static double deviation(const crs_operator *op, bool at, const double *x, double lambda,
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
    const ptrdiff_t k = crs_short_side(m, n), gram = crs_short_gram_scratch(m, n);
    const ptrdiff_t whole = direct_scratch(k), rest = whole > gram ? whole : gram;
    return room(m, n) + scratch(k, k > AFFORDABLE ? 0 : k * k + rest);
}

static bool top_singular(const crs_operator *op, double *u, double *v, double *sigma,
                         double *residual)
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
    const crs_operator op = { .apply = apply_gram,
                              .n = crs_short_side(m, n),
                              .rows = m,
                              .columns = n,
                              .a = a,
                              .scale = crs_unit_scale(most),
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

static bool bottom_eigen(const crs_operator *op, double *q, double *lambda, double *residual)
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
    const crs_operator op = { .apply = apply_matrix,
                              .n = n,
                              .rows = n,
                              .columns = n,
                              .a = a,
                              .scale = crs_unit_scale(most),
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
