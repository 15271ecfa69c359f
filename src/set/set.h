/* SPDX-License-Identifier: MIT
 * set.h: sets as their folder and its neighbours see them */
#ifndef CRS_SET_H
#define CRS_SET_H

#include <crease/set.h>

#include "core/core.h"

#define SET(symbol) extern const crease_set_ops crs_##symbol##_ops;
#include "set/list.def"
#undef SET

/* Ranges that several sets have: [-R, R], [0, R] with R = par[0], and [0, 1]. */
void crs_range_of_ball(const crease_set *c, const crease_space *s, double *low, double *high);
void crs_range_of_simplex(const crease_set *c, const crease_space *s, double *low, double *high);
void crs_range_unit(const crease_set *c, const crease_space *s, double *low, double *high);

/* Sets that sort refuse a vector split over ranks. */
bool crs_check_whole(const crease_set *c, const crease_space *s, crease_error *e);

/* One double of work for each entry. */
ptrdiff_t crs_scratch_entries(const crease_set *c, const crease_space *s);

/* A set built from others has a projection only when they have. */
bool crs_check_projects(const crease_set *c, const crease_set *inner, crease_error *e);

static inline double total_size(const crease_space *s) /* over all ranks */
{
    return crease_sum(s, (double)crease_size(s));
}

/* The parameter k of a set, at most n. */
static inline ptrdiff_t count_within(double k, ptrdiff_t n)
{
    return k < (double)n ? (ptrdiff_t)k : n;
}

static inline double sign(double t) { return t > 0 ? 1 : t < 0 ? -1 : t == 0 ? 0 : t; }

/* A sum with the rounding errors carried along (Knuth's two-sum); infinities and NaN survive. */
typedef struct {
    double sum, low;
} crs_total;

static inline void accumulate(crs_total *t, double x)
{
    const double sum = t->sum + x, part = sum - t->sum;
    t->low += (t->sum - (sum - part)) + (x - part);
    t->sum = sum;
}

static inline double total(const crs_total *t)
{
    return isfinite(t->sum) ? t->sum + t->low : t->sum;
}

double crs_sum(ptrdiff_t n, const double *x);
double crs_abs_sum(ptrdiff_t n, const double *x);
void crs_magnitudes(ptrdiff_t n, const double *x, double *out);
bool crs_any_nan(ptrdiff_t n, const double *x);
bool crs_nan_through(ptrdiff_t n, const double *v, double *x); /* if any in v: x is all NaN */
double crs_max_all(const crease_space *s, double local);       /* a NaN on any rank gives NaN */

/* (sum |t|^p)^{1/p} term by term, without overflow. */
typedef struct {
    double p, scale;
    crs_total sum;
} crs_power;

void crs_power_add(crs_power *t, double x);
double crs_power_root(const crs_power *t, const crease_space *s);

/* a[0..k) become the k largest of a[0..n), the least of them first; no NaN. */
void crs_largest(ptrdiff_t n, ptrdiff_t k, double *a);

/* Descending; `carry` (NULL: none) moves along and, ascending, orders equal entries. */
void crs_sort(ptrdiff_t n, double *a, double *carry);

/* Which entries are among the k largest keys; of equal ones the first. */
typedef struct {
    double least;
    ptrdiff_t ties;
} crs_pick;

crs_pick crs_pick_largest(ptrdiff_t n, ptrdiff_t k, double *key); /* rearranges key */
static inline bool picked(crs_pick *p, double key)
{
    const bool tied = key == p->least && p->ties > 0;
    p->ties -= tied;
    return tied || key > p->least;
}

/* The root of sum_j clip(v_j - mu, 0, h) = k h, with mu kept relative to an entry of v so that
 * the sum holds to the rounding of h whatever the size of v. */
typedef struct {
    double from, mu, h;
} crs_level;

crs_level crs_find_level(ptrdiff_t n, ptrdiff_t k, double h, double *v); /* rearranges v */
static inline double level_at(const crs_level *l, double v)
{
    return clip((v - l->from) - l->mu, 0, l->h);
}

/* {x : 0 <= x_j <= h, sum x = k h}; work has n doubles. */
void crs_hypersimplex_project(ptrdiff_t n, ptrdiff_t k, double h, const double *v, double *x,
                              double *work);
void crs_hypersimplex_lmo(ptrdiff_t n, ptrdiff_t k, double h, const double *g, double *y,
                          double *work);
double crs_hypersimplex_support(ptrdiff_t n, ptrdiff_t k, double h, const double *w, double *work);

/* By how much x leaves the bounds, over all ranks (box.c). */
double crs_outside(const crease_space *s, const crease_bounds *b, const double *x);

/* Of sets with bounds: dist(v, N(x)) (box.c). */
double crs_box_dist_normal(const crease_set *c, const crease_space *s, const double *x,
                           const double *v, double *work);

/* Sets that are a row on a box (row.c): operations of their tables. project has 2 n doubles of work
 * and, over ranks, takes a row without bounds alone. */
double crs_row_excess(const crease_set *c, const crease_space *s, const double *x, double *work);
void crs_row_project(const crease_set *c, const crease_space *s, const double *v, double *x,
                     double *work);
double crs_row_dist_normal(const crease_set *c, const crease_space *s, const double *x,
                           const double *v, double *work);

/* a is there, finite, not all 0, and with as many numbers as were counted (0: not counted). */
bool crs_check_row(const crease_set *c, const crease_space *s, const double *a, double counted,
                   crease_error *e);

/* The same for a row and a separable r: x, v on entry, becomes the minimizer of r + |x-v|^2/(2t),
 * t times the weak convexity of r below 1; dist(g, d(r + indicator)(x)), r weakly convex; and the
 * mu of it. */
void crs_row_prox(const crease_row *row, const crease_reg *r, const crease_space *s, double t,
                  double *x);
double crs_row_dist(const crease_row *row, const crease_reg *r, const crease_space *s,
                    const double *x, const double *g);
double crs_joint_multiplier(const crease_reg *r, const crease_set *c, const crease_space *s,
                            const double *x, const double *g, double *work);
double crs_row_multiplier(const crease_row *row, const crease_reg *r, const crease_space *s,
                          const double *x, const double *g);

/* The whole matrix is held here; it is square besides. */
bool crs_matrix_whole(const crease_set *c, const crease_space *s, crease_error *e);
bool crs_matrix_square(const crease_set *c, const crease_space *s, crease_error *e);

/* h = (x + x')/2; x = sum_k w_k q_k q_k', w >= 0, of the rows of q, which are used up. */
void crs_symmetrize(ptrdiff_t n, const double *x, double *h);
void crs_psd_compose(ptrdiff_t n, const double *w, double *q, double *x);

/* The min(m,n) singular values of x at the start of work (crs_thin_scratch doubles), NaN when x is
 * not finite; and their sum. */
const double *crs_spectrum(const crease_space *s, const double *x, double *work);
double crs_spectrum_sum(const crease_space *s, const double *sigma);

/* A box: true, with its bounds. */
static inline bool crs_set_bounds(const crease_set *c, crease_bounds *b)
{
    if (c->ops->bounds) *b = c->ops->bounds(c);
    return c->ops->bounds;
}

#endif
