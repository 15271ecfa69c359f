/* SPDX-License-Identifier: MIT
 * file: a problem file from its first byte: text, hash, JSON, and its parts in order */
#include "io/problem/problem.h"

void crs_problem_file_free(crs_problem_file *f)
{
    if (!f) return;
    crs_kept_free(f->kept);
    crs_free(f);
}

/* "lasso.json:3:14: ...": where the JSON breaks. */
static json_t *parse(const char *path, crs_reader *r)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;
    json_error_t why;
    FILE *f = crs_open(path, r->e);
    if (!f) return NULL;
    json_t *root = crs_hash_file(r, path) ? json_loadf(f, flags, &why) : NULL;
    const bool broken = !root && r->e->code == CREASE_OK;
    fclose(f);
    if (broken)
        crs_fail(r->e, CREASE_BAD_DATA, "%.120s:%d:%d: %.160s; correct the JSON there", path,
                 why.line, why.column, why.text);
    return root;
}

static bool read_option(crs_reader *r, const crs_node *at, crease_options *o)
{
    char text[64];
    if (json_is_boolean(at->value))
        snprintf(text, sizeof text, "%d", json_is_true(at->value));
    else if (json_is_number(at->value))
        snprintf(text, sizeof text, "%.17g", json_number_value(at->value));
    else if (json_is_string(at->value))
        snprintf(text, sizeof text, "%.63s", json_string_value(at->value));
    else
        return crs_fail_at(r, at, "this is %s; give a number or a name", crs_kind_of(at->value));
    return crease_options_set(o, at->key, text, r->e) || crs_blame(r, at);
}

static bool read_options(crs_reader *r, const crs_node *at, crease_options *o)
{
    enum { MOST = 64 };
    const char *key, *keys[MOST] = { "method", "mode" };
    json_t *value;
    int n = 2;
    for (int k = 0; k < crease_option_count() && n < MOST; k++)
        keys[n++] = crease_option_at(k).name;
    if (!crs_has_keys(r, at, n, keys)) return false;
    json_object_foreach(at->value, key, value)
    {
        const crs_node here = { at, key, 0, value };
        if (!read_option(r, &here, o)) return false;
    }
    return true;
}

static bool read_version(const crs_reader *r, const crs_node *root)
{
    static const char *const keys[] = { "crease",  "blocks",      "smooth", "constraint",
                                        "options", "description", "$schema" };
    crs_node here;
    ptrdiff_t version;
    return crs_has_keys(r, root, 7, keys) && crs_need(r, root, "crease", &here) &&
           crs_whole_at(r, &here, 1, 1, &version);
}

static bool read_all(crs_reader *r, const crs_node *root, crs_problem_file *f)
{
    crs_block_list blocks;
    crs_node here;
    f->options = crease_options_default();
    if (!read_version(r, root) || !crs_need(r, root, "blocks", &here) ||
        !crs_blocks_at(r, &here, f, &blocks))
        return false;
    if (crs_member(root, "smooth", &here) && !crs_smooth_sum_at(r, &here, &blocks, &f->problem.f))
        return false;
    if (crs_member(root, "constraint", &here) && !crs_constraint_at(r, &here, &blocks, f))
        return false;
    if (crs_member(root, "options", &here) && !read_options(r, &here, &f->options)) return false;
    return crease_problem_check(&f->problem, r->e) || crs_blame(r, root);
}

/* The part of a path before its last slash, with it. */
static char *folder_of(crs_reader *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = crs_keep_new(r, (ptrdiff_t)n + 1, 1);
    if (folder) memcpy(folder, path, n);
    return folder;
}

crs_problem_file *crs_problem_read(const char *path, crease_error *e)
{
    crease_error own = { CREASE_OK, "" };
    crs_reader r = { .name = path, .hash = crs_hash_offset, .e = &own };
    crs_problem_file *f = crs_alloc(1, sizeof *f);
    if (!f) crs_fail(&own, CREASE_NO_MEMORY, "out of memory: a problem");
    r.folder = f ? folder_of(&r, path) : NULL;
    json_t *document = r.folder ? parse(path, &r) : NULL;
    const crs_node root = { NULL, NULL, 0, document };
    const bool done = document && read_all(&r, &root, f);
    json_decref(document);
    if (done) {
        f->kept = r.kept;
        snprintf(f->hash, sizeof f->hash, "fnv1a-64:%016llx", (unsigned long long)r.hash);
        return f;
    }
    if (own.code == CREASE_OK) crs_fail(&own, CREASE_NO_MEMORY, "out of memory: the problem");
    if (e) *e = own;
    crs_kept_free(r.kept);
    crs_free(f);
    return NULL;
}
