/* SPDX-License-Identifier: MIT
 * map.h: linear maps A from one space to another, as values */
#ifndef CREASE_MAP_H
#define CREASE_MAP_H

#include <crease/param.h>
#include <crease/space.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crease_map crease_map;

/* What rounding may do to A x, and likewise to A'y: the computed y has
 * |y - A x|_2 <= steps * 2^-52 * mass * |x|_2. mass >= |A|_2; where products and sums are by
 * entries mass >= | |A| |_2, sums and products of maps taken in absolute values. */
typedef struct {
    double mass, steps;
} crease_rounding;

/* Orthogonal bases: unit vectors; cosines and exponentials along every axis of the shape; products
 * of the rows of two matrices; the rows of one matrix and anything orthogonal to them. */
typedef enum {
    CREASE_BASIS_ENTRIES,
    CREASE_BASIS_COSINE,
    CREASE_BASIS_FOURIER,
    CREASE_BASIS_PAIR,
    CREASE_BASIS_ROWS
} crease_basis;

/* A'A = Q diag(w) Q'. w has one number an entry of the domain, of FOURIER one a frequency of the
 * half spectrum (the last dimension n has n/2 + 1), of ROWS one a row of `left`, the others being
 * 0. PAIR: x as a matrix of `rows` rows, row j of `left` and row k of `right` make the vector of
 * w[j * columns + k]. */
typedef struct {
    crease_basis basis;
    ptrdiff_t count;
    double *w;
    ptrdiff_t rows, columns;
    double *left, *right;
} crease_gram;

/* x in dom, y in ran, never overlapping. `work` has scratch() doubles. */
typedef struct {
    const char *name;
    const char *formula;
    const crease_param *params;
    const char *vector; /* name of the array parameter, NULL: none */

    /* The zero values claim nothing. */
    bool diagonal; /* A is diagonal: A 1 holds its numbers */
    bool opaque;   /* A x is computed by functions of which nothing is known */

    bool (*check)(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e);
    ptrdiff_t (*scratch)(const crease_map *A, const crease_space *dom,
                         const crease_space *ran); /* NULL: none */

    void (*apply)(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work); /* y += a A x  */
    void (*adjoint)(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work); /* x += a A' y */

    /* *bound >= |A|_2, safe under rounding; may allocate. */
    bool (*norm)(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e);

    /* 0 <= *bound <= lambda_min(A A'), safe under rounding (0 when unknown); may allocate. */
    bool (*sigma_min)(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e);

    /* True when A = c I exactly, with *c filled in. NULL: never. */
    bool (*identity)(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c);

    /* NULL: a product by rows or columns, its mass by the norm. May allocate. */
    bool (*rounding)(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e);

    /* The eigenvalues of A'A in a basis of the above; g is empty before, and after a failure to be
     * freed all the same. False with CREASE_UNSUPPORTED when they are not known. NULL: never. */
    bool (*gram)(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e);

    /* How many entries a sparse A stores, and, where row is not NULL, their places and values in
     * any order; those of one place add up. NULL, or a negative number: A is not sparse. */
    ptrdiff_t (*entries)(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value);
} crease_map_ops;

struct crease_map {
    const crease_map_ops *ops;
    double par[CREASE_PARS];
    const void *data; /* borrowed */
};

CREASE_API crease_map crease_zero_map(void);
CREASE_API crease_map crease_identity(double scale);
CREASE_API crease_map crease_diagonal(const double *d); /* one number per entry */
CREASE_API crease_map crease_dense(const double *a);    /* row-major, size(ran) x size(dom) */
CREASE_API crease_map crease_mask(const double *keep);  /* 0 or 1 an entry */

/* Over ranks: zero, identity, diagonal and mask take vectors that are split; dense and csr a whole
 * x and give a y that is split, each rank having its own rows of A, so that A'y is a sum over
 * ranks; crease_local takes x and y that are split, each rank mapping its own part by a map of its
 * own, of any kind. Other maps need whole vectors. */
CREASE_API crease_map crease_local(const crease_map *A);

/* Compressed sparse rows. Columns within a row need not be sorted; duplicates add up. */
typedef struct {
    ptrdiff_t rows, cols;
    const ptrdiff_t *start; /* rows + 1 */
    const ptrdiff_t *col;
    const double *value;
} crease_csr_matrix;
CREASE_API crease_map crease_csr(const crease_csr_matrix *a);

/* (A x)_k = x_{index[k]}, k < count. */
typedef struct {
    ptrdiff_t count;
    const ptrdiff_t *index;
} crease_index_list;
CREASE_API crease_map crease_selection(const crease_index_list *l);

/* Forward differences along one axis: that dimension shrinks by one. */
CREASE_API crease_map crease_finite_difference(int axis);

/* Matrix-free. The functions ADD a A x to y, a A' y to x. norm_bound is trusted when positive;
 * 0: computed from the columns when the map is small enough, refused otherwise. */
typedef struct {
    void (*apply)(void *user, double a, const double *x, double *y);
    void (*adjoint)(void *user, double a, const double *y, double *x);
    void *user;
    double norm_bound;
    double sigma_min_bound; /* of A A'; 0: unknown */
} crease_callback_map;
CREASE_API crease_map crease_map_callback(const crease_callback_map *c);

/* sum_k scale[k] A_k; scale NULL: ones. */
typedef struct {
    int count;
    const crease_map *map;
    const double *scale;
} crease_map_list;
CREASE_API crease_map crease_map_sum(const crease_map_list *l);

