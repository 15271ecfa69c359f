/* SPDX-License-Identifier: MIT
 * helpers: what several sets use: sums, NaN, p-norms, sorting and the k largest, levels, the
 * hypersimplex, singular values */
#include "dense/dense.h"
#include "set/set.h"

double crs_sum(ptrdiff_t n, const double *x)
{
    crs_total sum = { 0, 0 };
    for (ptrdiff_t j = 0; j < n; j++) accumulate(&sum, x[j]);
    return total(&sum);
}

double crs_abs_sum(ptrdiff_t n, const double *x)
{
    crs_total sum = { 0, 0 };
    for (ptrdiff_t j = 0; j < n; j++) accumulate(&sum, fabs(x[j]));
    return total(&sum);
}

void crs_magnitudes(ptrdiff_t n, const double *x, double *out)
{
    for (ptrdiff_t j = 0; j < n; j++) out[j] = fabs(x[j]);
}

bool crs_any_nan(ptrdiff_t n, const double *x)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (isnan(x[j])) return true;
    return false;
}

bool crs_nan_through(ptrdiff_t n, const double *v, double *x)
{
    const bool found = crs_any_nan(n, v);
    if (found) fill(n, NAN, x);
    return found;
}

/* NaN crosses ranks by the sum, for which it is defined. */
double crs_max_all(const crease_space *s, double local)
{
    const bool bad = isnan(local);
    const double mark = crease_sum(s, bad ? NAN : 0);
    return mark + crease_max(s, bad ? 0 : local);
}

/* Every power is of a ratio <= 1. */
void crs_power_add(crs_power *t, double x)
{
    const double a = fabs(x);
    if (a > t->scale) {
        const double ratio = pow(t->scale / a, t->p);
        t->sum = (crs_total){ t->sum.sum * ratio, t->sum.low * ratio };
        t->scale = a;
    }
    if (a != 0) accumulate(&t->sum, a == t->scale ? 1 : pow(a / t->scale, t->p));
}

double crs_power_root(const crs_power *t, const crease_space *s)
{
    const double scale = crease_max(s, t->scale), here = total(&t->sum);
    const double ratio = t->scale == scale ? 1 : pow(t->scale / scale, t->p);
    return scale * pow(crease_sum(s, here * ratio), 1 / t->p);
}

/* Sorting and the k largest with a binary heap, whose root comes last in descending order. */
static bool later(const double *a, const double *carry, ptrdiff_t i, ptrdiff_t j)
{
    return a[i] < a[j] || (carry && a[i] == a[j] && carry[i] > carry[j]);
}

static void swap(double *a, ptrdiff_t i, ptrdiff_t j)
{
    const double t = a[i];
    a[i] = a[j];
    a[j] = t;
}

static void exchange(double *a, double *carry, ptrdiff_t i, ptrdiff_t j)
{
    swap(a, i, j);
    if (carry) swap(carry, i, j);
}

static void sift(ptrdiff_t n, double *a, double *carry, ptrdiff_t i)
{
    for (ptrdiff_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && later(a, carry, child + 1, child)) child++;
        if (!later(a, carry, child, i)) return;
        exchange(a, carry, i, child);
        i = child;
    }
}

static void make_heap(ptrdiff_t n, double *a, double *carry)
{
    for (ptrdiff_t i = n / 2; i-- > 0;) sift(n, a, carry, i);
}

void crs_sort(ptrdiff_t n, double *a, double *carry)
{
    make_heap(n, a, carry);
    for (ptrdiff_t end = n; end-- > 1;) {
        exchange(a, carry, 0, end);
        sift(end, a, carry, 0);
    }
}

void crs_largest(ptrdiff_t n, ptrdiff_t k, double *a)
{
    make_heap(k, a, NULL);
    for (ptrdiff_t j = k; j < n; j++) {
        if (!(a[j] > a[0])) continue;
        swap(a, 0, j);
        sift(k, a, NULL, 0);
    }
}

crs_pick crs_pick_largest(ptrdiff_t n, ptrdiff_t k, double *key)
{
    crs_largest(n, k, key);
    crs_pick pick = { key[0], 0 };
    for (ptrdiff_t j = 0; j < k; j++) pick.ties += key[j] == pick.least;
    return pick;
}

/* The root mu of g(mu) = sum_j clip(v_j - mu, 0, h) = k h, exactly. With v_(k) the k-th largest
 * entry, g(v_(k)) <= (k-1) h and g(v_(k) - h) >= k h. Measured from v_(k), mu lies in [-h, 0],
 * where g has one breakpoint for each w_j = v_j - v_(k) in (-h, h): coming down from 0, an entry
 * w_j <= 0 starts to count at w_j, and w_j > 0 is full at w_j - h. Both lists are sorted and merged
 * until the linear piece with the root is found. */
typedef struct {
    crs_total sum;  /* of the entries that are neither 0 nor full */
    double active;  /* how many these are */
    double missing; /* k minus the number of full entries */
} piece;

