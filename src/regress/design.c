/* SPDX-License-Identifier: MIT
 * design: what can be wrong with settings and data; values, slopes and curvatures of the losses
 * along the scores; and the columns of X, centred and scaled, one after the other, groups together
 *
 * phi(u) - phi'(0) u is an even function that is concave in u^2, so that
 * omega(u) = (phi'(u) - phi'(0))/u >= phi''(u) is the curvature of a quadratic above phi that
 * touches it at u (half-quadratic majorant; Jaakkola and Jordan 2000 for the logistic loss).
 * With an intercept the columns are centred. The squared loss then needs no column of ones: the
 * best b_0 is the mean of y - Z b, which is that of y. A sparse X is not filled in: the means stay
 * beside the entries. Columns that are constant, of which a fold may have some, become 0. */
#include <stdlib.h>

#include "core/parallel.h"
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
        if (!(s->lambda[k] >= 0 && s->lambda[k] < INFINITY &&
              (k == 0 || s->lambda[k] < s->lambda[k - 1])))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "lambda %td is %g; give finite numbers >= 0 in descending order", k + 1,
                            s->lambda[k]);
    return true;
}

/* Without a penalty more columns than rows leave a choice, and nothing to choose by. */
static bool check_unpenalized(const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                              crease_error *e)
{
    const bool none = s->lambda && s->lambda[s->path - 1] == 0;
    return !none || p + s->intercept <= n ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "lambda 0 leaves %td columns%s without a penalty, more than the %td rows can "
                    "tell apart; give lambdas > 0",
                    p, s->intercept ? " and an intercept" : "", n);
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

static bool refuse_entry(ptrdiff_t i, ptrdiff_t j, double x, crease_error *e)
{
    return crs_fail(e, CREASE_BAD_DATA, "row %td, column %td of X is %g; %s", i + 1, j + 1, x,
                    isfinite(x) ? "rescale the column"
                                : "give finite numbers, or leave the row out");
}

static bool check_sparse(const crease_csr_matrix *X, crease_error *e)
{
    for (ptrdiff_t i = 0; i < X->rows; i++)
        for (ptrdiff_t k = X->start[i]; k < X->start[i + 1]; k++) {
            const ptrdiff_t j = X->col[k];
            if (j < 0 || j >= X->cols || (k > X->start[i] && j <= X->col[k - 1]))
                return crs_fail(e, CREASE_BAD_DATA,
                                "row %td of X has column %td out of its order; sort the columns of "
                                "every row, each once, from 1 to %td",
                                i + 1, j + 1, X->cols);
            if (!usable(X->value[k])) return refuse_entry(i, j, X->value[k], e);
        }
    return true;
}

static bool check_X(const crs_table *X, crease_error *e)
{
    if (X->sparse) return check_sparse(X->sparse, e);
    for (ptrdiff_t k = 0; k < X->n * X->p; k++)
        if (!usable(X->dense[k])) return refuse_entry(k / X->p, k % X->p, X->dense[k], e);
    return true;
}

/* The numbers of X */
static ptrdiff_t numbers_of(const crs_table *X, const double **at)
{
    *at = X->sparse ? X->sparse->value : X->dense;
    return X->sparse ? X->sparse->start[X->n] : X->n * X->p;
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

/* Rows of weight 0 are of no class. */
static bool check_y(ptrdiff_t n, const double *y, const double *v, bool labels, crease_error *e)
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
        low = low || (y[i] != 1 && !(v && v[i] == 0));
        high = high || (y[i] == 1 && !(v && v[i] == 0));
        if (!(y[i] == 1 || y[i] == 0 || y[i] == -1) || (zeros && minuses))
            return crs_fail(e, CREASE_BAD_DATA,
                            "entry %td of y is %g; logistic regression takes labels 0 and 1, or -1 "
                            "and 1",
                            i + 1, y[i]);
    }
    if (!labels) return check_small("y", n, y, e);
    return (low && high) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "every entry of y%s is %g; logistic regression needs both classes",
                    v ? " with a weight" : "",
                    high      ? 1.0
                    : minuses ? -1.0
                              : 0.0);
}

