/* SPDX-License-Identifier: MIT
 * matrix: a linear map as cores store it: a multiple of I, a diagonal, compressed columns, columns
 * in full, or products alone */
#include "composite/matrix.h"

#include "dense/dense.h"
#include "map/map.h"

static bool failed(const char *what, crease_error *e)
{
    return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %s", what);
}

void crs_matrix_free(crs_matrix *K)
{
    crs_free(K->value);
    crs_free(K->start);
    crs_free(K->row);
    crs_free(K->work);
    *K = (crs_matrix){ .norm = NAN };
}

void crs_matrix_scalar(ptrdiff_t n, double scale, crs_matrix *out)
{
    *out = (crs_matrix){ .kind = CRS_SCALAR, .rows = n, .cols = n, .scale = scale };
    out->norm = fabs(scale);
    out->proved = true;
}

bool crs_matrix_dense(ptrdiff_t rows, ptrdiff_t cols, crs_matrix *out, crease_error *e)
{
    ptrdiff_t count;
    *out = (crs_matrix){ .kind = CRS_DENSE, .rows = rows, .cols = cols, .norm = NAN };
    if (!crs_mul_size(rows, cols, &count)) return failed("a matrix", e);
    out->value = crs_doubles(count, "a matrix", e);
    return out->value;
}

/* Entries of a column in the order of their rows, those of one place added, zeros dropped. */
static void tidy(crs_matrix *K)
{
    ptrdiff_t to = 0;
    for (ptrdiff_t j = 0, from = 0; j < K->cols; j++) {
        const ptrdiff_t end = K->start[j + 1], begun = to;
        for (; from < end; from++) {
            if (to > begun && K->row[to - 1] == K->row[from]) {
                K->value[to - 1] += K->value[from];
                continue;
            }
            if (to > begun && K->value[to - 1] == 0) to--;
            K->row[to] = K->row[from];
            K->value[to++] = K->value[from];
        }
        if (to > begun && K->value[to - 1] == 0) to--;
        K->start[j + 1] = to;
    }
}

/* Where sorting by `key` puts entry k of those that `order` lists: a counting sort, stable. */
static void sort_by(ptrdiff_t count, const ptrdiff_t *key, ptrdiff_t keys, ptrdiff_t *first,
                    const ptrdiff_t *order, ptrdiff_t *sorted)
{
    for (ptrdiff_t k = 0; k <= keys; k++) first[k] = 0;
    for (ptrdiff_t k = 0; k < count; k++) first[key[k] + 1]++;
    for (ptrdiff_t k = 0; k < keys; k++) first[k + 1] += first[k];
    for (ptrdiff_t k = 0; k < count; k++) {
        const ptrdiff_t at = order ? order[k] : k;
        sorted[first[key[at]]++] = at;
    }
    for (ptrdiff_t k = keys; k > 0; k--) first[k] = first[k - 1];
    first[0] = 0;
}

bool crs_matrix_sparse(ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t count, const ptrdiff_t *row,
                       const ptrdiff_t *col, const double *value, crs_matrix *out, crease_error *e)
{
    const size_t size = sizeof(ptrdiff_t), some = (size_t)count + 1;
    *out = (crs_matrix){ .kind = CRS_SPARSE, .rows = rows, .cols = cols, .norm = NAN };
    ptrdiff_t *by_row = crs_alloc(some, size), *order = crs_alloc(some, size);
    ptrdiff_t *first = crs_alloc((size_t)rows + 1, size);
    out->start = crs_alloc((size_t)cols + 1, size);
    out->row = crs_alloc(some, size);
    out->value = crs_doubles(count + 1, "a sparse matrix", e);
    const bool done = by_row && order && first && out->start && out->row && out->value;
    if (done) {
        sort_by(count, row, rows, first, NULL, by_row);
        sort_by(count, col, cols, out->start, by_row, order);
        for (ptrdiff_t k = 0; k < count; k++)
            out->row[k] = row[order[k]], out->value[k] = value[order[k]];
        tidy(out);
    }
    crs_free(by_row);
    crs_free(order);
    crs_free(first);
    if (done) return true;
    crs_matrix_free(out);
    return failed("a sparse matrix", e);
}

