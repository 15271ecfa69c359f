/* SPDX-License-Identifier: MIT
 * result: what result.json of every verb begins with, and the result of a run of a solver */
#include <ctype.h>

#include "io/result/result.h"

enum { INLINE = 1000 };

const char *crs_outcome_name(crease_outcome o, char out[32])
{
    static const char *const name[] = {
#define X(name, text) #name,
        CREASE_OUTCOMES(X)
#undef X
    };
    const size_t k = (size_t)o < sizeof name / sizeof *name ? (size_t)o : 0;
    size_t n = 0;
    for (; name[k][n] && n < 31; n++) out[n] = (char)tolower((unsigned char)name[k][n]);
    out[n] = '\0';
    return out;
}

const char *crs_outcome_text(crease_outcome o, crease_verdict v)
{
    if (o != CREASE_STATIONARY || v != CREASE_VERDICT_INVALID) return crease_outcome_text(o);
    return "a point was found that the checker does not confirm; report it as a defect";
}

static const char *exit_text(int status)
{
    static const struct {
        int status;
        const char *text;
    } known[] = { { 0, "done; what is certified, the independent checker confirms" },
                  { 2, "not certified: a limit came first, or the checker cannot tell" },
                  { 3, "the run diverged, or its numbers became too large" },
                  { 4, "infeasible; the independent checker confirms the proof" },
                  { 5, "unbounded; the independent checker confirms the proof" },
                  { 70, "the independent checker denies the certificate" } };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].status == status) return known[k].text;
    return status > 128 ? "ended by a signal" : "an error";
}

static void put_count(crs_spot to, const char *key, long count)
{
    if (count < 0)
        crs_put_null(to, key);
    else
        crs_put_whole(to, key, count);
}

crs_result crs_result_begin(crs_document *d, const crs_summary *s)
{
    const crs_spot top = crs_document_begin(d, s->verb);
    char name[32];
    crs_put_text(top, "model", s->model);
    crs_put_text(top, "outcome", crs_outcome_name(s->outcome, name));
    const bool denied =
        s->verdict && strcmp(s->verdict, crease_verdict_text(CREASE_VERDICT_INVALID)) == 0;
    const crease_verdict v = denied ? CREASE_VERDICT_INVALID : CREASE_VERDICT_VALID;
    crs_put_text(top, "outcome_text",
                 s->outcome_text ? s->outcome_text : crs_outcome_text(s->outcome, v));
    crs_put_text(top, "verdict", s->verdict);
    crs_put_text(top, "verdict_text", s->verdict_text);
    crs_put_whole(top, "exit_status", s->exit_status);
    crs_put_text(top, "exit_text", exit_text(s->exit_status));
    crs_put_text(top, "method", s->method);
    crs_put_number(top, "objective", s->objective);
    crs_put_number(top, "residual", s->residual);
    crs_put_number(top, "eps", s->eps);
    crs_put_flag(top, "relative", s->relative);
    put_count(top, "iterations", s->iterations);
    put_count(top, "passes", s->passes);
    put_count(top, "evaluations", s->evaluations);
    crs_put_null(top, "seconds"); /* they come when the document is written */
    crs_put_null(top, "phase_seconds");
    d->watch = s->watch;
    crs_result r = { .top = top, .data = crs_put_list(top, "data") };
    crs_put_null(top, "axes"); /* until they are told */
    crs_put_null(top, "format");
    r.settings = crs_put_object(top, "settings");
    r.details = crs_put_object(top, "details");
    return r;
}

void crs_put_data(crs_spot list, const crs_folder *f, const crs_data *d)
{
    const crs_spot to = crs_put_object(list, NULL);
    crs_put_text(to, "role", d->role);
    crs_put_source(to, f, d->path);
    crs_put_asked(to, "reading", d->asked);
    if (d->shape)
        crs_put_shape(to, "shape", d->shape);
    else
        crs_put_null(to, "shape");
    crs_put_number(to, "scale", d->scale > 0 ? d->scale : NAN);
    crs_put_text(to, "hash", d->hash);
}

const crease_assumption *crs_doubt(const crease_analysis *a, int k)
{
    for (int n = 0; n < a->assumptions; n++) {
        const crease_status s = a->assumption[n].status;
        if ((s == CREASE_VIOLATED || s == CREASE_UNKNOWN) && k-- == 0) return &a->assumption[n];
    }
    return NULL;
}

const char *crs_planned_name(const crease_problem *p, int i)
{
    return i < p->count ? p->block[i].name : "slack";
}

