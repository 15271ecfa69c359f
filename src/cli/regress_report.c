/* SPDX-License-Identifier: MIT
 * regress_report: a path of regressions as text, tables, a picture and a document */
#include "cli/regress.h"

enum { PATH_ROOM = 4096 };

/* The name of column i, or "column 3" in out. */
static const char *column_name(const crs_regress_job *j, ptrdiff_t i, char out[CRS_NAME])
{
    if (j->names.count && j->names.name[i][0]) return j->names.name[i];
    snprintf(out, CRS_NAME, "column %td", i + 1);
    return out;
}

static void print_columns(const crs_regress_job *j, ptrdiff_t k)
{
    enum { FEW = 8 };
    const crease_regression_solution s = crease_regression_at(j->model, k);
    char name[CRS_NAME];
    ptrdiff_t met = 0;
    for (ptrdiff_t i = 0; i < j->p && met < FEW; i++)
        if (s.coef[i] != 0)
            printf("%s%.60s = %.6g", met++ ? "; " : "            ", column_name(j, i, name),
                   s.coef[i]);
    if (s.nonzero > FEW) printf("; and %td more", s.nonzero - FEW);
    if (s.nonzero > 0) printf("\n");
}

static void print_solution(const crs_regress_job *j, const char *what, ptrdiff_t k)
{
    const crease_regression_solution s = crease_regression_at(j->model, k);
    const crease_regression_certificate *c = &j->certificate[k];
    printf("%-11s lambda %.6g, %td nonzero, deviance %.6g", what, s.lambda, s.nonzero, s.deviance);
    if (j->folds) printf(", left out %.6g +- %.3g", j->cv.mean[k], j->cv.error[k]);
    printf("\n%-11s %s\n", "", crease_convexity_text(c->convexity));
    print_columns(j, k);
}

void crs_regress_print(const crs_regress_job *j)
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
    printf(
        "certified   %td of %td, also by the independent checker; relative residual at most %.1e "
        "(eps %g)\n",
        j->certified, s.path, worst, s.eps);
    if (j->folds) {
        print_solution(j, "best", j->cv.best);
        print_solution(j, "one error", j->cv.one_se);
    } else {
        print_solution(j, "last", last);
    }
    for (int k = 0; k < j->warnings; k++) printf("warning     %s\n", j->warning[k]);
    printf("result      %s\n", crs_given(j->a, CRS_OPT_OUT));
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
        const crease_regression_solution s = crease_regression_at(j->model, k);
        fprintf(f, "\n%.17g,%.17g", s.lambda, s.intercept);
        for (ptrdiff_t i = 0; i < j->p; i++) fprintf(f, ",%.17g", s.coef[i]);
    }
    fputc('\n', f);
    return !ferror(f);
}

/* With &amp; and the like. */
static void put_markup(FILE *f, const char *text)
{
    for (; *text; text++) {
        const char *const safe = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" : NULL;
        if (safe)
            fputs(safe, f);
        else if ((unsigned char)*text >= ' ')
            fputc(*text, f);
    }
}

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
    const char *folder = crs_given(j->a, CRS_OPT_OUT);
    return !folder ||
           (crs_join(folder, name, path, sizeof path, e) && crs_write_whole(path, how, j, e));
}

enum { WIDTH = 760, HEIGHT = 470, LEFT = 70, TOP = 50, RIGHT = 740, BOTTOM = 410 };

/* From log10(lambda), descending to the right, and a coefficient to the picture. */
typedef struct {
    const crs_regress_job *j;
    double first, last; /* log10(lambda) */
    double low, high;   /* coefficients */
} frame;

static double across(const frame *f, double lambda)
{
    const double wide = f->first - f->last;
    return LEFT + (RIGHT - LEFT) * (wide > 0 ? (f->first - log10(lambda)) / wide : 0.5);
}

static double down(const frame *f, double b)
{
    return BOTTOM - (BOTTOM - TOP) * ((b - f->low) / (f->high - f->low));
}

static frame frame_of(const crs_regress_job *j)
{
    frame f = { .j = j };
    f.first = log10(crease_regression_at(j->model, 0).lambda);
    f.last = log10(crease_regression_at(j->model, j->s.path - 1).lambda);
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        const double *b = crease_regression_at(j->model, k).coef;
        for (ptrdiff_t i = 0; i < j->p; i++) {
            f.low = smaller(f.low, b[i]);
            f.high = larger(f.high, b[i]);
        }
    }
    const double margin = f.high > f.low ? 0.04 * (f.high - f.low) : 1;
    f.low -= margin, f.high += margin;
    return f;
}