static bool from_entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         crs_matrix *out, crease_error *e)
{
    const ptrdiff_t count = A->ops->entries(A, dom, ran, NULL, NULL, NULL);
    ptrdiff_t *place = crs_alloc(2 * (size_t)count + 1, sizeof *place);
    double *value = crs_doubles(count + 1, "a sparse matrix", e);
    bool done = place && value;
    if (done) {
        A->ops->entries(A, dom, ran, place, place + count, value);
        done = crs_matrix_sparse(crease_size(ran), crease_size(dom), count, place, place + count,
                                 value, out, e);
    } else {
        failed("a sparse matrix", e);
    }
    crs_free(place);
    crs_free(value);
    return done;
}

/* to (n x m) = from (m x n) transposed, tile by tile. */
static void transpose(ptrdiff_t m, ptrdiff_t n, const double *from, double *to)
{
    enum { TILE = 32 };
    for (ptrdiff_t i0 = 0; i0 < m; i0 += TILE)
        for (ptrdiff_t j0 = 0; j0 < n; j0 += TILE)
            for (ptrdiff_t i = i0; i < m && i < i0 + TILE; i++)
                for (ptrdiff_t j = j0; j < n && j < j0 + TILE; j++) to[j * m + i] = from[i * n + j];
}

/* A map of another kind, written out: as sparse as it turns out to be. */
static bool write_out(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      crs_matrix *out, crease_error *e)
{
    const ptrdiff_t m = crease_size(ran), n = crease_size(dom);
    double *all = crs_doubles(m * n, "the matrix of a map", e);
    double *work = crs_doubles(crs_map_materialize_scratch(A, dom, ran) + 1, "a map", e);
    ptrdiff_t *place = crs_alloc(2 * (size_t)(m * n) + 1, sizeof *place), count = 0;
    bool done = all && work && place;
    if (done) {
        crs_map_materialize(A, dom, ran, all, work);
        for (ptrdiff_t k = 0; k < m * n; k++)
            if (all[k] != 0) place[count] = k / n, place[m * n + count++] = k % n;
        if (10 * count > m * n) {
            done = crs_matrix_dense(m, n, out, e);
            if (done) transpose(m, n, all, out->value);
        } else {
            for (ptrdiff_t k = 0; k < count; k++) all[k] = all[place[k] * n + place[m * n + k]];
            done = crs_matrix_sparse(m, n, count, place, place + m * n, all, out, e);
        }
    } else {
        failed("the matrix of a map", e);
    }
    crs_free(all);
    crs_free(work);
    crs_free(place);
    return done;
}

static bool as_operator(const crease_map *A, const crease_space *dom, const crease_space *ran,
                        crs_matrix *out, crease_error *e)
{
    *out = (crs_matrix){ .kind = CRS_OPERATOR,
                         .rows = crease_size(ran),
                         .cols = crease_size(dom),
                         .map = *A,
                         .dom = *dom,
                         .ran = *ran,
                         .norm = NAN };
    out->work = crs_doubles(crease_map_scratch(A, dom, ran) + 1, "a map", e);
    return out->work;
}

static bool as_diagonal(const crease_map *A, const crease_space *dom, const crease_space *ran,
                        crs_matrix *out, crease_error *e)
{
    const ptrdiff_t n = crease_size(dom);
    *out = (crs_matrix){ .kind = CRS_DIAGONAL, .rows = n, .cols = n, .norm = NAN };
    out->value = crs_doubles(n, "a diagonal map", e);
    double *ones = crs_doubles(n + crease_map_scratch(A, dom, ran) + 1, "a diagonal map", e);
    if (out->value && ones) {
        fill(n, 1, ones);
        A->ops->apply(A, dom, ran, 1, ones, out->value, ones + n);
        out->norm = 0;
        for (ptrdiff_t j = 0; j < n; j++) out->norm = larger(out->norm, fabs(out->value[j]));
        out->proved = true;
    }
    const bool done = out->value && ones;
    crs_free(ones);
    if (!done) crs_matrix_free(out);
    return done;
}

