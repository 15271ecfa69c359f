/* SPDX-License-Identifier: MIT
 * axes: what dimensions are called, as JSON: in results, in files of --axes and in sidecars
 *
 * [{"name": "emission", "unit": "nm", "numbers": [270, ...]}, {"name": "sample", "labels": [...]},
 * ...]: an object or null for each dimension, every key may be missing or null. */
#include "io/result/result.h"

static void put_axis(crs_spot to, const crs_axis *a)
{
    crs_put_text(to, "name", a->name);
    crs_put_text(to, "unit", a->unit);
    if (a->at)
        crs_put_numbers(to, "numbers", a->count, a->at);
    else
        crs_put_null(to, "numbers");
    if (!a->label) {
        crs_put_null(to, "labels");
        return;
    }
    const crs_spot list = crs_put_list(to, "labels");
    for (ptrdiff_t k = 0; k < a->count; k++) crs_put_text(list, NULL, a->label[k]);
}

void crs_put_axes(crs_spot to, const char *key, const crs_axes *a, int order)
{
    if (!a || !crs_axes_known(a, order)) {
        crs_put_null(to, key);
        return;
    }
    const crs_spot list = crs_put_list(to, key);
    for (int n = 0; n < order; n++) put_axis(crs_put_object(list, NULL), &a->axis[n]);
}

/* A place in a document of axes. */
typedef struct {
    const char *name;
    size_t n;
    crease_error *e;
} place;

static bool bad(const place *p, const char *what)
{
    return crs_fail(p->e, CREASE_BAD_DATA, "%.200s: axis %zu: %s", p->name, p->n, what);
}

static bool read_text(const place *p, const json_t *axis, const char *key, const char **out)
{
    const json_t *value = json_object_get(axis, key);
    *out = json_string_value(value);
    return *out || !value || json_is_null(value) || bad(p, "its name and unit are texts");
}

static bool read_numbers(const place *p, const json_t *list, crs_axis *out)
{
    const ptrdiff_t count = (ptrdiff_t)json_array_size(list);
    double *at = crs_doubles(count, "the positions of an axis", p->e);
    bool done = at;
    for (ptrdiff_t k = 0; done && k < count; k++) {
        const json_t *x = json_array_get(list, (size_t)k);
        at[k] = json_number_value(x);
        done = json_is_number(x) || bad(p, "\"numbers\" is a list of finite numbers alone");
    }
    done = done && crs_axis_at(out, count, at, p->e);
    crs_free(at);
    return done;
}

static bool read_labels(const place *p, const json_t *list, crs_axis *out)
{
    const ptrdiff_t count = (ptrdiff_t)json_array_size(list);
    const char **label = crs_alloc((size_t)count, sizeof *label);
    bool done = label || crs_fail(p->e, CREASE_NO_MEMORY, "out of memory: labels");
    for (ptrdiff_t k = 0; done && k < count; k++) {
        label[k] = json_string_value(json_array_get(list, (size_t)k));
        done = label[k] || bad(p, "\"labels\" is a list of texts alone");
    }
    done = done && crs_axis_labels(out, count, label, p->e);
    crs_free(label);
    return done;
}

static bool read_axis(const place *p, const json_t *axis, crs_axis *out)
{
    static const char *const known[] = { "name", "unit", "numbers", "labels" };
    const json_t *numbers = json_object_get(axis, "numbers"),
                 *labels = json_object_get(axis, "labels");
    const bool at = json_array_size(numbers) > 0, words = json_array_size(labels) > 0;
    const char *name, *unit, *key;
    json_t *value;
    if (json_is_null(axis)) return true;
    if (!json_is_object(axis))
        return bad(p, "write {\"name\": ..., \"unit\": ..., \"numbers\": [...]} or null");
    json_object_foreach((json_t *)axis, key, value)
    {
        char what[120];
        bool is = false;
        for (size_t k = 0; k < 4; k++) is = is || strcmp(key, known[k]) == 0;
        snprintf(what, sizeof what, "unknown key '%.40s'; it has name, unit, numbers or labels",
                 key);
        if (!is) return bad(p, what);
    }
    if ((numbers && !json_is_null(numbers) && !json_is_array(numbers)) ||
        (labels && !json_is_null(labels) && !json_is_array(labels)))
        return bad(p, "\"numbers\" and \"labels\" are lists");
    if (at && words) return bad(p, "it has numbers and labels; give one of them");
    return read_text(p, axis, "name", &name) && read_text(p, axis, "unit", &unit) &&
           crs_axis_name(out, name, unit, p->e) && (!at || read_numbers(p, numbers, out)) &&
           (!words || read_labels(p, labels, out));
}

