/* SPDX-License-Identifier: MIT
 * tucker_draw.h: a tensor of known Tucker ranks, or a matrix, with outliers of ten deviations and
 * noise */
#ifndef CREASE_TUCKER_DRAW_H
#define CREASE_TUCKER_DRAW_H

#include "support/test.h"

#include "rpca/tucker/tucker.h"

typedef struct {
    crease_space shape, truth;
    double outliers, noise;
    crease_space asked; /* ranks of a fit, where they are not the true ones */
} tucker_draw;

static inline crease_tucker_instance *draw(const tucker_draw *c, uint64_t seed)
{
    crease_error e;
    crease_tucker_recipe r = { .parts = crease_cp_recipe_default(&c->shape, 1),
                               .ranks = c->truth,
                               .diagonal = c->shape.order == 2 };
    r.parts.outliers = c->outliers;
    r.parts.magnitude = 10;
    r.parts.noise = c->noise;
    r.parts.seed = seed;
    crease_tucker_instance *made = crease_tucker_generate(&r, &e);
    if (!made) fail_msg("%s", e.text);
    return made;
}

#endif
