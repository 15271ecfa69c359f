/* SPDX-License-Identifier: MIT
 * regress_report: a path of regressions as text, tables, a picture and a document */
#include "cli/regress.h"
#include "report/report.h"

/* The name of column i, or "column 3" in out. */
static const char *column_name(const crs_regress_job *j, ptrdiff_t i, char out[CRS_NAME])
{
    if (j->columns.label && j->columns.label[i][0]) return j->columns.label[i];
    if (j->columns.at)
        crs_index_text(&j->columns, i, out, CRS_NAME);
    else
        snprintf(out, CRS_NAME, "column %td", i + 1);
    return out;
}

/* The largest coefficients by name. */
static void print_columns(const crs_regress_job *j, ptrdiff_t k)
{
    enum { FEW = 8 };
    const crease_regression_solution s = *crease_regression_at(j->model, k);
    char name[CRS_NAME], text[1000] = "";
    ptrdiff_t met = 0;
    for (size_t i = 0, used = 0; i < (size_t)j->p && met < FEW && used < sizeof text; i++)
        if (s.coef[i] != 0)
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%.60s = %.3g",
                                 met++ ? "; " : "", column_name(j, (ptrdiff_t)i, name), s.coef[i]);
    if (s.nonzero > FEW)
        crs_line("", "%s; and %td more", text, s.nonzero - FEW);
    else if (s.nonzero > 0)
        crs_line("", "%s", text);
}

static void print_solution(const crs_regress_job *j, const char *what, ptrdiff_t k)
{
    const crease_regression_solution s = *crease_regression_at(j->model, k);
    const crease_regression_certificate *c = &j->certificate[k];
    char left_out[80] = "";
    if (j->folds)
        snprintf(left_out, sizeof left_out, ", on rows left out %.3g +- %.2g", j->cv.mean[k],
                 j->cv.error[k]);
    crs_line(what, "%td of %td columns at lambda %.3g; deviance %.3g%s", s.nonzero, j->p, s.lambda,
             s.deviance, left_out);
    if (s.nonzero == 0)
        crs_line("", "nothing is selected: lambda must be below %.3g",
                 crease_regression_lambda_max(j->model));
    print_columns(j, k);
    crs_line("", "%s", crease_convexity_text(c->convexity));
    if (c->gap < INFINITY)
        crs_line("", "the objective, %.6g, is at most %.2g above its least value", s.objective,
                 c->gap);
}

static void print_data(const crs_regress_job *j, const crease_regression_settings *s)
{
    const ptrdiff_t last = j->s.path - 1;
    crs_print("%s  %td rows, %td columns%s%s%s\n\n", j->a->word[0], j->n, j->p,
              s->standardize ? ", standardized" : "", s->intercept ? ", with an intercept" : "",
              s->row_weight ? ", rows weighed" : "");
    crs_line("model", "%s loss, %s penalty", crs_regress_loss_name(s->loss), j->penalty.spec.name);
    crs_line("path", "%td lambda%s from %.3g to %.3g; above %.3g nothing is selected", s->path,
             s->path == 1 ? "" : "s", crease_regression_at(j->model, 0)->lambda,
             crease_regression_at(j->model, last)->lambda, crease_regression_lambda_max(j->model));
}

void crs_regress_print(const crs_regress_job *j)
{
    const crease_regression_settings s = *crease_regression_used(j->model);
    const crs_trust trust = { .outcome = j->outcome,
                              .verdict = j->verified[j->worst].verdict,
                              .why = j->verified[j->worst].text,
                              .residual = j->residual,
                              .eps = s.eps,
                              .relative = true };
    crs_say_doubt(j->a, &trust);
    print_data(j, &s);
    if (j->folds) {
        print_solution(j, "best", j->cv.best);
        print_solution(j, "one error", j->cv.one_se);
    } else {
        print_solution(j, "last", j->s.path - 1);
    }
    for (int k = 0; k < j->warnings; k++) crs_line("warning", "%s", j->warning[k]);
    crs_say_trust(j->a, &trust);
    crs_line("", "%td of %td solutions are certified, each also by the independent checker",
             j->certified, s.path);
    crs_say_place(j->a, &j->folder);
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

/* lambda, intercept, and a column per name; only where there are names. */
static bool put_named(FILE *f, const void *job)
{
    const crs_regress_job *j = job;
    char name[CRS_NAME];
    fprintf(f, "lambda,intercept");
    for (ptrdiff_t i = 0; i < j->p; i++) fputc(',', f), put_cell(f, column_name(j, i, name));
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        const crease_regression_solution s = *crease_regression_at(j->model, k);
        fprintf(f, "\n%.17g,%.17g", s.lambda, s.intercept);
        for (ptrdiff_t i = 0; i < j->p; i++) fprintf(f, ",%.17g", s.coef[i]);
    }
    fputc('\n', f);
    return !ferror(f);
}

