/* SPDX-License-Identifier: MIT
 * blocks: the blocks of a problem file and the constraint that joins them */
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

bool crs_blocks_at(crs_reader *r, const crs_node *at, crs_problem_file *f, crs_block_list *list)
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

bool crs_constraint_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       crs_problem_file *f)
{
    static const char *const keys[] = { "maps", "rhs", "shape" };
    crs_node maps, rhs, shape;
    crs_sum_of_maps sum = { .count = 0 };
    if (!crs_has_keys(r, at, 3, keys) || !crs_need(r, at, "maps", &maps)) return false;
    if (crs_member(at, "shape", &shape) && !crs_shape_at(r, &shape, &sum.range)) return false;
    const bool given = crs_member(at, "rhs", &rhs);
    if (!crs_sum_at(r, &maps, given ? &rhs : NULL, blocks, &sum)) return false;
    for (int k = 0; k < sum.count; k++) f->block[sum.block[k]].map = sum.map[k];
    f->problem.range = sum.range;
    f->problem.rhs = sum.rhs;
    return true;
}