static bool matrix_of(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      crs_matrix *out, crease_error *e)
{
    enum { FEW = 1 << 21 };
    double scale;
    const ptrdiff_t m = crease_size(ran), n = crease_size(dom);
    if (A->ops->identity && A->ops->identity(A, dom, ran, &scale)) {
        crs_matrix_scalar(n, scale, out);
        return true;
    }
    if (A->ops->diagonal) return as_diagonal(A, dom, ran, out, e);
    if (A->ops->entries && A->ops->entries(A, dom, ran, NULL, NULL, NULL) >= 0)
        return from_entries(A, dom, ran, out, e);
    if (A->ops == &crs_dense_ops) {
        if (!crs_matrix_dense(m, n, out, e)) return false;
        transpose(m, n, A->data, out->value);
        return true;
    }
    if (!A->ops->opaque && m <= FEW / n) return write_out(A, dom, ran, out, e);
    return as_operator(A, dom, ran, out, e);
}

bool crs_matrix_of_map(const crease_map *A, const crease_space *dom, const crease_space *ran,
                       crs_matrix *out, crease_error *e)
{
    double c;
    const crease_map *B = crs_map_unscaled(A, &c);
    if (!matrix_of(B, dom, ran, out, e)) return false;
    if (out->kind == CRS_OPERATOR) out->map = *A;
    if (out->kind == CRS_SCALAR) crs_matrix_scalar(out->cols, c * out->scale, out);
    if (c == 1 || out->kind == CRS_OPERATOR || out->kind == CRS_SCALAR) return true;
    const ptrdiff_t entries = (ptrdiff_t)crs_matrix_entries(out);
    for (ptrdiff_t k = 0; k < entries; k++) out->value[k] *= c;
    out->norm *= fabs(c) * (1 + 0x1p-50);
    return true;
}

double crs_matrix_entries(const crs_matrix *K)
{
    switch (K->kind) {
    case CRS_SCALAR:
    case CRS_DIAGONAL:
        return (double)K->cols;
    case CRS_SPARSE:
        return (double)K->start[K->cols];
    default:
        return (double)K->rows * (double)K->cols;
    }
}

ptrdiff_t crs_matrix_column_entries(const crs_matrix *K, ptrdiff_t j)
{
    return K->kind < CRS_SPARSE    ? 1
           : K->kind == CRS_SPARSE ? K->start[j + 1] - K->start[j]
                                   : K->rows;
}

void crs_matrix_column(const crs_matrix *K, double a, ptrdiff_t j, double *y)
{
    switch (K->kind) {
    case CRS_SCALAR:
        y[j] += a * K->scale;
        break;
    case CRS_DIAGONAL:
        y[j] += a * K->value[j];
        break;
    case CRS_SPARSE:
        for (ptrdiff_t k = K->start[j]; k < K->start[j + 1]; k++) y[K->row[k]] += a * K->value[k];
        break;
    default:
        axpy(K->rows, a, K->value + j * K->rows, y);
    }
}

static double column_dot(const crs_matrix *K, ptrdiff_t j, const double *y)
{
    double sum = 0;
    switch (K->kind) {
    case CRS_SCALAR:
        return K->scale * y[j];
    case CRS_DIAGONAL:
        return K->value[j] * y[j];
    case CRS_SPARSE:
        for (ptrdiff_t k = K->start[j]; k < K->start[j + 1]; k++) sum += K->value[k] * y[K->row[k]];
        return sum;
    default:
        return crs_dot(K->rows, K->value + j * K->rows, y);
    }
}

