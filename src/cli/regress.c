/* SPDX-License-Identifier: MIT
 * regress: sparse regression and classification along a path of lambdas */
#include "cli/regress.h"

enum { LIMIT = 2 };
static const double CHECKER_ENTRIES = 3e7; /* of X that the checker may read in all */

static void discard(crs_regress_job *j)
{
    crease_regression_scores_free(&j->cv);
    crease_regression_free(j->model);
    crs_free(j->certificate);
    crs_array_free(&j->X);
    crs_names_free(&j->names);
    crs_array_free(&j->row_weight);
    crs_array_free(&j->y);
    crs_array_free(&j->lambda);
    crs_reg_close(&j->penalty);
}

/* Every solution is certified; the independent checker sees them all, or, where that takes long,
 * evenly chosen ones and those that cross-validation points at. */
static bool certify(crs_regress_job *j, crease_error *e)
{
    const double one = (double)j->n * (double)j->p, many = CHECKER_ENTRIES / one;
    const ptrdiff_t path = j->s.path, last = path - 1;
    const ptrdiff_t every = many >= (double)path ? 1
                            : many > 2           ? (ptrdiff_t)((double)path / many) + 1
                                                 : path;
    j->certificate = crs_alloc((size_t)path, sizeof *j->certificate);
    if (!j->certificate) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the certificates");
    for (ptrdiff_t k = 0; k < path; k++) {
        const bool chosen = j->folds && (k == j->cv.best || k == j->cv.one_se);
        const bool check = chosen || (last - k) % every == 0;
        if (!crease_regression_certify(j->model, k, check, &j->certificate[k], e)) return false;
        j->certified += j->certificate[k].certified;
        j->checked += j->certificate[k].checked;
    }
    return true;
}

static void warn(crs_regress_job *j, const char *text)
{
    snprintf(j->warning[j->warnings++], sizeof j->warning[0], "%s", text);
}

static void collect_warnings(crs_regress_job *j)
{
    ptrdiff_t most = 0;
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        const ptrdiff_t nonzero = crease_regression_at(j->model, k).nonzero;
        if (nonzero > most) most = nonzero;
    }
    if (most == 0 && j->lambda.data)
        warn(j, "every coefficient is zero at every lambda; give some below lambda_max");
    else if (most == 0)
        warn(j, "every coefficient is zero at every lambda: X explains nothing of y");
    if (j->folds && most > 0 && j->cv.best == j->s.path - 1)
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

static void print_solution(const crs_regress_job *j, const char *what, ptrdiff_t k)
{
    const crease_regression_solution s = crease_regression_at(j->model, k);
    const crease_regression_certificate *c = &j->certificate[k];
    printf("%-11s lambda %.6g, %td nonzero, deviance %.6g", what, s.lambda, s.nonzero, s.deviance);
    if (j->folds) printf(", left out %.6g +- %.3g", j->cv.mean[k], j->cv.error[k]);
    printf("\n%-11s %s\n", "", crease_convexity_text(c->convexity));
    crs_regress_print_columns(j, k);
}

static void print_summary(const crs_regress_job *j)
{
    const crease_regression_settings s = crease_regression_used(j->model);
    const ptrdiff_t last = j->s.path - 1;
    double worst = 0;
    for (ptrdiff_t k = 0; k <= last; k++) worst = larger(worst, j->certificate[k].relative);
    printf("data        %td rows, %td columns%s%s%s\n", j->n, j->p,
           s.standardize ? ", standardized" : "", s.intercept ? ", with an intercept" : "",
           s.row_weight ? ", rows weighed" : "");
    printf("model       %s loss, %s penalty\n", crs_regress_loss_name(s.loss),
           j->penalty.spec.name);
    printf("path        %td lambda%s from %.6g to %.6g; lambda_max is %.6g\n", s.path,
           s.path == 1 ? "" : "s", crease_regression_at(j->model, 0).lambda,
           crease_regression_at(j->model, last).lambda, crease_regression_lambda_max(j->model));
    printf("certified   %td of %td, relative residual at most %.1e (eps %g); checker %td of %td\n",
           j->certified, s.path, worst, s.eps, j->checked, s.path);
    if (j->folds) {
        print_solution(j, "best", j->cv.best);
        print_solution(j, "one error", j->cv.one_se);
    } else {
        print_solution(j, "last", last);
    }
    for (int k = 0; k < j->warnings; k++) printf("warning     %s\n", j->warning[k]);
    printf("result      %s\n", crs_given(j->a, CRS_OPT_OUT));
}

