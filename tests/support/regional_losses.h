/* SPDX-License-Identifier: MIT
 * regional_losses.h: the losses whose constants hold on bounded regions alone, and softmax and
 * powers of norms, on the model of losses.h with balls for regions */
#ifndef CREASE_TEST_REGIONAL_LOSSES_H
#define CREASE_TEST_REGIONAL_LOSSES_H

#include "support/losses.h"

enum { REGIONAL = 8 };

typedef struct {
    model m;
    double radius[3], count[ROWS], label[ROWS], d[N0];
    crease_power_data power;
} regional;

static const double quartic[] = { 0.3, -1, -2, 0.4, 0.7 }, cubic[] = { 0, 1, -0.5, 0.25 };

/* With an offset of 400 the means stay positive: |W_i| <= 12 and radii are up to 3. */
static inline crease_smooth make_regional(draws *d, int k, int terms, regional *r)
{
    static const double power[] = { 1.4, 3.5 };
    make_model(d, terms, 0, &r->m);
    for (int i = 0; i < 3; i++) r->radius[i] = 1 + i;
    r->m.blocks.radius = r->radius;
    for (int j = 0; j < ROWS; j++) r->count[j] = (double)(int)(5 * fabs(normal(d)));
    draw_vector(d, N0, 1, r->d);
    r->power = (crease_power_data){ 0, terms == 2 ? -0.8 : 1.7, power[k % 2], r->d };
    if (k == 4 || k == 5) {
        const ptrdiff_t classes = k == 4 ? 3 : 2;
        r->m.p.range = crease_matrix(ROWS / classes, classes);
        for (int j = 0; j < ROWS; j++) r->label[j] = (double)(j % (int)classes);
    }
    r->m.p.rhs = k < 2 ? r->count : k == 4 || k == 5 ? r->label : r->m.rhs;
    if (terms == 3) r->m.p.weight = r->m.weight;
    switch (k) {
    case 0:
        return crease_poisson(&r->m.p);
    case 1:
        return crease_poisson_identity(&r->m.p, 400);
    case 2:
        return crease_polynomial(&r->m.p, 4, quartic);
    case 3:
        return crease_polynomial(&r->m.p, 3, cubic);
    case 4:
    case 5:
        return crease_softmax(&r->m.p);
    default:
        return crease_norm_power(&r->power);
    }
}

#endif
