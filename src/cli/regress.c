/* SPDX-License-Identifier: MIT
 * regress: sparse regression and classification along a path of lambdas: options, data, run */
#include <stdlib.h>

#include "cli/regress_rows.h"
#include "regress/rows.h"

static const char *const loss_name[] = {
#define X(id, text, meaning, loss, scale) text,
    CREASE_REGRESSION_LOSSES(X)
#undef X
};
static const bool loss_scaled[] = {
#define X(id, text, meaning, loss, scale) (scale) > 0,
    CREASE_REGRESSION_LOSSES(X)
#undef X
};
enum { LOSSES = sizeof loss_name / sizeof *loss_name };

const char *crs_regress_loss_name(crease_regression_loss loss) { return loss_name[loss]; }

static const char *name_at(int k) { return loss_name[k]; }

int crs_regress_loss_find(const char *name, crease_error *e)
{
    return crs_find("loss", name, LOSSES, name_at, e);
}

/* "squared", "logistic", "huber" or "huber:1.5" */
static bool read_loss(crs_regress_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_LOSS), *number = text ? strchr(text, ':') : NULL;
    char name[32];
    if (!text) return true;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":") < 31 ? (int)strcspn(text, ":") : 31,
             text);
    const int k = crs_regress_loss_find(name, e);
    if (k < 0) return false;
    j->s.loss = (crease_regression_loss)k;
    const bool scaled = loss_scaled[k];
    if (!number) return true;
    return (scaled && crs_parse_double(number + 1, &j->s.loss_scale) && j->s.loss_scale > 0 &&
            j->s.loss_scale < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "--loss %.64s: %s", text,
                    scaled ? "the scale is not a finite number > 0" : "this loss has no scale");
}

/* The parameter beyond lambda where none is given; logistic curvature is at most 1/4, so that its
 * gamma and a are larger. NaN: the data decide, not we. */
static double usual(const char *penalty, bool logistic)
{
    const double shape = crs_usual_shape(penalty);
    if (strcmp(penalty, "mcp") == 0) return logistic ? 4 * shape : shape;
    if (strcmp(penalty, "scad") == 0) return logistic ? 1 + 4 * (shape - 1) : shape;
    if (strcmp(penalty, "elastic-net") == 0 || strcmp(penalty, "lq") == 0) return 0.5;
    return NAN;
}

/* The catalogue's entry at lambda = 1: "mcp:3" is mcp:1,3; "elastic-net:a" mixes a and 1 - a. */
static bool spell(const crs_regress_job *j, const char *given, char out[160], crease_error *e)
{
    char name[64];
    const char *number = strchr(given, ':');
    const int length = (int)strcspn(given, ":");
    snprintf(name, sizeof name, "%.*s", length < 63 ? length : 63, given);
    const char *bare = strncmp(name, "group-", 6) == 0 ? name + 6 : name;
    const bool grouped = bare != name || crs_given(j->a, CRS_OPT_GROUPS);
    int parameters = 1;
    for (int k = 0; k < crease_reg_count(); k++)
        if (strcmp(crease_reg_at(k)->name, bare) == 0)
            parameters = crease_param_count(crease_reg_params(crease_reg_at(k)));
    double shape = usual(bare, j->s.loss == CREASE_REGRESSION_LOGISTIC);
    if (number && (parameters != 2 || !crs_parse_double(number + 1, &shape)))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--penalty %.64s: %s", given,
                        parameters == 2 ? "write one number after the colon; lambda is the path's"
                                        : "it has no number but lambda, which is the path's");
    if (strcmp(bare, "weighted-l1") == 0 && !crs_given(j->a, CRS_OPT_WEIGHTS))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--penalty %.64s needs a weight for every column; add --weights", given);
    if (parameters == 2 && isnan(shape))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--penalty %.64s: its scale depends on the data; write %.64s:theta", given,
                        given);
    if (strcmp(bare, "elastic-net") == 0 && !(shape > 0 && shape <= 1))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--penalty %.64s: the share of |b| is a number in (0, 1]", given);
    const double first = strcmp(bare, "elastic-net") == 0 ? shape : 1;
    const double second = first == shape && strcmp(bare, "elastic-net") == 0 ? 1 - shape : shape;
    if (parameters == 2)
        snprintf(out, 160, "%s%s:%.17g,%.17g", grouped ? "group-" : "", bare, first, second);
    else if (strcmp(bare, "weighted-l1") == 0)
        snprintf(out, 160, "l1:1");
    else
        snprintf(out, 160, "%s%s%s", grouped ? "group-" : "", bare, parameters == 1 ? ":1" : "");
    return true;
}

