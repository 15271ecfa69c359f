/* SPDX-License-Identifier: MIT
 * quadratic: f(x) = (1/2) x'Qx + q'x, Q symmetric and possibly indefinite, given by blocks
 *
 * grad_i f = q_i + sum_j Q_ij x_j; a term (i, j), i != j, stands for Q_ij and for Q_ji = Q_ij'. */
#include "smooth/quadratic.h"
#include "dense/dense.h"

static bool check_matrix(const crease_quadratic_data *q, int k, ptrdiff_t m, ptrdiff_t n,
                         crease_error *e)
{
    const double *a = q->matrix[k];
    if (!a)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "quadratic: term %d has no matrix; give %td x %td numbers", k + 1, m, n);
    for (ptrdiff_t j = 0; j < m * n; j++)
        if (!isfinite(a[j]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "quadratic: entry (%td, %td) of the matrix of term %d is %g; give "
                            "finite numbers",
                            j / n + 1, j % n + 1, k + 1, a[j]);
    if (q->row[k] != q->col[k]) return true;
    for (ptrdiff_t r = 0; r < m; r++)
        for (ptrdiff_t c = 0; c < r; c++)
            if (a[r * n + c] != a[c * n + r])
                return crs_fail(e, CREASE_BAD_DATA,
                                "quadratic: the matrix of term %d, a diagonal block, is not "
                                "symmetric: entries (%td, %td) and (%td, %td) differ by %g; give "
                                "(Q + Q')/2",
                                k + 1, r + 1, c + 1, c + 1, r + 1, a[r * n + c] - a[c * n + r]);
    return true;
}

static bool check_linear(const crease_quadratic_data *q, const crease_blocks *b, crease_error *e)
{
    if (q->linear && (q->blocks < 0 || q->blocks > b->count))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "quadratic: the linear part has %d blocks but the problem has %d; give at "
                        "most one vector a block",
                        q->blocks, b->count);
    for (int i = 0; q->linear && i < q->blocks; i++)
        if (q->linear[i] && !crs_all_finite(crease_size(&b->space[i]), q->linear[i]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "quadratic: the linear part of block %d is not finite; give finite "
                            "numbers",
                            i + 1);
    return true;
}

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_quadratic_data *q = f->data;
    if (!q || q->count < 0 || (q->count > 0 && (!q->row || !q->col || !q->matrix)))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "quadratic: the terms are missing; give each a row block, a column block "
                        "and a matrix");
    for (int i = 0; i < b->count; i++)
        if (b->space[i].comm)
            return crs_fail(e, CREASE_UNSUPPORTED,
                            "quadratic: block %d is split over ranks; hold it whole on each",
                            i + 1);
    for (int k = 0; k < q->count; k++) {
        if (!crs_check_block("quadratic", b, q->row[k], e)) return false;
        if (!crs_check_block("quadratic", b, q->col[k], e)) return false;
        const ptrdiff_t m = crease_size(&b->space[q->row[k]]);
        if (!check_matrix(q, k, m, crease_size(&b->space[q->col[k]]), e)) return false;
    }
    return check_linear(q, b, e);
}

static ptrdiff_t scratch(const crease_smooth *f, const crease_blocks *b)
{
    ptrdiff_t most = crs_quadratic_argmin_scratch(f, b);
    for (int i = 0; i < b->count; i++) {
        const ptrdiff_t n = crease_size(&b->space[i]);
        if (n > most) most = n;
    }
    return most;
}

bool crs_quadratic_touches(const crease_smooth *f, int i)
{
    const crease_quadratic_data *q = f->data;
    for (int k = 0; k < q->count; k++)
        if (q->row[k] == i || q->col[k] == i) return true;
    return linear_of(q, i) != NULL;
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crease_quadratic_data *q = f->data;
    double sum = 0;
    for (int k = 0; k < q->count; k++) {
        const int r = q->row[k], c = q->col[k];
        const ptrdiff_t m = crease_size(&b->space[r]), n = crease_size(&b->space[c]);
        crs_gemv(false, m, n, 1, q->matrix[k], x[c], 0, work);
        sum += (r == c ? 0.5 : 1) * crs_dot(m, x[r], work);
    }
    for (int i = 0; i < b->count; i++)
        if (linear_of(q, i)) sum += crs_dot(crease_size(&b->space[i]), linear_of(q, i), x[i]);
    return sum;
}

void crs_quadratic_cross(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                         int i, double a, double *g)
{
    const crease_quadratic_data *q = f->data;
    const ptrdiff_t n = crease_size(&b->space[i]);
    for (int k = 0; k < q->count; k++) {
        const int r = q->row[k], c = q->col[k];
        if (r == c || (r != i && c != i)) continue;
        const int other = r == i ? c : r;
        const ptrdiff_t size = crease_size(&b->space[other]);
        const bool turn = c == i;
        crs_gemv(turn, turn ? size : n, turn ? n : size, a, q->matrix[k], x[other], 1, g);
    }
    if (linear_of(q, i)) axpy(n, a, linear_of(q, i), g);
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crease_quadratic_data *q = f->data;
    const ptrdiff_t n = crease_size(&b->space[i]);
    (void)work;
    for (int k = 0; k < q->count; k++)
        if (q->row[k] == i && q->col[k] == i) crs_gemv(false, n, n, 1, q->matrix[k], x[i], 1, g);
    crs_quadratic_cross(f, b, x, i, 1, g);
}

const crease_smooth_ops crs_quadratic_ops = {
    .name = "quadratic",
    .formula = "(1/2) x'Qx + q'x",
    .data_text = "Q {\"x,y\": matrix}, q {block: array}; x,y with x != y adds x'Qy",
    .check = check,
    .scratch = scratch,
    .touches = crs_quadratic_touches,
    .value = value,
    .grad = grad,
    .constants = crs_quadratic_constants,
    .argmin = crs_quadratic_argmin,
};

crease_smooth crease_quadratic(const crease_quadratic_data *q)
{
    return (crease_smooth){ .ops = &crs_quadratic_ops, .data = q };
}
