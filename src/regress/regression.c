/* SPDX-License-Identifier: MIT
 * regression: a penalized regression with its path: building and asking */
#include "regress/regress.h"

crease_regression_settings crease_regression_default(void)
{
    return (crease_regression_settings){ .standardize = true,
                                         .intercept = true,
                                         .path = 100,
                                         .eps = 1e-6,
                                         .max_sweeps = 100000,
                                         .max_seconds = INFINITY };
}

void crease_regression_free(crease_regression *m)
{
    if (!m) return;
    crs_design_free(&m->d);
    crs_descent_free(m->descent);
    crs_free(m->rows);
    crs_free(m->point);
    crs_free(m->coef);
    crs_free(m->weight);
    crs_free(m->lambda);
    crs_free(m->block);
    crs_free(m->problem);
    crs_free(m->solution);
    crs_free(m);
}

double crease_regression_size(ptrdiff_t n, ptrdiff_t p, ptrdiff_t path)
{
    const double rows = (double)n, cols = (double)p + 1, lambdas = (double)path;
    const double gram = smaller(cols, 2000);
    return 2 * rows * cols + 2 * lambdas * cols + 2 * gram * gram + 16 * (rows + cols) +
           64 * lambdas;
}

static bool allocate(crease_regression *m, crease_error *e)
{
    const ptrdiff_t path = m->s.path;
    m->lambda = crs_doubles(path, "the lambdas", e);
    m->point = crs_doubles(path * m->d.cols, "the solutions", e);
    m->coef = crs_doubles(path * m->d.p, "the coefficients", e);
    m->solution = crs_alloc((size_t)path, sizeof *m->solution);
    m->descent = crs_descent_new(&m->d, e);
    return (m->lambda && m->point && m->coef && m->solution && m->descent) ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: a path of %td lambdas", path);
}

static bool build(crease_regression *m, const double *X, const double *y, ptrdiff_t n, ptrdiff_t p,
                  bool problems, crease_error *e)
{
    return crs_design_new(&m->d, &m->s, n, p, X, y, e) && allocate(m, e) &&
           crs_regression_lambdas(m, e) &&
           (!problems || (crs_regression_problems(m, e) && crs_regression_least(m, e)));
}

crease_regression *crs_regression_make(const crease_regression_settings *s, ptrdiff_t n,
                                       ptrdiff_t p, const double *X, const double *y, bool problems,
                                       crease_error *e)
{
    ptrdiff_t entries;
    if (!crs_regression_check(s, n, p, X, y, e)) return NULL;
    if (!crs_mul_size(s->path, 8 * (p + 1), &entries)) {
        crs_fail(e, CREASE_BAD_SHAPE, "%td solutions of %td numbers are too many", s->path, p);
        return NULL;
    }
    crease_regression *m = crs_alloc(1, sizeof *m);
    if (!m) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a regression");
        return NULL;
    }
    m->s = *s;
    m->deadline = &m->own;
    if (!s->penalty.ops) m->s.penalty = crease_l1(1);
    if (build(m, X, y, n, p, problems, e)) {
        m->s.loss_scale = m->d.c;
        m->s.row_weight = m->d.row;
        return m;
    }
    crease_regression_free(m);
    return NULL;
}

crease_regression *crease_regression_new(const crease_regression_settings *s, ptrdiff_t n,
                                         ptrdiff_t p, const double *X, const double *y,
                                         crease_error *e)
{
    return crs_regression_make(s, n, p, X, y, true, e);
}

double crease_regression_lambda_max(const crease_regression *m) { return m->lambda_max; }
crease_regression_settings crease_regression_used(const crease_regression *m) { return m->s; }

crease_regression_solution crease_regression_at(const crease_regression *m, ptrdiff_t k)
{
    return m->solution[k];
}

const double *crease_regression_point(const crease_regression *m, ptrdiff_t k)
{
    return m->point + k * m->d.cols;
}

const crease_problem *crease_regression_problem(const crease_regression *m, ptrdiff_t k)
{
    return m->problem + k;
}
