/* SPDX-License-Identifier: MIT
 * paper_compare: means of a cell, their sampling errors, and differences from other figures
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

void crs_paper_compare(const crs_paper_job *j, crs_paper_result *r, double *value)
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

int crs_paper_differing(const crs_paper_job *j, int figure, bool earlier)
{
    int sum = 0;
    for (int k = 0; k < j->count; k++) {
        const crs_paper_result *r = j->result + k;
        sum += (earlier ? &r->from_earlier : &r->from_printed)->differs[figure];
    }
    return sum;
}
