/* SPDX-License-Identifier: MIT
 * tucker_state.h: the state of a Tucker fit, shared by the files tucker_*.c */
#ifndef CRS_TUCKER_STATE_H
#define CRS_TUCKER_STATE_H

#include "rpca/tucker/tucker.h"

struct crs_tucker_fit {
    crs_tucker_settings c;
    crs_envelope *pass; /* of T as left x I_d */
    ptrdiff_t left;
    crease_space half; /* I_1 x ... x I_{d-1} x R_d */
    double *factor[CREASE_MAX_ORDER], *core;
    double *P;                    /* left x R_d */
    double *SX;                   /* S X_d, left x R_d */
    double *SP;                   /* S'P, I_d x R_d */
    double *rows, *columns;       /* sums of s/r over a row or a column */
    double *A;                    /* (M + S) X_d */
    double *chain;                /* products on the way from half to ranks */
    double *unfolded;             /* of a projected half */
    double *svd;                  /* its singular vectors and values, and the work for them */
    double *slab;                 /* a few rows of T */
    bool fresh;                   /* X_1 .. X_{d-1} are not there yet */
    bool back;                    /* the next step is that of X_d */
    bool changed;                 /* the face is not the last step's */
    bool cautious;                /* long steps have failed */
    int revived, rest;            /* how often; passes left of this time */
    double least;                 /* no learned threshold is below this */
    double best;                  /* value of the wanted penalty before the last time */
    crs_envelope_face goal, face; /* the penalty to end with, and the one in use */
    crs_envelope_sums sums;
    crs_tucker_statistics statistics;
    const void *T;
    double *memory;
};

/* A x_m X_m' over m < d-1 without mode skip (-1: none) and, when fresh, only over m < skip; the
 * result's shape in *end. Returns where it is: in s->chain, or A itself. */
const double *crs_tucker_reduce(crs_tucker_fit *s, const double *a, int skip, crease_space *end);
ptrdiff_t crs_tucker_chain(const crs_tucker_settings *c);

/* The best X_1, C given the rest, ..., X_{d-1}, C given the rest for the tensor A (tucker_front.c);
 * the best X_d given the rest (tucker_back.c). */
bool crs_tucker_front(crs_tucker_fit *s);
bool crs_tucker_back(crs_tucker_fit *s);

/* P = C x_1 X_1 ... x_{d-1} X_{d-1} */
void crs_tucker_expand(crs_tucker_fit *s);

/* The face of the next step (tucker_path.c); that of the path at a threshold; how many numbers the
 * low-rank part has free. */
void crs_tucker_next_face(crs_tucker_fit *s);
crs_envelope_face crs_tucker_path_face(const crs_tucker_fit *s, double t);
double crs_tucker_parameters(const crs_tucker_fit *s);

/* Relative residuals of all blocks from SX and SP, the largest (tucker_residual.c). */
double crs_tucker_residual(crs_tucker_fit *s);

/* X_d spans nearly the leading right singular vectors of the left x I_d matrix T with entries
 * clipped to [-bound, bound] (tucker_span.c). */
bool crs_tucker_span(crs_tucker_fit *s, const void *T, double bound);
ptrdiff_t crs_tucker_span_scratch(const crs_tucker_settings *c);

/* Carves the arrays of s from one block; with base NULL: counts its doubles (tucker_memory.c). */
ptrdiff_t crs_tucker_carve(crs_tucker_fit *s, double *base);

#endif