static void put_assumptions(crs_spot to, const crease_problem *p, const crease_analysis *a)
{
    const crs_spot list = crs_put_list(to, "assumptions");
    for (int k = 0; k < a->assumptions; k++) {
        const crease_assumption *at = &a->assumption[k];
        const crs_spot line = crs_put_object(list, NULL);
        crs_put_text(line, "name", at->name);
        crs_put_text(line, "block", at->block < 0 ? NULL : crs_planned_name(p, at->block));
        crs_put_text(line, "status", crease_status_text(at->status));
        crs_put_number(line, "number", at->number);
        crs_put_text(line, "reason", at->reason);
    }
}

static void put_plan(crs_spot to, const crease_problem *p, const crease_analysis *a, int i)
{
    const crease_block_plan *b = &a->block[i];
    crs_put_text(to, "block", crs_planned_name(p, i));
    crs_put_flag(to, "last", i == a->last);
    crs_put_flag(to, "exact", b->exact);
    crs_put_number(to, "h", b->h);
    crs_put_number(to, "h_relative", b->h_relative);
    crs_put_number(to, "L", b->lipschitz);
    crs_put_number(to, "map_norm", b->map_norm);
    crs_put_whole(to, "setting", b->setting);
    crs_put_number(to, "diameter", b->diameter);
}

static void put_parameters(crs_spot to, const crease_problem *p, const crease_analysis *a)
{
    crs_put_number(to, "beta", a->beta);
    crs_put_number(to, "gamma", a->gamma);
    crs_put_number(to, "ell", a->ell);
    crs_put_number(to, "mu", a->mu);
    const crs_spot h = crs_put_list(to, "h"), exact = crs_put_list(to, "exact");
    const crs_spot blocks = crs_put_list(to, "blocks");
    for (int i = 0; i < a->count; i++) {
        crs_put_number(h, NULL, a->block[i].h);
        crs_put_flag(exact, NULL, a->block[i].exact);
        put_plan(crs_put_object(blocks, NULL), p, a, i);
    }
}

static void put_constants(crs_spot to, const crease_analysis *a)
{
    crs_put_number(to, "L", a->L);
    crs_put_number(to, "M", a->M);
    crs_put_number(to, "L_last", a->L_last);
    crs_put_number(to, "sigma_last", a->last >= 0 ? a->sigma_last : NAN);
    crs_put_number(to, "p", a->p);
    crs_put_number(to, "rho", a->rho);
    crs_put_number(to, "lower", a->lower);
    crs_put_flag(to, "concave", a->concave);
}

void crs_put_analysis(crs_spot to, const crease_problem *p, const crease_analysis *a, double bound)
{
    put_assumptions(to, p, a);
    crs_put_text(to, "theorem", a->theorem ? a->theorem : "none");
    put_parameters(crs_put_object(to, "parameters"), p, a);
    crs_put_number(to, "slack", a->slack);
    crs_put_number(to, "bound", bound);
    put_constants(crs_put_object(to, "constants"), a);
}

crs_summary crs_run_summary(const crs_run *run)
{
    const crease_report r = crease_solver_report(run->solver);
    const crease_certificate *c = crs_run_certificate(run);
    const bool relative = run->options->relative != 0;
    return (crs_summary){ .verb = run->verb,
                          .model = "problem",
                          .outcome = r.outcome,
                          .verdict = crease_verdict_text(run->verified->verdict),
                          .verdict_text = run->verified->text,
                          .exit_status = run->exit_status,
                          .method = crease_method_name(crease_solver_analysis(run->solver)->method),
                          .objective = c->objective,
                          .residual = relative ? c->worst_relative : c->worst,
                          .eps = run->options->eps,
                          .relative = relative,
                          .iterations = r.iterations,
                          .passes = -1,
                          .evaluations = r.evaluations,
                          .watch = run->options->watch };
}

void crs_put_residual(crs_spot list, const char *name, const crease_residual *r)
{
    const crs_spot to = crs_put_object(list, NULL);
    crs_put_text(to, "name", name);
    crs_put_number(to, "residual", r->residual);
    crs_put_number(to, "scale", r->scale);
    crs_put_number(to, "rounding", r->rounding);
    crs_put_whole(to, "setting", r->setting);
    crs_put_flag(to, "upper_bound", r->upper_bound);
}

