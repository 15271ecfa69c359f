/* SPDX-License-Identifier: MIT
 * couplings: the smooth part of a problem file: losses of a linear predictor, quadratics,
 * distances, the ones made from tensors, and sums */
#include <crease/catalogue.h>

#include "io/problem/problem.h"

typedef bool coupling_reader(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                             crease_smooth *out);

static const char *rows_key(const crease_smooth_ops *ops)
{
    return ops->labels ? "labels" : ops->counts ? "counts" : "rhs";
}

/* {"terms": {block: map}, "rhs": array, "weights": array}; "labels" or "counts" for rhs where the
 * loss takes them. */
static bool read_predictor(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                           crease_smooth *out)
{
    const char *key = rows_key(out->ops);
    crs_node terms, rhs, weights;
    crs_sum_of_maps sum = { .count = 0 };
    crease_predictor *p = crs_keep_new(r, 1, sizeof *p);
    if (!p || !crs_need(r, at, "terms", &terms)) return false;
    if ((out->ops->labels || out->ops->counts) && !crs_need(r, at, key, &rhs)) return false;
    const bool given = crs_member(at, key, &rhs);
    if (!crs_sum_at(r, &terms, given ? &rhs : NULL, blocks, &sum)) return false;
    *p = (crease_predictor){ sum.count, sum.block, sum.map, sum.range, sum.rhs, NULL };
    out->data = p;
    return !crs_member(at, "weights", &weights) ||
           crs_filled_at(r, &weights, &p->range, false, &p->weight);
}

/* A predictor and the loss's parameters */
static bool read_loss(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                      crease_smooth *out)
{
    const crease_smooth_ops *ops = out->ops;
    const char *keys[CREASE_PARS + 3] = { "terms", rows_key(ops), "weights" };
    crs_node here;
    int n = 3;
    for (int k = 0; ops->params && ops->params[k].name; k++) keys[n++] = ops->params[k].name;
    if (!crs_has_keys(r, at, n, keys) || !read_predictor(r, at, blocks, out)) return false;
    for (int k = 3; k < n; k++)
        if (!crs_need(r, at, keys[k], &here) || !crs_number_at(r, &here, &out->par[k - 3]))
            return false;
    return true;
}

/* A loss with "coefficients": [c_0, c_1, ...] */
static bool read_polynomial(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                            crease_smooth *out)
{
    static const char *const keys[] = { "terms", "rhs", "weights", "coefficients" };
    enum { MOST = 9 };
    crs_node list;
    crs_array given;
    if (!crs_has_keys(r, at, 4, keys) || !read_predictor(r, at, blocks, out) ||
        !crs_need(r, at, "coefficients", &list) || !crs_array_at(r, &list, false, &given))
        return false;
    const ptrdiff_t n = crease_size(&given.shape);
    if (given.shape.order != 1 || n > MOST)
        return crs_fail_at(r, &list, "give a list of 1 to %d numbers, c_0 first", MOST);
    *out = crease_polynomial(out->data, (int)n - 1, given.data);
    return true;
}

/* {"terms": {block: map}, "labels": [0, 2, ...], "classes": 3}: A x is a matrix, labels x classes
 */
static bool read_softmax(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                         crease_smooth *out)
{
    static const char *const keys[] = { "terms", "labels", "classes", "weights" };
    crs_node terms, labels, classes, weights;
    crs_array given;
    ptrdiff_t K;
    crease_predictor *p = crs_keep_new(r, 1, sizeof *p);
    if (!p || !crs_has_keys(r, at, 4, keys) || !crs_need(r, at, "terms", &terms) ||
        !crs_need(r, at, "labels", &labels) || !crs_need(r, at, "classes", &classes) ||
        !crs_array_at(r, &labels, false, &given) || !crs_whole_at(r, &classes, 1, 0x1p31, &K))
        return false;
    const crease_space rows = crease_vector(crease_size(&given.shape));
    crs_sum_of_maps sum = { .range = crease_matrix(rows.dim[0], K) };
    if (!crs_sum_at(r, &terms, NULL, blocks, &sum)) return false;
    *p = (crease_predictor){ sum.count, sum.block, sum.map, sum.range, given.data, NULL };
    *out = crease_softmax(p);
    return !crs_member(at, "weights", &weights) ||
           crs_filled_at(r, &weights, &rows, false, &p->weight);
}

