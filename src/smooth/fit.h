/* SPDX-License-Identifier: MIT
 * fit.h: what the couplings |Z - F(x_1, ..., x_c)|^2 share, F multilinear with
 * |F(x_1, ..., x_c)| <= |x_1| ... |x_c|: matrix factorization, CP, Tucker */
#ifndef CRS_FIT_H
#define CRS_FIT_H

#include "smooth/smooth.h"
#include "tensor/tensor.h"

/* The squares of larger ranks would make scratch sizes overflow. */
enum { CRS_MAX_ARGUMENTS = CREASE_MAX_ORDER + 1, CRS_MOST_RANK = 1 << 24 };

/* The blocks of a fit: the arguments of F, and Z (z < 0: the constant `target`). */
typedef struct {
    int count;
    int block[CRS_MAX_ARGUMENTS];
    int z;
    const crease_space *shape;
    const double *target;
} crs_fit;

/* Which argument block i is: 0 .. count-1, count for Z, -1 for none. */
int crs_fit_role(const crs_fit *f, int i);

/* For the `factors` of a coupling. */
int crs_fit_factors(const crs_fit *f, int i, double *size);

/* Z, wherever it is. */
const double *crs_fit_tensor(const crs_fit *f, const double *const *x);

/* Constants on |x_i| <= r_i, with products of radii for the norms of F's derivatives:
 * P_n = prod_{j != n} r_j, Pi_ij = prod_{k != i,j} r_k, u = |Z| + prod r_j,
 * L = 2(1 + sum P_n^2) + 2u|Pi|_2, without the 1 when Z is constant. */
bool crs_fit_constants(const crs_fit *f, const crease_blocks *b, int last, crease_constants *out,
                       double *block, crease_error *e);

/* A function that does not touch the last block: separable, with a zero Hessian there. */
static inline void untouched_last(crease_constants *out)
{
    out->M = 0;
    out->separable_last = out->quadratic_last = true;
    out->last_low = out->last_high = 0;
}

/* Of the radii r: an upper bound of the 2-norm of Pi, the 2-norm of its row i (0: there is none),
 * and the product of all; INFINITY when an entry is. Allocates. */
typedef struct {
    double norm, row, all;
} crs_pairs;
bool crs_pairs_of(int count, const double *r, int i, crs_pairs *out, crease_error *e);

/* t made a safe over-estimate after a few roundings; INFINITY when t is not finite. */
static inline double safe(double t) { return t < INFINITY ? t * (1 + 0x1p-40) : INFINITY; }

/* An upper bound of the largest eigenvalue of a symmetric psd matrix known up to a perturbation
 * of norm `error`; work has crs_lambda_scratch(n) doubles. */
ptrdiff_t crs_lambda_scratch(ptrdiff_t n);
double crs_lambda_high(ptrdiff_t n, const double *g, double error, double *work);

/* y = h v, the start of every right-hand side; v is not read when h = 0. */
void crs_fit_start(ptrdiff_t n, double h, const double *v, double *y);

/* A part a block plays, and the shape it must have; number 0: the part has none. */
typedef struct {
    const char *name;
    int number, block;
    crease_space space;
} crs_part;
bool crs_check_parts(const char *owner, const crease_blocks *b, int count, const crs_part *part,
                     crease_error *e);

/* A tensor shape the kernels can take, and data that are there and finite. */
bool crs_check_shape(const char *owner, const crease_space *s, crease_error *e);
bool crs_check_tensor(const char *owner, const crease_space *s, const double *t, crease_error *e);

#endif
