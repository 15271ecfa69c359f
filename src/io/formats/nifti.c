/* SPDX-License-Identifier: MIT
 * nifti: images of the NIfTI-1 and NIfTI-2 standards in one file (.nii, .nii.gz), both byte orders
 * (nifti.nimh.nih.gov): a header of 348 or 540 bytes, extensions, then the items, the first index
 * running fastest. An item x stands for scl_slope x + scl_inter where scl_slope is not 0. pixdim
 * and xyzt_units become axes that begin at 0, time at toffset. */
#include "io/formats/io.h"

enum { OLD = 348, NEW = 540, DIMS = 7 };

/* Where the fields of both versions are. */
typedef struct {
    int bytes, dim, dim_bytes, type, pixdim, real_bytes, offset, slope, units, start;
} layout;
static const layout versions[2] = {
    { OLD, 40, 2, 70, 76, 4, 108, 112, 123, 136 },
    { NEW, 16, 8, 12, 104, 8, 168, 176, 500, 224 },
};

typedef struct {
    unsigned char raw[NEW];
    const layout *at;
    bool big;
    const crs_input *s;
    crease_error *e;
} header;

static bool bad(const header *h, const char *what)
{
    return crs_fail(h->e, CREASE_BAD_DATA, "%.200s: %s", h->s->name, what);
}

static double real_at(const header *h, int at, int bytes)
{
    const crs_number t = { 'f', bytes, h->big };
    double x;
    bool rounded;
    crs_numbers(&t, 1, h->raw + at, &x, &rounded);
    return x;
}

static double whole_at(const header *h, int at, int bytes)
{
    const crs_number t = { 'i', bytes, h->big };
    double x;
    bool rounded = false;
    crs_numbers(&t, 1, h->raw + at, &x, &rounded);
    return x;
}

/* The version and the byte order by the length of the header, which comes first. */
static const layout *version_of(const unsigned char *head, bool *big)
{
    for (int k = 0; k < 2; k++)
        for (int order = 0; order < 2; order++) {
            *big = order;
            if (crs_number_bits(4, *big, head) == (uint64_t)versions[k].bytes) return &versions[k];
        }
    return NULL;
}

static const char *magic_of(const unsigned char *head, const layout *v)
{
    return (const char *)head + (v->bytes == OLD ? 344 : 4);
}

static bool is_nifti(const unsigned char *head, size_t n)
{
    bool big;
    const layout *v = n >= 352 ? version_of(head, &big) : NULL;
    return v && (memcmp(magic_of(head, v), v->bytes == OLD ? "n+1" : "n+2", 4) == 0 ||
                 memcmp(magic_of(head, v), v->bytes == OLD ? "ni1" : "ni2", 4) == 0);
}

static bool read_header(crs_bytes *in, header *h)
{
    if (!crs_bytes_get(in, h->raw, OLD, "the header")) return false;
    h->at = version_of(h->raw, &h->big);
    if (!h->at) return bad(h, "it does not begin as a NIfTI file; give a .nii or .nii.gz file");
    const size_t more = (size_t)(h->at->bytes - OLD);
    if (!crs_bytes_get(in, h->raw + OLD, more, "the header")) return false;
    const char *magic = magic_of(h->raw, h->at);
    if (memcmp(magic, "ni", 2) == 0)
        return bad(h, "its items are in an .img file beside it; convert the pair to one .nii file");
    return memcmp(magic, "n+", 2) == 0 || bad(h, "its NIfTI magic string is wrong; write it again");
}

static bool read_shape(const header *h, crease_space *s)
{
    const int width = h->at->dim_bytes;
    const double order = whole_at(h, h->at->dim, width);
    crease_error why;
    if (!(order >= 1 && order <= DIMS)) return bad(h, "its header does not have 1 to 7 dimensions");
    *s = (crease_space){ .order = (int)order };
    for (int n = 0; n < s->order; n++) {
        const double d = whole_at(h, h->at->dim + width * (n + 1), width);
        if (!(d >= 1 && d <= 0x1p52)) return bad(h, "a dimension in its header is not 1 or more");
        s->dim[n] = (ptrdiff_t)d;
    }
    while (s->order > 1 && s->dim[s->order - 1] == 1) s->order--;
    return crease_space_check(s, &why) || bad(h, why.text);
}

