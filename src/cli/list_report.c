/* SPDX-License-Identifier: MIT
 * list_report: a catalogue as a Markdown table; the versions of a penalty share the row of the
 * first */
#include "cli/list.h"

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
