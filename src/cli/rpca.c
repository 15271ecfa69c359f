/* SPDX-License-Identifier: MIT
 * rpca: a tensor as low rank + sparse + noise, by CP robust PCA */
#include "cli/rpca_tucker.h"

enum { LIMIT = 2, BROKEN = 3, INTERNAL = 70 };

static void discard(crs_rpca_job *j)
{
    crease_cp_fit_free(j->fit);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) {
        crs_array_free(&j->factor[n]);
        crs_array_free(&j->true_factor[n]);
        crs_free(j->unit[n]);
    }
    crs_array_free(&j->factor_weight);
    crs_array_free(&j->data);
    crs_npy_stream_close(&j->truth);
    crs_free(j->weight);
    crs_free(j->cosine);
    crs_free(j->log);
    crease_cp_rank_table_free(j->ranks);
    crease_verification_free(&j->verified);
    crs_reg_close(&j->penalty);
}

static bool caught(void *user) { return (void)user, crs_signals_caught(); }

static bool build(crs_rpca_job *j, crease_error *e)
{
    crease_cp_rpca_settings *m = &j->s.model;
    if (m->groups == CREASE_GROUPS_GIVEN && !crs_reg_fit(j->a, &m->shape, &j->penalty, e))
        return false;
    m->penalty = j->penalty.reg;
    j->s.stop = caught;
    j->fit = crease_cp_fit_new(&j->s, j->data.data, e);
    if (j->fit && crs_signals_caught()) crease_cp_fit_stop(j->fit);
    if (j->fit) m->rank = crease_cp_fit_used(j->fit).model.rank;
    j->log = j->fit ? crs_alloc(1, sizeof *j->log) : NULL;
    if (!j->log) return j->fit && crs_fail(e, CREASE_NO_MEMORY, "out of memory: the log");
    j->log->quiet = crs_given(j->a, CRS_OPT_QUIET);
    j->log->verbose = crs_given(j->a, CRS_OPT_VERBOSE);
    j->log->every = j->s.run.certify_every;
    return true;
}

/* The folder, and the file of the log, before anything is computed. */
static bool outputs(crs_rpca_job *j, crease_error *e)
{
    static const char *const file[] = { "lowrank.npy", "sparse.npy",  "noise.npy",
                                        "z.npy",       "weights.npy", "result.json" };
    const char *csv = crs_given(j->a, CRS_OPT_LOG_CSV);
    if (!crs_outdir_open(j->a, (int)(sizeof file / sizeof *file), file, e)) return false;
    *j->a->status = CRS_NO_OUTPUT;
    if (csv && !(j->log->csv = crs_create(csv, e))) return false;
    if (csv) crs_history_names(j->log->csv);
    *j->a->status = 0;
    return true;
}

/* Only a point that the checker confirms is a success. */
static int status_of(const crs_rpca_job *j, int signal)
{
    const crease_outcome o = crease_cp_fit_report(j->fit).outcome;
    const crease_verdict v = j->verified.verdict;
    if (o == CREASE_STATIONARY && v == CREASE_VERDICT_VALID) return 0;
    if (o == CREASE_STATIONARY && v == CREASE_VERDICT_INVALID) return INTERNAL;
    if (o == CREASE_STOPPED && signal) return 128 + signal;
    return o == CREASE_DIVERGED || o == CREASE_NUMERICAL ? BROKEN : LIMIT;
}

static void stop(void *job)
{
    crs_rpca_job *j = job;
    if (j->fit) crease_cp_fit_stop(j->fit);
}

static bool fit(crs_rpca_job *j, crease_error *e)
{
    crs_log *log = j->log;
    crs_rpca_banner(j);
    crease_cp_fit_callback(j->fit, crs_log_progress, log);
    crease_cp_fit_run(j->fit);
    bool done = crs_rpca_write(j, e);
    if (done) crs_rpca_footer(j);
    if (done && !crs_given(j->a, CRS_OPT_JSON)) crs_rpca_summary(j);
    if (log->csv && !crs_finish(log->csv, crs_given(j->a, CRS_OPT_LOG_CSV), true, done ? e : NULL))
        *j->a->status = 0, done = false;
    return done;
}

