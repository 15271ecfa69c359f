/* SPDX-License-Identifier: MIT
 * convert: an array from one file to another of any format, seen otherwise on its way. What was
 * written is read again, so that whatever the format could not hold is said. */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "cli/cli.h"
#include "io/stream/stream.h"

typedef struct {
    const crs_args *a;
    const char *in, *out;
    crs_asked asked;
    crs_array x;
    const crs_format *format;
    char lost[600]; /* what the file does not hold; empty: nothing */
    bool unnamed;   /* among it something of the axes */
} job;

/* "1,0,2": each dimension once */
static bool parse_order(const char *text, int order, int from[CREASE_MAX_ORDER], crease_error *e)
{
    crs_array list;
    bool seen[CREASE_MAX_ORDER] = { false };
    if (!crs_parse_list("--transpose", text, &list, e)) return false;
    bool good = crease_size(&list.shape) == order;
    for (int n = 0; good && n < order; n++) {
        const double d = list.data[n];
        good = d >= 0 && d < order && d == floor(d) && !seen[(int)d];
        if (good) from[n] = (int)d, seen[(int)d] = true;
    }
    crs_array_free(&list);
    return good || crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--transpose %.64s: name each of the dimensions 0 to %d once, as 1,0,2",
                            text, order - 1);
}

/* The entries first, first + step, ... of every dimension, dimensions taken in the order `from`. */
typedef struct {
    int from[CREASE_MAX_ORDER];
    ptrdiff_t first[CREASE_MAX_ORDER], step[CREASE_MAX_ORDER];
    crease_space shape;            /* of what results */
    bool single[CREASE_MAX_ORDER]; /* one index was named, and the dimension goes */
} view;

static bool take_view(crs_array *x, const view *v, crease_error *e)
{
    const int d = x->shape.order;
    ptrdiff_t stride[CREASE_MAX_ORDER], own = 1, at = 0, index[CREASE_MAX_ORDER] = { 0 };
    const ptrdiff_t size = crease_size(&v->shape);
    double *data = crs_doubles(size, "the array", e);
    if (!data) return false;
    for (int n = d - 1; n >= 0; n--) stride[n] = own, own *= x->shape.dim[n];
    for (int n = 0; n < d; n++) at += v->first[v->from[n]] * stride[v->from[n]];
    for (ptrdiff_t k = 0; k < size; k++) {
        data[k] = x->data[at];
        for (int n = d - 1; n >= 0; n--) {
            const ptrdiff_t hop = v->step[v->from[n]] * stride[v->from[n]];
            at += hop;
            if (++index[n] < v->shape.dim[n]) break;
            at -= index[n] * hop;
            index[n] = 0;
        }
    }
    crs_axes axes = { .axis = { { .name = NULL } } };
    for (int n = 0; n < d; n++) {
        axes.axis[n] = x->axes.axis[v->from[n]];
        crs_axis_slice(&axes.axis[n], v->first[v->from[n]], v->step[v->from[n]], v->shape.dim[n]);
    }
    if (!x->borrowed) crs_free(x->data);
    x->data = data;
    x->borrowed = false;
    x->axes = axes;
    x->shape = v->shape;
    return true;
}

static bool transpose(crs_array *x, const char *text, crease_error *e)
{
    view v = { .shape = x->shape };
    if (!parse_order(text, x->shape.order, v.from, e)) return false;
    for (int n = 0; n < x->shape.order; n++) {
        v.step[n] = 1;
        v.shape.dim[n] = x->shape.dim[v.from[n]];
    }
    return take_view(x, &v, e);
}

/* A whole number before `end`, or `otherwise` where there is none; *text moves behind it. */
static bool parse_index(const char **text, double otherwise, double *x)
{
    char number[32];
    const size_t n = strcspn(*text, ":,");
    *x = otherwise;
    if (n >= sizeof number) return false;
    memcpy(number, *text, n);
    number[n] = '\0';
    *text += n;
    return n == 0 || (crs_parse_double(number, x) && *x >= 0 && *x == floor(*x) && *x < 0x1p53);
}

