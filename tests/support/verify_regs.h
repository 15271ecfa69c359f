/* SPDX-License-Identifier: MIT
 * verify_regs.h: every kind of regularizer on 3 x 3 matrices, in problems with f = <c, x> */
#ifndef CREASE_VERIFY_REGS_H
#define CREASE_VERIFY_REGS_H

#include "support/penalties.h"
#include "support/verify_test.h"

enum { N = 9, KINDS = 6 };

static const crease_space square_space = { 2, { 3, 3 }, NULL };
static const ptrdiff_t starts[] = { 0, 2, 5, 9 }, shuffled[] = { 4, 0, 7, 1, 8, 2, 3, 6, 5 };
static const crease_groups groups = { 3, starts, shuffled };
static const double weights[N] = { 0.5, 1, 2, 0, 1.5, 1, 0.25, 3, 1 };

static inline crease_reg made(int kind, const crease_penalty *p, const double *par,
                              crease_reg *inner)
{
    *inner = crease_separable(p, par);
    return kind == 0   ? *inner
           : kind == 1 ? crease_weighted(*inner, weights)
           : kind == 2 ? crease_nonneg(p, par)
           : kind == 3 ? crease_group(p, par, &groups)
           : kind == 4 ? crease_spectral(p, par)
                       : crease_scaled(0.7, inner);
}

/* One block with f = <c, x>. */
static inline bool compare(const char *what, const crease_space *s, const crease_reg *r,
                           const crease_set *set, const double *x, const double *c)
{
    const double *const linear[] = { c }, *const at[] = { x };
    const crease_quadratic_data q = { .linear = linear, .blocks = 1 };
    const crease_block block = { .reg = *r, .set = set };
    const crease_problem p = { .count = 1, .space = s, .block = &block, .f = crease_quadratic(&q) };
    if (crease_setting(&p, 0, NULL) == 0) return false;
    assert_agree(what, &p, at, NULL);
    return true;
}

#endif
