/* SPDX-License-Identifier: MIT
 * mat: MATLAB's files of versions 5 and 7 (4, too), by libmatio in a child; version 7.3 is HDF5
 *
 * A variable, or a field of a struct told by dots. Shapes are as MATLAB prints them, vectors have
 * two dimensions; the entries are stored with the first dimension fastest. Axes go into a struct
 * `axes` with an element for each dimension. */
#include <matio.h>

#include "io/formats/child.h"

enum { DEPTH = 4, PIECE = 8192 };

static const char *class_text(const matvar_t *v)
{
    static const char *const text[] = {
        [MAT_C_EMPTY] = "empty",   [MAT_C_CELL] = "cell",         [MAT_C_STRUCT] = "struct",
        [MAT_C_OBJECT] = "object", [MAT_C_CHAR] = "char",         [MAT_C_SPARSE] = "f8",
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

static bool fail_damaged(const crs_source *s, const char *what, crease_error *e)
{
    return crs_fail(e, CREASE_BAD_DATA,
                    "%.200s is damaged: %s cannot be read; write it again, or get another copy",
                    s->name, what);
}

static bool look_around(const crs_source *s, mat_t *file, crs_listing *l, crease_error *e)
{
    bool done = true;
    for (matvar_t *v; done && (v = Mat_VarReadNextInfo(file)) != NULL; Mat_VarFree(v))
        if (v->name) done = add(l, v, v->name, 0, e);
    return done && (l->count > 0 || fail_damaged(s, "its list of variables", e));
}

static mat_t *open_file(const crs_source *s, crease_error *e)
{
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

static bool send_dense(const crs_source *s, const matvar_t *v, ptrdiff_t count, crs_emit *to,
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
static bool send_sparse(const crs_source *s, const matvar_t *v, crs_emit *to, crease_error *e)
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

static bool send_variable(const crs_source *s, const matvar_t *v, crs_emit *to, crease_error *e)
{
    crease_space shape;
    int slow[CREASE_MAX_ORDER];
    shape_of(v, &shape);
    const bool sparse = v->class_type == MAT_C_SPARSE;
    if (v->isComplex || (sparse && shape.order != 2) || shape.order == 0)
        return fail_damaged(s, "a variable", e);
    for (int n = 0; n < shape.order; n++) slow[n] = shape.order - 1 - n;
    const int bytes = sparse ? 1 : (int)Mat_SizeOfClass((int)v->class_type);
    return crs_emit_shape(to, &shape, slow, bytes, e) &&
           (sparse ? send_sparse(s, v, to, e) : send_dense(s, v, crease_size(&shape), to, e));
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

static bool send_named(const crs_source *s, mat_t *file, const char *path, crs_emit *to,
                       crease_error *e)
{
    char name[256];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "."), path);
    Mat_Rewind(file);
    matvar_t *v = Mat_VarRead(file, name), *found = v ? descend(v, path) : NULL;
    crease_space shape = { .order = 0 };
    if (found) shape_of(found, &shape);
    const bool done = found ? send_variable(s, found, to, e) : fail_damaged(s, "a variable", e);
    if (v) Mat_VarFree(v);
    return done && (strchr(path, '.') || send_axes(file, &shape, to, e));
}

static bool decode(const crs_source *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)asked;
    crs_listing all = { .count = 0 };
    mat_t *file = open_file(s, e);
    bool done = file && look_around(s, file, &all, e);
    const crs_inside *one = done ? crs_listing_pick(&all, s, e) : NULL;
    done = one && send_named(s, file, one->name, to, e);
    crs_listing_free(&all);
    if (file) Mat_Close(file);
    return done;
}

static bool decode_list(const crs_source *s, const crs_asked *asked, crs_emit *to, crease_error *e)
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

static bool read_mat(const crs_source *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    return crs_child_read(NULL, decode, s, asked, out, e);
}

static bool list_mat(const crs_source *s, crs_listing *out, crease_error *e)
{
    return crs_child_list(decode_list, s, out, e);
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
    .opens = true,
};
