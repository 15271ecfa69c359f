/* SPDX-License-Identifier: MIT
 * transform.h: Fourier and cosine transforms along every axis of an array, by FFTW, which this
 * folder alone names
 *
 * Plans are made once and only read afterwards: any number of threads may use one. They are chosen
 * without a look at the clock, so that the same numbers come out of every run. NaN or infinity in
 * an entry reaches every entry. */
#ifndef CRS_TRANSFORM_H
#define CRS_TRANSFORM_H

#include "core/core.h"

/* X_k = sum_j x_j exp(-2 pi i <j/n, k>), as `half` pairs (real, imaginary): of the last dimension n
 * only k <= n/2 are kept, the others are their conjugates. */
typedef struct crs_fourier crs_fourier;
crs_fourier *crs_fourier_new(const crease_space *s, crease_error *e);
void crs_fourier_free(crs_fourier *f);
ptrdiff_t crs_fourier_half(const crs_fourier *f);
void crs_fourier_forward(const crs_fourier *f, const double *x, double *spectrum);
/* size(s) times the inverse; uses the spectrum up. */
void crs_fourier_backward(const crs_fourier *f, double *spectrum, double *x);

/* The orthonormal cosine transform: X_k = prod_i c_i(k_i) sum_j x_j prod_i cos(pi (j_i + 1/2) k_i /
 * n_i), c_i(0) = sqrt(1/n_i), c_i(k) = sqrt(2/n_i); its inverse is its transpose. x is not changed
 * and overlaps nothing; backward uses up `coefficients`. */
typedef struct crs_cosine crs_cosine;
crs_cosine *crs_cosine_new(const crease_space *s, crease_error *e);
void crs_cosine_free(crs_cosine *c);
void crs_cosine_forward(const crs_cosine *c, const double *x, double *coefficients);
void crs_cosine_backward(const crs_cosine *c, double *coefficients, double *x);

/* A transform, relative to the length of its result, is off by no more than this many times 2^-52.
 * Per axis and prime factor p of its length: p + 6 roundings where a sum of p terms is formed, and
 * for large p a convolution by three transforms of about the length 2p (Higham, Accuracy and
 * Stability of Numerical Algorithms, 2002, section 24.1; FFTW states no constant). */
double crs_transform_steps(const crease_space *s);

#endif
