/* SPDX-License-Identifier: MIT
 * hdf5: arrays of HDF5 files, and so of netCDF-4 and of MATLAB 7.3, by libhdf5 in a child
 *
 * A dataset of numbers, named by its path or the only one; its dimension scales are axes with their
 * units. By the conventions of netCDF an entry that equals _FillValue or missing_value is missing,
 * the others are scale_factor * entry + add_offset. MATLAB stores the dimensions of an array in
 * reverse: they are turned back. */
#define H5_USE_18_API
#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdlib.h>

#include "io/formats/child.h"
#include "slab/slab.h"

enum { NAME = 256, SLAB = 1 << 17, CACHE = 1 << 26, LABEL = 4096, LABELS_MOST = 1 << 22 };
static const char signature[] = "\x89HDF\r\n\x1a\n";
static const char matlab_begins[] = "MATLAB 7.3";

/* What the walk through a file finds. */
typedef struct {
    hid_t file;
    bool matlab;
    crs_listing all;
    crease_error *e;
} contents;

static bool has_attribute(hid_t object, const char *name) { return H5Aexists(object, name) > 0; }

/* A number; `or` where there is none. */
static double number_of(hid_t object, const char *name, double or)
{
    double value = or ;
    if (!has_attribute(object, name)) return or ;
    const hid_t a = H5Aopen(object, name, H5P_DEFAULT), space = H5Aget_space(a);
    if (H5Sget_simple_extent_npoints(space) != 1 || H5Aread(a, H5T_NATIVE_DOUBLE, &value) < 0)
        value = or ;
    H5Sclose(space);
    H5Aclose(a);
    return value;
}

/* A text of fixed or variable length, cut to its room; "" where there is none. */
static void text_of(hid_t object, const char *name, char *out, size_t room)
{
    out[0] = '\0';
    if (!has_attribute(object, name)) return;
    const hid_t a = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(a);
    const hid_t space = H5Aget_space(a);
    const size_t size = H5Tget_size(type);
    char *shared = NULL;
    if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) {
    } else if (H5Tis_variable_str(type) > 0) {
        if (H5Aread(a, type, &shared) >= 0 && shared) snprintf(out, room, "%s", shared);
        H5free_memory(shared);
    } else if (size <= LABEL) {
        char fixed[LABEL + 1] = "";
        if (H5Aread(a, type, fixed) >= 0) snprintf(out, room, "%s", fixed);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(a);
}

static bool is_scale(hid_t d)
{
    char class[32];
    text_of(d, "CLASS", class, sizeof class);
    return strcmp(class, "DIMENSION_SCALE") == 0;
}

static bool is_number(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    return class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_ENUM || class == H5T_BITFIELD;
}

/* "f8", "u2", "b1", or what else it is. */
static void type_text(hid_t d, hid_t type, char *out, size_t room)
{
    static const char *const other[] = {
        [H5T_STRING] = "text", [H5T_COMPOUND] = "compound", [H5T_REFERENCE] = "references",
        [H5T_VLEN] = "lists",  [H5T_OPAQUE] = "opaque",     [H5T_ARRAY] = "arrays",
        [H5T_TIME] = "times"
    };
    const H5T_class_t class = H5Tget_class(type);
    char matlab[32];
    text_of(d, "MATLAB_class", matlab, sizeof matlab);
    if (strcmp(matlab, "cell") == 0 || strcmp(matlab, "char") == 0)
        snprintf(out, room, "%s", matlab);
    else if (is_number(type))
        snprintf(out, room, "%c%zu",
                 class == H5T_FLOAT                  ? 'f'
                 : class != H5T_INTEGER              ? 'b'
                 : H5Tget_sign(type) == H5T_SGN_NONE ? 'u'
                                                     : 'i',
                 H5Tget_size(type));
    else
        snprintf(out, room, "%s",
                 class >= 0 && (size_t) class < sizeof other / sizeof *other && other[class]
                     ? other[class]
                     : "unknown");
}

