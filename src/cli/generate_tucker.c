/* SPDX-License-Identifier: MIT
 * generate_tucker: random tensors of low multilinear rank and matrices of low rank, as files */
#include "cli/rpca_tucker.h"

static bool is_matrix(const crs_args *a) { return strcmp(a->word[0], "matrix") == 0; }

bool crs_generates_tucker(const crs_args *a)
{
    return is_matrix(a) || strcmp(a->word[0], "tucker") == 0;
}

bool crs_generate_spoils(const crs_args *a, crease_cp_recipe *r, crease_error *e)
{
    const crs_option_id id[] = { CRS_OPT_OUTLIERS, CRS_OPT_MAGNITUDE, CRS_OPT_NOISE };
    double *const to[] = { &r->outliers, &r->magnitude, &r->noise };
    for (int k = 0; k < 3; k++)
        if (crs_given(a, id[k]) && !crs_option_number(a, id[k], 0, to[k], e)) return false;
    return crease_cp_recipe_check(r, e);
}

static bool read_recipe(const crs_args *a, crease_tucker_recipe *r, crease_error *e)
{
    const char *shape = crs_given(a, CRS_OPT_SHAPE), *rank = crs_given(a, CRS_OPT_RANK);
    crease_space s;
    double seed;
    if (!shape)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the shape is missing; add --shape %s",
                        is_matrix(a) ? "200,150" : "30,50,70");
    if (!rank) return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is missing; add --rank R");
    if (!crs_parse_shape(shape, &s, e) || !crease_space_check(&s, e)) return false;
    if (s.order < 2 || (is_matrix(a) && s.order > 2))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--shape %.64s has %d dimensions; give %s", shape,
                        s.order, is_matrix(a) ? "two" : "at least two");
    *r = (crease_tucker_recipe){ .parts = crease_cp_recipe_default(&s, 1),
                                 .diagonal = is_matrix(a) };
    if (!crs_parse_ranks(rank, &s, &r->ranks, e) ||
        !crs_option_integer(a, CRS_OPT_seed, 0, 0x1p53, 0, &seed, e))
        return false;
    r->parts.seed = (uint64_t)seed;
    return crs_generate_spoils(a, &r->parts, e);
}

/* The four tensors, the places of the outliers, the products on the way to the low-rank part. */
static double forecast(const crease_tucker_recipe *r)
{
    return 8 * (6 + r->parts.outliers) * (double)crease_size(&r->parts.shape) + 0x1p24;
}

static json_t *document(const crs_args *a, const crease_tucker_instance *c)
{
    const crease_cp_recipe *r = &c->recipe.parts;
    return json_pack("{s:i, s:s, s:s, s:o, s:o, s:f, s:I, s:f, s:f, s:I, s:s}", "schema_version", 1,
                     "verb", "generate", "kind", a->word[0], "shape", crs_dims(&r->shape), "ranks",
                     crs_dims(&c->recipe.ranks), "outlier_fraction", r->outliers, "outliers",
                     (json_int_t)c->parts->count, "magnitude", r->magnitude, "noise", r->noise,
                     "seed", (json_int_t)r->seed, "version", crease_version());
}

static bool write_all(const crs_args *a, const crease_tucker_instance *c, crease_error *e)
{
    const crease_space *s = &c->recipe.parts.shape;
    const crease_cp_instance *p = c->parts;
    bool done = crs_outdir_begin(a, "generate.json", e) &&
                crs_outdir_array(a, "lowrank.npy", s, p->lowrank, e) &&
                crs_outdir_array(a, "sparse.npy", s, p->sparse, e) &&
                crs_outdir_array(a, "noise.npy", s, p->noise, e) &&
                crs_outdir_array(a, "core.npy", &c->recipe.ranks, c->core, e) &&
                crs_outdir_array(a, "tensor.npy", s, p->tensor, e);
    for (int n = 0; done && n < s->order; n++) {
        const crease_space f = crease_matrix(s->dim[n], c->recipe.ranks.dim[n]);
        char name[32];
        crs_outdir_factor(n, name);
        done = crs_outdir_array(a, name, &f, c->factor[n], e);
    }
    return done && crs_outdir_document(a, "generate.json", document(a, c), e);
}

bool crs_generate_tucker(const crs_args *a, crease_error *e)
{
    static const char *const file[] = { "tensor.npy", "lowrank.npy", "sparse.npy",
                                        "noise.npy",  "core.npy",    "generate.json" };
    crease_tucker_recipe r;
    if (!read_recipe(a, &r, e) || !crs_memory_suffices("the instance", forecast(&r), e) ||
        !crs_outdir_open(a, (int)(sizeof file / sizeof *file), file, e))
        return false;
    crease_tucker_instance *c = crease_tucker_generate(&r, e);
    const bool done = c && write_all(a, c, e);
    if (done && !crs_given(a, CRS_OPT_JSON))
        printf("tensor      %s/tensor.npy, rank %s, %td outliers, seed %.0f\n",
               crs_given(a, CRS_OPT_OUT), crs_given(a, CRS_OPT_RANK), c->parts->count,
               (double)r.parts.seed);
    crease_tucker_instance_free(c);
    return done;
}
