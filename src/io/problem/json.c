/* SPDX-License-Identifier: MIT
 * json: JSON text to a document.
 *
 * The library does not survive a failed allocation while it reads: its scanner drops the characters
 * it has no room for, and then asserts or reads on. So a parse has a reserve. From the first
 * failure on the reserve serves, the text ends, and the parse fails as one of a text that breaks
 * off. At most PIECE characters are scanned in between: the reserve has room for the token at hand,
 * whose buffer doubles, for its copies, and for all that PIECE characters can make. */
#include "io/problem/problem.h"

enum { PIECE = 1024, SMALL = 4 * PIECE, KEPT = 384 * 1024, MORE = 512 * 1024 };

static _Thread_local struct {
    char *room; /* NULL: nothing is being read */
    size_t size, used;
    bool failed;
} reserve;

/* The last part of it is for small pieces alone. */
static void *take(size_t n)
{
    void *p = crs_resize(NULL, n, 1);
    if (p || !reserve.room) return p;
    const size_t rounded = (n + 15) / 16 * 16, left = reserve.size - reserve.used;
    reserve.failed = true;
    if (rounded < n || rounded > left || (n > SMALL && left - rounded < KEPT)) return NULL;
    p = reserve.room + reserve.used;
    reserve.used += rounded;
    return p;
}

static void give(void *p)
{
    const uintptr_t at = (uintptr_t)p, from = (uintptr_t)reserve.room;
    if (!reserve.room || at < from || at >= from + reserve.size) crs_free(p);
}

/* The seed of its tables is drawn here, for two threads that need it first may not draw it both. */
void crs_json_begin(void)
{
    json_set_alloc_funcs(take, give);
    json_object_seed(0);
}

typedef struct {
    const char *at, *end;
} left_over;

static size_t next_piece(void *to, size_t room, void *self)
{
    left_over *text = self;
    const size_t left = (size_t)(text->end - text->at), most = room < PIECE ? room : PIECE;
    const size_t n = left < most ? left : most;
    if (reserve.failed) return (size_t)-1;
    memcpy(to, text->at, n);
    text->at += n;
    return n;
}

static json_t *parse(const char *name, const char *text, size_t n, size_t how, crease_error *e)
{
    left_over all = { text, text + n };
    json_error_t why;
    reserve.size = n < SIZE_MAX / 8 ? 4 * n + MORE : 0;
    reserve.room = crs_resize(NULL, reserve.size, 1);
    if (!reserve.size || !reserve.room)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON text of %.200s", name), NULL;
    reserve.used = 0;
    reserve.failed = false;
    json_t *root = json_load_callback(next_piece, &all, JSON_REJECT_DUPLICATES | how, &why);
    const bool failed = reserve.failed;
    if (failed) json_decref(root);
    crs_free(reserve.room);
    reserve.room = NULL;
    if (failed)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON of %.200s", name), NULL;
    if (!root)
        crs_fail(e, CREASE_BAD_DATA, "%.120s:%d:%d: %.160s; correct the JSON there", name, why.line,
                 why.column, why.text);
    return root;
}

json_t *crs_json_parse(const char *name, const char *text, size_t n, crease_error *e)
{
    return parse(name, text, n, JSON_DECODE_INT_AS_REAL, e);
}

json_t *crs_json_parse_whole(const char *name, const char *text, size_t n, crease_error *e)
{
    return parse(name, text, n, 0, e);
}

bool crs_text_read(const char *path, char **text, size_t *n, crease_error *e)
{
    FILE *f = crs_open(path, e);
    *text = NULL;
    *n = 0;
    if (!f) return false;
    const bool done = crs_slurp(f, path, text, n, e);
    fclose(f);
    if (!done) crs_free(*text), *text = NULL;
    return done;
}

json_t *crs_json_read(const char *path, crs_hash *hash, crease_error *e)
{
    char *text;
    size_t n;
    if (!crs_text_read(path, &text, &n, e)) return NULL;
    if (hash) crs_hash_add(hash, text, n), crs_hash_add(hash, &n, sizeof n);
    json_t *root = crs_json_parse(path, text, n, e);
    crs_free(text);
    return root;
}
