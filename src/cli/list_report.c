/* SPDX-License-Identifier: MIT
 * list_report: a catalogue for people (a block per entry, 100 columns), as a Markdown table, and as
 * data. The versions of a penalty share the block or row of the first. */
#include "cli/list.h"

enum { INDENT = 4 };

static void labelled(const char *label, const char *text)
{
    const int column = printf("%*s%s", INDENT, "", label);
    crs_print_wrapped(text, column, 2 * INDENT);
}

/* "scad:lambda,a  group-scad  ...": the first name as it is written, then the other versions. */
static void names(int kind, int k, int run, const crs_described *d)
{
    const char *join = ":";
    printf("%s", d->name);
    for (int p = 0; d->params && d->params[p].name; p++, join = ",")
        printf("%s%s", join, d->params[p].name);
    if (d->vector) printf("%s%s,..", join, d->vector);
    for (int n = 1; n < run; n++) printf("   %s", crs_described_at(kind, k + n).name);
    printf("\n");
}

static void parameters(int kind, const crs_described *d)
{
    for (const crease_param *p = d->params; p && p->name; p++) {
        char where[100], range[64];
        crs_range_text(p, range, sizeof range);
        snprintf(where, sizeof where, "%s in %s", p->name, range);
        const int column = printf("%*s%-30s ", INDENT, "", where);
        crs_print_wrapped(p->text, column, column);
    }
    if (d->vector) printf("%*s%-30s %s\n", INDENT, "", d->vector, crs_vector_text(kind));
    if (d->data) labelled("data: ", d->data);
}

static void block(int kind, int k, int run)
{
    const crs_described d = crs_described_at(kind, k);
    char traits[300];
    printf("\n");
    names(kind, k, run, &d);
    if (run == 1) labelled("", d.formula);
    if (d.rho) labelled("rho(y) = ", d.rho);
    parameters(kind, &d);
    crs_traits_text(kind, &d, traits, sizeof traits);
    if (traits[0]) labelled("", traits);
}

/* What the versions of a penalty are, said once. */
static void versions(int kind)
{
    const int run = crs_described_run(kind, 0);
    if (run == 1) return;
    printf("\nFrom a penalty rho(y), y >= 0, %d versions are made:\n", run);
    for (int n = 0; n < run; n++) {
        const crs_described d = crs_described_at(kind, n);
        const crs_described first = crs_described_at(kind, 0);
        const int prefix = (int)(strlen(d.name) - strlen(first.name));
        printf("%*s%.*s%-*s  %s\n", INDENT, "", prefix, d.name, 13 - prefix, "NAME", d.formula);
    }
}

void crs_list_text(int kind)
{
    const char *title = crs_kind_title(kind);
    printf("%s\n", title);
    for (size_t n = strlen(title); n > 0; n--) printf("=");
    printf("\n");
    versions(kind);
    for (int k = 0, run; k < crs_described_count(kind); k += run) {
        run = crs_described_run(kind, k);
        block(kind, k, run);
    }
}

/* In a table a bar ends the cell, also inside code. */
static void code(const char *text)
{
    printf("`");
    for (; *text; text++) printf(*text == '|' ? "\\|" : "%c", *text);
    printf("`");
}

static void plain(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' || *text == '<' || *text == '*' || *text == '_' ? "\\%c" : "%c", *text);
}

static void formula_cell(const crs_described *d, int run)
{
    printf(" | ");
    if (run == 1) code(d->formula);
    if (run == 1 && d->rho) printf(", ");
    if (d->rho) {
        printf("rho(y) = ");
        code(d->rho);
    }
}

static void parameter_cell(int kind, const crs_described *d)
{
    const char *join = "";
    printf(" | ");
    for (const crease_param *p = d->params; p && p->name; p++, join = "; ") {
        printf("%s", join);
        code(p->name);
        char range[64];
        crs_range_text(p, range, sizeof range);
        printf(" in %s: ", range);
        plain(p->text);
    }
    if (d->vector) {
        printf("%s", join);
        code(d->vector);
        printf(": %s", crs_vector_text(kind));
        join = "; ";
    }
    if (d->data) {
        printf("%s", join);
        plain(d->data);
    }
}

static void trait_cells(int kind, const crs_described *d)
{
    printf(" |");
    if (kind == CRS_REGULARIZERS) {
        printf(" %s | ", d->convex ? "yes" : "no");
        plain(d->lipschitz ? d->lipschitz : "unknown");
        printf(" | ");
        plain(d->weak_convexity ? d->weak_convexity : "unknown");
        printf(" |");
    }
    if (kind == CRS_SETS)
        printf(" %s | %s | %s |", d->matrix ? "matrices" : "any", d->compact ? "yes" : "not always",
               d->projection ? "yes" : "linear oracle only");
    printf("\n");
}

void crs_list_markdown(int kind)
{
    static const char *const heads[CRS_KINDS] = { " convex | Lipschitz constant | weak convexity |",
                                                  " points | compact | projection |", "", "" };
    static const char *const rules[CRS_KINDS] = { "---|---|---|", "---|---|---|", "", "" };
    printf("| name | formula | %s |%s\n|---|---|---|%s\n",
           kind == CRS_SMOOTH ? "parameters and data" : "parameters", heads[kind], rules[kind]);
    for (int k = 0, run; k < crs_described_count(kind); k += run) {
        const crs_described d = crs_described_at(kind, k);
        run = crs_described_run(kind, k);
        printf("| ");
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

static void put_traits(crs_spot to, int kind, const crs_described *d)
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

static void put_entry(crs_spot to, int kind, const crs_described *d)
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

bool crs_list_json(int first, int last, crease_error *e)
{
    crs_document document;
    const crs_spot all = crs_put_list(crs_document_begin(&document, "list"), "entries");
    for (int kind = first; kind <= last; kind++)
        for (int k = 0; k < crs_described_count(kind); k++) {
            const crs_described d = crs_described_at(kind, k);
            put_entry(crs_put_object(all, NULL), kind, &d);
        }
    return crs_document_print(&document, true, e);
}