static void put_residuals(crs_spot to, const crs_run *run)
{
    const crease_problem *p = &run->file->problem;
    const crease_certificate *c = crs_run_certificate(run);
    crs_put_number(to, "worst", c->worst);
    crs_put_number(to, "worst_relative", c->worst_relative);
    crs_put_number(to, "feasibility", c->feasibility.residual);
    crs_put_number(to, "outside", c->outside);
    crs_put_number(to, "smallest_eps", run->verified->smallest_eps);
    const crs_spot blocks = crs_put_list(to, "blocks"), setting = crs_put_list(to, "setting");
    const crs_spot bound = crs_put_list(to, "upper_bound");
    const crs_spot residuals = crs_put_list(to, "residuals");
    for (int i = 0; i < p->count; i++) {
        crs_put_number(blocks, NULL, c->block[i].residual);
        crs_put_whole(setting, NULL, c->block[i].setting);
        crs_put_flag(bound, NULL, c->block[i].upper_bound);
        crs_put_residual(residuals, p->block[i].name, &c->block[i]);
    }
    if (p->range.order > 0) crs_put_residual(residuals, "feasibility", &c->feasibility);
}

/* The theorem's name, or none and why. */
static void put_guarantee(crs_spot to, const crease_analysis *a)
{
    crs_put_text(to, "guarantee", a->guarantee ? a->theorem : "none");
    const crs_spot reasons = crs_put_list(to, "reasons");
    for (int k = 0; !a->guarantee && crs_doubt(a, k); k++) {
        const crease_assumption *at = crs_doubt(a, k);
        char text[600];
        snprintf(text, sizeof text, "%s is %s: %s", at->name, crease_status_text(at->status),
                 at->reason);
        crs_put_text(reasons, NULL, text);
    }
}

static void array_name(const crs_run *run, int i, char out[80])
{
    if (run->array)
        snprintf(out, 80, "%s", run->array[i]);
    else
        snprintf(out, 80, "x_%s.npy", run->file->problem.block[i].name);
}

/* The numbers themselves while they are few, and the files that hold them. */
static void put_solution(crs_spot to, const crs_run *run)
{
    const crease_problem *p = &run->file->problem;
    const double *lambda = crs_run_multiplier(run);
    const crs_spot x = crs_put_object(to, "x"), files = crs_put_object(to, "x_files");
    ptrdiff_t all = 0;
    for (int i = 0; i < p->count; i++) all += crease_size(&p->space[i]);
    for (int i = 0; i < p->count; i++) {
        char file[80];
        array_name(run, i, file);
        if (all <= INLINE)
            crs_put_array(x, p->block[i].name, &p->space[i], crs_run_block(run, i));
        else
            crs_put_null(x, p->block[i].name);
        crs_put_text(files, p->block[i].name, file);
    }
    if (lambda && crease_size(&p->range) <= INLINE)
        crs_put_array(to, "lambda", &p->range, lambda);
    else
        crs_put_null(to, "lambda");
}

static void put_options(crs_spot to, const crease_options *o)
{
#define X(type, name, value, low, high, text) crs_put_number(to, #name, (double)o->name);
    CREASE_OPTIONS(X)
#undef X
    crs_put_text(to, "method", crease_method_name(o->method));
    crs_put_text(to, "mode", crease_mode_name(o->mode));
}

/* problem.json of the folder itself, or wherever it is. */
static void put_problem(crs_spot list, const crs_folder *f, const crs_run *run)
{
    if (run->path) {
        crs_put_data(list, f,
                     &(crs_data){ .role = "problem", .path = run->path, .hash = run->file->hash });
        return;
    }
    static const char *const none[] = { "absolute_path", "inner", "reading", "shape", "scale" };
    const crs_spot to = crs_put_object(list, NULL);
    crs_put_text(to, "role", "problem");
    crs_put_text(to, "path", "problem.json");
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) crs_put_null(to, none[k]);
    crs_put_text(to, "hash", run->file->hash);
}

/* Where the runs from several starts ended, in their order. */
static void put_points(crs_spot to, const crease_solver *s)
{
    for (int k = 0; k < crease_point_count(s); k++) {
        const crease_point p = crease_point_at(s, k);
        const crs_spot at = crs_put_object(to, NULL);
        char outcome[32];
        crs_put_text(at, "start", p.start);
        crs_put_text(at, "method", crease_method_name(p.method));
        crs_put_text(at, "outcome", crs_outcome_name(p.outcome, outcome));
        crs_put_number(at, "objective", p.objective);
        crs_put_number(at, "residual", p.residual);
        crs_put_whole(at, "iterations", p.iterations);
    }
}

