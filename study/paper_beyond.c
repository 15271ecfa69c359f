/* SPDX-License-Identifier: MIT
 * paper_beyond: the rows of the paper's tables by our defaults, beside the paper's best method */
#include "cli/cli.h"
#include "cli/rpca.h"
#include "study/beyond.h"
#include "study/paper_verb.h"
#include "study/trial_verb.h"

static void print(const crs_paper_job *j, const crs_paper_row *row, const crs_trial_means *m)
{
    const crs_paper_method best = crs_beyond_best(row);
    const crs_paper_figures p = crs_paper_cell_at(row->table, row->row, best).printed;
    const ptrdiff_t *dim = row->shape.dim;
    printf("| %td x %td x %td | %td | %td | %s | %d | %.4f | %.1f ", dim[0], dim[1], dim[2],
           row->true_rank, row->rank, crs_paper_title(best), p.successes, p.error, p.iterations);
    printf("| %d/%d | %.5f | %.1f (%ld) | %d | %d | %d | %.1f |\n", m->successes, j->instances,
           m->mean_error, m->readings, m->most, m->certified, m->valid, m->rank, 1e3 * m->seconds);
    fflush(stdout);
}

/* The start asked for; NULL: the default's own. */
static const char *init(const crs_paper_job *j) { return crs_given(j->a, CRS_OPT_INIT); }

static void head(const crs_paper_job *j)
{
    printf("### Table %d by the defaults, given R%s%s: %d instances, seed %.0f\n\n", j->table,
           init(j) ? " and the start " : "", init(j) ? init(j) : "", j->instances,
           (double)j->recipe.seed);
    printf(
        "| size | R_CP | R | paper's best | Num of 20 | Err. | Iter. | here: Num | Err. | passes "
        "(most) | certified | checked | R_CP found | ms |\n");
    printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static json_t *cell(const crs_paper_job *j, const crs_paper_row *row, const crs_trial_means *m,
                    const crs_trial *trial)
{
    const crs_paper_method best = crs_beyond_best(row);
    const crs_paper_figures p = crs_paper_cell_at(row->table, row->row, best).printed;
    return json_pack("{s:i, s:o, s:I, s:I, s:{s:s, s:f, s:f, s:i}, s:o, s:o}", "row", row->row,
                     "shape", crs_dims(&row->shape), "true_rank", (json_int_t)row->true_rank,
                     "rank", (json_int_t)row->rank, "paper_best", "method", crs_paper_name(best),
                     "iterations", p.iterations, "error", p.error, "successes", p.successes, "here",
                     crs_trial_json_means(m), "runs", crs_trial_json(j->instances, 1, trial));
}

static bool work(const crs_paper_job *j, const crease_cp_rpca_settings *begin, crs_trial *trial,
                 json_t *list, crease_error *e)
{
    for (int k = 1; k <= CRS_PAPER_ROWS; k++) {
        const crs_beyond b = { .row = crs_paper_row_at(j->table, k),
                               .recipe = j->recipe,
                               .start = begin->start,
                               .clip = begin->clip };
        if (!j->row[k - 1]) continue;
        if (!crs_beyond_runs(&b, j->instances, j->threads, trial, e)) return false;
        const crs_trial_means m = crs_trial_mean(j->instances, 1, trial, b.row.true_rank);
        if (!list)
            print(j, &b.row, &m);
        else if (json_array_append_new(list, cell(j, &b.row, &m, trial)) != 0)
            return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the document");
    }
    return true;
}

bool crs_paper_beyond(const crs_paper_job *j, crease_error *e)
{
    const bool as_json = crs_given(j->a, CRS_OPT_JSON);
    crease_cp_rpca_settings begin = { .start = CREASE_START_AUTO };
    if (init(j) && !crs_rpca_init(init(j), &begin))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "--init %.64s: write random, hosvd, als or gevd",
                        init(j));
    json_t *list = as_json ? json_array() : NULL;
    crs_trial *trial = crs_alloc((size_t)j->instances, sizeof *trial);
    bool done = trial || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
    if (done && !as_json) head(j);
    done = done && work(j, &begin, trial, list, e);
    crs_free(trial);
    if (!done || !as_json) return json_decref(list), done;
    crs_json out = crs_json_new("paper");
    crs_json_set(&out, "beyond", json_true());
    crs_json_set(&out, "init", json_string(init(j) ? init(j) : "auto"));
    crs_json_set(&out, "table", json_integer(j->table));
    crs_json_set(&out, "instances", json_integer(j->instances));
    crs_json_set(&out, "seed", json_integer((json_int_t)j->recipe.seed));
    crs_json_set(&out, "cells", list);
    return crs_json_print(&out, e);
}
