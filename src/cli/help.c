/* SPDX-License-Identifier: MIT
 * help: the verbs that speak of the program: its version, usage, and help pages from the tables of
 * verbs and options */
#include "cli/cli.h"

enum { WIDTH = 100, HELP_ROOM = 600 };

static const char *const group_title[CRS_GROUPS] = { "Common", "Model", "Method" };

static const crs_verb *const verbs[] = {
#define VERB(name) &crs_##name##_verb,
#include "cli/verbs.def"
#undef VERB
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static const char *verb_name(int k) { return verbs[k]->name; }

const crs_verb *crs_verb_find(const char *name, crease_error *e)
{
    for (int k = 0; k < VERBS; k++)
        if (strcmp(name, verb_name(k)) == 0) return verbs[k];
    const int near = crs_nearest(name, VERBS, verb_name);
    if (near >= 0)
        crs_fail(e, CREASE_BAD_ARGUMENT, "unknown verb '%.64s'; did you mean '%s'?", name,
                 verb_name(near));
    else
        crs_fail(e, CREASE_BAD_ARGUMENT, "unknown verb '%.64s'; 'crease help' shows them all",
                 name);
    return NULL;
}

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
    for (int k = 0; k < VERBS; k++) {
        const crs_verb *v = verbs[k];
        char call[64];
        snprintf(call, sizeof call, "%s %s", v->name, v->words);
        fprintf(f, "  crease %-30s %.*s\n", call, (int)strcspn(v->text, ".:;"), v->text);
    }
    fprintf(f, "\n'crease help VERB' explains a verb, 'crease list' shows the catalogue.\n");
}

/* What the option means for the verb; of an option of the library with its default. */
static void option_text(const crs_verb *v, int k, char out[HELP_ROOM])
{
    const char *own = crs_takes(v, k)->text, *name = crs_option_at(k)->name + 2;
    snprintf(out, HELP_ROOM, "%s", own ? own : crs_option_at(k)->text);
    for (int n = 0; !own && n < crease_option_count(); n++) {
        const crease_option o = crease_option_at(n);
        if (strcmp(o.name, name) != 0) continue;
        const bool other = v->relative && strcmp(name, "relative") == 0;
        snprintf(out, HELP_ROOM, "%s (default %g)", o.text, other ? 1 : o.value);
    }
}

static void print_group(const crs_verb *v, crs_group group)
{
    const char *title = group_title[group];
    for (int k = 0; k < CRS_OPTIONS; k++) {
        const crs_option *o = crs_option_at(k);
        if (o->group != group || !crs_takes(v, k)) continue;
        char call[CRS_NAME + 16], name[CRS_NAME], text[HELP_ROOM];
        snprintf(call, sizeof call, "%s %s", crs_option_name(k, name), o->values);
        option_text(v, k, text);
        if (title) printf("\n%s options\n", title);
        title = NULL;
        printf("  %-22s", call);
        crs_print_wrapped(text, 24, 24);
    }
}

void crs_print_help(const crs_verb *v)
{
    printf("crease %s %s%s\n\n", v->name, v->takes ? "[OPTION...] " : "", v->words);
    crs_print_wrapped(v->text, 0, 0);
    for (int g = 0; v->takes && g < CRS_GROUPS; g++) print_group(v, (crs_group)g);
    printf("\nExample\n  %s\n", v->example);
}

static void put_options(crs_spot list, const crs_verb *v)
{
    for (int k = 0; v->takes && k < CRS_OPTIONS; k++) {
        const crs_taken *taken = crs_takes(v, k);
        char name[CRS_NAME], text[HELP_ROOM];
        if (!taken) continue;
        option_text(v, k, text);
        const crs_spot to = crs_put_object(list, NULL);
        crs_put_text(to, "name", crs_option_name(k, name));
        crs_put_text(to, "values", crs_option_at(k)->values);
        crs_put_text(to, "group", group_title[crs_option_at(k)->group]);
        crs_put_text(to, "text", text);
        const crs_spot kinds = crs_put_list(to, "kinds");
        for (int n = 0; v->kinds && v->kinds[n]; n++)
            if (taken->kinds == 0 || taken->kinds >> n & 1) crs_put_text(kinds, NULL, v->kinds[n]);
    }
}

static bool print_json(const crs_verb *only, crease_error *e)
{
    crs_document d;
    const crs_spot list = crs_put_list(crs_document_begin(&d, "help"), "verbs");
    for (int k = 0; k < VERBS; k++) {
        const crs_verb *v = verbs[k];
        if (only && v != only) continue;
        const crs_spot to = crs_put_object(list, NULL);
        crs_put_text(to, "name", v->name);
        crs_put_text(to, "arguments", v->words);
        crs_put_text(to, "text", v->text);
        crs_put_text(to, "example", v->example);
        put_options(crs_put_list(to, "options"), v);
    }
    return crs_document_print(&d, true, e);
}

static bool run(const crs_args *a, crease_error *e)
{
    const crs_verb *v = a->count ? crs_verb_find(a->word[0], e) : NULL;
    if (a->count && !v) return false;
    if (crs_given(a, CRS_OPT_JSON)) return print_json(v, e);
    if (v)
        crs_print_help(v);
    else
        crs_print_usage(stdout);
    return true;
}

const crs_verb crs_help_verb = {
    .name = "help",
    .words = "[VERB]",
    .most = 1,
    .text = "Explain the program or one of its verbs.",
    .example = "crease help prox",
    .takes = CRS_LIST(CRS_TAKES(JSON)),
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