bool crs_axes_in(const json_t *list, const char *name, crs_axes *out, int *order, crease_error *e)
{
    const size_t count = json_array_size(list);
    *out = (crs_axes){ .axis = { { .name = NULL } } };
    *order = (int)count;
    if (!list || json_is_null(list)) return true;
    if (!json_is_array(list) || count > CREASE_MAX_ORDER)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s: axes are a list with one object for each of at most %d dimensions",
                        name, CREASE_MAX_ORDER);
    for (size_t n = 0; n < count; n++)
        if (!read_axis(&(place){ name, n, e }, json_array_get(list, n), &out->axis[n]))
            return crs_axes_free(out), false;
    return true;
}

bool crs_axes_file(const char *path, const crease_space *s, crs_axes *out, crease_error *e)
{
    int order;
    *out = (crs_axes){ .axis = { { .name = NULL } } };
    json_t *root = crs_json_read(path, NULL, e);
    if (!root) return false;
    const json_t *list = json_is_object(root) ? json_object_get(root, "axes") : root;
    bool done = list || crs_fail(e, CREASE_BAD_DATA,
                                 "%.200s has no list of axes; write [{\"name\": ...}, ...]", path);
    done = done && crs_axes_in(list, path, out, &order, e);
    json_decref(root);
    if (done && order != s->order)
        done = crs_fail(e, CREASE_BAD_SHAPE,
                        "%.200s has %d axes and the data %d dimensions; name one for each", path,
                        order, s->order);
    done = done && crs_axes_fit(out, s, path, e);
    if (!done) crs_axes_free(out);
    return done;
}

/* Which of the result's axes an array of this name has. */
typedef enum { OTHER, OF_DATA, OF_MODE, OF_COMPONENTS, OF_COEFFICIENTS } kinship;

static kinship kin_of(const char *file, int *mode)
{
    static const char *const data[] = { "lowrank.npy", "sparse.npy",    "noise.npy", "residual.npy",
                                        "z.npy",       "b.npy",         "data.npy",  "mask.npy",
                                        "tensor.npy",  "foreground.npy" };
    char rest[8];
    for (size_t k = 0; k < sizeof data / sizeof *data; k++)
        if (strcmp(file, data[k]) == 0) return OF_DATA;
    if ((sscanf(file, "factor_%d.%7s", mode, rest) == 2 ||
         sscanf(file, "x_%d.%7s", mode, rest) == 2) &&
        strcmp(rest, "npy") == 0 && *mode >= 1 && *mode <= CREASE_MAX_ORDER)
        return --*mode, OF_MODE;
    if (strcmp(file, "weights.npy") == 0 || strcmp(file, "residual_norms.npy") == 0)
        return OF_COMPONENTS;
    return strcmp(file, "coefficients.npy") == 0 ? OF_COEFFICIENTS : OTHER;
}

bool crs_is_of_data(const char *file)
{
    int mode;
    return kin_of(file, &mode) == OF_DATA;
}

/* Of regress: a row per lambda, a column for the intercept and for every column of X. */
static bool name_columns(const crs_axis *columns, const crease_space *s, crs_axes *out,
                         crease_error *e)
{
    const ptrdiff_t width = s->dim[1];
    const bool named = columns->label && columns->count + 1 == width;
    const char **label = named ? crs_alloc((size_t)width, sizeof *label) : NULL;
    if (named && !label) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: labels");
    bool done = crs_axis_name(&out->axis[0], "lambda", NULL, e) &&
                crs_axis_name(&out->axis[1], "coefficient", NULL, e);
    if (label) {
        label[0] = "intercept";
        for (ptrdiff_t k = 1; k < width; k++) label[k] = columns->label[k - 1];
        done = done && crs_axis_labels(&out->axis[1], width, label, e);
    }
    crs_free(label);
    return done;
}

static bool name_table(const crs_axis *rows, crs_axes *out, crease_error *e)
{
    crs_axis_free(&out->axis[0]);
    return crs_axis_copy(rows, &out->axis[0], e) &&
           crs_axis_name(&out->axis[1], "component", NULL, e);
}

static bool derive(const json_t *result, const char *file, const crease_space *s,
                   const crs_axes *all, int order, crs_axes *out, crease_error *e)
{
    const char *verb = json_string_value(json_object_get(result, "verb"));
    const json_t *axis = json_object_get(json_object_get(result, "settings"), "axis");
    const bool regress = verb && strcmp(verb, "regress") == 0;
    int mode = 0;
    switch (kin_of(file, &mode)) {
    case OF_DATA:
        return s->order != order || crs_axes_copy(all, order, out, e);
    case OF_MODE:
        return s->order != 2 || mode >= order || name_table(&all->axis[mode], out, e);
    case OF_COMPONENTS:
        return crs_axis_name(&out->axis[0], "component", NULL, e);
    case OF_COEFFICIENTS:
        mode = (int)json_integer_value(axis);
        if (s->order != 2) return true;
        if (regress) return order != 2 || name_columns(&all->axis[1], s, out, e);
        return mode < 0 || mode >= order || name_table(&all->axis[mode], out, e);
    case OTHER:
        break;
    }
    return true;
}

