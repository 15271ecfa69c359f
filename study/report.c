/* SPDX-License-Identifier: MIT
 * report: a table for the terminal (printed -> ours +- sampling error, then the time), for a page
 * (no times, which belong to a machine) or as JSON with every run; then what reproduces */
#include <stdarg.h>

#include "study/table.h"

static const char *const figure_name[] = { "Iter.", "Err.", "Num" };

static int differing(const crs_paper_job *j, int figure, bool earlier)
{
    int sum = 0;
    for (int k = 0; k < j->count; k++) {
        const crs_paper_result *r = j->result + k;
        sum += (earlier ? &r->from_earlier : &r->from_printed)->differs[figure];
    }
    return sum;
}

/* '*' differs from the paper, '+' from the earlier measurement, '#' from both */
static char mark(const crs_paper_result *r, int figure)
{
    const bool paper = r->from_printed.differs[figure], earlier = r->from_earlier.differs[figure];
    return paper && earlier ? '#' : paper ? '*' : earlier ? '+' : ' ';
}

static void text_head(const crs_paper_job *j)
{
    printf("Table %d: %s recipe, %s start, %d instances, seed %.0f; paper -> here +- sampling "
           "error\n",
           j->table, j->recipe.calibrated ? "calibrated" : "stated",
           j->recipe.generic ? "generic" : "the paper's", j->instances, (double)j->recipe.seed);
}

static void text_cell(const crs_paper_job *j, const crs_paper_result *r,
                      const crs_paper_result *before)
{
    const crs_paper_figures *f = &r->printed;
    const ptrdiff_t *dim = r->row.shape.dim;
    if (!before || r->row.row != before->row.row)
        printf("%td x %td x %td, R_CP = %td, R = %td\n", dim[0], dim[1], dim[2], r->row.true_rank,
               r->row.rank);
    printf("  %-15s  %7.2f -> %6.1f +-%5.1f%c  %.4f -> %.4f +- %.4f%c  %2d/%d -> %2.0f/%d +- "
           "%.1f%c %7.2f s\n",
           crs_paper_title(r->method), f->iterations, r->mean[CRS_ITER], r->sampling[CRS_ITER],
           mark(r, CRS_ITER), f->error, r->mean[CRS_ERR], r->sampling[CRS_ERR], mark(r, CRS_ERR),
           f->successes, f->instances, r->mean[CRS_NUM], j->instances, r->sampling[CRS_NUM],
           mark(r, CRS_NUM), r->seconds);
}

static const char *bold(const crs_paper_result *r, int figure)
{
    return r->from_printed.differs[figure] ? "**" : "";
}

static void markdown_cell(const crs_paper_job *j, const crs_paper_result *r)
{
    const ptrdiff_t *dim = r->row.shape.dim;
    const crs_paper_figures *f = &r->printed;
    printf("| %td x %td x %td | %td | %td | %s ", dim[0], dim[1], dim[2], r->row.true_rank,
           r->row.rank, crs_paper_title(r->method));
    printf("| %.2f -> %s%.1f +- %.1f%s ", f->iterations, bold(r, CRS_ITER), r->mean[CRS_ITER],
           r->sampling[CRS_ITER], bold(r, CRS_ITER));
    printf("| %.4f -> %s%.4f +- %.4f%s ", f->error, bold(r, CRS_ERR), r->mean[CRS_ERR],
           r->sampling[CRS_ERR], bold(r, CRS_ERR));
    printf("| %d -> %s%.0f +- %.1f%s ", f->successes, bold(r, CRS_NUM), r->mean[CRS_NUM],
           r->sampling[CRS_NUM], bold(r, CRS_NUM));
    if (j->has_earlier)
        printf("| %.0f / %.4f / %d of %d ", r->earlier.iterations, r->earlier.error,
               r->earlier.successes, r->earlier.instances);
    printf("| %.4f |\n", r->mean_z);
}

