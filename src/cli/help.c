/* SPDX-License-Identifier: MIT
 * help: the verbs that speak of the program: its version, usage, and help pages from the tables of
 * verbs and options */
#include "cli/cli.h"

enum { WIDTH = 100 };

void crs_print_wrapped(const char *text, int first_column, int indent)
{
    int column = first_column;
    for (bool first = true; *text; first = false) {
        const int n = (int)strcspn(text, " ");
        if (!first && column + 1 + n > WIDTH)
            column = printf("\n%*s", indent, "") - 1;
        else if (!first)
            column += printf(" ");
        column += printf("%.*s", n, text);
        text += n;
        while (*text == ' ') text++;
    }
    printf("\n");
}

void crs_print_usage(FILE *f)
{
    fprintf(f, "crease %s: structured nonconvex and nonsmooth optimization\n\n", crease_version());
    for (int k = 0; k < crs_verb_count(); k++) {
        const crs_verb *v = crs_verb_at(k);
        char call[64];
        snprintf(call, sizeof call, "%s %s", v->name, v->words);
        fprintf(f, "  crease %-30s %.*s\n", call, (int)strcspn(v->text, ".:;"), v->text);
    }
    fprintf(f, "\n'crease help VERB' explains a verb, 'crease list' shows the catalogue.\n");
}

/* The text, with the default of an option of the library. */
static void print_text(const crs_verb *v, const crs_option *o)
{
    for (int k = 0; k < crease_option_count(); k++) {
        const crease_option own = crease_option_at(k);
        char text[160];
        if (strcmp(own.name, o->name + 2) != 0) continue;
        const bool other = v->relative && strcmp(own.name, "relative") == 0;
        snprintf(text, sizeof text, "%s (default %g)", own.text, other ? 1 : own.value);
        crs_print_wrapped(text, 24, 24);
        return;
    }
    crs_print_wrapped(o->text, 24, 24);
}

void crs_print_help(const crs_verb *v)
{
    printf("crease %s %s%s\n\n", v->name, v->takes ? "[OPTION...] " : "", v->words);
    crs_print_wrapped(v->text, 0, 0);
    if (v->takes) printf("\nOptions\n");
    for (int k = 0; v->takes && k < CRS_OPTIONS; k++) {
        const crs_option *o = crs_option_at(k);
        if (!crs_takes(v, k)) continue;
        char call[CRS_NAME + 16], name[CRS_NAME];
        snprintf(call, sizeof call, "%s %s", crs_option_name(k, name), o->values);
        printf("  %-22s", call);
        print_text(v, o);
    }
    printf("\nExample\n  %s\n", v->example);
}

static bool run(const crs_args *a, crease_error *e)
{
    if (a->count == 0) {
        crs_print_usage(stdout);
        return true;
    }
    const crs_verb *v = crs_verb_find(a->word[0], e);
    if (v) crs_print_help(v);
    return v;
}

const crs_verb crs_help_verb = {
    .name = "help",
    .words = "[VERB]",
    .most = 1,
    .text = "Explain the program or one of its verbs.",
    .example = "crease help prox",
    .run = run,
};

static bool print_version(const crs_args *a, crease_error *e)
{
    (void)a, (void)e;
    printf("crease %s\n", crease_version());
    return true;
}

const crs_verb crs_version_verb = {
    .name = "version",
    .words = "",
    .text = "Print the version.",
    .example = "crease version",
    .run = print_version,
};
