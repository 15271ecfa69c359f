/* SPDX-License-Identifier: MIT
 * help: the verbs that speak of the program: its version, usage, and help pages from the tables of
 * verbs and options */
#include <ctype.h>

#include "cli/cli.h"

enum { WIDTH = 100, FEW = 14 }; /* so many options are shown without --all */

static const crs_verb *const verbs[] = {
#define VERB(name) &crs_##name##_verb,
#include "cli/verbs.def"
#undef VERB
};

enum { VERBS = sizeof verbs / sizeof *verbs };

const crs_verb *crs_verb_at(int k) { return k < VERBS ? verbs[k] : NULL; }
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
            column = crs_print("\n%*s", indent, "") - 1;
        else if (!first)
            column += crs_print(" ");
        column += crs_print("%.*s", n, text);
        text += n;
        while (*text == ' ') text++;
    }
    crs_print("\n");
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
    fprintf(f,
            "\n'crease help VERB' explains a verb, 'crease help formats' the files that are read, "
            "'crease\nlist' shows the catalogue.\n");
}

void crs_option_text(const crs_verb *v, int k, char out[CRS_HELP_ROOM])
{
    const char *own = crs_takes(v, k)->text, *name = crs_option_at(k)->name + 2;
    snprintf(out, CRS_HELP_ROOM, "%s", own ? own : crs_option_at(k)->text);
    for (int n = 0; !own && n < crease_option_count(); n++) {
        const crease_option o = crease_option_at(n);
        if (strcmp(o.name, name) != 0) continue;
        const bool other = v->relative && strcmp(name, "relative") == 0;
        if (o.value >= 1e15)
            snprintf(out, CRS_HELP_ROOM, "%s (default: none)", o.text);
        else
            snprintf(out, CRS_HELP_ROOM, "%s (default %.10g)", o.text, other ? 1 : o.value);
    }
}

static void print_option(const crs_verb *v, int k)
{
    char call[CRS_NAME + 16], name[CRS_NAME], text[CRS_HELP_ROOM];
    snprintf(call, sizeof call, "%s %s", crs_option_name(k, name), crs_option_at(k)->values);
    crs_option_text(v, k, text);
    crs_print("  %-22s", call);
    crs_print_wrapped(text, 24, 24);
}

static void print_group(const crs_verb *v, crs_group group)
{
    const char *title = crs_group_name(group);
    const int initial = toupper((unsigned char)title[0]);
    bool begun = false;
    for (int k = 0; k < CRS_OPTIONS; k++) {
        if (crs_option_group(k) != group || !crs_takes(v, k)) continue;
        if (!begun) crs_print("\n%c%s options\n", initial, title + 1);
        begun = true;
        print_option(v, k);
    }
}

static int count_options(const crs_verb *v, bool common)
{
    int n = 0;
    for (int k = 0; v->takes && k < CRS_OPTIONS; k++)
        n += crs_takes(v, k) && (!common || crs_option_group(k) == CRS_GROUP_COMMON);
    return n;
}

void crs_print_help(const crs_verb *v, bool all)
{
    const int count = count_options(v, false), common = count_options(v, true);
    const int groups = !v->takes ? 0 : all || count <= FEW ? CRS_GROUPS : CRS_GROUP_COMMON + 1;
    crs_print("crease %s %s%s\n\n", v->name, v->takes ? "[OPTION...] " : "", v->words);
    crs_print_wrapped(v->text, 0, 0);
    for (int g = 0; g < groups; g++) print_group(v, (crs_group)g);
    if (groups == CRS_GROUP_COMMON + 1)
        crs_print("\n'crease help %s --all' shows %d more.\n", v->name, count - common);
    crs_print("\nExample\n  %s\n", v->example);
}

/* What the value may be: its kind, range and words. */
static void put_value(crs_spot to, const crs_word *value, const char *words)
{
    const bool ranged = value->kind == CRS_NUMBER || value->kind == CRS_WHOLE;
    crs_put_text(to, "kind", crs_word_name(value->kind));
    if (ranged) {
        crs_put_number(to, "low", value->low);
        crs_put_number(to, "high", value->high);
        crs_put_flag(to, "low_open", value->open);
    }
    if (!words) return;
    const crs_spot list = crs_put_list(to, "words");
    for (size_t n; *words; words += n + (words[n] == '|')) {
        char word[CRS_NAME];
        n = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)n, words);
        crs_put_text(list, NULL, word);
    }
}

