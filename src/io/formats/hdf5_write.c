/* SPDX-License-Identifier: MIT
 * hdf5_write: arrays into one HDF5 file, by libhdf5. Axes become dimension scales with their units,
 * which arrays with the same axis share; entries are shuffled and deflated in chunks of rows, or
 * are left to be written by others, in one piece.
 *
 * A file that holds those of a result is changed by a child (child.h), one for every change, and is
 * whole after each: libhdf5 neither lives to be told that there is no memory nor ends well where
 * there is no room, which it therefore has before. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/formats/child.h"

enum { NAME = 128, CHUNK = 1 << 16, SMALL = 1024, PAGE = 4096, OWN = 1 << 16 };

typedef struct {
    hid_t file, scales; /* where scales are */
    int count;
    const crs_item *item;
    long long *offset; /* of the only item, whose entries come later; NULL: they are there */
} writer;

static bool put_text(hid_t to, const char *name, const char *text)
{
    return !text || H5LTset_attribute_string(to, ".", name, text) >= 0;
}

/* Rows of about 64 k entries; entries that come later are in one piece. */
static hid_t make_plist(const crease_space *s, bool later)
{
    hsize_t chunk[CREASE_MAX_ORDER];
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    if (later) H5Pset_alloc_time(plist, H5D_ALLOC_TIME_EARLY);
    if (later) H5Pset_fill_time(plist, H5D_FILL_TIME_NEVER);
    if (later || crease_size(s) < SMALL) return plist;
    ptrdiff_t left = CHUNK;
    for (int n = s->order - 1; n >= 0; n--) {
        const ptrdiff_t part = s->dim[n] < left ? s->dim[n] : left;
        chunk[n] = (hsize_t)(part > 0 ? part : 1);
        left /= (ptrdiff_t)chunk[n];
        if (left < 1) left = 1;
    }
    H5Pset_chunk(plist, s->order, chunk);
    H5Pset_shuffle(plist);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) H5Pset_deflate(plist, 1);
    return plist;
}

/* Portions of entries become a whole array. */
typedef struct {
    double *all;
    ptrdiff_t at;
} gathered;

static bool gather(void *self, ptrdiff_t count, const double *x)
{
    gathered *g = self;
    memcpy(g->all + g->at, x, (size_t)count * sizeof *x);
    g->at += count;
    return true;
}

static bool put_entries(hid_t d, const crs_item *a, crease_error *e)
{
    gathered g = { .all = NULL };
    if (a->pieces) {
        g.all = crs_doubles(crease_size(a->shape), "an array to be written", e);
        if (!g.all) return false;
        crs_item_each(a, gather, &g);
    }
    const bool done = H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                               a->pieces ? g.all : a->data) >= 0;
    crs_free(g.all);
    return done || crs_fail(e, CREASE_IO, "the HDF5 file cannot be written; check the space left");
}

/* The name of a scale: that of the axis where it can be one. */
static void name_scale(const crs_axis *x, int n, const char *array, bool apart, char *out)
{
    const bool plain = x->name && !strpbrk(x->name, "/.") && strlen(x->name) < NAME / 2;
    if (plain)
        snprintf(out, NAME, "%.60s%s%.60s", x->name, apart ? "_" : "", apart ? array : "");
    else
        snprintf(out, NAME, "axis_%d%s%.60s", n, apart ? "_" : "", apart ? array : "");
}

static hid_t make_scale(hid_t at, const char *name, const crs_axis *x)
{
    const hsize_t count = (hsize_t)x->count;
    const hid_t space = H5Screate_simple(1, &count, NULL);
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    H5Tset_cset(text, H5T_CSET_UTF8);
    const hid_t type = x->at ? H5T_NATIVE_DOUBLE : text;
    const hid_t d = H5Dcreate2(at, name, x->at ? H5T_IEEE_F64LE : text, space, H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT);
    if (d >= 0)
        H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                 x->at ? (const void *)x->at : (const void *)x->label);
    H5Tclose(text);
    H5Sclose(space);
    if (d >= 0) H5DSset_scale(d, x->name ? x->name : name), put_text(d, "units", x->unit);
    return d;
}

static bool same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool same_axis(const crs_axis *a, const crs_axis *b)
{
    if (a->count != b->count || !a->at != !b->at || !same_text(a->name, b->name) ||
        !same_text(a->unit, b->unit))
        return false;
    for (ptrdiff_t k = 0; k < a->count; k++)
        if (a->at ? a->at[k] != b->at[k] : !same_text(a->label[k], b->label[k])) return false;
    return true;
}

