/* SPDX-License-Identifier: MIT
 * regress_options: what the command line says about the model and the path */
#include <stdlib.h>

#include "cli/regress.h"

static const char *const loss_name[] = {
#define X(id, name, meaning) #name,
    CREASE_REGRESSION_LOSSES(X)
#undef X
};
enum { LOSSES = sizeof loss_name / sizeof *loss_name };

const char *crs_regress_loss_name(crease_regression_loss loss) { return loss_name[loss]; }

static const char *name_at(int k) { return loss_name[k]; }

/* "squared", "logistic", "huber" or "huber:1.5" */
static bool read_loss(crs_regress_job *j, crease_error *e)
{
    const char *text = crs_given(j->a, CRS_OPT_LOSS), *number = text ? strchr(text, ':') : NULL;
    char name[32];
    if (!text) return true;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":") < 31 ? (int)strcspn(text, ":") : 31,
             text);
    const int k = crs_find("loss", name, LOSSES, name_at, e);
    if (k < 0) return false;
    j->s.loss = (crease_regression_loss)k;
    const bool scaled = k == CREASE_REGRESSION_HUBER || k == CREASE_REGRESSION_CAUCHY;
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
    if (strcmp(penalty, "mcp") == 0) return logistic ? 12 : 3;
    if (strcmp(penalty, "scad") == 0) return logistic ? 11.8 : 3.7;
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
    return true;
}

bool crs_regress_options(crs_regress_job *j, crease_error *e)
{
    const char *penalty = crs_given(j->a, CRS_OPT_PENALTY);
    char text[160];
    double folds, seed, sweeps;
    j->s = crease_regression_default();
    j->s.standardize = crs_given(j->a, CRS_OPT_STANDARDIZE);
    j->s.intercept = crs_given(j->a, CRS_OPT_INTERCEPT);
    j->s.ascending = crs_given(j->a, CRS_OPT_ASCENDING);
    if (!read_loss(j, e) || !spell(j, penalty ? penalty : "l1", text, e) ||
        !crs_reg_open(text, &j->penalty, e) || !read_path(j, e) ||
        !crs_option_integer(j->a, CRS_OPT_CV, 2, 1e6, 0, &folds, e) ||
        !crs_option_integer(j->a, CRS_OPT_seed, 0, 0x1p53, 0, &seed, e) ||
        !crs_option_integer(j->a, CRS_OPT_max_iterations, 0, 2e9, 1e5, &sweeps, e))
        return false;
    j->folds = (int)folds;
    j->seed = (uint64_t)seed;
    j->s.max_sweeps = (long)sweeps;
    if (crs_given(j->a, CRS_OPT_max_seconds) &&
        !crs_option_number(j->a, CRS_OPT_max_seconds, 0, &j->s.max_seconds, e))
        return false;
    return !crs_given(j->a, CRS_OPT_eps) || crs_option_number(j->a, CRS_OPT_eps, 0, &j->s.eps, e);
}
