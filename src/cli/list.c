/* SPDX-License-Identifier: MIT
 * list: the catalogues. An entry of any of them has one form, which is shown to people (a block per
 * entry, 100 columns), as a Markdown table, and as data. The versions of a penalty share the block
 * or row of the first. */
#include "cli/cli.h"

/* Texts are NULL where a kind has none. */
typedef struct {
    const char *name;
    const char *formula;
    const char *rho; /* of a regularizer made from a penalty: rho(y) */
    const crease_penalty *penalty;
    const crease_param *params;
    const char *vector, *data;
    const char *lipschitz, *weak_convexity; /* regularizers */
    bool convex;                            /* regularizers */
    bool compact, projection;               /* sets */
    bool matrix, groups;
} described;

static const struct {
    const char *name, *title;
} kinds[CRS_KINDS] = {
    { "regularizers", "Regularizers r(x)" },
    { "sets", "Sets" },
    { "maps", "Linear maps y = A x" },
    { "smooth", "Smooth couplings f(x_1, ..., x_N)" },
};

static const char *kind_name(int kind) { return kinds[kind].name; }

int crs_kind_find(const char *word, crease_error *e)
{
    for (int k = 0; k < CRS_KINDS; k++)
        if (strcmp(word, kinds[k].name) == 0) return k;
    const int near = crs_nearest(word, CRS_KINDS, kind_name);
    crs_fail(e, CREASE_BAD_ARGUMENT, "unknown catalogue '%.64s'; %s%s%s", word,
             near >= 0 ? "did you mean '" : "give regularizers, sets, maps or smooth",
             near >= 0 ? kinds[near].name : "", near >= 0 ? "'?" : "");
    return CRS_KINDS;
}

int crs_kind_size(int kind)
{
    return kind == CRS_REGULARIZERS ? crease_reg_count()
           : kind == CRS_SETS       ? crease_set_count()
           : kind == CRS_MAPS       ? crease_map_count()
                                    : crease_smooth_count();
}