static int descending(const void *a, const void *b)
{
    const double s = *(const double *)a, t = *(const double *)b;
    return (s < t) - (s > t);
}

/* --path N or N,RATIO; --lambda a,b,... or a file */
static bool read_path(crs_regress_job *j, crease_error *e)
{
    const char *path = crs_given(j->a, CRS_OPT_PATH), *lambda = crs_given(j->a, CRS_OPT_LAMBDA);
    if (path && lambda)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "give --path or --lambda, not both");
    if (lambda) {
        if (!crs_list_or_file("--lambda", lambda, &j->lambda, e)) return false;
        j->s.path = crease_size(&j->lambda.shape);
        qsort(j->lambda.data, (size_t)j->s.path, sizeof(double), descending);
        j->s.lambda = j->lambda.data;
        return true;
    }
    if (!path) return true;
    crs_array numbers;
    if (!crs_parse_list("--path", path, &numbers, e)) return false;
    const ptrdiff_t count = crease_size(&numbers.shape);
    const double first = numbers.data[0], second = count == 2 ? numbers.data[1] : 0.5;
    crs_array_free(&numbers);
    if (count > 2 || !(first >= 1 && first <= 1e5 && first == floor(first)) ||
        !(second > 0 && second < 1))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--path %.64s: give a whole number of lambdas from 1 to 100000, and the "
                        "ratio of the last to the first in (0, 1) after a comma, as 100,0.01",
                        path);
    j->s.path = (ptrdiff_t)first;
    j->s.ratio = count == 2 ? second : 0;
    return count == 1 || j->s.path > 1 ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--path %.64s: one lambda has no ratio; leave out what follows the comma",
                    path);
}

/* What was given but would change nothing. */
static bool check_unread(const crs_regress_job *j, crease_error *e)
{
    if (crs_given(j->a, CRS_OPT_seed) && !j->folds)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--seed deals the rows to the folds of --cv, and this run has none; add "
                        "--cv K, or leave "
                        "--seed out");
    if (j->folds && crs_given(j->a, CRS_OPT_FOLDS))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--cv deals the rows to folds, and --folds says which there are; give one "
                        "of them");
    return !(j->s.ascending && j->s.path == 1) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "--ascending is about the order of several lambdas, and this run has one; "
                    "leave it out");
}

static bool read_options(crs_regress_job *j, crease_error *e)
{
    const char *penalty = crs_given(j->a, CRS_OPT_PENALTY);
    double folds, seed, sweeps, threads;
    j->s = crease_regression_default();
    j->s.standardize = !crs_given(j->a, CRS_OPT_NO_STANDARDIZE);
    j->s.intercept = !crs_given(j->a, CRS_OPT_NO_INTERCEPT);
    j->s.ascending = crs_given(j->a, CRS_OPT_ASCENDING);
    if (!read_loss(j, e) || !spell(j, penalty ? penalty : "l1", j->penalty_text, e) ||
        !crs_reg_open(j->penalty_text, &j->penalty, e) || !read_path(j, e) ||
        !crs_option_integer(j->a, CRS_OPT_CV, 2, 1e6, 0, &folds, e) ||
        !crs_option_integer(j->a, CRS_OPT_seed, 0, 0x1p53, 0, &seed, e) ||
        !crs_option_integer(j->a, CRS_OPT_THREADS, 1, 256, 0, &threads, e) ||
        !crs_option_integer(j->a, CRS_OPT_max_iterations, 0, 2e9, 1e5, &sweeps, e))
        return false;
    j->folds = (int)folds;
    j->seed = (uint64_t)seed;
    j->s.threads = (int)threads;
    j->s.max_sweeps = (long)sweeps;
    if (crs_given(j->a, CRS_OPT_max_seconds) &&
        !crs_option_number(j->a, CRS_OPT_max_seconds, 0, &j->s.max_seconds, e))
        return false;
    return (!crs_given(j->a, CRS_OPT_eps) ||
            crs_option_number(j->a, CRS_OPT_eps, 0, &j->s.eps, e)) &&
           check_unread(j, e);
}

