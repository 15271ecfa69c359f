/* SPDX-License-Identifier: MIT
 * rpca_report: the result of robust PCA as a document; numbers that are not finite are null */
#include "cli/rpca.h"

static json_t *residual(const char *name, const crease_residual *r)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:i, s:b}", "name", name, "residual",
                     crs_real(r->residual), "scale", crs_real(r->scale), "rounding",
                     crs_real(r->rounding), "setting", r->setting, "upper_bound", r->upper_bound);
}

static json_t *certificate(const crs_rpca_job *j)
{
    static const char *const part[] = { "E", "Z", "B" };
    const crease_certificate *c = crease_cp_fit_certificate(j->fit);
    const int d = j->s.model.shape.order;
    json_t *blocks = json_array();
    for (int i = 0; i < c->count; i++) {
        char name[16];
        snprintf(name, sizeof name, "X%d", i + 1);
        json_array_append_new(blocks, residual(i < d ? name : part[i - d], &c->block[i]));
    }
    json_array_append_new(blocks, residual("feasibility", &c->feasibility));
    return json_pack("{s:o, s:o, s:f, s:b, s:s, s:o, s:s, s:o}", "worst", crs_real(c->worst),
                     "worst_relative", crs_real(c->worst_relative), "eps", j->s.run.eps, "relative",
                     (int)j->s.run.relative, "verdict", crease_verdict_text(j->verified.verdict),
                     "smallest_eps", crs_real(j->verified.smallest_eps), "because",
                     j->verified.text, "residuals", blocks);
}

static json_t *analysis(const crs_rpca_job *j)
{
    const crease_analysis *a = crease_cp_fit_analysis(j->fit);
    json_t *list = json_array();
    for (int k = 0; k < a->assumptions; k++) {
        const crease_assumption *at = &a->assumption[k];
        json_array_append_new(list,
                              json_pack("{s:s, s:i, s:s, s:o, s:s}", "name", at->name, "block",
                                        at->block, "status", crease_status_text(at->status),
                                        "number", crs_real(at->number), "reason", at->reason));
    }
    return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "method",
                     crease_method_name(a->method), "mode", crease_mode_name(j->s.run.mode),
                     "theorem", a->theorem, "guarantee", a->guarantee, "beta", crs_real(a->beta),
                     "gamma", crs_real(a->gamma), "slack", crs_real(a->slack), "bound",
                     crs_real(crease_cp_fit_report(j->fit).bound), "assumptions", list);
}

/* Text, or null where the option was not given. */
static json_t *given(const crs_rpca_job *j, crs_option_id id)
{
    const char *text = crs_given(j->a, id);
    return text ? json_string(text) : json_null();
}

