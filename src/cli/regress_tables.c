/* SPDX-License-Identifier: MIT
 * regress_tables: the solutions and the cross-validation as CSV, the coefficients as .npy */
#include "cli/regress.h"

enum { PATH_ROOM = 4096 };

/* One line a lambda; the last cell lists column:coefficient, columns counted from 1. */
static bool put_solutions(FILE *f, const void *what)
{
    const crs_regress_job *j = what;
    fprintf(f, "lambda,nonzero,objective,deviance,residual,certified,intercept,coefficients\n");
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        const crease_regression_solution s = crease_regression_at(j->model, k);
        const crease_regression_certificate *c = &j->certificate[k];
        fprintf(f, "%.17g,%td,%.17g,%.17g,%.3e,%d,%.17g,", s.lambda, s.nonzero, s.objective,
                s.deviance, c->relative, c->certified, s.intercept);
        const char *blank = "";
        for (ptrdiff_t i = 0; i < j->p; i++) {
            if (s.coef[i] == 0) continue;
            fprintf(f, "%s%td:%.17g", blank, i + 1, s.coef[i]);
            blank = " ";
        }
        fputc('\n', f);
    }
    return !ferror(f);
}

static bool put_scores(FILE *f, const void *what)
{
    const crs_regress_job *j = what;
    fprintf(f, "lambda,nonzero,deviance,standard_error\n");
    for (ptrdiff_t k = 0; k < j->cv.count; k++) {
        const crease_regression_solution s = crease_regression_at(j->model, k);
        fprintf(f, "%.17g,%td,%.17g,%.17g\n", s.lambda, s.nonzero, j->cv.mean[k], j->cv.error[k]);
    }
    return !ferror(f);
}

static bool put(const crs_regress_job *j, const char *name, crs_put *how, crease_error *e)
{
    char path[PATH_ROOM];
    return crs_join(crs_given(j->a, CRS_OPT_OUT), name, path, sizeof path, e) &&
           crs_write_whole(path, how, j, e);
}

/* A row a lambda: the intercept, then the coefficients. */
static bool put_coefficients(const crs_regress_job *j, crease_error *e)
{
    const ptrdiff_t path = j->s.path, width = j->p + 1;
    double *all = crs_doubles(path * width, "the coefficients", e);
    if (!all) return false;
    for (ptrdiff_t k = 0; k < path; k++) {
        const crease_regression_solution s = crease_regression_at(j->model, k);
        all[k * width] = s.intercept;
        copy(j->p, s.coef, all + k * width + 1);
    }
    const crease_space shape = crease_matrix(path, width);
    const bool done = crs_outdir_array(j->a, "coefficients.npy", &shape, all, e);
    crs_free(all);
    return done;
}

/* Of an earlier result in the same folder. */
static bool discard(const crs_regress_job *j, const char *name, crease_error *e)
{
    char path[PATH_ROOM];
    if (!crs_join(crs_given(j->a, CRS_OPT_OUT), name, path, sizeof path, e)) return false;
    remove(path);
    return true;
}

bool crs_regress_tables(const crs_regress_job *j, crease_error *e)
{
    return put(j, "solutions.csv", put_solutions, e) && put_coefficients(j, e) &&
           (j->names.count ? put(j, "coefficients.csv", crs_regress_put_named, e)
                           : discard(j, "coefficients.csv", e)) &&
           (j->folds ? put(j, "cv.csv", put_scores, e) : discard(j, "cv.csv", e));
}