/* Two rows that count: one alone is fitted by the intercept. */
static bool check_row_weights(const crease_regression_settings *s, ptrdiff_t n, crease_error *e)
{
    ptrdiff_t some = 0;
    if (!s->row_weight) return true;
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

bool crs_regression_check_settings(const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                                   crease_error *e)
{
    if (n < 2 || p < 1)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "X has %td row%s and %td column%s; regression needs at least 2 rows and 1 "
                        "column",
                        n, n == 1 ? "" : "s", p, p == 1 ? "" : "s");
    return check_settings(s, p, e) && check_unpenalized(s, n, p, e);
}

bool crs_regression_check(const crease_regression_settings *s, const crs_table *X, const double *y,
                          crease_error *e)
{
    const ptrdiff_t n = X->n, p = X->p;
    const double *at;
    ptrdiff_t entries, bytes;
    if (!X->sparse && n > 1 && p > 0 &&
        (!crs_mul_size(n, p + 1, &entries) || !crs_mul_size(entries, 8, &bytes)))
        return crs_fail(e, CREASE_BAD_SHAPE, "X is %td x %td: larger than memory can address", n,
                        p);
    const bool labels = s->loss == CREASE_REGRESSION_LOGISTIC;
    if (!crs_regression_check_settings(s, n, p, e) || !check_X(X, e)) return false;
    const ptrdiff_t numbers = numbers_of(X, &at);
    return (s->standardize || check_small("X", numbers, at, e)) && check_row_weights(s, n, e) &&
           check_y(n, y, s->row_weight, labels, e);
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

typedef struct {
    double at, weight;
} mass;

static int ascending(const void *a, const void *b)
{
    const double s = ((const mass *)a)->at, t = ((const mass *)b)->at;
    return (s > t) - (s < t);
}

/* The middle of all numbers with half of the weight, up to rounding, on either side. */
static double median(ptrdiff_t n, mass *t)
{
    double all = 0, below = 0;
    ptrdiff_t low = -1, high = 0;
    qsort(t, (size_t)n, sizeof *t, ascending);
    for (ptrdiff_t i = 0; i < n; i++) all += t[i].weight;
    for (ptrdiff_t i = 0; i < n; i++) {
        below += t[i].weight;
        high = i;
        if (low < 0 && below >= all / 2 * (1 - 1e-12)) low = i;
        if (below > all / 2 * (1 + 1e-12)) break;
    }
    return (t[low < 0 ? high : low].at + t[high].at) / 2;
}

const crs_loss *crs_regression_loss_at(crease_regression_loss loss) { return losses[loss].loss; }

/* The median distance of y from its median, over 0.6745. */
bool crs_loss_scale(const crease_regression_settings *s, ptrdiff_t n, const double *y, double *c,
                    crease_error *e)
{
    const entry *at = &losses[s->loss];
    *c = at->scale > 0 ? s->loss_scale : 1;
    if (*c > 0) return true;
    mass *t = crs_alloc((size_t)n, sizeof *t);
    if (!t) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the spread of %td numbers", n);
    for (ptrdiff_t i = 0; i < n; i++) t[i] = (mass){ y[i], s->row_weight ? s->row_weight[i] : 1 };
    const double middle = median(n, t);
    for (ptrdiff_t i = 0; i < n; i++) t[i].at = fabs(t[i].at - middle);
    *c = median(n, t) / 0.6745 * at->scale;
    crs_free(t);
    return *c > 0 || crs_fail(e, CREASE_BAD_DATA,
                              "more than half of y is equal, which says nothing about the scale "
                              "of the %s loss; give it, as %s:1",
                              at->name, at->name);
}

double crs_loss_sum(const crs_design *d, const double *e)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < d->n; i++) {
        const double value = d->loss->value(unit_scale, loss_argument(d, e, i));
        sum += !d->root ? value : d->root[i] > 0 ? d->row[i] * value : 0;
    }
    return sum;
}

