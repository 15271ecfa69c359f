/* SPDX-License-Identifier: MIT
 * file: a problem file from its first byte: text, hash, JSON, its blocks and the constraint that
 * joins them, and its other parts in order */
#include <ctype.h>

#include "io/problem/problem.h"

enum { LONGEST = 60 };

/* Names are keys, parts of file names and of "x,y": letters, digits, _ and -. */
static bool good_name(const char *name)
{
    const size_t n = strlen(name);
    for (size_t k = 0; k < n; k++)
        if (!isalnum((unsigned char)name[k]) && name[k] != '_' && (k == 0 || name[k] != '-'))
            return false;
    return n > 0 && n <= LONGEST;
}

static bool read_name(crs_reader *r, const crs_node *at, int i, const char **list)
{
    crs_node here;
    const char *given;
    char *name = crs_keep_new(r, LONGEST + 1, 1);
    if (!name) return false;
    snprintf(name, LONGEST + 1, "x%d", i + 1);
    if (crs_member(at, "name", &here)) {
        if (!crs_text_at(r, &here, &given)) return false;
        if (!good_name(given))
            return crs_fail_at(r, &here, "'%.64s' is no name; use 1 to %d letters, digits, _ or -",
                               given, LONGEST);
        snprintf(name, LONGEST + 1, "%s", given);
    }
    for (int k = 0; k < i; k++)
        if (strcmp(list[k], name) == 0)
            return crs_fail_at(r, at, "the name '%s' is taken by block %d; choose another", name,
                               k + 1);
    list[i] = name;
    return true;
}