/* An axis without positions or words has its name as a label. */
static bool put_axis(const writer *w, const crs_item *a, hid_t d, int n)
{
    const crs_axis *x = &a->axes->axis[n];
    char name[NAME];
    if (x->name) H5DSset_label(d, (unsigned)n, x->name);
    if (x->count == 0) return true;
    name_scale(x, n, a->name ? a->name : "data", false, name);
    bool there = H5Lexists(w->scales, name, H5P_DEFAULT) > 0, same = false;
    for (const crs_item *b = w->item; there && b < a; b++)
        for (int k = 0; b->axes && k < b->shape->order; k++)
            same = same || same_axis(&b->axes->axis[k], x);
    for (int k = 0; there && k < n; k++) same = same || same_axis(&a->axes->axis[k], x);
    if (there && !same) {
        name_scale(x, n, a->name ? a->name : "data", true, name);
        there = H5Lexists(w->scales, name, H5P_DEFAULT) > 0;
    }
    const hid_t scale =
        there ? H5Dopen2(w->scales, name, H5P_DEFAULT) : make_scale(w->scales, name, x);
    const bool done = scale >= 0 && H5DSattach_scale(d, scale, (unsigned)n) >= 0;
    if (scale >= 0) H5Dclose(scale);
    return done;
}

static bool put_item(const writer *w, const crs_item *a, crease_error *e)
{
    hsize_t dim[CREASE_MAX_ORDER];
    for (int n = 0; n < a->shape->order; n++) dim[n] = (hsize_t)a->shape->dim[n];
    const hid_t space = H5Screate_simple(a->shape->order, dim, NULL);
    const hid_t plist = make_plist(a->shape, w->offset);
    const hid_t d =
        H5Dcreate2(w->file, a->name ? a->name : "data", a->single ? H5T_IEEE_F32LE : H5T_IEEE_F64LE,
                   space, H5P_DEFAULT, plist, H5P_DEFAULT);
    bool done = d >= 0 || crs_fail(e, CREASE_IO, "the array %.80s cannot be written to HDF5",
                                   a->name ? a->name : "data");
    if (done && w->offset)
        *w->offset = (long long)H5Dget_offset(d);
    else
        done = done && put_entries(d, a, e);
    for (int n = 0; done && a->axes && n < a->shape->order; n++)
        done = put_axis(w, a, d, n) || crs_fail(e, CREASE_IO, "an axis cannot be written to HDF5");
    if (d >= 0) H5Dclose(d);
    H5Pclose(plist);
    H5Sclose(space);
    return done;
}

static bool put_file(const char *path, const void *what, crease_error *e)
{
    writer w = *(const writer *)what;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (w.offset) H5Pset_alignment(access, PAGE, PAGE);
    w.scales = w.file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    bool done = w.file >= 0 || crs_fail(e, CREASE_IO, "the HDF5 file cannot be made");
    for (int k = 0; done && k < w.count; k++) done = put_item(&w, &w.item[k], e);
    if (w.file >= 0 && H5Fclose(w.file) < 0)
        done = crs_fail(e, CREASE_IO, "the HDF5 file cannot be written; check the space left");
    return done;
}

bool crs_write_hdf5(const char *path, int count, const crs_item *item, crease_error *e)
{
    return crs_write_by(path, put_file, &(writer){ .count = count, .item = item }, e);
}

bool crs_lay_hdf5(const char *path, const crs_item *item, long long *offset, crease_error *e)
{
    return put_file(path, &(writer){ .count = 1, .item = item, .offset = offset }, e);
}

/* ---- the files of a result ---- */

static bool fail_change(const char *path, crease_error *e)
{
    return crs_fail(e, CREASE_IO,
                    "%.200s cannot be written as HDF5; check the space and the memory left", path);
}

/* A change by the library in a child. */
static bool change(crs_decode *by, const char *path, const char *name, const void *what,
                   long long *offset, crease_error *e)
{
    const crs_input s = { .name = path, .path = path, .inner = name, .what = what };
    crs_place place = { .offset = 0 };
    crease_error why = { CREASE_OK, "" };
    if (!crs_child_change(by, &s, &place, &why))
        return why.code == CREASE_BAD_DATA ? fail_change(path, e)
                                           : crs_fail(e, why.code, "%s", why.text);
    if (offset) *offset = place.offset;
    return true;
}

/* The end of a change. */
static bool tell(crs_emit *to, haddr_t offset, crease_error *e)
{
    const crs_place p = { .access = CRS_PLACE_RAW,
                          .shape = crease_vector(1),
                          .type = { 'u', 1, false },
                          .offset = offset == HADDR_UNDEF ? 0 : (long long)offset };
    return crs_emit_place(to, &p, e);
}

static hid_t open_aligned(const char *path, bool new)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_alignment(access, PAGE, PAGE);
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1); /* no other process knows its name */
#endif
    const hid_t file = new ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                           : H5Fopen(path, H5F_ACC_RDWR, access);
    H5Pclose(access);
    return file;
}

