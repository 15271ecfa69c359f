/* SPDX-License-Identifier: MIT
 * apply: new slices seen through the factors of a result */
#include "cli/cli.h"

typedef struct {
    const crs_args *a;
    crs_named_reg penalty;
    crease_cp_apply_settings s;
    int order;
    crs_array data, mask, factor[CREASE_MAX_ORDER], weight;
    crease_space given; /* the shape of the data as they came */
    const double *use[CREASE_MAX_ORDER];
    crease_cp_apply_result out;
} job;

static bool number(const json_t *settings, const char *key, double *x, crease_error *e)
{
    const json_t *v = json_object_get(settings, key);
    *x = json_number_value(v);
    return json_is_number(v) || crs_fail(e, CREASE_BAD_DATA,
                                         "result.json has no number settings.%s; is this a result "
                                         "of crease rpca?",
                                         key);
}

/* A penalty without parameters stands for the one with 1, as in rpca. */
static bool open_penalty(job *j, const char *text, crease_error *e)
{
    char whole[80];
    if (!strchr(text, ':')) {
        snprintf(whole, sizeof whole, "%.60s:1", text);
        if (crs_reg_open(whole, &j->penalty, NULL)) return true;
    }
    return crs_reg_open(text, &j->penalty, e);
}

static bool read_settings(job *j, const json_t *root, crease_error *e)
{
    const json_t *s = json_object_get(root, "settings");
    const char *penalty = json_string_value(json_object_get(s, "penalty"));
    if (!penalty)
        return crs_fail(e, CREASE_BAD_DATA,
                        "result.json has no settings.penalty; is this a result of crease rpca?");
    if (json_is_string(json_object_get(s, "groups")) ||
        json_is_string(json_object_get(s, "weights")))
        return crs_fail(
            e, CREASE_UNSUPPORTED,
            "the result was fitted with groups or weights, which new slices do not have");
    j->s.nonneg = json_is_true(json_object_get(s, "nonneg"));
    return number(s, "alpha", &j->s.alpha, e) && number(s, "alpha_noise", &j->s.alpha_noise, e) &&
           number(s, "ridge", &j->s.ridge, e) && open_penalty(j, penalty, e);
}

static bool read_document(job *j, crease_error *e)
{
    char path[CRS_PATH_ROOM];
    json_error_t why;
    if (!crs_join(j->a->word[0], "result.json", path, sizeof path, e)) return false;
    json_t *root = json_load_file(path, 0, &why);
    if (!root)
        return crs_fail(e, CREASE_NO_INPUT,
                        "%.200s cannot be read: %.100s; give the folder of a result of crease rpca",
                        path, why.text);
    const bool done = read_settings(j, root, e);
    json_decref(root);
    return done;
}

/* factor_n.npy while they are there; all have as many columns as there are weights. */
static bool read_factors(job *j, crease_error *e)
{
    char path[CRS_PATH_ROOM], name[32];
    if (!crs_join(j->a->word[0], "weights.npy", path, sizeof path, e) ||
        !crs_read_array(path, &j->weight, e))
        return false;
    j->s.rank = crease_size(&j->weight.shape);
    for (j->order = 0; j->order < CREASE_MAX_ORDER; j->order++) {
        crs_array *x = &j->factor[j->order];
        crs_outdir_factor(j->order, name);
        if (!crs_join(j->a->word[0], name, path, sizeof path, e)) return false;
        if (!crs_read_array(path, x, j->order < 2 ? e : NULL)) break;
        if (x->shape.order != 2 || x->shape.dim[1] != j->s.rank)
            return crs_fail(e, CREASE_BAD_SHAPE, "%s does not have the %td columns of weights.npy",
                            name, j->s.rank);
    }
    return j->order >= 2;
}

