/* SPDX-License-Identifier: MIT
 * norm: |K|_2 as steps need it, by a few Lanczos steps with K'K or KK', whichever is smaller
 *
 * The largest Ritz value theta_k <= |K|^2, and 5 percent are added: of 12 steps, or of 5 and more
 * where the last one added less than half a percent. Backtracking mends what is still too small;
 * theorems take proved bounds only. */
#include "composite/matrix.h"
#include "dense/dense.h"

#include <crease/random.h>

enum { FEWEST = 5, STEPS = 12 };

/* w = (K'K) v on the side of the columns, (KK') v on that of the rows; t is of the other side. */
static void gram_product(const crs_matrix *K, bool columns, const double *v, double *t, double *w)
{
    fill(columns ? K->rows : K->cols, 0, t);
    fill(columns ? K->cols : K->rows, 0, w);
    if (columns) {
        crs_matrix_apply(K, 1, v, t);
        crs_matrix_adjoint(K, 1, t, w);
    } else {
        crs_matrix_adjoint(K, 1, v, t);
        crs_matrix_apply(K, 1, t, w);
    }
}

/* The largest eigenvalue of the tridiagonal matrix with diagonal a and off-diagonal b. */
static double largest_ritz(int k, const double *a, const double *b)
{
    double matrix[STEPS * STEPS] = { 0 }, w[STEPS], work[STEPS * STEPS * 8 + 256];
    if (crs_eigh_scratch(k) > (ptrdiff_t)(sizeof work / sizeof *work)) return NAN;
    for (int i = 0; i < k; i++) {
        matrix[i * k + i] = a[i];
        if (i + 1 < k) matrix[i * k + i + 1] = matrix[(i + 1) * k + i] = b[i];
    }
    return crs_eigh(k, matrix, w, NULL, work) ? w[k - 1] : NAN;
}

static double lanczos(const crs_matrix *K, double *room, double *products)
{
    const bool columns = K->cols <= K->rows;
    const ptrdiff_t n = columns ? K->cols : K->rows, m = columns ? K->rows : K->cols;
    const crease_random r = { 0, 19 };
    double *v = room, *old = v + n, *w = old + n, *t = w + n, a[STEPS], b[STEPS], beta = 0;
    double theta = 0, before = 0;
    int k = 0;
    (void)m;
    for (ptrdiff_t j = 0; j < n; j++) v[j] = crease_random_normal(r, (uint64_t)j);
    const double length = crs_norm(n, v);
    for (ptrdiff_t j = 0; j < n; j++) v[j] /= length, old[j] = 0;
    while (k < STEPS && k < n) {
        gram_product(K, columns, v, t, w);
        a[k] = crs_dot(n, v, w);
        for (ptrdiff_t j = 0; j < n; j++) w[j] -= a[k] * v[j] + beta * old[j];
        beta = b[k] = crs_norm(n, w);
        k++;
        before = theta;
        theta = largest_ritz(k, a, b);
        if (!(beta > 1e-12 * fabs(a[k - 1])) || (k >= FEWEST && theta <= 1.005 * before)) break;
        for (ptrdiff_t j = 0; j < n; j++) old[j] = v[j], v[j] = w[j] / beta;
    }
    *products = k;
    return sqrt(pos(theta) * 1.05);
}

bool crs_matrix_norm(crs_matrix *K, double *products, crease_error *e)
{
    double made = 0;
    if (isnan(K->norm)) {
        double *room = crs_doubles(3 * (K->rows < K->cols ? K->rows : K->cols) +
                                       (K->rows > K->cols ? K->rows : K->cols) + 1,
                                   "the norm of a map", e);
        if (!room) return false;
        K->norm = lanczos(K, room, &made);
        crs_free(room);
    }
    if (products) *products = made;
    return true;
}
