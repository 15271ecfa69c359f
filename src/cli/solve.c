/* SPDX-License-Identifier: MIT
 * solve: a problem file to a certified result */
#include "cli/cli.h"

static void print_solution(const crs_run *run)
{
    enum { FEW = 100 };
    const crease_problem *p = &run->file->problem;
    ptrdiff_t all = 0;
    for (int i = 0; i < p->count; i++) all += crease_size(&p->space[i]);
    for (int i = 0; i < p->count && all <= FEW; i++) {
        const double *x = crease_solution(run->solver, i);
        crs_print("  %-12s", p->block[i].name);
        for (ptrdiff_t j = 0, n = crease_size(&p->space[i]); j < n; j++)
            crs_print(" %.8g", x[j] == 0 ? 0 : x[j]);
        crs_print("\n");
    }
}

/* The certified points of several starts, from the lowest to the highest. */
static void print_points(const crease_solver *s)
{
    const int all = crease_point_count(s);
    double low = INFINITY, high = -INFINITY;
    int found = 0;
    for (int k = 0; k < all; k++) {
        const crease_point p = crease_point_at(s, k);
        if (p.outcome != CREASE_STATIONARY) continue;
        low = smaller(low, p.objective), high = larger(high, p.objective);
        found++;
    }
    if (all < 2) return;
    if (found > 0)
        crs_line("points", "%d found in %d runs, objective %.8g .. %.8g; the lowest is shown",
                 found, all, low, high);
    else
        crs_line("points", "none found in %d runs", all);
}

static void print_threads(const crs_args *a, const crease_analysis *about)
{
    if (!crs_given(a, CRS_OPT_THREADS)) return;
    if (about->levels > 0)
        crs_line("threads", "several updated up to %d blocks at once, in %d levels", about->widest,
                 about->levels);
    else
        crs_line("threads", "one: the steps of this run were made one after the other");
}

static void print_summary(const crs_args *a, const crs_run *run, const crs_folder *folder)
{
    const crease_report r = crease_solver_report(run->solver);
    const crease_analysis *about = crease_solver_analysis(run->solver);
    const crease_certificate *c = crease_solver_certificate(run->solver);
    const crs_trust trust = { .outcome = r.outcome,
                              .verdict = run->verified->verdict,
                              .why = run->verified->text,
                              .residual = run->options->relative ? c->worst_relative : c->worst,
                              .eps = run->options->eps,
                              .relative = run->options->relative != 0 };
    char size[240];
    crs_size_text(&run->file->problem, size, sizeof size);
    crs_say_doubt(a, &trust);
    crs_print("%s  %s\n\n", a->word[0], size);
    crs_line("objective", "%.8g", c->objective);
    print_solution(run);
    print_points(run->solver);
    print_threads(a, about);
    if (r.outcome == CREASE_STATIONARY && r.note[0]) crs_line("note", "%s", r.note);
    if (run->options->audit)
        crs_line("audit", "the potential rose in %ld iterations, where it never should",
                 r.audit_violations);
    crs_say_trust(a, &trust);
    crs_say_steps(&trust, r.iterations, about->method, about->guarantee ? about->theorem : NULL);
    crs_say_place(a, folder);
}

/* The ray of an unbounded run; NULL: there is none, or no memory for it. */
static const double **rays_of(const crs_run *run)
{
    const int count = run->file->problem.count;
    const double **ray = crease_ray(run->solver, 0) ? crs_alloc((size_t)count, sizeof *ray) : NULL;
    for (int i = 0; ray && i < count; i++) ray[i] = crease_ray(run->solver, i);
    return ray;
}

/* The checker's word on the point; when it cannot tell, that is what it says. */
static void verify(const crs_run *run, crease_verification *v)
{
    const crease_problem *p = &run->file->problem;
    const bool gap = crease_solver_analysis(run->solver)->gap;
    const double **x = crs_alloc((size_t)p->count, sizeof *x);
    crease_error why = { CREASE_NO_MEMORY, "out of memory: the check" };
    for (int i = 0; x && i < p->count; i++) x[i] = crease_solution(run->solver, i);
    const crease_claim claim = { .p = p,
                                 .x = x,
                                 .lambda = crease_multiplier(run->solver),
                                 .gcg = gap,
                                 .eps = run->options->eps,
                                 .relative = run->options->relative != 0,
                                 .watch = run->options->watch };
    crease_watch_enter(claim.watch, CREASE_PHASE_CHECK);
    const double *y = crease_separator(run->solver), **ray = rays_of(run);
    const bool proof = y || ray;
    if (!x || !(proof ? crs_verify_proof(&claim, y, ray, v, &why)
                      : crease_claim_verify(&claim, v, &why))) {
        *v = (crease_verification){ .verdict = CREASE_VERDICT_UNSUPPORTED,
                                    .smallest_eps = INFINITY };
        snprintf(v->text, sizeof v->text, "%.199s", why.text);
    }
    crease_watch_enter(claim.watch, CREASE_PHASE_WRITE);
    crs_free(ray);
    crs_free(x);
}

