/* SPDX-License-Identifier: MIT
 * document: JSON under construction. Every result of the JSON library is checked here: the first
 * failed allocation is remembered, and such a document is neither written nor printed. Numbers that
 * are not finite are null. */
#include <errno.h>

#include <crease/version.h>

#include "io/result/result.h"

enum { SCHEMA_VERSION = 5 };
#define FLAGS(indent) (JSON_INDENT(indent) | JSON_REAL_PRECISION(17))

crs_spot crs_document_begin(crs_document *d, const char *verb)
{
    *d = (crs_document){ .root = json_object() };
    const crs_spot top = { d, d->root };
    if (!d->root) d->failed = true;
    if (!verb) return top;
    crs_put_whole(top, "schema_version", SCHEMA_VERSION);
    crs_put_text(top, "crease", crease_version());
    crs_put_text(top, "verb", verb);
    return top;
}

void crs_document_spell_odd(crs_document *d)
{
    d->odd = json_object();
    if (!d->odd) d->failed = true;
}

void crs_document_free(crs_document *d)
{
    json_decref(d->root);
    json_decref(d->odd);
    *d = (crs_document){ .root = NULL };
}

/* Takes the value over; NULL is a failed allocation. */
static bool put(crs_spot to, const char *key, json_t *value)
{
    const bool done = key ? json_object_set_new(to.at, key, value) == 0
                          : json_array_append_new(to.at, value) == 0;
    if (!done) to.document->failed = true;
    return done;
}

/* Bytes beyond ASCII become question marks where the text is no UTF-8. */
static json_t *text_of(const char *text)
{
    if (crs_is_utf8(text)) return json_string(text);
    const size_t n = strlen(text);
    char *plain = crs_alloc(n + 1, 1);
    for (size_t k = 0; plain && k < n; k++) plain[k] = (text[k] & 0x80) != 0 ? '?' : text[k];
    json_t *value = plain ? json_string(plain) : NULL;
    crs_free(plain);
    return value;
}

static const char bytes_mark[] = "bytes:";

/* A path that is no text is "bytes:" and its bytes, all but letters, digits and ._-/ as %E9. */
void crs_put_path(crs_spot to, const char *key, const char *path)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
    const size_t mark = sizeof bytes_mark - 1;
    if (crs_is_utf8(path) && strncmp(path, bytes_mark, mark) != 0) {
        crs_put_text(to, key, path);
        return;
    }
    char *text = crs_alloc(mark + 3 * strlen(path) + 1, 1), *at = text ? text + mark : NULL;
    if (!text) to.document->failed = true;
    if (!text) return;
    memcpy(text, bytes_mark, mark);
    for (const char *c = path; *c; c++)
        at += strchr(plain, *c) ? (*at = *c, 1) : sprintf(at, "%%%02X", (unsigned char)*c);
    *at = '\0';
    crs_put_text(to, key, text);
    crs_free(text);
}

bool crs_path_of(const char *text, char *out, size_t size)
{
    const size_t mark = sizeof bytes_mark - 1;
    const bool bytes = strncmp(text, bytes_mark, mark) == 0;
    size_t n = 0;
    for (const char *c = bytes ? text + mark : text; *c && n < size; c++) {
        unsigned value;
        const bool coded = bytes && *c == '%';
        if (coded && (sscanf(c + 1, "%2x", &value) != 1 || value == 0 || !c[1] || !c[2]))
            return false;
        out[n++] = coded ? (char)value : *c;
        if (coded) c += 2;
    }
    if (n >= size) return false;
    out[n] = '\0';
    return true;
}

static json_t *number_of(double x) { return isfinite(x) ? json_real(x == 0 ? 0 : x) : json_null(); }

void crs_put_text(crs_spot to, const char *key, const char *text)
{
    put(to, key, text ? text_of(text) : json_null());
}

void crs_put_number(crs_spot to, const char *key, double x)
{
    json_t *odd = to.document->odd;
    put(to, key, number_of(x));
    if (isfinite(x) || !odd || !key) return;
    put((crs_spot){ to.document, odd }, key,
        json_string(isnan(x) ? "nan"
                    : x > 0  ? "inf"
                             : "-inf"));
}

void crs_put_whole(crs_spot to, const char *key, long long x) { put(to, key, json_integer(x)); }
void crs_put_flag(crs_spot to, const char *key, bool x) { put(to, key, json_boolean(x)); }
void crs_put_null(crs_spot to, const char *key) { put(to, key, json_null()); }

void crs_put_exact(crs_spot to, const char *key, double x)
{
    char text[48];
    snprintf(text, sizeof text, "%a", x);
    crs_put_text(to, key, text);
}

static crs_spot inner(crs_spot to, const char *key, json_t *value)
{
    const bool done = put(to, key, value); /* it lives as long as the document */
    return (crs_spot){ to.document, done ? value : NULL };
}