/* One line a lambda; the last cell lists column:coefficient, columns counted from 1. */
static bool put_solutions(FILE *f, const void *what)
{
    const crs_regress_job *j = what;
    fprintf(f, "lambda,nonzero,objective,deviance,residual,certified,intercept,coefficients\n");
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        const crease_regression_solution s = *crease_regression_at(j->model, k);
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
        const crease_regression_solution s = *crease_regression_at(j->model, k);
        fprintf(f, "%.17g,%td,%.17g,%.17g\n", s.lambda, s.nonzero, j->cv.mean[k], j->cv.error[k]);
    }
    return !ferror(f);
}

static const char *named(const void *job, ptrdiff_t i, char out[CRS_LABEL])
{
    char name[CRS_NAME];
    snprintf(out, CRS_LABEL, "%.*s", CRS_LABEL - 1, column_name(job, i, name));
    return out;
}

static bool put_picture(FILE *file, const void *what)
{
    const crs_regress_job *j = what;
    const crease_regression_settings s = *crease_regression_used(j->model);
    const crs_path w = { .path = s.path,
                         .columns = j->p,
                         .lambda = s.lambda,
                         .coef = j->coefficients,
                         .best = j->folds ? j->cv.best : -1,
                         .one_se = j->folds ? j->cv.one_se : -1,
                         .name = named,
                         .from = j };
    return crs_path_svg(file, &w);
}

/* The number of a group for every column; weights of columns or groups, and of rows; folds. */
static bool write_given(crs_regress_job *j, crease_error *e)
{
    const crease_space columns = crease_vector(j->p), rows = crease_vector(j->n);
    const crease_groups *g = j->s.penalty.groups;
    double *label = g ? crs_doubles(j->p, "the groups", e) : NULL;
    if (g && !label) return false;
    for (ptrdiff_t u = 0; g && u < g->count; u++)
        for (ptrdiff_t k = g->start[u]; k < g->start[u + 1]; k++)
            label[g->index ? g->index[k] : k] = (double)u;
    const bool done =
        (!g || crs_folder_array(&j->folder, "groups.npy", &columns, label, e)) &&
        (!j->penalty.weights.data ||
         crs_folder_array(&j->folder, "penalty_weights.npy", &j->penalty.weights.shape,
                          j->penalty.weights.data, e)) &&
        (!j->fold.data || crs_folder_array(&j->folder, "folds.npy", &rows, j->fold.data, e)) &&
        (!j->row_weight.data ||
         crs_folder_array(&j->folder, "row_weights.npy", &rows, j->row_weight.data, e));
    crs_free(label);
    return done;
}

static void put_files(const crs_regress_job *j, crs_spot list)
{
    const crs_data X = { .role = "X",
                         .path = j->a->word[0],
                         .shape = &j->X.shape,
                         .hash = j->hash[0],
                         .asked = &j->reading,
                         .scale = j->X.scale };
    const crs_data y = {
        .role = "y", .path = j->a->word[1], .shape = &j->y.shape, .hash = j->hash[1]
    };
    crs_put_data(list, &j->folder, &X);
    crs_put_data(list, &j->folder, &y);
    if (!j->in_rows || !crs_given(j->a, CRS_OPT_ROW_WEIGHTS)) return;
    const crs_data weights = { .role = "row_weights",
                               .path = crs_given(j->a, CRS_OPT_ROW_WEIGHTS),
                               .shape = &j->row_weight.shape,
                               .hash = j->hash[2] };
    crs_put_data(list, &j->folder, &weights);
}