/* 1, 2 or 5 times a power of ten: about `count` of them over the range */
static double tick_step(double range, int count)
{
    const double rough = range / count, power = pow(10, floor(log10(rough))), part = rough / power;
    return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void put_axes(FILE *file, const frame *f)
{
    const double step = tick_step(f->high - f->low, 6);
    const int first = (int)ceil(f->low / step), last = (int)floor(f->high / step);
    for (int k = first; k <= last; k++) {
        const double y = down(f, k * step);
        fprintf(file, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>", LEFT, y, RIGHT);
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.4g</text>\n", LEFT - 6,
                y + 4, k * step);
    }
    const ptrdiff_t path = f->j->s.path, every = path > 8 ? (path + 7) / 8 : 1;
    for (ptrdiff_t k = 0; k < path; k += every) {
        const crease_regression_solution s = crease_regression_at(f->j->model, k);
        const double x = across(f, s.lambda);
        fprintf(file, "<path class=\"axis\" d=\"M%.1f %dv5\"/>", x, BOTTOM);
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.3g</text>", x,
                BOTTOM + 19, s.lambda);
        fprintf(file, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%td</text>\n", x, TOP - 8,
                s.nonzero);
    }
    fprintf(file, "<path class=\"axis\" d=\"M%d %dH%dM%d %dV%d\"/>\n", LEFT, BOTTOM, RIGHT, LEFT,
            TOP, BOTTOM);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">lambda</text>\n",
            (LEFT + RIGHT) / 2, BOTTOM + 42);
    fprintf(file,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">number of coefficients that are not "
            "zero</text>\n",
            (LEFT + RIGHT) / 2, TOP - 28);
    fprintf(file,
            "<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">"
            "coefficient</text>\n",
            (TOP + BOTTOM) / 2);
}

static void close_line(FILE *file, const frame *f, ptrdiff_t i)
{
    char name[CRS_NAME];
    fprintf(file, "\"><title>");
    put_markup(file, column_name(f->j, i, name));
    fprintf(file, "</title></polyline>\n");
}

/* Colours by the golden angle: neighbours differ. */
static void put_line(FILE *file, const frame *f, ptrdiff_t i)
{
    const crease_regression *m = f->j->model;
    const ptrdiff_t path = f->j->s.path;
    bool open = false;
    for (ptrdiff_t k = 0; k < path; k++) {
        const crease_regression_solution s = crease_regression_at(m, k);
        const bool near = s.coef[i] != 0 ||
                          (k > 0 && crease_regression_at(m, k - 1).coef[i] != 0) ||
                          (k + 1 < path && crease_regression_at(m, k + 1).coef[i] != 0);
        if (near && !open)
            fprintf(file, "<polyline stroke=\"hsl(%.0f,65%%,42%%)\" points=\"",
                    fmod(137.508 * (double)i, 360));
        if (near) fprintf(file, "%.1f,%.1f ", across(f, s.lambda), down(f, s.coef[i]));
        if (!near && open) close_line(file, f, i);
        open = near;
    }
    if (open) close_line(file, f, i);
}

static void put_mark(FILE *file, const frame *f, ptrdiff_t k, const char *text, int row)
{
    const double x = across(f, crease_regression_at(f->j->model, k).lambda);
    fprintf(file, "<path class=\"mark\" d=\"M%.1f %dV%d\"/>", x, TOP, BOTTOM);
    fprintf(file, "<text class=\"note\" x=\"%.1f\" y=\"%d\">%s</text>\n", x + 4, BOTTOM - 18 * row,
            text);
}

static bool put_picture(FILE *file, const void *what)
{
    const crs_regress_job *j = what;
    const frame f = frame_of(j);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<title>coefficients along the path</title>\n"
            "<style>polyline{fill:none;stroke-width:1.4}.grid{stroke:#ddd}.axis{stroke:#333;"
            "fill:none}.mark{stroke:#555;stroke-dasharray:4 "
            "3}.note{fill:#333;stroke:#fff;stroke-width:4;paint-order:stroke}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    put_axes(file, &f);
    for (ptrdiff_t i = 0; i < j->p; i++) put_line(file, &f, i);
    if (j->folds) put_mark(file, &f, j->cv.best, "least deviance", 1);
    if (j->folds && j->cv.one_se != j->cv.best)
        put_mark(file, &f, j->cv.one_se, "one standard error", 2);
    fprintf(file, "</svg>\n");
    return !ferror(file);
}

/* Of an earlier result in the same folder. */
static bool discard(const crs_regress_job *j, const char *name, crease_error *e)
{
    char path[PATH_ROOM];
    const char *folder = crs_given(j->a, CRS_OPT_OUT);
    if (folder && !crs_join(folder, name, path, sizeof path, e)) return false;
    if (folder) remove(path);
    return true;
}