/* "N=A:B:S" or "N=A" */
static bool parse_slice(const char **text, const crease_space *s, view *v)
{
    double n, first, end, step = 1;
    const char *equal = strchr(*text, '=');
    char number[8] = "";
    if (!equal || equal - *text >= (ptrdiff_t)sizeof number) return false;
    memcpy(number, *text, (size_t)(equal - *text));
    if (!crs_parse_double(number, &n) || !(n >= 0 && n < s->order && n == floor(n))) return false;
    *text = equal + 1;
    const int k = (int)n;
    if (!parse_index(text, 0, &first)) return false;
    end = first + 1;
    v->single[k] = **text != ':';
    if (**text == ':') {
        ++*text;
        if (!parse_index(text, (double)s->dim[k], &end)) return false;
    }
    if (**text == ':') {
        ++*text;
        if (!parse_index(text, 1, &step)) return false;
    }
    if (end > (double)s->dim[k]) end = (double)s->dim[k];
    if (!(first < end && step >= 1)) return false;
    v->first[k] = (ptrdiff_t)first;
    v->step[k] = (ptrdiff_t)step;
    v->shape.dim[k] = (ptrdiff_t)((end - first - 1) / step) + 1;
    return true;
}

/* Dimensions of which one index was named; the last stays. */
static void drop_single(crs_array *x, const view *v)
{
    for (int n = x->shape.order - 1; n >= 0 && x->shape.order > 1; n--) {
        if (!v->single[n]) continue;
        crs_axis_free(&x->axes.axis[n]);
        for (int k = n; k + 1 < x->shape.order; k++) {
            x->shape.dim[k] = x->shape.dim[k + 1];
            x->axes.axis[k] = x->axes.axis[k + 1];
        }
        x->axes.axis[--x->shape.order] = (crs_axis){ .name = NULL };
    }
}

static bool slice(crs_array *x, const char *text, crease_error *e)
{
    view v = { .shape = x->shape };
    for (int n = 0; n < x->shape.order; n++) v.from[n] = n, v.step[n] = 1;
    for (const char *at = text;; at++) {
        char shape[120];
        if (!parse_slice(&at, &x->shape, &v) || (*at && *at != ','))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--slice %.64s: write N=A:B:S for a dimension N of the array, which is "
                            "%s, with indices from 0 and B not included, as 0=3:10,2=::2, or N=A",
                            text, crs_shape_text(&x->shape, shape, sizeof shape));
        if (*at) continue;
        if (!take_view(x, &v, e)) return false;
        drop_single(x, &v);
        return true;
    }
}

static bool merge(crs_array *x, const char *text, crease_error *e)
{
    int first, count;
    if (!crs_parse_merge(text, &x->shape, &first, &count, e) ||
        !crs_axes_merge(&x->axes, &x->shape, first, count, e))
        return false;
    crs_merge_shape(&x->shape, first, count);
    return true;
}

/* In this order, whatever that on the command line. */
static bool reshape(job *j, crease_error *e)
{
    const char *order = crs_given(j->a, CRS_OPT_TRANSPOSE), *part = crs_given(j->a, CRS_OPT_SLICE);
    const char *merged = crs_given(j->a, CRS_OPT_MERGE);
    return (!part || slice(&j->x, part, e)) && (!order || transpose(&j->x, order, e)) &&
           (!merged || merge(&j->x, merged, e));
}

static bool choose_format(job *j, crease_error *e)
{
    const char *name = crs_given(j->a, CRS_OPT_FORMAT);
    j->format = name ? crs_format_find(name, e) : crs_format_of(j->out);
    if (!j->format)
        return !name && crs_fail(e, CREASE_BAD_ARGUMENT,
                                 "%.200s: its ending tells no format; use one that does, as .npy "
                                 "or .csv, or add --format",
                                 j->out);
    if (j->format->needs)
        return crs_fail(e, CREASE_UNSUPPORTED, "%.200s: this build has no %s", j->out,
                        j->format->needs);
    if (!j->format->write)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%.200s: %s files are read, but not written; use another format", j->out,
                        j->format->name);
    return true;
}

static bool may_write(job *j, crease_error *e)
{
    if (!crs_is_there(j->out) || crs_given(j->a, CRS_OPT_FORCE)) return true;
    *j->a->status = CRS_EXIT_NO_OUTPUT;
    return crs_fail(e, CREASE_IO, "%.200s exists already; choose another name, or add --force",
                    j->out);
}

static void lose(job *j, const char *text)
{
    const size_t used = strlen(j->lost);
    snprintf(j->lost + used, sizeof j->lost - used, "%s%s", used ? "; " : "", text);
}

