/* SPDX-License-Identifier: MIT
 * outdir: the folder of --out */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

void crs_outdir_factor(int n, char out[32]) { snprintf(out, 32, "factor_%d.npy", n + 1); }

bool crs_join(const char *folder, const char *name, char *out, size_t size, crease_error *e)
{
    const int n = snprintf(out, size, "%s/%s", folder, name);
    return (n >= 0 && (size_t)n < size) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%.200s: the path is too long; use a shorter one",
                    folder);
}

static bool is_free(const char *folder, const char *name, crease_error *e)
{
    char path[CRS_PATH_ROOM];
    struct stat s;
    if (!crs_join(folder, name, path, sizeof path, e)) return false;
    return lstat(path, &s) != 0 ||
           crs_fail(e, CREASE_IO, "%.200s exists already; choose another folder, or add --force",
                    path);
}

static bool make_folder(const char *folder, bool *made, crease_error *e)
{
    struct stat s;
    if (mkdir(folder, 0777) == 0) return *made = true;
    const int why = errno;
    if (why == EEXIST && stat(folder, &s) == 0 && S_ISDIR(s.st_mode)) return true;
    return crs_fail(e, CREASE_IO, "the folder %.200s cannot be created: %s; choose another", folder,
                    why == EEXIST ? "a file is in the way" : strerror(why));
}

bool crs_outdir_needed(const crs_args *a, crease_error *e)
{
    return crs_given(a, CRS_OPT_OUT) || crs_given(a, CRS_OPT_JSON) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "the folder for the results is missing; add --out DIR, or --json for the "
                    "document alone");
}

bool crs_outdir_open(const crs_args *a, int count, const char *const *name, crease_error *e)
{
    const char *folder = crs_given(a, CRS_OPT_OUT);
    char factor[32];
    if (!folder) return crs_outdir_needed(a, e);
    *a->status = CRS_EXIT_NO_OUTPUT;
    for (int k = 0; k < count && !crs_given(a, CRS_OPT_FORCE); k++)
        if (!is_free(folder, name[k], e)) return false;
    for (int n = 0; n < CREASE_MAX_ORDER && !crs_given(a, CRS_OPT_FORCE); n++) {
        crs_outdir_factor(n, factor);
        if (!is_free(folder, factor, e)) return false;
    }
    if (!make_folder(folder, a->made, e)) return false;
    *a->status = 0;
    return true;
}

bool crs_outdir_begin(const crs_args *a, const char *document, crease_error *e)
{
    char path[CRS_PATH_ROOM];
    const char *folder = crs_given(a, CRS_OPT_OUT);
    if (!folder) return true;
    if (!crs_join(folder, document, path, sizeof path, e)) return false;
    if (unlink(path) == 0 || errno == ENOENT) return true;
    *a->status = CRS_EXIT_NO_OUTPUT;
    return crs_fail(e, CREASE_IO, "%.200s cannot be replaced: %s; choose another folder", path,
                    strerror(errno));
}

bool crs_outdir_array(const crs_args *a, const char *name, const crease_space *s,
                      const double *data, crease_error *e)
{
    char path[CRS_PATH_ROOM];
    const char *folder = crs_given(a, CRS_OPT_OUT);
    return !folder ||
           (crs_join(folder, name, path, sizeof path, e) && crs_write_npy(path, s, data, e));
}

bool crs_outdir_factors(const crs_args *a, const crease_space *shape, ptrdiff_t rank,
                        const double *const *factor, crease_error *e)
{
    char name[32];
    if (!crs_given(a, CRS_OPT_OUT)) return true;
    for (int n = 0; n < shape->order; n++) {
        const crease_space s = crease_matrix(shape->dim[n], rank);
        crs_outdir_factor(n, name);
        if (!crs_outdir_array(a, name, &s, factor[n], e)) return false;
    }
    for (int n = shape->order; n < CREASE_MAX_ORDER; n++) { /* of an earlier result */
        char path[CRS_PATH_ROOM];
        crs_outdir_factor(n, name);
        if (crs_join(crs_given(a, CRS_OPT_OUT), name, path, sizeof path, NULL)) unlink(path);
    }
    return true;
}

static bool put_document(FILE *f, const void *what)
{
    return json_dumpf(what, f, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) == 0 && fputc('\n', f) > 0;
}

bool crs_outdir_document(const crs_args *a, const char *name, json_t *document, crease_error *e)
{
    char path[CRS_PATH_ROOM];
    if (!document) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON document");
    const char *folder = crs_given(a, CRS_OPT_OUT);
    const bool done = !folder || (crs_join(folder, name, path, sizeof path, e) &&
                                  crs_write_whole(path, put_document, document, e));
    if (done && crs_given(a, CRS_OPT_JSON)) put_document(stdout, document);
    json_decref(document);
    return done; /* the end of the program looks at standard output */
}

json_t *crs_real(double x) { return isfinite(x) ? json_real(x == 0 ? 0 : x) : json_null(); }

json_t *crs_dims(const crease_space *s)
{
    json_t *list = json_array();
    for (int n = 0; n < s->order; n++)
        if (json_array_append_new(list, json_integer(s->dim[n])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

enum { SCHEMA_VERSION = 3 };

crs_json crs_json_new(const char *verb)
{
    crs_json j = { json_object(), json_object(), false };
    j.failed = !j.root || !j.odd;
    crs_json_set(&j, "schema_version", json_integer(SCHEMA_VERSION));
    crs_json_set(&j, "verb", json_string(verb));
    return j;
}

void crs_json_set(crs_json *j, const char *key, json_t *value)
{
    if (json_object_set_new(j->root, key, value) != 0) j->failed = true;
}

bool crs_json_print(crs_json *j, crease_error *e)
{
    if (json_object_size(j->odd) > 0) crs_json_set(j, "not_finite", json_incref(j->odd));
    const bool printed = !j->failed && json_dumpf(j->root, stdout, JSON_REAL_PRECISION(17)) == 0 &&
                         putchar('\n') > 0;
    const bool failed_output = ferror(stdout);
    json_decref(j->root);
    json_decref(j->odd);
    if (printed || failed_output) return true; /* the end of the program looks at the output */
    return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON document; use plain output");
}

bool crs_print_document(json_t *document, crease_error *e)
{
    if (!document) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON document");
    json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(document);
    return true; /* the end of the program looks at the output */
}
