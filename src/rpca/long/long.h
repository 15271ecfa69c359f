/* SPDX-License-Identifier: MIT
 * long.h: CP robust PCA of tensors whose first mode is very long, its rows eliminated
 *
 *   F(Y) = min_X sum phi(t - [[X, Y_1, .., Y_m]]) + (nu/2) (|X|^2 + sum |Y_k|^2),   d = m + 1
 *
 * With K, the Khatri-Rao product of the Y_k, the tensor is a tall matrix near X K', whose rows x_i
 * are functions of K alone, found anew from the same start whenever they are needed: what a process
 * keeps of them saves time and changes no bit. Nothing of the length of the first mode is anywhere
 * but with the slabs until the answer is made. */
#ifndef CRS_LONG_H
#define CRS_LONG_H

#include "rpca/envelope/envelope.h"
#include "rpca/fit.h"

/* Several slabs of whole rows, the first mode longer than four times all others together, and as
 * many numbers in its factor as make other ways slow; a penalty and a rank that the rows' solver
 * takes, factors of any sign and no start of the caller's. A penalty by entries. */
bool crs_long_suits(const crease_cp_fit_settings *s);

/* What the rows of a slab yield for a given K. Arrays of columns are rank x columns. */
typedef struct {
    ptrdiff_t rank, columns;
    crs_penalty_value penalty;
    double alpha_noise, nu;
    int64_t version;       /* of K: rows that were kept for it need not be found again */
    const double *product; /* K' */
    const double *first;   /* (K'K + ridge I)^{-1} K': rows begin at this times their entries */
    const double *change;  /* of K': its product with the Hessian; NULL: solve */
} crs_rows_args;

/* Sums over all rows, in units of 2c: of a solution sum s x, sum max(phi'', 0) of every column,
 * X'X, and the value without the ridge of Y and sum s^2; of a product H change in place of the
 * first. */
enum { CRS_ROWS_OUT, CRS_ROWS_WEIGHT, CRS_ROWS_GRAM, CRS_ROWS_VALUE };
extern const crs_job crs_rows_job;

/* The rows themselves, those of a few slabs at a time: the factor of the first mode, I_1 x rank.
 * False with the sentence, or with none where the watch is over. */
bool crs_rows_read(crs_source *T, const crs_rows_args *a, int threads, crease_watch *watch,
                   double *out, crease_error *e);
extern const crs_job crs_rows_read_job;
double crs_rows_bytes(const crease_space *shape, ptrdiff_t rank, int threads);

/* Newton's method on Y (newton.c) */
typedef struct crs_long crs_long;
typedef struct {
    crease_space shape;
    ptrdiff_t rank;
    crs_penalty_value penalty;
    double alpha_noise, nu;
    int threads;
    double eps;                  /* relative residual to reach */
    double whole;                /* as of crs_envelope_solver_settings */
    long most;                   /* passes: beyond it no product and no trial begins but one */
    crease_watch *watch;         /* asked between slabs; NULL: none */
    const double *const *factor; /* where Y starts, I_n x rank; [0] is not read */
} crs_long_settings;

typedef struct {
    long passes, cg, steps;
    double value, violation, worst; /* F; the largest residual, and the largest relative one */
} crs_long_progress;

/* One pass: the rows at the start. NULL with a sentence. */
crs_long *crs_long_new(const crs_long_settings *c, crs_source *T, crease_error *e);
void crs_long_free(crs_long *s);
double crs_long_bytes(const crease_space *shape, ptrdiff_t rank, int threads);

/* A step of Newton's method; GO_ON: more of them may lead lower, BROKEN: with a sentence in e. */
crs_advance crs_long_step(crs_long *s, crease_error *e);
void crs_long_visit(crs_visitor *v,
                    crs_long *s); /* what steps change; what follows is found anew */
const crs_long_progress *crs_long_at(const crs_long *s);
const double *crs_long_factor(const crs_long *s, int n); /* n > 0 */
/* The factor of the first mode there; false with the sentence. */
bool crs_long_rows(crs_long *s, double *out, crease_error *e);
/* H d at the point, in units of 2c, both with the numbers of Y in order: for tests. */
bool crs_long_product(crs_long *s, const double *d, double *out, crease_error *e);
const double *crs_long_gradient(const crs_long *s);

/* The rows that starts, rank and threshold are found from: whole rows of some 2^22 entries, spread
 * evenly, which ones follows from the shape alone (sample.c). NULL with a sentence. */
ptrdiff_t crs_long_sampled(const crease_space *shape);
crs_source *crs_long_sample(crs_source *T, crease_error *e);

#endif