static void markdown_head(const crs_paper_job *j)
{
    printf("### Table %d, %s recipe, %s start: %d instances, seed %.0f\n\n", j->table,
           j->recipe.calibrated ? "calibrated" : "stated",
           j->recipe.generic ? "generic" : "the paper's", j->instances, (double)j->recipe.seed);
    printf("| size | R_CP | R | method | Iter. | Err. | Num | %sErr. of Z |\n",
           j->has_earlier ? "earlier program | " : "");
    printf("|---|---|---|---|---|---|---|%s---|\n", j->has_earlier ? "---|" : "");
}

static json_t *figures(const crs_paper_figures *f)
{
    return json_pack("{s:f, s:f, s:i, s:i}", "iterations", f->iterations, "error", f->error,
                     "successes", f->successes, "instances", f->instances);
}

static json_t *difference(const crs_paper_difference *d)
{
    return json_pack("{s:{s:o, s:b}, s:{s:o, s:b}, s:{s:o, s:b}}", "iterations", "standard_errors",
                     crs_study_real(d->score[CRS_ITER]), "differs", d->differs[CRS_ITER], "error",
                     "standard_errors", crs_study_real(d->score[CRS_ERR]), "differs",
                     d->differs[CRS_ERR], "successes", "standard_errors",
                     crs_study_real(d->score[CRS_NUM]), "differs", d->differs[CRS_NUM]);
}

static json_t *run_of(const crs_paper_outcome *o)
{
    return json_pack("{s:I, s:b, s:o, s:o, s:b, s:I}", "iterations", (json_int_t)o->iterations,
                     "stopped", o->stopped, "error", crs_study_real(o->error), "error_z",
                     crs_study_real(o->error_z), "success", crs_paper_success(o), "gram_rank",
                     (json_int_t)o->gram_rank);
}

