/* SPDX-License-Identifier: MIT
 * rpca_tucker_print: what became of a Tucker or matrix model, as JSON and as text */
#include "cli/rpca_tucker.h"

json_t *crs_tucker_facts(const crs_tucker_job *j)
{
    const crease_tucker_rpca_facts f = crease_tucker_rpca_about(j->model);
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:f, s:I, s:o}", "model",
                     crs_given(j->a, CRS_OPT_MODEL), "shape", crs_dims(&j->given), "model_shape",
                     crs_dims(&f.used.shape), "ranks", crs_dims(&f.used.ranks), "alpha",
                     crs_real(f.used.alpha), "threshold", crs_real(f.threshold), "deviation",
                     crs_real(f.deviation), "passes", (json_int_t)f.passes, "fit_seconds",
                     j->seconds, "missing", (json_int_t)f.missing, "error_lowrank",
                     crs_real(j->error));
}

static void summary(const crs_tucker_job *j, const crs_run *run)
{
    const crease_tucker_rpca_facts f = crease_tucker_rpca_about(j->model);
    const crease_report r = crease_solver_report(run->solver);
    const crease_certificate *c = crease_solver_certificate(run->solver);
    printf("status      %s\n", crease_outcome_text(r.outcome));
    if (f.used.form != CREASE_RPCA_CONVEX) {
        printf("ranks      ");
        for (int n = 0; n < f.used.ranks.order; n++) printf(" %td", f.used.ranks.dim[n]);
        printf("\nnoise       %.6g (robust standard deviation)\n", f.deviation);
        printf("outliers    beyond %.6g\n", f.threshold);
        printf("fit         %ld passes over the data\n", f.passes);
    }
    if (f.used.form == CREASE_RPCA_BALL) printf("eta         %.6g\n", f.used.eta);
    printf("alpha       %.6g\n", f.used.alpha);
    printf("objective   %.12g\n", c->objective);
    printf("residual    %.3e%s (eps %g)\n", j->run.relative ? c->worst_relative : c->worst,
           j->run.relative ? " relative" : "", j->run.eps);
    printf("verdict     %s\n", crease_verdict_text(run->verified->verdict));
    printf("engine      %ld iterations of %s\n", r.iterations,
           crease_method_name(crease_solver_analysis(run->solver)->method));
    if (j->truth.data) printf("error       %.6g of the low-rank part\n", j->error);
    printf("result      %s\n", crs_given(j->a, CRS_OPT_OUT));
}

bool crs_tucker_print(const crs_tucker_job *j, const crs_run *run, json_t *more, crease_error *e)
{
    if (!crs_given(j->a, CRS_OPT_JSON)) return summary(j, run), true;
    json_t *result = crs_result_json(run);
    if (result) json_object_update_missing(result, more);
    return crs_print_document(result, e);
}
