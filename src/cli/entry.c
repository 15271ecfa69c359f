/* SPDX-License-Identifier: MIT
 * entry: catalogue entries from the command line, and whether their data suit the point */
#include "cli/cli.h"

static bool is_kind(const crease_reg_ops *ops, const char *kind)
{
    return strcmp(ops->name, kind) == 0;
}

bool crs_reg_wants_groups(const crease_reg_ops *ops) { return is_kind(ops, "group"); }
bool crs_reg_wants_matrix(const crease_reg_ops *ops) { return is_kind(ops, "spectral"); }

static bool takes_weights(const crease_reg_ops *ops)
{
    return ops->vector || is_kind(ops, "separable") || is_kind(ops, "nonneg") ||
           is_kind(ops, "group");
}

bool crs_reg_open(const char *text, crs_named_reg *r, crease_error *e)
{
    *r = (crs_named_reg){ .weights = { .data = NULL } };
    if (!crease_spec_parse(text, &r->spec, e) || !crease_reg_from_spec(&r->spec, &r->reg, e))
        return false;
    for (int k = 0; k < crease_reg_count() && !r->params; k++)
        if (strcmp(crease_reg_at(k)->name, r->spec.name) == 0)
            r->params = crease_reg_params(crease_reg_at(k));
    return true;
}

double crs_usual_shape(const char *penalty)
{
    if (strcmp(penalty, "mcp") == 0) return 3;
    return strcmp(penalty, "scad") == 0 ? 3.7 : (double)NAN;
}

bool crs_penalty_open(const char *text, crs_named_reg *r, crease_error *e)
{
    char whole[80];
    if (!text) text = "l1";
    for (int k = 0; k < crease_reg_count(); k++) {
        const crease_reg_entry *entry = crease_reg_at(k);
        const int count = crease_param_count(crease_reg_params(entry));
        const double shape = entry->penalty ? crs_usual_shape(entry->penalty->name) : NAN;
        if (strcmp(entry->name, text) != 0 || !(count == 1 || (count == 2 && isfinite(shape))))
            continue;
        snprintf(whole, sizeof whole, count == 1 ? "%s:1" : "%s:1,%g", text, shape);
        return crs_reg_open(whole, r, e);
    }
    return crs_reg_open(text, r, e);
}

void crs_reg_close(crs_named_reg *r)
{
    crease_spec_free(&r->spec);
    crs_array_free(&r->weights);
    crs_grouping_free(&r->grouping);
}

/* "3,2,4", "@2,1,1,2" or a file of labels, for n entries. On failure g is empty. */
static bool read_grouping(const char *text, ptrdiff_t n, crs_grouping *g, crease_error *e)
{
    crs_array numbers;
    *g = (crs_grouping){ .start = NULL };
    if (!(text[0] == '@' ? crs_parse_list("--groups", text + 1, &numbers, e)
                         : crs_list_or_file("--groups", text, &numbers, e)))
        return false;
    const bool done = crs_is_list(text) ? crs_grouping_sizes("--groups", &numbers, n, g, e)
                                        : crs_grouping_labels("--groups", &numbers, n, g, e);
    crs_array_free(&numbers);
    if (!done) crs_grouping_free(g);
    return done;
}

static bool fit_groups(const char *text, ptrdiff_t n, crs_named_reg *r, crease_error *e)
{
    const bool wanted = crs_reg_wants_groups(r->reg.ops);
    if (!wanted && text)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%s has no groups; leave --groups out, or use group-%s", r->spec.name,
                        r->reg.penalty ? r->reg.penalty->name : "l1");
    if (wanted && !text)
        return crs_fail(
            e, CREASE_BAD_ARGUMENT,
            "%s needs groups; give their sizes, as --groups 3,2, or labels, as --groups "
            "@1,1,2",
            r->spec.name);
    if (!wanted) return true;
    if (!read_grouping(text, n, &r->grouping, e)) return false;
    r->reg.groups = &r->grouping.groups;
    return true;
}

/* `have` numbers where the point, or its groups, want `need`. */
static bool counts_agree(const char *what, ptrdiff_t have, const char *which, ptrdiff_t need,
                         crease_error *e)
{
    return have == need || crs_fail(e, CREASE_BAD_SHAPE,
                                    "%s: %td number%s given but the point has %td %s; give one for "
                                    "each",
                                    what, have, have == 1 ? " is" : "s are", need, which);
}