static described regularizer(int k)
{
    const crease_reg_entry *entry = crease_reg_at(k);
    const crease_reg_ops *ops = entry->ops;
    const crease_penalty *p = ops->vector ? NULL : entry->penalty; /* else the text is its own */
    return (described){
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

static described described_at(int kind, int k)
{
    if (kind == CRS_REGULARIZERS) return regularizer(k);
    if (kind == CRS_SETS) {
        const crease_set_ops *o = crease_set_at(k);
        return (described){ .name = o->name,
                            .formula = o->formula,
                            .params = o->params,
                            .vector = o->vector,
                            .compact = o->compact,
                            .matrix = o->matrix,
                            .projection = o->project };
    }
    if (kind == CRS_MAPS) {
        const crease_map_ops *o = crease_map_at(k);
        return (described){
            .name = o->name, .formula = o->formula, .params = o->params, .vector = o->vector
        };
    }
    const crease_smooth_ops *o = crease_smooth_at(k);
    return (described){
        .name = o->name, .formula = o->formula, .params = o->params, .data = o->data_text
    };
}

static int run_from(int kind, int k)
{
    const crease_penalty *p = described_at(kind, k).penalty;
    int n = 1;
    while (p && k + n < crs_kind_size(kind) && described_at(kind, k + n).penalty == p) n++;
    return n;
}

static const char *vector_text(int kind)
{
    return kind == CRS_MAPS ? "an array" : "one number per entry";
}

static void range_text(const crease_param *p, char *out, size_t size)
{
    snprintf(out, size, "%c%g, %g%c%s", p->flags & CREASE_OPEN_LOW ? '(' : '[', p->low, p->high,
             p->flags & CREASE_OPEN_HIGH ? ')' : ']', p->flags & CREASE_INTEGER ? ", integer" : "");
}

static void traits_text(int kind, const described *d, char *out, size_t size)
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

enum { INDENT = 4 };

static void labelled(const char *label, const char *text)
{
    const int column = crs_print("%*s%s", INDENT, "", label);
    crs_print_wrapped(text, column, 2 * INDENT);
}

/* "scad:lambda,a  group-scad  ...": the first name as it is written, then the other versions. */
static void names(int kind, int k, int run, const described *d)
{
    const char *join = ":";
    crs_print("%s", d->name);
    for (int p = 0; d->params && d->params[p].name; p++, join = ",")
        crs_print("%s%s", join, d->params[p].name);
    if (d->vector) crs_print("%s%s,..", join, d->vector);
    for (int n = 1; n < run; n++) crs_print("   %s", described_at(kind, k + n).name);
    crs_print("\n");
}

static void parameters(int kind, const described *d)
{
    for (const crease_param *p = d->params; p && p->name; p++) {
        char where[100], range[64];
        range_text(p, range, sizeof range);
        snprintf(where, sizeof where, "%s in %s", p->name, range);
        const int column = crs_print("%*s%-30s ", INDENT, "", where);
        crs_print_wrapped(p->text, column, column);
    }
    if (d->vector) crs_print("%*s%-30s %s\n", INDENT, "", d->vector, vector_text(kind));
    if (d->data) labelled("data: ", d->data);
}

static void block(int kind, int k, int run)
{
    const described d = described_at(kind, k);
    char traits[300];
    crs_print("\n");
    names(kind, k, run, &d);
    if (run == 1) labelled("", d.formula);
    if (d.rho) labelled("rho(y) = ", d.rho);
    parameters(kind, &d);
    traits_text(kind, &d, traits, sizeof traits);
    if (traits[0]) labelled("", traits);
}

/* What the versions of a penalty are, said once. */
static void versions(int kind)
{
    const int run = run_from(kind, 0);
    if (run == 1) return;
    crs_print("\nFrom a penalty rho(y), y >= 0, %d versions are made:\n", run);
    for (int n = 0; n < run; n++) {
        const described d = described_at(kind, n);
        const described first = described_at(kind, 0);
        const int prefix = (int)(strlen(d.name) - strlen(first.name));
        crs_print("%*s%.*s%-*s  %s\n", INDENT, "", prefix, d.name, 13 - prefix, "NAME", d.formula);
    }
}

static void list_text(int kind)
{
    const char *title = kinds[kind].title;
    crs_print("%s\n", title);
    for (size_t n = strlen(title); n > 0; n--) crs_print("=");
    crs_print("\n");
    versions(kind);
    for (int k = 0, run; k < crs_kind_size(kind); k += run) {
        run = run_from(kind, k);
        block(kind, k, run);
    }
}

/* In a table a bar ends the cell, also inside code. */
static void code(const char *text)
{
    crs_print("`");
    for (; *text; text++) crs_print(*text == '|' ? "\\|" : "%c", *text);
    crs_print("`");
}

static void plain(const char *text)
{
    for (; *text; text++)
        crs_print(*text == '|' || *text == '<' || *text == '*' || *text == '_' ? "\\%c" : "%c",
                  *text);
}

static void formula_cell(const described *d, int run)
{
    crs_print(" | ");
    if (run == 1) code(d->formula);
    if (run == 1 && d->rho) crs_print(", ");
    if (d->rho) {
        crs_print("rho(y) = ");
        code(d->rho);
    }
}

static void parameter_cell(int kind, const described *d)
{
    const char *join = "";
    crs_print(" | ");
    for (const crease_param *p = d->params; p && p->name; p++, join = "; ") {
        crs_print("%s", join);
        code(p->name);
        char range[64];
        range_text(p, range, sizeof range);
        crs_print(" in %s: ", range);
        plain(p->text);
    }
    if (d->vector) {
        crs_print("%s", join);
        code(d->vector);
        crs_print(": %s", vector_text(kind));
        join = "; ";
    }
    if (d->data) {
        crs_print("%s", join);
        plain(d->data);
    }
}

static void trait_cells(int kind, const described *d)
{
    crs_print(" |");
    if (kind == CRS_REGULARIZERS) {
        crs_print(" %s | ", d->convex ? "yes" : "no");
        plain(d->lipschitz ? d->lipschitz : "unknown");
        crs_print(" | ");
        plain(d->weak_convexity ? d->weak_convexity : "unknown");
        crs_print(" |");
    }
    if (kind == CRS_SETS)
        crs_print(" %s | %s | %s |", d->matrix ? "matrices" : "any",
                  d->compact ? "yes" : "not always", d->projection ? "yes" : "linear oracle only");
    crs_print("\n");
}

static void list_markdown(int kind)
{
    static const char *const heads[CRS_KINDS] = { " convex | Lipschitz constant | weak convexity |",
                                                  " points | compact | projection |", "", "" };
    static const char *const rules[CRS_KINDS] = { "---|---|---|", "---|---|---|", "", "" };
    crs_print("| name | formula | %s |%s\n|---|---|---|%s\n",
              kind == CRS_SMOOTH ? "parameters and data" : "parameters", heads[kind], rules[kind]);
    for (int k = 0, run; k < crs_kind_size(kind); k += run) {
        const described d = described_at(kind, k);
        run = run_from(kind, k);
        crs_print("| ");
        code(d.name);
        formula_cell(&d, run);
        parameter_cell(kind, &d);
        trait_cells(kind, &d);
    }
}

static void put_parameter(crs_spot to, const crease_param *p)
{
    crs_put_text(to, "name", p->name);
    crs_put_number(to, "low", p->low);
    crs_put_number(to, "high", p->high);
    crs_put_flag(to, "low_open", (p->flags & CREASE_OPEN_LOW) != 0);
    crs_put_flag(to, "high_open", (p->flags & CREASE_OPEN_HIGH) != 0);
    crs_put_flag(to, "integer", (p->flags & CREASE_INTEGER) != 0);
    crs_put_text(to, "text", p->text);
}

static void put_traits(crs_spot to, int kind, const described *d)
{
    if (kind == CRS_REGULARIZERS) {
        crs_put_flag(to, "convex", d->convex);
        crs_put_text(to, "lipschitz", d->lipschitz);
        crs_put_text(to, "weak_convexity", d->weak_convexity);
        crs_put_flag(to, "matrix", d->matrix);
        crs_put_flag(to, "groups", d->groups);
    }
    if (kind == CRS_SETS) {
        crs_put_flag(to, "compact", d->compact);
        crs_put_flag(to, "matrix", d->matrix);
        crs_put_flag(to, "projection", d->projection);
    }
}

static void put_entry(crs_spot to, int kind, const described *d)
{
    static const char *const singular[CRS_KINDS] = { "regularizer", "set", "map", "smooth" };
    crs_put_text(to, "kind", singular[kind]);
    crs_put_text(to, "name", d->name);
    crs_put_text(to, "formula", d->formula);
    crs_put_text(to, "rho", d->rho);
    const crs_spot parameters = crs_put_list(to, "parameters");
    for (const crease_param *p = d->params; p && p->name; p++)
        put_parameter(crs_put_object(parameters, NULL), p);
    crs_put_text(to, "vector_parameter", d->vector);
    crs_put_text(to, "data", d->data);
    put_traits(crs_put_object(to, "traits"), kind, d);
}

static bool list_json(int first, int last, crease_error *e)
{
    crs_document document;
    const crs_spot all = crs_put_list(crs_document_begin(&document, "list"), "entries");
    for (int kind = first; kind <= last; kind++)
        for (int k = 0; k < crs_kind_size(kind); k++) {
            const described d = described_at(kind, k);
            put_entry(crs_put_object(all, NULL), kind, &d);
        }
    return crs_document_print(&document, true, e);
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
    if (crs_given(a, CRS_OPT_JSON)) return list_json(first, last, e);
    for (int kind = first; kind <= last; kind++) {
        if (kind > first) crs_print(markdown ? "\n" : "\n\n");
        if (markdown && last > first) crs_print("## %s\n\n", kinds[kind].title);
        (markdown ? list_markdown : list_text)(kind);
    }
    return true;
}

const crs_verb crs_list_verb = {
    .name = "list",
    .words = "[CATALOGUE]",
    .word = CRS_KIND_ONE_OF("regularizers|sets|maps|smooth"),
    .most = 1,
    .text = "Show the catalogue. Its parts are regularizers, sets, maps and smooth. Every "
            "entry has a name, a formula, parameters with their ranges, and traits. An entry is "
            "written as name or name:number,number with its parameters in "
            "the order shown.",
    .example = "crease list sets",
    .takes = CRS_LIST(CRS_TAKES(JSON), CRS_TAKES(MARKDOWN)),
    .run = run,
};
