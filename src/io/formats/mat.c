/* SPDX-License-Identifier: MIT
 * mat: MATLAB's files of versions 5 and 7 (4, too), by libmatio in a child; version 7.3 is HDF5
 *
 * A variable, or a field of a struct told by dots. Shapes are as MATLAB prints them, vectors have
 * two dimensions; the entries are stored with the first dimension fastest. Axes go into a struct
 * `axes` with an element for each dimension. */
#include <matio.h>
#ifdef CREASE_ZLIB
#include <zlib.h>
#endif

#include "io/formats/child.h"

enum { DEPTH = 4, PIECE = 8192 };

static const char *class_text(const matvar_t *v)
{
    static const char *const text[] = {
        [MAT_C_EMPTY] = "empty",   [MAT_C_CELL] = "cell",         [MAT_C_STRUCT] = "struct",
        [MAT_C_OBJECT] = "object", [MAT_C_CHAR] = "char",         [MAT_C_SPARSE] = "f8 sparse",
        [MAT_C_DOUBLE] = "f8",     [MAT_C_SINGLE] = "f4",         [MAT_C_INT8] = "i1",
        [MAT_C_UINT8] = "u1",      [MAT_C_INT16] = "i2",          [MAT_C_UINT16] = "u2",
        [MAT_C_INT32] = "i4",      [MAT_C_UINT32] = "u4",         [MAT_C_INT64] = "i8",
        [MAT_C_UINT64] = "u8",     [MAT_C_FUNCTION] = "function", [MAT_C_OPAQUE] = "object",
    };
    const size_t k = (size_t)v->class_type;
    if (v->isComplex) return "complex";
    if (v->isLogical && v->class_type == MAT_C_UINT8) return "b1";
    return k < sizeof text / sizeof *text && text[k] ? text[k] : "unknown";
}

/* order 0 where it cannot be read: no dimensions, too many, or an empty one. */
static void shape_of(const matvar_t *v, crease_space *s)
{
    *s = (crease_space){ .order = 0 };
    if (v->rank < 1 || v->rank > CREASE_MAX_ORDER || !v->dims) return;
    for (int n = 0; n < v->rank; n++) {
        if (v->dims[n] < 1 || v->dims[n] > PTRDIFF_MAX) return;
        s->dim[n] = (ptrdiff_t)v->dims[n];
    }
    s->order = v->rank;
}

static bool is_single_struct(const matvar_t *v)
{
    if (v->class_type != MAT_C_STRUCT || !v->dims) return false;
    for (int n = 0; n < v->rank; n++)
        if (v->dims[n] != 1) return false;
    return true;
}

/* A variable and the fields in it. */
static bool add(crs_listing *l, matvar_t *v, const char *name, int depth, crease_error *e)
{
    crs_inside m = { .shape.order = 0 };
    if (depth > DEPTH || strlen(name) >= sizeof m.name) return true;
    snprintf(m.name, sizeof m.name, "%s", name);
    snprintf(m.type, sizeof m.type, "%s", class_text(v));
    shape_of(v, &m.shape);
    if (!crs_listing_add(l, &m, e)) return false;
    if (!is_single_struct(v)) return true;
    char *const *field = Mat_VarGetStructFieldnames(v);
    for (unsigned k = 0, count = Mat_VarGetNumberOfFields(v); field && k < count; k++) {
        char inner[sizeof m.name + 70];
        matvar_t *f = Mat_VarGetStructFieldByName(v, field[k], 0);
        snprintf(inner, sizeof inner, "%s.%.64s", name, field[k]);
        if (f && !add(l, f, inner, depth + 1, e)) return false;
    }
    return true;
}

static bool fail_damaged(const crs_input *s, const char *what, crease_error *e)
{
    return crs_fail(e, CREASE_BAD_DATA,
                    "%.200s is damaged: %s cannot be read; write it again, or get another copy",
                    s->name, what);
}

static bool look_around(const crs_input *s, mat_t *file, crs_listing *l, crease_error *e)
{
    bool done = true;
    for (matvar_t *v; done && (v = Mat_VarReadNextInfo(file)) != NULL; Mat_VarFree(v))
        if (v->name) done = add(l, v, v->name, 0, e);
    return done && (l->count > 0 || fail_damaged(s, "its list of variables", e));
}