/* The shape as it is shown; order 0 where it has none that can be read here. */
static void shape_of(hid_t d, bool matlab, crease_space *s)
{
    hsize_t dim[H5S_MAX_RANK];
    const hid_t space = H5Dget_space(d);
    const int order = H5Sget_simple_extent_dims(space, dim, NULL);
    H5Sclose(space);
    *s = (crease_space){ .order = 0 };
    if (order < 1 || order > CREASE_MAX_ORDER) return;
    s->order = order;
    for (int n = 0; n < order; n++) {
        const hsize_t from = dim[matlab ? order - 1 - n : n];
        s->dim[n] = from <= PTRDIFF_MAX ? (ptrdiff_t)from : PTRDIFF_MAX;
    }
}

/* Where its bytes, or doubles with the least byte first, lie in one piece. */
static void find_piece(hid_t d, hid_t type, crs_inside *m)
{
    const H5T_class_t class = H5Tget_class(type);
    const hid_t plist = H5Dget_create_plist(d), space = H5Dget_space(d);
    const haddr_t offset = H5Dget_offset(d);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const size_t size = H5Tget_size(type);
    const bool known = class == H5T_STRING
                           ? H5Tis_variable_str(type) == 0
                           : H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_STD_U8LE) > 0;
    m->plain = known && H5Pget_layout(plist) == H5D_CONTIGUOUS &&
               H5Pget_external_count(plist) == 0 && count >= 0 && size > 0 &&
               (count == 0 || offset != HADDR_UNDEF) && (size_t)count < (size_t)INT64_MAX / size;
    if (m->plain) m->bytes = (long long)count * (long long)size;
    if (m->plain && count > 0) m->offset = (long long)offset;
    H5Sclose(space);
    H5Pclose(plist);
}

static herr_t visit(hid_t file, const char *name, const H5O_info_t *info, void *self)
{
    contents *c = self;
    crs_inside m = { .shape.order = 0 };
    if (info->type != H5O_TYPE_DATASET || strchr(name, '#')) return 0; /* MATLAB's own have # */
    const hid_t d = H5Dopen2(file, name, H5P_DEFAULT);
    if (d < 0) return 0;
    const hid_t type = H5Dget_type(d);
    const bool shown = !is_scale(d) && strlen(name) + 2 <= sizeof m.name;
    snprintf(m.name, sizeof m.name, "%s%s", c->matlab ? "" : "/", name);
    for (char *at = m.name; c->matlab && *at; at++)
        if (*at == '/') *at = '.'; /* fields of a struct */
    type_text(d, type, m.type, sizeof m.type);
    shape_of(d, c->matlab, &m.shape);
    find_piece(d, type, &m);
    H5Tclose(type);
    H5Dclose(d);
    if (!shown) return 0;
    return crs_listing_add(&c->all, &m, c->e) ? 0 : -1;
}

static bool fail_damaged(const crs_input *s, const char *what, crease_error *e)
{
    return crs_fail(e, CREASE_BAD_DATA,
                    "%.200s is damaged: %s cannot be read; write it again, or get another copy",
                    s->name, what);
}

/* Files of MATLAB 7.3 begin with their own words, then HDF5 begins at byte 512. */
static bool starts_as_matlab(const char *path)
{
    char head[sizeof matlab_begins] = "";
    FILE *f = fopen(path, "rb");
    const bool same = f && fread(head, 1, sizeof head - 1, f) == sizeof head - 1 &&
                      strcmp(head, matlab_begins) == 0;
    if (f) fclose(f);
    return same;
}

/* Where the file system has no locks they are not needed: the file is only read. */
#if H5_VERSION_GE(1, 10, 7)
static void without_locks(hid_t access) { H5Pset_file_locking(access, 0, 1); }
#else
static void without_locks(hid_t access) { (void)access; }
#endif

static bool open_file(const crs_input *s, contents *c, crease_error *e)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    *c = (contents){ .matlab = starts_as_matlab(s->path), .e = e };
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    without_locks(access);
    if (strncmp(s->path, "/proc/", 6) == 0) /* libhdf5 would look for the name of a file without */
        H5Pset_fapl_core(access, 1 << 16, 0);
    c->file = H5Fopen(s->path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return c->file >= 0 || fail_damaged(s, "the head of the HDF5 file", e);
}