static bool read_type(const header *h, crs_number *t)
{
    static const struct {
        int code;
        char kind;
        int bytes;
    } list[] = {
        { 2, 'u', 1 },   { 4, 'i', 2 },   { 8, 'i', 4 },   { 16, 'f', 4 },   { 64, 'f', 8 },
        { 256, 'i', 1 }, { 512, 'u', 2 }, { 768, 'u', 4 }, { 1024, 'i', 8 }, { 1280, 'u', 8 },
    };
    const int code = (int)whole_at(h, h->at->type, 2);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (list[k].code == code)
            return *t = (crs_number){ list[k].kind, list[k].bytes, h->big }, true;
    const char *what = code == 32 || code == 1792 || code == 2048 ? "complex numbers"
                       : code == 128 || code == 2304              ? "colours"
                                                                  : "of a type that is not read";
    return crs_fail(h->e, CREASE_BAD_DATA,
                    "%.200s: its items are %s (datatype %d); convert them to float32 or int16",
                    h->s->name, what, code);
}

/* The items begin behind the header and its extensions. */
static bool skip_to_items(crs_bytes *in, const header *h)
{
    const double at =
        h->at->bytes == OLD ? real_at(h, h->at->offset, 4) : whole_at(h, h->at->offset, 8);
    if (!(at >= h->at->bytes && at <= 0x1p40 && at == floor(at)))
        return bad(h, "its header does not tell where the items begin");
    return crs_bytes_skip(in, (size_t)at - in->at, "what is before the items");
}

static void scale(const header *h, crs_array *out)
{
    const int width = h->at->real_bytes;
    const double slope = real_at(h, h->at->slope, width);
    const double shift = real_at(h, h->at->slope + width, width);
    if (slope == 0 || !isfinite(slope) || !isfinite(shift) || (slope == 1 && shift == 0)) return;
    for (ptrdiff_t j = 0, n = crease_size(&out->shape); j < n; j++)
        out->data[j] = slope * out->data[j] + shift;
}

static const char *unit_of(int code)
{
    static const struct {
        int code;
        const char *unit;
    } list[] = { { 1, "m" },   { 2, "mm" },  { 3, "um" },   { 8, "s" },     { 16, "ms" },
                 { 24, "us" }, { 32, "Hz" }, { 40, "ppm" }, { 48, "rad/s" } };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (list[k].code == code) return list[k].unit;
    return NULL;
}

static bool read_axis(const header *h, int n, ptrdiff_t count, crs_axis *a)
{
    static const char *const name[] = { "x", "y", "z", "time" };
    const int width = h->at->real_bytes;
    const int code = (int)whole_at(h, h->at->units, h->at->bytes == OLD ? 1 : 4);
    const double step = fabs(real_at(h, h->at->pixdim + width * (n + 1), width));
    const double start = n == 3 ? real_at(h, h->at->start, width) : 0;
    const char *unit = n > 3 ? NULL : unit_of(n < 3 ? code & 7 : code & 0x38);
    if (n > 3) return true;
    if (!crs_axis_name(a, name[n], unit, h->e)) return false;
    if (!(step > 0 && isfinite(step * (double)count)) || !isfinite(start)) return true;
    double *at = crs_doubles(count, "the positions of an axis", h->e);
    if (!at) return false;
    for (ptrdiff_t k = 0; k < count; k++) at[k] = start + step * (double)k;
    const bool done = crs_axis_at(a, count, at, h->e);
    crs_free(at);
    return done;
}

static bool read_about(crs_bytes *in, header *h, crease_space *s, crs_number *t)
{
    return read_header(in, h) && read_shape(h, s) && read_type(h, t);
}

static bool read_nifti(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    (void)asked;
    header h = { .s = s, .e = e };
    crs_bytes in = { s->f, s->name, 0, e, NULL };
    crs_number t = { .bytes = 0 };
    *out = (crs_array){ .data = NULL };
    bool done = read_about(&in, &h, &out->shape, &t) && skip_to_items(&in, &h) &&
                crs_bytes_hold(&in, &out->shape, t.bytes) &&
                crs_memory_holds(s->name, &out->shape, e);
    if (done) {
        const crs_record each = { .type = t, .bytes = t.bytes, .each = 1 };
        done = crs_records_read(&in, &each, crease_size(&out->shape), out) && crs_row_order(out, e);
    }
    if (done) scale(&h, out);
    for (int n = 0; done && n < out->shape.order; n++)
        done = read_axis(&h, n, out->shape.dim[n], &out->axes.axis[n]);
    if (!done) crs_array_free(out);
    return done;
}

static bool list_nifti(const crs_input *s, crs_listing *out, crease_error *e)
{
    header h = { .s = s, .e = e };
    crs_bytes in = { s->f, s->name, 0, e, NULL };
    crs_number t = { .bytes = 0 };
    crs_inside m = { .name = "" };
    if (!read_about(&in, &h, &m.shape, &t)) return false;
    snprintf(m.type, sizeof m.type, "%c%d", t.kind, t.bytes);
    return crs_listing_add(out, &m, e);
}

