/* SPDX-License-Identifier: MIT
 * fit.h: the insides of a fit, and what an engine of it supplies */
#ifndef CRS_FIT_H
#define CRS_FIT_H

#include <stdatomic.h>

#include <crease/cp_fit.h>

#include "rpca/fused/cp_fused.h"
#include "rpca/rpca.h"

/* An engine makes iterations. Its memory is there before the first one. */
typedef struct {
    const char *name;
    double (*bytes)(const crease_cp_fit_settings *s, bool missing, bool dense); /* without T */
    void *(*open)(crease_cp_fit *f, double *tensor, crease_error *e);
    crease_outcome (*step)(void *self); /* NOT_RUN: go on */
    double (*theta)(const void *self);
    /* NULL: certificates at fixed iterations; else only when a step says it is done, and meanwhile
     * what the engine itself knows of objective and residual */
    void (*tell)(const void *self, crease_progress *p);
    long (*readings)(const void *self); /* NULL: one an iteration */
    const double *(*factor)(const void *self, int n);
    void (*rows)(const void *self, ptrdiff_t *left, ptrdiff_t *right); /* NULL: any */
    crs_cp_sparse *sparse;                                             /* rows of E */
    void (*close)(void *self);
} crs_cp_engine;

extern const crs_cp_engine crs_cp_fused_engine, crs_cp_generic_engine, crs_cp_envelope_engine;

struct crease_cp_fit {
    crease_cp_fit_settings s; /* every default filled in */
    crease_options run;       /* what the analysis is about: paper mode as its parameters */
    const crs_cp_engine *engine;
    void *state;
    crease_analysis *own; /* of an engine without a solver */
    const crease_analysis *a;
    unsigned char *mask; /* NULL: all observed */
    ptrdiff_t missing;
    crease_cp_pilot pilot;
    long readings; /* by the check of the data and the certificates */
    bool closed;   /* E follows from the factors */

    crs_cp_point point; /* the factors that are certified or read */
    crs_cp_room room;
    double *memory;
    double *trial[CREASE_MAX_ORDER], *found[CREASE_MAX_ORDER]; /* balanced */
    double *weight, *left;
    crease_certificate now, best; /* of trial, and of found */
    crease_residual residual[2][CREASE_MAX_ORDER + 3];

    crease_report report;
    crease_progress progress;
    bool started, theta_stop;
    double begun;
    crease_callback *call;
    void *user;
    atomic_bool stop;
};

/* W as bytes, and 0 for the missing entries of the tensor. */
bool crs_cp_fit_mask(crease_cp_fit *f, double *tensor, crease_error *e);

/* The analysis of the whole model without anything of its size. */
crease_analysis *crs_cp_fit_analyse(const crease_cp_fit *f, crease_error *e);
bool crs_cp_fit_scalar(const crease_cp_rpca_settings *m); /* by entries, all weighed alike */
int crs_cp_fit_threads(const crease_cp_fit_settings *s);

/* The fused engine's step in the progress and the report. */
void crs_cp_fit_audit(crease_cp_fit *f, const crs_cp_statistics *now, double beta, double decrease);

/* The point's constants: everything but its factors. */
void crs_cp_fit_point(const crease_cp_fit_settings *s, const double *tensor,
                      const unsigned char *mask, crs_cp_point *p);

#endif
