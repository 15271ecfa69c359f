/* SPDX-License-Identifier: MIT
 * regression_check: what can be wrong with the settings and the data of a regression */
#include "regress/regress.h"

enum { MOST_LAMBDAS = 100000 };
static const double LARGEST = 1e140; /* squares and products of larger data overflow */

static bool check_penalty(const crease_reg *r, ptrdiff_t p, crease_error *e)
{
    const crease_space s = crease_vector(p);
    const bool kind =
        r->ops == &crs_separable_ops || r->ops == &crs_weighted_l1_ops || r->ops == &crs_group_ops;
    if (!kind)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%s has no path here; use a penalty of single entries or its group version",
                        r->penalty ? r->penalty->name : r->ops->name);
    if (!crease_reg_check(r, &s, e)) return false;
    return r->penalty->slope(r->par, 0) > 0 ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "%s selects nothing: its slope at 0 is 0 and there is no lambda_max; use l1, "
                    "elastic-net, mcp, scad, ...",
                    r->penalty->name);
}

static bool check_lambdas(const crease_regression_settings *s, crease_error *e)
{
    if (!(s->path >= 1 && s->path <= MOST_LAMBDAS))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the path has %td lambdas; give a number from 1 to %d", s->path,
                        MOST_LAMBDAS);
    if (!(s->ratio >= 0 && s->ratio < 1))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the ratio of the last lambda to the first is %g; give a number in (0, 1)",
                        s->ratio);
    for (ptrdiff_t k = 0; s->lambda && k < s->path; k++)
        if (!(s->lambda[k] > 0 && s->lambda[k] < INFINITY &&
              (k == 0 || s->lambda[k] < s->lambda[k - 1])))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "lambda %td is %g; give finite numbers > 0 in descending order", k + 1,
                            s->lambda[k]);
    return true;
}

static bool check_settings(const crease_regression_settings *s, ptrdiff_t p, crease_error *e)
{
    if (s->penalty.ops && !check_penalty(&s->penalty, p, e)) return false;
    if (!check_lambdas(s, e)) return false;
    if (!(s->loss_scale >= 0 && s->loss_scale < LARGEST))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the scale of the loss is %g; give a number > 0, or 0 to take it from y",
                        s->loss_scale);
    if (!(s->eps > 0 && s->eps < 1))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "eps is %g; give a relative tolerance in (0, 1), such as 1e-6", s->eps);
    if (!(s->max_seconds >= 0))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "max_seconds is %g; give a number >= 0",
                        s->max_seconds);
    return s->max_sweeps >= 0 ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "max_sweeps is %ld; give a number >= 0", s->max_sweeps);
}

static bool usable(double t) { return fabs(t) <= LARGEST; }

static bool check_X(ptrdiff_t n, ptrdiff_t p, const double *X, crease_error *e)
{
    for (ptrdiff_t k = 0; k < n * p; k++)
        if (!usable(X[k]))
            return crs_fail(e, CREASE_BAD_DATA, "row %td, column %td of X is %g; %s", k / p + 1,
                            k % p + 1, X[k],
                            isfinite(X[k]) ? "rescale the column"
                                           : "give finite numbers, or leave the row out");
    return true;
}

static bool check_y(ptrdiff_t n, const double *y, bool labels, crease_error *e)
{
    bool low = false, high = false, zeros = false, minuses = false;
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!usable(y[i]))
            return crs_fail(e, CREASE_BAD_DATA, "entry %td of y is %g; %s", i + 1, y[i],
                            isfinite(y[i]) ? "rescale y"
                                           : "give finite numbers, or leave the row out");
        if (!labels) continue;
        zeros = zeros || y[i] == 0;
        minuses = minuses || y[i] == -1;
        low = zeros || minuses;
        high = high || y[i] == 1;
        if (!(y[i] == 1 || y[i] == 0 || y[i] == -1) || (zeros && minuses))
            return crs_fail(e, CREASE_BAD_DATA,
                            "entry %td of y is %g; logistic regression takes labels 0 and 1, or -1 "
                            "and 1",
                            i + 1, y[i]);
    }
    return !labels || (low && high) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "every entry of y is %g; logistic regression needs both classes", y[0]);
}

/* Two rows that count: one alone is fitted by the intercept. */
static bool check_row_weights(const crease_regression_settings *s, ptrdiff_t n, crease_error *e)
{
    ptrdiff_t some = 0;
    if (!s->row_weight) return true;
    if (s->loss != CREASE_REGRESSION_SQUARED)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "weights of rows are for the squared loss; leave them out, or repeat rows");
    for (ptrdiff_t i = 0; i < n; i++) {
        if (!(s->row_weight[i] >= 0 && usable(s->row_weight[i])))
            return crs_fail(e, CREASE_BAD_DATA,
                            "the weight of row %td is %g; give finite numbers >= 0", i + 1,
                            s->row_weight[i]);
        some += s->row_weight[i] > 0;
    }
    return some >= 2 ||
           crs_fail(e, CREASE_BAD_DATA, "%td row%s a positive weight; at least 2 must have one",
                    some, some == 1 ? " has" : "s have");
}

/* Is there anything to tell the rows of a column apart? */
static bool check_constant(const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                           const double *X, crease_error *e)
{
    const double *v = s->row_weight;
    ptrdiff_t first = 0;
    while (v && v[first] == 0) first++;
    for (ptrdiff_t j = 0; s->standardize && j < p; j++) {
        const double same = s->intercept ? X[first * p + j] : 0;
        ptrdiff_t i = first;
        while (i < n && (X[i * p + j] == same || (v && v[i] == 0))) i++;
        if (i == n)
            return crs_fail(e, CREASE_BAD_DATA,
                            "column %td of X is %g in every row and cannot be standardized; leave "
                            "it out, or do not standardize",
                            j + 1, same);
    }
    return true;
}

bool crs_regression_check(const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                          const double *X, const double *y, crease_error *e)
{
    ptrdiff_t entries, bytes;
    if (n < 2 || p < 1)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "X has %td row%s and %td column%s; regression needs at least 2 rows and 1 "
                        "column",
                        n, n == 1 ? "" : "s", p, p == 1 ? "" : "s");
    if (!crs_mul_size(n, p + 1, &entries) || !crs_mul_size(entries, 8, &bytes))
        return crs_fail(e, CREASE_BAD_SHAPE, "X is %td x %td: larger than memory can address", n,
                        p);
    const bool labels = s->loss == CREASE_REGRESSION_LOGISTIC;
    return check_settings(s, p, e) && check_X(n, p, X, e) && check_y(n, y, labels, e) &&
           check_row_weights(s, n, e) && check_constant(s, n, p, X, e);
}
