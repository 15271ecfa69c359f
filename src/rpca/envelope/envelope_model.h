/* SPDX-License-Identifier: MIT
 * envelope_model.h: the quadratic model of the envelope's objective around the factors
 *
 *     q(d) = g'd + (1/2) d'H d,   d'H d = curvature sum W (J d)^2 + nu |d|^2,
 *
 * J d the derivative of [[X_1, .., X_d]]. W is taken as a product of one weight for each index, so
 * that with Y_n = D_n^{1/2} X_n and e_n = D_n^{1/2} d_n only R x R matrices are needed:
 *     mode n of J'J e  =  e_n G_n + Y_n sum_{m != n} (e_m'Y_m) o G_nm,
 * G_n and G_nm the Hadamard products of all Y_k'Y_k but those of n, or of n and m. */
#ifndef CRS_ENVELOPE_MODEL_H
#define CRS_ENVELOPE_MODEL_H

#include "tensor/tensor.h"

typedef struct {
    crease_space shape;
    ptrdiff_t rank;
    double curvature, nu;
    double *root;    /* D_n^{1/2}, sum I_n */
    double *y;       /* Y_n one after another, as every vector of unknowns */
    double *gram;    /* Y_n'Y_n, d R^2 */
    double *pair;    /* G_nm for n < m, d(d-1)/2 R^2 */
    double *except;  /* G_n, d R^2 */
    double *inverse; /* of the diagonal blocks with the damping, d R^2 */
    double *cross;   /* e_m'Y_m, d R^2 */
    double *small;   /* 2 R^2 */
    double *held;    /* 1 where an unknown is held, or NULL */
} crs_envelope_model;

/* Doubles that a model of this shape and at most this rank borrows. */
ptrdiff_t crs_envelope_model_size(const crease_space *shape, ptrdiff_t rank);
void crs_envelope_model_place(crs_envelope_model *m, double *memory);

ptrdiff_t crs_envelope_model_rows(const crease_space *shape);           /* sum I_n */
ptrdiff_t crs_envelope_model_first(const crs_envelope_model *m, int n); /* unknown of factor n */
ptrdiff_t crs_envelope_model_unknowns(const crs_envelope_model *m);     /* R sum I_n */
int crs_envelope_model_pair(const crs_envelope_model *m, int n, int k); /* place of G_nk in pair */

/* Takes the factors x; root, curvature and nu are set. */
void crs_envelope_model_build(crs_envelope_model *m, const double *x);

/* out = (H + damping I) e in the scaled unknowns; held unknowns stay 0. */
void crs_envelope_model_apply(const crs_envelope_model *m, double damping, const double *e,
                              double *out);

/* The diagonal blocks' inverses for this damping, and z = their product with r. */
void crs_envelope_model_prepare(crs_envelope_model *m, double damping);
void crs_envelope_model_precondition(const crs_envelope_model *m, const double *r, double *z);

/* out_n = D_n^{1/2} in_n, or D_n^{-1/2} in_n. */
void crs_envelope_model_scale(const crs_envelope_model *m, bool inverse, const double *in,
                              double *out);

/* Conjugate gradients for (H + damping I) e = b until |residual| <= tolerance |b|; returns the
 * iterations taken. work has 4 times the unknowns. */
int crs_envelope_cg(const crs_envelope_model *m, double damping, const double *b, double tolerance,
                    int most, double *e, double *work);

#endif
