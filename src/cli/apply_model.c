/* SPDX-License-Identifier: MIT
 * apply_model: the model in a folder that rpca has written */
#include "cli/apply.h"

enum { PATH_ROOM = 4096 };

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
static bool open_penalty(crs_apply_job *j, const char *text, crease_error *e)
{
    char whole[80];
    if (!strchr(text, ':')) {
        snprintf(whole, sizeof whole, "%.60s:1", text);
        if (crs_reg_open(whole, &j->penalty, NULL)) return true;
    }
    return crs_reg_open(text, &j->penalty, e);
}

static bool read_settings(crs_apply_job *j, const json_t *root, crease_error *e)
{
    const json_t *s = json_object_get(root, "settings");
    const char *penalty = json_string_value(json_object_get(s, "penalty"));
    if (!penalty)
        return crs_fail(e, CREASE_BAD_DATA,
                        "result.json has no settings.penalty; is this a result of crease rpca?");
    if (json_is_string(json_object_get(s, "groups")) ||
        json_is_string(json_object_get(s, "weights")))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the result was fitted with groups or weights, which new slices have not");
    j->s.nonneg = json_is_true(json_object_get(s, "nonneg"));
    return number(s, "alpha", &j->s.alpha, e) && number(s, "alpha_noise", &j->s.alpha_noise, e) &&
           number(s, "ridge", &j->s.ridge, e) && open_penalty(j, penalty, e);
}

static bool read_document(crs_apply_job *j, crease_error *e)
{
    char path[PATH_ROOM];
    json_error_t why;
    if (!crs_join(j->a->word[0], "result.json", path, sizeof path, e)) return false;
    json_t *root = json_load_file(path, 0, &why);
    if (!root)
        return crs_fail(e, CREASE_NO_INPUT,
                        "%.200s cannot be read: %.100s; give a folder of crease rpca", path,
                        why.text);
    const bool done = read_settings(j, root, e);
    json_decref(root);
    return done;
}

/* factor_n.npy while they are there; all have as many columns as there are weights. */
static bool read_factors(crs_apply_job *j, crease_error *e)
{
    char path[PATH_ROOM], name[32];
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
bool crs_apply_model(crs_apply_job *j, crease_error *e)
{
    if (!read_document(j, e) || !read_factors(j, e)) return false;
    for (int n = 0; n < j->order; n++)
        for (ptrdiff_t k = 0, size = crease_size(&j->factor[n].shape); k < size; k++)
            j->factor[n].data[k] *= pow(fabs(j->weight.data[k % j->s.rank]), 1.0 / j->order);
    return true;
}