/* "mcp:0.25,3": with the parameters that were used, which may have been learned. */
static void penalty_text(const crs_rpca_job *j, const crease_reg *r, char *out, size_t size)
{
    const char *given = crs_given(j->a, CRS_OPT_PENALTY);
    size_t used = (size_t)snprintf(out, size, "%s", given ? given : "l1");
    if (!crs_given(j->a, CRS_OPT_GROUPS) && !crs_given(j->a, CRS_OPT_WEIGHTS) && r->penalty)
        used = (size_t)snprintf(out, size, "%s", r->penalty->name);
    else
        return;
    for (int k = 0; r->penalty->params[k].name && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%.17g", k ? "," : ":", r->par[k]);
}

static const char *init(const crs_rpca_job *j, const crease_cp_rpca_settings *s)
{
    const char *given = crs_given(j->a, CRS_OPT_INIT);
    if (given && strcmp(given, "auto") != 0) return given;
    if (s->start == CREASE_START_RANDOM) return "random";
    return crease_cp_fit_pilot(j->fit).starts > 0 ? "auto" : "als";
}

static json_t *settings(const crs_rpca_job *j)
{
    char penalty[160], hash[32];
    const crease_cp_fit_settings used = crease_cp_fit_used(j->fit);
    const crease_cp_rpca_settings *s = &used.model;
    penalty_text(j, &s->penalty, penalty, sizeof penalty);
    crs_reg_hash(&j->penalty, hash);
    return json_pack("{s:I, s:b, s:s, s:o, s:o, s:s, s:f, s:f, s:f, s:b, s:b, s:s, s:I, s:i}",
                     "rank", (json_int_t)s->rank, "rank_chosen", j->rank_reason[0] != 0, "penalty",
                     penalty, "groups", given(j, CRS_OPT_GROUPS), "weights",
                     given(j, CRS_OPT_WEIGHTS), "penalty_hash", hash, "alpha", s->alpha,
                     "alpha_noise", s->alpha_noise, "ridge", s->ridge, "nonneg", s->nonneg,
                     "unconstrained", s->unconstrained, "init", init(j, s), "seed",
                     (json_int_t)s->seed, "threads", used.threads);
}

/* What `crease verify` needs to find the data again. */
static json_t *data(const crs_rpca_job *j)
{
    return json_pack("{s:s, s:s, s:o, s:b, s:o}", "path", j->a->word[0], "hash", j->hash, "mask",
                     given(j, CRS_OPT_MASK), "missing", crs_given(j->a, CRS_OPT_MISSING) != NULL,
                     "merge", given(j, CRS_OPT_MERGE));
}

static json_t *pilot(const crs_rpca_job *j)
{
    const crease_cp_pilot p = crease_cp_fit_pilot(j->fit);
    if (p.starts == 0) return json_null();
    return json_pack("{s:i, s:s, s:I, s:o, s:o, s:o, s:o, s:o}", "starts", p.starts, "start",
                     p.start, "passes", (json_int_t)p.passes, "agreement", crs_real(p.agreement),
                     "spread", crs_real(p.spread), "deviation", crs_real(p.deviation), "threshold",
                     crs_real(p.threshold), "share", crs_real(p.share));
}

static json_t *weights(const crs_rpca_job *j)
{
    json_t *list = json_array();
    for (ptrdiff_t r = 0; r < j->s.model.rank; r++)
        json_array_append_new(list, crs_real(j->weight[r]));
    return list;
}

static json_t *audit(const crs_rpca_job *j)
{
    const crease_report r = crease_cp_fit_report(j->fit);
    return json_pack("{s:I, s:o, s:I, s:s}", "violations", (json_int_t)r.audit_violations, "worst",
                     crs_real(r.audit_worst), "accelerated", (json_int_t)r.accelerated, "note",
                     r.note);
}

json_t *crs_rpca_json(const crs_rpca_job *j)
{
    const crease_report r = crease_cp_fit_report(j->fit);
    json_t *errors = j->truth.f ? json_pack("{s:o, s:o}", "lowrank", crs_real(j->error_lowrank),
                                            "z", crs_real(j->error_z))
                                : json_null();
    return json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:I, s:f, s:f, s:o, s:o, s:I, s:o, s:o, s:o, "
                     "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "schema_version", 2, "verb", "rpca", "version", crease_version(), "status",
                     crs_rpca_status(j), "engine", crease_cp_fit_engine(j->fit), "objective",
                     crs_real(crease_cp_fit_certificate(j->fit)->objective), "iterations",
                     (json_int_t)r.iterations, "seconds", r.seconds, "forecast_bytes", j->bytes,
                     "shape", crs_dims(&j->given), "model_shape", crs_dims(&j->s.model.shape),
                     "missing", (json_int_t)crease_cp_fit_missing(j->fit), "data", data(j),
                     "settings", settings(j), "rank_table", crs_rpca_rank_json(j), "rank_reason",
                     j->rank_reason[0] ? json_string(j->rank_reason) : json_null(), "pilot",
                     pilot(j), "weights", weights(j), "errors", errors, "cosines",
                     crs_rpca_match_json(j), "analysis", analysis(j), "audit", audit(j),
                     "certificate", certificate(j));
}
