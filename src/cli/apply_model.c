/* SPDX-License-Identifier: MIT
 * apply_model: the model that new slices are seen through, from the folder of a result */
#include "cli/apply.h"

/* A penalty without parameters stands for the one with 1, as in rpca. */
static bool open_penalty(crs_apply_job *j, const char *text, crease_error *e)
{
    char whole[80];
    if (!strchr(text, ':')) {
        snprintf(whole, sizeof whole, "%.60s:1", text);
        snprintf(j->rho, sizeof j->rho, "%s", whole);
        if (crs_reg_open(whole, &j->penalty, NULL)) return true;
    }
    snprintf(j->rho, sizeof j->rho, "%.79s", text);
    return crs_reg_open(text, &j->penalty, e);
}

/* Tucker and matrix models have neither ridge nor signs. */
static bool read_settings(crs_apply_job *j, const json_t *root, crease_error *e)
{
    const json_t *s = json_object_get(root, "settings");
    const char *penalty = json_string_value(json_object_get(s, "penalty"));
    const char *model = json_string_value(json_object_get(root, "model"));
    if (!penalty || !model)
        return crs_fail(e, CREASE_BAD_DATA,
                        "result.json has no model or settings.penalty; is this a result of crease "
                        "rpca?");
    snprintf(j->model, sizeof j->model, "%.15s", model);
    j->cp = strcmp(model, "cp") == 0;
    j->bounded = json_is_number(json_object_get(s, "eta"));
    if (!j->cp && strcmp(model, "tucker") != 0 && strcmp(model, "matrix") != 0)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "a result of the model %.15s has no factors to see slices through; fit "
                        "--model cp, tucker or matrix",
                        model);
    if (json_is_string(json_object_get(s, "groups")) ||
        json_is_string(json_object_get(s, "weights")))
        return crs_fail(
            e, CREASE_UNSUPPORTED,
            "the result was fitted with groups or weights, which new slices do not have");
    j->s.nonneg = json_is_true(json_object_get(s, "nonneg"));
    return setting_number(s, "alpha", &j->s.alpha, e) &&
           setting_number(s, "alpha_noise", &j->s.alpha_noise, e) &&
           (!j->cp || setting_number(s, "ridge", &j->s.ridge, e)) && open_penalty(j, penalty, e);
}

static bool read_document(crs_apply_job *j, crease_error *e)
{
    char path[CRS_PATH_ROOM];
    crease_error why;
    if (!crs_join(j->from, "result.json", path, sizeof path, e)) return false;
    json_t *root = crs_json_read(path, NULL, &why);
    if (!root)
        return crs_fail(e, why.code, "%.300s; give the folder of a result of crease rpca",
                        why.text);
    const json_t *own = json_object_get(root, "axes");
    const json_t *merged = json_object_get(json_object_get(root, "details"), "model_axes");
    const bool done = read_settings(j, root, e) && crs_axes_in(json_is_array(merged) ? merged : own,
                                                               path, &j->axes, &j->axes_order, e);
    json_decref(root);
    return done;
}

static bool read_array(const crs_apply_job *j, const char *name, crs_array *out, crease_error *e)
{
    char *path = crs_path_in(j->from, name, e);
    const bool done = path && crs_read_array(path, out, e);
    crs_free(path);
    return done;
}

/* factor_n.npy while they are there. */
static bool read_factors(crs_apply_job *j, crease_error *e)
{
    for (j->order = 0; j->order < CREASE_MAX_ORDER; j->order++) {
        crs_array *x = &j->factor[j->order];
        char name[32];
        crs_factor_file(j->order, name);
        if (!crs_read_if_there(j->from, name, x, e)) return false;
        if (!x->data) break;
        if (x->shape.order == 1) x->shape = crease_matrix(x->shape.dim[0], 1);
        if (x->shape.order != 2)
            return crs_fail(e, CREASE_BAD_SHAPE, "%s is no matrix; is the result damaged?", name);
    }
    return j->order >= 2 ||
           crs_fail(e, CREASE_NO_INPUT, "%.200s/factor_%d.npy is missing; is the result damaged?",
                    j->from, j->order + 1);
}

/* unit columns times weight^(1/d): the scale in which the ridge was paid */
static bool weigh(crs_apply_job *j, crease_error *e)
{
    if (!read_array(j, "weights.npy", &j->weight, e)) return false;
    j->s.rank = crease_size(&j->weight.shape);
    for (int n = 0; n < j->order; n++) {
        if (j->factor[n].shape.dim[1] != j->s.rank)
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "factor_%d.npy does not have the %td columns of weights.npy", n + 1,
                            j->s.rank);
        for (ptrdiff_t k = 0, size = crease_size(&j->factor[n].shape); k < size; k++)
            j->factor[n].data[k] *= pow(fabs(j->weight.data[k % j->s.rank]), 1.0 / j->order);
    }
    return true;
}

/* Without a core the two factors share their columns. */
static bool read_core(crs_apply_job *j, crease_error *e)
{
    if (!j->bounded && !read_array(j, "core.npy", &j->core, e)) return false;
    bool fits = j->bounded ? j->order == 2 : j->core.shape.order == j->order;
    for (int n = 0; fits && n < j->order; n++)
        fits = j->factor[n].shape.dim[1] ==
               (j->bounded ? j->factor[0].shape.dim[1] : j->core.shape.dim[n]);
    if (j->bounded) j->s.alpha_noise = 0x1p60; /* a slice has no noise of its own to hide in */
    return fits || crs_fail(e, CREASE_BAD_SHAPE, "the core does not suit the factors");
}

/* The model is the one that was certified: its files are as they were written. */
static bool bind_model(crs_apply_job *j, crease_error *e)
{
    crs_certificate c;
    crs_stamp stamp;
    char why[CRS_WHY];
    if (!crs_certificate_read(j->from, &c, e)) return false;
    char *path = crs_path_in(j->from, "certificate.json", e);
    bool done = path && crs_stamp_read(path, &stamp, e) && crs_certificate_holds(&c, why, e);
    crs_free(path);
    crs_certificate_free(&c);
    if (!done) return false;
    memcpy(j->model_hash, stamp.hash, sizeof stamp.hash);
    return !why[0] || crs_fail(e, CREASE_BAD_DATA, "%.200s: %s; fit the model again", j->from, why);
}

bool crs_apply_model(crs_apply_job *j, crease_error *e)
{
    return read_document(j, e) && bind_model(j, e) && read_factors(j, e) &&
           (j->cp ? weigh(j, e) : read_core(j, e));
}
