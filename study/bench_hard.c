/* SPDX-License-Identifier: MIT
 * bench_hard: instances harder than the paper's, by several methods */
#include "cli/cli.h"
#include "study/bench_verb.h"

typedef struct {
    crs_bench *b;
    bool method[CRS_HARD_METHODS];
    crs_hard_job runs;
} job;

static const char *const names[][2] = {
#define X(id, name, title) { name, title },
    CRS_HARD_METHOD_LIST(X)
#undef X
};

static const char *method_at(int k) { return names[k][0]; }

static void print(const job *j, const crs_trial_means *m, int method)
{
    const crs_hard_cell *c = j->runs.cell;
    printf("| %s | %s | %d/%d | %.2e | %.2e | %.1f (%ld) | %.2f | %d | %d | %d | %d | %.1f |\n",
           c->name, names[method][1], m->successes, j->runs.count, m->error, m->oracle, m->readings,
           m->most, m->starts, m->certified, m->valid, m->rank, m->below, 1e3 * m->seconds);
    fflush(stdout);
}

static void head(const crs_bench *b)
{
    printf("%d instances a cell, seed %.0f. Success: an error below 0.01 or below 1.5 times that "
           "of a fit that knows where the outliers are; passes: readings of the tensor or "
           "iterations; below truth: the objective is less than that of the true factors\n\n",
           b->instances, (double)b->seed);
    printf("| cell | method | successes | median error | oracle's | passes (most) | starts | "
           "certified | checked | R_CP found | below truth | ms |\n");
    printf("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static bool show(const job *j, const crs_trial *t, int method, crease_error *e)
{
    const crs_hard_cell *c = j->runs.cell;
    const crs_trial_means m = crs_trial_mean(j->runs.count, CRS_HARD_METHODS, t, c->true_rank);
    if (!j->b->list) return print(j, &m, method), true;
    return crs_bench_append(j->b,
                            json_pack("{s:s, s:s, s:o, s:I, s:I, s:f, s:f, s:f, s:f, s:o, s:o}",
                                      "cell", c->name, "method", names[method][0], "shape",
                                      crs_dims(&c->shape), "true_rank", (json_int_t)c->true_rank,
                                      "rank", (json_int_t)c->rank, "outliers", c->outliers,
                                      "magnitude", c->magnitude, "congruence", c->congruence,
                                      "decibel", c->decibel, "means", crs_trial_json_means(&m),
                                      "runs", crs_trial_json(j->runs.count, CRS_HARD_METHODS, t)),
                            e);
}

static bool each(void *self, const crs_hard_cell *cell, crs_trial *out, crease_error *e)
{
    job *j = self;
    j->runs.cell = cell;
    if (!crs_hard_runs(&j->runs, out, e)) return false;
    for (int m = 0; m < CRS_HARD_METHODS; m++)
        if (j->method[m] && !show(j, out + m, m, e)) return false;
    return true;
}

static bool run(crs_bench *b, crease_error *e)
{
    job j = { .b = b };
    j.runs = (crs_hard_job){
        .seed = b->seed, .method = j.method, .count = b->instances, .threads = b->threads
    };
    const char *methods = crs_given(b->a, CRS_OPT_METHODS);
    if (!crs_bench_choose("method", methods, CRS_HARD_METHODS, method_at, j.method, e))
        return false;
    return crs_bench_cells(b, CRS_HARD_METHODS, head, each, &j, e);
}

const crs_suite crs_bench_hard = {
    .name = "hard",
    .takes = CRS_LIST(CRS_TAKES(CELLS), CRS_TAKES(METHODS)),
    .run = run,
};