bool crs_axes_of_part(const json_t *result, const char *file, const crease_space *s, crs_axes *out,
                      crease_error *e)
{
    const json_t *merged = json_object_get(json_object_get(result, "details"), "model_axes");
    const json_t *given = json_object_get(result, "axes");
    int mode, order;
    const bool factor = kin_of(file, &mode) == OF_MODE;
    crs_axes all;
    *out = (crs_axes){ .axis = { { .name = NULL } } };
    if (!crs_axes_in(factor && json_is_array(merged) ? merged : given, "result.json", &all, &order,
                     e))
        return false;
    const bool done = derive(result, file, s, &all, order, out, e);
    crease_error unfit;
    if (done && !crs_axes_fit(out, s, file, &unfit)) crs_axes_free(out); /* of another result */
    crs_axes_free(&all);
    if (!done) crs_axes_free(out);
    return done;
}

static void free_items(int count, crs_item *item, crs_bundled *file, crs_axes *axes)
{
    for (int k = 0; axes && k < count; k++) crs_axes_free(&axes[k]);
    crs_free(axes);
    crs_free(item);
    crs_free(file);
}

bool crs_folder_label(const crs_folder *f, const crs_document *result, crease_error *e)
{
    static const char about[] =
        "a result of crease: result.json tells what it holds, crease verify FILE checks it";
    crs_bundled *file = crs_alloc((size_t)f->count, sizeof *file);
    crs_item *item = crs_alloc((size_t)f->count, sizeof *item);
    crs_axes *axes = crs_alloc((size_t)f->count, sizeof *axes);
    crease_error why = { CREASE_OK, "" };
    int n = 0;
    bool done = (file && item && axes) ||
                crs_fail(e, CREASE_NO_MEMORY, "out of memory: the names of dimensions");
    for (int k = 0; done && n < f->count && crs_bundle_at(f->beside, k, &file[n], &why); k++) {
        crs_bundled *own = &file[n];
        if (own->shape.order == 0) continue;
        done = crs_axes_of_part(result->root, own->name, &own->shape, &axes[n], e);
        own->name[strlen(own->name) - 4] = '\0'; /* the dataset, without .npy */
        item[n] = (crs_item){ .name = own->name, .shape = &own->shape, .axes = &axes[n] };
        n++;
    }
    if (done && why.code != CREASE_OK) done = crs_fail(e, why.code, "%s", why.text);
    done = done && crs_hdf5_format.holds->label(f->beside, about, n, item, e);
    free_items(n, item, file, axes);
    return done;
}

/* "FOLDER/NAME" and an ending instead of that of the file; to be freed. */
static char *renamed(const char *path, const char *name, crease_error *e)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    const size_t stem = dot && dot > path + folder ? (size_t)(dot - path) : strlen(path);
    const size_t n = name[0] == '.' ? stem : folder, room = n + strlen(name) + 1;
    char *out = crs_alloc(room, 1);
    if (out)
        snprintf(out, room, "%.*s%s", (int)n, path, name);
    else
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the name of a file");
    return out;
}

/* The result that the file is a part of; another result.json says nothing. */
static bool from_result(const char *path, const char *json, const crease_space *s, crs_axes *out,
                        crease_error *e)
{
    crease_error why = { CREASE_OK, "" };
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    json_t *root = crs_json_read(json, NULL, &why);
    const json_t *files = json_object_get(root, "files");
    bool listed = false;
    for (size_t k = 0; k < json_array_size(files); k++) {
        const char *text = json_string_value(json_array_get(files, k));
        listed = listed || (text && strcmp(text, file) == 0);
    }
    if (listed) crs_axes_of_part(root, file, s, out, &why); /* damaged ones say nothing */
    json_decref(root);
    return why.code != CREASE_NO_MEMORY || crs_fail(e, why.code, "%s", why.text);
}

bool crs_axes_beside(const char *path, const crease_space *s, crs_axes *out, crease_error *e)
{
    *out = (crs_axes){ .axis = { { .name = NULL } } };
    char *own = renamed(path, ".axes.json", e), *result = renamed(path, "result.json", e);
    bool done = own && result;
    if (done && crs_is_there(own))
        done = crs_axes_file(own, s, out, e);
    else if (done && crs_is_there(result))
        done = from_result(path, result, s, out, e);
    crs_free(own);
    crs_free(result);
    return done;
}