/* The document, and the folder unless there is none. */
static bool deliver(const crs_args *a, const crs_run *run, crs_folder *f, crease_error *e)
{
    const crs_summary s = crs_run_summary(run);
    crs_document d;
    const crs_result r = crs_result_begin(&d, &s);
    crs_put_run(&r, f, run);
    bool done = crs_run_write(f, run, e) && crs_folder_commit(f, &d, e);
    if (done && crs_given(a, CRS_OPT_JSON)) return crs_document_print(&d, false, e);
    if (done) print_summary(a, run, f);
    crs_document_free(&d);
    return done;
}

static bool solve(const crs_args *a, crs_run *run, crs_folder *f, crease_error *e)
{
    crease_verification v = { .count = 0 };
    crease_solver *s = run->solver;
    run->verified = &v;
    crs_log_banner(a, run);
    crease_solve(s);
    verify(run, &v);
    run->exit_status = crs_exit_of_run(crease_solver_report(s).outcome, v.verdict);
    crs_log_footer(a, run);
    const bool done = deliver(a, run, f, e);
    if (done) *a->status = run->exit_status;
    crease_verification_free(&v);
    run->verified = NULL;
    return done;
}

/* Nothing is random but starts and the guess of a constant that is not known. */
static bool reads_seed(const crs_args *a, const crease_solver *s, long starts, crease_error *e)
{
    return !crs_given(a, CRS_OPT_seed) || crease_solver_analysis(s)->adaptive || starts > 1 ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "--seed is read with --starts 2 or more, and where a Lipschitz constant of f "
                    "is guessed; here it is known");
}

/* What must be possible before anything is computed. */
static bool open_folder(const crs_args *a, crs_folder *f, crease_error *e)
{
    const bool done =
        crs_folder_begin(crs_given(a, CRS_OPT_OUT), crs_given(a, CRS_OPT_FORCE), f, e);
    f->watch = a->watch;
    if (!done) *a->status = CRS_EXIT_NO_OUTPUT;
    return done;
}

/* --dry-run: one step is taken, to see how long they are; of the solver, not of the answer. */
static bool foretell(const crs_args *a, const crs_run *run, crease_error *e)
{
    const crease_problem *p = &run->file->problem;
    const crease_analysis *about = crease_solver_analysis(run->solver);
    char text[240], names[400] = "history.csv";
    double bytes;
    if (!crs_forecast_bytes(p, about, &bytes, e)) return false;
    crs_size_text(p, text, sizeof text);
    crs_print("%s  %s\n\n", a->word[0], text);
    crs_line("method", "%s, %s mode%s%s", crease_method_name(about->method),
             crease_mode_name(about->mode),
             about->guarantee ? "; a theorem bounds its steps: " : "",
             about->guarantee ? about->theorem : "");
    for (int k = 0; crease_presolve(run->solver, k); k++)
        crs_line(k ? "" : "presolve", "%s", crease_presolve(run->solver, k));
    crs_dry_memory(bytes);
    const double begun = crease_watch_total(a->watch);
    crease_step(run->solver);
    crs_line("time", "a first step takes %.2g s; their number is not known before the run",
             crease_watch_total(a->watch) - begun);
    for (int i = 0; i < p->count; i++) {
        const size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, ", x_%.32s.npy", p->block[i].name);
    }
    if (p->range.order > 0) strncat(names, ", lambda.npy", sizeof names - strlen(names) - 1);
    crs_dry_files(a, names);
    return true;
}

/* A solver with its problem, which a job may keep for its next run. */
typedef struct {
    crs_problem_file *file, *newest; /* the solver's own, and the one with the present numbers */
    crease_options options;
    crease_solver *solver;
} kept_solver;

static void drop(void *kept)
{
    kept_solver *k = kept;
    if (!k) return;
    crease_solver_free(k->solver);
    if (k->newest != k->file) crs_problem_file_free(k->newest);
    crs_problem_file_free(k->file);
    crs_free(k);
}

static bool same_options(const crease_options *a, const crease_options *b)
{
    bool same = a->method == b->method && a->mode == b->mode && a->watch == b->watch &&
                a->threads == b->threads;
#define X(type, name, value, low, high, text) same = same && a->name == b->name;
    CREASE_OPTIONS(X)
#undef X
    return same;
}

