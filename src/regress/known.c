/* SPDX-License-Identifier: MIT
 * known: what the certificates of a path need of its solutions: the images x b, the gradients x's
 * of the loss there, and what they are relative to
 *
 * A gradient by itself reads all of x for 2 n p operations, as fast as memory goes; those of a few
 * solutions together are one product of matrices, x (s_1, ..., s_K), and read x once. Nothing comes
 * from the solver but the points. */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include "regress/regress.h"

/* Numbers beside x that are few, or a few megabytes */
static bool is_little(const crs_design *d, ptrdiff_t path)
{
    const double n = (double)d->n, cols = (double)d->cols;
    return (double)path * (2 * n + cols) <= larger(n * cols / 4, 0x1p20);
}

/* x b of some solutions, a few rows at a time, which stay in the cache */
static void predict(const crease_regression *m, ptrdiff_t first, ptrdiff_t count, double *images)
{
    enum { ROWS = 1024 };
    const crs_design *d = &m->d;
    fill(count * d->n, 0, images);
    for (ptrdiff_t at = 0; at < d->n; at += ROWS) {
        const ptrdiff_t rows = d->n - at < ROWS ? d->n - at : ROWS;
        for (ptrdiff_t k = 0; k < count; k++) {
            const double *b = crease_regression_point(m, first + k);
            for (ptrdiff_t j = 0; j < d->cols; j++)
                if (b[d->column[j]] != 0)
                    axpy(rows, b[d->column[j]], column_of(d, j) + at, images + k * d->n + at);
        }
    }
}

/* sum[r][v] = sum_i column[r][i] side[SIDE i + v], each sum in order; ahead: columns that are next
 */
enum { COLUMNS = 8, SIDE = CRS_AHEAD };
typedef struct {
    ptrdiff_t rows;
    const double *column[COLUMNS], *ahead[COLUMNS], *side;
} products;
typedef void multiply(const products *a, double *sum);

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f"))) static void multiply_avx512(const products *a, double *sum)
{
    enum { LANES = 8 };
    __m512d left[COLUMNS], right[COLUMNS];
    for (int r = 0; r < COLUMNS; r++) left[r] = right[r] = _mm512_setzero_pd();
    for (ptrdiff_t i = 0; i < a->rows; i++) {
        const __m512d s = _mm512_loadu_pd(a->side + SIDE * i),
                      t = _mm512_loadu_pd(a->side + SIDE * i + LANES);
        _mm_prefetch((const char *)(a->ahead[i % COLUMNS] + i / COLUMNS * COLUMNS), _MM_HINT_T0);
        for (int r = 0; r < COLUMNS; r++) {
            const __m512d x = _mm512_set1_pd(a->column[r][i]);
            left[r] = _mm512_fmadd_pd(x, s, left[r]);
            right[r] = _mm512_fmadd_pd(x, t, right[r]);
        }
    }
    for (int r = 0; r < COLUMNS; r++) {
        _mm512_storeu_pd(sum + SIDE * r, left[r]);
        _mm512_storeu_pd(sum + SIDE * r + LANES, right[r]);
    }
}
#endif

/* NULL: by BLAS */
static multiply *multiply_here(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return multiply_avx512;
#endif
    return NULL;
}

/* Some rows of all columns and of the vectors in `side` */
static void add_products(const crs_design *d, ptrdiff_t first, products *a, multiply *here,
                         ptrdiff_t count, double *out)
{
    double sum[COLUMNS * SIDE];
    for (ptrdiff_t j = 0; j < d->cols; j += COLUMNS) {
        const ptrdiff_t columns = d->cols - j < COLUMNS ? d->cols - j : COLUMNS;
        for (ptrdiff_t r = 0; r < COLUMNS; r++) {
            const ptrdiff_t next = j + COLUMNS + r;
            a->column[r] = column_of(d, j + (r < columns ? r : 0)) + first;
            a->ahead[r] = next < d->cols ? column_of(d, next) + first : a->column[r];
        }
        here(a, sum);
        for (ptrdiff_t v = 0; v < count; v++)
            for (ptrdiff_t r = 0; r < columns; r++) out[v * d->cols + j + r] += sum[SIDE * r + v];
    }
}

/* out (count x cols) = x's_k of at most CRS_AHEAD vectors s_k, one after the other; x is read once.
 */
