/* SPDX-License-Identifier: MIT
 * table: the tables of Jiang, Lin, Ma, Zhang 2019, section 5, beside what comes out here
 *
 * A cell mixes runs that succeeded and runs that failed, so a mean depends on how many failed.
 * With q the share of failures in both samples together, the variance of one run is
 *     (within the two kinds) + q (1 - q) gap^2,
 * where gap, the distance between the means of the two kinds, is averaged over both samples. Of
 * the other sample only its mean m is known; with c of its runs of the kind that is rarer here,
 *     m = (mean of the commoner kind) + (c/runs) gap. */
#include "study/table.h"

static const double SCORES = 3, RELATIVE = 0.02;
static const double ROUNDING[] = { 0.5, 5e-5, 0 }; /* of the figures compared with */

static int successes(const crs_paper_job *j, const crs_paper_result *r)
{
    int sum = 0;
    for (int k = 0; k < j->instances; k++) sum += crs_paper_success(&r->outcome[k]);
    return sum;
}

/* Means of the values of successes and failures (kind 1 and 0), and the variance within. */
static double within(const crs_paper_job *j, const crs_paper_result *r, const double *value,
                     double mean[2], int count[2])
{
    double sum = 0;
    for (int kind = 0; kind < 2; kind++) mean[kind] = 0, count[kind] = 0;
    for (int k = 0; k < j->instances; k++) {
        const bool kind = crs_paper_success(&r->outcome[k]);
        mean[kind] += value[k];
        count[kind]++;
    }
    for (int kind = 0; kind < 2; kind++)
        if (count[kind]) mean[kind] /= count[kind];
    for (int k = 0; k < j->instances; k++)
        sum += square(value[k] - mean[crs_paper_success(&r->outcome[k])]);
    const int degrees = j->instances - (count[0] > 0) - (count[1] > 0);
    return degrees > 0 ? sum / degrees : 0;
}

/* Standard error of the difference of two means. */
static double error_of(const crs_paper_job *j, const crs_paper_result *r, const double *value,
                       double theirs, const crs_paper_figures *f)
{
    double mean[2], squares = 0;
    int count[2], weight = 0;
    const double inside = within(j, r, value, mean, count);
    const int other[2] = { f->instances - f->successes, f->successes };
    const int common = count[1] >= count[0], rare = !common;
    if (count[rare]) {
        squares += count[rare] * square(mean[rare] - mean[common]);
        weight += count[rare];
    }
    if (other[rare]) {
        squares += other[rare] * square((theirs - mean[common]) * f->instances / other[rare]);
        weight += other[rare];
    }
    const double q = (double)(count[0] + other[0]) / (j->instances + f->instances);
    const double between = weight ? q * (1 - q) * squares / weight : 0;
    return sqrt((inside + between) * (1.0 / j->instances + 1.0 / f->instances));
}

static void judge(crs_paper_difference *d, int figure, double ours, double theirs, double error)
{
    const double gap = ours - theirs;
    d->score[figure] = gap == 0 ? 0 : gap / error;
    d->differs[figure] =
        !(fabs(gap) <= SCORES * error || fabs(gap) <= RELATIVE * fabs(theirs) + ROUNDING[figure]);
}

static void compare(const crs_paper_job *j, const crs_paper_result *r, const crs_paper_figures *f,
                    double *value, crs_paper_difference *d)
{
    const double n = j->instances, m = f->instances, theirs = f->successes / m;
    const double pooled = (r->mean[CRS_NUM] + f->successes) / (n + m);
    for (int k = 0; k < j->instances; k++) value[k] = (double)r->outcome[k].iterations;
    judge(d, CRS_ITER, r->mean[CRS_ITER], f->iterations, error_of(j, r, value, f->iterations, f));
    for (int k = 0; k < j->instances; k++) value[k] = r->outcome[k].error;
    judge(d, CRS_ERR, r->mean[CRS_ERR], f->error, error_of(j, r, value, f->error, f));
    judge(d, CRS_NUM, r->mean[CRS_NUM] / n, theirs, sqrt(pooled * (1 - pooled) * (1 / n + 1 / m)));
}

/* Mean of the values and its standard error. */
static double average(int n, const double *value, double *error)
{
    double sum = 0, squares = 0;
    for (int k = 0; k < n; k++) sum += value[k];
    for (int k = 0; k < n; k++) squares += square(value[k] - sum / n);
    *error = sqrt(squares / (n - 1) / n);
    return sum / n;
}

static void compare_all(const crs_paper_job *j, crs_paper_result *r, double *value)
{
    const int n = j->instances;
    const double share = (double)successes(j, r) / n;
    const crs_paper_cell known = crs_paper_cell_at(r->row.table, r->row.row, r->method);
    r->printed = known.printed;
    r->earlier = j->recipe.calibrated ? known.earlier_calibrated : known.earlier;
    for (int k = 0; k < n; k++) value[k] = r->outcome[k].error_z;
    r->mean_z = average(n, value, &r->sampling[CRS_ERR]);
    for (int k = 0; k < n; k++) value[k] = r->outcome[k].error;
    r->mean[CRS_ERR] = average(n, value, &r->sampling[CRS_ERR]);
    for (int k = 0; k < n; k++) value[k] = (double)r->outcome[k].iterations;
    r->mean[CRS_ITER] = average(n, value, &r->sampling[CRS_ITER]);
    r->mean[CRS_NUM] = successes(j, r);
    r->sampling[CRS_NUM] = sqrt(n * share * (1 - share));
    compare(j, r, &r->printed, value, &r->from_printed);
    if (j->has_earlier) compare(j, r, &r->earlier, value, &r->from_earlier);
}

