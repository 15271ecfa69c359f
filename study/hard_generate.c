/* SPDX-License-Identifier: MIT
 * hard_generate: the cells of the hard suite, and their instances
 *
 * Columns sqrt(q) g + sqrt(1 - q) g_r of independent Gaussian vectors have the mean cosine q. */
#include "rpca/rpca.h"
#include "study/hard.h"

enum { STREAM = 200 };

static const crs_hard_cell cells[] = {
#define HARD_CELL(name, order, a, b, c, d, true_rank, rank, outliers, magnitude, cosine, decibel)  \
    { name,      { order, { a, b, c, (order) > 3 ? (d) : 0 }, NULL },                              \
      true_rank, rank,                                                                             \
      outliers,  magnitude,                                                                        \
      cosine,    decibel },
#include "study/hard.def"
#undef HARD_CELL
};

int crs_hard_cells(void) { return (int)(sizeof cells / sizeof *cells); }
const crs_hard_cell *crs_hard_cell_at(int k) { return cells + k; }

static void draw_factor(const crs_hard_cell *cell, uint64_t seed, int n, double *x)
{
    const crease_random common = { seed, (uint64_t)(STREAM + n) };
    const double q = cell->congruence;
    const ptrdiff_t size = cell->shape.dim[n] * cell->true_rank;
    crs_normals(seed, (uint64_t)(CRS_STREAM_FACTOR + n), size, x);
    for (ptrdiff_t j = 0; q > 0 && j < size; j++)
        x[j] = sqrt(q) * crease_random_normal(common, (uint64_t)(j / cell->true_rank)) +
               sqrt(1 - q) * x[j];
}

static bool fill_in(const crs_hard_cell *cell, crease_cp_instance *c, crease_error *e)
{
    const ptrdiff_t n = crease_size(&cell->shape);
    for (int k = 0; k < cell->shape.order; k++) draw_factor(cell, c->recipe.seed, k, c->factor[k]);
    const double *const *factor = (const double *const *)c->factor;
    if (!crease_cp_lowrank(&cell->shape, cell->true_rank, factor, c->lowrank, e)) return false;
    const double deviation = crs_norm(n, c->lowrank) / sqrt((double)n);
    c->recipe.magnitude = cell->magnitude * deviation;
    c->recipe.noise = deviation * pow(10, -cell->decibel / 20);
    return crs_cp_instance_outliers(c, e) && crs_cp_instance_add(c, e);
}

crease_cp_instance *crs_hard_generate(const crs_hard_cell *cell, uint64_t seed, crease_error *e)
{
    crease_cp_recipe r = crease_cp_recipe_default(&cell->shape, cell->true_rank);
    r.outliers = cell->outliers;
    r.seed = seed;
    crease_cp_instance *c = crs_cp_instance_new(&r, e);
    if (c && fill_in(cell, c, e)) return c;
    crease_cp_instance_free(c);
    return NULL;
}