crs_spot crs_put_object(crs_spot to, const char *key) { return inner(to, key, json_object()); }
crs_spot crs_put_list(crs_spot to, const char *key) { return inner(to, key, json_array()); }

void crs_put_shape(crs_spot to, const char *key, const crease_space *s)
{
    const crs_spot list = crs_put_list(to, key);
    for (int n = 0; n < s->order; n++) crs_put_whole(list, NULL, s->dim[n]);
}

void crs_put_numbers(crs_spot to, const char *key, ptrdiff_t n, const double *x)
{
    const crs_spot list = crs_put_list(to, key);
    for (ptrdiff_t k = 0; k < n; k++) crs_put_number(list, NULL, x[k]);
}

static void put_level(crs_spot to, const char *key, const crease_space *s, int depth,
                      const double **x)
{
    if (depth == s->order) {
        crs_put_number(to, key, *(*x)++);
        return;
    }
    const crs_spot list = crs_put_list(to, key);
    for (ptrdiff_t k = 0; k < s->dim[depth]; k++) put_level(list, NULL, s, depth + 1, x);
}

void crs_put_array(crs_spot to, const char *key, const crease_space *s, const double *x)
{
    put_level(to, key, s, 0, &x);
}

crs_spot crs_put_parameters(crs_spot to, const char *key, const crease_param *list,
                            const double *par)
{
    const crs_spot object = crs_put_object(to, key);
    for (int k = 0; list && list[k].name; k++) crs_put_number(object, list[k].name, par[k]);
    return object;
}

static bool dump(const crs_document *d, FILE *f, size_t indent)
{
    const bool done = json_dumpf(d->root, f, FLAGS(indent)) == 0 && fputc('\n', f) != EOF;
    if (!done && !ferror(f)) errno = ENOMEM; /* what else is left */
    return done;
}

/* All phases together are the seconds of the command so far. */
static void put_seconds(crs_document *d)
{
    const crs_spot top = { d, d->root };
    if (!d->watch) return;
    const crs_spot list = crs_put_object(top, "phase_seconds");
    double sum = 0;
    for (int k = 0; k < CREASE_PHASE_COUNT; k++) {
        const double now = crease_watch_seconds(d->watch, (crease_phase)k);
        crs_put_number(list, crease_phase_name((crease_phase)k), now);
        sum += now;
    }
    crs_put_number(top, "seconds", sum);
    d->watch = NULL;
}

static bool finish(crs_document *d, crease_error *e)
{
    put_seconds(d);
    if (d->odd && json_object_size(d->odd) > 0)
        put((crs_spot){ d, d->root }, "not_finite", json_incref(d->odd));
    return !d->failed || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON document");
}

static bool put_file(FILE *f, const void *document) { return dump(document, f, 1); }

bool crs_document_write(crs_document *d, const char *path, crs_stamp *stamp, crease_error *e)
{
    return finish(d, e) && crs_write_whole(path, put_file, d, stamp, e);
}

static const char seal_key[] = "\"seal\": \"",
                  no_seal[] =
                      "sha256:0000000000000000000000000000000000000000000000000000000000000000";

static int add_text(const char *text, size_t n, void *hash)
{
    return crs_hash_add(hash, text, n), 0;
}

bool crs_document_seal(crs_document *d, crease_error *e)
{
    const crs_spot top = { d, d->root };
    char seal[CRS_HASH];
    crs_hash h;
    crs_put_text(top, "seal", no_seal);
    crs_hash_begin(&h);
    if (!finish(d, e)) return false;
    if (json_dump_callback(d->root, add_text, &h, FLAGS(1)) != 0)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON document");
    crs_hash_add(&h, "\n", 1);
    crs_hash_end(&h, seal);
    crs_put_text(top, "seal", seal);
    return true;
}

bool crs_text_sealed(char *text, size_t n)
{
    const size_t key = sizeof seal_key - 1, digits = sizeof no_seal - 1;
    char is[CRS_HASH], was[CRS_HASH];
    crs_hash h;
    for (size_t at = n; at-- > 0;) {
        if (n - at < key + digits || memcmp(text + at, seal_key, key) != 0) continue;
        memcpy(was, text + at + key, digits);
        was[digits] = '\0';
        memcpy(text + at + key, no_seal, digits);
        crs_hash_begin(&h);
        crs_hash_add(&h, text, n);
        crs_hash_end(&h, is);
        memcpy(text + at + key, was, digits);
        return strcmp(is, was) == 0;
    }
    return false;
}

bool crs_document_print(crs_document *d, bool compact, crease_error *e)
{
    bool done = finish(d, e);
    if (done && !dump(d, crs_out(), compact ? 0 : 1) && !ferror(crs_out()))
        done = crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON document");
    crs_document_free(d);
    return done; /* the end of the program looks at standard output */
}