static bool shapes_agree(crs_regress_job *j, crease_error *e)
{
    const crease_space *x = &j->X.shape, *y = &j->y.shape;
    const char *const *name = (const char *const *)j->a->word;
    const ptrdiff_t rows = crease_size(y);
    if (y->order > 2 || (y->order == 2 && y->dim[0] != 1 && y->dim[1] != 1))
        return crs_fail(e, CREASE_BAD_SHAPE, "%.150s is not a vector; y has one number per row",
                        name[1]);
    if (x->order > 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%.150s has %d dimensions; X is a matrix, a row for each entry of y",
                        name[0], x->order);
    const bool row = x->order == 1 && rows == 1; /* a single row is no column */
    j->n = row ? 1 : x->dim[0];
    j->p = row ? x->dim[0] : x->order == 2 ? x->dim[1] : 1;
    return j->n == rows ||
           crs_fail(e, CREASE_BAD_SHAPE,
                    "%.120s has %td row%s but %.120s has %td number%s; give one number per row",
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

/* Their number is the largest and one; the library says what is wrong with gaps. */
static bool read_folds(crs_regress_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_FOLDS);
    if (!text) return true;
    if (!crs_list_or_file("--folds", text, &j->fold, e)) return false;
    const ptrdiff_t count = crease_size(&j->fold.shape);
    if (count != j->n)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "--folds: %td number%s for %td rows; give one for every row of X", count,
                        count == 1 ? "" : "s", j->n);
    j->row_fold = crs_alloc((size_t)j->n, sizeof *j->row_fold);
    if (!j->row_fold) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the folds");
    for (ptrdiff_t i = 0; i < j->n; i++) {
        const double at = j->fold.data[i];
        if (!(at >= -1 && at < (double)j->n && at == floor(at)))
            return crs_fail(e, CREASE_BAD_DATA,
                            "--folds: that of row %td is %g; number the folds 0, 1, 2, ..., and -1 "
                            "the rows that are never left out",
                            i + 1, at);
        j->row_fold[i] = (int)at;
        if (j->row_fold[i] >= j->folds) j->folds = j->row_fold[i] + 1;
    }
    return j->folds > 0 ||
           crs_fail(e, CREASE_BAD_DATA,
                    "--folds: every row is -1, never left out; number some 0, 1, 2, ...");
}

/* A dense X of a file that is long; a shorter one is sooner kept than read again. Folds are of its
 * rows. */
static bool is_read_twice(const crs_regress_job *j)
{
    const bool folds = crs_given(j->a, CRS_OPT_CV) || crs_given(j->a, CRS_OPT_FOLDS);
    return j->shape_known && !j->in_rows && !j->X.value && !j->X.borrowed && !folds &&
           (double)j->n * (double)j->p >= 0x1p20;
}

double crs_regress_bytes(const crs_regress_job *j)
{
    const double entries = is_read_twice(j) ? 0 : (double)j->n * (double)j->p;
    const double model = crease_regression_size(j->X.value ? 0 : j->n, j->p, j->s.path);
    if (j->X.value)
        return 8 * (8 * (double)j->X.start[j->n] + 24 * (double)j->n + 2 * model) + 0x1p24;
    return 8 * (entries + (j->folds ? entries + 2 * model : model)) + 0x1p24;
}

