/* SPDX-License-Identifier: MIT
 * input: lists of numbers, shapes and points from the command line */
#include "cli/cli.h"

/* The number that ends at the first comma; n is its length. */
static bool first_number(const char *text, double *x, size_t *n)
{
    char item[130];
    *n = strcspn(text, ",");
    if (*n >= sizeof item) return false;
    memcpy(item, text, *n);
    item[*n] = '\0';
    return crs_parse_double(item, x);
}

bool crs_parse_list(const char *what, const char *text, crs_array *out, crease_error *e)
{
    ptrdiff_t count = 1, done = 0;
    for (const char *c = text; *c; c++) count += *c == ',';
    *out = (crs_array){ .shape = crease_vector(count), .data = crs_doubles(count, what, e) };
    if (!out->data) return false;
    for (const char *at = text;; at++) {
        size_t n;
        if (!first_number(at, &out->data[done++], &n)) {
            crs_array_free(out);
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "%s: item %td, '%.*s', is not a number; write numbers with commas "
                            "between them, as 1,2.5,3",
                            what, done, n < 40 ? (int)n : 40, at);
        }
        at += n;
        if (!*at) return true;
    }
}

bool crs_is_list(const char *text)
{
    double x;
    size_t n;
    return first_number(text, &x, &n);
}

bool crs_list_or_file(const char *what, const char *text, crs_array *out, crease_error *e)
{
    if (crs_is_list(text)) return crs_parse_list(what, text, out, e);
    crease_error why;
    return crs_read_array(text, out, &why) || crs_fail(e, why.code, "%s: %.360s", what, why.text);
}

static bool from_words(const crs_args *a, int first, crs_array *out, crease_error *e)
{
    const int count = a->count - first;
    if (count == 0)
        return crs_fail(e, CREASE_BAD_DATA,
                        "the vector is empty; write its numbers after --, or give --input FILE");
    *out = (crs_array){ .shape = crease_vector(count), .data = crs_doubles(count, "a point", e) };
    if (!out->data) return false;
    for (int k = 0; k < count; k++)
        if (!crs_parse_double(a->word[first + k], &out->data[k]))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "entry %d, '%.64s', is not a number; write numbers as 1.5 or -1e-3",
                            k + 1, a->word[first + k]);
    return true;
}

bool crs_parse_shape(const char *text, crease_space *s, crease_error *e)
{
    crs_array dims;
    if (!crs_parse_list("--shape", text, &dims, e)) return false;
    const ptrdiff_t order = crease_size(&dims.shape);
    bool whole = order <= CREASE_MAX_ORDER;
    *s = (crease_space){ .order = (int)order };
    for (ptrdiff_t n = 0; whole && n < order; n++) {
        const double d = dims.data[n];
        whole = d >= 1 && d <= 0x1p53 && d == floor(d);
        s->dim[n] = whole ? (ptrdiff_t)d : 0;
    }
    crs_array_free(&dims);
    return whole || crs_fail(e, CREASE_BAD_ARGUMENT,
                             "--shape %.64s is not a shape; give 1 to %d whole numbers >= 1 with "
                             "commas between them, as 3,4",
                             text, CREASE_MAX_ORDER);
}

static bool reshape(const char *text, crs_array *x, crease_error *e)
{
    crease_space wanted;
    if (!crs_parse_shape(text, &wanted, e) || !crease_space_check(&wanted, e)) return false;
    const ptrdiff_t have = crease_size(&x->shape), need = crease_size(&wanted);
    x->shape = wanted;
    return have == need || crs_fail(e, CREASE_BAD_SHAPE,
                                    "--shape %.64s has %td entries but the point has %td; make "
                                    "them agree",
                                    text, need, have);
}

/* " (row 2, column 3)", or nothing for a vector. */
static void place(const crease_space *s, ptrdiff_t j, char *out, size_t size)
{
    ptrdiff_t index[CREASE_MAX_ORDER];
    size_t used = 0;
    out[0] = '\0';
    if (s->order == 1) return;
    for (int n = s->order - 1; n >= 0; n--) index[n] = j % s->dim[n] + 1, j /= s->dim[n];
    for (int n = 0; n < s->order && used < size; n++)
        used += (size_t)snprintf(out + used, size - used, "%s%td", n ? "," : " (at ", index[n]);
    if (used < size) snprintf(out + used, size - used, ")");
}

static bool all_finite(const crs_array *x, crease_error *e)
{
    for (ptrdiff_t j = 0, n = crease_size(&x->shape); j < n; j++) {
        char where[200];
        if (isfinite(x->data[j])) continue;
        place(&x->shape, j, where, sizeof where);
        return crs_fail(e, CREASE_BAD_DATA, "entry %td%s is %s; give finite numbers only", j + 1,
                        where,
                        isnan(x->data[j]) ? "nan"
                        : x->data[j] > 0  ? "inf"
                                          : "-inf");
    }
    return true;
}

bool crs_read_mask(const char *path, crs_array *out, crease_error *e)
{
    if (!crs_read_array(path, out, e)) return false;
    for (ptrdiff_t j = 0, n = crease_size(&out->shape); out->gaps && j < n; j++)
        if (isnan(out->data[j])) out->data[j] = 0;
    return true;
}

bool crs_read_point(const crs_args *a, int first, crs_array *out, crease_error *e)
{
    const char *path = crs_given(a, CRS_OPT_INPUT), *shape = crs_given(a, CRS_OPT_SHAPE);
    *out = (crs_array){ .data = NULL };
    if (path && a->count > first)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the point is given twice, as numbers and by --input; give one of them");
    const bool done = (path ? crs_read_array(path, out, e) : from_words(a, first, out, e)) &&
                      (!shape || reshape(shape, out, e)) && all_finite(out, e);
    if (!done) crs_array_free(out);
    return done;
}

bool crs_read_if_there(const char *folder, const char *name, crs_array *out, crease_error *e)
{
    char path[CRS_PATH_ROOM];
    *out = (crs_array){ .data = NULL };
    if (!crs_join(folder, name, path, sizeof path, e)) return false;
    return !crs_is_there(path) || crs_read_array(path, out, e);
}

bool crs_read_in(const char *folder, const char *name, crs_array *out, crease_error *e)
{
    char path[CRS_PATH_ROOM];
    return crs_join(folder, name, path, sizeof path, e) && crs_read_array(path, out, e);
}