/* Is a packed element of so many bytes whole, with its sum? libmatio does not ask. */
#ifdef CREASE_ZLIB
static bool is_whole(FILE *f, uint32_t bytes)
{
    unsigned char in[PIECE], out[4 * PIECE];
    z_stream z = { .next_in = NULL };
    int state = inflateInit(&z);
    while (state == Z_OK && bytes > 0) {
        const size_t now = fread(in, 1, bytes < PIECE ? bytes : PIECE, f);
        if (now == 0) break;
        bytes -= (uint32_t)now;
        z.next_in = in;
        z.avail_in = (uInt)now;
        do {
            z.next_out = out;
            z.avail_out = sizeof out;
            state = inflate(&z, Z_NO_FLUSH);
        } while (state == Z_OK && (z.avail_in > 0 || z.avail_out == 0));
        if (state == Z_BUF_ERROR) state = Z_OK; /* it waits for more */
    }
    inflateEnd(&z);
    return state == Z_STREAM_END;
}
#else
static bool is_whole(FILE *f, uint32_t bytes)
{
    (void)f, (void)bytes;
    return true;
}
#endif

/* The elements of version 5: type, bytes, and so many of them, which the file must hold. */
static bool elements_whole(FILE *f)
{
    enum { HEAD = 128, PACKED = 15 };
    unsigned char head[HEAD], tag[8];
    if (fread(head, 1, HEAD, f) != HEAD) return false;
    const bool big = head[126] == 'M';
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    for (long at = HEAD; at + 8 <= size;) {
        fseek(f, at, SEEK_SET);
        if (fread(tag, 1, sizeof tag, f) != sizeof tag) return false;
        const uint64_t type = crs_number_bits(4, big, tag),
                       bytes = crs_number_bits(4, big, tag + 4);
        if (bytes > (uint64_t)(size - at - 8)) return false;
        if (type == PACKED && !is_whole(f, (uint32_t)bytes)) return false;
        at += 8 + (long)bytes;
    }
    return true;
}

/* Version 4 has no such head. */
static bool check_file(const crs_input *s, crease_error *e)
{
    char head[8] = "";
    FILE *f = crs_open(s->path, e);
    if (!f) return false;
    const bool five = fread(head, 1, 7, f) == 7 && strcmp(head, "MATLAB ") == 0;
    rewind(f);
    const bool whole = !five || elements_whole(f);
    fclose(f);
    return whole || fail_damaged(s, "a part of it", e);
}

static mat_t *open_file(const crs_input *s, crease_error *e)
{
    if (!check_file(s, e)) return NULL;
    mat_t *file = Mat_Open(s->path, MAT_ACC_RDONLY);
    if (!file) fail_damaged(s, "the head of the MAT file", e);
    return file;
}

/* Entries first .. first + count of the variable, in its order. */
static void entries(const matvar_t *v, ptrdiff_t first, ptrdiff_t count, double *x)
{
#define TAKE(class, type)                                                                          \
    case class:                                                                                    \
        for (ptrdiff_t k = 0; k < count; k++) x[k] = (double)((const type *)v->data)[first + k];   \
        break
    switch (v->class_type) {
        TAKE(MAT_C_DOUBLE, double);
        TAKE(MAT_C_SINGLE, float);
        TAKE(MAT_C_INT8, int8_t);
        TAKE(MAT_C_UINT8, uint8_t);
        TAKE(MAT_C_INT16, int16_t);
        TAKE(MAT_C_UINT16, uint16_t);
        TAKE(MAT_C_INT32, int32_t);
        TAKE(MAT_C_UINT32, uint32_t);
        TAKE(MAT_C_INT64, int64_t);
        TAKE(MAT_C_UINT64, uint64_t);
    default:
        fill(count, NAN, x);
    }
#undef TAKE
}

static bool send_dense(const crs_input *s, const matvar_t *v, ptrdiff_t count, crs_emit *to,
                       crease_error *e)
{
    double x[PIECE];
    if (!v->data || v->nbytes < (size_t)count * Mat_SizeOfClass((int)v->class_type))
        return fail_damaged(s, "a variable", e);
    for (ptrdiff_t at = 0; at < count; at += PIECE) {
        const ptrdiff_t now = count - at < PIECE ? count - at : PIECE;
        entries(v, at, now, x);
        if (!crs_emit_items(to, now, x, e)) return false;
    }
    return true;
}

