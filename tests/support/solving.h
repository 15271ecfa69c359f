/* SPDX-License-Identifier: MIT
 * solving.h: run a problem to its certificate; random data; slow reference minimizers */
#ifndef CREASE_SOLVING_H
#define CREASE_SOLVING_H

#include <stdio.h>

#include "support/test.h"

static inline void gaussians(draws *d, ptrdiff_t n, double *x) { normals(d, n, 1, x); }

static inline crease_options options_to(double eps)
{
    crease_options o = crease_options_default();
    o.eps = eps;
    return o;
}

static inline crease_solver *solver_for(const crease_problem *p, const crease_options *o)
{
    crease_error e = { CREASE_OK, "" };
    crease_solver *s = crease_solver_new(p, o, &e);
    if (!s) fail_msg("no solver: %s", e.text);
    return s;
}

/* Runs it and insists on a certificate; free what it returns. */
static inline crease_solver *certified(const crease_problem *p, const crease_options *o)
{
    crease_solver *s = solver_for(p, o);
    const crease_outcome how = crease_solve(s);
    const crease_certificate *c = crease_solver_certificate(s);
    const crease_report r = crease_solver_report(s);
    if (how != CREASE_STATIONARY || !(c->worst <= o->eps))
        fail_msg("%s after %ld iterations, worst %g, %s", crease_outcome_text(how), r.iterations,
                 c->worst, r.note);
    assert_int_equal(r.audit_violations, 0);
    return s;
}

/* The certified objective, when only that is wanted. */
static inline double objective_of(const crease_problem *p, const crease_options *o)
{
    crease_solver *s = certified(p, o);
    const double value = crease_solver_certificate(s)->objective;
    crease_solver_free(s);
    return value;
}

/* u = A x - y, A row-major m x n; returns |u|^2. */
static inline double residual_of(int m, int n, const double *A, const double *y, const double *x,
                                 double *u)
{
    double sum = 0;
    for (int i = 0; i < m; i++) {
        u[i] = y ? -y[i] : 0;
        for (int j = 0; j < n; j++) u[i] += A[i * n + j] * x[j];
        sum += u[i] * u[i];
    }
    return sum;
}

static inline double soft(double z, double t) { return z > t ? z - t : z < -t ? z + t : 0; }

/* Coordinate descent on (1/2)|A x - y|^2 + sum_j rho(|x_j|): shrink(user, z, a) minimizes
 * rho(|x|) + (a/2)(x - z)^2 over x. u: m places. */
typedef double shrinkage(const double *par, double z, double a);

static inline void coordinate_descent(int m, int n, const double *A, const double *y,
                                      shrinkage *shrink, const double *par, double *x, double *u)
{
    for (int sweep = 0; sweep < 4000; sweep++) {
        residual_of(m, n, A, y, x, u);
        for (int j = 0; j < n; j++) {
            double a = 0, g = 0;
            for (int i = 0; i < m; i++) a += A[i * n + j] * A[i * n + j], g += A[i * n + j] * u[i];
            const double to = shrink(par, x[j] - g / a, a), d = to - x[j];
            for (int i = 0; i < m; i++) u[i] += d * A[i * n + j];
            x[j] = to;
        }
    }
}

#endif
