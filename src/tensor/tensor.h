/* SPDX-License-Identifier: MIT
 * tensor.h: kernels on dense row-major tensors of any order from 2 to CREASE_MAX_ORDER
 *
 * Seen from mode n a tensor is left x I_n x right, where `left` runs over the modes before n and
 * `right` over those after it: nothing is ever unfolded by moving data. Shapes have passed
 * crease_space_check; a single dimension, a rank and (where said) `right` fit an int, the integer
 * of BLAS. Modes count from 0. */
#ifndef CRS_TENSOR_H
#define CRS_TENSOR_H

#include "dense/dense.h"

/* [[X_1, ..., X_d]](i_1, ..., i_d) = sum_r X_1(i_1,r) ... X_d(i_d,r); X_n is I_n x rank. */
typedef struct {
    crease_space shape;
    ptrdiff_t rank;
    const double *factor[CREASE_MAX_ORDER];
} crs_kruskal;

/* The tensor is streamed in slabs: a few rows of the (left x right) matrix whose columns run over
 * the modes from `split` on. */
typedef struct {
    int split;
    ptrdiff_t left, right, rows; /* rows of a slab */
} crs_slabs;
crs_slabs crs_slabs_of(const crease_space *s);

/* BLAS counts in int: sums and rows longer than this are taken in pieces. */
enum { CRS_PIECE = 1 << 20 };

static inline ptrdiff_t fewer(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static inline ptrdiff_t more(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

ptrdiff_t crs_left(const crease_space *s, int n);  /* I_0 ... I_{n-1} */
ptrdiff_t crs_right(const crease_space *s, int n); /* I_{n+1} ... I_{d-1} */

/* Rows first .. first+count-1 of the Khatri-Rao product of the factors of modes from .. to-1
 * without mode `skip` (whose index runs all the same); out is count x rank. */
typedef struct {
    int from, to, skip;
} crs_modes;
void crs_khatri_rao(const crs_kruskal *k, crs_modes m, ptrdiff_t first, ptrdiff_t count,
                    double *out);

/* What the five operations below need, whichever the mode. */
ptrdiff_t crs_kruskal_scratch(const crease_space *shape, ptrdiff_t rank);

/* out (I_n x rank) += alpha T_(n) M_n, M_n the Khatri-Rao product of the other factors.
 * factor[n] is not read. */
void crs_mttkrp(const crs_kruskal *k, int n, double alpha, const double *tensor, double *out,
                double *work);

/* With E = T - [[X_1, ..., X_d]] and one reading of T: out[n] += alpha E_(n) M_n for every mode.
 * Returns |E|^2, summed over its entries. */
double crs_kruskal_residual(const crs_kruskal *k, double alpha, const double *tensor,
                            double *const *out, double *work);

/* out += alpha [[X_1, ..., X_d]] */
void crs_reconstruct(const crs_kruskal *k, double alpha, double *out, double *work);

/* |T - [[X_1, ..., X_d]]|^2, summed over the entries of the residual. */
double crs_kruskal_distance2(const crs_kruskal *k, const double *tensor, double *work);

/* g (rank x rank) = M_n'M_n = the Hadamard product of X_j'X_j over j != n; factor[n] is not read.
 * work has rank^2 doubles. */
void crs_gram_except(const crs_kruskal *k, int n, double *g, double *work);

/* out (I_n) += alpha T(x_1, .., x_{n-1}, ., x_{n+1}, .., x_d), and T(x_1, ..., x_d). */
ptrdiff_t crs_contract_scratch(const crease_space *shape);
void crs_contract_except(const crease_space *shape, const double *tensor, const double *const *x,
                         int n, double alpha, double *out, double *work);
double crs_contract(const crease_space *shape, const double *tensor, const double *const *x,
                    double *work);

/* out (I_n x columns) += alpha A_(n) B_(n)'; A has shape s, B the same but `columns` in mode n.
 * right fits an int. */
void crs_unfolding_product(const crease_space *s, int n, ptrdiff_t columns, double alpha,
                           const double *a, const double *b, double *out);

/* One factor of T x_n A: A is to x I_n; transposed: A is I_n x to and A' acts; matrix NULL: the
 * identity. */
typedef struct {
    const double *matrix;
    ptrdiff_t to;
    bool transposed;
} crs_mode_map;

/* y = beta y + alpha T x_n A. right fits an int. y may not overlap t. */
void crs_ttm(const crease_space *s, int n, crs_mode_map a, double alpha, const double *t,
             double beta, double *y);

/* y = beta y + alpha T x_1 A_1 ... x_d A_d, the modes that shrink most first. `to` as above for
 * every mode that has a matrix. */
ptrdiff_t crs_multi_ttm_scratch(const crease_space *s, const crs_mode_map *a);
void crs_multi_ttm(const crease_space *s, const crs_mode_map *a, double alpha, const double *t,
                   double beta, double *y, double *work);

/* C x_1 X_1 ... x_d X_d; X_n is I_n x R_n, C has shape `ranks`. */
typedef struct {
    crease_space shape, ranks;
    const double *core;
    const double *factor[CREASE_MAX_ORDER];
} crs_tucker;

/* What the operations below need. I_2 ... I_d fits an int. */
ptrdiff_t crs_tucker_scratch(const crease_space *shape, const crease_space *ranks);

/* out += alpha C x_1 X_1 ... x_d X_d */
void crs_tucker_reconstruct(const crs_tucker *k, double alpha, double *out, double *work);

/* |T - C x_1 X_1 ... x_d X_d|^2 */
double crs_tucker_distance2(const crs_tucker *k, const double *tensor, double *work);

/* out = T x_j X_j' over all j != skip; skip = -1: over all j. The core is not read. */
void crs_tucker_project(const crs_tucker *k, int skip, const double *tensor, double *out,
                        double *work);

/* out (I_n x R_n) += alpha T_(n) W_n, W_n' the mode-n unfolding of C x_j X_j over all j != n, and
 * g (R_n x R_n) = alpha W_n'W_n; factor[n] is not read. */
void crs_tucker_unfolded(const crs_tucker *k, int n, double alpha, const double *tensor,
                         double *out, double *work);
void crs_tucker_gram(const crs_tucker *k, int n, double alpha, double *g, double *work);

/* out = C x_j X_j'X_j over all j != skip; skip = -1: over all j. */
void crs_tucker_gram_core(const crs_tucker *k, int skip, double *out, double *work);

/* gram += T_(n) T_(n)', in pieces of some tens of milliseconds; false: the watch was over. */
bool crs_unfolding_gram(const crease_space *s, int n, const double *t, crease_watch *watch,
                        double *gram);

/* Squared singular values of T_(n), descending; row k of vectors, unless NULL, is the left singular
 * vector of the k-th. work has crs_unfolding_scratch() doubles. False: not converged, or the watch
 * was over. */
bool crs_unfolding_fits(const crease_space *s, int n);
ptrdiff_t crs_unfolding_scratch(const crease_space *s, int n);
bool crs_unfolding(const crease_space *s, int n, const double *tensor, double *squares,
                   double *vectors, double *work, crease_watch *watch);

#endif