/* A matrix with a ridge on both factors, the nuclear-norm model, is CP of order 2. */
static bool ridged_matrix(const crs_args *a)
{
    const char *model = crs_given(a, CRS_OPT_MODEL);
    return model && strcmp(model, "matrix") == 0 && crs_given(a, CRS_OPT_RIDGE);
}

static bool order_suits(const crs_rpca_job *j, crease_error *e)
{
    const int order = j->s.model.shape.order;
    return !ridged_matrix(j->a) || order == 2 ||
           crs_fail(e, CREASE_BAD_SHAPE,
                    "the data have %d dimensions and this model is of matrices; merge dimensions "
                    "or use the Tucker or CP model",
                    order);
}

static bool run(const crs_args *a, crease_error *e)
{
    const char *model = crs_given(a, CRS_OPT_MODEL);
    crs_rpca_job j = { .a = a };
    if (model && strcmp(model, "cp") != 0 && !ridged_matrix(a)) return crs_tucker_run(a, e);
    if (crs_given(a, CRS_OPT_ETA))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "--eta goes with --model matrix without --ridge only");
    bool done = crs_rpca_options(&j, e) && crs_rpca_read(&j, e) && order_suits(&j, e);
    if (done) {
        crs_signals_enter(stop, &j);
        done = build(&j, e) && outputs(&j, e) && fit(&j, e);
        const int signal = crs_signals_leave();
        if (done) *a->status = status_of(&j, signal);
    }
    discard(&j);
    return done;
}

const crs_verb crs_rpca_verb = {
    .name = "rpca",
    .words = "DATA",
    .least = 1,
    .most = 1,
    .text = "Split a tensor into a low-rank part, a sparse part and noise. The model is |Z - "
            "[[X_1, ..., X_d]]|^2 + alpha R(E) + alpha_N |B|^2 with Z + E + B = DATA, for matrices "
            "and tensors of any order; missing entries are allowed. eps is relative unless "
            "--relative 0 is given. The folder receives lowrank.npy (of the factors), sparse.npy, "
            "noise.npy, z.npy, the unit columns factor_1.npy, ..., weights.npy and result.json. "
            "Without --alpha the envelope, the default method, learns it from the residual, and "
            "the penalty's parameters are in units of the threshold it finds; the other methods "
            "take 2/sqrt of the longest dimension. Without --rank ranks are compared on held-out "
            "entries. "
            "--model tucker has a core and a rank a mode, --model matrix is its order 2; both "
            "learn alpha from the residual. With --ridge, --model matrix is CP of order 2, whose "
            "ridge is NU times the nuclear norm; with --eta it bounds the noise. --model pcp is "
            "|L|_* + alpha |S|_1 with L + S = DATA. Their folder holds problem.json and "
            "certificate.json, for crease verify. "
            "The exit code is 0 when the point is certified stationary and the independent checker "
            "confirms it, 2 at a limit, 3 when the run diverged. Ctrl-C ends the iterations and "
            "writes what there is.",
    .example = "crease rpca instance/tensor.npy --rank 3 --out result",
    .takes = CRS_LIST(CRS_TAKES_RUN, CRS_TAKES(MODEL), CRS_TAKES(ETA), CRS_TAKES(RANK),
                      CRS_TAKES(PENALTY), CRS_TAKES(GROUPS), CRS_TAKES(WEIGHTS), CRS_TAKES(ALPHA),
                      CRS_TAKES(ALPHA_NOISE), CRS_TAKES(RIDGE), CRS_TAKES(INIT), CRS_TAKES(STARTS),
                      CRS_TAKES(MISSING), CRS_TAKES(MASK), CRS_TAKES(NONNEG), CRS_TAKES(MERGE),
                      CRS_TAKES(TRUTH), CRS_TAKES(THREADS), CRS_TAKES(PRECISION), CRS_TAKES(OUT),
                      CRS_TAKES(FORCE), CRS_TAKES(QUIET), CRS_TAKES(VERBOSE), CRS_TAKES(LOG_CSV),
                      CRS_TAKES(JSON)),
    .relative = true,
    .run = run,
};