static bool holds(const char *given, const char *found)
{
    return !given || (found && strcmp(given, found) == 0);
}

/* Positions to the 9 digits that texts have. */
static bool same_indices(const crs_axis *x, const crs_axis *y)
{
    bool same = x->count == y->count && !x->at == !y->at;
    for (ptrdiff_t k = 0; same && k < x->count; k++)
        same = x->at ? fabs(x->at[k] - y->at[k]) <= 1e-9 * fabs(x->at[k])
                     : strcmp(x->label[k], y->label[k]) == 0;
    return same;
}

/* What the file knows of dimension n, beside what it was given. */
static void compare_axis(job *j, int n, const crs_array *back)
{
    const crs_axis *x = &j->x.axes.axis[n], *y = &back->axes.axis[n];
    const bool same = same_indices(x, y);
    const bool gone[] = { !holds(x->name, y->name), !holds(x->unit, y->unit), x->at && !same,
                          x->label && !same };
    static const char *const what[] = { "name", "unit", "numbers", "labels" };
    char title[100], text[200];
    crs_axis_heading(&j->x.axes, n, title, sizeof title);
    size_t used = (size_t)snprintf(text, sizeof text, "of %.60s the", title);
    const size_t none = used;
    for (int k = 0; k < 4; k++)
        if (gone[k])
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %s",
                                     used > none ? "," : "", what[k]);
    if (used > none) lose(j, text), j->unnamed = true;
}

static void compare_entries(job *j, const crs_array *back)
{
    double most = 0, largest = 0;
    ptrdiff_t gaps = 0;
    char text[200];
    for (ptrdiff_t k = 0, n = crease_size(&j->x.shape); k < n; k++) {
        const double s = j->x.data[k], t = back->data[k];
        if (s == t || (isnan(s) && isnan(t))) continue;
        gaps += isnan(s) != isnan(t) || isinf(s) != isinf(t);
        if (!isfinite(s) || !isfinite(t)) continue;
        most = larger(most, fabs(s - t));
    }
    for (ptrdiff_t k = 0, n = crease_size(&j->x.shape); k < n; k++)
        if (isfinite(j->x.data[k])) largest = larger(largest, fabs(j->x.data[k]));
    snprintf(text, sizeof text, "entries differ by at most %.3g (the largest is %.3g)", most,
             largest);
    if (most > 0) lose(j, text);
    snprintf(text, sizeof text, "%td entries that are missing or infinite", gaps);
    if (gaps > 0) lose(j, text);
}

/* Reads it again. What was split into several files is not compared. */
static bool compare(job *j, crease_error *e)
{
    const crs_asked same = { .missing = true,
                             .read_as = crs_given(j->a, CRS_OPT_FORMAT),
                             .watch = j->a->watch };
    crs_array back;
    char shape[120], text[200];
    j->unnamed = crs_axes_known(&j->x.axes, j->x.shape.order);
    if (!crs_is_there(j->out)) return true;
    if (!crs_read_asked(j->out, &same, &back, e)) return false;
    if (!crease_space_equal(&back.shape, &j->x.shape)) {
        snprintf(text, sizeof text, "the shape: it is read as %s",
                 crs_shape_text(&back.shape, shape, sizeof shape));
        lose(j, text);
    } else {
        j->unnamed = false;
        compare_entries(j, &back);
        for (int n = 0; n < j->x.shape.order; n++) compare_axis(j, n, &back);
    }
    crs_array_free(&back);
    return true;
}

/* Axes that the file could not hold go beside it; those of an earlier file there go with it. */
static bool write_sidecar(const job *j, char name[CRS_PATH_ROOM], crease_error *e)
{
    const char *slash = strrchr(j->out, '/'), *dot = strrchr(j->out, '.');
    const int stem = dot && (!slash || dot > slash + 1) ? (int)(dot - j->out) : (int)strlen(j->out);
    crs_document d;
    const int n = snprintf(name, CRS_PATH_ROOM, "%.*s.axes.json", stem, j->out);
    if (n < 0 || n >= CRS_PATH_ROOM)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%.200s: the path is too long", j->out);
    if (!j->unnamed) {
        if (crs_given(j->a, CRS_OPT_FORCE)) unlink(name);
        name[0] = '\0';
        return true;
    }
    crs_put_axes(crs_document_begin(&d, NULL), "axes", &j->x.axes, j->x.shape.order);
    const bool done = crs_document_write(&d, name, NULL, e);
    crs_document_free(&d);
    return done;
}

