/* SPDX-License-Identifier: MIT
 * generate: random instances with their truth, as files */
#include "cli/rpca.h"

static bool is_eem(const crs_args *a) { return strcmp(a->word[0], "eem") == 0; }

static bool is_matrix(const crs_args *a) { return strcmp(a->word[0], "matrix") == 0; }

static bool is_tucker(const crs_args *a)
{
    return is_matrix(a) || strcmp(a->word[0], "tucker") == 0;
}

/* What all kinds of instances take. */
static bool read_spoils(const crs_args *a, crease_cp_recipe *r, crease_error *e)
{
    const crs_option_id id[] = { CRS_OPT_OUTLIERS, CRS_OPT_MAGNITUDE, CRS_OPT_NOISE };
    double *const to[] = { &r->outliers, &r->magnitude, &r->noise };
    for (int k = 0; k < 3; k++)
        if (crs_given(a, id[k]) && !crs_option_number(a, id[k], 0, to[k], e)) return false;
    return crease_cp_recipe_check(r, e);
}

/* The recipe of a kind with defaults, or of one that needs its shape and rank. */
static bool start_recipe(const crs_args *a, crease_cp_recipe *r, crease_error *e)
{
    const char *text = crs_given(a, CRS_OPT_SHAPE);
    const bool eem = is_eem(a);
    crease_space shape = crease_vector(1);
    double rank;
    if (!eem && strcmp(a->word[0], "cp") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "unknown kind of instance '%.64s'; write cp, tucker, matrix or eem",
                        a->word[0]);
    if (!text && !eem)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the shape is missing; add --shape 30,50,70");
    if (text && (!crs_parse_shape(text, &shape, e) || !crease_space_check(&shape, e))) return false;
    if (text && shape.order < 2)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--shape %.64s has one dimension; give at least two", text);
    if (!crs_given(a, CRS_OPT_RANK) && !eem)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the rank is missing; add --rank R");
    *r = eem ? crease_eem_recipe_default() : crease_cp_recipe_default(&shape, 1);
    if (text) r->shape = shape;
    if (!crs_option_integer(a, CRS_OPT_RANK, 1, 1 << 24, (double)r->rank, &rank, e)) return false;
    r->rank = (ptrdiff_t)rank;
    return true;
}

static bool read_recipe(const crs_args *a, crease_cp_recipe *r, crease_error *e)
{
    double seed;
    if (!start_recipe(a, r, e) || !crs_option_integer(a, CRS_OPT_seed, 0, 0x1p53, 0, &seed, e))
        return false;
    r->seed = (uint64_t)seed;
    return read_spoils(a, r, e);
}

/* The four tensors, the places of the outliers, and the factors twice (the kernels' copies). */
static double forecast(const crease_cp_recipe *r)
{
    const double n = (double)crease_size(&r->shape);
    double factors = 0;
    for (int k = 0; k < r->shape.order; k++)
        factors += 2 * (double)r->shape.dim[k] * (double)r->rank;
    return 8 * ((4 + r->outliers) * n + factors) + 0x1p24;
}

static json_t *wavelengths(const crease_space *s, int axis)
{
    json_t *list = json_array();
    for (ptrdiff_t i = 0; i < s->dim[axis]; i++)
        if (json_array_append_new(list, json_real(crease_eem_wavelength(s, axis, i))) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *document(const crs_args *a, const crease_cp_instance *c)
{
    const crease_cp_recipe *r = &c->recipe;
    json_t *d = json_pack(
        "{s:i, s:s, s:s, s:o, s:I, s:f, s:I, s:f, s:f, s:I, s:s}", "schema_version", 1, "verb",
        "generate", "kind", a->word[0], "shape", crs_dims(&r->shape), "rank", (json_int_t)r->rank,
        "outlier_fraction", r->outliers, "outliers", (json_int_t)c->count, "magnitude",
        r->magnitude, "noise", r->noise, "seed", (json_int_t)r->seed, "version", crease_version());
    if (!d || !is_eem(a)) return d;
    if (json_object_set_new(d, "emission_nm", wavelengths(&r->shape, 1)) == 0 &&
        json_object_set_new(d, "excitation_nm", wavelengths(&r->shape, 2)) == 0)
        return d;
    json_decref(d);
    return NULL;
}

static bool write_all(const crs_args *a, const crease_cp_instance *c, crease_error *e)
{
    const crease_space *s = &c->recipe.shape;
    return crs_outdir_begin(a, "generate.json", e) &&
           crs_outdir_factors(a, s, c->recipe.rank, (const double *const *)c->factor, e) &&
           crs_outdir_array(a, "lowrank.npy", s, c->lowrank, e) &&
           crs_outdir_array(a, "sparse.npy", s, c->sparse, e) &&
           crs_outdir_array(a, "noise.npy", s, c->noise, e) &&
           crs_outdir_array(a, "tensor.npy", s, c->tensor, e) &&
           crs_outdir_document(a, "generate.json", document(a, c), e);
}

static bool read_tucker_recipe(const crs_args *a, crease_tucker_recipe *r, crease_error *e)
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
    return read_spoils(a, &r->parts, e);
}

/* The four tensors, the places of the outliers, the products on the way to the low-rank part. */
static double tucker_forecast(const crease_tucker_recipe *r)
{
    return 8 * (6 + r->parts.outliers) * (double)crease_size(&r->parts.shape) + 0x1p24;
}

static json_t *tucker_document(const crs_args *a, const crease_tucker_instance *c)
{
    const crease_cp_recipe *r = &c->recipe.parts;
    return json_pack("{s:i, s:s, s:s, s:o, s:o, s:f, s:I, s:f, s:f, s:I, s:s}", "schema_version", 1,
                     "verb", "generate", "kind", a->word[0], "shape", crs_dims(&r->shape), "ranks",
                     crs_dims(&c->recipe.ranks), "outlier_fraction", r->outliers, "outliers",
                     (json_int_t)c->parts->count, "magnitude", r->magnitude, "noise", r->noise,
                     "seed", (json_int_t)r->seed, "version", crease_version());
}

static bool write_tucker(const crs_args *a, const crease_tucker_instance *c, crease_error *e)
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
    return done && crs_outdir_document(a, "generate.json", tucker_document(a, c), e);
}

