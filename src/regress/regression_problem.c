/* SPDX-License-Identifier: MIT
 * regression_problem: every lambda's regression as an ordinary problem, and its certificate
 *
 *     min  sum_i phi((x b - y)_i) + n sum_u w_u rho(|b_u|)
 *
 * for which the generic residual, the independent checker and the generic engine exist. */
#include "regress/regress.h"

static void fill_rows(crease_regression *m)
{
    const crs_design *d = &m->d;
    enum { ROWS = 32 };
    for (ptrdiff_t low = 0; low < d->n; low += ROWS) {
        const ptrdiff_t high = low + ROWS < d->n ? low + ROWS : d->n;
        for (ptrdiff_t j = 0; j < d->cols; j++)
            for (ptrdiff_t i = low; i < high; i++)
                m->rows[i * d->cols + d->column[j]] = d->x[j * d->n + i];
    }
}

static crease_smooth coupling(const crease_regression *m)
{
    switch (m->s.loss) {
    case CREASE_REGRESSION_LOGISTIC:
        return crease_logistic(&m->predictor);
    case CREASE_REGRESSION_HUBER:
        return crease_huber_loss(&m->predictor, 1);
    case CREASE_REGRESSION_CAUCHY:
        return crease_cauchy(&m->predictor);
    default:
        return crease_least_squares(&m->predictor);
    }
}

static crease_reg penalty_at(const crease_regression *m, double lambda)
{
    crease_reg r = m->s.penalty;
    crs_penalty_at(&m->s.penalty, lambda, r.par);
    if (r.ops == &crs_group_ops) r.groups = &m->groups;
    return crease_weighted(r, m->weight);
}

bool crs_regression_problems(crease_regression *m, crease_error *e)
{
    const crs_design *d = &m->d;
    m->rows = crs_doubles(d->n * d->cols, "the rows of X", e);
    m->weight = crs_doubles(d->units, "the weights", e);
    m->block = crs_alloc((size_t)m->s.path, sizeof *m->block);
    m->problem = crs_alloc((size_t)m->s.path, sizeof *m->problem);
    if (!m->rows || !m->weight || !m->block || !m->problem)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the problems of a path");
    fill_rows(m);
    for (ptrdiff_t u = 0; u < d->units; u++) m->weight[u] = (double)d->n * d->weight[u];
    m->groups = (crease_groups){ d->units, d->start, d->column };
    m->map = crease_dense(m->rows);
    m->space = crease_vector(d->cols);
    m->predictor = (crease_predictor){ 1, &m->block_number, &m->map, crease_vector(d->n), d->y };
    for (ptrdiff_t k = 0; k < m->s.path; k++) {
        m->block[k] = (crease_block){ .name = "b", .reg = penalty_at(m, m->lambda[k]) };
        m->problem[k] = (crease_problem){
            .count = 1, .space = &m->space, .block = m->block + k, .f = coupling(m)
        };
    }
    return crease_problem_check(m->problem, e);
}

/* The checker's word, in extended precision. */
static bool ask_checker(const crease_regression *m, ptrdiff_t k, crease_regression_certificate *out,
                        crease_error *e)
{
    const double *x = crease_regression_point(m, k);
    crease_verification v;
    if (!crease_verify(m->problem + k, &x, NULL, NULL, false, m->s.eps * out->residual.scale, false,
                       &v, e))
        return false;
    out->checked = true;
    out->verdict = v.verdict;
    out->certified = out->certified && v.verdict == CREASE_VERDICT_VALID;
    crease_verification_free(&v);
    return true;
}

bool crease_regression_certify(const crease_regression *m, ptrdiff_t k, bool check,
                               crease_regression_certificate *out, crease_error *e)
{
    const crease_problem *p = m->problem + k;
    const double *x = crease_regression_point(m, k), *point;
    crease_residual residual;
    crease_certificate c = { .block = &residual, .point = &point };
    double *work = crs_doubles(crease_certify_scratch(p), "a certificate", e);
    if (!work) return false;
    crease_certify(p, &x, NULL, &c, work);
    crs_free(work);
    *out = (crease_regression_certificate){ .residual = residual, .relative = c.worst_relative };
    out->certified = out->relative <= m->s.eps;
    if (out->certified && check && !ask_checker(m, k, out, e)) return false;
    return crs_regression_convexity(m, k, out, e);
}