static void put_options(crs_spot list, const crs_verb *v)
{
    for (int k = 0; v->takes && k < CRS_OPTIONS; k++) {
        const crs_taken *taken = crs_takes(v, k);
        char name[CRS_NAME], text[CRS_HELP_ROOM];
        if (!taken) continue;
        crs_option_text(v, k, text);
        const crs_spot to = crs_put_object(list, NULL);
        crs_put_text(to, "name", crs_option_name(k, name));
        crs_put_text(to, "values", crs_option_at(k)->values);
        crs_put_text(to, "group", crs_group_name(crs_option_group(k)));
        put_value(to, &crs_option_at(k)->kind,
                  taken->words ? taken->words : crs_option_at(k)->kind.words);
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
        put_value(crs_put_object(to, "argument"), &v->word, v->word.words);
        crs_put_text(to, "text", v->text);
        crs_put_text(to, "example", v->example);
        put_options(crs_put_list(to, "options"), v);
    }
    return crs_document_print(&d, true, e);
}

static void print_formats(void)
{
    crs_print("Files that data are read from, told by their first bytes, then by their ending; "
              "--read-as overrules.\n- is standard input; .gz is unpacked.\n\n");
    for (int k = 0; crs_format_at(k); k++) {
        const crs_format *f = crs_format_at(k);
        crs_print("  %-6s", f->name);
        crs_print_wrapped(f->text, 8, 8);
        crs_print("%8s", "");
        crs_print_wrapped(f->endings, 8, 8);
        if (!f->write && !f->needs) crs_print("%8sonly read\n", "");
        if (f->needs) crs_print("%8snot in this build: it lacks %s\n", "", f->needs);
    }
    crs_print("\n'crease info FILE' tells what is in a file, 'crease convert IN OUT' writes it in "
              "another "
              "format.\n");
}

static void markdown_formats(void)
{
    crs_print("| format | endings | what | written |\n|---|---|---|---|\n");
    for (int k = 0; crs_format_at(k); k++) {
        const crs_format *f = crs_format_at(k);
        crs_print("| `%s` | `%s` | %s | %s |\n", f->name, f->endings, f->text,
                  f->write ? "yes" : "no");
    }
}

static bool json_formats(crease_error *e)
{
    crs_document d;
    const crs_spot list = crs_put_list(crs_document_begin(&d, "help"), "formats");
    for (int k = 0; crs_format_at(k); k++) {
        const crs_format *f = crs_format_at(k);
        const crs_spot to = crs_put_object(list, NULL);
        crs_put_text(to, "name", f->name);
        crs_put_text(to, "endings", f->endings);
        crs_put_text(to, "text", f->text);
        crs_put_text(to, "reads", f->reads);
        crs_put_text(to, "needs", f->needs);
        crs_put_flag(to, "written", f->write);
        crs_put_flag(to, "many", f->many);
    }
    return crs_document_print(&d, true, e);
}

static bool run_formats(const crs_args *a, crease_error *e)
{
    if (crs_given(a, CRS_OPT_SCDOC))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "formats have no manual page; leave --scdoc out");
    if (crs_given(a, CRS_OPT_JSON)) return json_formats(e);
    if (crs_given(a, CRS_OPT_MARKDOWN))
        markdown_formats();
    else
        print_formats();
    return true;
}

static bool run(const crs_args *a, crease_error *e)
{
    if (a->count && strcmp(a->word[0], "formats") == 0) return run_formats(a, e);
    if (crs_given(a, CRS_OPT_MARKDOWN))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--markdown is for crease help formats");
    const crs_verb *v = a->count ? crs_verb_find(a->word[0], e) : NULL;
    if (a->count && !v) return false;
    if (crs_given(a, CRS_OPT_JSON)) return print_json(v, e);
    if (crs_given(a, CRS_OPT_SCDOC))
        crs_print_manual(v);
    else if (v)
        crs_print_help(v, crs_given(a, CRS_OPT_ALL));
    else
        crs_print_usage(crs_out());
    return true;
}

const crs_verb crs_help_verb = {
    .name = "help",
    .words = "[VERB|formats]",
    .word = { .kind = CRS_VERB_NAME },
    .most = 1,
    .text = "Explain the program, a verb, or the formats of data files.",
    .example = "crease help prox",
    .takes = CRS_LIST(CRS_TAKES(ALL), CRS_TAKES(SCDOC), CRS_TAKES(MARKDOWN), CRS_TAKES(JSON)),
    .run = run,
};

static bool print_version(const crs_args *a, crease_error *e)
{
    (void)a, (void)e;
    crs_print("crease %s\n", crease_version());
    return true;
}

const crs_verb crs_version_verb = {
    .name = "version",
    .words = "",
    .text = "Print the version.",
    .example = "crease version",
    .run = print_version,
};
