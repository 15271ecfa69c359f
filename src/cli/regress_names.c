/* SPDX-License-Identifier: MIT
 * regress_names: columns by the names that X gives them */
#include "cli/regress.h"

const char *crs_regress_column(const crs_regress_job *j, ptrdiff_t i, char out[CRS_NAME])
{
    if (j->names.count && j->names.name[i][0]) return j->names.name[i];
    snprintf(out, CRS_NAME, "column %td", i + 1);
    return out;
}

void crs_regress_print_columns(const crs_regress_job *j, ptrdiff_t k)
{
    enum { FEW = 8 };
    const crease_regression_solution s = crease_regression_at(j->model, k);
    char name[CRS_NAME];
    ptrdiff_t met = 0;
    for (ptrdiff_t i = 0; i < j->p && met < FEW; i++)
        if (s.coef[i] != 0)
            printf("%s%.60s = %.6g", met++ ? "; " : "            ", crs_regress_column(j, i, name),
                   s.coef[i]);
    if (s.nonzero > FEW) printf("; and %td more", s.nonzero - FEW);
    if (s.nonzero > 0) printf("\n");
}

/* In quotes, which are doubled inside. */
static void put_cell(FILE *f, const char *text)
{
    const bool plain = !strpbrk(text, ",;\" \t#");
    if (!plain) fputc('"', f);
    for (; *text; text++) {
        if (*text == '"') fputc('"', f);
        fputc(*text, f);
    }
    if (!plain) fputc('"', f);
}

bool crs_regress_put_named(FILE *f, const void *job)
{
    const crs_regress_job *j = job;
    char name[CRS_NAME];
    fprintf(f, "lambda,intercept");
    for (ptrdiff_t i = 0; i < j->p; i++) fputc(',', f), put_cell(f, crs_regress_column(j, i, name));
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        const crease_regression_solution s = crease_regression_at(j->model, k);
        fprintf(f, "\n%.17g,%.17g", s.lambda, s.intercept);
        for (ptrdiff_t i = 0; i < j->p; i++) fprintf(f, ",%.17g", s.coef[i]);
    }
    fputc('\n', f);
    return !ferror(f);
}

void crs_put_markup(FILE *f, const char *text)
{
    for (; *text; text++) {
        const char *const safe = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : NULL;
        if (safe)
            fputs(safe, f);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, f);
    }
}
