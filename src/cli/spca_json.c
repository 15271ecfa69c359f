/* SPDX-License-Identifier: MIT
 * spca_json: the result of sparse PCA as a document; numbers that are not finite are null */
#include "cli/spca.h"

static json_t *component(const crs_spca_job *j, int k)
{
    const crease_spca_component *c = &j->component[k];
    json_t *support = json_array(), *length = json_array();
    for (int n = 0; n < j->s.shape.order; n++) {
        json_array_append_new(support, json_integer(crs_spca_support(j, n, k)));
        json_array_append_new(length, crs_real(c->length[n]));
    }
    json_t *certificate = json_pack(
        "{s:s, s:o, s:f, s:b, s:s, s:s}", "verdict", crease_verdict_text(c->verdict),
        "smallest_eps", crs_real(c->smallest_eps), "eps", c->eps, "relative", (int)j->o.relative,
        "measure", c->method == CREASE_METHOD_GCG ? "-psi_S" : "gap of every block", "theorem",
        c->theorem ? c->theorem : "none");
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:s, s:i, s:i, s:i, s:I, s:f, s:o}",
                     "sigma", crs_real(c->sigma), "alpha", crs_real(c->alpha), "objective",
                     crs_real(c->objective), "residual_norm", crs_real(c->norm), "nonzeros",
                     support, "lengths", length, "zero", c->zero, "status",
                     crease_outcome_text(c->outcome), "starts", c->starts, "kept_start", c->start,
                     "agree", c->agree, "iterations", (json_int_t)c->iterations, "seconds",
                     c->seconds, "certificate", certificate);
}

json_t *crs_spca_json(const crs_spca_job *j)
{
    const char *penalty = crs_given(j->a, CRS_OPT_PENALTY);
    json_t *components = json_array();
    for (int k = 0; k < j->run; k++) json_array_append_new(components, component(j, k));
    const bool given = j->s.alpha > 0, noisy = !given && j->s.threshold > 0;
    json_t *settings = json_pack(
        "{s:s, s:o, s:o, s:o, s:I, s:i, s:s, s:s, s:I}", "penalty", penalty ? penalty : "l1",
        "alpha", given ? crs_real(j->s.alpha) : json_string(noisy ? "noise" : "auto"), "fraction",
        given || noisy ? json_null() : crs_real(j->s.fraction), "threshold",
        noisy ? crs_real(j->s.threshold) : json_null(), "components", (json_int_t)j->components,
        "starts", j->s.starts, "method", crease_method_name(j->component[0].method), "mode",
        crease_mode_name(j->o.mode), "seed", (json_int_t)j->s.seed);
    const double left = j->component[j->run - 1].norm;
    return json_pack("{s:i, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "schema_version", 1, "verb",
                     "spca", "version", crease_version(), "stopped", j->stopped, "shape",
                     crs_dims(&j->s.shape), "norm", crs_real(j->norm), "explained",
                     crs_real(j->norm > 0 ? 1 - square(left / j->norm) : 0), "settings", settings,
                     "components", components);
}
