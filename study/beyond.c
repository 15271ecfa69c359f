/* SPDX-License-Identifier: MIT
 * beyond: the instances of the paper's tables by the defaults of this library, given R alone,
 * beside the paper's best method */
#include "rpca/rpca.h"
#include "study/table.h"
#include "study/trial.h"

typedef struct {
    crs_paper_job table;
    crs_paper_row row;
    const char *init; /* NULL: the default's own */
    crease_cp_start start;
    double clip; /* as of crease_cp_rpca_settings */
    ptrdiff_t times;
    crs_trial *trial;
} job;

static bool run_one(void *self, int k, crease_error *e)
{
    const job *j = self;
    const crease_cp_recipe recipe = crs_paper_instance(&j->row, &j->table.recipe, k);
    crease_cp_fit_settings s = crs_trial_settings(&j->row.shape, j->row.rank);
    crease_cp_instance *c = crease_cp_generate(&recipe, e);
    s.model.seed = recipe.seed;
    s.model.start = j->start;
    s.model.clip = j->clip;
    const bool done = c && crs_trial_run(&s, c, 0, j->trial + k, e);
    crease_cp_instance_free(c);
    return done;
}

/* The method of the paper with most successes on a row, then least iterations. */
static crs_paper_method best_of(const crs_paper_row *row)
{
    int best = 0;
    for (int m = 1; m < CRS_PAPER_METHODS; m++) {
        const crs_paper_figures a =
            crs_paper_cell_at(row->table, row->row, (crs_paper_method)m).printed;
        const crs_paper_figures b =
            crs_paper_cell_at(row->table, row->row, (crs_paper_method)best).printed;
        if (a.successes > b.successes ||
            (a.successes == b.successes && a.iterations < b.iterations))
            best = m;
    }
    return (crs_paper_method)best;
}

static void print(const job *j, const crs_trial_means *m)
{
    const crs_paper_row *row = &j->row;
    const crs_paper_method best = best_of(row);
    const crs_paper_figures p = crs_paper_cell_at(row->table, row->row, best).printed;
    const ptrdiff_t *dim = row->shape.dim;
    printf("| %td x %td x %td | %td | %td | %s | %d | %.4f | %.1f ", dim[0], dim[1], dim[2],
           row->true_rank, row->rank, crs_paper_title(best), p.successes, p.error, p.iterations);
    printf("| %d/%d | %.5f | %.1f (%ld) | %d | %d | %d | %.1f |\n", m->successes,
           j->table.instances, m->mean_error, m->readings, m->most, m->certified, m->valid, m->rank,
           1e3 * m->seconds);
    fflush(stdout);
}

static bool head(const job *j, crease_error *e)
{
    crs_study *s = j->table.s;
    if (s->document)
        return crs_study_set(s, "init", json_string(j->init ? j->init : "auto"), e) &&
               crs_study_set(s, "table", json_integer(j->table.table), e);
    printf("### Table %d by the defaults, given R%s%s: %d instances, seed %.0f\n\n", j->table.table,
           j->init ? " and the start " : "", j->init ? j->init : "", s->instances, (double)s->seed);
    printf(
        "| size | R_CP | R | paper's best | Num of 20 | Err. | Iter. | here: Num | Err. | passes "
        "(most) | certified | checked | R_CP found | ms |\n");
    printf("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    return true;
}

static json_t *cell(const job *j, const crs_trial_means *m)
{
    const crs_paper_row *row = &j->row;
    const crs_paper_method best = best_of(row);
    const crs_paper_figures p = crs_paper_cell_at(row->table, row->row, best).printed;
    return json_pack("{s:i, s:o, s:I, s:I, s:{s:s, s:f, s:f, s:i}, s:o, s:o}", "row", row->row,
                     "shape", crs_study_shape(&row->shape), "true_rank", (json_int_t)row->true_rank,
                     "rank", (json_int_t)row->rank, "paper_best", "method", crs_paper_name(best),
                     "iterations", p.iterations, "error", p.error, "successes", p.successes, "here",
                     crs_trial_json_means(m), "runs",
                     crs_trial_json(j->table.instances, 1, j->trial));
}

static bool work(job *j, crease_error *e)
{
    crs_study *s = j->table.s;
    for (int k = 1; k <= CRS_PAPER_ROWS; k++) {
        if (!j->table.row[k - 1]) continue;
        j->row = crs_paper_row_at(j->table.table, k);
        for (int n = 0; n < j->row.shape.order; n++) j->row.shape.dim[n] *= j->times;
        if (!crs_trials(s->threads, s->instances, run_one, j, e)) return false;
        const crs_trial_means m = crs_trial_mean(s->instances, 1, j->trial, j->row.true_rank);
        if (!s->document)
            print(j, &m);
        else if (!crs_study_append(s, cell(j, &m), e))
            return false;
    }
    return true;
}

/* "gevd", or "gevd-clipped" for a start from clipped data */
static bool read_init(job *j, crease_error *e)
{
    static const char *const name[] = {
#define X(id, name, meaning) #name,
        CREASE_CP_STARTS(X)
#undef X
    };
    j->init = crs_study_given(j->table.s, CRS_STUDY_INIT);
    j->start = CREASE_START_AUTO;
    for (int k = 0; j->init && k < (int)(sizeof name / sizeof *name); k++) {
        const size_t length = strlen(name[k]);
        const bool cuts = k != CREASE_START_AUTO && k != CREASE_START_RANDOM;
        if (strncmp(j->init, name[k], length) != 0) continue;
        const bool clipped = cuts && strcmp(j->init + length, "-clipped") == 0;
        if (j->init[length] && !clipped) continue;
        j->start = (crease_cp_start)k;
        j->clip = clipped ? 2 : 0;
        return true;
    }
    return !j->init || crs_fail(e, CREASE_BAD_ARGUMENT,
                                "--init %.64s: write random, hosvd, als or gevd", j->init);
}

static bool run(crs_study *s, crease_error *e)
{
    job j = { .init = NULL };
    double times;
    if (!crs_paper_options(&j.table, s, e) || !read_init(&j, e) ||
        !crs_study_integer(s, CRS_STUDY_TIMES, 1, 100, 1, &times, e))
        return false;
    j.times = (ptrdiff_t)times;
    j.trial = crs_alloc((size_t)s->instances, sizeof *j.trial);
    const bool done = (j.trial || crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes")) &&
                      head(&j, e) && work(&j, e);
    crs_free(j.trial);
    return done;
}

const crs_study_verb crs_study_beyond = {
    .name = "beyond",
    .text = "Solve the instances of the paper's tables by the defaults of crease rpca. They are "
            "given R alone, or R and the start that --init names. With --times their tensors are "
            "larger: of more than 4194304 entries, 90 x 180 x 270 for one, fits go slab by slab.",
    .example = "crease-study beyond --table 2 --rows 1 --instances 4",
    .takes = CRS_STUDY_TAKES(TABLE) | CRS_STUDY_TAKES(ROWS) | CRS_STUDY_TAKES(INIT) |
             CRS_STUDY_TAKES(TIMES),
    .least = 1,
    .run = run,
};
