/* SPDX-License-Identifier: MIT
 * paper_beyond: the rows of the paper's tables by our defaults, beside the paper's best method */
#include <time.h>

#include "cli/outdir.h"
#include "cli/paper.h"
#include "model/beyond.h"

typedef struct {
    crs_paper_row row;
    crs_trial *trial;
    double error, seconds, passes;
    long most;
    int successes, certified, valid, rank;
} line;

static void sum_up(const crs_paper_job *j, line *l)
{
    for (int k = 0; k < j->instances; k++) {
        const crs_trial *t = l->trial + k;
        l->error += t->error / j->instances;
        l->seconds += t->seconds / j->instances;
        l->passes += (double)t->readings / j->instances;
        if (t->readings > l->most) l->most = t->readings;
        l->successes += t->success;
        l->certified += t->certified;
        l->valid += t->valid;
        l->rank += t->rank == l->row.true_rank;
    }
}

static void print(const crs_paper_job *j, const line *l)
{
    const crs_paper_method best = crs_beyond_best(&l->row);
    const crs_paper_figures p = crs_paper_cell_at(l->row.table, l->row.row, best).printed;
    const ptrdiff_t *dim = l->row.shape.dim;
    printf("| %td x %td x %td | %td | %td | %s | %d | %.4f | %.1f | %d/%d | %.4f | %.1f (%ld) | %d "
           "| %d | %d | %.1f |\n",
           dim[0], dim[1], dim[2], l->row.true_rank, l->row.rank, crs_paper_title(best),
           p.successes, p.error, p.iterations, l->successes, j->instances, l->error, l->passes,
           l->most, l->certified, l->valid, l->rank, 1e3 * l->seconds);
    fflush(stdout);
}

static void head(const crs_paper_job *j)
{
    printf("### Table %d by the defaults, given R: %d instances, seed %.0f\n\n", j->table,
           j->instances, (double)j->recipe.seed);
    printf(
        "| size | R_CP | R | paper's best | Num of 20 | Err. | Iter. | here: Num | Err. | passes "
        "(most) | certified | checked | R_CP found | ms |\n");
    printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static json_t *run_of(const crs_trial *t)
{
    return json_pack("{s:o, s:b, s:I, s:I, s:i, s:b, s:b, s:I, s:o, s:o, s:o, s:o}", "error",
                     crs_real(t->error), "success", t->success, "readings", (json_int_t)t->readings,
                     "iterations", (json_int_t)t->iterations, "starts", t->starts, "certified",
                     t->certified, "valid", t->valid, "rank", (json_int_t)t->rank, "alpha",
                     crs_real(t->alpha), "seconds", crs_real(t->seconds), "objective",
                     crs_real(t->objective), "objective_truth", crs_real(t->objective_truth));
}

static json_t *cell(const crs_paper_job *j, const line *l)
{
    const crs_paper_method best = crs_beyond_best(&l->row);
    const crs_paper_figures p = crs_paper_cell_at(l->row.table, l->row.row, best).printed;
    json_t *runs = json_array();
    for (int k = 0; k < j->instances; k++) json_array_append_new(runs, run_of(l->trial + k));
    return json_pack("{s:i, s:o, s:I, s:I, s:s, s:{s:f, s:f, s:i}, s:i, s:o, s:o, s:I, s:i, s:i, "
                     "s:i, s:o, s:o}",
                     "row", l->row.row, "shape", crs_dims(&l->row.shape), "true_rank",
                     (json_int_t)l->row.true_rank, "rank", (json_int_t)l->row.rank, "paper_best",
                     crs_paper_name(best), "paper", "iterations", p.iterations, "error", p.error,
                     "successes", p.successes, "successes", l->successes, "error",
                     crs_real(l->error), "passes", crs_real(l->passes), "most_passes",
                     (json_int_t)l->most, "certified", l->certified, "valid", l->valid,
                     "rank_found", l->rank, "seconds", crs_real(l->seconds), "runs", runs);
}

static bool work(const crs_paper_job *j, crs_json *out, json_t *list, crease_error *e)
{
    for (int row = 1; row <= CRS_PAPER_ROWS; row++) {
        line l = { .row = crs_paper_row_at(j->table, row) };
        if (!j->row[row - 1]) continue;
        l.trial = crs_alloc((size_t)j->instances, sizeof *l.trial);
        const bool done =
            l.trial ? crs_beyond_runs(&l.row, &j->recipe, j->instances, j->threads, l.trial, e)
                    : crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
        if (done) sum_up(j, &l);
        if (done && !list) print(j, &l);
        if (done && list && json_array_append_new(list, cell(j, &l)) != 0) out->failed = true;
        crs_free(l.trial);
        if (!done) return false;
    }
    return true;
}

bool crs_paper_beyond(const crs_paper_job *j, crease_error *e)
{
    if (!crs_given(j->a, CRS_OPT_JSON)) return head(j), work(j, NULL, NULL, e);
    crs_json out = crs_json_new("paper");
    json_t *list = json_array();
    crs_json_set(&out, "beyond", json_true());
    crs_json_set(&out, "table", json_integer(j->table));
    crs_json_set(&out, "instances", json_integer(j->instances));
    crs_json_set(&out, "seed", json_integer((json_int_t)j->recipe.seed));
    const bool done = work(j, &out, list, e);
    crs_json_set(&out, "cells", list);
    if (done) return crs_json_print(&out, e);
    json_decref(out.root);
    json_decref(out.odd);
    return false;
}
