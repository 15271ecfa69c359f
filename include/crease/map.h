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

/* What rounding may do to A x: the computed y has |y - A x|_2 <= steps * 2^-52 * mass * |x|_2.
 * mass >= | |A| |_2, sums and products of maps taken in absolute values. */
typedef struct {
    double mass, steps;
} crease_rounding;

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

    /* How many entries a sparse A stores, and, where row is not NULL, their places and values in
     * any order; those of one place add up. NULL: A is not sparse. */
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

#ifdef __cplusplus
}
#endif

#endif
