/* SPDX-License-Identifier: MIT
 * cli/trial: trials of one kind, their means and their JSON */
#include "study/trial_verb.h"

#include "cli/cli.h"

/* The value that half of the trials do not exceed, by rank; ties by index. */
double crs_trial_median(int count, int step, const crs_trial *t)
{
    for (int k = 0; k < count; k++) {
        int before = 0;
        for (int i = 0; i < count; i++)
            before += t[i * step].error < t[k * step].error ||
                      (t[i * step].error == t[k * step].error && i < k);
        if (before == (count - 1) / 2) return t[k * step].error;
    }
    return NAN;
}

crs_trial_means crs_trial_mean(int count, int step, const crs_trial *t, ptrdiff_t true_rank)
{
    crs_trial_means m = { .error = crs_trial_median(count, step, t) };
    for (int k = 0; k < count; k++, t += step) {
        m.successes += t->success;
        m.certified += t->certified;
        m.valid += t->valid;
        m.rank += t->rank == true_rank;
        m.below += t->objective < t->objective_truth;
        m.mean_error += t->error / count;
        m.oracle += t->oracle / count;
        m.readings += (double)t->readings / count;
        m.iterations += (double)t->iterations / count;
        m.starts += (double)t->starts / count;
        m.seconds += t->seconds / count;
        if (t->readings > m.most) m.most = t->readings;
    }
    return m;
}

static json_t *one(const crs_trial *t)
{
    return json_pack("{s:o, s:o, s:b, s:I, s:I, s:i, s:b, s:b, s:I, s:o, s:o, s:o, s:o}", "error",
                     crs_real(t->error), "oracle", crs_real(t->oracle), "success", t->success,
                     "readings", (json_int_t)t->readings, "iterations", (json_int_t)t->iterations,
                     "starts", t->starts, "certified", t->certified, "valid", t->valid, "rank",
                     (json_int_t)t->rank, "alpha", crs_real(t->alpha), "seconds",
                     crs_real(t->seconds), "objective", crs_real(t->objective), "objective_truth",
                     crs_real(t->objective_truth));
}

json_t *crs_trial_json(int count, int step, const crs_trial *t)
{
    json_t *list = json_array();
    for (int k = 0; list && k < count; k++)
        if (json_array_append_new(list, one(t + k * step)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

json_t *crs_trial_json_means(const crs_trial_means *m)
{
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o}",
                     "successes", m->successes, "certified", m->certified, "valid", m->valid,
                     "rank_found", m->rank, "below_truth", m->below, "error",
                     crs_real(m->mean_error), "median_error", crs_real(m->error), "oracle",
                     crs_real(m->oracle), "readings", crs_real(m->readings), "most_readings",
                     (json_int_t)m->most, "iterations", crs_real(m->iterations), "starts",
                     crs_real(m->starts), "seconds", crs_real(m->seconds));
}