/* By the axes of X. */
static bool name_columns(crs_regress_job *j, crease_error *e)
{
    const bool column = j->X.shape.order == 1 && j->n > 1;
    const crs_axis *x = column ? &j->X.column : &j->X.axes.axis[j->X.shape.order - 1];
    const bool named = x->count == j->p && (column || j->X.shape.order > 1 || j->n == 1);
    return !named || crs_axis_copy(x, &j->columns, e);
}

static bool fit_penalty(crs_regress_job *j, crease_error *e)
{
    const crease_space columns = crease_vector(j->p);
    if (!crs_reg_fit(j->a, &columns, &j->penalty, e)) return false;
    j->s.penalty = j->penalty.reg;
    return true;
}

static bool read_data(crs_regress_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    if (!crs_asked_of(a, &j->reading, e)) return false;
    j->reading.sparse = true;
    if (!crs_regress_foresee(j, e)) return false;
    if (j->in_rows) return crs_regress_open_rows(j, e) && fit_penalty(j, e);
    const bool done = crs_read_data(a, a->word[0], &j->reading, &j->X, e) &&
                      crs_read_array(a->word[1], &j->y, e) && shapes_agree(j, e) &&
                      name_columns(j, e) && read_folds(j, e);
    if (!done || !crs_memory_suffices("this regression", crs_regress_bytes(j), e)) return false;
    crs_array_hash(&j->X, j->hash[0]);
    crs_array_hash(&j->y, j->hash[1]);
    if (!crs_checkpoint_bind(a, "X", j->hash[0], e) || !crs_checkpoint_bind(a, "y", j->hash[1], e))
        return false;
    if (j->folds > j->n)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--cv %d: there are only %td rows; give a number of folds from 2 to %td",
                        j->folds, j->n, j->n);
    return read_row_weights(j, e) && fit_penalty(j, e);
}

static void discard(crs_regress_job *j)
{
    crs_folder_abandon(&j->folder);
    crease_regression_scores_free(&j->cv);
    for (ptrdiff_t k = 0; j->verified && k < j->s.path; k++)
        crease_verification_free(&j->verified[k]);
    crs_free(j->verified);
    crs_free(j->coefficients);
    crs_free(j->certificate);
    crease_regression_free(j->model);
    crs_regress_close_rows(j);
    crs_array_free(&j->X);
    crs_axis_free(&j->columns);
    crs_array_free(&j->row_weight);
    crs_array_free(&j->fold);
    crs_free(j->row_fold);
    crs_array_free(&j->y);
    crs_array_free(&j->lambda);
    crs_reg_close(&j->penalty);
}

/* A row per lambda: the intercept, then the coefficients. */
static bool collect(crs_regress_job *j, crease_error *e)
{
    const ptrdiff_t width = j->p + 1;
    j->coefficients = crs_doubles(j->s.path * width, "the coefficients", e);
    j->certificate = crs_alloc((size_t)j->s.path, sizeof *j->certificate);
    j->verified = crs_alloc((size_t)j->s.path, sizeof *j->verified);
    if (!j->coefficients || !j->certificate || !j->verified)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the certificates");
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        const crease_regression_solution s = *crease_regression_at(j->model, k);
        /* until it is certified */
        j->certificate[k] =
            (crease_regression_certificate){ .relative = INFINITY, .eigenvalue = NAN, .gap = NAN };
        j->coefficients[k * width] = s.intercept;
        copy(j->p, s.coef, j->coefficients + k * width + 1);
    }
    return true;
}

/* X as it was, in place of the model's columns. */
static bool read_again(crs_regress_job *j, crease_error *e)
{
    char hash[CRS_HASH];
    crs_array again;
    crs_asked asked = j->reading;
    if (!is_read_twice(j)) return true;
    asked.watch = NULL; /* what was found before a stop is judged, too */
    crs_regression_forget(j->model);
    if (!crs_read_asked(j->a->word[0], &asked, &again, e)) return false;
    const bool same = crease_space_equal(&again.shape, &j->X.shape) && again.data;
    if (same) {
        j->X.data = again.data;
        again.data = NULL;
        crs_array_hash(&j->X, hash);
    }
    crs_array_free(&again);
    return (same && strcmp(hash, j->hash[0]) == 0) ||
           crs_fail(e, CREASE_BAD_DATA, "%.200s was changed while it was fitted; begin anew",
                    j->a->word[0]);
}