/* unit columns times weight^(1/d): the scale in which the ridge was paid */
static bool read_model(job *j, crease_error *e)
{
    if (!read_document(j, e) || !read_factors(j, e)) return false;
    for (int n = 0; n < j->order; n++)
        for (ptrdiff_t k = 0, size = crease_size(&j->factor[n].shape); k < size; k++)
            j->factor[n].data[k] *= pow(fabs(j->weight.data[k % j->s.rank]), 1.0 / j->order);
    return true;
}

static void discard(job *j)
{
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_array_free(&j->factor[n]);
    crs_array_free(&j->weight);
    crs_array_free(&j->data);
    crs_array_free(&j->mask);
    crs_free(j->out.coefficients);
    crs_free(j->out.lowrank);
    crs_free(j->out.sparse);
    crs_free(j->out.score);
    crs_reg_close(&j->penalty);
}

/* Data of one order less than the model are one slice. */
static bool fit_shape(job *j, crease_error *e)
{
    crease_space *s = &j->s.shape;
    *s = j->given;
    if (s->order == j->order - 1) {
        for (int n = s->order++; n > j->s.mode; n--) s->dim[n] = s->dim[n - 1];
        s->dim[j->s.mode] = 1;
    }
    if (s->order != j->order)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "the data have %d dimensions and the model %d; give the same, or one less "
                        "for a single slice",
                        j->given.order, j->order);
    for (int n = 0; n < s->order; n++)
        if (n != j->s.mode && s->dim[n] != j->factor[n].shape.dim[0])
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "axis %d of the data has length %td and the model %td; name the axis "
                            "along which the data are new by --axis N, counted from 0",
                            n, s->dim[n], j->factor[n].shape.dim[0]);
    return true;
}

/* Axes are counted from 0, as those of --merge and --groups. */
static bool read_axis(job *j, crease_error *e)
{
    crease_error why;
    double axis;
    if (!crs_option_integer(j->a, CRS_OPT_AXIS, 0, j->order - 1, 0, &axis, &why))
        return crs_fail(e, why.code, "%.300s; axes are counted from 0", why.text);
    j->s.mode = (int)axis;
    return true;
}

static bool read_data(job *j, crease_error *e)
{
    const char *mask = crs_given(j->a, CRS_OPT_MASK), *missing = crs_given(j->a, CRS_OPT_MISSING);
    if (missing && strcmp(missing, "nan") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--missing %.64s: write --missing nan, or mark entries by --mask FILE",
                        missing);
    if (!read_axis(j, e) || !crs_read_array(j->a->word[1], &j->data, e)) return false;
    crs_print_notice(j->a, &j->data);
    j->s.missing = missing;
    j->given = j->data.shape;
    if (mask && !crs_read_array(mask, &j->mask, e)) return false;
    if (mask && !crease_space_equal(&j->mask.shape, &j->given))
        return crs_fail(e, CREASE_BAD_SHAPE, "--mask does not have the shape of the data");
    j->s.mask = j->mask.data;
    return fit_shape(j, e);
}

static bool solve(job *j, crease_error *e)
{
    const ptrdiff_t n = crease_size(&j->s.shape), slices = j->s.shape.dim[j->s.mode];
    for (int k = 0; k < j->order; k++) j->use[k] = j->factor[k].data;
    j->s.factor = j->use;
    j->s.penalty = j->penalty.reg;
    j->s.trained = j->factor[j->s.mode].data;
    j->s.trained_count = j->factor[j->s.mode].shape.dim[0];
    j->out.coefficients = crs_doubles(slices * j->s.rank, "the coefficients", e);
    j->out.lowrank = crs_doubles(n, "the low-rank part", e);
    j->out.sparse = crs_doubles(n, "the sparse part", e);
    j->out.score = crs_alloc((size_t)slices, sizeof *j->out.score);
    if (!j->out.score) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the scores");
    if (!j->out.coefficients || !j->out.lowrank || !j->out.sparse ||
        !crease_cp_apply(&j->s, j->data.data, &j->out, e))
        return false;
    for (ptrdiff_t k = 0; k < slices * j->s.rank; k++) /* with unit columns in the other modes */
        j->out.coefficients[k] *= pow(fabs(j->weight.data[k % j->s.rank]), 1 - 1.0 / j->order);
    return true;
}