static bool look_around(const crs_input *s, contents *c, crease_error *e)
{
    if (e) e->code = CREASE_OK;
    if (H5Ovisit(c->file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, c) >= 0) return true;
    return (e && e->code == CREASE_NO_MEMORY) ? false : fail_damaged(s, "its list of arrays", e);
}

/* ---- one dataset ---- */

typedef struct {
    const crs_input *s;
    hid_t d, type, space;
    bool matlab;
    crease_space shape; /* as stored, in the order of the file */
    double scale, offset, missing[2];
    ptrdiff_t gaps;
} dataset;

static void close_dataset(dataset *x)
{
    if (x->space > 0) H5Sclose(x->space);
    if (x->type > 0) H5Tclose(x->type);
    if (x->d > 0) H5Dclose(x->d);
}

static bool is_elsewhere(hid_t d)
{
    const hid_t plist = H5Dget_create_plist(d);
    const bool elsewhere = H5Pget_layout(plist) == H5D_VIRTUAL || H5Pget_external_count(plist) > 0;
    H5Pclose(plist);
    return elsewhere;
}

/* The first filter that this libhdf5 does not have; "" where it has all. */
static void lacking_filter(hid_t d, char *out, size_t room)
{
    const hid_t plist = H5Dget_create_plist(d);
    out[0] = '\0';
    for (int k = 0, count = H5Pget_nfilters(plist); k < count && !out[0]; k++) {
        char name[40] = "";
        unsigned flags, config;
        size_t none = 0;
        const H5Z_filter_t id =
            H5Pget_filter2(plist, (unsigned)k, &flags, &none, NULL, sizeof name, name, &config);
        if (id >= 0 && H5Zfilter_avail(id) <= 0)
            snprintf(out, room, "%s%s%d", name, name[0] ? ", " : "filter ", (int)id);
    }
    H5Pclose(plist);
}

/* In MATLAB 7.3 fields of a struct may be told by dots. */
static void path_in(const contents *c, const char *inner, char *out, size_t room)
{
    snprintf(out, room, "%s", inner);
    for (char *at = out; c->matlab && *at; at++)
        if (*at == '.') *at = '/';
}

static bool is_sparse_matlab(hid_t file, const char *path)
{
    const hid_t o = H5Oopen(file, path, H5P_DEFAULT);
    const bool sparse = o >= 0 && has_attribute(o, "MATLAB_sparse");
    if (o >= 0) H5Oclose(o);
    return sparse;
}

static bool check_kind(const dataset *x, const char *path, crease_error *e)
{
    char type[24], filter[60];
    type_text(x->d, x->type, type, sizeof type);
    if (!is_number(x->type) || !strcmp(type, "cell") || !strcmp(type, "char"))
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.120s:%.60s is of type %s; give an array of real numbers", x->s->name,
                        path, type);
    if (is_elsewhere(x->d))
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.120s:%.60s keeps its numbers in other files; put them into one, for "
                        "example by h5py or ncks",
                        x->s->name, path);
    lacking_filter(x->d, filter, sizeof filter);
    if (filter[0])
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.120s:%.60s is packed by a filter that this HDF5 does not have (%s); "
                        "pack it by another one, as h5repack -f GZIP=4 in.h5 out.h5",
                        x->s->name, path, filter);
    if (x->matlab && number_of(x->d, "MATLAB_empty", 0) != 0)
        return crs_fail(e, CREASE_BAD_DATA, "%.120s:%.60s is empty; give an array with entries",
                        x->s->name, path);
    return x->shape.order > 0 ||
           crs_fail(e, CREASE_BAD_DATA, "%.120s:%.60s has no dimensions, or more than %d",
                    x->s->name, path, CREASE_MAX_ORDER);
}

