/* SPDX-License-Identifier: MIT
 * result_analysis: an analysis as JSON */
#include "io/result/result.h"

static json_t *assumptions(const crease_problem *p, const crease_analysis *a)
{
    json_t *list = json_array();
    for (int k = 0; list && k < a->assumptions; k++) {
        const crease_assumption *at = &a->assumption[k];
        json_t *block = at->block < 0 ? json_null() : json_string(crs_planned_name(p, at->block));
        json_t *line = json_pack("{s:s, s:o, s:s, s:o, s:s}", "name", at->name, "block", block,
                                 "status", crease_status_text(at->status), "number",
                                 crs_json_real(at->number), "reason", at->reason);
        if (json_array_append_new(list, line) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *plan(const crease_problem *p, const crease_analysis *a, int i)
{
    const crease_block_plan *b = &a->block[i];
    return json_pack("{s:s, s:b, s:b, s:o, s:o, s:o, s:o, s:i, s:o}", "block",
                     crs_planned_name(p, i), "last", i == a->last, "exact", b->exact, "h",
                     crs_json_real(b->h), "h_relative", crs_json_real(b->h_relative), "L",
                     crs_json_real(b->lipschitz), "map_norm", crs_json_real(b->map_norm), "setting",
                     b->setting, "diameter", crs_json_real(b->diameter));
}

static json_t *parameters(const crease_problem *p, const crease_analysis *a)
{
    json_t *h = json_array(), *exact = json_array(), *blocks = json_array();
    for (int i = 0; i < a->count; i++) {
        json_array_append_new(h, crs_json_real(a->block[i].h));
        json_array_append_new(exact, json_boolean(a->block[i].exact));
        json_array_append_new(blocks, plan(p, a, i));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "beta", crs_json_real(a->beta), "gamma",
                     crs_json_real(a->gamma), "ell", crs_json_real(a->ell), "mu",
                     crs_json_real(a->mu), "h", h, "exact", exact, "blocks", blocks);
}

static json_t *constants(const crease_analysis *a)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "L", crs_json_real(a->L), "M",
                     crs_json_real(a->M), "L_last", crs_json_real(a->L_last), "sigma_last",
                     crs_json_real(a->last >= 0 ? a->sigma_last : NAN), "p", crs_json_real(a->p),
                     "rho", crs_json_real(a->rho), "lower", crs_json_real(a->lower), "concave",
                     a->concave);
}

json_t *crs_analysis_json(const crease_problem *p, const crease_analysis *a, double bound)
{
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o}", "assumptions", assumptions(p, a), "theorem",
                     a->theorem ? a->theorem : "none", "parameters", parameters(p, a), "slack",
                     crs_json_real(a->slack), "bound", crs_json_real(bound), "constants",
                     constants(a));
}