static bool generate_tucker(const crs_args *a, crease_error *e)
{
    static const char *const file[] = { "tensor.npy", "lowrank.npy", "sparse.npy",
                                        "noise.npy",  "core.npy",    "generate.json" };
    crease_tucker_recipe r;
    if (!read_tucker_recipe(a, &r, e) ||
        !crs_memory_suffices("the instance", tucker_forecast(&r), e) ||
        !crs_outdir_open(a, (int)(sizeof file / sizeof *file), file, e))
        return false;
    crease_tucker_instance *c = crease_tucker_generate(&r, e);
    const bool done = c && write_tucker(a, c, e);
    if (done && !crs_given(a, CRS_OPT_JSON))
        printf("tensor      %s/tensor.npy, rank %s, %td outliers, seed %.0f\n",
               crs_given(a, CRS_OPT_OUT), crs_given(a, CRS_OPT_RANK), c->parts->count,
               (double)r.parts.seed);
    crease_tucker_instance_free(c);
    return done;
}

static bool run(const crs_args *a, crease_error *e)
{
    static const char *const file[] = { "tensor.npy", "lowrank.npy", "sparse.npy", "noise.npy",
                                        "generate.json" };
    crease_cp_recipe r = { .rank = 0 };
    if (is_tucker(a)) return generate_tucker(a, e);
    if (!read_recipe(a, &r, e) || !crs_memory_suffices("the instance", forecast(&r), e) ||
        !crs_outdir_open(a, (int)(sizeof file / sizeof *file), file, e))
        return false;
    crease_cp_instance *c = is_eem(a) ? crease_eem_generate(&r, e) : crease_cp_generate(&r, e);
    const bool done = c && write_all(a, c, e);
    if (done && !crs_given(a, CRS_OPT_JSON))
        printf("tensor      %s/tensor.npy, rank %td, %td outliers, seed %.0f\n",
               crs_given(a, CRS_OPT_OUT), r.rank, c->count, (double)r.seed);
    crease_cp_instance_free(c);
    return done;
}

const crs_verb crs_generate_verb = {
    .name = "generate",
    .words = "cp|tucker|matrix|eem",
    .least = 1,
    .most = 1,
    .text = "Draw a random tensor with its truth. cp is low rank (factors drawn from N(0,1)), plus "
            "outliers in a fraction of its entries, plus noise. eem is synthetic fluorescence, "
            "samples x emission x excitation: concentrations times spectra, plus scatter ridges "
            "and spikes, plus noise; its defaults are --shape 20,101,51 --rank 3 --outliers 0.002 "
            "--magnitude 3 --noise 0.005. The folder receives tensor.npy and "
            "its parts lowrank.npy, sparse.npy, noise.npy, the factors factor_1.npy, ..., and "
            "generate.json. With tucker there is one rank per mode "
            "(--rank 2,3,4) and core.npy is written too; matrix is of order two. The low-rank "
            "entries of both have standard deviation 1. The same seed gives the same numbers on "
            "every machine and thread "
            "count.",
    .example = "crease generate cp --shape 10,20,30 --rank 3 --seed 1 --out instance",
    .takes =
        CRS_LIST(CRS_SAYS(SHAPE, "dimensions of the tensor; the last index runs fastest"),
                 CRS_SAYS(RANK, "number of rank-one terms; of tucker and matrix one number, or "
                                "one per mode (2,3,4)"),
                 CRS_TAKES(OUTLIERS), CRS_TAKES(MAGNITUDE), CRS_TAKES(NOISE), CRS_TAKES(seed),
                 CRS_TAKES(OUT), CRS_TAKES(FORCE), CRS_TAKES(JSON)),
    .run = run,
};
