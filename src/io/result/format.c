/* SPDX-License-Identifier: MIT
 * format: the parts of a result that people look at, once more in the format they asked for, with
 * axes and in the scale of the data. The .npy files stay: certificates are bound to them. */
#include "io/result/result.h"

/* Not what only certificates, checkers and later runs read. */
static bool is_looked_at(const char *file, bool solve)
{
    static const char *const inside[] = { "z.npy",           "b.npy",
                                          "lambda.npy",      "data.npy",
                                          "mask.npy",        "groups.npy",
                                          "separator.npy",   "penalty_weights.npy",
                                          "row_weights.npy", "residual_norms.npy",
                                          "folds.npy" };
    if (!crs_ends_in(file, ".npy") || strchr(file, '/') || strncmp(file, "ray_", 4) == 0)
        return false;
    if (strncmp(file, "x_", 2) == 0) return solve;
    for (size_t k = 0; k < sizeof inside / sizeof *inside; k++)
        if (strcmp(file, inside[k]) == 0) return false;
    return true;
}

/* Images are of the data alone. */
static bool is_image(const crs_format *f) { return f->reads && strstr(f->reads, "colour"); }

typedef struct {
    crs_array x;
    char name[80]; /* without its ending */
} part;

typedef struct {
    crs_folder *f;
    crs_document *result;
    crs_spot left_out;
    double scale;
    bool solve;
} export;

static void leave_out(const export *x, const char *file, const crease_error *why)
{
    char text[400];
    const crs_spot to = crs_put_object(x->left_out, NULL);
    crs_put_text(to, "file", file);
    crs_put_text(to, "why", why->text);
    snprintf(text, sizeof text, "--format %.20s leaves %.60s out: %.250s", x->f->format->name, file,
             why->text);
    if (x->f->say) x->f->say(x->f->user, text);
}

/* One of the arrays that were written, with its axes; false with a word where it cannot be had. */
static bool read_part(const export *x, const char *file, part *p)
{
    crease_error why = { CREASE_OK, "" };
    char *path = crs_path_in(x->f->beside, file, &why);
    bool done = path && crs_read_array(path, &p->x, &why);
    crs_free(path);
    if (done) {
        crs_axes_free(&p->x.axes);
        done = crs_axes_of_part(x->result->root, file, &p->x.shape, &p->x.axes, &why);
        if (!done) crs_array_free(&p->x);
    }
    if (!done) leave_out(x, file, &why);
    snprintf(p->name, sizeof p->name, "%.*s", (int)strlen(file) - 4, file);
    return done;
}

static bool write_parts(const export *x, const char *stem, int count, const part *p)
{
    crease_error why = { CREASE_OK, "" };
    char name[160];
    crs_item *item = crs_alloc((size_t)count, sizeof *item);
    snprintf(name, sizeof name, "%.80s%.20s", stem, x->f->ending);
    char *path = crs_path_in(x->f->beside, name, &why);
    bool done = path && (item || crs_fail(&why, CREASE_NO_MEMORY, "out of memory"));
    for (int k = 0; done && k < count; k++)
        item[k] = (crs_item){ .name = p[k].name,
                              .shape = &p[k].x.shape,
                              .data = p[k].x.data,
                              .axes = &p[k].x.axes,
                              .scale = x->scale };
    done = done && x->f->format->write(path, count, item, &why);
    if (!done) leave_out(x, name, &why);
    crs_free(path);
    crs_free(item);
    return done;
}

/* All of them, or those in the shape of the data; `part` may be NULL to count them. */
static int gather(const export *x, part *p)
{
    const crs_format *format = x->f->format;
    int count = 0;
    for (int k = 0; k < x->f->count; k++) {
        const char *file = x->f->file[k].name;
        if (!is_looked_at(file, x->solve)) continue;
        if (is_image(format) && !crs_is_of_data(file)) continue;
        if (!p || read_part(x, file, &p[count])) count++;
    }
    return count;
}

/* Several arrays in one file where the format has that, else a file for each. */
static void write_all(const export *x, part *p, int count)
{
    if (x->f->format->many) {
        if (count > 0) write_parts(x, "result", count, p);
        return;
    }
    for (int k = 0; k < count; k++) write_parts(x, p[k].name, 1, &p[k]);
}

bool crs_folder_export(crs_folder *f, crs_document *result, crease_error *e)
{
    const crs_spot to = crs_put_object((crs_spot){ result, result->root }, "format");
    const json_t *data = json_array_get(json_object_get(result->root, "data"), 0);
    const char *verb = json_string_value(json_object_get(result->root, "verb"));
    crs_put_text(to, "name", f->format->name);
    const export x = { .f = f,
                       .result = result,
                       .left_out = crs_put_list(to, "left_out"),
                       .scale = json_number_value(json_object_get(data, "scale")),
                       .solve = verb && strcmp(verb, "solve") == 0 };
    const int most = gather(&x, NULL);
    part *p = crs_alloc((size_t)most + 1, sizeof *p);
    if (!p) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the parts of the result");
    const int count = gather(&x, p);
    write_all(&x, p, count);
    for (int k = 0; k < count; k++) crs_array_free(&p[k].x);
    crs_free(p);
    return crs_folder_adopt(f, e);
}
