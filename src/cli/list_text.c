/* SPDX-License-Identifier: MIT
 * list_text: a catalogue for people: a block an entry, 100 columns */
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
