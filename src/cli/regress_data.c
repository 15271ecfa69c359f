/* SPDX-License-Identifier: MIT
 * regress_data: X and y from their files */
#include "cli/regress.h"

static bool shapes_agree(crs_regress_job *j, crease_error *e)
{
    const crease_space *x = &j->X.shape, *y = &j->y.shape;
    const char *const *name = (const char *const *)j->a->word;
    const ptrdiff_t rows = crease_size(y);
    if (y->order > 2 || (y->order == 2 && y->dim[0] != 1 && y->dim[1] != 1))
        return crs_fail(e, CREASE_BAD_SHAPE, "%.150s is no vector; y is one number a row", name[1]);
    if (x->order > 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%.150s has %d dimensions; X is a matrix, a row for each entry of y",
                        name[0], x->order);
    const bool row = x->order == 1 && rows == 1; /* a single row is no column */
    j->n = row ? 1 : x->dim[0];
    j->p = row ? x->dim[0] : x->order == 2 ? x->dim[1] : 1;
    return j->n == rows ||
           crs_fail(e, CREASE_BAD_SHAPE,
                    "%.120s has %td row%s but %.120s has %td number%s; give one number a row",
                    name[0], j->n, j->n == 1 ? "" : "s", name[1], rows, rows == 1 ? "" : "s");
}

static bool read_row_weights(crs_regress_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_ROW_WEIGHTS);
    if (!text) return true;
    if (!crs_list_or_file("--row-weights", text, &j->row_weight, e)) return false;
    const ptrdiff_t count = crease_size(&j->row_weight.shape);
    j->s.row_weight = j->row_weight.data;
    return count == j->n ||
           crs_fail(e, CREASE_BAD_SHAPE,
                    "--row-weights: %td number%s for %td rows; give one for every row of X", count,
                    count == 1 ? "" : "s", j->n);
}

static double bytes(const crs_regress_job *j)
{
    const double entries = (double)j->n * (double)j->p;
    const double model = crease_regression_size(j->n, j->p, j->s.path);
    return 8 * (entries + (j->folds ? entries + 2 * model : model)) + 0x1p24;
}

bool crs_regress_read(crs_regress_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    if (!crs_read_table(a->word[0], &j->X, &j->names, e) || !crs_read_array(a->word[1], &j->y, e))
        return false;
    crs_print_notice(a, &j->X);
    if (!shapes_agree(j, e) || !crs_memory_suffices("this regression", bytes(j), e)) return false;
    if (j->names.count != j->p) crs_names_free(&j->names); /* of a row that serves as a column */
    if (j->folds > j->n)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--cv %d: there are only %td rows; give a number of folds from 2 to %td",
                        j->folds, j->n, j->n);
    const crease_space columns = crease_vector(j->p);
    if (!read_row_weights(j, e) || !crs_reg_fit(a, &columns, &j->penalty, e)) return false;
    j->s.penalty = j->penalty.reg;
    return true;
}
