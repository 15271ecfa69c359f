/* SPDX-License-Identifier: MIT
 * bench: CP robust PCA on instances harder than the paper's, by several methods */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "cli/outdir.h"
#include "cli/trial.h"
#include "model/cp_fused.h"
#include "model/hard.h"

typedef struct {
    const crs_args *a;
    bool *cell, method[CRS_HARD_METHODS];
    crs_hard_job runs;
    crs_json json;
    json_t *list; /* NULL: text */
} job;

static const char *const names[][2] = {
#define X(id, name, title) { name, title },
    CRS_HARD_METHOD_LIST(X)
#undef X
};

static const char *method_at(int k) { return names[k][0]; }
static const char *cell_at(int k) { return crs_hard_cell_at(k)->name; }

/* Those that are named, or all. */
static bool choose(const char *what, const char *text, int count, const char *(*name)(int),
                   bool *chosen, crease_error *e)
{
    for (int k = 0; k < count; k++) chosen[k] = !text;
    while (text) {
        char word[64];
        const size_t n = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, text);
        const int k = crs_find(what, word, count, name, e);
        if (k < 0) return false;
        chosen[k] = true;
        text = text[n] ? text + n + 1 : NULL;
    }
    return true;
}

static bool options(job *j, crease_error *e)
{
    const crs_args *a = j->a;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const double all = processors < 1 ? 1 : clip((double)processors, 1, CRS_CP_MOST_THREADS);
    double instances, threads, seed;
    if (strcmp(a->word[0], "hard") != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "there is no suite '%.64s'; write bench hard",
                        a->word[0]);
    if (!crs_option_integer(a, CRS_OPT_INSTANCES, 1, 10000, 20, &instances, e) ||
        !crs_option_integer(a, CRS_OPT_THREADS, 1, CRS_CP_MOST_THREADS, all, &threads, e) ||
        !crs_option_integer(a, CRS_OPT_seed, 0, 0x1p53, 0, &seed, e) ||
        !choose("cell", crs_given(a, CRS_OPT_CELLS), crs_hard_cells(), cell_at, j->cell, e) ||
        !choose("method", crs_given(a, CRS_OPT_METHODS), CRS_HARD_METHODS, method_at, j->method, e))
        return false;
    j->runs = (crs_hard_job){ .seed = (uint64_t)seed,
                              .method = j->method,
                              .count = (int)instances,
                              .threads = (int)threads };
    return true;
}

static void print(const job *j, const crs_trial_means *m, int method)
{
    const crs_hard_cell *c = j->runs.cell;
    printf("| %s | %s | %d/%d | %.2e | %.2e | %.1f (%ld) | %.2f | %d | %d | %d | %d | %.1f |\n",
           c->name, names[method][1], m->successes, j->runs.count, m->error, m->oracle, m->readings,
           m->most, m->starts, m->certified, m->valid, m->rank, m->below, 1e3 * m->seconds);
}

static void head(const job *j)
{
    printf("%d instances a cell, seed %.0f. Success: an error below 0.01 or below 1.5 times that "
           "of a fit that knows where the outliers are; passes: readings of the tensor or "
           "iterations; below truth: the objective is less than that of the true factors\n\n",
           j->runs.count, (double)j->runs.seed);
    printf("| cell | method | successes | median error | oracle's | passes (most) | starts | "
           "certified | checked | R_CP found | below truth | ms |\n");
    printf("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void show(job *j, const crs_trial *t, int method)
{
    const crs_hard_cell *c = j->runs.cell;
    const crs_trial_means m = crs_trial_mean(j->runs.count, CRS_HARD_METHODS, t, c->true_rank);
    if (!j->list) {
        print(j, &m, method);
        fflush(stdout);
        return;
    }
    json_t *cell = json_pack(
        "{s:s, s:s, s:o, s:I, s:I, s:f, s:f, s:f, s:f, s:o, s:o}", "cell", c->name, "method",
        names[method][0], "shape", crs_dims(&c->shape), "true_rank", (json_int_t)c->true_rank,
        "rank", (json_int_t)c->rank, "outliers", c->outliers, "magnitude", c->magnitude,
        "congruence", c->congruence, "decibel", c->decibel, "means", crs_trial_json_means(&m),
        "runs", crs_trial_json(j->runs.count, CRS_HARD_METHODS, t));
    if (json_array_append_new(j->list, cell) != 0) j->json.failed = true;
}

static bool work(job *j, crs_trial *out, crease_error *e)
{
    for (int k = 0; k < crs_hard_cells(); k++) {
        if (!j->cell[k]) continue;
        j->runs.cell = crs_hard_cell_at(k);
        if (!crs_hard_runs(&j->runs, out, e)) return false;
        for (int m = 0; m < CRS_HARD_METHODS; m++)
            if (j->method[m]) show(j, out + m, m);
    }
    return true;
}

static bool finish(job *j, bool done, crease_error *e)
{
    if (!j->list) return done;
    crs_json_set(&j->json, "cells", j->list);
    if (done) return crs_json_print(&j->json, e);
    json_decref(j->json.root);
    json_decref(j->json.odd);
    return false;
}

static bool run(const crs_args *a, crease_error *e)
{
    job j = { .a = a, .cell = crs_alloc((size_t)crs_hard_cells(), sizeof *j.cell) };
    if (!j.cell) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the cells");
    bool done = options(&j, e);
    crs_trial *out = done ? crs_alloc((size_t)j.runs.count * CRS_HARD_METHODS, sizeof *out) : NULL;
    if (done && !out) done = crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
    if (done && crs_given(a, CRS_OPT_JSON)) {
        j.json = crs_json_new("bench");
        crs_json_set(&j.json, "suite", json_string("hard"));
        crs_json_set(&j.json, "instances", json_integer(j.runs.count));
        crs_json_set(&j.json, "seed", json_integer((json_int_t)j.runs.seed));
        j.list = json_array();
    } else if (done) {
        head(&j);
    }
    done = done && work(&j, out, e);
    done = finish(&j, done, e);
    crs_free(out);
    crs_free(j.cell);
    return done;
}

const crs_verb crs_bench_verb = {
    .name = "bench",
    .words = "hard",
    .least = 1,
    .most = 1,
    .text = "Measure CP robust PCA where it is hard: 5, 20 and 40 % outliers of one and ten "
            "deviations of the low-rank part, a rank too large or too small, factors whose columns "
            "are alike, noise of 10 and 0 dB, order 4. The envelope learns its threshold; ADMM-g "
            "and proximal BCD take the alpha it learned; least squares has no outliers. Cells and "
            "methods are named in the table; the default is all of them, which takes hours.",
    .example = "crease bench hard --cells small-5-10x --methods envelope,mcp --instances 2",
    .takes = CRS_LIST(CRS_TAKES(CELLS), CRS_TAKES(METHODS), CRS_TAKES(INSTANCES),
                      CRS_TAKES(THREADS), CRS_TAKES(seed), CRS_TAKES(JSON)),
    .run = run,
};
