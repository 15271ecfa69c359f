/* SPDX-License-Identifier: MIT
 * result: a run as one JSON document, and the files of its result */
#include <crease/version.h>

#include "io/result/result.h"

enum { INLINE = 1000 };

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

static const char *verdict(const crs_run *run)
{
    return crease_verdict_text(run->verified->verdict);
}

static bool set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static json_t *certificate(const crs_run *run)
{
    const crease_certificate *c = crease_solver_certificate(run->solver);
    json_t *residual = json_array(), *setting = json_array(), *bound = json_array();
    for (int i = 0; i < run->file->problem.count; i++) {
        json_array_append_new(residual, crs_json_real(c->block[i].residual));
        json_array_append_new(setting, json_integer(c->block[i].setting));
        json_array_append_new(bound, json_boolean(c->block[i].upper_bound));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:b, s:s, s:o, s:s}", "worst",
                     crs_json_real(c->worst), "worst_relative", crs_json_real(c->worst_relative),
                     "feasibility", crs_json_real(c->feasibility.residual), "outside",
                     crs_json_real(c->outside), "blocks", residual, "setting", setting,
                     "upper_bound", bound, "eps", run->options->eps, "relative",
                     run->options->relative != 0, "verdict", verdict(run), "smallest_eps",
                     crs_json_real(run->verified->smallest_eps), "reason", run->verified->text);
}

/* The theorem's name, or none and why. */
static bool add_guarantee(json_t *root, const crease_analysis *a)
{
    json_t *reasons = json_array();
    for (int k = 0; !a->guarantee && crs_doubt(a, k); k++) {
        const crease_assumption *at = crs_doubt(a, k);
        json_array_append_new(reasons, json_sprintf("%s is %s: %s", at->name,
                                                    crease_status_text(at->status), at->reason));
    }
    return set(root, "guarantee", json_string(a->guarantee ? a->theorem : "none")) &&
           set(root, "reasons", reasons);
}

/* The numbers themselves while they are few, and the files that hold them. */
static bool add_solution(json_t *root, const crs_run *run)
{
    const crease_problem *p = &run->file->problem;
    json_t *x = json_object(), *files = json_object();
    ptrdiff_t all = 0;
    bool good = x && files;
    for (int i = 0; i < p->count; i++) all += crease_size(&p->space[i]);
    for (int i = 0; good && i < p->count; i++) {
        const double *at = crease_solution(run->solver, i);
        json_t *value = all <= INLINE ? crs_json_nested(&p->space[i], at) : json_null();
        good = set(x, p->block[i].name, value) &&
               set(files, p->block[i].name, json_sprintf("x_%s.npy", p->block[i].name));
    }
    good = set(root, "x", x) && good;
    good = set(root, "x_files", files) && good;
    if (!crease_multiplier(run->solver)) return set(root, "lambda", json_null()) && good;
    const bool few = crease_size(&p->range) <= INLINE;
    return set(root, "lambda",
               few ? crs_json_nested(&p->range, crease_multiplier(run->solver)) : json_null()) &&
           good;
}

static json_t *options_json(const crs_run *run)
{
    json_t *all = json_object();
#define X(type, name, value, low, high, text)                                                      \
    json_object_set_new(all, #name, crs_json_real((double)run->options->name));
    CREASE_OPTIONS(X)
#undef X
    json_object_set_new(all, "method", json_string(crease_method_name(run->options->method)));
    json_object_set_new(all, "mode", json_string(crease_mode_name(run->options->mode)));
    return all;
}

json_t *crs_result_json(const crs_run *run)
{
    const crease_report r = crease_solver_report(run->solver);
    const crease_analysis *a = crease_solver_analysis(run->solver);
    const crease_certificate *c = crease_solver_certificate(run->solver);
    char status[32];
    json_t *root = json_pack(
        "{s:i, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:o, s:f}", "schema_version", CRS_RESULT_VERSION,
        "verb", "solve", "status", crs_outcome_name(r.outcome, status), "status_text",
        crease_outcome_text(r.outcome), "method", crease_method_name(a->method), "mode",
        crease_mode_name(a->mode), "iterations", (json_int_t)r.iterations, "evaluations",
        (json_int_t)r.evaluations, "objective", crs_json_real(c->objective), "seconds", r.seconds);
    json_t *audit = json_pack("{s:I, s:o}", "violations", (json_int_t)r.audit_violations, "worst",
                              crs_json_real(r.audit_worst));
    json_t *problem = json_pack("{s:s, s:s}", "path", run->path, "hash", run->file->hash);
    json_t *versions =
        json_pack("{s:s, s:s}", "crease", crease_version(), "jansson", jansson_version_str());
    bool good = root && set(root, "note", json_string(r.note));
    good = set(root, "certificate", certificate(run)) && good;
    good = set(root, "analysis", crs_analysis_json(&run->file->problem, a, r.bound)) && good;
    good = add_guarantee(root, a) && good;
    good = add_solution(root, run) && good;
    good = set(root, "audit", audit) && good;
    good = set(root, "restarts", json_integer(r.restarts)) && good;
    good = set(root, "moved_starts", json_integer(r.moved_starts)) && good;
    good = set(root, "problem", problem) && good;
    good = set(root, "options", options_json(run)) && good;
    good = set(root, "versions", versions) && good;
    if (!good) json_decref(root);
    return good ? root : NULL;
}

static bool write_arrays(const char *folder, const crs_run *run, crease_error *e)
{
    const crease_problem *p = &run->file->problem;
    for (int i = 0; i < p->count; i++) {
        char name[80];
        snprintf(name, sizeof name, "x_%s.npy", p->block[i].name);
        if (!crs_write_array(folder, name, &p->space[i], crease_solution(run->solver, i), e))
            return false;
    }
    const double *lambda = crease_multiplier(run->solver);
    return !lambda || crs_write_array(folder, "lambda.npy", &p->range, lambda, e);
}

static bool write_history(const char *folder, const crs_run *run, crease_error *e)
{
    char *path = crs_folder_file(folder, "history.csv", e);
    const bool done = path && crs_history_write(run->history, path, e);
    crs_free(path);
    return done;
}

bool crs_result_fill(const char *folder, const crs_run *run, json_t *more, crease_error *e)
{
    json_t *result = crs_result_json(run);
    if (result && more) json_object_update_missing(result, more);
    json_decref(more);
    if (write_arrays(folder, run, e) && write_history(folder, run, e) &&
        crs_write_document(folder, "certificate.json", crs_certificate_json(run), e))
        return crs_write_document(folder, "result.json", result, e);
    json_decref(result);
    return false;
}

bool crs_result_write(const char *folder, bool force, const crs_run *run, crease_error *e)
{
    crs_folder f;
    if (!crs_folder_begin(folder, force, &f, e)) return false;
    if (crs_result_fill(f.beside, run, NULL, e) && crs_folder_commit(&f, e)) return true;
    crs_folder_abandon(&f);
    return false;
}
