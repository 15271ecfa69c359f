/* SPDX-License-Identifier: MIT
 * known: what the certificates of a path need of its solutions: the images x b, the gradients x's
 * of the loss there, and what they are relative to
 *
 * A gradient by itself reads all of x for 2 n p operations, as fast as memory goes; those of all
 * solutions together are one product of matrices, x (s_1, ..., s_K), and read x once. Nothing comes
 * from the solver but the points. */
#include "regress/regress.h"

bool crs_known_prepare(crease_regression *m, crease_error *e)
{
    const crease_problem *p = m->problem;
    const ptrdiff_t cols = m->d.cols;
    m->at_zero = crs_doubles(cols, "a gradient", e);
    double *room = crs_doubles(cols + crs_problem_scratch(p), "a gradient", e);
    const double *zero = room;
    if (m->at_zero && room) crs_grad(p, &zero, 0, m->at_zero, room + cols);
    m->reference = m->at_zero && room ? crs_reference_new(p, m->s.watch, e) : NULL;
    crs_free(room);
    return m->reference;
}

/* Numbers beside x that are few, or a few megabytes */
static bool is_little(const crs_design *d, ptrdiff_t path)
{
    const double n = (double)d->n, cols = (double)d->cols;
    return (double)path * (2 * n + cols) <= larger(n * cols / 4, 0x1p20);
}

/* x b of all solutions, a few rows at a time, which stay in the cache */
static bool predict(crease_regression *m)
{
    enum { ROWS = 1024 };
    const crs_design *d = &m->d;
    for (ptrdiff_t at = 0; at < d->n; at += ROWS) {
        const ptrdiff_t rows = d->n - at < ROWS ? d->n - at : ROWS;
        for (ptrdiff_t k = 0; k < m->s.path; k++) {
            const double *b = crease_regression_point(m, k);
            if (deadline_met(&m->own)) return false;
            for (ptrdiff_t j = 0; j < d->cols; j++)
                if (b[j] != 0) axpy(rows, b[j], column_of(d, j) + at, m->images + k * d->n + at);
        }
    }
    return true;
}

static bool pull_back(crease_regression *m, double *slopes)
{
    enum { FLOPS = 1 << 24, COLUMNS = 32 };
    const crs_design *d = &m->d;
    const ptrdiff_t path = m->s.path, wanted = FLOPS / (2 * d->n * path + 1);
    const ptrdiff_t tile = wanted > COLUMNS ? wanted : COLUMNS;
    for (ptrdiff_t k = 0; k < path; k++)
        crs_loss_slopes(d, m->images + k * d->n, slopes + k * d->n);
    for (ptrdiff_t j = 0; j < d->cols; j += tile) {
        const ptrdiff_t columns = d->cols - j < tile ? d->cols - j : tile;
        if (deadline_met(&m->own)) return false;
        crs_gemm(false, true, columns, path, d->n, 1, column_of(d, j), slopes, 0,
                 m->gradients + j * path);
    }
    return true;
}

/* Where this would take too much memory or time, every certificate looks for itself. */
bool crs_known_look(crease_regression *m, crease_error *e)
{
    const crs_design *d = &m->d;
    const ptrdiff_t path = m->s.path;
    m->looked = 0;
    if (!m->problem || d->sparse || m->rows || !is_little(d, path)) return true;
    crs_free(m->images);
    crs_free(m->gradients);
    m->images = crs_doubles(path * d->n, "the scores of a path", e);
    m->gradients = crs_doubles(path * d->cols, "the gradients of a path", e);
    double *slopes = crs_doubles(path * d->n, "the slopes of a path", e);
    const bool room = m->images && m->gradients && slopes;
    if (room && predict(m) && pull_back(m, slopes)) m->looked = path;
    crs_free(slopes);
    return room;
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
    if (k < m->looked) {
        for (ptrdiff_t j = 0; j < d->cols; j++) gradient[j] = m->gradients[j * m->looked + k];
        return (crs_known){ m->images + k * d->n, gradient, m->at_zero };
    }
    crs_images(m->problem + k, &x, images, work);
    crs_images_grad(m->problem + k, &x, images, 0, gradient, work);
    return (crs_known){ images, gradient, m->at_zero };
}