void crs_matrix_apply(const crs_matrix *K, double a, const double *x, double *y)
{
    switch (K->kind) {
    case CRS_SCALAR:
        axpy(K->cols, a * K->scale, x, y);
        break;
    case CRS_DIAGONAL:
        for (ptrdiff_t j = 0; j < K->cols; j++) y[j] += a * K->value[j] * x[j];
        break;
    case CRS_SPARSE:
        for (ptrdiff_t j = 0; j < K->cols; j++)
            if (x[j] != 0) crs_matrix_column(K, a * x[j], j, y);
        break;
    case CRS_DENSE:
        crs_gemv(true, K->cols, K->rows, a, K->value, x, 1, y);
        break;
    case CRS_OPERATOR:
        K->map.ops->apply(&K->map, &K->dom, &K->ran, a, x, y, K->work);
        break;
    }
}

void crs_matrix_adjoint(const crs_matrix *K, double a, const double *y, double *x)
{
    switch (K->kind) {
    case CRS_SCALAR:
        axpy(K->cols, a * K->scale, y, x);
        break;
    case CRS_DIAGONAL:
        for (ptrdiff_t j = 0; j < K->cols; j++) x[j] += a * K->value[j] * y[j];
        break;
    case CRS_SPARSE:
        for (ptrdiff_t j = 0; j < K->cols; j++) x[j] += a * column_dot(K, j, y);
        break;
    case CRS_DENSE:
        crs_gemv(false, K->cols, K->rows, a, K->value, y, 1, x);
        break;
    case CRS_OPERATOR:
        K->map.ops->adjoint(&K->map, &K->dom, &K->ran, a, y, x, K->work);
        break;
    }
}

/* How many of the columns stand side by side in a dense matrix: BLAS takes them together. */
static ptrdiff_t run_of(const crs_matrix *K, ptrdiff_t count, const ptrdiff_t *column)
{
    enum { WORTH = 4 };
    ptrdiff_t run = 1;
    if (K->kind != CRS_DENSE) return 1;
    while (run < count && column[run] == column[0] + run) run++;
    return run < WORTH ? 1 : run;
}

void crs_matrix_apply_columns(const crs_matrix *K, double a, ptrdiff_t count,
                              const ptrdiff_t *column, const double *d, double *y)
{
    for (ptrdiff_t k = 0, run; k < count; k += run) {
        run = run_of(K, count - k, column + k);
        if (run > 1)
            crs_gemv(true, run, K->rows, a, K->value + column[k] * K->rows, d + k, 1, y);
        else if (d[k] != 0)
            crs_matrix_column(K, a * d[k], column[k], y);
    }
}

void crs_matrix_adjoint_columns(const crs_matrix *K, double a, ptrdiff_t count,
                                const ptrdiff_t *column, const double *y, double *out)
{
    for (ptrdiff_t k = 0, run; k < count; k += run) {
        run = run_of(K, count - k, column + k);
        if (run > 1)
            crs_gemv(false, run, K->rows, a, K->value + column[k] * K->rows, y, 1, out + k);
        else
            out[k] += a * column_dot(K, column[k], y);
    }
}

static double weighted_square(const crs_matrix *K, ptrdiff_t j, const double *h)
{
    double sum = 0;
    switch (K->kind) {
    case CRS_SCALAR:
        return square(K->scale) * (h ? h[j] : 1);
    case CRS_DIAGONAL:
        return square(K->value[j]) * (h ? h[j] : 1);
    case CRS_SPARSE:
        for (ptrdiff_t k = K->start[j]; k < K->start[j + 1]; k++)
            sum += square(K->value[k]) * (h ? h[K->row[k]] : 1);
        return sum;
    default:
        for (ptrdiff_t i = 0; i < K->rows; i++)
            sum += square(K->value[j * K->rows + i]) * (h ? h[i] : 1);
        return sum;
    }
}

void crs_matrix_squares(const crs_matrix *K, const double *h, double *out)
{
    for (ptrdiff_t j = 0; j < K->cols; j++) out[j] += weighted_square(K, j, h);
}

void crs_matrix_squares_columns(const crs_matrix *K, const double *h, ptrdiff_t count,
                                const ptrdiff_t *column, double *out)
{
    for (ptrdiff_t k = 0; k < count; k++) out[k] += weighted_square(K, column[k], h);
}