/* Column by column, zeros between. */
static bool send_sparse(const crs_input *s, const matvar_t *v, crs_emit *to, crease_error *e)
{
    const mat_sparse_t *a = v->data;
    const size_t rows = v->dims[0], columns = v->dims[1];
    const bool whole = a && v->data_type == MAT_T_DOUBLE && a->njc == columns + 1;
    double *x = whole ? crs_doubles((ptrdiff_t)rows, "a column", e) : NULL;
    if (!x) return whole ? false : fail_damaged(s, "a sparse variable", e);
    bool done = true;
    for (size_t j = 0; done && j < columns; j++) {
        fill((ptrdiff_t)rows, 0, x);
        for (size_t k = a->jc[j]; done && k < a->jc[j + 1]; k++) {
            done = k < a->nir && k < a->ndata && a->ir[k] < rows;
            if (done) x[a->ir[k]] = ((const double *)a->data)[k];
        }
        if (!done) fail_damaged(s, "a sparse variable", e);
        done = done && crs_emit_items(to, (ptrdiff_t)rows, x, e);
    }
    crs_free(x);
    return done;
}

/* The text of a variable of characters; "" for others. */
static void text_of(const matvar_t *v, char *out, size_t room)
{
    size_t n = 0;
    const size_t size = v ? (size_t)v->data_size : 0;
    if (v && v->class_type == MAT_C_CHAR && v->data && (size == 1 || size == 2))
        for (; n + 1 < room && (n + 1) * size <= v->nbytes; n++)
            out[n] = ((const char *)v->data)[n * size];
    out[n] = '\0';
}

/* A cell of texts. */
static bool words_of(matvar_t *v, ptrdiff_t dim, crs_axis *a, crease_error *e)
{
    enum { ROOM = 256 };
    char *all = crs_alloc((size_t)dim, ROOM);
    const char **label = crs_alloc((size_t)dim, sizeof *label);
    bool done = (all && label) || crs_fail(e, CREASE_NO_MEMORY, "out of memory: labels");
    for (ptrdiff_t k = 0; done && k < dim; k++) {
        text_of(Mat_VarGetCell(v, (int)k), all + k * ROOM, ROOM);
        label[k] = all + k * ROOM;
    }
    done = done && crs_axis_labels(a, dim, label, e);
    crs_free(label);
    crs_free(all);
    return done;
}

/* Element n of the struct `axes`. */
static bool send_axis(matvar_t *axes, int n, ptrdiff_t dim, crs_emit *to, crease_error *e)
{
    crs_axis a = { .name = NULL };
    char name[256], unit[256];
    text_of(Mat_VarGetStructFieldByName(axes, "name", (size_t)n), name, sizeof name);
    text_of(Mat_VarGetStructFieldByName(axes, "unit", (size_t)n), unit, sizeof unit);
    const matvar_t *at = Mat_VarGetStructFieldByName(axes, "at", (size_t)n);
    bool done = crs_axis_name(&a, name, unit, e);
    if (done && at && at->class_type == MAT_C_DOUBLE && at->data && !at->isComplex &&
        at->nbytes == (size_t)dim * sizeof(double) && crs_all_finite(dim, at->data))
        done = crs_axis_at(&a, dim, at->data, e);
    matvar_t *label = Mat_VarGetStructFieldByName(axes, "label", (size_t)n);
    if (done && label && label->class_type == MAT_C_CELL && label->data && label->rank == 2 &&
        label->dims[0] == (size_t)dim && label->dims[1] == 1 && dim < 1 << 20)
        done = words_of(label, dim, &a, e);
    done = done && crs_emit_axis(to, n, &a, e);
    crs_axis_free(&a);
    return done;
}

static bool send_axes(mat_t *file, const crease_space *shape, crs_emit *to, crease_error *e)
{
    Mat_Rewind(file);
    matvar_t *axes = Mat_VarRead(file, "axes");
    bool done = true;
    if (axes && axes->class_type == MAT_C_STRUCT && axes->rank == 2 && axes->dims[0] == 1 &&
        axes->dims[1] == (size_t)shape->order)
        for (int n = 0; done && n < shape->order; n++)
            done = send_axis(axes, n, shape->dim[n], to, e);
    if (axes) Mat_VarFree(axes);
    return done;
}