/* The JSON of a part, or only its beginning when it is long. */
static const char *text_of(crs_reader *r, const crs_node *at)
{
    enum { MOST = 300 };
    if (json_is_string(at->value)) {
        char *same = crs_keep_new(r, (ptrdiff_t)json_string_length(at->value) + 1, 1);
        return same ? strcpy(same, json_string_value(at->value)) : NULL;
    }
    char *text = crs_keep_new(r, MOST + 4, 1);
    if (!text) return NULL;
    const size_t n =
        json_dumpb(at->value, text, MOST, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    if (n > MOST) memcpy(text + MOST, "...", 4);
    return text;
}

static bool read_parts(crs_reader *r, const crs_node *at, const crease_space *s, crease_block *b,
                       crs_block_text *text)
{
    crs_node here;
    *text = (crs_block_text){ "zero", "none" };
    if (crs_member(at, "regularizer", &here)) {
        text->regularizer = text_of(r, &here);
        if (!text->regularizer || !crs_reg_at(r, &here, s, &b->reg)) return false;
    }
    if (crs_member(at, "set", &here)) {
        crease_set *set = crs_keep_new(r, 1, sizeof *set);
        text->set = text_of(r, &here);
        if (!set || !text->set || !crs_set_at(r, &here, s, set)) return false;
        b->set = set;
    }
    return !crs_member(at, "start", &here) || crs_filled_at(r, &here, s, false, &b->start);
}

static bool read_blocks(crs_reader *r, const crs_node *at, crs_problem_file *f,
                        crs_block_list *list)
{
    static const char *const keys[] = { "name", "shape", "regularizer", "set", "start" };
    const size_t n = json_array_size(at->value);
    if (n < 1) return crs_fail_at(r, at, "give a list of at least one block, as [{\"shape\": 3}]");
    crease_block *block = crs_keep_new(r, (ptrdiff_t)n, sizeof *block);
    crease_space *space = crs_keep_new(r, (ptrdiff_t)n, sizeof *space);
    crs_block_text *text = crs_keep_new(r, (ptrdiff_t)n, sizeof *text);
    const char **name = crs_keep_new(r, (ptrdiff_t)n, sizeof *name);
    if (!block || !space || !text || !name) return false;
    for (int i = 0; i < (int)n; i++) {
        const crs_node here = crs_element(at, (size_t)i);
        crs_node shape;
        if (!crs_has_keys(r, &here, 5, keys) || !read_name(r, &here, i, name) ||
            !crs_need(r, &here, "shape", &shape) || !crs_shape_at(r, &shape, &space[i]) ||
            !read_parts(r, &here, &space[i], &block[i], &text[i]))
            return false;
        block[i].name = name[i];
    }
    *list = (crs_block_list){ (int)n, space, name };
    f->problem = (crease_problem){ .count = (int)n, .space = space, .block = block };
    f->block = block;
    f->text = text;
    return true;
}

static bool read_constraint(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                            crs_problem_file *f)
{
    crs_sum_of_maps sum = { .count = 0 };
    if (!crs_constraint_at(r, at, blocks, &sum)) return false;
    for (int k = 0; k < sum.count; k++) f->block[sum.block[k]].map = sum.map[k];
    f->problem.range = sum.range;
    f->problem.rhs = sum.rhs;
    f->multiplier = sum.multiplier;
    return true;
}

void crs_problem_file_free(crs_problem_file *f)
{
    if (!f) return;
    crs_kept_free(f->kept);
    crs_free(f);
}

/* method and mode are names, the others numbers; those of 0 and 1 alone may be true or false. */
static bool read_option(crs_reader *r, const crs_node *at, crease_options *o)
{
    int k = 0;
    while (k < crease_option_count() && strcmp(crease_option_at(k).name, at->key) != 0) k++;
    const bool name = k == crease_option_count();
    const bool flag = !name && crease_option_at(k).integer && crease_option_at(k).high == 1;
    const char *given = NULL;
    double number = NAN;
    char text[64];
    if (name ? !crs_text_at(r, at, &given)
             : !(flag && json_is_boolean(at->value)) && !crs_number_at(r, at, &number))
        return false;
    if (name)
        snprintf(text, sizeof text, "%.63s", given);
    else
        snprintf(text, sizeof text, "%.17g", isnan(number) ? json_is_true(at->value) : number);
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

static bool read_remark(const crs_reader *r, const crs_node *root, const char *key)
{
    crs_node here;
    const char *text;
    return !crs_member(root, key, &here) || crs_text_at(r, &here, &text);
}

static bool read_version(const crs_reader *r, const crs_node *root)
{
    static const char *const keys[] = { "crease",  "blocks",      "smooth", "constraint",
                                        "options", "description", "$schema" };
    crs_node here;
    ptrdiff_t version;
    return crs_has_keys(r, root, 7, keys) && crs_need(r, root, "crease", &here) &&
           crs_whole_at(r, &here, 1, 1, &version) && read_remark(r, root, "description") &&
           read_remark(r, root, "$schema");
}

static bool read_all(crs_reader *r, const crs_node *root, crs_problem_file *f)
{
    crs_block_list blocks;
    crs_node here;
    f->options = crease_options_default();
    if (!read_version(r, root) || !crs_need(r, root, "blocks", &here) ||
        !read_blocks(r, &here, f, &blocks))
        return false;
    if (crs_member(root, "smooth", &here) && !crs_smooth_sum_at(r, &here, &blocks, &f->problem.f))
        return false;
    if (crs_member(root, "constraint", &here) && !read_constraint(r, &here, &blocks, f))
        return false;
    if (crs_member(root, "options", &here) && !read_options(r, &here, &f->options)) return false;
    return crease_problem_check(&f->problem, r->e) || crs_blame(r, root);
}

/* The part of a path before its last slash, with it; of a file in memory at least "memory:". */
static char *folder_of(crs_reader *r, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash && crs_is_memory(path)) slash = strchr(path, ':');
    const size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = crs_keep_new(r, (ptrdiff_t)n + 1, 1);
    if (folder) memcpy(folder, path, n);
    return folder;
}

crs_problem_file *crs_problem_read(const char *path, crease_error *e)
{
    crease_error own = { CREASE_OK, "" };
    crs_reader r = { .name = path, .e = &own };
    crs_hash_begin(&r.hash);
    crs_problem_file *f = crs_alloc(1, sizeof *f);
    if (!f) crs_fail(&own, CREASE_NO_MEMORY, "out of memory: a problem");
    r.folder = f ? folder_of(&r, path) : NULL;
    json_t *document = r.folder ? crs_json_read(path, &r.hash, &own) : NULL;
    const crs_node root = { NULL, NULL, 0, document };
    const bool done = document && read_all(&r, &root, f);
    json_decref(document);
    if (done) {
        f->kept = r.kept;
        crs_hash_end(&r.hash, f->hash);
        return f;
    }
    if (own.code == CREASE_OK) crs_fail(&own, CREASE_NO_MEMORY, "out of memory: the problem");
    if (e) *e = own;
    crs_kept_free(r.kept);
    crs_free(f);
    return NULL;
}
