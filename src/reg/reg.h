/* SPDX-License-Identifier: MIT
 * reg.h: shared by the files of this folder */
#ifndef CRS_REG_H
#define CRS_REG_H

#include <crease/reg.h>
#include <crease/set.h>

#include "core/core.h"

#define PENALTY(symbol, name) extern const crease_penalty crs_##symbol;
#define ALIAS(name, kind, symbol)
#define REG(symbol, name) extern const crease_reg_ops crs_##symbol##_ops;
#include "reg/list.def"
#undef PENALTY
#undef ALIAS
#undef REG

extern const crease_reg_ops crs_separable_ops, crs_nonneg_ops, crs_group_ops, crs_spectral_ops,
    crs_scaled_ops;

/* The scalar regularizer weight * rho(|x|), from which the vector ones are made (scalar.c). */
typedef struct {
    const crease_penalty *p;
    const double *par;
    double weight;
} crs_scalar;

double crs_scalar_value(const crs_scalar *r, double x);
double crs_scalar_prox(const crs_scalar *r, double t, double v);
double crs_scalar_prox_box(const crs_scalar *r, double t, double v, double low, double high);
double crs_scalar_dist(const crs_scalar *r, double x, double g);
double crs_scalar_dist_box(const crs_scalar *r, double x, double g, double low, double high);

static inline crs_scalar scalar_at(const crease_reg *r, ptrdiff_t j)
{
    return (crs_scalar){ r->penalty, r->par, r->weight ? r->weight[j] : 1 };
}

static inline double lower_at(const crease_bounds *b, ptrdiff_t j)
{
    return b->lower ? b->lower[j] : b->low;
}

static inline double upper_at(const crease_bounds *b, ptrdiff_t j)
{
    return b->upper ? b->upper[j] : b->high;
}

/* Shared by the kinds made from a penalty: parameters in range, `count` weights finite, >= 0. */
bool crs_check_penalty(const crease_reg *r, ptrdiff_t count, crease_error *e);
double crs_weight_norm(const crease_reg *r, ptrdiff_t count); /* |weights|_2 */
double crs_weight_max(const crease_reg *r, ptrdiff_t count);

/* x = v scaled into |x|_2 <= radius. */
void crs_into_ball(ptrdiff_t n, double radius, const double *v, double *x);

#endif