static double sweep(piece p, double h, const double *low, ptrdiff_t lows, const double *high,
                    ptrdiff_t highs)
{
    for (ptrdiff_t i = 0, j = 0;;) {
        const double start = i < lows ? low[i] : -h, full = j < highs ? high[j] - h : -h;
        const double next = larger(start, full);
        if (next <= -h || total(&p.sum) - p.active * next >= p.missing * h) break;
        if (start >= full) {
            accumulate(&p.sum, low[i++]);
            p.active++;
        } else {
            accumulate(&p.sum, -high[j++]);
            p.active--;
            p.missing--;
        }
    }
    return ((p.sum.sum - p.missing * h) + p.sum.low) / p.active;
}

crs_level crs_find_level(ptrdiff_t n, ptrdiff_t k, double h, double *v)
{
    crs_largest(n, k, v);
    const double from = v[0];
    if (k == n) return (crs_level){ from, -h, h };

    piece p = { { 0, 0 }, 0, (double)k };
    ptrdiff_t lows = 0, highs = 0;
    for (ptrdiff_t j = 0; j < k; j++) {
        const double w = v[j] - from;
        const bool full = w >= h;
        p.missing -= full;
        p.active += !full;
        if (full || w == 0) continue;
        accumulate(&p.sum, w);
        v[highs++] = w;
    }
    for (ptrdiff_t j = k; j < n; j++) {
        const double w = v[j] - from;
        if (w > -h) v[k + lows++] = w;
    }
    crs_sort(highs, v, NULL);
    crs_sort(lows, v + k, NULL);
    return (crs_level){ from, sweep(p, h, v + k, lows, v, highs), h };
}

/* The common form of the simplex (k = 1, h = R) and the capped simplex (h = 1); its vertices have k
 * entries h and the others 0. */
void crs_hypersimplex_project(ptrdiff_t n, ptrdiff_t k, double h, const double *v, double *x,
                              double *work)
{
    if (crs_nan_through(n, v, x)) return;
    copy(n, v, work);
    const crs_level level = crs_find_level(n, k, h, work);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = level_at(&level, v[j]);
}

void crs_hypersimplex_lmo(ptrdiff_t n, ptrdiff_t k, double h, const double *g, double *y,
                          double *work)
{
    if (crs_nan_through(n, g, y)) return;
    for (ptrdiff_t j = 0; j < n; j++) work[j] = -g[j];
    crs_pick pick = crs_pick_largest(n, k, work);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = picked(&pick, -g[j]) ? h : 0;
}

double crs_hypersimplex_support(ptrdiff_t n, ptrdiff_t k, double h, const double *w, double *work)
{
    if (crs_any_nan(n, w)) return NAN;
    copy(n, w, work);
    crs_largest(n, k, work);
    return h * crs_sum(k, work);
}

bool crs_matrix_whole(const crease_set *c, const crease_space *s, crease_error *e)
{
    if (!s->comm) return true;
    return crs_fail(e, CREASE_UNSUPPORTED,
                    "%s needs the whole matrix on one process but the space is shared among "
                    "ranks; give a space without comm",
                    c->ops->name);
}

bool crs_matrix_square(const crease_set *c, const crease_space *s, crease_error *e)
{
    if (s->dim[0] == s->dim[1]) return crs_matrix_whole(c, s, e);
    return crs_fail(e, CREASE_BAD_SHAPE,
                    "%s is a set of square matrices but the point is %td x %td; give it as many "
                    "rows as columns",
                    c->ops->name, s->dim[0], s->dim[1]);
}

const double *crs_spectrum(const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    crs_singular_values(m, n, x, work, work + crs_short_side(m, n));
    return work;
}

double crs_spectrum_sum(const crease_space *s, const double *sigma)
{
    double sum = 0; /* the smallest first */
    for (ptrdiff_t j = crs_short_side(s->dim[0], s->dim[1]); j-- > 0;) sum += sigma[j];
    return sum;
}

void crs_symmetrize(ptrdiff_t n, const double *x, double *h)
{
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) h[i * n + j] = 0.5 * x[i * n + j] + 0.5 * x[j * n + i];
}

/* By the roots of w: symmetric to the last bit. */
void crs_psd_compose(ptrdiff_t n, const double *w, double *q, double *x)
{
    for (ptrdiff_t k = 0; k < n; k++) {
        const double root = sqrt(w[k]);
        for (ptrdiff_t j = 0; j < n; j++) q[k * n + j] *= root;
    }
    crs_gram(n, n, q, x);
}

void crs_range_of_ball(const crease_set *c, const crease_space *s, double *low, double *high)
{
    (void)s;
    *low = -c->par[0], *high = c->par[0];
}

void crs_range_of_simplex(const crease_set *c, const crease_space *s, double *low, double *high)
{
    (void)s;
    *low = 0, *high = c->par[0];
}

void crs_range_unit(const crease_set *c, const crease_space *s, double *low, double *high)
{
    (void)c, (void)s;
    *low = 0, *high = 1;
}