/* Before it is read: what claims too much is never unpacked. */
static bool send_shape(const crs_inside *one, crs_emit *to, crease_error *e)
{
    int slow[CREASE_MAX_ORDER];
    const int last = one->shape.order - 1,
              bytes = strstr(one->type, "sparse") ? 1 : one->type[1] - '0';
    for (int n = 0; n <= last; n++) slow[n] = last - n;
    return crs_emit_shape(to, &one->shape, slow, bytes, e);
}

static bool send_variable(const crs_input *s, const crs_inside *one, const matvar_t *v,
                          crs_emit *to, crease_error *e)
{
    crease_space shape;
    shape_of(v, &shape);
    const bool sparse = v->class_type == MAT_C_SPARSE;
    bool same = shape.order == one->shape.order && strcmp(class_text(v), one->type) == 0 &&
                (!sparse || shape.order == 2);
    for (int n = 0; same && n < shape.order; n++) same = shape.dim[n] == one->shape.dim[n];
    if (!same) return fail_damaged(s, "a variable", e);
    return sparse ? send_sparse(s, v, to, e) : send_dense(s, v, crease_size(&shape), to, e);
}

/* The field of the path after the first dot; the variable itself where there is none. */
static matvar_t *descend(matvar_t *v, const char *path)
{
    const char *dot = strchr(path, '.');
    while (v && dot) {
        char field[80];
        const size_t n = strcspn(dot + 1, ".");
        if (n >= sizeof field || v->class_type != MAT_C_STRUCT) return NULL;
        memcpy(field, dot + 1, n);
        field[n] = '\0';
        v = Mat_VarGetStructFieldByName(v, field, 0);
        dot = strchr(dot + 1, '.');
    }
    return v;
}

static bool send_named(const crs_input *s, mat_t *file, const crs_inside *one, crs_emit *to,
                       crease_error *e)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(one->name, "."), one->name);
    if (!send_shape(one, to, e)) return false;
    Mat_Rewind(file);
    matvar_t *v = Mat_VarRead(file, name), *found = v ? descend(v, one->name) : NULL;
    const bool done =
        found ? send_variable(s, one, found, to, e) : fail_damaged(s, "a variable", e);
    if (v) Mat_VarFree(v);
    return done && (strchr(one->name, '.') || send_axes(file, &one->shape, to, e));
}

static bool decode(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)asked;
    crs_listing all = { .count = 0 };
    mat_t *file = open_file(s, e);
    bool done = file && look_around(s, file, &all, e);
    const crs_inside *one = done ? crs_listing_pick(&all, s, e) : NULL;
    done = one && send_named(s, file, one, to, e);
    crs_listing_free(&all);
    if (file) Mat_Close(file);
    return done;
}

static bool decode_list(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)asked;
    crs_listing all = { .count = 0 };
    mat_t *file = open_file(s, e);
    bool done = file && look_around(s, file, &all, e);
    for (int k = 0; done && k < all.count; k++) done = crs_emit_member(to, &all.member[k], e);
    crs_listing_free(&all);
    if (file) Mat_Close(file);
    return done;
}

static bool read_mat(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    return crs_child_read(NULL, decode, s, asked, out, e);
}

static bool list_mat(const crs_input *s, crs_listing *out, crease_error *e)
{
    return crs_child_list(decode_list, s, out, e);
}

/* ---- writing ---- */

typedef struct {
    int count;
    const crs_item *item;
} writer;

static bool fail_write(crease_error *e)
{
    return crs_fail(e, CREASE_IO, "the MAT file cannot be written; check the space left");
}

/* A matrix has two dimensions at least. */
static int dims_of(const crease_space *s, size_t *dim)
{
    for (int n = 0; n < s->order; n++) dim[n] = (size_t)s->dim[n];
    if (s->order == 1) dim[1] = 1;
    return s->order == 1 ? 2 : s->order;
}