/* The distance of an axis with even steps from `first` on; 0: it has none. */
static double step_of(const crs_axis *a, double *first)
{
    *first = 0;
    if (!a->at || a->count < 2) return 0;
    const double step = (a->at[a->count - 1] - a->at[0]) / (double)(a->count - 1);
    for (ptrdiff_t k = 0; k < a->count; k++)
        if (!(fabs(a->at[k] - a->at[0] - step * (double)k) <= 1e-6 * fabs(step))) return 0;
    *first = a->at[0];
    return step > 0 ? step : 0;
}

static int code_of(const char *unit)
{
    for (int code = 0; unit && code < 64; code++)
        if (unit_of(code) && strcmp(unit_of(code), unit) == 0) return code;
    return 0;
}

typedef struct {
    unsigned char raw[NEW];
    const layout *at;
} heading;

static void put_real(heading *h, int at, double x)
{
    uint64_t bits = 0;
    const float single = (float)x;
    memcpy(&bits, h->at->bytes == OLD ? (const void *)&single : (const void *)&x,
           (size_t)h->at->real_bytes);
    crs_number_put(h->at->real_bytes, bits, h->raw + at);
}

static void put_axes(heading *h, const crs_item *a)
{
    int units = 0;
    put_real(h, h->at->pixdim, 1);
    for (int n = 0; n < DIMS; n++) {
        double first = 0;
        const crs_axis *x = a->axes && n < a->shape->order ? &a->axes->axis[n] : NULL;
        const double step = x ? step_of(x, &first) : 0;
        put_real(h, h->at->pixdim + h->at->real_bytes * (n + 1), step > 0 ? step : 1);
        if (n == 3) put_real(h, h->at->start, first);
        if (x && (n == 0 || n == 3)) units |= code_of(x->unit) & (n == 0 ? 7 : 0x38);
    }
    crs_number_put(h->at->bytes == OLD ? 1 : 4, (uint64_t)units, h->raw + h->at->units);
}

static void make_header(heading *h, const crs_item *a)
{
    const bool old = h->at->bytes == OLD;
    const int width = h->at->dim_bytes, items = old ? 352 : 544;
    crs_number_put(4, (uint64_t)h->at->bytes, h->raw);
    memcpy(h->raw + (old ? 344 : 4), old ? "n+1\0" : "n+2\0\r\n\032\n", old ? 4 : 8);
    crs_number_put(width, (uint64_t)a->shape->order, h->raw + h->at->dim);
    for (int n = 0; n < DIMS; n++)
        crs_number_put(width, n < a->shape->order ? (uint64_t)a->shape->dim[n] : 1,
                       h->raw + h->at->dim + width * (n + 1));
    crs_number_put(2, a->single ? 16 : 64, h->raw + h->at->type);
    crs_number_put(2, a->single ? 32 : 64, h->raw + h->at->type + 2);
    if (old)
        put_real(h, h->at->offset, items);
    else
        crs_number_put(8, (uint64_t)items, h->raw + h->at->offset);
    put_real(h, h->at->slope, 1);
    put_axes(h, a);
}

typedef struct {
    const crs_item *item;
    const double *columns;
} image;

static bool put_image(FILE *f, const void *what)
{
    const image *i = what;
    const crease_space *s = i->item->shape;
    heading h = { .at = &versions[0] };
    for (int n = 0; n < s->order; n++)
        if (s->dim[n] > INT16_MAX) h.at = &versions[1];
    make_header(&h, i->item);
    const size_t n = (size_t)h.at->bytes;
    return fwrite(h.raw, 1, n, f) == n && fwrite("\0\0\0", 1, 4, f) == 4 &&
           crs_numbers_put(f, i->item->single, crease_size(s), i->columns);
}

static bool write_nifti(const char *path, int count, const crs_item *item, crease_error *e)
{
    (void)count; /* one */
    if (!crease_space_check(item->shape, e)) return false;
    if (item->shape->order > DIMS)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%.200s: NIfTI has at most 7 dimensions and the array has %d", path,
                        item->shape->order);
    double *columns = crs_column_order(item, e);
    const bool done =
        columns && crs_write_whole(path, put_image, &(image){ item, columns }, NULL, e);
    crs_free(columns);
    return done;
}

const crs_format crs_nifti_format = {
    .name = "nii",
    .endings = ".nii",
    .text = "a NIfTI-1 or NIfTI-2 image, also .nii.gz",
    .begins = is_nifti,
    .read = read_nifti,
    .list = list_nifti,
    .write = write_nifti,
};
