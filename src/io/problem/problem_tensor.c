/* SPDX-License-Identifier: MIT
 * problem_tensor: the couplings of a problem file that are made from tensors */
#include "io/problem/problem.h"

/* [names] to block numbers. */
static bool read_blocks(crs_reader *r, const crs_node *at, const crs_block_list *blocks, int *count,
                        const int **out)
{
    const size_t n = json_array_size(at->value);
    if (n < 1 || n > CREASE_MAX_ORDER)
        return crs_fail_at(r, at, "give a list of 1 to %d block names", CREASE_MAX_ORDER);
    int *list = crs_keep_new(r, (ptrdiff_t)n, sizeof *list);
    if (!list) return false;
    for (size_t k = 0; k < n; k++) {
        const crs_node here = crs_element(at, k);
        if (!crs_block_at(r, &here, blocks, &list[k])) return false;
    }
    *count = (int)n;
    *out = list;
    return true;
}

/* "z": a block, or "target": a constant of the given shape. */
static bool read_target(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                        const crease_space *shape, int *z, const double **target)
{
    crs_node block, constant;
    const bool varies = crs_member(at, "z", &block), fixed = crs_member(at, "target", &constant);
    *z = -1;
    if (varies == fixed)
        return crs_fail_at(r, at, "give either z, a block, or target, an array%s",
                           varies ? ", and not both" : "");
    return varies ? crs_block_at(r, &block, blocks, z)
                  : crs_filled_at(r, &constant, shape, false, target);
}

bool crs_multilinear_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                        crease_smooth *out)
{
    static const char *const keys[] = { "tensor", "blocks", "weight" };
    crs_node tensor, names, weight;
    crs_array T;
    int count;
    crease_multilinear_data *m = crs_keep_new(r, 1, sizeof *m);
    if (!m || !crs_has_keys(r, at, 3, keys) || !crs_need(r, at, "tensor", &tensor) ||
        !crs_need(r, at, "blocks", &names) || !crs_array_at(r, &tensor, false, &T))
        return false;
    *m = (crease_multilinear_data){ .shape = T.shape, .tensor = T.data, .weight = 1 };
    if (!read_blocks(r, &names, blocks, &count, &m->block)) return false;
    if (count != T.shape.order)
        return crs_fail_at(r, &names,
                           "there are %d blocks for a tensor with %d dimensions; name "
                           "one for each",
                           count, T.shape.order);
    if (crs_member(at, "weight", &weight) && !crs_number_at(r, &weight, &m->weight)) return false;
    *out = crease_multilinear(m);
    return true;
}

bool crs_factorization_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                          crease_smooth *out)
{
    static const char *const keys[] = { "x", "y", "z", "target" };
    crs_node x, y;
    crease_factorization_data *m = crs_keep_new(r, 1, sizeof *m);
    if (!m || !crs_has_keys(r, at, 4, keys) || !crs_need(r, at, "x", &x) ||
        !crs_need(r, at, "y", &y) || !crs_block_at(r, &x, blocks, &m->x) ||
        !crs_block_at(r, &y, blocks, &m->y))
        return false;
    const crease_space shape =
        crease_matrix(blocks->space[m->x].dim[0], blocks->space[m->y].dim[0]);
    if (!read_target(r, at, blocks, &shape, &m->z, &m->target)) return false;
    *out = crease_matrix_factorization(m);
    return true;
}

/* The factors, and the shape of Z from their rows. */
static bool read_factors(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                         crease_space *shape, const int **factor)
{
    crs_node names;
    int count;
    if (!crs_need(r, at, "factors", &names) || !read_blocks(r, &names, blocks, &count, factor))
        return false;
    *shape = (crease_space){ .order = count };
    for (int n = 0; n < count; n++) {
        const crease_space *s = &blocks->space[(*factor)[n]];
        if (s->order != 2)
            return crs_fail_at(r, &names,
                               "factor %d, %s, is no matrix; give it a shape [rows, "
                               "rank]",
                               n + 1, blocks->name[(*factor)[n]]);
        shape->dim[n] = s->dim[0];
    }
    return crease_space_check(shape, r->e) || crs_blame(r, &names);
}

bool crs_cp_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks, crease_smooth *out)
{
    static const char *const keys[] = { "factors", "rank", "ridge", "z", "target" };
    crs_node rank, ridge;
    crease_cp_data *c = crs_keep_new(r, 1, sizeof *c);
    if (!c || !crs_has_keys(r, at, 5, keys) || !read_factors(r, at, blocks, &c->shape, &c->factor))
        return false;
    c->rank = blocks->space[c->factor[0]].dim[1];
    if (crs_member(at, "rank", &rank) && !crs_whole_at(r, &rank, 1, 0x1p53, &c->rank)) return false;
    if (crs_member(at, "ridge", &ridge) && !crs_number_at(r, &ridge, &c->ridge)) return false;
    if (!read_target(r, at, blocks, &c->shape, &c->z, &c->target)) return false;
    *out = crease_cp(c);
    return true;
}

bool crs_tucker_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                   crease_smooth *out)
{
    static const char *const keys[] = { "factors", "core", "z", "target" };
    crs_node core;
    crease_tucker_data *t = crs_keep_new(r, 1, sizeof *t);
    if (!t || !crs_has_keys(r, at, 4, keys) ||
        !read_factors(r, at, blocks, &t->shape, &t->factor) || !crs_need(r, at, "core", &core) ||
        !crs_block_at(r, &core, blocks, &t->core))
        return false;
    t->core_shape = blocks->space[t->core];
    if (!read_target(r, at, blocks, &t->shape, &t->z, &t->target)) return false;
    *out = crease_tucker(t);
    return true;
}