/* Every solution is certified by the model, and judged by the independent checker as it is written.
 */
static bool certify(crs_regress_job *j, crease_error *e)
{
    crease_csr_matrix rows;
    crease_watch_enter(j->a->watch, CREASE_PHASE_CERTIFY);
    for (ptrdiff_t k = 0; k < j->s.path && !crease_watch_over(j->a->watch); k++)
        if (!crease_regression_certify(j->model, k, false, &j->certificate[k], e)) return false;
    crease_watch_enter(j->a->watch, CREASE_PHASE_CHECK);
    if (!read_again(j, e)) return false;
    const crease_regression_claim claim = { .s = *crease_regression_used(j->model),
                                            .n = j->n,
                                            .p = j->p,
                                            .X = j->X.data,
                                            .sparse = sparse_rows(&j->X, &rows),
                                            .y = j->y.data,
                                            .point = crease_regression_point(j->model, 0),
                                            .coefficients = j->coefficients };
    if (!(j->in_rows ? crs_regress_check_rows(j, e)
                     : crease_regression_verify(&claim, j->verified, e)))
        return false;
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        crease_regression_certificate *c = &j->certificate[k];
        j->met += c->certified;
        c->checked = true;
        c->verdict = j->verified[k].verdict;
        c->certified = c->certified && c->verdict == CREASE_VERDICT_VALID;
        j->certified += c->certified;
        j->residual = larger(j->residual, c->relative);
        j->sweeps += crease_regression_at(j->model, k)->sweeps;
        j->worst = crs_worse(&j->verified[j->worst], &j->verified[k]) ? k : j->worst;
    }
    return true;
}

static void warn(crs_regress_job *j, const char *text)
{
    snprintf(j->warning[j->warnings++], sizeof j->warning[0], "%s", text);
}

static void tell_constants(crs_regress_job *j)
{
    ptrdiff_t first;
    const ptrdiff_t count = crease_regression_constant(j->model, &first);
    if (count == 0) return;
    snprintf(j->warning[j->warnings++], sizeof j->warning[0],
             "column %td of X%s the same in every row: the coefficient%s 0", first + 1,
             count == 1 ? " is" : " and others are", count == 1 ? " is" : "s are");
}

static void collect_warnings(crs_regress_job *j)
{
    ptrdiff_t most = 0;
    tell_constants(j);
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        const ptrdiff_t nonzero = crease_regression_at(j->model, k)->nonzero;
        if (nonzero > most) most = nonzero;
    }
    if (most == 0 && j->lambda.data)
        warn(j, "every coefficient is zero at every lambda; give some below lambda_max");
    else if (most == 0)
        warn(j, "every coefficient is zero at every lambda: X explains nothing of y");
    const bool last = j->folds && j->cv.best == j->s.path - 1;
    if (last && most > 0 && crease_regression_at(j->model, j->cv.best)->lambda > 0)
        warn(j, "the least deviance is at the last lambda; continue the path, as --path 100,0.001");
    if (crease_regression_stopped(j->model)) {
        snprintf(j->warning[j->warnings++], sizeof j->warning[0],
                 "stopped after %td of %td lambdas%s", j->s.path, j->asked,
                 j->left_out ? ", without cross-validation" : "");
        return;
    }
    if (j->certified == j->s.path) return;
    warn(j, "not every solution is certified; raise --max-iterations or eps");
    if (j->s.loss == CREASE_REGRESSION_LOGISTIC && !j->s.penalty.penalty->convex)
        warn(j, "columns that separate the classes have no finite coefficients under a penalty "
                "that levels off; end the path earlier, as --path 100,0.2, or use l1");
}

