/* SPDX-License-Identifier: MIT
 * regress_json: the result of a regression as a document; numbers that are not finite are null */
#include "cli/regress.h"

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
    return json_pack("{s:i, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o}",
                     "schema_version", 1, "verb", "regress", "version", crease_version(), "status",
                     crease_outcome_text(j->outcome), "rows", (json_int_t)j->n, "columns",
                     (json_int_t)j->p, "column_names", names(j), "settings", settings(j),
                     "lambda_max", crs_real(crease_regression_lambda_max(j->model)), "certified",
                     (json_int_t)j->certified, "checked", (json_int_t)j->checked,
                     "cross_validation", cross_validation(j), "solutions", solutions(j), "warnings",
                     warnings);
}
