/* SPDX-License-Identifier: MIT
 * regress.h: the verb regress and its report */
#ifndef CRS_CLI_REGRESS_H
#define CRS_CLI_REGRESS_H

#include "cli/cli.h"

enum { CRS_WARNINGS = 6 };

typedef struct {
    const crs_args *a;
    crs_named_reg penalty;
    char penalty_text[160]; /* at lambda = 1 */
    crs_folder folder;
    crs_array lambda; /* of --lambda, descending */
    crease_regression_settings s;
    int folds;       /* 0: no cross-validation */
    crs_array fold;  /* of --folds, the fold of every row; */
    int *row_fold;   /* the same as whole numbers */
    bool left_out;   /* the cross-validation that was asked for */
    ptrdiff_t asked; /* lambdas; s.path may be fewer after a stop */
    uint64_t seed;

    bool in_rows;  /* X is looked at in slabs (regress_rows.h): X and y have shapes alone */
    double memory; /* that may be used */
    struct crs_regress_rows *rows;

    crs_array X, y;
    bool shape_known; /* X can be looked at without being read */
    crs_array row_weight;
    crs_asked reading;      /* how X was read */
    crs_axis columns;       /* of X; no labels: it says none */
    char hash[3][CRS_HASH]; /* of X and y, and of weights beside rows in slabs */
    ptrdiff_t n, p;
    crease_regression *model;
    crease_regression_certificate *certificate; /* per lambda */
    crease_verification *verified;              /* per lambda */
    double *coefficients;                       /* a row per lambda, the intercept first */
    crease_regression_scores cv;
    ptrdiff_t met, certified; /* by the model; and VALID by the checker */
    ptrdiff_t worst;          /* which the checker likes least */
    double residual;          /* relative, the largest */
    long sweeps;              /* of all lambdas */
    int warnings;
    char warning[CRS_WARNINGS][200];
    crease_outcome outcome;
    int exit_status;
} crs_regress_job;

/* The summary, the files of the folder but result.json, and that (regress_report.c). */
void crs_regress_print(const crs_regress_job *j);
bool crs_regress_write(crs_regress_job *j, crease_error *e);
void crs_regress_result(const crs_regress_job *j, crs_document *d);

double crs_regress_bytes(const crs_regress_job *j); /* that it takes in memory */

/* The rows of X where they are sparse, in `out`; NULL: they are not. */
static inline const crease_csr_matrix *sparse_rows(const crs_array *X, crease_csr_matrix *out)
{
    if (!X->value) return NULL;
    *out = (crease_csr_matrix){ X->shape.dim[0], X->shape.dim[1], X->start, X->col, X->value };
    return out;
}

/* "squared", ... */
const char *crs_regress_loss_name(crease_regression_loss loss);
int crs_regress_loss_find(const char *name, crease_error *e); /* -1: none */

#endif