static bool open_dataset(const contents *c, const crs_input *s, dataset *x, crease_error *e)
{
    char path[NAME];
    const crs_inside *one = s->inner ? NULL : crs_listing_pick(&c->all, s, e);
    if (!s->inner && !one) return false;
    path_in(c, s->inner ? s->inner : one->name, path, sizeof path);
    *x = (dataset){ .s = s, .matlab = c->matlab, .d = H5Dopen2(c->file, path, H5P_DEFAULT) };
    if (x->d < 0 && is_sparse_matlab(c->file, path))
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.120s:%.60s is a sparse matrix; save full(%.40s) instead", s->name, path,
                        path);
    if (x->d < 0) return crs_listing_pick(&c->all, s, e) && fail_damaged(s, "an array", e);
    x->type = H5Dget_type(x->d);
    x->space = H5Dget_space(x->d);
    shape_of(x->d, false, &x->shape);
    x->scale = number_of(x->d, "scale_factor", 1);
    x->offset = number_of(x->d, "add_offset", 0);
    x->missing[0] = number_of(x->d, "_FillValue", NAN);
    x->missing[1] = number_of(x->d, "missing_value", NAN);
    return check_kind(x, path, e);
}

/* Rows that are read at a time: as many as a row of chunks has, where that is not too much. */
static ptrdiff_t rows_at_once(const dataset *x)
{
    hsize_t chunk[H5S_MAX_RANK];
    ptrdiff_t row = crease_size(&x->shape) / x->shape.dim[0], rows = SLAB / row;
    const hid_t plist = H5Dget_create_plist(x->d);
    if (H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_chunk(plist, H5S_MAX_RANK, chunk) > 0 &&
        chunk[0] < (hsize_t)x->shape.dim[0] && (double)chunk[0] * (double)row < CACHE)
        rows = rows < (ptrdiff_t)chunk[0] ? (ptrdiff_t)chunk[0]
                                          : rows / (ptrdiff_t)chunk[0] * (ptrdiff_t)chunk[0];
    else if (H5Pget_layout(plist) == H5D_CHUNKED && (double)x->shape.dim[0] * (double)row < CACHE)
        rows = x->shape.dim[0];
    H5Pclose(plist);
    return rows < 1 ? 1 : rows > x->shape.dim[0] ? x->shape.dim[0] : rows;
}

/* scale * stored + offset; nan where the stored one says missing. */
static void convert(dataset *x, ptrdiff_t count, double *v)
{
    for (ptrdiff_t k = 0; k < count; k++) {
        if (v[k] == x->missing[0] || v[k] == x->missing[1])
            v[k] = NAN, x->gaps++;
        else if (x->scale != 1 || x->offset != 0)
            v[k] = x->scale * v[k] + x->offset;
    }
}