void crs_put_run(const crs_result *result, const crs_folder *f, const crs_run *run)
{
    const crs_spot details = result->details;
    const crease_report r = crease_solver_report(run->solver);
    const crease_analysis *a = crease_solver_analysis(run->solver);
    put_problem(result->data, f, run);
    put_options(result->settings, run->options);
    crs_put_text(details, "mode", crease_mode_name(a->mode));
    crs_put_text(details, "note", r.note);
    put_residuals(crs_put_object(details, "certificate"), run);
    crs_put_analysis(crs_put_object(details, "analysis"), &run->file->problem, a, r.bound);
    put_guarantee(details, a);
    put_solution(details, run);
    const crs_spot audit = crs_put_object(details, "audit");
    crs_put_whole(audit, "violations", r.audit_violations);
    crs_put_number(audit, "worst", r.audit_worst);
    const crs_spot work = crs_put_object(details, "work");
    crs_put_number(work, "pairs", r.pairs);
    crs_put_whole(work, "spectra", r.spectra);
    crs_put_whole(work, "factorizations", r.factorizations);
    const crs_spot presolve = crs_put_list(details, "presolve");
    for (int k = 0; crease_presolve(run->solver, k); k++)
        crs_put_text(presolve, NULL, crease_presolve(run->solver, k));
    put_points(crs_put_list(details, "points"), run->solver);
    crs_put_whole(details, "restarts", r.restarts);
    crs_put_whole(details, "moved_starts", r.moved_starts);
}

static void put_file(crs_spot to, const char *key, const char *file)
{
    crs_put_text(crs_put_object(to, key), "npy", file);
}

static void ray_name(const crs_run *run, int i, char out[80])
{
    snprintf(out, 80, "ray_%s.npy", run->file->problem.block[i].name);
}

static void put_block(crs_spot to, const crs_run *run, int i)
{
    char file[80];
    array_name(run, i, file);
    crs_put_text(to, "name", run->file->problem.block[i].name);
    put_file(to, "x", file);
    ray_name(run, i, file);
    if (crease_ray(run->solver, i)) put_file(to, "ray", file);
}

/* What the certificate claims: a stationary point, in one measure or the other, or that there is no
 * answer. */
static const char *measure_of(const crs_run *run)
{
    if (crease_separator(run->solver)) return "infeasible";
    if (crease_ray(run->solver, 0)) return "unbounded";
    return crease_solver_analysis(run->solver)->gap ? "gap" : "blocks";
}

/* The proof that there is no answer, where there is one. */
static bool write_proof(crs_folder *f, const crs_run *run, crease_error *e)
{
    const crease_problem *p = &run->file->problem;
    const double *y = crease_separator(run->solver);
    for (int i = 0; i < p->count && crease_ray(run->solver, i); i++) {
        char name[80];
        ray_name(run, i, name);
        if (!crs_folder_array(f, name, &p->space[i], crease_ray(run->solver, i), e)) return false;
    }
    return !y || crs_folder_array(f, "separator.npy", &p->range, y, e);
}

/* certificate.json of the checker "problem": only what the checker reads */
static bool write_certificate(crs_folder *f, const crs_run *run, crease_error *e)
{
    crs_document d;
    const crs_spot top = crs_certificate_begin(&d, run->verb, run->checker, run->options->eps,
                                               run->options->relative != 0);
    put_problem(crs_put_list(top, "data"), f, run);
    crs_put_text(top, "measure", measure_of(run));
    if (crease_separator(run->solver)) put_file(top, "separator", "separator.npy");
    const crs_spot blocks = crs_put_list(top, "blocks");
    for (int i = 0; i < run->file->problem.count; i++)
        put_block(crs_put_object(blocks, NULL), run, i);
    if (crs_run_multiplier(run))
        put_file(top, "lambda", "lambda.npy");
    else
        crs_put_null(top, "lambda");
    return crs_folder_certify(f, &d, e);
}

bool crs_run_write(crs_folder *f, const crs_run *run, crease_error *e)
{
    const crease_problem *p = &run->file->problem;
    const double *lambda = crs_run_multiplier(run);
    for (int i = 0; i < p->count; i++) {
        char name[80];
        array_name(run, i, name);
        if (!crs_folder_array(f, name, run->shape ? &run->shape[i] : &p->space[i],
                              crs_run_block(run, i), e))
            return false;
    }
    return (!lambda || crs_folder_array(f, "lambda.npy", &p->range, lambda, e)) &&
           write_proof(f, run, e) &&
           crs_folder_put(f, "history.csv", crs_history_put, run->options->watch, e) &&
           write_certificate(f, run, e);
}