static bool build(crs_regress_job *j, crease_error *e)
{
    j->model = crease_regression_new(&j->s, j->n, j->p, j->X.data, j->y.data, e);
    return j->model;
}

static bool solve(crs_regress_job *j, crease_error *e)
{
    const int folds = j->folds;
    if (!crease_regression_fit(j->model, e)) return false;
    if (crease_regression_stopped(j->model)) j->folds = 0;
    if (j->folds &&
        !crease_regression_cv(j->model, j->X.data, j->y.data, j->folds, j->seed, &j->cv, e))
        return false;
    if (j->cv.count == 0) j->folds = 0;
    j->left_out = folds && !j->folds;
    j->asked = j->s.path;
    j->s.path = crease_regression_used(j->model).path;
    if (!certify(j, e)) return false;
    collect_warnings(j);
    j->outcome = crease_regression_stopped(j->model)
                     ? (crs_signals_caught() ? CREASE_STOPPED : CREASE_TIME_LIMIT)
                 : j->certified == j->s.path ? CREASE_STATIONARY
                                             : CREASE_ITERATION_LIMIT;
    return true;
}

static void stop(void *model) { crease_regression_stop(model); }

static bool deliver(const crs_regress_job *j, crease_error *e)
{
    if (!crs_outdir_begin(j->a, "result.json", e) || !crs_regress_tables(j, e) ||
        !crs_regress_plot(j, e) ||
        !crs_outdir_document(j->a, "result.json", crs_regress_json(j), e))
        return false;
    if (!crs_given(j->a, CRS_OPT_JSON)) print_summary(j);
    return true;
}

static bool fit(crs_regress_job *j, crease_error *e)
{
    crs_signals_enter(stop, j->model);
    const bool done = solve(j, e) && deliver(j, e);
    const int signal = crs_signals_leave();
    if (!done) return false;
    *j->a->status = j->outcome == CREASE_STATIONARY          ? 0
                    : j->outcome == CREASE_STOPPED && signal ? 128 + signal
                                                             : LIMIT;
    return true;
}

static bool run(const crs_args *a, crease_error *e)
{
    static const char *const file[] = { "solutions.csv", "coefficients.npy", "coefficients.csv",
                                        "cv.csv",        "path.svg",         "result.json" };
    crs_regress_job j = { .a = a };
    const bool done = crs_regress_options(&j, e) && crs_regress_read(&j, e) && build(&j, e) &&
                      crs_outdir_open(a, (int)(sizeof file / sizeof *file), file, e) && fit(&j, e);
    discard(&j);
    return done;
}

const crs_verb crs_regress_verb = {
    .name = "regress",
    .words = "X Y",
    .least = 2,
    .most = 2,
    .text =
        "Fit sparse regressions along a path of lambdas; --loss logistic classifies. With n rows "
        "the "
        "model is (1/n) sum_i loss(y_i, b_0 + x_i'b) + sum_j rho(|b_j|), rho any penalty of the "
        "catalogue at each lambda. The folder receives solutions.csv (a line a lambda), "
        "coefficients.npy (a row a lambda, the intercept first; coefficients.csv too where X is a "
        "text file with names in its first row), with --cv also cv.csv, "
        "path.svg and result.json. The exit code is 0 when every solution is certified "
        "stationary, 2 when not. Ctrl-C and --max-seconds end the path early; what there is of it "
        "is written.",
    .example = "crease regress X.npy y.npy --penalty mcp --standardize --intercept --out result",
    .takes = CRS_LIST(
        CRS_TAKES(PENALTY), CRS_TAKES(LOSS), CRS_TAKES(PATH), CRS_TAKES(LAMBDA), CRS_TAKES(CV),
        CRS_TAKES(STANDARDIZE), CRS_TAKES(INTERCEPT), CRS_TAKES(ASCENDING), CRS_TAKES(GROUPS),
        CRS_TAKES(WEIGHTS), CRS_TAKES(ROW_WEIGHTS), CRS_TAKES(eps), CRS_TAKES(max_iterations),
        CRS_TAKES(max_seconds), CRS_TAKES(seed), CRS_TAKES(OUT), CRS_TAKES(FORCE), CRS_TAKES(JSON)),
    .run = run,
};
