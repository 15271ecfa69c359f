/* SPDX-License-Identifier: MIT
 * generate: random instances with their truth: T = C x_1 X_1 ... x_d X_d + E + B
 *
 * E and B are those of a CP instance of the same seed. */
#include "rpca/rpca.h"
#include "tensor/tensor.h"

#include <crease/tucker_rpca.h>

void crease_tucker_instance_free(crease_tucker_instance *c)
{
    if (!c) return;
    crease_cp_instance_free(c->parts);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(c->factor[n]);
    crs_free(c->core);
    crs_free(c);
}

static bool check(const crease_tucker_recipe *r, crease_error *e)
{
    const crease_space *shape = &r->parts.shape;
    if (r->ranks.order != shape->order)
        return crs_fail(e, CREASE_BAD_SHAPE, "%d ranks for %d modes; give one rank per mode",
                        r->ranks.order, shape->order);
    for (int n = 0; n < shape->order; n++)
        if (r->ranks.dim[n] < 1 || r->ranks.dim[n] > shape->dim[n])
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "rank %d is %td; give a number from 1 to the mode's length %td", n + 1,
                            r->ranks.dim[n], shape->dim[n]);
    return true;
}

static bool allocate(crease_tucker_instance *c, crease_error *e)
{
    const crease_space *shape = &c->recipe.parts.shape, *ranks = &c->recipe.ranks;
    for (int n = 0; n < shape->order; n++) {
        c->factor[n] = crs_doubles(shape->dim[n] * ranks->dim[n], "a factor", e);
        if (!c->factor[n]) return false;
    }
    c->core = crs_doubles(crease_size(ranks), "the core", e);
    return c->core;
}

static void draw_core(crease_tucker_instance *c)
{
    const crease_space *ranks = &c->recipe.ranks;
    const ptrdiff_t size = crease_size(ranks);
    ptrdiff_t step = 0, ones = ranks->dim[0];
    for (int n = 0; n < ranks->order; n++) {
        step = step * ranks->dim[n] + 1;
        ones = fewer(ones, ranks->dim[n]);
    }
    if (c->recipe.diagonal)
        for (ptrdiff_t k = 0; k < ones; k++) c->core[k * step] = 1 / sqrt((double)ones);
    else
        crs_normals(c->recipe.parts.seed, CRS_STREAM_CORE, size, c->core);
    for (ptrdiff_t j = 0; !c->recipe.diagonal && j < size; j++) c->core[j] /= sqrt((double)size);
}

static bool draw(crease_tucker_instance *c, crease_error *e)
{
    const crease_space *shape = &c->recipe.parts.shape, *ranks = &c->recipe.ranks;
    const uint64_t seed = c->recipe.parts.seed;
    crease_cp_instance *p = c->parts;
    crs_tucker k = { .shape = *shape, .ranks = *ranks, .core = c->core };
    double *work = crs_doubles(crs_tucker_scratch(shape, ranks), "the low-rank part", e);
    if (!work) return false;
    for (int n = 0; n < shape->order; n++) {
        crs_normals(seed, (uint64_t)(CRS_STREAM_FACTOR + n), shape->dim[n] * ranks->dim[n],
                    c->factor[n]);
        k.factor[n] = c->factor[n];
    }
    draw_core(c);
    fill(crease_size(shape), 0, p->lowrank);
    crs_tucker_reconstruct(&k, 1, p->lowrank, work);
    crs_free(work);
    for (ptrdiff_t j = 0; j < crease_size(shape); j++)
        p->tensor[j] = p->lowrank[j] + p->sparse[j] + p->noise[j];
    return true;
}

crease_tucker_instance *crease_tucker_generate(const crease_tucker_recipe *r, crease_error *e)
{
    if (!check(r, e)) return NULL;
    crease_tucker_instance *c = crs_alloc(1, sizeof *c);
    if (!c) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: an instance"), NULL;
    c->recipe = *r;
    c->recipe.parts.rank = 1;
    c->parts = crease_cp_generate(&c->recipe.parts, e);
    if (c->parts && allocate(c, e) && draw(c, e)) return c;
    crease_tucker_instance_free(c);
    return NULL;
}
