/* SPDX-License-Identifier: MIT
 * cli/trial.h: trials of one kind, their means and their JSON */
#ifndef CRS_CLI_TRIAL_H
#define CRS_CLI_TRIAL_H

#include "cli/cli.h"
#include "study/trial.h"

/* Counts, means; of errors the mean and the median; `below` counts objectives below the truth's. */
typedef struct {
    int successes, certified, valid, rank, below;
    double mean_error, error, oracle, readings, starts, iterations, seconds;
    long most;
} crs_trial_means;

/* Trials t[0], t[step], ... */
double crs_trial_median(int count, int step, const crs_trial *t); /* of the errors */
crs_trial_means crs_trial_mean(int count, int step, const crs_trial *t, ptrdiff_t true_rank);
json_t *crs_trial_json(int count, int step, const crs_trial *t);
json_t *crs_trial_json_means(const crs_trial_means *m);

#endif
