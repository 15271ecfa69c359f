/* SPDX-License-Identifier: MIT
 * manual: the pages of man(1) from the tables of verbs and options, as scdoc(5) source: crease(1)
 * and a crease-VERB(1) for each verb. What all pages end with is docs/man/tail.scd. */
#include <ctype.h>

#include "cli/cli.h"

/* Characters that mean something to scdoc are escaped; a paragraph is one line. */
static void text(const char *s)
{
    for (; *s; s++) {
        if (strchr("\\*_`~<>#[]|'.-", *s) && !isalnum((unsigned char)*s)) fputc('\\', crs_out());
        fputc(*s, crs_out());
    }
}

/* "whole number from 1 to 256": what the value is, where a range says it. */
static void range(const crs_word *w)
{
    const char *what = w->kind == CRS_WHOLE ? "A whole number" : "A number";
    const double most = 1e9;
    if (w->kind != CRS_WHOLE && w->kind != CRS_NUMBER) return;
    crs_print(" %s %s %g", what,
              w->open          ? "above"
              : w->high < most ? "from"
                               : "of at least",
              w->low);
    if (w->high < most) crs_print(" to %.10g", w->high);
    crs_print("\\.");
}

static void options(const crs_verb *v, crs_group group)
{
    static const char *const titles[CRS_GROUPS] = { "COMMON", "MODEL", "METHOD", "OUTPUT" };
    const char *title = titles[group];
    for (int k = 0; v->takes && k < CRS_OPTIONS; k++) {
        const crs_option *o = crs_option_at(k);
        char name[CRS_NAME], says[CRS_HELP_ROOM];
        if (crs_option_group(k) != group || !crs_takes(v, k)) continue;
        if (title) crs_print("\n# %s OPTIONS\n", title);
        title = NULL;
        crs_print("\n*");
        text(crs_option_name(k, name));
        crs_print("*");
        if (o->values[0]) {
            crs_print(" _");
            text(o->values);
            crs_print("_");
        }
        crs_print("\n\t");
        crs_option_text(v, k, says);
        text(says);
        crs_print("\\.");
        range(&o->kind);
        crs_print("\n");
    }
}

static void heading(const char *name)
{
    crs_print("%s(1) \"crease %s\" \"crease manual\"\n\n", name, crease_version());
}

static void verb_page(const crs_verb *v)
{
    char name[64];
    snprintf(name, sizeof name, "crease-%s", v->name);
    heading(name);
    crs_print("# NAME\n\n%s - ", name);
    char first[200];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(v->text, ".:;"), v->text);
    first[0] = (char)tolower((unsigned char)first[0]);
    text(first);
    crs_print("\n\n# SYNOPSIS\n\n*crease %s*%s ", v->name, v->takes ? " \\[_OPTION_...\\]" : "");
    text(v->words);
    crs_print("\n\n# DESCRIPTION\n\n");
    text(v->text);
    crs_print("\n");
    for (int g = 0; g < CRS_GROUPS; g++) options(v, (crs_group)g);
    crs_print("\n# EXAMPLE\n\n\t");
    text(v->example);
    crs_print("\n\n# SEE ALSO\n\n*crease*(1)\n");
}

static void program_page(void)
{
    heading("crease");
    crs_print(
        "# NAME\n\ncrease - structured nonconvex and nonsmooth optimization, certified\n\n"
        "# SYNOPSIS\n\n*crease* _VERB_ \\[_OPTION_...\\] _ARGUMENT_...\n\n# DESCRIPTION\n\n"
        "Solves optimization problems whose parts are smooth, convex or neither: robust PCA of "
        "matrices and tensors, sparse regression, sparse PCA, and problems of one's own in a "
        "file\\. Every result is certified from the definitions, and checked again by code that "
        "it shares nothing with\\.\n\n# VERBS\n");
    for (int k = 0; crs_verb_at(k); k++) {
        const crs_verb *v = crs_verb_at(k);
        char first[200];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(v->text, ".:;"), v->text);
        crs_print("\n*crease %s* ", v->name);
        text(v->words);
        crs_print("\n\t");
        text(first);
        crs_print("\\. See *crease-%s*(1)\\.\n", v->name);
    }
}

void crs_print_manual(const crs_verb *v)
{
    if (v)
        verb_page(v);
    else
        program_page();
}