/* A x = outer(inner(x)), with the space between them. */
typedef struct {
    const crease_map *outer, *inner;
    const crease_space *between;
} crease_map_pair;
CREASE_API crease_map crease_composition(const crease_map_pair *p);

/* c A. */
CREASE_API crease_map crease_map_scaled(double c, const crease_map *A);

/* A', from the range of A to its domain. */
CREASE_API crease_map crease_transposed(const crease_map *A);

/* Parts that share their domain, one over another: space[k] is the range of map[k], and A x is a
 * vector, A_1 x first. Or parts that share their range, side by side: space[k] is the domain of
 * map[k], A x = sum_k A_k x_k, x being x_1, then x_2, ... */
typedef struct {
    int count;
    const crease_map *map;
    const crease_space *space;
} crease_map_parts;
CREASE_API crease_map crease_stack(const crease_map_parts *p);
CREASE_API crease_map crease_side_by_side(const crease_map_parts *p);

/* Forward differences along every axis, those of the first axis first: A x is a vector of
 * sum_i size (n_i - 1)/n_i numbers. */
CREASE_API crease_map crease_gradient(void);

/* A X = L X R' for a matrix X with as many rows as L and as many columns as R has columns; L and R
 * are row-major, or NULL: the identity. */
typedef struct {
    ptrdiff_t left_rows, left_cols, right_rows, right_cols;
    const double *left, *right;
} crease_matrix_pair;
CREASE_API crease_map crease_kronecker(const crease_matrix_pair *p);

/* A x = U (V'x), u is rows x rank and v cols x rank, row-major. */
typedef struct {
    ptrdiff_t rows, cols, rank;
    const double *u, *v;
} crease_factored_matrix;
CREASE_API crease_map crease_low_rank(const crease_factored_matrix *a);

/* The periodic wavelet transform of Daubechies with four coefficients, orthogonal, along every axis
 * of length > 1, `levels` times: each of them is divisible by 2^levels. Averages come first; the
 * next level works on the corner that they fill. */
CREASE_API crease_map crease_wavelet(int levels);

/* The orthonormal cosine transform (DCT-II) along every axis, for arrays of one shape. Its plan is
 * made once, by crease_cosine_new, and outlives the maps that use it. */
typedef struct crease_cosine crease_cosine;
CREASE_API crease_cosine *crease_cosine_new(const crease_space *s, crease_error *e);
CREASE_API void crease_cosine_free(crease_cosine *c);
CREASE_API crease_map crease_dct(const crease_cosine *c);

/* Convolution with a kernel h: y_t = sum_s h_s x_{t-s+origin}, with x periodic (circular), or 0
 * outside; y has the shape of x. `shape` has as many dimensions as `signal`, and an origin inside;
 * a circular kernel is no longer than the signal along any axis. With the origin (k-1)/2 along
 * every axis of length k, the one that is not circular is the "same" convolution of SciPy. */
typedef struct crease_kernel_plan crease_kernel_plan;
typedef struct {
    crease_space signal, shape;
    const double *h; /* row-major */
    ptrdiff_t origin[CREASE_MAX_ORDER];
    bool circular;
    crease_kernel_plan *plan; /* made by prepare, from the fields before it */
} crease_kernel;
CREASE_API bool crease_kernel_prepare(crease_kernel *k, crease_error *e);
CREASE_API void crease_kernel_release(crease_kernel *k); /* the plan; k itself is the caller's */
CREASE_API crease_map crease_convolution(const crease_kernel *k);

/* How many doubles of work apply and adjoint need. */
CREASE_API ptrdiff_t crease_map_scratch(const crease_map *A, const crease_space *dom,
                                        const crease_space *ran);

/* Convenient calls: they check everything and work on memory of their own. */
CREASE_API bool crease_map_check(const crease_map *A, const crease_space *dom,
                                 const crease_space *ran, crease_error *e);
CREASE_API bool crease_apply(const crease_map *A, const crease_space *dom, const crease_space *ran,
                             const double *x, double *y, crease_error *e); /* y = A x  */
CREASE_API bool crease_adjoint(const crease_map *A, const crease_space *dom,
                               const crease_space *ran, const double *y, double *x,
                               crease_error *e); /* x = A' y */
CREASE_API bool crease_map_norm(const crease_map *A, const crease_space *dom,
                                const crease_space *ran, double *bound, crease_error *e);
CREASE_API bool crease_map_sigma_min(const crease_map *A, const crease_space *dom,
                                     const crease_space *ran, double *bound, crease_error *e);
CREASE_API bool crease_map_is_identity(const crease_map *A, const crease_space *dom,
                                       const crease_space *ran, double *c);

/* x = (d I + beta A'A)^{-1} v in closed form, for all d >= 0 and beta >= 0 once it is made; any
 * number of threads may solve at the same time with work of their own. NULL: the sentence in e,
 * with CREASE_UNSUPPORTED when no closed form is known for this map. It borrows nothing. */
typedef struct crease_map_solver crease_map_solver;
CREASE_API crease_map_solver *crease_map_solver_new(const crease_map *A, const crease_space *dom,
                                                    const crease_space *ran, crease_error *e);
CREASE_API void crease_map_solver_free(crease_map_solver *s);
CREASE_API ptrdiff_t crease_map_solver_scratch(const crease_map_solver *s); /* doubles of work */
/* v and x may be the same. A matrix that is singular leaves numbers that are not finite. */
CREASE_API void crease_map_solve(const crease_map_solver *s, double d, double beta, const double *v,
                                 double *x, double *work);

#ifdef __cplusplus
}
#endif

#endif
