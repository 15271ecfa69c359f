/* SPDX-License-Identifier: MIT
 * affine: sum_k A_k x_k - rhs in a problem file: {"block": map, ...} with a right-hand side, and
 * several of them as one constraint, their rows one over another */
#include "io/problem/problem.h"

bool crs_block_named(const crs_reader *r, const crs_node *at, const char *name,
                     const crs_block_list *blocks, int *i)
{
    for (*i = 0; *i < blocks->count; ++*i)
        if (strcmp(blocks->name[*i], name) == 0) return true;
    const int near = crs_nearest_in(name, blocks->count, blocks->name);
    return near >= 0 ? crs_fail_at(r, at, "no block is called '%.48s'; did you mean '%s'?", name,
                                   blocks->name[near])
                     : crs_fail_at(r, at, "no block is called '%.48s'; the first is '%s'", name,
                                   blocks->name[0]);
}

bool crs_block_at(const crs_reader *r, const crs_node *at, const crs_block_list *blocks, int *i)
{
    const char *name;
    return crs_text_at(r, at, &name) && crs_block_named(r, at, name, blocks, i);
}

static bool read_maps(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                      crs_sum_of_maps *out, crease_space *own)
{
    const char *key;
    json_t *value;
    json_object_foreach(at->value, key, value)
    {
        const crs_node here = { at, key, 0, value };
        const int k = out->count;
        if (!crs_block_named(r, at, key, blocks, &out->block[k]) ||
            !crs_map_at(r, &here, &blocks->space[out->block[k]], &out->map[k], &own[k]))
            return false;
        if (out->range.order == 0) out->range = own[k];
        out->count++;
    }
    return true;
}

/* Once the range is known, every map must agree with it. */
static bool check_maps(const crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       const crs_sum_of_maps *sum, const crease_space *own)
{
    for (int k = 0; k < sum->count; k++) {
        const int i = sum->block[k];
        const crs_node here = { at, blocks->name[i], 0, NULL };
        char text[120];
        if (!crs_same_rows(r, &here, &own[k], &sum->range)) return false;
        if (crease_map_check(&sum->map[k], &blocks->space[i], &sum->range, r->e)) continue;
        crs_shape_text(&sum->range, text, sizeof text);
        crease_error inner = *r->e;
        crs_fail(r->e, inner.code, "into %s: %.240s", text, inner.text);
        return crs_blame(r, &here);
    }
    return true;
}

/* One number for all, or the array that was read. */
static bool take_rhs(crs_reader *r, const crs_node *at, const crs_array *given,
                     crs_sum_of_maps *out)
{
    if (!given->data) return crs_filled_at(r, at, &out->range, false, &out->rhs);
    out->rhs = given->data;
    return crease_size(&given->shape) == crease_size(&out->range) ||
           crs_fail_at(r, at, "there are %td numbers for %td rows; make them agree",
                       crease_size(&given->shape), crease_size(&out->range));
}

bool crs_sum_at(crs_reader *r, const crs_node *maps, const crs_node *rhs,
                const crs_block_list *blocks, crs_sum_of_maps *out)
{
    const ptrdiff_t n = (ptrdiff_t)json_object_size(maps->value);
    crs_array given = { .data = NULL };
    if (n < 1)
        return crs_fail_at(r, maps, "give at least one map, as {\"%s\": 1}", blocks->name[0]);
    out->count = 0;
    out->block = crs_keep_new(r, n, sizeof *out->block);
    out->map = crs_keep_new(r, n, sizeof *out->map);
    crease_space *own = crs_keep_new(r, n, sizeof *own);
    if (!out->block || !out->map || !own) return false;
    if (rhs && !json_is_number(rhs->value) && !crs_array_at(r, rhs, false, &given)) return false;
    if (given.data && out->range.order == 0) out->range = given.shape;
    if (!read_maps(r, maps, blocks, out, own)) return false;
    if (out->range.order == 0)
        return crs_fail_at(r, maps,
                           "the maps do not tell how many rows there are; give the rhs as "
                           "a list");
    return check_maps(r, maps, blocks, out, own) && (!rhs || take_rhs(r, rhs, &given, out));
}

