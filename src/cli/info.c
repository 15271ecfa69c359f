/* SPDX-License-Identifier: MIT
 * info: what is in a file of data, and what can be done with it */
#include <stdlib.h>

#include "cli/cli.h"
#include <crease/rpca.h>

typedef struct {
    const crs_args *a;
    const char *path;
    crs_asked asked;
    const crs_format *format; /* NULL: standard input */
    crs_listing inside;
    crs_array data;
    char type[24];
    ptrdiff_t size, missing, infinite, zeros;
    double quartile[5]; /* the least, the quartiles and the largest; NaN: no entry is finite */
    double bytes;       /* of robust PCA; NaN: it has one dimension */
    char try[CRS_PATH_ROOM + 100];
} job;

/* Quartiles are entries themselves: of n in order, those at the places k (n - 1) / 4, rounded. */
static bool measure(job *j, crease_error *e)
{
    ptrdiff_t n = 0;
    j->size = crease_size(&j->data.shape);
    double *x = crs_doubles(j->size, "the entries", e);
    if (!x) return false;
    for (ptrdiff_t k = 0; k < j->size; k++) {
        const double t = j->data.data[k];
        j->missing += isnan(t);
        j->infinite += isinf(t) != 0;
        j->zeros += t == 0;
        if (isfinite(t)) x[n++] = t;
    }
    for (int q = 0; q < 5; q++) {
        const ptrdiff_t place = (ptrdiff_t)floor(q * (double)(n - 1) / 4 + 0.5);
        j->quartile[q] = n > 0 ? crs_select(n, x, place) : NAN;
    }
    crs_free(x);
    return true;
}

static void forecast(job *j)
{
    const crease_options o = crease_rpca_options();
    j->bytes = NAN;
    if (j->data.shape.order < 2) return;
    const crease_rpca_settings s = crease_rpca_default(&j->data.shape);
    j->bytes = crease_rpca_bytes(&s, &o, j->missing > 0, false) + 8 * (double)j->size;
}

/* In quotes where a shell would read it otherwise. */
static void quote(const char *path, char *out, size_t size)
{
    const bool plain = strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                    "._-/:+,=@") == strlen(path);
    snprintf(out, size, plain || strchr(path, '\'') ? "%s" : "'%s'", path);
}

static void suggest(job *j)
{
    char path[CRS_PATH_ROOM];
    const char *const name[] = { j->data.axes.axis[0].name, j->data.axes.axis[1].name };
    const bool video = j->data.shape.order == 3 && name[0] && strcmp(name[0], "row") == 0 &&
                       name[1] && strcmp(name[1], "column") == 0;
    quote(j->path, path, sizeof path);
    if (j->data.shape.order < 2)
        snprintf(j->try, sizeof j->try, "crease regress X.npy %s --out result", path);
    else
        snprintf(j->try, sizeof j->try, "crease rpca %s%s%s --out result", path,
                 video ? " --merge 0,1" : "",
                 j->missing > 0 && !j->data.gaps ? " --missing nan" : "");
}

/* The type of the only array, or of the one whose name ends the path. */
static void set_type(job *j)
{
    for (int k = 0; k < j->inside.count; k++) {
        const crs_inside *m = &j->inside.member[k];
        if (j->inside.count == 1 || (m->name[0] && crs_ends_in(j->path, m->name)))
            memcpy(j->type, m->type, sizeof j->type);
    }
}

/* What the file holds; several arrays and none named: no data are read. */
static bool look(job *j, crease_error *e)
{
    if (!crs_asked_of(j->a, &j->asked, e)) return false;
    if (strcmp(j->path, "-") != 0 &&
        !crs_read_listing(j->path, &j->asked, &j->inside, &j->format, e))
        return false;
    crease_error why;
    j->asked.missing = true;
    if (crs_read_data(j->a, j->path, &j->asked, &j->data, &why)) {
        set_type(j);
        if (!measure(j, e)) return false;
        forecast(j);
        suggest(j);
        return true;
    }
    return j->inside.count > 1 || crs_fail(e, why.code, "%s", why.text);
}

/* The first array, if one is. */
static const char *an_array(const job *j)
{
    for (int k = 0; k < j->inside.count; k++)
        if (j->inside.member[k].shape.order > 0) return j->inside.member[k].name;
    return j->inside.member[0].name;
}

/* Is it a result in one file, with a certificate? */
static bool is_result(const job *j)
{
    char path[CRS_PATH_ROOM];
    return crs_join(j->path, "certificate.json", path, sizeof path, NULL) && crs_is_there(path);
}

static void print_inside(const job *j)
{
    if (j->inside.count < 2) return;
    crs_print("inside      %d arrays\n", j->inside.count);
    for (int k = 0; k < j->inside.count; k++) {
        const crs_inside *m = &j->inside.member[k];
        char shape[120];
        crs_print("            %s:%s  %s %s\n", j->data.data ? "FILE" : j->path, m->name,
                  crs_shape_text(&m->shape, shape, sizeof shape), m->type);
    }
    if (!j->data.data) crs_print("name one, as: crease info %s:%s\n", j->path, an_array(j));
    if (is_result(j)) crs_print("a result    crease verify %s\n", j->path);
}