static bool write_array(job *j, crease_error *e)
{
    const char *type = crs_given(j->a, CRS_OPT_AS);
    const crs_item item = { .name = "data",
                            .shape = &j->x.shape,
                            .data = j->x.data,
                            .axes = &j->x.axes,
                            .scale = j->x.scale,
                            .single = type && strcmp(type, "f4") == 0,
                            .watch = j->a->watch };
    const bool written = j->format->write(j->out, 1, &item, e);
    if (!written && crease_watch_why(item.watch) == CREASE_STOPPED) crs_cut(e, "writing the file");
    return written && compare(j, e);
}

static bool report(job *j, crease_error *e)
{
    char sidecar[CRS_PATH_ROOM] = "", shape[120];
    if (!write_sidecar(j, sidecar, e)) return false;
    crs_shape_text(&j->x.shape, shape, sizeof shape);
    if (crs_given(j->a, CRS_OPT_JSON)) {
        crs_document d;
        const crs_spot top = crs_document_begin(&d, "convert");
        crs_put_path(top, "file", j->out);
        crs_put_text(top, "format", j->format->name);
        crs_put_shape(top, "shape", &j->x.shape);
        crs_put_axes(top, "axes", &j->x.axes, j->x.shape.order);
        crs_put_number(top, "scale", j->x.scale > 0 ? j->x.scale : (double)NAN);
        crs_put_text(top, "left_out", j->lost[0] ? j->lost : NULL);
        crs_put_text(top, "sidecar", sidecar[0] ? sidecar : NULL);
        return crs_document_print(&d, false, e);
    }
    crs_print("written     %s: %s, %s\n", j->out, shape, j->format->name);
    if (j->lost[0]) crs_print("left out    %s\n", j->lost);
    if (j->unnamed) crs_print("axes        %s, which is read with it\n", sidecar);
    return true;
}

/* ---- more than one slab: read and written part after part ---- */

typedef struct {
    crs_source *source;
    int from[CREASE_MAX_ORDER];
} parts;

static bool put_parts(void *self, crs_sink *to, crease_error *e)
{
    const parts *p = self;
    return crs_sink_copy(to, p->source, p->from, e);
}

/* Can both files be had in parts, and is all of it asked for? Then x has all but the entries. */
static bool has_parts(job *j, crs_place *place)
{
    const crs_format *format;
    if (!j->format->lay || crs_given(j->a, CRS_OPT_SLICE) || crs_is_memory(j->out) ||
        crs_ends_in(j->out, ".gz") ||
        !crs_read_place(j->in, &j->asked, place, &j->x, &format, NULL))
        return false;
    if (place->access != CRS_PLACE_WHOLE && crs_partition_of(&place->shape).count > 1) return true;
    crs_array_free(&j->x);
    return false;
}

/* Dimensions in another order: of x, and where they come from in the file. */
static bool reorder(job *j, const crs_place *place, int from[CREASE_MAX_ORDER], crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_TRANSPOSE);
    const int order = j->x.shape.order;
    const crease_space shape = j->x.shape;
    const crs_axes axes = j->x.axes;
    for (int n = 0; n < order; n++) from[n] = n;
    if (text && !parse_order(text, order, from, e)) return false;
    for (int n = 0; n < order; n++) {
        j->x.shape.dim[n] = shape.dim[from[n]];
        j->x.axes.axis[n] = axes.axis[from[n]];
        if (place->reversed) from[n] = order - 1 - from[n];
    }
    text = crs_given(j->a, CRS_OPT_MERGE);
    return !text || merge(&j->x, text, e);
}

/* What the new file knows of its dimensions; entries are as they were, but for their length. */
static bool compare_parts(job *j, const crs_place *place, bool single, crease_error *e)
{
    crs_array back;
    crs_place there;
    const crs_format *format;
    const crs_asked same = { .read_as = crs_given(j->a, CRS_OPT_FORMAT) };
    if (!crs_read_place(j->out, &same, &there, &back, &format, e)) return false;
    if (single &&
        !(place->access == CRS_PLACE_RAW && place->type.kind == 'f' && place->type.bytes <= 4))
        lose(j, "digits beyond those of 32 bits");
    for (int n = 0; n < j->x.shape.order; n++) compare_axis(j, n, &back);
    crs_array_free(&back);
    return true;
}