static bool read_group(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       crs_sum_of_maps *out)
{
    static const char *const keys[] = { "maps", "rhs", "shape", "multiplier" };
    crs_node maps, rhs, shape, multiplier;
    if (!crs_has_keys(r, at, 4, keys) || !crs_need(r, at, "maps", &maps)) return false;
    if (crs_member(at, "shape", &shape) && !crs_shape_at(r, &shape, &out->range)) return false;
    const bool given = crs_member(at, "rhs", &rhs);
    if (!crs_sum_at(r, &maps, given ? &rhs : NULL, blocks, out)) return false;
    return !crs_member(at, "multiplier", &multiplier) ||
           crs_filled_at(r, &multiplier, &out->range, false, &out->multiplier);
}

/* The rows of block i in all groups; a zero map where it is missing. false: out of memory. */
static bool stack_block(crs_reader *r, int i, int count, const crs_sum_of_maps *group,
                        crease_map *out)
{
    crease_map_parts *p = crs_keep_new(r, 1, sizeof *p);
    crease_map *map = crs_keep_new(r, count, sizeof *map);
    crease_space *space = crs_keep_new(r, count, sizeof *space);
    if (!p || !map || !space) return false;
    for (int g = 0; g < count; g++) {
        map[g] = crease_zero_map(), space[g] = group[g].range;
        for (int k = 0; k < group[g].count; k++)
            if (group[g].block[k] == i) map[g] = group[g].map[k];
    }
    *p = (crease_map_parts){ count, map, space };
    *out = crease_stack(p);
    return true;
}

static bool is_in(int i, int count, const crs_sum_of_maps *group)
{
    for (int g = 0; g < count; g++)
        for (int k = 0; k < group[g].count; k++)
            if (group[g].block[k] == i) return true;
    return false;
}

/* The right-hand sides one after the other, and the multipliers if a group has one; 0 where a group
 * has none. */
static bool stack_numbers(crs_reader *r, int count, const crs_sum_of_maps *group,
                          crs_sum_of_maps *out)
{
    const ptrdiff_t rows = crease_size(&out->range);
    double *rhs = crs_keep_new(r, rows, sizeof *rhs);
    double *multiplier = crs_keep_new(r, rows, sizeof *multiplier);
    if (!rhs || !multiplier) return false;
    out->rhs = rhs;
    for (ptrdiff_t g = 0, at = 0; g < count; at += crease_size(&group[g++].range)) {
        const ptrdiff_t n = crease_size(&group[g].range);
        if (group[g].rhs) copy(n, group[g].rhs, rhs + at);
        if (group[g].multiplier) copy(n, group[g].multiplier, multiplier + at);
        if (group[g].multiplier) out->multiplier = multiplier;
    }
    return true;
}

static bool join(crs_reader *r, const crs_node *at, const crs_block_list *blocks, int count,
                 const crs_sum_of_maps *group, crs_sum_of_maps *out)
{
    ptrdiff_t rows = 0;
    for (int g = 0; g < count; g++)
        if (!crs_add_size(rows, crease_size(&group[g].range), &rows))
            return crs_fail_at(r, at, "there are more rows than memory can address");
    out->range = crease_vector(rows);
    if (!crease_space_check(&out->range, r->e)) return crs_blame(r, at);
    out->block = crs_keep_new(r, blocks->count, sizeof *out->block);
    out->map = crs_keep_new(r, blocks->count, sizeof *out->map);
    if (!out->block || !out->map) return false;
    for (int i = 0; i < blocks->count; i++) {
        if (!is_in(i, count, group)) continue;
        out->block[out->count] = i;
        if (!stack_block(r, i, count, group, &out->map[out->count++])) return false;
    }
    return stack_numbers(r, count, group, out);
}

bool crs_constraint_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       crs_sum_of_maps *out)
{
    if (!json_is_array(at->value)) return read_group(r, at, blocks, out);
    const int count = (int)json_array_size(at->value);
    if (count < 1) return crs_fail_at(r, at, "give at least one group, as [{\"maps\": {...}}]");
    crs_sum_of_maps *group = crs_keep_new(r, count, sizeof *group);
    if (!group) return false;
    for (int g = 0; g < count; g++) {
        const crs_node here = crs_element(at, (size_t)g);
        if (!read_group(r, &here, blocks, &group[g])) return false;
    }
    if (count == 1) return *out = group[0], true;
    return join(r, at, blocks, count, group, out);
}
