/* SPDX-License-Identifier: MIT
 * problem_smooth: couplings of a problem file: losses of a linear predictor, quadratics, distances,
 * sums; the ones made from tensors are in problem_tensor.c */
#include <crease/catalogue.h>

#include "io/problem/problem.h"

static const crease_smooth_ops *ops_of(const char *name)
{
    for (int k = 0; k < crease_smooth_count(); k++)
        if (strcmp(crease_smooth_at(k)->name, name) == 0) return crease_smooth_at(k);
    return NULL;
}

/* {"terms": {block: map}, "rhs": array} and the loss's parameters; logistic: "labels" for rhs. */
static bool read_loss(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                      crease_smooth *out)
{
    const crease_smooth_ops *ops = ops_of(at->key);
    const bool labels = strcmp(at->key, "logistic") == 0;
    const char *keys[CREASE_PARS + 2] = { "terms", labels ? "labels" : "rhs" };
    crs_node terms, rhs, here;
    crs_sum_of_maps sum = { .count = 0 };
    int n = 2;
    for (int k = 0; ops->params && ops->params[k].name; k++) keys[n++] = ops->params[k].name;
    if (!crs_has_keys(r, at, n, keys) || !crs_need(r, at, "terms", &terms)) return false;
    if (labels && !crs_need(r, at, "labels", &rhs)) return false;
    *out = (crease_smooth){ .ops = ops };
    for (int k = 2; k < n; k++)
        if (!crs_need(r, at, keys[k], &here) || !crs_number_at(r, &here, &out->par[k - 2]))
            return false;
    const bool given = crs_member(at, keys[1], &rhs);
    crease_predictor *p = crs_keep_new(r, 1, sizeof *p);
    if (!p || !crs_sum_at(r, &terms, given ? &rhs : NULL, blocks, &sum)) return false;
    *p = (crease_predictor){ sum.count, sum.block, sum.map, sum.range, sum.rhs };
    out->data = p;
    return true;
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
    crs_coupling *read;
} readers[] = {
    { "least_squares", read_loss },
    { "logistic", read_loss },
    { "cauchy", read_loss },
    { "welsch", read_loss },
    { "geman", read_loss },
    { "tukey", read_loss },
    { "huber", read_loss },
    { "lp_loss", read_loss },
    { "quadratic", read_quadratic },
    { "squared_distance", read_distance },
    { "multilinear", crs_multilinear_at },
    { "matrix_factorization", crs_factorization_at },
    { "cp", crs_cp_at },
    { "tucker", crs_tucker_at },
    { "sum", read_sum },
};

static const char *name_at(int k) { return readers[k].name; }

bool crs_smooth_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                   crease_smooth *out)
{
    const int count = (int)(sizeof readers / sizeof *readers);
    const crease_blocks b = { blocks->count, blocks->space, NULL };
    crs_node named;
    if (!json_is_object(at->value))
        return crs_fail_at(r, at, "this is %s; write {\"least_squares\": {...}}",
                           crs_kind_of(at->value));
    if (!crs_only(r, at, "a coupling", &named)) return false;
    const int k = crs_find("coupling", named.key, count, name_at, r->e);
    if (k < 0) return crs_blame(r, at);
    if (!readers[k].read(r, &named, blocks, out)) return false;
    return crease_smooth_check(out, &b, r->e) || crs_blame(r, &named);
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
        if (!crs_smooth_at(r, &here, blocks, &term[k])) return false;
    }
    *list = (crease_smooth_list){ (int)n, term };
    *out = n == 1 ? term[0] : crease_smooth_sum(list);
    return true;
}