static json_t *scores(const job *j)
{
    json_t *list = json_array();
    for (ptrdiff_t i = 0; i < j->s.shape.dim[j->s.mode]; i++) {
        const crease_cp_slice_score *s = &j->out.score[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:i}", "share", crs_real(s->share),
                            "energy", crs_real(s->energy), "scale", crs_real(s->scale), "distance",
                            crs_real(s->distance), "objective", crs_real(s->objective), "gradient",
                            crs_real(s->gradient), "observed", (json_int_t)s->observed,
                            "iterations", s->iterations));
    }
    return list;
}

static bool write_all(const job *j, crease_error *e)
{
    const crease_space table = crease_matrix(j->s.shape.dim[j->s.mode], j->s.rank);
    return crs_outdir_begin(j->a, "result.json", e) &&
           crs_outdir_array(j->a, "coefficients.npy", &table, j->out.coefficients, e) &&
           crs_outdir_array(j->a, "lowrank.npy", &j->given, j->out.lowrank, e) &&
           crs_outdir_array(j->a, "sparse.npy", &j->given, j->out.sparse, e) &&
           crs_outdir_document(j->a, "result.json",
                               json_pack("{s:i, s:s, s:s, s:s, s:i, s:o, s:I, s:o}",
                                         "schema_version", 1, "verb", "apply", "version",
                                         crease_version(), "model", j->a->word[0], "axis",
                                         j->s.mode, "shape", crs_dims(&j->given), "rank",
                                         (json_int_t)j->s.rank, "slices", scores(j)),
                               e);
}

static void print_summary(const job *j)
{
    printf("slice  outliers    energy     scale  distance\n");
    for (ptrdiff_t i = 0; i < j->s.shape.dim[j->s.mode]; i++) {
        const crease_cp_slice_score *s = &j->out.score[i];
        printf("%5td  %7.2f%% %9.3g %9.3g %9.3g\n", i + 1, 100 * s->share, s->energy, s->scale,
               s->distance);
    }
}

static bool run(const crs_args *a, crease_error *e)
{
    static const char *const file[] = { "coefficients.npy", "lowrank.npy", "sparse.npy",
                                        "result.json" };
    job j = { .a = a };
    bool done = crs_outdir_open(a, (int)(sizeof file / sizeof *file), file, e) &&
                read_model(&j, e) && read_data(&j, e) && solve(&j, e) && write_all(&j, e);
    if (done && !crs_given(a, CRS_OPT_JSON)) print_summary(&j);
    discard(&j);
    return done;
}

const crs_verb crs_apply_verb = {
    .name = "apply",
    .words = "RESULT DATA",
    .least = 2,
    .most = 2,
    .text = "Fit new slices with the factors of a result. For every slice of DATA along an axis "
            "(--axis, default 0) it finds the coefficients that minimize the robust error with the "
            "penalty, alpha and signs of a result of 'crease rpca'. DATA have the model's shape "
            "except along that axis, or one dimension less: a single slice. The folder receives "
            "coefficients.npy (in the units of that axis's factor times the weights), lowrank.npy, "
            "sparse.npy and result.json. "
            "The scores of a slice: the share of its entries that are outliers, their energy "
            "relative to the noise, the median error, and the robust distance of its coefficients "
            "from those of the slices the model was fitted to.",
    .example = "crease apply result new.npy --out seen",
    .takes = CRS_LIST(CRS_TAKES(AXIS), CRS_TAKES(MISSING), CRS_TAKES(MASK), CRS_TAKES(OUT),
                      CRS_TAKES(FORCE), CRS_TAKES(JSON)),
    .run = run,
};
