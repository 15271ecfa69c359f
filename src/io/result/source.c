/* SPDX-License-Identifier: MIT
 * source: the files that a result is about: where they are, seen from its folder and from the root,
 * and how they were read, so that they can be read again the same way from anywhere */
#define _XOPEN_SOURCE 700
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/result/result.h"

/* "../../data/T.npy" from one absolute path to another */
static void relative_to(const char *folder, const char *file, char *out, size_t size)
{
    size_t same = 0, used = 0;
    for (size_t k = 0; folder[k] == file[k] || (!folder[k] && file[k] == '/'); k++) {
        if (file[k] == '/') same = k + 1;
        if (!folder[k] || !file[k]) break;
    }
    for (const char *at = folder + (same ? same - 1 : 0); *at && used + 4 < size; at++)
        if (*at == '/') used += (size_t)snprintf(out + used, size - used, "../");
    snprintf(out + used, size - used, "%s", file + same);
}

/* The absolute path that the folder will have. */
static bool home_of(const crs_folder *f, char out[PATH_MAX])
{
    char parent[PATH_MAX], whole[PATH_MAX];
    size_t n = strlen(f->path);
    while (n > 1 && f->path[n - 1] == '/') n--;
    size_t cut = n;
    while (cut > 0 && f->path[cut - 1] != '/') cut--;
    if (n >= PATH_MAX) return false;
    snprintf(parent, sizeof parent, "%.*s", cut ? (int)cut : 1, cut ? f->path : ".");
    if (!realpath(parent, whole)) return false;
    const int used = snprintf(out, PATH_MAX, "%s/%.*s", strcmp(whole, "/") == 0 ? "" : whole,
                              (int)(n - cut), f->path + cut);
    return used > 0 && used < PATH_MAX;
}

/* Does it name several files: frames/'*'.png, f_%04d.png? */
static bool is_pattern(const char *path) { return !crs_is_there(path) && strpbrk(path, "*?[%"); }

/* The absolute path; of a pattern that of its folder, and the pattern; and so of what is in a file
 * of several. */
static bool whole_path(const char *path, char out[PATH_MAX])
{
    char folder[PATH_MAX], whole[PATH_MAX];
    const size_t inside = crs_bundle_splits(path);
    if (!inside && !is_pattern(path)) return realpath(path, out);
    const char *slash = inside ? path + inside : strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) : 0;
    if (n >= sizeof folder) return false;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)n + (n == 0) : 1, slash ? path : ".");
    if (!realpath(folder, whole)) return false;
    const int used = snprintf(out, PATH_MAX, "%s/%s", strcmp(whole, "/") == 0 ? "" : whole,
                              slash ? slash + 1 : path);
    return used > 0 && used < PATH_MAX;
}

void crs_put_source(crs_spot to, const crs_folder *f, const char *path)
{
    char file[PATH_MAX], whole[PATH_MAX], home[PATH_MAX], relative[3 * PATH_MAX];
    const char *inner = crs_inner_of(path);
    const size_t n = inner ? (size_t)(inner - path) : strlen(path);
    const bool fits = n < sizeof file;
    if (fits) snprintf(file, sizeof file, "%.*s", (int)n, path);
    if (crs_is_memory(path)) { /* in its folder, once that is on a disk */
        crs_put_path(to, "path", strchr(path, ':') + 1);
        crs_put_null(to, "absolute_path");
        crs_put_null(to, "inner");
        return;
    }
    if (!fits || strcmp(path, "-") == 0 || !whole_path(file, whole)) {
        crs_put_path(to, "path", path);
        crs_put_null(to, "absolute_path");
        crs_put_null(to, "inner");
        return;
    }
    const bool housed = f && f->path && home_of(f, home);
    if (housed) relative_to(home, whole, relative, sizeof relative);
    crs_put_path(to, "path", housed ? relative : file);
    crs_put_path(to, "absolute_path", whole);
    if (inner)
        crs_put_path(to, "inner", inner + 1);
    else
        crs_put_null(to, "inner");
}

static bool is_there(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!is_pattern(path)) return crs_is_there(path);
    if (!slash || slash - path >= PATH_MAX) return false;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + (slash == path), path);
    return crs_is_there(folder);
}

/* "FILE:INNER"; file is freed. */
static char *with_inner(char *file, const json_t *source, crease_error *e)
{
    const char *text = json_string_value(json_object_get(source, "inner"));
    char inner[PATH_MAX];
    if (!file || !text) return file;
    if (!crs_path_of(text, inner, sizeof inner)) {
        crs_fail(e, CREASE_BAD_DATA, "the certificate names no array of its data file");
        return crs_free(file), NULL;
    }
    const size_t room = strlen(file) + strlen(inner) + 2;
    char *path = crs_alloc(room, 1);
    if (path)
        snprintf(path, room, "%s:%s", file, inner);
    else
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: the name of a file");
    crs_free(file);
    return path;
}

