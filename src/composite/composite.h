/* SPDX-License-Identifier: MIT
 * composite.h: a problem as the cores see it, with x one long vector:
 *
 *     min  F(x) = sum_t phi_t(K_t x) + <q, x> + rest(x) + sum_i r_i(x_i),  x_i in X_i,
 *     s.t. A x = b  (in `constraint`; cores but multipliers and splitting take problems without)
 *
 * A point comes with u = (K_1 x, K_2 x, ..), one vector too. u is linear in x: for x + tau d it is
 * u + tau K d, and value and gradient of the terms follow from u without a product with K. */
#ifndef CRS_COMPOSITE_H
#define CRS_COMPOSITE_H

#include <crease/problem.h>

#include "composite/matrix.h"
#include "problem/problem.h"
#include "reg/reg.h"
#include "smooth/smooth.h"

/* K_t restricted to one block; rows `row` .. `row` + matrix->rows - 1 of the term. */
typedef struct {
    int block;
    ptrdiff_t row;
    crs_matrix *matrix; /* borrowed: terms may share it */
} crs_term_part;

/* weight * sum_j each_j phi(v_j), v = u - rhs, or what loss_row() says. Without a loss it is the
 * quadratic form (weight/2) <x, u>, u = Q x, Q symmetric over all coordinates: rows = n, and a
 * block may have several parts; in a term with a loss it has one at most. */
typedef struct crs_term {
    const crs_loss *loss;
    double par[CREASE_PARS];
    double weight;
    const double *rhs;  /* NULL: 0 */
    const double *each; /* >= 0, one a row; NULL: ones */
    ptrdiff_t rows, at; /* its u is u[at] .. u[at + rows - 1] of the whole */
    int parts;
    crs_term_part *part;
    void
        *gram; /* of newton/gram.c: products of columns, kept as long as the matrices; NULL: none */
} crs_term;

/* What the coordinates of separable blocks obey: r = sum_j penalty_j(x_j) on low_j <= x_j <= high_j
 */
typedef struct {
    const crease_penalty *rho; /* NULL: 0 */
    const double *par;
    double weight;
    double low, high;
    bool kink; /* at 0: slope(0+) > 0, and 0 lies inside the bounds or on one */
} crs_coordinate;

/* Counted work. A pair is one product with all maps of the user's problem and one with their
 * adjoints, by stored entries. */
typedef struct {
    double entries; /* multiplications by stored entries, of A and of f */
    double unit;    /* entries of a pair */
    long spectra;   /* singular value and eigenvalue decompositions of blocks */
    long factorizations;
    long evaluations; /* of f or its gradient */
} crs_work;

typedef struct {
    crease_problem parts; /* blocks with spaces, regularizers, sets and starts; f and A not */
    int count;
    ptrdiff_t n, *at;   /* block i is x[at[i]] .. x[at[i+1]-1] */
    ptrdiff_t rows;     /* of u */
    bool *separable;    /* a block */
    bool *spectral;     /* a block whose prox or projection decomposes a matrix */
    bool *oracle;       /* a block whose set has a linear oracle alone: there is no prox */
    double *step;       /* a block: its joint prox is exact for gamma below this; INFINITY */
    crs_coordinate *by; /* n of them; only those of separable blocks are filled in */
    int terms;
    crs_term *term;
    double *linear;       /* q; NULL: 0 */
    crease_smooth rest;   /* in the same blocks; ops NULL: 0 */
    double rest_entries;  /* numbers read by a value of `rest`, and by a gradient of it */
    crs_term *constraint; /* half a square, rhs b; its rows are not rows of u; NULL: none */
    double *start;        /* inside the sets and domains */
    crs_work *work;       /* counted into */
    crease_watch *watch;
    struct crs_factors **factors; /* a block (factors.c); NULL: none has any */
    bool borrows_factors;

    /* The composite's own memory (composite.c). */
    int matrices;
    crs_matrix *matrix;
    crs_term_part *unused; /* room for further parts */
    const double **point;  /* a pointer a block, for `rest`, and into its gradient */
    double **into;
    double *room, *certify_room, *slope;
    void *memory;
} crs_composite;

/* Everything of p in this form; borrows p. NULL with a sentence. The work counts from here on. */
crs_composite *crs_composite_new(const crease_problem *p, uint64_t seed, crs_work *work,
                                 crease_watch *watch, crease_error *e);
void crs_composite_free(crs_composite *c);
/* Reads again all of the problem it was made of but matrices: right-hand sides, data vectors,
 * weights, parameters of losses, linear terms, regularizers and sets. */
bool crs_composite_update(crs_composite *c, const crease_problem *p, crease_error *e);

/* For those who build one. The blocks of `from` without one of them, -1: all, with their
 * coordinates, starts and linear parts, and room for so many terms; `rest` is not taken over. */
typedef struct {
    int terms, parts;
    ptrdiff_t rows, constraint; /* of u; of the constraint, 0: none */
    const crease_reg *reg; /* instead of that of block `reg_of`, and no set there; NULL: none */
    int reg_of;
} crs_room;
crs_composite *crs_composite_without(const crs_composite *from, int dropped, const crs_room *room,
                                     crease_error *e);
