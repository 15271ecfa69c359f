/* SPDX-License-Identifier: MIT
 * rpca_tucker: robust PCA with a Tucker model and of matrices. The robust fit is written as a
 * problem and certified as its solution; where it is not stationary yet, the engine goes on. */
#include "cli/rpca_tucker.h"

enum { LIMIT = 2, BROKEN = 3, INTERNAL = 70 };

static bool read(crs_tucker_job *j, crease_error *e)
{
    const crs_args *a = j->a;
    crease_cp_rpca_settings c = { .missing = j->s.missing };
    char hash[32];
    crease_space claimed; /* by a .npy file, before its items are read */
    const size_t length = strlen(a->word[0]);
    if (length > 4 && strcmp(a->word[0] + length - 4, ".npy") == 0 &&
        crs_npy_shape(a->word[0], &claimed) &&
        !crs_memory_suffices("robust PCA of this tensor", 8 * 6.0 * (double)crease_size(&claimed),
                             e))
        return false;
    if (!crs_read_array(a->word[0], &j->data, e)) return false;
    crs_print_notice(a, &j->data);
    j->given = j->data.shape;
    if (!crs_rpca_take(&j->data, crs_given(a, CRS_OPT_MASK), crs_given(a, CRS_OPT_MERGE), &c, hash,
                       e) ||
        !crs_rpca_truth(a, &j->given, &j->truth, e))
        return false;
    j->s.shape = c.shape;
    j->s.missing = c.missing;
    j->s.penalty = j->penalty.reg;
    if (!crs_tucker_ranks(j, e)) return false;
    return crs_memory_suffices("robust PCA of these ranks",
                               8 * 3.0 * (double)crease_tucker_rpca_size(&j->s), e);
}

/* The problem as the folder says it, started where the fit ended. */
static bool open_problem(crs_tucker_job *j, crease_error *e)
{
    const crease_problem *p = crease_tucker_rpca_problem(j->model);
    char *path =
        crs_tucker_problem(j, e) ? crs_folder_file(j->folder.beside, "problem.json", e) : NULL;
    j->file = path ? crs_problem_read(path, e) : NULL;
    crs_free(path);
    for (int i = 0; j->file && i < p->count; i++) j->file->block[i].start = p->block[i].start;
    return j->file;
}

static int status_of(const crs_run *run, int signal)
{
    const crease_outcome o = crease_solver_report(run->solver).outcome;
    const crease_verdict v = run->verified->verdict;
    if (o == CREASE_STATIONARY && v == CREASE_VERDICT_VALID) return 0;
    if (o == CREASE_STATIONARY && v == CREASE_VERDICT_INVALID) return INTERNAL;
    if (o == CREASE_STOPPED && signal) return 128 + signal;
    return o == CREASE_DIVERGED || o == CREASE_NUMERICAL ? BROKEN : LIMIT;
}

/* lowrank.npy, sparse.npy, noise.npy in the shape of the data, and the error. */
static bool write_parts(crs_tucker_job *j, const double *const *x, crease_error *e)
{
    const ptrdiff_t size = crease_size(&j->given);
    const int noise = crease_tucker_rpca_noise(j->model);
    const char *folder = j->folder.beside;
    j->lowrank = crs_doubles(size, "the low-rank part", e);
    if (!j->lowrank || !crease_tucker_rpca_lowrank(j->model, x, j->lowrank, e)) return false;
    j->error = j->truth.data ? crease_relative_error(size, j->lowrank, j->truth.data) : NAN;
    return crs_write_array(folder, "lowrank.npy", &j->given, j->lowrank, e) &&
           crs_write_array(folder, "sparse.npy", &j->given, x[crease_tucker_rpca_sparse(j->model)],
                           e) &&
           (noise < 0 || crs_write_array(folder, "noise.npy", &j->given, x[noise], e));
}

static bool deliver(crs_tucker_job *j, crs_run *run, crease_error *e)
{
    const double *x[CREASE_MAX_ORDER + 4];
    crease_verification v = { .count = 0 };
    for (int i = 0; i < j->file->problem.count; i++) x[i] = crease_solution(run->solver, i);
    bool done = crease_verify(&j->file->problem, x, crease_multiplier(run->solver), NULL, false,
                              j->run.eps, j->run.relative != 0, &v, e) &&
                write_parts(j, x, e);
    run->verified = &v;
    if (done) crs_log_footer(j->log, run);
    json_t *more = done ? crs_tucker_facts(j) : NULL;
    done = done && crs_result_fill(j->folder.beside, run, json_incref(more), e) &&
           crs_folder_commit(&j->folder, e);
    if (done) j->folder.beside = NULL;
    done = done && crs_tucker_print(j, run, more, e);
    json_decref(more);
    if (done) *j->a->status = status_of(run, 0);
    crease_verification_free(&v);
    return done;
}

static void stop(void *solver) { crease_solver_stop(solver); }

static bool solve(crs_tucker_job *j, crease_error *e)
{
    char *path = crs_folder_file(crs_given(j->a, CRS_OPT_OUT), "problem.json", e);
    crease_solver *s = path ? crease_solver_new(&j->file->problem, &j->run, e) : NULL;
    crs_run run = {
        .path = path, .file = j->file, .options = &j->run, .solver = s, .history = &j->log->history
    };
    bool done = s;
    if (s) {
        crs_log_banner(j->log, &run);
        crease_solver_callback(s, crs_log_progress, j->log);
        crs_signals_enter(stop, s);
        crease_solve(s);
        const crease_progress last = crease_solver_progress(s);
        crs_history_add(&j->log->history, &last);
        done = deliver(j, &run, e);
        const int signal = crs_signals_leave();
        if (done && signal) *j->a->status = 128 + signal;
    }
    crease_solver_free(s);
    crs_free(path);
    return done;
}

static bool prepare(crs_tucker_job *j, crease_error *e)
{
    const char *folder = crs_given(j->a, CRS_OPT_OUT);
    if (!folder)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "rpca needs a folder for its result: add --out DIR");
    *j->a->status = CRS_NO_OUTPUT;
    if (!crs_folder_possible(folder, crs_given(j->a, CRS_OPT_FORCE), e)) return false;
    *j->a->status = 0;
    j->log = crs_alloc(1, sizeof *j->log);
    if (!j->log) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the log");
    j->log->quiet = crs_given(j->a, CRS_OPT_QUIET);
    j->log->verbose = crs_given(j->a, CRS_OPT_VERBOSE);
    j->log->every = j->run.certify_every;
    j->seconds = -crs_now();
    j->model = crease_tucker_rpca_new(&j->s, j->data.data, e);
    j->seconds += crs_now();
    return j->model && crs_folder_begin(folder, crs_given(j->a, CRS_OPT_FORCE), &j->folder, e);
}

bool crs_tucker_run(const crs_args *a, crease_error *e)
{
    crs_tucker_job j = { .a = a };
    const bool done = crs_tucker_options(&j, e) && read(&j, e) && prepare(&j, e) &&
                      open_problem(&j, e) && solve(&j, e);
    if (j.folder.beside) crs_folder_abandon(&j.folder);
    crs_problem_file_free(j.file);
    crease_tucker_rpca_free(j.model);
    crs_array_free(&j.data);
    crs_array_free(&j.truth);
    crs_free(j.lowrank);
    crs_free(j.log);
    crs_reg_close(&j.penalty);
    return done;
}
