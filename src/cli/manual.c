/* SPDX-License-Identifier: MIT
 * manual: the pages of man(1) from the tables of verbs and options, as scdoc(5) source: crease(1)
 * and a crease-VERB(1) for each verb. What all pages end with is docs/man/tail.scd. */
#include <ctype.h>

#include "cli/cli.h"

/* Characters that mean something to scdoc are escaped; a paragraph is one line. */
static void text(const char *s)
{
    for (; *s; s++) {
        if (strchr("\\*_`~<>#[]|'.-", *s) && !isalnum((unsigned char)*s)) putchar('\\');
        putchar(*s);
    }
}

/* "whole number from 1 to 256": what the value is, where a range says it. */
static void range(const crs_word *w)
{
    const char *what = w->kind == CRS_WHOLE ? "A whole number" : "A number";
    const double most = 1e9;
    if (w->kind != CRS_WHOLE && w->kind != CRS_NUMBER) return;
    printf(" %s %s %g", what, w->open ? "above" : w->high < most ? "from" : "of at least", w->low);
    if (w->high < most) printf(" to %.10g", w->high);
    printf("\\.");
}

static void options(const crs_verb *v, crs_group group)
{
    static const char *const titles[CRS_GROUPS] = { "COMMON", "MODEL", "METHOD", "OUTPUT" };
    const char *title = titles[group];
    for (int k = 0; v->takes && k < CRS_OPTIONS; k++) {
        const crs_option *o = crs_option_at(k);
        char name[CRS_NAME], says[CRS_HELP_ROOM];
        if (crs_option_group(k) != group || !crs_takes(v, k)) continue;
        if (title) printf("\n# %s OPTIONS\n", title);
        title = NULL;
        printf("\n*");
        text(crs_option_name(k, name));
        printf("*");
        if (o->values[0]) {
            printf(" _");
            text(o->values);
            printf("_");
        }
        printf("\n\t");
        crs_option_text(v, k, says);
        text(says);
        printf("\\.");
        range(&o->kind);
        printf("\n");
    }
}

static void heading(const char *name)
{
    printf("%s(1) \"crease %s\" \"crease manual\"\n\n", name, crease_version());
}

static void verb_page(const crs_verb *v)
{
    char name[64];
    snprintf(name, sizeof name, "crease-%s", v->name);
    heading(name);
    printf("# NAME\n\n%s - ", name);
    char first[200];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(v->text, ".:;"), v->text);
    first[0] = (char)tolower((unsigned char)first[0]);
    text(first);
    printf("\n\n# SYNOPSIS\n\n*crease %s*%s ", v->name, v->takes ? " \\[_OPTION_...\\]" : "");
    text(v->words);
    printf("\n\n# DESCRIPTION\n\n");
    text(v->text);
    printf("\n");
    for (int g = 0; g < CRS_GROUPS; g++) options(v, (crs_group)g);
    printf("\n# EXAMPLE\n\n\t");
    text(v->example);
    printf("\n\n# SEE ALSO\n\n*crease*(1)\n");
}

static void program_page(void)
{
    heading("crease");
    printf("# NAME\n\ncrease - structured nonconvex and nonsmooth optimization, certified\n\n"
           "# SYNOPSIS\n\n*crease* _VERB_ \\[_OPTION_...\\] _ARGUMENT_...\n\n# DESCRIPTION\n\n"
           "Solves optimization problems whose parts are smooth, convex or neither: robust PCA of "
           "matrices and tensors, sparse regression, sparse PCA, and problems of one's own in a "
           "file\\. Every result is certified from the definitions, and checked again by code that "
           "it shares nothing with\\.\n\n# VERBS\n");
    for (int k = 0; crs_verb_at(k); k++) {
        const crs_verb *v = crs_verb_at(k);
        char first[200];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(v->text, ".:;"), v->text);
        printf("\n*crease %s* ", v->name);
        text(v->words);
        printf("\n\t");
        text(first);
        printf("\\. See *crease-%s*(1)\\.\n", v->name);
    }
}

void crs_print_manual(const crs_verb *v)
{
    if (v)
        verb_page(v);
    else
        program_page();
}
