/* SPDX-License-Identifier: MIT
 * list: the catalogues, an entry of any of them in one form */
#include "cli/list.h"

static const struct {
    const char *name, *title;
} kinds[CRS_KINDS] = {
    { "regularizers", "Regularizers r(x)" },
    { "sets", "Convex sets" },
    { "maps", "Linear maps y = A x" },
    { "smooth", "Smooth couplings f(x_1, ..., x_N)" },
};

const char *crs_kind_name(int kind) { return kinds[kind].name; }
const char *crs_kind_title(int kind) { return kinds[kind].title; }

int crs_kind_find(const char *word, crease_error *e)
{
    for (int k = 0; k < CRS_KINDS; k++)
        if (strcmp(word, kinds[k].name) == 0) return k;
    const int near = crs_nearest(word, CRS_KINDS, crs_kind_name);
    crs_fail(e, CREASE_BAD_ARGUMENT, "unknown catalogue '%.64s'; %s%s%s", word,
             near >= 0 ? "did you mean '" : "give regularizers, sets, maps or smooth",
             near >= 0 ? kinds[near].name : "", near >= 0 ? "'?" : "");
    return CRS_KINDS;
}

int crs_described_count(int kind)
{
    return kind == CRS_REGULARIZERS ? crease_reg_count()
           : kind == CRS_SETS       ? crease_set_count()
           : kind == CRS_MAPS       ? crease_map_count()
                                    : crease_smooth_count();
}

static crs_described regularizer(int k)
{
    const crease_reg_entry *entry = crease_reg_at(k);
    const crease_reg_ops *ops = entry->ops;
    const crease_penalty *p = ops->vector ? NULL : entry->penalty; /* else the text is its own */
    return (crs_described){
        .name = entry->name,
        .formula = ops->formula,
        .rho = p ? p->formula : NULL,
        .penalty = p,
        .params = crease_reg_params(entry),
        .vector = ops->vector,
        .lipschitz = p ? p->lipschitz_text : ops->traits_text[0],
        .weak_convexity = p ? p->weak_convexity_text : ops->traits_text[1],
        .convex = p ? p->convex : ops->convex,
        .matrix = crs_reg_wants_matrix(ops),
        .groups = crs_reg_wants_groups(ops),
    };
}

crs_described crs_described_at(int kind, int k)
{
    if (kind == CRS_REGULARIZERS) return regularizer(k);
    if (kind == CRS_SETS) {
        const crease_set_ops *o = crease_set_at(k);
        return (crs_described){ .name = o->name,
                                .formula = o->formula,
                                .params = o->params,
                                .vector = o->vector,
                                .compact = o->compact,
                                .matrix = o->matrix,
                                .projection = o->project };
    }
    if (kind == CRS_MAPS) {
        const crease_map_ops *o = crease_map_at(k);
        return (crs_described){
            .name = o->name, .formula = o->formula, .params = o->params, .vector = o->vector
        };
    }
    const crease_smooth_ops *o = crease_smooth_at(k);
    return (crs_described){
        .name = o->name, .formula = o->formula, .params = o->params, .data = o->data_text
    };
}

int crs_described_run(int kind, int k)
{
    const crease_penalty *p = crs_described_at(kind, k).penalty;
    int n = 1;
    while (p && k + n < crs_described_count(kind) && crs_described_at(kind, k + n).penalty == p)
        n++;
    return n;
}

const char *crs_vector_text(int kind)
{
    return kind == CRS_MAPS ? "an array" : "one number per entry";
}

void crs_range_text(const crease_param *p, char *out, size_t size)
{
    snprintf(out, size, "%c%g, %g%c%s", p->flags & CREASE_OPEN_LOW ? '(' : '[', p->low, p->high,
             p->flags & CREASE_OPEN_HIGH ? ')' : ']', p->flags & CREASE_INTEGER ? ", integer" : "");
}

void crs_traits_text(int kind, const crs_described *d, char *out, size_t size)
{
    out[0] = '\0';
    if (kind == CRS_REGULARIZERS)
        snprintf(out, size, "%s; Lipschitz constant %s; weak convexity %s",
                 d->convex ? "convex" : "nonconvex", d->lipschitz ? d->lipschitz : "unknown",
                 d->weak_convexity ? d->weak_convexity : "unknown");
    if (kind == CRS_SETS)
        snprintf(out, size, "%s%s%s", d->compact ? "compact" : "not always compact",
                 d->matrix ? "; matrices" : "", d->projection ? "" : "; linear oracle only");
}

static bool run(const crs_args *a, crease_error *e)
{
    int first = CRS_REGULARIZERS, last = CRS_SMOOTH;
    if (a->count == 1) {
        first = last = crs_kind_find(a->word[0], e);
        if (first == CRS_KINDS) return false;
    }
    const bool markdown = crs_given(a, CRS_OPT_MARKDOWN);
    if (markdown && crs_given(a, CRS_OPT_JSON))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--json and --markdown exclude each other; give one");
    if (crs_given(a, CRS_OPT_JSON)) return crs_list_json(first, last, e);
    for (int kind = first; kind <= last; kind++) {
        if (kind > first) printf(markdown ? "\n" : "\n\n");
        if (markdown && last > first) printf("### %s\n\n", crs_kind_title(kind));
        (markdown ? crs_list_markdown : crs_list_text)(kind);
    }
    return true;
}

const crs_verb crs_list_verb = {
    .name = "list",
    .words = "[CATALOGUE]",
    .most = 1,
    .text = "Show the catalogue. Its parts are regularizers, sets, maps and smooth. Every "
            "entry has a name, a formula, parameters with their ranges, and traits. An entry is "
            "written as name or name:number,number with its parameters in "
            "the order shown.",
    .example = "crease list sets",
    .takes = CRS_LIST(CRS_TAKES(JSON), CRS_TAKES(MARKDOWN)),
    .run = run,
};