/* "x,y" to two blocks; "x" is short for "x,x". */
static bool read_pair(const crs_reader *r, const crs_node *at, const char *key,
                      const crs_block_list *blocks, int *i, int *j)
{
    char first[80];
    const char *comma = strchr(key, ',');
    const size_t n = comma ? (size_t)(comma - key) : strlen(key);
    if (n >= sizeof first)
        return crs_fail_at(r, at, "'%.48s' is no pair of blocks; write \"x,y\"", key);
    memcpy(first, key, n);
    first[n] = '\0';
    return crs_block_named(r, at, first, blocks, i) &&
           crs_block_named(r, at, comma ? comma + 1 : first, blocks, j);
}

static bool read_matrices(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                          crease_quadratic_data *q)
{
    const ptrdiff_t n = (ptrdiff_t)json_object_size(at->value);
    int *row = crs_keep_new(r, n, sizeof *row), *col = crs_keep_new(r, n, sizeof *col);
    const double **matrix = crs_keep_new(r, n, sizeof *matrix);
    const char *key;
    json_t *value;
    if (!row || !col || !matrix) return false;
    json_object_foreach(at->value, key, value)
    {
        const crs_node here = { at, key, 0, value };
        const int k = q->count;
        if (!read_pair(r, &here, key, blocks, &row[k], &col[k])) return false;
        if (json_is_number(value) && crease_size(&blocks->space[row[k]]) > 1)
            return crs_fail_at(r, &here,
                               "one number is no matrix; write all its rows, or use "
                               "squared_distance for a multiple of the identity");
        const crease_space s =
            crease_matrix(crease_size(&blocks->space[row[k]]), crease_size(&blocks->space[col[k]]));
        if (!crs_filled_at(r, &here, &s, false, &matrix[k])) return false;
        q->count++;
    }
    q->row = row, q->col = col, q->matrix = matrix;
    return true;
}

/* {"Q": {"x,y": matrix}, "q": {"x": array}} */
static bool read_quadratic(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                           crease_smooth *out)
{
    static const char *const keys[] = { "Q", "q" };
    crs_node Q, q;
    const char *key;
    json_t *value;
    crease_quadratic_data *data = crs_keep_new(r, 1, sizeof *data);
    const double **linear = crs_keep_new(r, blocks->count, sizeof *linear);
    if (!data || !linear || !crs_has_keys(r, at, 2, keys)) return false;
    *data = (crease_quadratic_data){ .linear = linear, .blocks = blocks->count };
    const bool quadratic = crs_member(at, "Q", &Q), slope = crs_member(at, "q", &q);
    if (!quadratic && !slope) return crs_fail_at(r, at, "give Q, q or both");
    if ((quadratic && !json_is_object(Q.value)) || (slope && !json_is_object(q.value)))
        return crs_fail_at(r, quadratic && !json_is_object(Q.value) ? &Q : &q,
                           "name the blocks, as {\"%s\": ...}", blocks->name[0]);
    if (quadratic && !read_matrices(r, &Q, blocks, data)) return false;
    *out = crease_quadratic(data);
    if (!slope) return true;
    json_object_foreach(q.value, key, value)
    {
        const crs_node here = { &q, key, 0, value };
        int i;
        if (!crs_block_named(r, &q, key, blocks, &i) ||
            !crs_filled_at(r, &here, &blocks->space[i], false, &linear[i]))
            return false;
    }
    return true;
}