/* The point of every lambda by the entries that are not 0, exactly. */
static void put_points(const crs_regress_job *j, crs_spot list)
{
    const crease_regression_settings s = *crease_regression_used(j->model);
    const bool ones = s.intercept && s.loss != CREASE_REGRESSION_SQUARED;
    for (ptrdiff_t k = 0; k < s.path; k++) {
        const double *b = crease_regression_point(j->model, k);
        const crs_spot to = crs_put_object(list, NULL);
        crs_put_exact(to, "lambda", s.lambda[k]);
        if (ones) crs_put_exact(to, "b_0", b[j->p]);
        const crs_spot column = crs_put_list(to, "columns"), value = crs_put_list(to, "b");
        for (ptrdiff_t i = 0; i < j->p; i++) {
            if (b[i] == 0) continue;
            crs_put_whole(column, NULL, i + 1);
            crs_put_exact(value, NULL, b[i]);
        }
    }
}

static bool write_certificate(crs_regress_job *j, crease_error *e)
{
    const crease_regression_settings s = *crease_regression_used(j->model);
    crs_document d;
    const crs_spot top = crs_certificate_begin(&d, "regress", "regress", s.eps, true);
    put_files(j, crs_put_list(top, "data"));
    const crs_spot to = crs_put_object(top, "settings");
    crs_put_text(to, "penalty", j->penalty_text);
    crs_put_text(to, "loss", crs_regress_loss_name(s.loss));
    crs_put_exact(to, "loss_scale", s.loss_scale);
    crs_put_flag(to, "standardize", s.standardize);
    crs_put_flag(to, "intercept", s.intercept);
    crs_put_text(to, "groups", s.penalty.groups ? "groups.npy" : NULL);
    crs_put_text(to, "weights", j->penalty.weights.data ? "penalty_weights.npy" : NULL);
    crs_put_text(to, "row_weights", j->row_weight.data ? "row_weights.npy" : NULL);
    crs_put_text(top, "coefficients", "coefficients.npy");
    put_points(j, crs_put_list(top, "solutions"));
    return crs_folder_certify(&j->folder, &d, e);
}

bool crs_regress_write(crs_regress_job *j, crease_error *e)
{
    const crease_space shape = crease_matrix(j->s.path, j->p + 1);
    crs_folder *f = &j->folder;
    return crs_folder_put(f, "solutions.csv", put_solutions, j, e) &&
           crs_folder_array(f, "coefficients.npy", &shape, j->coefficients, e) &&
           (!j->columns.count || crs_folder_put(f, "coefficients.csv", put_named, j, e)) &&
           (!j->folds || crs_folder_put(f, "cv.csv", put_scores, j, e)) &&
           crs_folder_put(f, "path.svg", put_picture, j, e) && write_given(j, e) &&
           crs_folder_put(f, "history.csv", crs_history_put, j->a->watch, e) &&
           write_certificate(j, e);
}

static void put_certificate(const crs_regress_job *j, ptrdiff_t k, crs_spot to)
{
    const crease_regression_certificate *c = &j->certificate[k];
    crs_put_number(to, "residual", c->residual.residual);
    crs_put_number(to, "scale", c->residual.scale);
    crs_put_number(to, "rounding", c->residual.rounding);
    crs_put_number(to, "relative", c->relative);
    crs_put_flag(to, "certified", c->certified);
    crs_put_text(to, "verdict", crease_verdict_text(c->verdict));
    crs_put_number(to, "smallest_eps", j->verified[k].smallest_eps);
    crs_put_text(to, "convexity", crease_convexity_text(c->convexity));
    crs_put_number(to, "gap", c->gap);
    crs_put_number(to, "eigenvalue", c->eigenvalue);
    crs_put_number(to, "concavity", c->concavity);
    crs_put_number(to, "margin", c->margin);
}

static void put_solution(const crs_regress_job *j, ptrdiff_t k, crs_spot to)
{
    const crease_regression_solution s = *crease_regression_at(j->model, k);
    crs_put_number(to, "lambda", s.lambda);
    crs_put_number(to, "intercept", s.intercept);
    crs_put_whole(to, "nonzero", s.nonzero);
    crs_put_number(to, "objective", s.objective);
    crs_put_number(to, "deviance", s.deviance);
    crs_put_whole(to, "sweeps", s.sweeps);
    put_certificate(j, k, crs_put_object(to, "certificate"));
}