static bool fit_weights(const char *text, ptrdiff_t n, crs_named_reg *r, crease_error *e)
{
    const crease_reg_ops *ops = r->reg.ops;
    const char *name = r->spec.name;
    const ptrdiff_t spelled = r->spec.count - crease_param_count(r->params);
    if (ops->vector && spelled > 0 && text)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%s has its numbers already; leave --weights out or write %s alone", name,
                        name);
    if (ops->vector && spelled > 0) return counts_agree(name, spelled, "entries", n, e);
    if (ops->vector && !text)
        return crs_fail(
            e, CREASE_BAD_ARGUMENT,
            "%s needs a number for every entry; write %s:a,b,... or add --weights a,b,...", name,
            name);
    if (!text) return true;
    if (!takes_weights(ops))
        return crs_fail(e, CREASE_UNSUPPORTED, "%s has no weights; leave --weights out", name);
    if (!crs_list_or_file("--weights", text, &r->weights, e)) return false;
    const bool by_group = r->reg.groups;
    r->reg.weight = r->weights.data;
    return counts_agree("--weights", crease_size(&r->weights.shape),
                        by_group ? "groups" : "entries", by_group ? r->reg.groups->count : n, e);
}

static bool fit(const char *groups, const char *weights, const crease_space *s, bool reshapes,
                crs_named_reg *r, crease_error *e)
{
    if (crs_reg_wants_matrix(r->reg.ops) && s->order != 2)
        return crs_fail(e, CREASE_BAD_SHAPE, "%s is defined on matrices and %s %d dimension%s; %s",
                        r->spec.name, reshapes ? "the point has" : "this is an array of", s->order,
                        s->order == 1 ? "" : "s",
                        reshapes ? "add --shape rows,columns"
                                 : "use a penalty of entries or groups");
    const ptrdiff_t n = crease_size(s);
    return fit_groups(groups, n, r, e) && fit_weights(weights, n, r, e) &&
           crease_reg_check(&r->reg, s, e);
}

bool crs_reg_fit(const crs_args *a, const crease_space *s, crs_named_reg *r, crease_error *e)
{
    return fit(crs_given(a, CRS_OPT_GROUPS), crs_given(a, CRS_OPT_WEIGHTS), s,
               crs_takes(a->verb, CRS_OPT_INPUT), r, e);
}

bool crs_reg_fit_to(const char *groups, const char *weights, const crease_space *s,
                    crs_named_reg *r, crease_error *e)
{
    return fit(groups, weights, s, false, r, e);
}

void crs_reg_hash(const crs_named_reg *r, char hash[CRS_HASH])
{
    const crease_groups *g = r->reg.groups;
    const ptrdiff_t weights = r->weights.data ? crease_size(&r->weights.shape) : 0;
    crs_hash h;
    crs_hash_begin(&h);
    crs_hash_add(&h, &weights, sizeof weights);
    if (weights > 0) crs_hash_add(&h, r->weights.data, (size_t)weights * sizeof(double));
    for (ptrdiff_t i = 0; g && i <= g->count; i++)
        crs_hash_add(&h, &g->start[i], sizeof(ptrdiff_t));
    for (ptrdiff_t k = 0; g && g->index && k < g->start[g->count]; k++)
        crs_hash_add(&h, &g->index[k], sizeof(ptrdiff_t));
    crs_hash_end(&h, hash);
}

bool crs_set_open(const char *text, crs_named_set *c, crease_error *e)
{
    return crease_spec_parse(text, &c->spec, e) && crease_set_from_spec(&c->spec, &c->set, e);
}

void crs_set_close(crs_named_set *c) { crease_spec_free(&c->spec); }

/* n when n^2 numbers were given for a set of square matrices, else 0. */
static ptrdiff_t square_side(const crease_set *c, ptrdiff_t count)
{
    const crease_space oblong = crease_matrix(1, 2);
    const ptrdiff_t side = (ptrdiff_t)(sqrt((double)count) + 0.5);
    return side * side == count && !crease_set_check(c, &oblong, NULL) ? side : 0;
}

bool crs_set_fit(crs_named_set *c, crease_space *s, crease_error *e)
{
    const crease_set_ops *ops = c->set.ops;
    if (ops->matrix && s->order == 1) {
        const ptrdiff_t side = square_side(&c->set, s->dim[0]);
        if (side == 0)
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "%s is a set of matrices but the point is a vector; add --shape "
                            "rows,columns",
                            ops->name);
        *s = crease_matrix(side, side);
    }
    const ptrdiff_t spelled = c->spec.count - crease_param_count(ops->params);
    if (ops->vector && !counts_agree(ops->name, spelled, "entries", crease_size(s), e))
        return false;
    return crease_set_check(&c->set, s, e);
}
