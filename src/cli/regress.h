/* SPDX-License-Identifier: MIT
 * regress.h: the insides of the verb regress */
#ifndef CRS_REGRESS_H
#define CRS_REGRESS_H

#include "cli/cli.h"

enum { CRS_WARNINGS = 5 };

typedef struct {
    const crs_args *a;
    crs_named_reg penalty;
    crs_array lambda; /* of --lambda, descending */
    crease_regression_settings s;
    int folds;       /* 0: no cross-validation */
    bool left_out;   /* the cross-validation that was asked for */
    ptrdiff_t asked; /* lambdas; s.path may be fewer after a stop */
    uint64_t seed;

    crs_array X, y;
    crs_array row_weight;
    crs_names names; /* of the columns, if X says */
    ptrdiff_t n, p;
    crease_regression *model;
    crease_regression_certificate *certificate; /* one a lambda */
    crease_regression_scores cv;
    ptrdiff_t certified, checked;
    int warnings;
    char warning[CRS_WARNINGS][200];
    crease_outcome outcome;
} crs_regress_job;

/* Penalty, loss, lambdas and numbers, before any data are read (regress_options.c). */
bool crs_regress_options(crs_regress_job *j, crease_error *e);

/* X and y, and whether they fit each other and into memory (regress_data.c). */
bool crs_regress_read(crs_regress_job *j, crease_error *e);

/* The tables (regress_tables.c), the document (regress_json.c), the picture (regress_plot.c). */
bool crs_regress_tables(const crs_regress_job *j, crease_error *e);
json_t *crs_regress_json(const crs_regress_job *j);
bool crs_regress_plot(const crs_regress_job *j, crease_error *e);

/* The name of column i, or "column 3" in out; the nonzero ones of solution k in a line
 * (regress_names.c). */
const char *crs_regress_column(const crs_regress_job *j, ptrdiff_t i, char out[CRS_NAME]);
void crs_regress_print_columns(const crs_regress_job *j, ptrdiff_t k);
/* coefficients.csv: lambda, intercept, and a column a name; only where there are names. */
bool crs_regress_put_named(FILE *f, const void *job);
void crs_put_markup(FILE *f, const char *text); /* with &amp; and the like */

/* "squared", ... */
const char *crs_regress_loss_name(crease_regression_loss loss);

#endif