void crs_loss_slopes(const crs_design *d, const double *e, double *s)
{
    if (d->loss->quadratic) {
        for (ptrdiff_t i = 0; i < d->n; i++) s[i] = e[i] - d->y[i];
        return;
    }
    for (ptrdiff_t i = 0; i < d->n; i++) {
        const double slope = d->loss->slope(unit_scale, loss_argument(d, e, i));
        s[i] = (d->loss->ops.labels ? d->y[i] * slope : slope) * (d->root ? d->root[i] : 1);
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
        const double u = loss_argument(d, e, i), above = majorant(d->loss, u);
        h[i] = safe || !d->loss->curve ? above : larger(d->loss->curve(unit_scale, u), above / 16);
        if (d->root && d->root[i] == 0) h[i] = 0;
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
    if (!d->sparse && !d->taken) d->x = carve_doubles(m, d->n, d->cols);
    d->value = carve_doubles(m, d->entries, 1);
    d->shift = carve_doubles(m, d->sparse ? d->cols : 0, 1);
    d->r = carve_doubles(m, d->sparse ? d->n : 0, 1);
    d->first = carve_bytes(m, d->sparse ? d->cols + 1 : 0, sizeof *d->first);
    d->at = carve_bytes(m, d->entries, sizeof *d->at);
    d->y = carve_doubles(m, d->n, 1);
    d->row = d->weighted ? carve_doubles(m, d->n, 1) : NULL;
    d->root = d->weighted && !d->loss->quadratic ? carve_doubles(m, d->n, 1) : NULL;
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
    for (ptrdiff_t i = 0; d->root && i < d->n; i++) d->root[i] = sqrt(d->row[i]);
}

/* The entries of a sparse X by columns, in the order of the units. */
static bool sort_entries(crs_design *d, const crease_csr_matrix *X, crease_error *e)
{
    ptrdiff_t *next = crs_alloc((size_t)d->p, sizeof *next);
    if (!next) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td columns", d->p);
    for (ptrdiff_t k = 0; k < d->entries; k++) next[X->col[k]]++;
    for (ptrdiff_t j = 0; j < d->cols; j++)
        d->first[j + 1] = d->first[j] + (j < d->p ? next[d->column[j]] : 0);
    for (ptrdiff_t j = 0; j < d->p; j++) next[d->column[j]] = d->first[j];
    for (ptrdiff_t i = 0; i < d->n; i++) {
        d->r[i] = d->row ? sqrt(d->row[i]) : 1;
        for (ptrdiff_t k = X->start[i]; k < X->start[i + 1]; k++) {
            const ptrdiff_t to = next[X->col[k]]++;
            d->at[to] = i;
            d->value[to] = X->value[k];
        }
    }
    crs_free(next);
    return true;
}

/* Has column j one value in all rows that count, of which there are `rows`? */
static bool is_constant(const crs_design *d, ptrdiff_t j, ptrdiff_t rows)
{
    double low = INFINITY, high = -INFINITY;
    for (ptrdiff_t k = d->first[j]; k < d->first[j + 1]; k++) {
        if (d->r[d->at[k]] == 0) continue;
        low = smaller(low, d->value[k]);
        high = larger(high, d->value[k]);
        rows--;
    }
    return rows > 0 ? !(low < 0 || high > 0) : low == high;
}

/* The squares about the mean, of what is not there too. */
static void set_sparse_column(crs_design *d, const crease_regression_settings *s, ptrdiff_t j,
                              ptrdiff_t rows)
{
    const ptrdiff_t low = d->first[j], high = d->first[j + 1], from = d->column[j];
    const bool same = s->intercept && is_constant(d, j, rows);
    double sum = 0, squares = 0, met = 0;
    for (ptrdiff_t k = low; k < high; k++) sum += d->value[k] * square(d->r[d->at[k]]);
    const double center = s->intercept ? sum / (double)d->n : 0;
    for (ptrdiff_t k = low; k < high; k++) {
        squares += square((d->value[k] - center) * d->r[d->at[k]]);
        met += square(d->r[d->at[k]]);
    }
    squares += square(center) * larger(0, (double)d->n - met);
    const double size = sqrt(squares / (double)d->n);
    const double spread = s->standardize && !same && size > 0 ? size : 1;
    for (ptrdiff_t k = low; k < high; k++)
        d->value[k] = same ? 0 : d->value[k] * d->r[d->at[k]] / spread / d->c;
    d->shift[j] = same ? 0 : center / spread / d->c;
    d->center[from] = center;
    d->spread[from] = spread;
}

/* From the first that counts on: the mean of equal numbers is that number. Four sums take turns. */
static double mean_of(const crs_design *d, const double *t)
{
    double sum[4] = { 0 };
    ptrdiff_t first = 0, i;
    while (d->row && d->row[first] == 0) first++;
    const double from = t[first];
    for (i = first; i + 4 <= d->n && !d->row; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += t[i + k] - from;
    for (; i < d->n; i++) sum[0] += (t[i] - from) * (d->row ? d->row[i] : 1);
    return from + ((sum[0] + sum[2]) + (sum[1] + sum[3])) / (double)d->n;
}

static void weigh_rows(const crs_design *d, double *t)
{
    for (ptrdiff_t i = 0; d->row && i < d->n; i++) t[i] *= sqrt(d->row[i]);
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
    for (ptrdiff_t i = 0; i < n && spread != 1; i++) x[i] /= spread;
    for (ptrdiff_t i = 0; i < n && d->c != 1; i++) x[i] /= d->c;
    d->size[j] = crs_dot(n, x, x) / (double)n;
    d->center[from] = center;
    d->spread[from] = spread;
}

static double largest_that_counts(const crease_regression_settings *s, const crease_csr_matrix *X)
{
    double most = 0;
    for (ptrdiff_t i = 0; i < X->rows; i++)
        for (ptrdiff_t k = X->start[i]; k < X->start[i + 1]; k++)
            if (!s->row_weight || s->row_weight[i] > 0) most = larger(most, fabs(X->value[k]));
    return most;
}

/* The column of b_0 has the size of the others, a power of two: a certificate adds up the squares
 * of gradients in all columns, and beside much larger ones that of b_0 would go for nothing. */
static double size_of_one(const crease_regression_settings *s, const crs_table *from)
{
    const double *X = from->dense;
    const ptrdiff_t n = from->n, p = from->p;
    double most = 0;
    int k;
    if (from->sparse && !s->standardize) most = largest_that_counts(s, from->sparse);
    for (ptrdiff_t j = 0; X && !s->standardize && j < p; j++) {
        double low = INFINITY, high = -INFINITY;
        for (ptrdiff_t i = 0; i < n; i++) {
            if (s->row_weight && s->row_weight[i] == 0) continue;
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
        if (d->cols > d->p && d->x) d->x[d->p * d->n + i] = d->one / d->c;
        d->y[i] = d->loss->ops.labels ? (y[i] == 1 ? 1 : -1) : (y[i] - d->y_center) / d->c;
    }
    if (d->cols > d->p && d->x) weigh_rows(d, d->x + d->p * d->n);
    if (d->cols > d->p && d->sparse) d->shift[d->p] = -d->one / d->c;
    if (!d->root) weigh_rows(d, d->y);
}

/* *norm >= |x_u|_2 of a group: its columns are the rows of a matrix here. */
static bool bound_group(const crs_design *d, ptrdiff_t first, ptrdiff_t k, double *norm,
                        crease_error *e)
{
    if (!d->sparse) return crs_norm_bound(k, d->n, column_of(d, first), norm, e);
    double *x = crs_doubles(k * d->n, "a group of columns", e);
    if (!x) return false;
    for (ptrdiff_t j = 0; j < k; j++) column_fill(d, first + j, x + j * d->n);
    const bool done = crs_norm_bound(k, d->n, x, norm, e);
    crs_free(x);
    return done;
}

static bool set_lengths(crs_design *d, crease_error *e)
{
    const double all = d->sparse ? crs_dot(d->n, d->r, d->r) : 0;
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const ptrdiff_t first = d->start[u], k = unit_size(d, u);
        double norm = 0;
        for (ptrdiff_t j = first; j < first + k; j++)
            if (d->sparse || j == d->p) d->size[j] = column_curve(d, j, NULL, all) / (double)d->n;
        if (k > 1 && !bound_group(d, first, k, &norm, e)) return false;
        d->length[u] = k > 1 ? square(norm) / (double)d->n : d->size[first];
    }
    return true;
}

/* A raw X is divided by the scale of the loss. */
static bool check_proportion(const crs_design *d, const crease_regression_settings *s,
                             const crs_table *X, crease_error *e)
{
    const double *at;
    const ptrdiff_t count = numbers_of(X, &at);
    const double most = s->standardize ? 0 : largest(count, at), ratio = most / d->c;
    return most == 0 || (ratio >= SMALLEST && ratio <= LARGEST) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "the largest entry of X is %g and the scale of the loss %g, too far apart; "
                    "%s X by 1e%d, or standardize",
                    most, d->c, ratio > 1 ? "divide" : "multiply",
                    (int)lround(fabs(log10(most) - log10(d->c))));
}

static bool set_columns(crs_design *d, const crease_regression_settings *s, const crs_table *X,
                        crease_error *e)
{
    ptrdiff_t rows = 0;
    if (X->sparse && !sort_entries(d, X->sparse, e)) return false;
    for (ptrdiff_t i = 0; X->sparse && i < d->n; i++) rows += d->r[i] > 0;
    if (X->given)
        d->given = crs_turn_here(d->n, d->p, d->cols, d->column, X->given, &d->x, e);
    else if (X->dense)
        crs_turn(d->n, d->p, d->column, X->dense, d->x);
    if (X->given && !d->given) return false;
    for (ptrdiff_t j = 0; j < d->p; j++) {
        if (X->sparse)
            set_sparse_column(d, s, j, rows);
        else
            set_column(d, s, j);
    }
    return true;
}

bool crs_design_new(crs_design *d, const crease_regression_settings *s, const crs_table *X,
                    const double *y, crease_error *e)
{
    const ptrdiff_t n = X->n, p = X->p;
    const bool ones = s->intercept && !is_centred(s);
    const bool groups = crs_is_kind(&s->penalty, CREASE_KIND_GROUPS);
    *d = (crs_design){
        .n = n, .p = p, .cols = p + ones, .weighted = s->row_weight, .taken = X->given
    };
    d->units = (groups ? s->penalty.groups->count : p) + ones;
    d->sparse = X->sparse;
    d->entries = X->sparse ? X->sparse->start[n] : 0;
    d->one = ones ? size_of_one(s, X) : 1;
    d->loss = crs_regression_loss_at(s->loss);
    if (!crs_loss_scale(s, n, y, &d->c, e) || !check_proportion(d, s, X, e)) return false;
    d->memory = carve_block(carve, d);
    if (!d->memory)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a regression with %td columns",
                        d->cols);
    if (d->x) crs_large_pages(d->x, (size_t)n * (size_t)d->cols * sizeof *d->x);
    set_row_weights(d, s->row_weight);
    set_units(d, &s->penalty);
    if (!set_columns(d, s, X, e)) return false;
    set_rows(d, s, y);
    return set_lengths(d, e);
}