static void put_settings(const crs_regress_job *j, crs_spot to)
{
    const crease_regression_settings s = *crease_regression_used(j->model);
    crs_put_text(to, "penalty", j->penalty.spec.name);
    crs_put_parameters(to, "parameters_at_lambda_1", j->penalty.params, j->penalty.reg.par);
    crs_put_text(to, "loss", crs_regress_loss_name(s.loss));
    crs_put_number(to, "loss_scale", s.loss_scale);
    crs_put_flag(to, "standardize", s.standardize);
    crs_put_flag(to, "intercept", s.intercept);
    crs_put_text(to, "groups", crs_given(j->a, CRS_OPT_GROUPS));
    crs_put_text(to, "weights", crs_given(j->a, CRS_OPT_WEIGHTS));
    crs_put_text(to, "row_weights", crs_given(j->a, CRS_OPT_ROW_WEIGHTS));
    crs_put_flag(to, "ascending", s.ascending);
    crs_put_whole(to, "path", s.path);
    crs_put_whole(to, "path_asked", j->asked);
    crs_put_number(to, "ratio", s.ratio);
    crs_put_number(to, "eps", s.eps);
    crs_put_whole(to, "max_iterations", s.max_sweeps);
    crs_put_number(to, "max_seconds", s.max_seconds);
    crs_put_whole(to, "folds", j->folds);
    crs_put_text(to, "fold_labels", crs_given(j->a, CRS_OPT_FOLDS));
    crs_put_whole(to, "seed", (long long)j->seed);
}

static void put_scores_of(const crs_regress_job *j, crs_spot to)
{
    crs_put_whole(to, "folds", j->folds);
    crs_put_whole(to, "best", j->cv.best + 1);
    crs_put_number(to, "lambda_min", crease_regression_at(j->model, j->cv.best)->lambda);
    crs_put_whole(to, "one_se", j->cv.one_se + 1);
    crs_put_number(to, "lambda_1se", crease_regression_at(j->model, j->cv.one_se)->lambda);
    crs_put_number(to, "deviance", j->cv.mean[j->cv.best]);
}

static void put_names(const crs_regress_job *j, crs_spot to)
{
    if (!j->columns.count) {
        crs_put_null(to, "column_names");
        return;
    }
    const crs_spot list = crs_put_list(to, "column_names");
    for (ptrdiff_t i = 0; i < j->p; i++) {
        char name[CRS_NAME];
        crs_put_text(list, NULL, j->columns.label ? j->columns.label[i] : column_name(j, i, name));
    }
}

void crs_regress_result(const crs_regress_job *j, crs_document *d)
{
    const crs_summary s = { .verb = "regress",
                            .model = crs_regress_loss_name(j->s.loss),
                            .outcome = j->outcome,
                            .verdict = crease_verdict_text(j->verified[j->worst].verdict),
                            .verdict_text = j->verified[j->worst].text,
                            .exit_status = j->exit_status,
                            .method = "coordinate-descent",
                            .objective = NAN,
                            .residual = j->residual,
                            .eps = j->s.eps,
                            .relative = true,
                            .iterations = j->sweeps,
                            .passes = -1,
                            .evaluations = -1,
                            .watch = j->a->watch };
    const crs_result r = crs_result_begin(d, &s);
    put_files(j, r.data);
    crs_put_axes(r.top, "axes", &j->X.axes, j->X.shape.order);
    put_settings(j, r.settings);
    crs_put_whole(r.details, "rows", j->n);
    crs_put_whole(r.details, "columns", j->p);
    put_names(j, r.details);
    crs_put_number(r.details, "lambda_max", crease_regression_lambda_max(j->model));
    crs_put_whole(r.details, "certified", j->certified);
    if (j->folds)
        put_scores_of(j, crs_put_object(r.details, "cross_validation"));
    else
        crs_put_null(r.details, "cross_validation");
    const crs_spot list = crs_put_list(r.details, "solutions");
    for (ptrdiff_t k = 0; k < j->s.path; k++) put_solution(j, k, crs_put_object(list, NULL));
    const crs_spot warnings = crs_put_list(r.details, "warnings");
    for (int k = 0; k < j->warnings; k++) crs_put_text(warnings, NULL, j->warning[k]);
}