/* FOLDER/path; where the folder is one file, the folders above it are those of its path. */
static char *from_folder(const char *folder, const char *path, crease_error *e)
{
    char parent[PATH_MAX];
    struct stat s;
    if (strncmp(path, "../", 3) != 0 || crs_is_memory(folder) || stat(folder, &s) != 0 ||
        !S_ISREG(s.st_mode) || !realpath(folder, parent))
        return crs_path_in(folder, path, e);
    char *slash = strrchr(parent, '/');
    slash[slash == parent] = '\0';
    return crs_path_in(parent, path + 3, e);
}

char *crs_find_source(const char *folder, const json_t *source, crease_error *e)
{
    const char *text = json_string_value(json_object_get(source, "path"));
    const char *other = json_string_value(json_object_get(source, "absolute_path"));
    char path[PATH_MAX], whole[PATH_MAX] = "";
    if (!text || !crs_path_of(text, path, sizeof path) ||
        (other && !crs_path_of(other, whole, sizeof whole)))
        return crs_fail(e, CREASE_BAD_DATA, "a path is missing in the certificate"), NULL;
    char *beside = path[0] == '/' ? crs_path_in("", path + 1, e) : from_folder(folder, path, e);
    if (!beside || is_there(beside) || !whole[0] || !is_there(whole))
        return with_inner(beside, source, e);
    crs_free(beside);
    return with_inner(crs_path_in("", whole[0] == '/' ? whole + 1 : whole, e), source, e);
}

/* The texts of what was asked, by their keys. */
typedef struct {
    const char *key, **text;
} asked_text;
enum { TEXTS = 6 };

static void texts_of(crs_asked *a, asked_text out[TEXTS])
{
    const asked_text all[TEXTS] = { { "read_as", &a->read_as }, { "absent", &a->absent },
                                    { "columns", &a->columns }, { "drop", &a->drop },
                                    { "frames", &a->frames },   { "size", &a->size } };
    memcpy(out, all, sizeof all);
}

void crs_put_asked(crs_spot to, const char *key, const crs_asked *asked)
{
    crs_asked a = { .missing = false };
    asked_text text[TEXTS];
    if (!asked) {
        crs_put_null(to, key);
        return;
    }
    a = *asked;
    texts_of(&a, text);
    const crs_spot in = crs_put_object(to, key);
    crs_put_flag(in, "missing", a.missing);
    for (int k = 0; k < TEXTS; k++) crs_put_text(in, text[k].key, *text[k].text);
    crs_put_flag(in, "colour", a.colour);
    if (a.shape.order > 0)
        crs_put_shape(in, "shape", &a.shape);
    else
        crs_put_null(in, "shape");
}

crs_asked crs_asked_in(const json_t *source)
{
    const json_t *in = json_object_get(source, "reading");
    const json_t *shape = json_object_get(in, "shape");
    crs_asked a = { .missing = json_is_true(json_object_get(in, "missing")),
                    .colour = json_is_true(json_object_get(in, "colour")) };
    asked_text text[TEXTS];
    texts_of(&a, text);
    for (int k = 0; k < TEXTS; k++)
        *text[k].text = json_string_value(json_object_get(in, text[k].key));
    const size_t order = json_array_size(shape);
    for (size_t n = 0; n < order && order <= CREASE_MAX_ORDER; n++) {
        const double d = json_number_value(json_array_get(shape, n));
        if (!(d >= 1 && d <= 0x1p53)) return a;
        a.shape.dim[n] = (ptrdiff_t)d;
        if (n + 1 == order) a.shape.order = (int)order;
    }
    return a;
}

typedef enum { ENTRIES, ROWS, LIST } form;

static bool read_again(const char *path, const json_t *source, form as, crs_array *out,
                       crease_error *e)
{
    crs_asked asked = crs_asked_in(source);
    crease_error why;
    asked.sparse = as == ROWS;
    asked.listed = as == LIST;
    if (crs_read_asked(path, &asked, out, &why)) return true;
    const bool odd = why.code == CREASE_BAD_ARGUMENT;
    return crs_fail(e, odd ? CREASE_BAD_DATA : why.code, "%.400s%s", why.text,
                    odd ? "; the certificate is damaged" : "");
}

bool crs_read_again(const char *path, const json_t *source, crs_array *out, crease_error *e)
{
    return read_again(path, source, ENTRIES, out, e);
}

bool crs_read_rows_again(const char *path, const json_t *source, crs_array *out, crease_error *e)
{
    return read_again(path, source, ROWS, out, e);
}

bool crs_read_list_again(const char *path, const json_t *source, crs_array *out, crease_error *e)
{
    return read_again(path, source, LIST, out, e);
}