static bool read_distance(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                          crease_smooth *out)
{
    static const char *const keys[] = { "a", "b", "weight", "d" };
    crs_node here;
    crease_distance_data *d = crs_keep_new(r, 1, sizeof *d);
    if (!d || !crs_has_keys(r, at, 4, keys) || !crs_need(r, at, "a", &here)) return false;
    *d = (crease_distance_data){ .b = -1, .weight = 1 };
    if (!crs_block_at(r, &here, blocks, &d->a)) return false;
    if (crs_member(at, "b", &here) && !crs_block_at(r, &here, blocks, &d->b)) return false;
    if (crs_member(at, "weight", &here) && !crs_number_at(r, &here, &d->weight)) return false;
    if (crs_member(at, "d", &here) && !crs_filled_at(r, &here, &blocks->space[d->a], false, &d->d))
        return false;
    *out = crease_squared_distance(d);
    return true;
}

static bool read_power(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       crease_smooth *out)
{
    static const char *const keys[] = { "a", "power", "weight", "d" };
    crs_node a, power, here;
    crease_power_data *d = crs_keep_new(r, 1, sizeof *d);
    if (!d || !crs_has_keys(r, at, 4, keys) || !crs_need(r, at, "a", &a) ||
        !crs_need(r, at, "power", &power))
        return false;
    *d = (crease_power_data){ .weight = 1 };
    if (!crs_block_at(r, &a, blocks, &d->a) || !crs_number_at(r, &power, &d->power)) return false;
    if (crs_member(at, "weight", &here) && !crs_number_at(r, &here, &d->weight)) return false;
    if (crs_member(at, "d", &here) && !crs_filled_at(r, &here, &blocks->space[d->a], false, &d->d))
        return false;
    *out = crease_norm_power(d);
    return true;
}

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

