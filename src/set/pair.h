/* SPDX-License-Identifier: MIT
 * pair.h: what a regularizer and a set have in common, for joint.c and lmo_with.c */
#ifndef CRS_PAIR_H
#define CRS_PAIR_H

#include "reg/reg.h"
#include "set/set.h"

/* The regularizer as it acts on the set: alpha (base(x) + (nu/2)|x|^2). Factors are taken off,
 * squares split off, and what vanishes on the set is the zero penalty. */
typedef struct {
    crease_reg base;
    double alpha, nu;
} crs_form;

crs_form crs_form_on(const crease_reg *r, const crease_set *c, const crease_space *s);

/* The name in the catalogue of the regularizer, its factors taken off. */
const char *crs_reg_title(const crease_reg *r);

/* Is it zero? sum_j lambda_j |x_j|? The same, or zero, on x >= 0? sum_j lambda sigma_j(X)? */
bool crs_is_zero(const crease_reg *base);
bool crs_is_l1(const crease_reg *base);
bool crs_is_nonneg_l1(const crease_reg *base);
bool crs_is_nuclear(const crease_reg *base);
double crs_l1_at(const crease_reg *base, ptrdiff_t j); /* lambda_j */

/* A box: true, with its bounds. */
bool crs_set_bounds(const crease_set *c, crease_bounds *b);

/* Does x in the set imply y in the set whenever |y_j| <= |x_j|? The balls of vectors. */
bool crs_set_solid(const crease_set *c);

bool crs_set_nonnegative(const crease_set *c, const crease_space *s); /* x >= 0 on it */
bool crs_set_fixed_sum(const crease_set *c);                          /* sum x is constant on it */

/* The names of the sets of the catalogue that `accepts` r, joined by commas, into text. */
typedef bool crs_accepts(const crease_reg *r, const crease_set *c, const crease_space *s);
void crs_name_partners(crs_accepts *accepts, const crease_reg *r, const crease_space *s, char *text,
                       size_t size);

crs_accepts crs_joint_accepts; /* is there an exact joint prox? (joint.c) */

#endif
