/* SPDX-License-Identifier: MIT
 * cp_generate: random instances with their truth: T = [[X_1, ..., X_d]] + E + B
 *
 * Jiang, Lin, Ma, Zhang 2019, section 5. Every part has its own stream of random numbers, every
 * entry its own index in it: the result depends on the seed alone. */
#include "rpca/rpca.h"
#include "tensor/tensor.h"

crease_cp_recipe crease_cp_recipe_default(const crease_space *shape, ptrdiff_t rank)
{
    return (crease_cp_recipe){
        .shape = *shape, .rank = rank, .outliers = 0.001, .magnitude = 1, .noise = 0.001
    };
}

void crease_cp_instance_free(crease_cp_instance *c)
{
    if (!c) return;
    crs_free(c->tensor);
    crs_free(c->lowrank);
    crs_free(c->sparse);
    crs_free(c->noise);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(c->factor[n]);
    crs_free(c);
}

bool crease_cp_recipe_check(const crease_cp_recipe *r, crease_error *e)
{
    const crease_cp_rpca_settings s = crease_cp_rpca_default(&r->shape, r->rank);
    if (!crs_cp_settings_check(&s, e)) return false;
    if (!(r->outliers >= 0 && r->outliers <= 1))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the fraction of outliers is %g; give a number in [0, 1]", r->outliers);
    if (!(r->magnitude >= 0 && r->magnitude < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the magnitude of the outliers is %g; give a number >= 0", r->magnitude);
    return (r->noise >= 0 && r->noise < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "the noise is %g; give a number >= 0", r->noise);
}

static bool allocate(crease_cp_instance *c, crease_error *e)
{
    const ptrdiff_t n = crease_size(&c->recipe.shape);
    double **part[] = { &c->tensor, &c->lowrank, &c->sparse, &c->noise };
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        if (!(*part[k] = crs_doubles(n, "an instance", e))) return false;
    for (int k = 0; k < c->recipe.shape.order; k++) {
        c->factor[k] = crs_doubles(c->recipe.shape.dim[k] * c->recipe.rank, "a factor", e);
        if (!c->factor[k]) return false;
    }
    return true;
}

bool crs_cp_instance_outliers(crease_cp_instance *c, crease_error *e)
{
    const crease_cp_recipe *r = &c->recipe;
    const ptrdiff_t n = crease_size(&r->shape);
    const crease_random places = { r->seed, CRS_STREAM_PLACES },
                        values = { r->seed, CRS_STREAM_OUTLIERS };
    c->count = (ptrdiff_t)floor(r->outliers * (double)n + 0.5);
    ptrdiff_t *at = crs_alloc((size_t)c->count + 1, sizeof *at);
    if (!at) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td outliers", c->count);
    crease_random_sample(places, n, c->count, at);
    for (ptrdiff_t k = 0; k < c->count; k++)
        c->sparse[at[k]] = r->magnitude * crease_random_normal(values, (uint64_t)k);
    crs_free(at);
    return true;
}

crease_cp_instance *crs_cp_instance_new(const crease_cp_recipe *r, crease_error *e)
{
    if (!crease_cp_recipe_check(r, e)) return NULL;
    crease_cp_instance *c = crs_alloc(1, sizeof *c);
    if (!c) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: an instance");
        return NULL;
    }
    c->recipe = *r;
    if (allocate(c, e)) return c;
    crease_cp_instance_free(c);
    return NULL;
}

bool crs_cp_instance_add(crease_cp_instance *c, crease_error *e)
{
    const crease_cp_recipe *r = &c->recipe;
    const ptrdiff_t n = crease_size(&r->shape);
    if (r->noise > 0) crs_normals(r->seed, CRS_STREAM_NOISE, n, c->noise);
    const double *const *factor = (const double *const *)c->factor;
    if (!crease_cp_lowrank(&r->shape, r->rank, factor, c->lowrank, e)) return false;
    for (ptrdiff_t j = 0; j < n; j++) {
        c->noise[j] *= r->noise;
        c->tensor[j] = c->lowrank[j] + c->sparse[j] + c->noise[j];
    }
    return true;
}

crease_cp_instance *crease_cp_generate(const crease_cp_recipe *r, crease_error *e)
{
    crease_cp_instance *c = crs_cp_instance_new(r, e);
    if (!c) return NULL;
    for (int k = 0; k < r->shape.order; k++)
        crs_normals(r->seed, (uint64_t)(CRS_STREAM_FACTOR + k), r->shape.dim[k] * r->rank,
                    c->factor[k]);
    if (crs_cp_instance_outliers(c, e) && crs_cp_instance_add(c, e)) return c;
    crease_cp_instance_free(c);
    return NULL;
}