static bool make_empty(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    const hid_t file = open_aligned(s->path, true);
    (void)asked;
    if (file < 0 || H5Fclose(file) < 0) return fail_change(s->path, e);
    return tell(to, 0, e);
}

static bool begin(const char *path, crease_error *e)
{
    if (!crs_lay_bytes(path, "", 0, OWN, e)) return false;
    const bool done = change(make_empty, path, NULL, NULL, NULL, e);
    if (!done) unlink(path);
    return done;
}

static bool take_room(const char *path, double bytes, crease_error *e)
{
    struct stat s;
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    const bool there = fd >= 0 && fstat(fd, &s) == 0;
    const bool done = there ? crs_take_room(fd, (long long)s.st_size, (long long)bytes, path, e)
                            : crs_fail(e, CREASE_IO, "%.200s has gone while it was written", path);
    if (fd >= 0) close(fd);
    return done;
}

/* A text is one value, which programs show as it is. */
static hid_t make_type(const crs_room_asked *room)
{
    if (!room->text) return H5Tcopy(room->shape ? H5T_IEEE_F64LE : H5T_STD_U8LE);
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, room->bytes);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static hid_t make_space(const crs_room_asked *room)
{
    hsize_t dim[CREASE_MAX_ORDER] = { room->bytes };
    const int order = room->shape ? room->shape->order : 1;
    if (room->text) return H5Screate(H5S_SCALAR);
    for (int n = 0; room->shape && n < order; n++) dim[n] = (hsize_t)room->shape->dim[n];
    return H5Screate_simple(order, dim, NULL);
}

static hid_t make_dataset(hid_t file, const char *name, const crs_room_asked *room)
{
    const hid_t type = make_type(room), space = make_space(room);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE), plist = make_plist(room->shape, true);
    H5Pset_create_intermediate_group(links, 1);
    H5Pset_obj_track_times(plist, false); /* the same result is the same file */
    const hid_t d = H5Dcreate2(file, name, type, space, links, plist, H5P_DEFAULT);
    H5Pclose(plist);
    H5Pclose(links);
    H5Sclose(space);
    H5Tclose(type);
    return d;
}

static bool make_room(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    const crs_room_asked *room = s->what;
    const hid_t file = open_aligned(s->path, false);
    const hid_t d = file >= 0 ? make_dataset(file, s->inner, room) : -1;
    const haddr_t at = d >= 0 ? H5Dget_offset(d) : HADDR_UNDEF;
    (void)asked;
    const bool done = d >= 0 && (at != HADDR_UNDEF || room->bytes == 0) && H5Dclose(d) >= 0 &&
                      H5Fclose(file) >= 0;
    return done ? tell(to, at, e) : fail_change(s->path, e);
}

static bool add(const char *path, const char *name, const crs_room_asked *room, long long *offset,
                crease_error *e)
{
    return take_room(path, (double)room->bytes + OWN, e) &&
           change(make_room, path, name, room, offset, e);
}

/* More than the scales of an item take. */
static double bytes_of_axes(const crs_item *a)
{
    double bytes = OWN;
    for (int n = 0; n < a->shape->order; n++) {
        const crs_axis *x = &a->axes->axis[n];
        bytes += OWN + (x->at ? 8.0 : 64.0) * (double)x->count;
        for (ptrdiff_t k = 0; x->label && k < x->count; k++)
            bytes += 2 * (double)(x->label[k] ? strlen(x->label[k]) : 0);
    }
    return bytes;
}

static bool put_axes(const writer *w)
{
    bool done = true;
    for (int k = 0; done && k < w->count; k++) {
        const crs_item *a = &w->item[k];
        const hid_t d = H5Dopen2(w->file, a->name, H5P_DEFAULT);
        done = d >= 0;
        for (int n = 0; done && n < a->shape->order; n++) done = put_axis(w, a, d, n);
        if (d >= 0) H5Dclose(d);
    }
    return done;
}

static bool make_labels(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    writer w = *(const writer *)s->what;
    (void)asked;
    w.file = open_aligned(s->path, false);
    w.scales = w.file < 0 ? -1 : H5Gcreate2(w.file, "axes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const bool done = w.scales >= 0 && put_text(w.file, "about", s->inner) && put_axes(&w) &&
                      H5Gclose(w.scales) >= 0 && H5Fclose(w.file) >= 0;
    return done ? tell(to, 0, e) : fail_change(s->path, e);
}

static bool label(const char *path, const char *about, int count, const crs_item *item,
                  crease_error *e)
{
    const writer w = { .count = count, .item = item };
    double bytes = OWN;
    for (int k = 0; k < count; k++) bytes += bytes_of_axes(&item[k]);
    return take_room(path, bytes, e) && change(make_labels, path, about, &w, NULL, e);
}

const crs_holder crs_hdf5_holder = { .begin = begin, .add = add, .label = label };
