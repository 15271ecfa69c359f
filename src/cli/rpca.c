/* SPDX-License-Identifier: MIT
 * rpca: a tensor as low rank + sparse + noise, by CP robust PCA */
#include "cli/rpca.h"

enum { LIMIT = 2, BROKEN = 3 };

static void discard(crs_rpca_job *j)
{
    crease_solver_free(j->solver);
    crease_cp_rpca_free(j->model);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) {
        crs_array_free(&j->factor[n]);
        crs_free(j->unit[n]);
    }
    crs_array_free(&j->factor_weight);
    crs_array_free(&j->data);
    crs_array_free(&j->mask);
    crs_array_free(&j->truth);
    crs_free(j->lowrank);
    crs_free(j->noise);
    crs_free(j->weight);
    crs_reg_close(&j->penalty);
}

static bool build(crs_rpca_job *j, crease_error *e)
{
    if (j->s.groups == CREASE_GROUPS_GIVEN && !crs_reg_fit(j->a, &j->s.shape, &j->penalty, e))
        return false;
    j->s.penalty = j->penalty.reg;
    j->model = crease_cp_rpca_new(&j->s, j->data.data, e);
    if (!j->model) return false;
    j->solver = crease_solver_new(crease_cp_rpca_problem(j->model), &j->o, e);
    return j->solver;
}

static void print_summary(const crs_rpca_job *j)
{
    const crease_report r = crease_solver_report(j->solver);
    const crease_analysis *a = crease_solver_analysis(j->solver);
    const crease_certificate *c = crease_solver_certificate(j->solver);
    printf("status      %s\n", crease_outcome_text(r.outcome));
    printf("rank        %td%s\n", j->s.rank,
           j->rank_chosen ? ", where the singular values of the unfoldings fall" : "");
    printf("alpha       %.6g\n", crease_cp_rpca_used(j->model).alpha);
    printf("objective   %.12g\n", c->objective);
    printf("residual    %.3e%s (eps %g)\n", j->o.relative ? c->worst_relative : c->worst,
           j->o.relative ? " relative" : "", j->o.eps);
    printf("method      %s, %s mode\n", crease_method_name(a->method),
           j->paper ? "paper" : crease_mode_name(a->mode));
    printf("guarantee   %s\n", a->guarantee ? a->theorem : "none");
    printf("iterations  %ld in %.3g s\n", r.iterations, r.seconds);
    if (j->truth.data)
        printf("errors      %.6g of the low-rank part, %.6g of Z\n", j->error_lowrank, j->error_z);
    printf("result      %s\n", crs_given(j->a, CRS_OPT_OUT));
}

static int status_of(crease_outcome o)
{
    if (o == CREASE_STATIONARY) return 0;
    return o == CREASE_DIVERGED || o == CREASE_NUMERICAL ? BROKEN : LIMIT;
}

static bool run(const crs_args *a, crease_error *e)
{
    static const char *const file[] = { "lowrank.npy", "sparse.npy",  "noise.npy",
                                        "z.npy",       "weights.npy", "result.json" };
    crs_rpca_job j = { .a = a };
    bool done = crs_rpca_options(&j, e) && crs_rpca_read(&j, e) && build(&j, e) &&
                crs_outdir_open(a, (int)(sizeof file / sizeof *file), file, e);
    if (done) {
        const crease_outcome o = crease_solve(j.solver);
        done = crs_rpca_results(&j, e) && crs_rpca_write(&j, e);
        if (done && !crs_given(a, CRS_OPT_JSON)) print_summary(&j);
        if (done) *a->status = status_of(o);
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
            "alpha is 2/sqrt of the longest dimension unless given. "
            "The exit code is 0 when the point is certified stationary, 2 at a limit, 3 when the "
            "run diverged.",
    .example = "crease rpca instance/tensor.npy --rank 3 --out result",
    .takes = CRS_TAKES_RUN | CRS_TAKES(RANK) | CRS_TAKES(PENALTY) | CRS_TAKES(GROUPS) |
             CRS_TAKES(WEIGHTS) | CRS_TAKES(ALPHA) | CRS_TAKES(ALPHA_NOISE) | CRS_TAKES(RIDGE) |
             CRS_TAKES(INIT) | CRS_TAKES(MISSING) | CRS_TAKES(MASK) | CRS_TAKES(NONNEG) |
             CRS_TAKES(MERGE) | CRS_TAKES(TRUTH) | CRS_TAKES(OUT) | CRS_TAKES(FORCE) |
             CRS_TAKES(JSON),
    .run = run,
};
