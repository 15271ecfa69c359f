/* SPDX-License-Identifier: MIT
 * reg.h: regularizers as their folder and its neighbours see them */
#ifndef CRS_REG_H
#define CRS_REG_H

#include <crease/reg.h>
#include <crease/set.h>

#include "core/checkpoint.h"
#include "core/core.h"
#include "dense/dense.h"

#define PENALTY(symbol, name) extern const crease_penalty crs_##symbol;
#define ALIAS(name, kind, symbol)
#define REG(symbol, name) extern const crease_reg_ops crs_##symbol##_ops;
#include "reg/list.def"
#undef PENALTY
#undef ALIAS
#undef REG

extern const crease_reg_ops crs_separable_ops, crs_weighted_l1_ops, crs_nonneg_ops, crs_group_ops,
    crs_spectral_ops;

/* 0, or NaN when y is. */
static inline double zero_at(double y) { return y == y ? 0 : y; }

/* A constant that exists only for lambda = 0: slope at 0, Lipschitz, weak convexity. */
static inline double unbounded(double lambda) { return lambda > 0 ? INFINITY : 0; }

/* The weighted penalty weight * rho(|x|) on the line, from which the regularizers of vectors and
 * the engines of the models are made (scalar.c). */
typedef struct {
    const crease_penalty *rho;
    double par[CREASE_PARS];
    double weight;
} crs_penalty_value;

static inline crs_penalty_value crs_penalty_of(const crease_penalty *rho, const double *par,
                                               double weight)
{
    crs_penalty_value a = { .rho = rho, .weight = weight };
    for (int k = 0, n = rho ? crease_param_count(rho->params) : 0; k < n; k++) a.par[k] = par[k];
    return a;
}

/* c = alpha_N/(1 + alpha_N): what is left of |Z - M|^2 + alpha_N |Y - E - Z|^2 after the least Z is
 * c |Y - E - M|^2. */
static inline double crs_noise_share(double alpha_noise) { return alpha_noise / (1 + alpha_noise); }

/* As its place in the catalogue: one of the user's own cannot be shown. */
void crs_visit_penalty(crs_visitor *v, crs_penalty_value *x);

double crs_scalar_value(const crs_penalty_value *r, double x);
double crs_scalar_prox(const crs_penalty_value *r, double t, double v);
double crs_scalar_prox_box(const crs_penalty_value *r, double t, double v, double low, double high);
/* The largest w with prox_{t r}(w) = 0. */
double crs_dead_zone(const crs_penalty_value *r, double t);
double crs_scalar_slope_before(const crs_penalty_value *r, double y); /* weight rho'(y-), y > 0  */
double crs_scalar_slope_after(const crs_penalty_value *r, double y);  /* weight rho'(y+), y >= 0 */
double crs_scalar_nearest(const crs_penalty_value *r, double x,
                          double g); /* of the subdifferential */
/* The same of w rho(|x|) and the indicator of [low, high], x in it. */
double crs_scalar_nearest_box(const crs_penalty_value *r, double x, double g, double low,
                              double high);
double crs_scalar_dist(const crs_penalty_value *r, double x, double g);
double crs_scalar_dist_box(const crs_penalty_value *r, double x, double g, double low, double high);

static inline double reg_weight(const crease_reg *r, ptrdiff_t j)
{
    return r->weight ? r->weight[j] : 1;
}

/* The penalty of r on its j-th entry, group or singular value. */
static inline crs_penalty_value scalar_at(const crease_reg *r, ptrdiff_t j)
{
    crs_penalty_value a = { .rho = r->penalty, .weight = reg_weight(r, j) };
    memcpy(a.par, r->par, sizeof a.par);
    return a;
}

static inline double lower_at(const crease_bounds *b, ptrdiff_t j)
{
    return b->lower ? b->lower[j] : b->low;
}

static inline double upper_at(const crease_bounds *b, ptrdiff_t j)
{
    return b->upper ? b->upper[j] : b->high;
}

/* Is r of a kind with a penalty, convex with r(a x) = a r(x), a >= 0? Then the ball merely scales.
 */
static inline bool has_homogeneous_penalty(const crease_reg *r)
{
    return r->penalty == &crs_l1 || r->penalty == &crs_zero;
}

static inline bool crs_is_kind(const crease_reg *r, crease_reg_kind kind) /* ops NULL: of none */
{
    return r->ops && r->ops->kind == kind;
}

/* A penalty by entries with nothing but its own parameters: alpha rho, the same for all. */
static inline bool crs_is_plain(const crease_reg *r)
{
    return crs_is_kind(r, CREASE_KIND_ENTRIES) && !r->weight;
}

/* r(x); of singular values as if x had one alone, which takes no decomposition. */
double crs_reg_size(const crease_reg *r, const crease_space *s, const double *x, double *work);

/* r without the factors of crease_scaled. */
static inline const crease_reg *crs_unscaled(const crease_reg *r)
{
    while (r->ops->kind == CREASE_KIND_SCALED) r = r->data;
    return r;
}

/* Its name in the catalogue, factors taken off. */
const char *crs_reg_name(const crease_reg *r);

/* A regularizer of the given kind made from a penalty; par is copied. */
crease_reg crs_from_penalty(const crease_reg_ops *kind, const crease_penalty *p, const double *par);

/* out = u^2 r(x/u), u > 0: the same regularizer for data in a unit 1/u as large. It may borrow r.
 * False: r is of a kind of which that is not known, or a parameter leaves the range of doubles. */
bool crs_reg_rescale(const crease_reg *r, double u, crease_reg *out);

/* Shared by the kinds made from a penalty: parameters in range, `count` weights finite, >= 0. */
bool crs_check_penalty(const crease_reg *r, ptrdiff_t count, crease_error *e);
double crs_weight_max(const crease_reg *r, ptrdiff_t count);

/* lambda sum |x_{j+1} - x_j| + mu |x|_1 (fused.c). */
crease_reg crs_fused(double lambda, double mu);

/* The minimizer of r(X) + |X-V|^2/(2t) over sigma_1(X) <= radius, for every t; r is a spectral
 * regularizer and work what it asks for. */
void crs_spectral_prox_spectral_ball(const crease_reg *r, const crease_space *s, double t,
                                     double radius, const double *v, double *x, double *work);

/* A spectral regularizer at points whose factors x = U diag(s) V', s > 0, are known, f->k of them:
 * the prox gives them, and value and dist need no decomposition. f->u on entry: memory of
 * crs_thin_scratch(m, n) doubles; work as r asks for it. False: all is NaN. */
bool crs_spectral_prox(const crease_reg *r, const crease_space *s, double t, const double *v,
                       double *x, crs_thin *f, double *work);
double crs_spectral_value(const crease_reg *r, const crs_thin *f);
double crs_spectral_dist(const crease_reg *r, const crs_thin *f, const double *g, double *work);

#endif
