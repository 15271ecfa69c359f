/* SPDX-License-Identifier: MIT
 * trial.h: a fit to an instance whose truth is known, judged by it and by the independent checker
 */
#ifndef CRS_TRIAL_H
#define CRS_TRIAL_H

#include "rpca/rpca.h"

#include "study/study.h"

typedef struct {
    double error;    /* |[[X]] - truth|/|truth| */
    double oracle;   /* the same of a fit that knows where the outliers are; 0: none was made */
    bool success;    /* error < 0.01, or below 1.5 times the oracle's */
    long readings;   /* of the tensor, all counted (crease_cp_fit_readings) */
    long iterations; /* of the method; the envelope's pilot included */
    int starts;      /* tried by the pilot */
    bool certified, valid; /* relative 1e-6: by the fit, and by the checker as well */
    ptrdiff_t rank;        /* found */
    double alpha;          /* of l1: times its lambda, so that the model is that of lambda = 1 */
    double seconds;
    double objective,
        objective_truth; /* of the answer, and of the true factors by the same model */
} crs_trial;

/* Defaults for an instance: one thread, relative 1e-6, the threshold learned. */
crease_cp_fit_settings crs_trial_settings(const crease_space *shape, ptrdiff_t rank);

/* Fits and judges; oracle and success by the caller's oracle error, 0 for none. The tensor of the
 * instance has no missing entries. */
bool crs_trial_run(const crease_cp_fit_settings *s, const crease_cp_instance *c, double oracle,
                   crs_trial *out, crease_error *e);

/* The error of least squares on the entries without an outlier, from the leading true terms. */
bool crs_trial_oracle(const crease_cp_instance *c, ptrdiff_t rank, double *error, crease_error *e);

/* run(self, k, e) for k = 0 .. count-1, several at a time; the first that failed is named. What
 * comes out does not depend on how many threads there are. */
bool crs_trials(int threads, int count, bool (*run)(void *self, int k, crease_error *e), void *self,
                crease_error *e);

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