crs_term *crs_add_term(crs_composite *c, const crs_loss *loss, double weight, ptrdiff_t rows);
/* The composite owns the matrix from here on. */
void crs_add_part(crs_composite *c, crs_term *t, int block, ptrdiff_t row, const crs_matrix *K);

/* The same blocks, terms and matrices with `extra` terms more, their rows of u behind the others,
 * and no constraint (view.c). Borrows c and what the terms point to but their `gram`; NULL with a
 * sentence. */
crs_composite *crs_composite_with(const crs_composite *c, int extra, const crs_term *more,
                                  crease_error *e);

static inline ptrdiff_t crs_block_size(const crs_composite *c, int i)
{
    return c->at[i + 1] - c->at[i];
}
bool crs_all_separable(const crs_composite *c);
bool crs_all_proxes(const crs_composite *c); /* no block has a linear oracle alone */
/* Fills in what is kept of block i: whether it is separable or spectral, step and coordinates; for
 * those who build composites. False with a sentence where r_i and X_i have no joint prox. */
bool crs_describe_block(crs_composite *c, int i, crease_error *e);

/* u = K x; u += a K d; u += a K[:,column] d with `count` coordinates of x. */
void crs_products(const crs_composite *c, const double *x, double *u);
void crs_add_products(const crs_composite *c, double a, const double *d, double *u);
void crs_add_columns(const crs_composite *c, double a, ptrdiff_t count, const ptrdiff_t *column,
                     const double *d, double *u);

/* f at a point with its u, and its gradient; `rest` is evaluated at x. */
double crs_smooth_part(const crs_composite *c, const double *x, const double *u);
void crs_smooth_slope(const crs_composite *c, const double *x, const double *u, double *g);
/* Both, by one pass over the data of `rest`; and with the products for u: one pair. */
double crs_smooth_at(const crs_composite *c, const double *x, const double *u, double *g);
double crs_smooth_both(const crs_composite *c, const double *x, double *u, double *g);

/* One term: its value, v = weight each phi'(..) and h = weight each phi''(..) a row. */
double crs_term_value(const crs_composite *c, const crs_term *t, const double *x, const double *u);
void crs_term_slope(const crs_term *t, const double *u, double *v);
bool crs_term_curve(const crs_term *t, const double *u, double *h); /* false: phi'' is not known */
void crs_term_products(const crs_composite *c, const crs_term *t, double a, const double *d,
                       double *u); /* u += a K_t d; u are its own rows */
void crs_term_adjoint(const crs_composite *c, const crs_term *t, double a, const double *v,
                      double *g); /* g += a K_t'v */

double crs_nonsmooth_part(const crs_composite *c, const double *x); /* sum r_i(x_i) */

/* t_i = prox of gamma_i (r_i + indicator) at v_i, gamma one number a block, below step_i. */
void crs_prox(const crs_composite *c, const double *gamma, const double *v, double *t);
void crs_prox_block(const crs_composite *c, int i, double gamma, const double *v, double *t);

/* The factors of x_i of a block with a spectral regularizer, where its last prox made that x_i;
 * NULL: they are not known. The next prox changes them. */
const crs_thin *crs_factors_of(const crs_composite *c, int i, const double *x);
/* For crs_describe_block, crs_composite_free and crs_prox_block; the last one false: the block
 * keeps no factors, and its prox is still to be made. */
bool crs_factors_open(crs_composite *c, int i, crease_error *e);
void crs_factors_free(crs_composite *c);
bool crs_factors_prox(const crs_composite *c, int i, double gamma, const double *v, double *t);

/* How far x_i is from stationary with gradient c_i, by the definition of certificates. */
double crs_block_residual(const crs_composite *c, int i, const double *x, const double *g);
/* max_i residual_i / tolerance_i; <= 1: done. */
double crs_residual(const crs_composite *c, const double *x, const double *g,
                    const double *tolerance);

/* L_i of every block at a point with this u: sum of weight high |K_i|^2, where phi'' is unbounded
 * by its median at u; floors: 1e-12 of the largest, never 0. For first steps: test S decides. */
bool crs_block_curvatures(const crs_composite *c, const double *x, const double *u, double *L,
                          crease_error *e);

/* rho'(|x|) sign(x) and rho''(|x|) of a coordinate that is at no kink. */
double crs_coordinate_slope(const crs_coordinate *k, double x);
double crs_coordinate_curve(const crs_coordinate *k, double x);
/* Does x_j sit at a kink or on a bound? */
static inline bool crs_is_held(const crs_coordinate *k, double x)
{
    return x <= k->low || x >= k->high || (k->kink && x == 0);
}

/* Test S: is F(w) <= F(x) - sigma D, D = sum |t - x|^2/gamma of the plain proximal step t? Any w
 * that passes keeps the bound of Theorem S (docs/theory.md). Up to the rounding of F. */
static inline bool crs_accepted(double F, double Fw, double D)
{
    const double sigma = 1e-3, rounding = 1e-14;
    return Fw <= F - sigma * D + rounding * fabs(F);
}

#endif
