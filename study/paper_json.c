/* SPDX-License-Identifier: MIT
 * paper_json: every number of a table, with every run */
#include "cli/cli.h"
#include "study/paper_verb.h"

static json_t *figures(const crs_paper_figures *f)
{
    return json_pack("{s:f, s:f, s:i, s:i}", "iterations", f->iterations, "error", f->error,
                     "successes", f->successes, "instances", f->instances);
}

static json_t *difference(const crs_paper_difference *d)
{
    return json_pack("{s:{s:o, s:b}, s:{s:o, s:b}, s:{s:o, s:b}}", "iterations", "standard_errors",
                     crs_real(d->score[CRS_ITER]), "differs", d->differs[CRS_ITER], "error",
                     "standard_errors", crs_real(d->score[CRS_ERR]), "differs", d->differs[CRS_ERR],
                     "successes", "standard_errors", crs_real(d->score[CRS_NUM]), "differs",
                     d->differs[CRS_NUM]);
}

static json_t *run_of(const crs_paper_outcome *o)
{
    return json_pack("{s:I, s:b, s:o, s:o, s:b, s:I}", "iterations", (json_int_t)o->iterations,
                     "stopped", o->stopped, "error", crs_real(o->error), "error_z",
                     crs_real(o->error_z), "success", crs_paper_success(o), "gram_rank",
                     (json_int_t)o->gram_rank);
}

static json_t *runs_of(const crs_paper_job *j, const crs_paper_result *r)
{
    json_t *list = json_array();
    for (int k = 0; k < j->instances; k++)
        if (json_array_append_new(list, run_of(&r->outcome[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *ours(const crs_paper_result *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:i, s:o, s:o}", "iterations",
                     crs_real(r->mean[CRS_ITER]), "iterations_sampling_error",
                     crs_real(r->sampling[CRS_ITER]), "error", crs_real(r->mean[CRS_ERR]),
                     "error_sampling_error", crs_real(r->sampling[CRS_ERR]), "successes",
                     (int)r->mean[CRS_NUM], "successes_sampling_error",
                     crs_real(r->sampling[CRS_NUM]), "error_z", crs_real(r->mean_z));
}

static json_t *cell(const crs_paper_job *j, const crs_paper_result *r)
{
    json_t *c =
        json_pack("{s:i, s:o, s:I, s:I, s:s, s:f, s:o, s:o, s:o, s:o}", "row", r->row.row, "shape",
                  crs_dims(&r->row.shape), "true_rank", (json_int_t)r->row.true_rank, "rank",
                  (json_int_t)r->row.rank, "method", crs_paper_name(r->method), "seconds",
                  r->seconds, "paper", figures(&r->printed), "here", ours(r), "from_paper",
                  difference(&r->from_printed), "runs", runs_of(j, r));
    if (!c || !j->has_earlier) return c;
    if (json_object_set_new(c, "earlier_program", figures(&r->earlier)) == 0 &&
        json_object_set_new(c, "from_earlier_program", difference(&r->from_earlier)) == 0)
        return c;
    json_decref(c);
    return NULL;
}

bool crs_paper_json(const crs_paper_job *j, crease_error *e)
{
    crs_json out = crs_json_new("paper");
    json_t *list = json_array();
    crs_json_set(&out, "table", json_integer(j->table));
    crs_json_set(&out, "recipe", json_string(j->recipe.calibrated ? "calibrated" : "stated"));
    crs_json_set(&out, "start", json_string(j->recipe.generic ? "generic" : "paper"));
    crs_json_set(&out, "instances", json_integer(j->instances));
    crs_json_set(&out, "threads", json_integer(j->threads));
    crs_json_set(&out, "seed", json_integer((json_int_t)j->recipe.seed));
    for (int k = 0; k < j->count; k++)
        if (json_array_append_new(list, cell(j, j->result + k)) != 0) out.failed = true;
    crs_json_set(&out, "cells", list);
    return crs_json_print(&out, e);
}
