/* SPDX-License-Identifier: MIT
 * design: what can be wrong with settings and data; values, slopes and curvatures of the losses
 * along the scores; and the columns of X, centred and scaled, one after the other, groups together
 *
 * phi(u) - phi'(0) u is an even function that is concave in u^2, so that
 * omega(u) = (phi'(u) - phi'(0))/u >= phi''(u) is the curvature of a quadratic above phi that
 * touches it at u (half-quadratic majorant; Jaakkola and Jordan 2000 for the logistic loss).
 * With an intercept the columns are centred. The squared loss then needs no column of ones: the
 * best b_0 is the mean of y - Z b, which is that of y. */
#include <stdlib.h>

#include "dense/dense.h"
#include "regress/regress.h"

enum { MOST_LAMBDAS = 100000 };
/* Squares and products of larger data overflow; where all are smaller, they vanish. */
static const double LARGEST = 1e140, SMALLEST = 1e-140;

static bool check_penalty(const crease_reg *r, ptrdiff_t p, crease_error *e)
{
    const crease_space s = crease_vector(p);
    const bool kind = crs_is_kind(r, CREASE_KIND_ENTRIES) || crs_is_kind(r, CREASE_KIND_GROUPS);
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

static double largest(ptrdiff_t n, const double *x)
{
    double most = 0;
    for (ptrdiff_t k = 0; k < n; k++) most = larger(most, fabs(x[k]));
    return most;
}

/* Is the largest of n numbers no smaller than can be squared, or 0? */
static bool check_small(const char *what, ptrdiff_t n, const double *x, crease_error *e)
{
    const double most = largest(n, x);
    return most == 0 || most >= SMALLEST ||
           crs_fail(
               e, CREASE_BAD_DATA,
               "the largest entry of %s is %g, and the square of such a number is smaller than "
               "a double can hold; multiply %s by 1e%d",
               what, most, what, (int)lround(-log10(most)));
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
    if (!labels) return check_small("y", n, y, e);
    return (low && high) ||
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
    return check_settings(s, p, e) && check_X(n, p, X, e) &&
           (s->standardize || check_small("X", n * p, X, e)) && check_y(n, y, labels, e) &&
           check_row_weights(s, n, e) && check_constant(s, n, p, X, e);
}

static const double unit_scale[CREASE_PARS] = { 1 }; /* delta of Huber: c has scaled u */

typedef struct {
    const crs_loss *loss;
    const char *name;
    double scale; /* of c; 0: the loss has no c */
} entry;

static const entry losses[] = {
#define X(name, text, meaning, loss, scale) { &crs_##loss, text, scale },
    CREASE_REGRESSION_LOSSES(X)
#undef X
};

crease_smooth crease_regression_smooth(crease_regression_loss loss, const crease_predictor *p)
{
    return (crease_smooth){ .ops = &losses[loss].loss->ops, .par = { 1 }, .data = p };
}

static int ascending(const void *a, const void *b)
{
    const double s = *(const double *)a, t = *(const double *)b;
    return (s > t) - (s < t);
}

static double median(ptrdiff_t n, double *t)
{
    qsort(t, (size_t)n, sizeof *t, ascending);
    return n % 2 ? t[n / 2] : (t[n / 2 - 1] + t[n / 2]) / 2;
}

/* d->loss by its name's number; d->c, from the spread of y where it is 0: the median distance from
 * the median, over 0.6745. */
static bool choose_loss(crs_design *d, const crease_regression_settings *s, const double *y,
                        crease_error *e)
{
    const entry *at = &losses[s->loss];
    d->loss = at->loss;
    d->c = at->scale > 0 ? s->loss_scale : 1;
    if (d->c > 0) return true;
    double *t = crs_doubles(d->n, "the spread of y", e);
    if (!t) return false;
    copy(d->n, y, t);
    const double middle = median(d->n, t);
    for (ptrdiff_t i = 0; i < d->n; i++) t[i] = fabs(y[i] - middle);
    d->c = median(d->n, t) / 0.6745 * at->scale;
    crs_free(t);
    return d->c > 0 || crs_fail(e, CREASE_BAD_DATA,
                                "more than half of y is equal, which says nothing about the scale "
                                "of the %s loss; give it, as %s:1",
                                at->name, at->name);
}

static double argument(const crs_design *d, const double *e, ptrdiff_t i)
{
    return d->loss->ops.labels ? d->y[i] * e[i] : e[i] - d->y[i];
}

double crs_loss_sum(const crs_design *d, const double *e)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < d->n; i++) sum += d->loss->value(unit_scale, argument(d, e, i));
    return sum;
}