static bool read_multilinear(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
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

static bool read_factorization(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
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

static bool read_cp(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                    crease_smooth *out)
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

static bool read_tucker(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
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

/* {"callback": {"name": "f0", "blocks": ["x", "y"], "L": 2, "lower": 0}}: a function that the job
 * was given. It sees the blocks of its list, in that order. Nothing is known of what is left out.
 */
typedef struct {
    crease_callback_smooth outer;
    const crease_callback_smooth *inner;
    int count, *block; /* of the list */
    const double **x;
} chosen_blocks;

static const double *const *choose(chosen_blocks *c, const double *const *x)
{
    for (int k = 0; k < c->count; k++) c->x[k] = x[c->block[k]];
    return c->x;
}

static double chosen_value(void *user, const double *const *x)
{
    chosen_blocks *c = user;
    return c->inner->value(c->inner->user, choose(c, x));
}

static void chosen_grad(void *user, const double *const *x, int i, double *g)
{
    chosen_blocks *c = user;
    for (int k = 0; k < c->count; k++)
        if (c->block[k] == i) c->inner->grad(c->inner->user, choose(c, x), k, g);
}

static bool choose_blocks(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                          chosen_blocks *c)
{
    bool *touches = crs_keep_new(r, blocks->count, sizeof *touches);
    c->count = (int)json_array_size(at->value);
    c->block = crs_keep_new(r, c->count, sizeof *c->block);
    c->x = crs_keep_new(r, c->count, sizeof *c->x);
    if (!touches || !c->block || !c->x) return false;
    if (c->count < 1) return crs_fail_at(r, at, "give a list of the blocks that it is of");
    for (int k = 0; k < c->count; k++) {
        const crs_node here = crs_element(at, (size_t)k);
        if (!crs_block_at(r, &here, blocks, &c->block[k])) return false;
        if (touches[c->block[k]]) return crs_fail_at(r, &here, "this block is named twice");
        touches[c->block[k]] = true;
    }
    c->outer.touches = touches;
    return true;
}

/* What the function declares, or the file instead: L, and a lower bound. */
static bool read_constants(crs_reader *r, const crs_node *at, crease_constants *k)
{
    crs_node here;
    if (k->L == 0) k->lower = -INFINITY; /* the function declares nothing */
    const bool bounded = crs_member(at, "lower", &here);
    if (bounded && !crs_number_at(r, &here, &k->lower)) return false;
    if (crs_member(at, "L", &here)) return crs_number_at(r, &here, &k->L);
    if (bounded && k->L == 0) k->L = INFINITY; /* of which 0 would say that nothing is known */
    return true;
}

static bool read_callback(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                          crease_smooth *out)
{
    static const char *const keys[] = { "name", "blocks", "L", "lower" };
    crs_node here;
    const char *name;
    chosen_blocks *c = crs_keep_new(r, 1, sizeof *c);
    if (!c || !crs_has_keys(r, at, 4, keys) || !crs_need(r, at, "name", &here) ||
        !crs_text_at(r, &here, &name))
        return false;
    const crs_memory_function *f = crs_memory_function_of(name);
    if (!f || !f->smooth)
        return crs_fail_at(r, &here,
                           "'%.60s' is no function of the job; a file has none: build it in C or "
                           "in Python",
                           name);
    c->inner = f->smooth;
    c->outer = *f->smooth;
    c->outer.value = chosen_value, c->outer.grad = chosen_grad, c->outer.user = c;
    c->outer.block = NULL;
    if (!read_constants(r, at, &c->outer.constants)) return false;
    if (!crs_need(r, at, "blocks", &here) || !choose_blocks(r, &here, blocks, c)) return false;
    *out = crease_smooth_callback(&c->outer);
    return true;
}

static bool read_sum(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                     crease_smooth *out)
{
    static const char *const keys[] = { "terms" };
    crs_node terms;
    return crs_has_keys(r, at, 1, keys) && crs_need(r, at, "terms", &terms) &&
           crs_smooth_sum_at(r, &terms, blocks, out);
}

static const struct {
    const char *name;
    coupling_reader *read;
} readers[] = {
    { "quadratic", read_quadratic },
    { "squared_distance", read_distance },
    { "norm_power", read_power },
    { "polynomial", read_polynomial },
    { "softmax", read_softmax },
    { "multilinear", read_multilinear },
    { "matrix_factorization", read_factorization },
    { "cp", read_cp },
    { "tucker", read_tucker },
    { "sum", read_sum },
    { "callback", read_callback },
};

static const char *name_at(int k) { return crease_smooth_at(k)->name; }

static coupling_reader *reader_of(const crease_smooth_ops *ops) /* NULL: built in C only */
{
    for (size_t k = 0; k < sizeof readers / sizeof *readers; k++)
        if (strcmp(readers[k].name, ops->name) == 0) return readers[k].read;
    return ops->family == CREASE_SMOOTH_LOSS ? read_loss : NULL;
}

static bool read_coupling(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                          crease_smooth *out)
{
    const crease_blocks b = { blocks->count, blocks->space, NULL };
    crs_node named;
    if (!json_is_object(at->value))
        return crs_fail_at(r, at, "this is %s; write {\"least_squares\": {...}}",
                           crs_kind_of(at->value));
    if (!crs_only(r, at, "a coupling", &named)) return false;
    const int k = crs_find("coupling", named.key, crease_smooth_count(), name_at, r->e);
    if (k < 0) return crs_blame(r, at);
    coupling_reader *read = reader_of(crease_smooth_at(k));
    if (!read)
        return crs_fail_at(r, at, "a %s cannot be written in a file; build it in C", named.key);
    *out = (crease_smooth){ .ops = crease_smooth_at(k) };
    return read(r, &named, blocks, out) &&
           (crease_smooth_check(out, &b, r->e) || crs_blame(r, &named));
}

bool crs_smooth_sum_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       crease_smooth *out)
{
    const size_t n = json_array_size(at->value);
    if (n < 1) return crs_fail_at(r, at, "give a list of at least one coupling");
    crease_smooth *term = crs_keep_new(r, (ptrdiff_t)n, sizeof *term);
    crease_smooth_list *list = crs_keep_new(r, 1, sizeof *list);
    if (!term || !list) return false;
    for (size_t k = 0; k < n; k++) {
        const crs_node here = crs_element(at, k);
        if (!read_coupling(r, &here, blocks, &term[k])) return false;
    }
    *list = (crease_smooth_list){ (int)n, term };
    *out = n == 1 ? term[0] : crease_smooth_sum(list);
    return true;
}