bool crs_regress_write(const crs_regress_job *j, crease_error *e)
{
    const crease_space shape = crease_matrix(j->s.path, j->p + 1);
    return put(j, "solutions.csv", put_solutions, e) &&
           crs_outdir_array(j->a, "coefficients.npy", &shape, j->coefficients, e) &&
           (j->names.count ? put(j, "coefficients.csv", put_named, e)
                           : discard(j, "coefficients.csv", e)) &&
           (j->folds ? put(j, "cv.csv", put_scores, e) : discard(j, "cv.csv", e)) &&
           put(j, "path.svg", put_picture, e);
}

static json_t *certificate(const crease_regression_certificate *c)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:s, s:o, s:o, s:o}", "residual",
                     crs_real(c->residual.residual), "scale", crs_real(c->residual.scale),
                     "rounding", crs_real(c->residual.rounding), "relative", crs_real(c->relative),
                     "certified", c->certified, "checker",
                     c->checked ? json_string(crease_verdict_text(c->verdict)) : json_null(),
                     "convexity", crease_convexity_text(c->convexity), "eigenvalue",
                     crs_real(c->eigenvalue), "concavity", crs_real(c->concavity), "margin",
                     crs_real(c->margin));
}

static json_t *solutions(const crs_regress_job *j)
{
    json_t *list = json_array();
    for (ptrdiff_t k = 0; k < j->s.path; k++) {
        const crease_regression_solution s = crease_regression_at(j->model, k);
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:I, s:o, s:o, s:I, s:o}", "lambda", crs_real(s.lambda),
                            "intercept", crs_real(s.intercept), "nonzero", (json_int_t)s.nonzero,
                            "objective", crs_real(s.objective), "deviance", crs_real(s.deviance),
                            "sweeps", (json_int_t)s.sweeps, "certificate",
                            certificate(&j->certificate[k])));
    }
    return list;
}

static json_t *settings(const crs_regress_job *j)
{
    const crease_regression_settings s = crease_regression_used(j->model);
    const char *weights = crs_given(j->a, CRS_OPT_ROW_WEIGHTS);
    json_t *parameters = json_array();
    const int count = crease_param_count(j->penalty.params);
    for (int k = 0; k < count; k++)
        json_array_append_new(parameters, crs_real(j->penalty.reg.par[k]));
    return json_pack("{s:s, s:o, s:s, s:o, s:b, s:b, s:o, s:b, s:I, s:I, s:f, s:f, s:I}", "penalty",
                     j->penalty.spec.name, "parameters_at_lambda_1", parameters, "loss",
                     crs_regress_loss_name(s.loss), "loss_scale", crs_real(s.loss_scale),
                     "standardize", s.standardize, "intercept", s.intercept, "row_weights",
                     weights ? json_string(weights) : json_null(), "ascending", s.ascending, "path",
                     (json_int_t)s.path, "path_asked", (json_int_t)j->asked, "ratio", s.ratio,
                     "eps", s.eps, "seed", (json_int_t)j->seed);
}

static json_t *names(const crs_regress_job *j)
{
    json_t *list = j->names.count ? json_array() : json_null();
    for (ptrdiff_t i = 0; i < j->names.count; i++) {
        json_t *name = json_string(j->names.name[i]); /* NULL: not UTF-8 */
        json_array_append_new(list, name ? name : json_null());
    }
    return list;
}

static json_t *cross_validation(const crs_regress_job *j)
{
    if (!j->folds) return json_null();
    return json_pack("{s:i, s:I, s:o, s:I, s:o, s:o}", "folds", j->folds, "best",
                     (json_int_t)j->cv.best + 1, "lambda_min",
                     crs_real(crease_regression_at(j->model, j->cv.best).lambda), "one_se",
                     (json_int_t)j->cv.one_se + 1, "lambda_1se",
                     crs_real(crease_regression_at(j->model, j->cv.one_se).lambda), "deviance",
                     crs_real(j->cv.mean[j->cv.best]));
}

json_t *crs_regress_json(const crs_regress_job *j)
{
    json_t *warnings = json_array();
    for (int k = 0; k < j->warnings; k++)
        json_array_append_new(warnings, json_string(j->warning[k]));
    return json_pack("{s:i, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:I, s:o, s:o, s:o}",
                     "schema_version", 1, "verb", "regress", "version", crease_version(), "status",
                     crease_outcome_text(j->outcome), "rows", (json_int_t)j->n, "columns",
                     (json_int_t)j->p, "column_names", names(j), "settings", settings(j),
                     "lambda_max", crs_real(crease_regression_lambda_max(j->model)), "certified",
                     (json_int_t)j->certified, "cross_validation", cross_validation(j), "solutions",
                     solutions(j), "warnings", warnings);
}