/* Does --memory allow so much, and buffers beside it? As a whole: entries as read and as written.
 */
static bool allows(const job *j, double bytes, bool whole, crease_error *e)
{
    char need[32], have[32];
    double memory;
    if (!crs_option_bytes(j->a, CRS_OPT_MEMORY, INFINITY, &memory, e)) return false;
    bytes += 0x1p25;
    if (bytes <= memory) return true;
    crs_bytes_text(bytes, need);
    crs_bytes_text(memory, have);
    return crs_fail(e, CREASE_NO_MEMORY, "converting takes %s where --memory allows %s; %s", need,
                    have,
                    whole ? "allow more, or convert from .npy or HDF5 to .npy or HDF5 without "
                            "--slice, part after part"
                          : "allow more");
}

static bool convert_parts(job *j, const crs_place *place, crease_error *e)
{
    const char *type = crs_given(j->a, CRS_OPT_AS);
    const crs_stream_settings s = { .asked = &j->asked,
                                    .bytes = crs_stream_floor(&place->shape, false),
                                    .as_stored = true };
    parts p;
    if (!allows(j, s.bytes, false, e) || !crs_name_data(j->a, j->in, &j->x, e) ||
        !reorder(j, place, p.from, e))
        return false;
    const crs_item item = { .name = "data",
                            .shape = &j->x.shape,
                            .axes = &j->x.axes,
                            .single = type && strcmp(type, "f4") == 0,
                            .watch = j->a->watch };
    p.source = crs_stream_open(j->in, &s, e);
    if (!p.source) return false;
    const bool written = crs_sink_write(j->out, j->format, &item, put_parts, &p, e);
    p.source->ops->close(p.source);
    return written && compare_parts(j, place, item.single, e);
}

static bool convert_whole(job *j, crease_error *e)
{
    crease_space s = crease_vector(1);
    if (crs_given(j->a, CRS_OPT_MEMORY) && !crs_read_shape(j->in, &j->asked, &s))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "how large %.200s is shows only when it is read as a whole; leave out "
                        "--memory",
                        j->in);
    return allows(j, 16 * (double)crease_size(&s), true, e) &&
           crs_read_data(j->a, j->in, &j->asked, &j->x, e) && reshape(j, e) && write_array(j, e);
}

static bool run(const crs_args *a, crease_error *e)
{
    crs_place place;
    job j = { .a = a, .in = a->word[0], .out = a->word[1] };
    bool done = crs_asked_of(a, &j.asked, e) && choose_format(&j, e) && may_write(&j, e);
    j.asked.missing = true;
    if (done)
        done = (has_parts(&j, &place) ? convert_parts(&j, &place, e) : convert_whole(&j, e)) &&
               report(&j, e);
    crs_array_free(&j.x);
    return done;
}

const crs_verb crs_convert_verb = {
    .name = "convert",
    .words = "IN OUT",
    .word = CRS_KIND_FILE,
    .least = 2,
    .most = 2,
    .text = "Write an array to a file of another format. It is told by the ending of OUT. On "
            "its way the array can be cut (--slice), transposed and merged, in this order, and its "
            "dimensions named (--axes, before that). The new file is read again, and whatever its "
            "format could not hold is said; names of dimensions then go to a file of their own "
            "beside it, NAME.axes.json. More than 4 million entries go from .npy or HDF5 to .npy "
            "or HDF5 "
            "part after part, in little memory whatever their number; such HDF5 files are not "
            "packed.",
    .example = "crease convert instance/tensor.npy matrix.npy --merge 1,2",
    .takes =
        CRS_LIST(CRS_TAKES(SLICE), CRS_TAKES(TRANSPOSE), CRS_TAKES(MERGE), CRS_TAKES(AS),
                 CRS_SAYS(FORMAT, "the format of OUT, where its ending does not tell it"),
                 CRS_SAYS(MEMORY, "refuse what takes more than this, as 800M or 2G"),
                 CRS_TAKES_READING, CRS_SAYS(FORCE, "replace a file in the way"), CRS_TAKES(JSON)),
    .run = run,
};