static void print_axes(const job *j)
{
    const crs_axes *axes = &j->data.axes;
    bool first_line = true;
    for (int n = 0; n < j->data.shape.order; n++) {
        const crs_axis *x = &axes->axis[n];
        char title[120], first[80], last[80];
        if (!x->name && !x->count) continue;
        crs_axis_heading(axes, n, title, sizeof title);
        crs_print("%-11s %s, length %td", first_line ? "axes" : "", title, j->data.shape.dim[n]);
        if (x->count > 0) {
            crs_index_text(x, 0, first, sizeof first);
            crs_index_text(x, x->count - 1, last, sizeof last);
            crs_print(": %.60s to %.60s", first, last);
        }
        crs_print("\n");
        first_line = false;
    }
}

static double share(const job *j, ptrdiff_t count) { return 100 * (double)count / (double)j->size; }

static void print_entries(const job *j)
{
    const double *q = j->quartile;
    char shape[120];
    crs_print("shape       %s, %td entries%s%s\n",
              crs_shape_text(&j->data.shape, shape, sizeof shape), j->size, j->type[0] ? ", " : "",
              j->type);
    if (!isnan(q[0]))
        crs_print("entries     %.6g to %.6g, quartiles %.6g, %.6g, %.6g\n", q[0], q[4], q[1], q[2],
                  q[3]);
    crs_print("zeros       %.3g %%\n", share(j, j->zeros));
    crs_print("missing     %.3g %% are nan\n", share(j, j->missing));
    if (j->infinite > 0)
        crs_print("infinite    %td entries; no verb takes them: correct the file\n", j->infinite);
    if (j->data.scale > 0)
        crs_print("scale       1 was %g in the file; it is written back so\n", j->data.scale);
}

static void print(const job *j)
{
    if (j->format)
        crs_print("file        %s\nformat      %s: %s\n", j->path, j->format->name,
                  j->format->text);
    print_inside(j);
    if (!j->data.data) return;
    print_entries(j);
    print_axes(j);
    if (!isnan(j->bytes)) {
        char takes[32], has[32];
        crs_bytes_text(j->bytes, takes);
        crs_bytes_text(crs_memory_free(), has);
        crs_print("memory      crease rpca takes about %s; %s are free\n", takes, has);
    }
    crs_print("try         %s\n", j->try);
}

static void put_entries(const job *j, crs_spot to)
{
    crs_put_shape(to, "shape", &j->data.shape);
    crs_put_text(to, "type", j->type[0] ? j->type : NULL);
    crs_put_whole(to, "entries", j->size);
    crs_put_whole(to, "missing", j->missing);
    crs_put_whole(to, "infinite", j->infinite);
    crs_put_whole(to, "zeros", j->zeros);
    crs_put_numbers(to, "quartiles", 5, j->quartile);
    crs_put_number(to, "scale", j->data.scale > 0 ? j->data.scale : NAN);
    crs_put_axes(to, "axes", &j->data.axes, j->data.shape.order);
    crs_put_number(to, "rpca_bytes", j->bytes);
    crs_put_number(to, "free_bytes", crs_memory_free());
    crs_put_text(to, "try", j->try);
}

static bool print_json(const job *j, crease_error *e)
{
    crs_document d;
    const crs_spot top = crs_document_begin(&d, "info");
    crs_put_path(top, "file", j->path);
    crs_put_text(top, "format", j->format ? j->format->name : NULL);
    const crs_spot list = crs_put_list(top, "inside");
    for (int k = 0; k < j->inside.count; k++) {
        const crs_spot one = crs_put_object(list, NULL);
        crs_put_text(one, "name", j->inside.member[k].name);
        crs_put_shape(one, "shape", &j->inside.member[k].shape);
        crs_put_text(one, "type", j->inside.member[k].type);
    }
    if (j->data.data)
        put_entries(j, crs_put_object(top, "array"));
    else
        crs_put_null(top, "array");
    return crs_document_print(&d, false, e);
}

static bool run(const crs_args *a, crease_error *e)
{
    job j = { .a = a, .path = a->word[0] };
    bool done = look(&j, e);
    if (done && crs_given(a, CRS_OPT_JSON))
        done = print_json(&j, e);
    else if (done)
        print(&j);
    crs_listing_free(&j.inside);
    crs_array_free(&j.data);
    return done;
}

const crs_verb crs_info_verb = {
    .name = "info",
    .words = "FILE",
    .word = CRS_KIND_FILE,
    .least = 1,
    .most = 1,
    .text = "Tell what is in a file of data: its format, the arrays inside, the shape, the range "
            "and quartiles of the entries, how many are zero or missing, what the dimensions are "
            "called, the memory that robust PCA of it takes, and a command to try. Of a file with "
            "several arrays name one as FILE:NAME.",
    .example = "crease info instance/tensor.npy",
    .takes = CRS_LIST(CRS_TAKES_READING, CRS_TAKES(JSON)),
    .run = run,
};