static void pull_back(const crs_design *d, ptrdiff_t count, const double *s, double *out)
{
    enum { ROWS = 256 };
    double side[ROWS * SIDE];
    multiply *const here = multiply_here();
    if (count == 1) {
        for (ptrdiff_t j = 0; j < d->cols; j++) out[j] = crs_dot(d->n, column_of(d, j), s);
        return;
    }
    if (!here) {
        crs_gemm(false, true, count, d->cols, d->n, 1, s, d->x, 0, out);
        return;
    }
    fill(count * d->cols, 0, out);
    for (ptrdiff_t at = 0; at < d->n; at += ROWS) {
        const ptrdiff_t rows = d->n - at < ROWS ? d->n - at : ROWS;
        for (ptrdiff_t v = 0; v < SIDE; v++)
            for (ptrdiff_t i = 0; i < rows; i++)
                side[SIDE * i + v] = v < count ? s[v * d->n + at + i] : 0;
        add_products(d, at, &(products){ .rows = rows, .side = side }, here, count, out);
    }
}

/* The gradient of the loss at 0 */
static bool look_at_zero(crease_regression *m, crease_error *e)
{
    const crs_design *d = &m->d;
    const crease_problem *p = m->problem;
    const bool whole = !d->sparse && !m->rows;
    double *room =
        crs_doubles(whole ? 2 * d->n : d->cols + crs_problem_scratch(p), "a gradient", e);
    const double *zero = room;
    if (room && whole) {
        crs_loss_slopes(d, room, room + d->n);
        pull_back(d, 1, room + d->n, m->at_zero);
    } else if (room)
        crs_grad(p, &zero, 0, m->at_zero, room + d->cols);
    crs_free(room);
    return room;
}

bool crs_known_prepare(crease_regression *m, crease_error *e)
{
    m->at_zero = crs_doubles(m->d.cols, "a gradient", e);
    if (!m->at_zero || !look_at_zero(m, e)) return false;
    m->reference = crs_reference_new(m->problem, m->s.watch, e);
    return m->reference;
}

/* Where this would take too much memory every certificate looks for itself. */
bool crs_known_begin(crease_regression *m, crease_error *e)
{
    const crs_design *d = &m->d;
    const ptrdiff_t few = m->s.path < CRS_AHEAD ? m->s.path : CRS_AHEAD;
    const bool all = m->problem && !m->rows && is_little(d, m->s.path);
    const ptrdiff_t path = all ? m->s.path : few;
    if (d->sparse) return true;
    m->images = crs_doubles(path * d->n, "the scores of a path", e);
    m->gradients = crs_doubles(path * d->cols, "the gradients of a path", e);
    m->slopes = crs_doubles(few * d->n, "the slopes of a path", e);
    if (all) m->seen = crs_alloc((size_t)path, 1);
    return (m->images && m->gradients && m->slopes && (m->seen || !all)) ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: a path of %td lambdas", m->s.path);
}

ptrdiff_t crs_known_look(crease_regression *m, ptrdiff_t first, ptrdiff_t count)
{
    const crs_design *d = &m->d;
    const ptrdiff_t at = m->seen ? first : 0;
    double *images = m->images + at * d->n;
    predict(m, first, count, images);
    for (ptrdiff_t k = 0; k < count; k++)
        crs_loss_slopes(d, images + k * d->n, m->slopes + k * d->n);
    pull_back(d, count, m->slopes, m->gradients + at * d->cols);
    for (ptrdiff_t k = 0; k < count && m->seen; k++) m->seen[first + k] = 1;
    return at;
}

ptrdiff_t crs_known_room(const crease_regression *m)
{
    return m->d.n + m->d.cols + crs_problem_scratch(m->problem);
}

crs_known crs_known_at(const crease_regression *m, ptrdiff_t k, double *room)
{
    const crs_design *d = &m->d;
    double *gradient = room, *images = room + d->cols, *work = images + d->n;
    const double *x = crease_regression_point(m, k);
    if (m->seen && m->seen[k])
        return (crs_known){ m->images + k * d->n, m->gradients + k * d->cols, m->at_zero };
    crs_images(m->problem + k, &x, images, work);
    crs_images_grad(m->problem + k, &x, images, 0, gradient, work);
    return (crs_known){ images, gradient, m->at_zero };
}