static const char *name_at(int k) { return crs_paper_name((crs_paper_method)k); }

bool crs_paper_read_rows(const crs_study *s, bool chosen[CRS_PAPER_ROWS], crease_error *e)
{
    const char *text = crs_study_given(s, CRS_STUDY_ROWS);
    for (int k = 0; k < CRS_PAPER_ROWS; k++) chosen[k] = !text;
    for (const char *at = text; at;) {
        char word[16];
        double row;
        const size_t n = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, at);
        if (!crs_parse_double(word, &row) || !(row >= 1 && row <= CRS_PAPER_ROWS) ||
            row != floor(row))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "--rows %.64s: a table has the rows 1 to %d; give some of them with "
                            "commas between them, as 1,4",
                            text, CRS_PAPER_ROWS);
        chosen[(int)row - 1] = true;
        at = at[n] ? at + n + 1 : NULL;
    }
    return true;
}

bool crs_paper_options(crs_paper_job *j, crs_study *s, crease_error *e)
{
    double table;
    *j = (crs_paper_job){ .s = s, .instances = s->instances, .recipe.seed = s->seed };
    if (!crs_study_integer(s, CRS_STUDY_TABLE, 1, CRS_PAPER_TABLES, 1, &table, e)) return false;
    j->table = (int)table;
    return crs_paper_read_rows(s, j->row, e);
}

static bool read_recipe(crs_paper_job *j, crease_error *e)
{
    const char *text = crs_study_given(j->s, CRS_STUDY_START);
    j->recipe.calibrated = crs_study_given(j->s, CRS_STUDY_CALIBRATED);
    j->recipe.generic = text && strcmp(text, "generic") == 0;
    j->has_earlier = !j->recipe.generic;
    return !text || j->recipe.generic || strcmp(text, "paper") == 0 ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "--start %.64s: write paper or generic", text);
}

/* The cells in order, each with room for its outcomes. */
static bool prepare(crs_paper_job *j, crease_error *e)
{
    const int cells = CRS_PAPER_ROWS * CRS_PAPER_METHODS;
    j->result = crs_alloc((size_t)cells, sizeof *j->result);
    if (!j->result) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the results");
    for (int cell = 0; cell < cells; cell++) {
        const int row = cell / CRS_PAPER_METHODS, method = cell % CRS_PAPER_METHODS;
        crs_paper_result *r = j->result + j->count;
        if (!j->row[row] || !j->method[method]) continue;
        r->row = crs_paper_row_at(j->table, row + 1);
        r->method = (crs_paper_method)method;
        r->outcome = crs_alloc((size_t)j->instances, sizeof *r->outcome);
        if (!r->outcome) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the outcomes");
        j->count++;
    }
    return true;
}

static void discard(crs_paper_job *j)
{
    for (int k = 0; j->result && k < j->count; k++) crs_free(j->result[k].outcome);
    crs_free(j->result);
}

/* A cell may take minutes, so it is shown when it is done. */
static bool work(crs_paper_job *j, double *value, crease_error *e)
{
    for (int k = 0; k < j->count; k++) {
        crs_paper_result *r = j->result + k;
        const double start = crs_now();
        if (!crs_paper_runs(&r->row, &j->recipe, r->method, j->instances, j->s->threads, r->outcome,
                            e))
            return false;
        r->seconds = crs_now() - start;
        compare_all(j, r, value);
        if (!crs_paper_show(j, r, k > 0 ? r - 1 : NULL, e)) return false;
        if (crs_study_given(j->s, CRS_STUDY_VERBOSE))
            fprintf(stderr, "cell %d of %d: table %d, row %d, %s, %.1f s\n", k + 1, j->count,
                    j->table, r->row.row, crs_paper_title(r->method), r->seconds);
    }
    return true;
}

static bool run(crs_study *s, crease_error *e)
{
    crs_paper_job j;
    if (!crs_paper_options(&j, s, e) || !read_recipe(&j, e) ||
        !crs_study_choose(s, CRS_STUDY_METHODS, CRS_PAPER_METHODS, name_at, j.method, e))
        return false;
    double *value = crs_doubles(j.instances, "the values of a cell", e);
    const bool done = value && prepare(&j, e) && crs_paper_head(&j, e) && work(&j, value, e);
    if (done) crs_paper_conclude(&j);
    discard(&j);
    crs_free(value);
    return done;
}

const crs_study_verb crs_study_paper = {
    .name = "paper",
    .text = "Repeat the tables of the paper beside its printed numbers. A table compares proximal "
            "ADMM-g, proximal ADMM-m, BCD and proximal BCD on random tensors: mean iterations, "
            "mean relative error of the low-rank part and how many of 20 instances end below "
            "0.01. The recipe is the stated one to the letter; --calibrated has more outliers and "
            "a relative stop, with which the iterations of tables 2 and 3 come out, too; --start "
            "generic shows what the constant start hides. Table 1 has R = R_CP, table 2 R_CP + 1, "
            "table 3 R_CP + ceil(0.2 R_CP); rows 1 to 3 are 10 x 20 x 30 (seconds), 4 to 6 "
            "15 x 25 x 40, 7 to 9 30 x 50 x 70 (minutes). The default is table 1, all of it.",
    .example = "crease-study paper --table 1 --rows 1 --instances 4",
    .takes = CRS_STUDY_TAKES(TABLE) | CRS_STUDY_TAKES(ROWS) | CRS_STUDY_TAKES(METHODS) |
             CRS_STUDY_TAKES(CALIBRATED) | CRS_STUDY_TAKES(START) | CRS_STUDY_TAKES(VERBOSE) |
             CRS_STUDY_TAKES(MARKDOWN),
    .least = 2,
    .run = run,
};