static bool build(crs_regress_job *j, crease_error *e)
{
    crease_watch_enter(j->a->watch, CREASE_PHASE_START);
    j->s.watch = j->a->watch;
    crease_csr_matrix rows;
    if (j->in_rows) return crs_dry(j->a) || crs_regress_build_rows(j, e);
    if (sparse_rows(&j->X, &rows))
        j->model = crease_regression_new_sparse(&j->s, &rows, j->y.data, e);
    else if (is_read_twice(j))
        j->model = crs_regression_of(&j->s, j->n, j->p, &j->X.data, j->y.data, e);
    else
        j->model = crease_regression_new(&j->s, j->n, j->p, j->X.data, j->y.data, e);
    return j->model;
}

/* As the library deals them */
static bool deal(crs_regress_job *j, crease_error *e)
{
    j->row_fold = crs_alloc((size_t)j->n, sizeof *j->row_fold);
    if (!j->row_fold) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the folds");
    return crease_regression_folds(j->n, j->y.data, j->s.loss == CREASE_REGRESSION_LOGISTIC,
                                   j->folds, j->seed, j->row_fold, e);
}

static bool cross(crs_regress_job *j, crease_error *e)
{
    const double *X = j->X.data, *y = j->y.data;
    crease_csr_matrix rows;
    if (j->in_rows) return crease_regression_cv_on(j->model, &j->cv, e);
    if (sparse_rows(&j->X, &rows))
        return (j->row_fold || deal(j, e)) &&
               crease_regression_cv_sparse(j->model, &rows, y, j->folds, j->row_fold, &j->cv, e);
    return j->row_fold ? crease_regression_cv_by(j->model, X, y, j->folds, j->row_fold, &j->cv, e)
                       : crease_regression_cv(j->model, X, y, j->folds, j->seed, &j->cv, e);
}

static bool solve(crs_regress_job *j, crease_error *e)
{
    const int folds = j->folds;
    crease_watch_enter(j->a->watch, CREASE_PHASE_FIT);
    crs_log_table(j->a, 10);
    if (!crease_regression_fit(j->model, e)) return false;
    crs_log_rows(j->a);
    if (crease_regression_stopped(j->model)) j->folds = 0;
    if (j->folds && !cross(j, e)) return false;
    if (j->cv.count == 0) j->folds = 0;
    j->left_out = folds && !j->folds;
    j->asked = j->s.path;
    j->s.path = crease_regression_used(j->model)->path;
    if (!collect(j, e) || !certify(j, e)) return false;
    crease_watch_enter(j->a->watch, CREASE_PHASE_WRITE);
    collect_warnings(j);
    const crease_outcome why =
        crease_watch_why(j->a->watch); /* the path's own limit is in no other */
    j->outcome = crease_regression_stopped(j->model)
                     ? (why == CREASE_NOT_RUN ? CREASE_TIME_LIMIT : why)
                 : j->met == j->s.path ? CREASE_STATIONARY
                                       : CREASE_ITERATION_LIMIT;
    j->exit_status = crs_exit_of_run(j->outcome, j->verified[j->worst].verdict);
    return true;
}

static bool deliver(crs_regress_job *j, crease_error *e)
{
    crs_document d;
    crs_regress_result(j, &d);
    bool done = crs_regress_write(j, e) && crs_folder_commit(&j->folder, &d, e);
    if (done && crs_given(j->a, CRS_OPT_JSON))
        done = crs_document_print(&d, false, e);
    else if (done)
        crs_regress_print(j);
    crs_document_free(&d);
    return done;
}

static bool fit(crs_regress_job *j, crease_error *e)
{
    const bool done = solve(j, e) && deliver(j, e);
    if (done) *j->a->status = j->exit_status;
    return done;
}