void crs_loss_slopes(const crs_design *d, const double *e, double *s)
{
    if (d->loss->quadratic) {
        for (ptrdiff_t i = 0; i < d->n; i++) s[i] = e[i] - d->y[i];
        return;
    }
    for (ptrdiff_t i = 0; i < d->n; i++) {
        const double slope = d->loss->slope(unit_scale, argument(d, e, i));
        s[i] = d->loss->ops.labels ? d->y[i] * slope : slope;
    }
}

static double majorant(const crs_loss *loss, double u)
{
    if (fabs(u) < 0x1p-13) return loss->high;
    return (loss->slope(unit_scale, u) - loss->slope(unit_scale, 0)) / u;
}

/* Newton's curvature is kept within a factor of the safe one, so that steps stay bounded. */
void crs_loss_curves(const crs_design *d, const double *e, bool safe, double *h)
{
    for (ptrdiff_t i = 0; i < d->n; i++) {
        const double u = argument(d, e, i), above = majorant(d->loss, u);
        h[i] = safe || !d->loss->curve ? above : larger(d->loss->curve(unit_scale, u), above / 16);
    }
}

/* b_0 is eliminated */
static bool is_centred(const crease_regression_settings *s)
{
    return s->intercept && s->loss == CREASE_REGRESSION_SQUARED;
}

static void carve(void *self, crs_carver *m)
{
    crs_design *d = self;
    d->x = carve_doubles(m, d->n, d->cols);
    d->y = carve_doubles(m, d->n, 1);
    d->row = d->weighted ? carve_doubles(m, d->n, 1) : NULL;
    d->weight = carve_doubles(m, d->units, 1);
    d->size = carve_doubles(m, d->cols, 1);
    d->length = carve_doubles(m, d->units, 1);
    d->center = carve_doubles(m, d->p, 1);
    d->spread = carve_doubles(m, d->p, 1);
    d->start = carve_bytes(m, d->units + 1, sizeof *d->start);
    d->column = carve_bytes(m, d->cols, sizeof *d->column);
}

static void set_units(crs_design *d, const crease_reg *r)
{
    const crease_groups *a = crs_is_kind(r, CREASE_KIND_GROUPS) ? r->groups : NULL;
    for (ptrdiff_t j = 0; j < d->p; j++) d->column[j] = a && a->index ? a->index[j] : j;
    const ptrdiff_t count = a ? a->count : d->p;
    for (ptrdiff_t u = 0; u < count; u++) {
        d->start[u + 1] = a ? a->start[u + 1] : u + 1;
        const double own = a ? sqrt((double)unit_size(d, u)) : 1;
        d->weight[u] = (r->weight ? r->weight[u] : own) / square(d->c);
    }
    if (d->cols == d->p) return;
    d->column[d->p] = d->p; /* b_0, without a penalty */
    d->start[count + 1] = d->p + 1;
}

static void set_row_weights(crs_design *d, const double *v)
{
    double most = 0, sum = 0;
    if (!v) return;
    for (ptrdiff_t i = 0; i < d->n; i++) most = larger(most, v[i]);
    for (ptrdiff_t i = 0; i < d->n; i++) sum += v[i] / most;
    for (ptrdiff_t i = 0; i < d->n; i++) d->row[i] = v[i] / most / sum * (double)d->n;
}

/* From the first on: the mean of equal numbers is that number. */
static double mean_of(const crs_design *d, const double *t)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < d->n; i++) sum += (t[i] - t[0]) * (d->row ? d->row[i] : 1);
    return t[0] + sum / (double)d->n;
}

static void weigh_rows(const crs_design *d, double *t)
{
    for (ptrdiff_t i = 0; d->row && i < d->n; i++) t[i] *= sqrt(d->row[i]);
}

/* A few rows at a time, so that neighbours in memory are read and written together. */
static void transpose(crs_design *d, const double *X)
{
    enum { ROWS = 32 };
    for (ptrdiff_t low = 0; low < d->n; low += ROWS) {
        const ptrdiff_t high = low + ROWS < d->n ? low + ROWS : d->n;
        for (ptrdiff_t j = 0; j < d->p; j++)
            for (ptrdiff_t i = low; i < high; i++) d->x[j * d->n + i] = X[i * d->p + d->column[j]];
    }
}