/* A box of entries, from `from` on. */
static bool read_box(dataset *x, const ptrdiff_t *from, const crease_space *box, double *v)
{
    hsize_t start[CREASE_MAX_ORDER], count[CREASE_MAX_ORDER], all = 1;
    for (int n = 0; n < box->order; n++) {
        start[n] = (hsize_t)from[n];
        count[n] = (hsize_t)box->dim[n];
        all *= count[n];
    }
    const hid_t memory = H5Screate_simple(1, &all, NULL);
    const bool done =
        memory >= 0 &&
        H5Sselect_hyperslab(x->space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
        H5Dread(x->d, H5T_NATIVE_DOUBLE, memory, x->space, H5P_DEFAULT, v) >= 0;
    H5Sclose(memory);
    if (done) convert(x, (ptrdiff_t)all, v);
    return done;
}

static bool send_items(dataset *x, crs_emit *to, crease_error *e)
{
    const ptrdiff_t row = crease_size(&x->shape) / x->shape.dim[0], rows = rows_at_once(x);
    ptrdiff_t from[CREASE_MAX_ORDER] = { 0 };
    crease_space box = x->shape;
    double *v = crs_doubles(rows * row, "rows of an HDF5 file", e);
    bool done = v != NULL;
    for (; done && from[0] < x->shape.dim[0]; from[0] += rows) {
        box.dim[0] = fewer(rows, x->shape.dim[0] - from[0]);
        done = (read_box(x, from, &box, v) || fail_damaged(x->s, "an array", e)) &&
               crs_emit_items(to, box.dim[0] * row, v, e);
    }
    crs_free(v);
    return done;
}

/* Positions of a scale of numbers. */
static bool positions(hid_t scale, ptrdiff_t count, crs_axis *a, crease_error *e)
{
    double *at = crs_doubles(count, "a scale", e);
    if (!at) return false;
    bool done = true;
    if (H5Dread(scale, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, at) >= 0 &&
        crs_all_finite(count, at))
        done = crs_axis_at(a, count, at, e);
    crs_free(at);
    return done;
}

/* Words of a scale of texts. Those of fixed length are read one after the other, with an end. */
static bool words(hid_t scale, hid_t type, ptrdiff_t count, crs_axis *a, crease_error *e)
{
    const bool variable = H5Tis_variable_str(type) > 0;
    const size_t size = variable ? sizeof(char *) : H5Tget_size(type) + 1;
    if (size > LABEL || (double)size * (double)count > LABELS_MOST) return true;
    char *all = crs_alloc((size_t)count, size);
    const char **label = crs_alloc((size_t)count, sizeof *label);
    const hid_t memory = H5Tcopy(type), space = H5Dget_space(scale);
    if (!variable) H5Tset_size(memory, size), H5Tset_strpad(memory, H5T_STR_NULLTERM);
    bool done = all && label;
    if (!done) crs_fail(e, CREASE_NO_MEMORY, "out of memory: labels");
    if (done && H5Dread(scale, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0) {
        for (ptrdiff_t k = 0; k < count; k++)
            label[k] = variable ? ((char **)(void *)all)[k] : all + (size_t)k * size;
        for (ptrdiff_t k = 0; k < count; k++)
            if (!label[k] || strlen(label[k]) >= LABEL) label[k] = "";
        done = crs_axis_labels(a, count, label, e);
        if (variable) H5Dvlen_reclaim(memory, space, H5P_DEFAULT, all);
    }
    H5Sclose(space);
    H5Tclose(memory);
    crs_free(label);
    crs_free(all);
    return done;
}

/* The last part of a path. netCDF says of a dimension without positions that it is none. */
static void scale_name(hid_t scale, char *out, size_t room, bool *bare)
{
    char name[NAME] = "", path[NAME] = "";
    text_of(scale, "NAME", name, sizeof name);
    *bare = strncmp(name, "This is a netCDF dimension but not", 34) == 0;
    H5Iget_name(scale, path, sizeof path);
    const char *slash = strrchr(path, '/');
    snprintf(out, room, "%s", name[0] && !*bare ? name : slash ? slash + 1 : path);
}

static bool from_scale(hid_t scale, ptrdiff_t count, crs_axis *a, crease_error *e)
{
    char name[NAME], unit[NAME];
    bool bare;
    scale_name(scale, name, sizeof name, &bare);
    text_of(scale, "units", unit, sizeof unit);
    if (!crs_axis_name(a, name, unit, e) || bare) return !e || e->code != CREASE_NO_MEMORY;
    const hid_t type = H5Dget_type(scale), space = H5Dget_space(scale);
    const bool fits = H5Sget_simple_extent_npoints(space) == count;
    H5Sclose(space);
    bool done = true;
    if (fits && is_number(type)) done = positions(scale, count, a, e);
    if (fits && H5Tget_class(type) == H5T_STRING) done = words(scale, type, count, a, e);
    H5Tclose(type);
    return done;
}

typedef struct {
    ptrdiff_t count;
    crs_axis *axis;
    crease_error *e;
    bool failed;
} one_axis;

/* The first scale of a dimension. */
static herr_t first_scale(hid_t d, unsigned dim, hid_t scale, void *self)
{
    one_axis *o = self;
    (void)d, (void)dim;
    o->failed = !from_scale(scale, o->count, o->axis, o->e);
    return 1;
}

static bool send_axes(const dataset *x, crs_emit *to, crease_error *e)
{
    bool done = true;
    for (int n = 0; done && n < x->shape.order; n++) {
        crs_axis a = { .name = NULL };
        one_axis o = { x->shape.dim[n], &a, e, false };
        char label[NAME] = "";
        if (H5DSget_num_scales(x->d, (unsigned)n) > 0)
            H5DSiterate_scales(x->d, (unsigned)n, NULL, first_scale, &o);
        if (!a.name && H5DSget_label(x->d, (unsigned)n, label, sizeof label) > 0 && label[0])
            o.failed = o.failed || !crs_axis_name(&a, label, a.unit, e);
        done = !o.failed && crs_emit_axis(to, x->matlab ? x->shape.order - 1 - n : n, &a, e);
        crs_axis_free(&a);
    }
    return done;
}

static bool send_notice(const dataset *x, crs_emit *to, crease_error *e)
{
    char text[200] = "";
    if (x->gaps > 0)
        snprintf(text, sizeof text, "%.80s: %td entr%s marked as missing (_FillValue), nan here",
                 x->s->name, x->gaps, x->gaps == 1 ? "y is" : "ies are");
    else if (x->matlab)
        snprintf(text, sizeof text,
                 "%.80s: a MATLAB 7.3 file; its dimensions are in the order that MATLAB prints",
                 x->s->name);
    return !text[0] || crs_emit_notice(to, text, e);
}

static bool send_dataset(dataset *x, crs_emit *to, crease_error *e)
{
    crease_space shown = x->shape;
    int slow[CREASE_MAX_ORDER];
    const int last = x->shape.order - 1;
    for (int n = 0; n <= last; n++) {
        slow[n] = x->matlab ? last - n : n;
        if (x->matlab) shown.dim[n] = x->shape.dim[last - n];
    }
    return crs_emit_shape(to, &shown, slow, (int)H5Tget_size(x->type), e) && send_axes(x, to, e) &&
           send_items(x, to, e) && send_notice(x, to, e);
}

/* ---- in slabs ---- */

/* Indices of `mode` that are read at a time for a slab: 2^17 entries, or what a row of chunks has
 * where that is not too much. */
static ptrdiff_t step_of(const dataset *x, int mode)
{
    hsize_t chunk[H5S_MAX_RANK];
    const ptrdiff_t each = crs_right(&x->shape, mode);
    ptrdiff_t step = more(1, SLAB / each), deep = 1;
    const hid_t plist = H5Dget_create_plist(x->d);
    if (H5Pget_layout(plist) == H5D_CHUNKED && H5Pget_chunk(plist, H5S_MAX_RANK, chunk) > mode)
        deep = (ptrdiff_t)chunk[mode];
    H5Pclose(plist);
    if ((double)deep * (double)each < CACHE) step = more(1, step / deep) * deep;
    return step;
}

/* In pieces that end where chunks do. */
static bool send_slab(dataset *x, const crs_slab *slab, ptrdiff_t step, int mode, double *v,
                      crs_emit *to, crease_error *e)
{
    const ptrdiff_t end = slab->from[mode] + slab->shape.dim[mode];
    ptrdiff_t from[CREASE_MAX_ORDER];
    crease_space box = slab->shape;
    memcpy(from, slab->from, sizeof from);
    for (ptrdiff_t next; from[mode] < end; from[mode] = next) {
        next = fewer(end, (from[mode] / step + 1) * step);
        box.dim[mode] = next - from[mode];
        if (!read_box(x, from, &box, v)) return fail_damaged(x->s, "an array", e);
        if (!crs_emit_items(to, crease_size(&box), v, e)) return false;
    }
    return true;
}

static bool send_slabs(dataset *x, crs_emit *to, crease_error *e)
{
    const crs_partition cut = crs_partition_of(&x->shape);
    const ptrdiff_t step = step_of(x, cut.mode);
    double *v = crs_doubles(fewer(step * crs_right(&cut.shape, cut.mode), crs_slab_most(&cut)),
                            "a part of an HDF5 file", e);
    bool done = v != NULL;
    for (ptrdiff_t k = 0; done && crs_emit_asks(to, &k);) {
        const crs_slab slab = crs_slab_at(&cut, k);
        done = send_slab(x, &slab, step, cut.mode, v, to, e);
    }
    crs_free(v);
    return done;
}

/* Is it a number of this kind, without bits to spare? */
static bool plain_number(hid_t type, crs_number *out)
{
    static const int sizes[] = { 1, 2, 4, 8 };
    const H5T_class_t class = H5Tget_class(type);
    const size_t size = H5Tget_size(type);
    bool whole = false;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) whole |= size == (size_t)sizes[k];
    if (!whole || H5Tget_precision(type) != 8 * size || H5Tget_offset(type) != 0) return false;
    *out = (crs_number){ 'f', (int)size, H5Tget_order(type) == H5T_ORDER_BE };
    if (class == H5T_INTEGER) out->kind = H5Tget_sign(type) == H5T_SGN_NONE ? 'u' : 'i';
    if (class == H5T_INTEGER) return true;
    return H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0 ||
           H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0;
}

static bool is_as_stored(const dataset *x)
{
    return x->scale == 1 && x->offset == 0 && isnan(x->missing[0]) && isnan(x->missing[1]);
}

static bool send_place(dataset *x, crs_emit *to, crease_error *e)
{
    crs_place p = { .access = CRS_PLACE_FED, .shape = x->shape, .reversed = x->matlab };
    crs_number type;
    p.type.bytes = (int)H5Tget_size(x->type);
    const hid_t plist = H5Dget_create_plist(x->d);
    const haddr_t offset = H5Dget_offset(x->d);
    if (H5Pget_layout(plist) == H5D_CONTIGUOUS && offset != HADDR_UNDEF && is_as_stored(x) &&
        plain_number(x->type, &type)) {
        p.access = CRS_PLACE_RAW;
        p.type = type;
        p.offset = (long long)offset;
    }
    H5Pclose(plist);
    return crs_emit_place(to, &p, e) && send_axes(x, to, e) && send_notice(x, to, e);
}

/* Opens the array and sends what is asked for. */
static bool with_dataset(const crs_input *s, crs_emit *to,
                         bool (*give)(dataset *x, crs_emit *to, crease_error *e), crease_error *e)
{
    contents c;
    dataset x = { .d = 0 };
    const bool done = open_file(s, &c, e) && look_around(s, &c, e) && open_dataset(&c, s, &x, e) &&
                      give(&x, to, e);
    close_dataset(&x);
    crs_listing_free(&c.all);
    if (c.file >= 0) H5Fclose(c.file);
    return done;
}

static bool decode(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)asked;
    return with_dataset(s, to, send_dataset, e);
}