static void foretell(const crs_regress_job *j)
{
    const crease_regression_settings *s = crease_regression_used(j->model);
    const double fits = (double)s->path * (1 + j->folds);
    const crs_dry_work work = { fits * 4 * (double)j->n * (double)j->p, 2, 50,
                                "sweeps for every lambda and fold" };
    crs_print("%s  %td rows, %td columns%s%s\n\n", j->a->word[0], j->n, j->p,
              s->standardize ? ", standardized" : "", s->intercept ? ", with an intercept" : "");
    crs_line("model", "%s loss, %s penalty", crs_regress_loss_name(s->loss), j->penalty.spec.name);
    crs_line("path", "%td lambda%s, at most %.3g, where nothing is selected", s->path,
             s->path == 1 ? "" : "s", crease_regression_lambda_max(j->model));
    if (j->folds) crs_line("folds", "%d", j->folds);
    crs_dry_memory(crs_regress_bytes(j));
    crs_dry_time(j->a, &work);
    crs_dry_files(j->a, j->folds ? "solutions.csv, coefficients.npy, cv.csv, path.svg, history.csv"
                                 : "solutions.csv, coefficients.npy, path.svg, history.csv");
}

static bool run(const crs_args *a, crease_error *e)
{
    crs_regress_job j = { .a = a };
    bool done =
        read_options(&j, e) && crs_folder_of(a, &j.folder, e) && read_data(&j, e) && build(&j, e);
    if (done && crs_dry(a))
        (j.in_rows ? crs_regress_foretell_rows : foretell)(&j);
    else
        done = done && fit(&j, e);
    discard(&j);
    return done;
}

const crs_verb crs_regress_verb = {
    .name = "regress",
    .words = "X Y",
    .word = CRS_KIND_FILE,
    .least = 2,
    .most = 2,
    .text =
        "Fit sparse regressions along a path of lambdas; --loss logistic classifies. With n rows "
        "the model is (1/n) sum_i loss(y_i, b_0 + x_i'b) + sum_j rho(|b_j|), rho being any penalty "
        "of the catalogue at each lambda. The columns are standardized and an intercept is fitted "
        "unless --no-standardize or --no-intercept is given. The folder receives solutions.csv (a "
        "line per lambda), coefficients.npy (a row per lambda, the intercept first; also "
        "coefficients.csv if X is a text file with names in its first row), with --cv or --folds "
        "cv.csv, "
        "path.svg, result.json, and certificate.json for crease verify. The exit code is 0 if "
        "every solution is certified stationary and the independent checker agrees, 2 if not. "
        "Ctrl-C and --max-seconds end the path early; the solutions found so far are written.",
    .example = "crease regress X.npy y.npy --penalty mcp --out result",
    .takes = CRS_LIST(
        CRS_SAYS(PENALTY, "penalty of the coefficients, without its lambda, as mcp:3 (default l1)"),
        CRS_TAKES(LOSS), CRS_TAKES(PATH), CRS_TAKES(LAMBDA), CRS_TAKES(CV), CRS_TAKES(FOLDS),
        CRS_TAKES(NO_STANDARDIZE), CRS_TAKES(NO_INTERCEPT), CRS_TAKES(ASCENDING),
        CRS_SAYS(GROUPS, "of columns: sizes of consecutive groups (3,2,4), or a label for every "
                         "column: after @ (@2,1,1,2) or in a file"),
        CRS_SAYS(WEIGHTS,
                 "a weight for every column, or for every group: numbers a,b,... or a file"),
        CRS_TAKES(ROW_WEIGHTS), CRS_TAKES_READING, CRS_TAKES(eps), CRS_TAKES(max_iterations),
        CRS_TAKES(max_seconds), CRS_SAYS(seed, "of the folds of --cv (default 0)"),
        CRS_SAYS(THREADS, "folds to fit at once (default: as many as processors, and as memory has "
                          "room for)"),
        CRS_SAYS(MEMORY,
                 "memory to use, as 800M, 2G or 1.5GiB: an X that takes more is read slab by "
                 "slab; at most 2000 columns then (default: three quarters of what is "
                 "free)"),
        CRS_TAKES_CHECKPOINT, CRS_TAKES(OUT), CRS_TAKES(FORMAT), CRS_TAKES(REPORT),
        CRS_TAKES(FORCE), CRS_TAKES_ROWS, CRS_TAKES(JSON)),
    .run = run,
};
