/* SPDX-License-Identifier: MIT
 * pursuit.h: principal component pursuit, min |L|_* + lambda |S|_1 with L + S = T
 *
 * Exact ADMM (iteration.c), the answer guessed and proved where the low rank is recovered exactly
 * (finish.c), the duality gap and the conditions of stationarity (proof.c), the run (engine.c), and
 * the loops over entries (rows.inc).
 *
 * M is T times a power of two, turned so that it is m x n with m >= n. One array is the state for
 * a penalty b: with C = Q cut at +-lambda/b,
 *     S = Q - C,  Y = b C,  X = M - Q + 2 C,  L = X with 1/b taken off its singular values
 * is a point, and the next state is M - L + C. So |Y| <= lambda entry by entry, Y is a subgradient
 * of lambda |.|_1 at S, and what is missing is Q+ - Q = M - L - S, b times which is the distance of
 * Y from the subgradients of |.|_* at L. */
#ifndef CRS_PURSUIT_H
#define CRS_PURSUIT_H

#include "solve/engine.h"

typedef struct {
    ptrdiff_t rows, columns; /* of T, finite and neither too large nor too small for squares */
    double lambda;           /* > 0 */
    double eps;              /* of the relative residuals and of the gap */
    uint64_t seed;
    crease_watch *watch; /* asked by every loop; NULL: none */
} crs_pursuit_settings;

/* What is known of a point, in the unit of M. */
typedef struct {
    double primal; /* |L|_* + lambda |M - L|_1 */
    double dual;   /* <Y, M>/c, c = max(1, |Y|_2, |Y|_inf/lambda), |Y|_2 from above by a proof */
    double gap;    /* (primal - dual)/primal; 0 where M is */
    double norm;   /* |Y|_2, that bound */
    double off;    /* |M - L - S|_F */
    double far;    /* dist(Y, d|L|_*) */
    double defect; /* |U'U - I|_F of L's left singular vectors */
    double l1, nuclear;
    double low, sparse, y; /* |L|_F, |S|_F, |Y|_F */
    double scale[3];       /* what far, the residual of S, 0, and off are relative to */
    double worst;          /* the largest of them, relative; between proofs by the last step */
} crs_pursuit_proof;

/* Entries by rows: start[i] .. start[i+1]-1 of column and value are those of row i. */
typedef struct {
    ptrdiff_t *start;
    int32_t *column;
    double *value;
} crs_pursuit_entries;

enum { CRS_PURSUIT_SAMPLE = 1024 };

typedef struct {
    crs_pursuit_settings c;
    const struct crs_pursuit_kernel *kernel;
    bool wide;      /* M is T' */
    int power;      /* M = 2^-power T */
    ptrdiff_t m, n; /* m >= n */
    double *M, *Q, *spare;
    double size, l1, peak, top; /* |M|_F, |M|_1, |M|_inf, about |M|_2 */
    double b, b0;
    long steps;
    double moved, y, value; /* |Q+ - Q|_F, |Y|_F and |L|_* + lambda |M - L|_1 of the last step */
    double typical, sample[CRS_PURSUIT_SAMPLE]; /* the median of |M - L|, of a sample */
    ptrdiff_t sampled;
    double ceiling, marked; /* of b; the residual of step `mark` less a period */
    long mark;
    double level; /* that median while the rank was the first steps' */
    ptrdiff_t rank;

    /* The singular triplets of X above 1/b: r of them, X v = theta u; V is n x r. */
    ptrdiff_t r;
    double *V, *theta;
    bool whole; /* by the whole Gram matrix, otherwise by a basis of k columns that follows X */
    ptrdiff_t k;
    double blur;    /* of the L that a basis gives */
    double *basis;  /* n x k, orthonormal */
    double *sum;    /* of X'X (n x n) or X'X basis (n x k) */
    double *values; /* n */
    double *square; /* n x n */
    double *work;   /* of decompositions */

    ptrdiff_t tile;    /* rows */
    double *x, *l, *z; /* tile x n each */
    double *proving;   /* 2 n^2 + tile x n */

    /* The point of finish.c: L = U diag(theta) V', S on the entries of `outside`, Y in `spare`. */
    ptrdiff_t most; /* the largest rank that it takes; 0: it is not tried */
    ptrdiff_t room; /* entries that there is room for */
    crs_pursuit_entries outside, other;
    double *U, *tangent[4], *side[4]; /* m x most, n x most */
    double *along;                    /* of the entries outside */
    double *limit;                    /* of columns */
    double *small;                    /* of matrices of the rank */
    double *kept;                     /* V and theta of the iteration */
    long next;                        /* the step after which it is tried again */
    bool finished;                    /* this is the point */

    bool proved; /* `proof` is of the point as it is */
    crs_pursuit_proof proof;
    long again; /* no proof before this step */

    double *L, *S, *Y; /* the answer, in T's unit and shape */
    double gap;        /* of the answer */
    crs_driver *run;   /* that turns it; NULL: none */
    void *memory;
} crs_pursuit;

/* T is read here alone. NULL with a sentence on failure. */
crs_pursuit *crs_pursuit_new(const crs_pursuit_settings *c, const double *T, crease_error *e);
void crs_pursuit_free(crs_pursuit *p);
double crs_pursuit_bytes(ptrdiff_t rows, ptrdiff_t columns);

/* One iteration, its proof where one is due. DONE: the point is an answer by its own proof. */
crs_advance crs_pursuit_step(crs_pursuit *p);

/* The proof of the point as it is; the point as the answer. */
const crs_pursuit_proof *crs_pursuit_prove(crs_pursuit *p);
void crs_pursuit_keep(crs_pursuit *p);

/* Guess the support and the rank, solve, and prove: true where `finished` is an answer. */
bool crs_pursuit_finish(crs_pursuit *p);

/* A few rows of X, and of the point's Y. */
void crs_pursuit_x(const crs_pursuit *p, ptrdiff_t first, ptrdiff_t rows, double *x);
void crs_pursuit_y(const crs_pursuit *p, ptrdiff_t first, ptrdiff_t rows, double *y);

/* The run of a problem {|L|_*, lambda |S|_1, L + S = T} by steps of p. */
crease_solver *crs_pursuit_solver(crs_pursuit *p, const crease_problem *problem,
                                  const crease_options *o, crease_error *e);
bool crs_pursuit_suits(const crease_options *o);

#endif
