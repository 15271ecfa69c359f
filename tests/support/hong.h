/* SPDX-License-Identifier: MIT
 * hong.h: Hong's Q(x, lambda) = |grad f - A'lambda + beta A's|^2 + |s|^2, for comparison with the
 * definitions of certificates */
#ifndef TEST_HONG_H
#define TEST_HONG_H

#include "problem/problem.h"
#include "support/test.h"

static inline double hong_q(const crease_problem *p, const double *const *x, const double *lambda,
                            double beta)
{
    double *c = crs_doubles(crs_largest_block(p), "a gradient", NULL);
    double *s = crs_doubles(crease_size(&p->range), "a residual", NULL);
    double *work = crs_doubles(crs_problem_scratch(p), "work", NULL);
    assert_true(c && s && work);
    crs_constraint(p, x, s, work);
    double q = square(crease_norm(&p->range, s));
    for (int i = 0; i < p->count; i++) {
        crs_grad(p, x, i, c, work);
        crs_adjoint(p, i, -1, lambda, c, work);
        crs_adjoint(p, i, beta, s, c, work);
        q += square(crease_norm(&p->space[i], c));
    }
    crs_free(c);
    crs_free(s);
    crs_free(work);
    return q;
}

#endif