/* The library copies no data: x stays until it is written. */
static bool put_matrix(mat_t *file, const crs_item *a, double *x)
{
    size_t dim[CREASE_MAX_ORDER + 1];
    const int order = dims_of(a->shape, dim);
    matvar_t *v = Mat_VarCreate(a->name ? a->name : "data", MAT_C_DOUBLE, MAT_T_DOUBLE, order, dim,
                                x, MAT_F_DONT_COPY_DATA);
    const bool done = v && Mat_VarWrite(file, v, MAT_COMPRESSION_ZLIB) == 0;
    if (v) Mat_VarFree(v);
    return done;
}

static matvar_t *text_variable(const char *text)
{
    size_t dim[2] = { text ? 1 : 0, text ? strlen(text) : 0 };
    return Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF8, 2, dim, text ? (void *)text : (void *)"", 0);
}

static matvar_t *at_variable(const crs_axis *x)
{
    size_t dim[2] = { x->at ? (size_t)x->count : 0, x->at ? 1 : 0 };
    return Mat_VarCreate(NULL, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dim, x->at, 0);
}

static matvar_t *words_variable(const crs_axis *x)
{
    size_t dim[2] = { x->label ? (size_t)x->count : 0, x->label ? 1 : 0 };
    matvar_t *cell = Mat_VarCreate(NULL, MAT_C_CELL, MAT_T_CELL, 2, dim, NULL, 0);
    for (ptrdiff_t k = 0; cell && x->label && k < x->count; k++)
        Mat_VarSetCell(cell, (int)k, text_variable(x->label[k]));
    return cell;
}

/* axes(n).name, .unit, .at, .label */
static bool put_axes(mat_t *file, const crs_item *a)
{
    static const char *const field[] = { "name", "unit", "at", "label", NULL };
    size_t dim[2] = { 1, (size_t)a->shape->order };
    if (!a->axes || !crs_axes_known(a->axes, a->shape->order)) return true;
    matvar_t *axes = Mat_VarCreateStruct2("axes", 2, dim, field);
    for (int n = 0; axes && n < a->shape->order; n++) {
        const crs_axis *x = &a->axes->axis[n];
        const size_t k = (size_t)n;
        Mat_VarSetStructFieldByName(axes, "name", k, text_variable(x->name));
        Mat_VarSetStructFieldByName(axes, "unit", k, text_variable(x->unit));
        Mat_VarSetStructFieldByName(axes, "at", k, at_variable(x));
        Mat_VarSetStructFieldByName(axes, "label", k, words_variable(x));
    }
    const bool done = axes && Mat_VarWrite(file, axes, MAT_COMPRESSION_ZLIB) == 0;
    if (axes) Mat_VarFree(axes);
    return done;
}

static bool put_file(const char *path, const void *what, crease_error *e)
{
    const writer *w = what;
    mat_t *file = Mat_CreateVer(path, "MATLAB 5.0 MAT-file, written by crease", MAT_FT_MAT5);
    bool done = file || fail_write(e);
    for (int k = 0; done && k < w->count; k++) {
        double *x = crs_column_order(&w->item[k], e);
        done = x && (put_matrix(file, &w->item[k], x) || fail_write(e));
        crs_free(x);
    }
    done = done && (put_axes(file, &w->item[0]) || fail_write(e));
    if (file && Mat_Close(file) != 0 && done) done = fail_write(e);
    return done;
}

static bool write_mat(const char *path, int count, const crs_item *item, crease_error *e)
{
    const double most = 0x1p31;
    for (int k = 0; k < count; k++)
        if ((double)crease_size(item[k].shape) * sizeof(double) >= most)
            return crs_fail(
                e, CREASE_BAD_SHAPE,
                "%.80s has more than 2 GB, the most that a MAT file of version 5 holds; "
                "write HDF5: --format h5",
                item[k].name ? item[k].name : "the array");
    return crs_write_by(path, put_file, &(writer){ count, item }, e);
}

static bool is_mat(const unsigned char *head, size_t n)
{
    return n >= 10 && memcmp(head, "MATLAB 5.0", 10) == 0;
}

const crs_format crs_mat_format = {
    .name = "mat",
    .endings = ".mat",
    .text = "MATLAB 5 and 7: FILE:name or FILE:struct.field names the array",
    .begins = is_mat,
    .read = read_mat,
    .list = list_mat,
    .write = write_mat,
    .many = true,
    .opens = true,
};
