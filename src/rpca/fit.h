/* SPDX-License-Identifier: MIT
 * fit.h: the insides of a fit, and what an engine of it supplies */
#ifndef CRS_RPCA_FIT_H
#define CRS_RPCA_FIT_H

#include "rpca/fused/fused.h"
#include "rpca/rpca.h"
#include "solve/engine.h"

/* An engine of CP robust PCA: the driver's engine, whose self is the fit, and what a fit asks of
 * its state. Its memory is there before the first iteration. */
typedef struct {
    const char *name;
    crs_engine run;
    double (*bytes)(const crease_cp_fit_settings *s, bool missing, bool dense); /* without T */
    void *(*open)(crease_cp_fit *f, crease_error *e);
    long (*passes)(const void *state); /* over the tensor; NULL: one per iteration */
    const double *(*factor)(const void *state, int n);
    void (*rows)(const void *state, ptrdiff_t *left, ptrdiff_t *right); /* NULL: any */
    crs_cp_sparse *sparse;                                              /* rows of E */
    void (*close)(void *state);
} crs_cp_engine;

extern const crs_cp_engine crs_cp_fused_engine, crs_cp_generic_engine, crs_cp_envelope_engine,
    crs_cp_long_engine;

struct crease_cp_fit {
    crease_cp_fit_settings s; /* every default filled in */
    crease_options o;         /* what the analysis is about: paper mode as its parameters */
    crs_driver run;
    const crs_cp_engine *engine;
    void *state;
    crease_analysis *own; /* of an engine without a solver */
    const crease_analysis *a;
    double *tensor;         /* the caller's; NULL: a source was given */
    unsigned char *mask;    /* of that, NULL: all observed */
    crs_memory data;        /* and both */
    crs_coordinates listed; /* of these: the entries that were observed, where they are few */
    crs_source *source;     /* those, or what was given; NULL until the tensor is masked */
    ptrdiff_t missing;
    crease_cp_pilot pilot;
    ptrdiff_t terms;    /* columns of the engine's factors; those of the model beyond are 0 */
    crease_cp_cut *cut; /* of those that were cut; NULL: the engine cuts none */
    ptrdiff_t cuts;
    crease_cp_support *support; /* of the terms; NULL: the engine does not judge them */
    long support_passes;
    long passes; /* over the tensor, by the check of the data and the certificates */
    bool closed; /* E follows from the factors */

    crs_cp_held *held; /* while the answer is read */

    crs_cp_point point; /* the factors that are certified or read */
    crs_cp_room room;
    void *memory;
    double *trial[CREASE_MAX_ORDER], *found[CREASE_MAX_ORDER]; /* balanced */
    double *weight, *left;
    crease_residual residual[2][CREASE_MAX_ORDER + 3];
};

/* The run of a fit whose analysis is known: options that its method does not read are refused. */
bool crs_cp_fit_open(crease_cp_fit *f, crease_error *e);

/* What the engines have in common: evaluations of f are passes over the tensor; the certificate is
 * that of the balanced factors. */
long crs_cp_fit_evaluations(const void *fit);
void crs_cp_fit_certify(void *fit, crease_certificate *c);
void crs_cp_fit_keep(void *fit);
void crs_cp_fit_settle(void *fit);
void crs_cp_fit_visit(crs_visitor *v, crease_cp_fit *f);

/* A slab of the tensor could not be had: the sentence of the report. */
void crs_cp_fit_fails(crease_cp_fit *f, const crease_error *why);

/* What is certified or read, where it has several slabs and E follows from the factors in each;
 * NULL: otherwise. Nothing of the source is held then. */
const crs_cp_point *crs_cp_fit_slabs(const crease_cp_fit *f);

/* The caller's tensor becomes the source: W as bytes, and 0 for its missing entries. */
bool crs_cp_fit_mask(crease_cp_fit *f, crease_error *e);

/* The analysis of the whole model without anything of its size. */
crease_analysis *crs_cp_fit_analyse(const crease_cp_fit *f, crease_error *e);
bool crs_cp_fit_scalar(const crease_cp_rpca_settings *m); /* by entries, all weighed alike */
int crs_cp_fit_threads(const crease_cp_fit_settings *s);

/* Does the engine of these settings judge its terms against the noise? */
bool crs_cp_fit_prunes(const crease_cp_fit_settings *s);

/* The fused engine's step in the progress and the report. */
void crs_cp_fit_audit(crease_cp_fit *f, const crs_cp_statistics *now, double beta, double decrease);

/* The point's constants: everything but its factors. */
void crs_cp_fit_point(const crease_cp_fit_settings *s, crs_source *source, crs_cp_point *p);

#endif