static bool decode_place(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)asked;
    return with_dataset(s, to, send_place, e);
}

static bool decode_slabs(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)asked;
    return with_dataset(s, to, send_slabs, e);
}

static bool place_hdf5(const crs_input *s, const crs_asked *asked, crs_place *out, crs_array *about,
                       crease_error *e)
{
    return crs_child_place(decode_place, s, asked, out, about, e);
}

static bool decode_list(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)asked;
    contents c;
    bool done = open_file(s, &c, e) && look_around(s, &c, e);
    for (int k = 0; done && k < c.all.count; k++) done = crs_emit_member(to, &c.all.member[k], e);
    crs_listing_free(&c.all);
    if (c.file >= 0) H5Fclose(c.file);
    return done;
}

static bool read_hdf5(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    return crs_child_read(NULL, decode, s, asked, out, e);
}

static bool list_hdf5(const crs_input *s, crs_listing *out, crease_error *e)
{
    return crs_child_list(decode_list, s, out, e);
}

static bool is_hdf5(const unsigned char *head, size_t n)
{
    return n >= 10 && (memcmp(head, signature, 8) == 0 || memcmp(head, matlab_begins, 10) == 0);
}

const crs_format crs_hdf5_format = {
    .name = "h5",
    .endings = ".h5 .hdf5 .he5 .nc .nc4",
    .text = "HDF5, netCDF-4 and MATLAB 7.3: FILE:/path names the array",
    .begins = is_hdf5,
    .read = read_hdf5,
    .list = list_hdf5,
    .place = place_hdf5,
    .feed = decode_slabs,
    .write = crs_write_hdf5,
    .lay = crs_lay_hdf5,
    .holds = &crs_hdf5_holder,
    .many = true,
    .opens = true,
};