static bool same_blocks(const crease_problem *a, const crease_problem *b)
{
    bool same = a->count == b->count && crease_space_equal(&a->range, &b->range);
    for (int i = 0; same && i < a->count; i++)
        same = crease_space_equal(&a->space[i], &b->space[i]);
    return same;
}

/* The solver of the last run goes on with the regularizers and sets of this file; the entries of
 * its arrays have changed where they are. False: it cannot, and a new one is to be made. */
static bool go_on(kept_solver *k, crs_problem_file *file, const crease_options *o)
{
    if (!k || !same_options(&k->options, o) || !same_blocks(&k->file->problem, &file->problem))
        return false;
    for (int i = 0; i < file->problem.count; i++) {
        k->file->block[i].reg = file->block[i].reg;
        k->file->block[i].set = file->block[i].set;
    }
    k->file->text = file->text;
    if (!crease_solver_update(k->solver, NULL)) return false;
    if (k->newest != k->file) crs_problem_file_free(k->newest);
    k->newest = file;
    return true;
}

static kept_solver *new_solver(const crs_args *a, crs_problem_file *file, const crease_options *o,
                               crease_error *e)
{
    kept_solver *k = crs_alloc(1, sizeof *k);
    if (!k) {
        crs_problem_file_free(file);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the solver"), NULL;
    }
    *k = (kept_solver){ .file = file, .newest = file, .options = *o };
    if (crs_checkpoint_bind(a, "the problem", file->hash, e))
        k->solver = crease_solver_new(&file->problem, o, e);
    if (k->solver && reads_seed(a, k->solver, o->starts, e) &&
        (!file->multiplier || crease_solver_begin_at(k->solver, file->multiplier, e)))
        return k;
    drop(k);
    return NULL;
}

static kept_solver *open_solver(const crs_args *a, crease_error *e)
{
    crs_job_memory *memory = crs_memory_now();
    kept_solver *k = memory ? memory->kept : NULL;
    crease_options o;
    double threads = 0;
    crs_problem_file *file = NULL;
    if (crs_option_integer(a, CRS_OPT_THREADS, 1, 256, 0, &threads, e))
        file = crs_open_problem(a, &o, e);
    o.threads = (long)threads;
    if (file && threads > 0) crs_blas_alone();
    if (memory) memory->kept = NULL; /* until this run has ended well */
    if (file && go_on(k, file, &o)) return k;
    drop(k);
    return file ? new_solver(a, file, &o, e) : NULL;
}

static void close_solver(kept_solver *k, bool done)
{
    crs_job_memory *memory = crs_memory_now();
    if (memory && memory->keeps && done)
        memory->kept = k, memory->drop = drop;
    else
        drop(k);
}

static bool run(const crs_args *a, crease_error *e)
{
    crs_folder folder = { .path = NULL };
    kept_solver *k = open_solver(a, e);
    if (!k) return false;
    crs_run r = { .verb = "solve",
                  .checker = "problem",
                  .path = a->word[0],
                  .file = k->newest,
                  .options = &k->options,
                  .solver = k->solver };
    bool done = open_folder(a, &folder, e);
    if (done && crs_dry(a))
        done = foretell(a, &r, e);
    else
        done = done && solve(a, &r, &folder, e);
    crs_folder_abandon(&folder);
    close_solver(k, done);
    return done;
}

const crs_verb crs_solve_verb = {
    .name = "solve",
    .words = "PROBLEM.json",
    .word = CRS_KIND_FILE,
    .least = 1,
    .most = 1,
    .text = "Solve the problem in a file. The log goes to standard error, the result to standard "
            "output and, with --out, to a folder. The exit code is 0 when the point is certified "
            "eps-stationary and the independent checker confirms it, 2 at a limit, 3 when the run "
            "diverged; 4 when the constraint has no solution and 5 when the objective falls "
            "without end, each with a proof that the checker confirms. docs/problem.schema.json "
            "describes the file; options on the command line "
            "override those in the file.",
    .example = "crease solve examples/problems/lasso.json",
    .takes = CRS_LIST(CRS_TAKES_RUN, CRS_TAKES_CHECKPOINT, CRS_TAKES(OUT), CRS_TAKES(FORMAT),
                      CRS_TAKES(REPORT), CRS_TAKES(FORCE), CRS_TAKES_ROWS, CRS_TAKES(JSON),
                      CRS_SAYS(THREADS,
                               "threads that update blocks which share nothing at once, in the "
                               "methods of the paper: the same bits for any number, BLAS having "
                               "one (default: one)")),
    .run = run,
};