static json_t *runs_of(const crs_paper_job *j, const crs_paper_result *r)
{
    json_t *list = json_array();
    for (int k = 0; k < j->instances; k++)
        if (json_array_append_new(list, run_of(&r->outcome[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *ours(const crs_paper_result *r)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:i, s:o, s:o}", "iterations",
                     crs_study_real(r->mean[CRS_ITER]), "iterations_sampling_error",
                     crs_study_real(r->sampling[CRS_ITER]), "error",
                     crs_study_real(r->mean[CRS_ERR]), "error_sampling_error",
                     crs_study_real(r->sampling[CRS_ERR]), "successes", (int)r->mean[CRS_NUM],
                     "successes_sampling_error", crs_study_real(r->sampling[CRS_NUM]), "error_z",
                     crs_study_real(r->mean_z));
}

static json_t *json_cell(const crs_paper_job *j, const crs_paper_result *r)
{
    json_t *c =
        json_pack("{s:i, s:o, s:I, s:I, s:s, s:f, s:o, s:o, s:o, s:o}", "row", r->row.row, "shape",
                  crs_study_shape(&r->row.shape), "true_rank", (json_int_t)r->row.true_rank, "rank",
                  (json_int_t)r->row.rank, "method", crs_paper_name(r->method), "seconds",
                  r->seconds, "paper", figures(&r->printed), "here", ours(r), "from_paper",
                  difference(&r->from_printed), "runs", runs_of(j, r));
    if (!c || !j->has_earlier) return c;
    if (json_object_set_new(c, "earlier_program", figures(&r->earlier)) == 0 &&
        json_object_set_new(c, "from_earlier_program", difference(&r->from_earlier)) == 0)
        return c;
    json_decref(c);
    return NULL;
}

static bool markdown(const crs_paper_job *j) { return crs_study_given(j->s, CRS_STUDY_MARKDOWN); }

bool crs_paper_head(const crs_paper_job *j, crease_error *e)
{
    const char *recipe = j->recipe.calibrated ? "calibrated" : "stated";
    const char *start = j->recipe.generic ? "generic" : "paper";
    if (j->s->document)
        return crs_study_set(j->s, "table", json_integer(j->table), e) &&
               crs_study_set(j->s, "recipe", json_string(recipe), e) &&
               crs_study_set(j->s, "start", json_string(start), e);
    if (markdown(j))
        markdown_head(j);
    else
        text_head(j);
    return true;
}

bool crs_paper_show(const crs_paper_job *j, const crs_paper_result *r,
                    const crs_paper_result *before, crease_error *e)
{
    if (j->s->document) return crs_study_append(j->s, json_cell(j, r), e);
    if (markdown(j))
        markdown_cell(j, r);
    else
        text_cell(j, r, before);
    fflush(stdout);
    return true;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(const char *bullet, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    printf("%s", bullet);
    crs_study_wrap(text, (int)strlen(bullet), (int)strlen(bullet));
}

static void compare_all(const crs_paper_job *j, const char *bullet, bool earlier)
{
    int same[CRS_FIGURES];
    for (int f = 0; f < CRS_FIGURES; f++) same[f] = j->count - differing(j, f, earlier);
    say(bullet,
        "%s: within 3 standard errors (or 2 %%) in %d of %d cells for Iter., %d for Err., %d for "
        "Num.",
        earlier ? "Against an earlier independent program by the same recipe" : "Against the paper",
        same[CRS_ITER], j->count, same[CRS_ERR], same[CRS_NUM]);
}

static void list_cells(const crs_paper_job *j, const char *bullet, int figure, bool earlier)
{
    char text[400] = "";
    size_t used = 0;
    for (int k = 0; k < j->count && used < sizeof text; k++) {
        const crs_paper_result *r = j->result + k;
        const crs_paper_difference *d = earlier ? &r->from_earlier : &r->from_printed;
        if (!d->differs[figure]) continue;
        const int n =
            snprintf(text + used, sizeof text - used, "%s row %d %s (%+.1f)", used ? "," : "",
                     r->row.row, crs_paper_name(r->method), d->score[figure]);
        used += n > 0 ? (size_t)n : 0;
    }
    if (used)
        say(bullet, "%s differs from %s, in standard errors:%s%s", figure_name[figure],
            earlier ? "the earlier program" : "the paper", text, used < sizeof text ? "." : " ...");
}

/* Of the runs of BCD: how many ended with a Gram matrix of rank one, and how many succeeded. */
static void rank_one(const crs_paper_job *j, const char *bullet)
{
    int runs = 0, ones = 0, good = 0, good_ones = 0;
    for (int k = 0; k < j->count; k++)
        for (int i = 0; j->result[k].method == CRS_PAPER_BCD && i < j->instances; i++) {
            const crs_paper_outcome *o = j->result[k].outcome + i;
            const bool one = o->gram_rank == 1, success = crs_paper_success(o);
            runs++, ones += one, good += success, good_ones += one && success;
        }
    if (runs)
        say(bullet,
            "BCD: X_1'X_1 o X_2'X_2 has numerical rank one at the end of %d of %d runs; %d of "
            "these succeed, and %d of the other %d.",
            ones, runs, good_ones, good - good_ones, runs - ones);
}

static void sum_up(const crs_paper_job *j, const char *bullet)
{
    const int iter = differing(j, CRS_ITER, false);
    const int err = differing(j, CRS_ERR, false);
    const int num = differing(j, CRS_NUM, false);
    const char *recipe = j->recipe.calibrated ? "calibrated" : "stated";
    say(bullet, "By the %s recipe%s Iter. %s, Err. %s, Num %s.%s", recipe,
        j->recipe.generic ? " from a generic start" : "",
        iter ? "does not reproduce in every cell" : "reproduces",
        err ? "does not reproduce in every cell" : "reproduces",
        num ? "does not reproduce in every cell" : "reproduces",
        iter * 4 > j->count && !j->recipe.calibrated && !j->recipe.generic
            ? " The iterations do not follow from the stated stopping rule; see --calibrated."
            : "");
}

void crs_paper_conclude(const crs_paper_job *j)
{
    const char *bullet = markdown(j) ? "- " : "";
    if (j->s->document) return;
    printf("\n");
    compare_all(j, bullet, false);
    for (int f = 0; f < CRS_FIGURES; f++) list_cells(j, bullet, f, false);
    if (j->has_earlier) {
        compare_all(j, bullet, true);
        for (int f = 0; f < CRS_FIGURES; f++) list_cells(j, bullet, f, true);
    }
    rank_one(j, bullet);
    sum_up(j, bullet);
}