/* Centre, scale, divide by c. */
static void set_column(crs_design *d, const crease_regression_settings *s, ptrdiff_t j)
{
    const ptrdiff_t n = d->n, from = d->column[j];
    double *x = d->x + j * n;
    const double center = s->intercept ? mean_of(d, x) : 0;
    for (ptrdiff_t i = 0; i < n; i++) x[i] -= center;
    weigh_rows(d, x);
    const double size = crs_norm(n, x) / sqrt((double)n);
    const double spread = s->standardize && size > 0 ? size : 1;
    for (ptrdiff_t i = 0; i < n; i++) x[i] = x[i] / spread / d->c;
    d->center[from] = center;
    d->spread[from] = spread;
}

/* The column of b_0 has the size of the others, a power of two: a certificate adds up the squares
 * of gradients in all columns, and beside much larger ones that of b_0 would go for nothing. */
static double size_of_one(const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                          const double *X)
{
    double most = 0;
    int k;
    for (ptrdiff_t j = 0; !s->standardize && j < p; j++) {
        double low = X[j], high = X[j];
        for (ptrdiff_t i = 1; i < n; i++) {
            low = smaller(low, X[i * p + j]);
            high = larger(high, X[i * p + j]);
        }
        most = larger(most, high - low);
    }
    frexp(most, &k);
    return abs(k) > CRS_ORDINARY ? ldexp(1, k) : 1;
}

static void set_rows(crs_design *d, const crease_regression_settings *s, const double *y)
{
    d->y_center = is_centred(s) ? mean_of(d, y) : 0;
    for (ptrdiff_t i = 0; i < d->n; i++) {
        if (d->cols > d->p) d->x[d->p * d->n + i] = d->one / d->c;
        d->y[i] = d->loss->ops.labels ? (y[i] == 1 ? 1 : -1) : (y[i] - d->y_center) / d->c;
    }
    weigh_rows(d, d->y);
}

/* |x_u|_2^2/n of a group: its columns are the rows of a matrix here. */
static bool set_lengths(crs_design *d, crease_error *e)
{
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const ptrdiff_t first = d->start[u], k = unit_size(d, u);
        double norm = 0;
        for (ptrdiff_t j = first; j < first + k; j++)
            d->size[j] = crs_dot(d->n, column_of(d, j), column_of(d, j)) / (double)d->n;
        if (k > 1 && !crs_norm_bound(k, d->n, column_of(d, first), &norm, e)) return false;
        d->length[u] = k > 1 ? square(norm) / (double)d->n : d->size[first];
    }
    return true;
}

/* A raw X is divided by the scale of the loss. */
static bool check_proportion(const crs_design *d, const crease_regression_settings *s,
                             const double *X, crease_error *e)
{
    const double most = s->standardize ? 0 : largest(d->n * d->p, X), ratio = most / d->c;
    return most == 0 || (ratio >= SMALLEST && ratio <= LARGEST) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "the largest entry of X is %g and the scale of the loss %g, too far apart; "
                    "%s X by 1e%d, or standardize",
                    most, d->c, ratio > 1 ? "divide" : "multiply",
                    (int)lround(fabs(log10(most) - log10(d->c))));
}

bool crs_design_new(crs_design *d, const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                    const double *X, const double *y, crease_error *e)
{
    const bool ones = s->intercept && !is_centred(s);
    const bool groups = crs_is_kind(&s->penalty, CREASE_KIND_GROUPS);
    *d = (crs_design){ .n = n, .p = p, .cols = p + ones, .weighted = s->row_weight };
    d->units = (groups ? s->penalty.groups->count : p) + ones;
    d->one = ones ? size_of_one(s, n, p, X) : 1;
    if (!choose_loss(d, s, y, e) || !check_proportion(d, s, X, e)) return false;
    d->memory = carve_block(carve, d);
    if (!d->memory)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a regression with %td columns",
                        d->cols);
    set_row_weights(d, s->row_weight);
    set_units(d, &s->penalty);
    transpose(d, X);
    for (ptrdiff_t j = 0; j < p; j++) set_column(d, s, j);
    set_rows(d, s, y);
    return set_lengths(d, e);
}
