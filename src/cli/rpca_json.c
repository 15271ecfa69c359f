/* SPDX-License-Identifier: MIT
 * rpca_json: the result of robust PCA as a document; numbers that are not finite are null */
#include "cli/rpca.h"

static json_t *residual(const char *name, const crease_residual *r)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:i, s:b}", "name", name, "residual",
                     crs_real(r->residual), "scale", crs_real(r->scale), "rounding",
                     crs_real(r->rounding), "setting", r->setting, "upper_bound", r->upper_bound);
}

static json_t *certificate(const crs_rpca_job *j)
{
    const crease_certificate *c = crease_solver_certificate(j->solver);
    const crease_problem *p = crease_cp_rpca_problem(j->model);
    json_t *blocks = json_array();
    for (int i = 0; i < c->count; i++)
        json_array_append_new(blocks, residual(p->block[i].name, &c->block[i]));
    if (p->range.order > 0) json_array_append_new(blocks, residual("feasibility", &c->feasibility));
    return json_pack("{s:o, s:o, s:f, s:b, s:o}", "worst", crs_real(c->worst), "worst_relative",
                     crs_real(c->worst_relative), "eps", j->o.eps, "relative", (int)j->o.relative,
                     "residuals", blocks);
}

static json_t *analysis(const crs_rpca_job *j)
{
    const crease_analysis *a = crease_solver_analysis(j->solver);
    json_t *list = json_array();
    for (int k = 0; k < a->assumptions; k++) {
        const crease_assumption *at = &a->assumption[k];
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:s, s:o, s:s}", "name", at->name, "block",
                                        at->block, "status", crease_status_text(at->status),
                                        "number", crs_real(at->number), "reason", at->reason));
    }
    return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "method",
                     crease_method_name(a->method), "mode",
                     j->paper ? "paper" : crease_mode_name(a->mode), "theorem", a->theorem,
                     "guarantee", a->guarantee, "beta", crs_real(a->beta), "gamma",
                     crs_real(a->gamma), "slack", crs_real(a->slack), "bound",
                     crs_real(crease_solver_report(j->solver).bound), "assumptions", list);
}

static json_t *settings(const crs_rpca_job *j)
{
    const crease_cp_rpca_settings s = crease_cp_rpca_used(j->model);
    const char *given = crs_given(j->a, CRS_OPT_PENALTY), *init = crs_given(j->a, CRS_OPT_INIT);
    return json_pack("{s:I, s:b, s:s, s:f, s:f, s:f, s:b, s:b, s:s, s:I}", "rank",
                     (json_int_t)s.rank, "rank_chosen", j->rank_chosen, "penalty",
                     given ? given : "l1", "alpha", s.alpha, "alpha_noise", s.alpha_noise, "ridge",
                     s.ridge, "nonneg", s.nonneg, "unconstrained", s.unconstrained, "init",
                     init                             ? init
                     : s.start == CREASE_START_RANDOM ? "random"
                                                      : "als",
                     "seed", (json_int_t)s.seed);
}

static json_t *weights(const crs_rpca_job *j)
{
    json_t *list = json_array();
    for (ptrdiff_t r = 0; r < j->s.rank; r++) json_array_append_new(list, crs_real(j->weight[r]));
    return list;
}

json_t *crs_rpca_json(const crs_rpca_job *j)
{
    const crease_report r = crease_solver_report(j->solver);
    json_t *errors = j->truth.data ? json_pack("{s:o, s:o}", "lowrank", crs_real(j->error_lowrank),
                                               "z", crs_real(j->error_z))
                                   : json_null();
    return json_pack(
        "{s:i, s:s, s:s, s:s, s:o, s:I, s:I, s:f, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:s}",
        "schema_version", 1, "verb", "rpca", "version", crease_version(), "status",
        crease_outcome_text(r.outcome), "objective",
        crs_real(crease_solver_certificate(j->solver)->objective), "iterations",
        (json_int_t)r.iterations, "evaluations", (json_int_t)r.evaluations, "seconds", r.seconds,
        "shape", crs_dims(&j->given), "model_shape", crs_dims(&j->s.shape), "missing",
        (json_int_t)crease_cp_rpca_missing(j->model), "settings", settings(j), "weights",
        weights(j), "errors", errors, "analysis", analysis(j), "certificate", certificate(j),
        "note", r.note);
}
