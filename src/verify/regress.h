/* SPDX-License-Identifier: MIT
 * regress.h: the design of a claimed regression, made anew by regress.c from X and y */
#ifndef CRS_VERIFY_REGRESS_H
#define CRS_VERIFY_REGRESS_H

#include <crease/regression.h>

#include "verify/num.h"

typedef struct {
    const crease_regression_claim *c;
    void *memory;
    ptrdiff_t cols, units;
    bool rows;                  /* X and y come in rows: there are none of them here */
    bool squared, centred;      /* the loss; b_0 is eliminated */
    real y_center, y_most, one; /* y_most: of the largest y; one: of the column of b_0 */
    double *z, *y, *v, *weight; /* n x cols; n; n, of mean 1; per unit */
    double *u, *shift;          /* of a sparse X: its entries are z, and to all is added u shift' */
    real *met, *low, *high;     /* per column: the weight of its entries, the least, the largest */
    real *center, *spread, *most; /* per column of X; most: its largest entry */
    ptrdiff_t *start, *index;     /* of the units */
} crs_claimed_design;

/* The claim with settings of this version; false: they are of none. */
bool crs_claimed_take(const crease_regression_claim *claim, crease_regression_claim *own,
                      crease_error *e);
/* d->c is set; d->memory is to be freed, after a failure too: of memory, or the claim makes no
 * sense. */
bool crs_claimed_build(crs_claimed_design *d, crease_error *e);
/* The first parts of that: the arrays, and units with their weights. */
bool crs_claimed_open(crs_claimed_design *d, crease_error *e);
/* rho at lambda with the weights of the units, whose groups are in g. */
crease_reg crs_claimed_penalty(const crs_claimed_design *d, double lambda, crease_groups *g);
/* 2^k, where 2^k is just above `widest` and |k| > 10; otherwise 1 */
real crs_claimed_one(double widest);
/* INVALID where the reported numbers are not those of point k. */
void crs_claimed_compare(const crs_claimed_design *d, ptrdiff_t k, crease_verification *v);
/* a = l l' in the lower half; false: a is not found to be positive definite. */
bool crs_claimed_factor(ptrdiff_t m, real *a);
/* The objective of lambda, rho(t) = s t + k t^2/2; false: it is not known to be convex. */
bool crs_claimed_convex(const crs_claimed_design *d, real lambda, real *s, real *k);
/* The point of lambda k; not relative: how stationary it is at all, whatever eps is */
bool crs_claimed_judge(const crs_claimed_design *d, ptrdiff_t k, bool relative,
                       crease_verification *out, crease_error *e);
/* The mean loss and the penalty at that point; NaN: the time was over. */
bool crs_claimed_objective(const crs_claimed_design *d, ptrdiff_t k, real *value, crease_error *e);

/* Those of a claim with a large X in memory, where double precision decides; open: where it does
 * not, or X is small or sparse. wanted NULL: no bounds (regress_rows.c). */
typedef struct {
    crease_verification *out;
    double *objective, *bound;
    bool *open;
} crs_claimed_quick;
bool crs_claimed_quickly(const crease_regression_claim *c, const double *wanted,
                         const crs_claimed_quick *q, crease_error *e);

/* c (CRS_TILE_ROWS x CRS_TILE_COLUMNS) = sum_t a_t b_t', `count` terms (tile.c). The k-th version
 * that this processor can run, the fastest first; NULL: no more. */
enum { CRS_TILE_ROWS = 8, CRS_TILE_COLUMNS = 24 };
typedef void crs_tile(ptrdiff_t count, const double *a, const double *b, double *c);
crs_tile *crs_tile_at(int k);

/* Loss and gradient at all points at once, from readings of the rows (regress_reread.c). */
enum { CRS_REREAD_FEW = 8 };
typedef struct {
    crs_claimed_design d;
    const crease_regression_reading *in; /* NULL: X and y are in memory */
    void *memory;
    crs_tile *tile;
    ptrdiff_t width, cols, count; /* of a row as it is read; points: those of the path, and 0 */
    ptrdiff_t panels, wide;       /* of points, CRS_TILE_COLUMNS each; wide: points in them */
    double total, v_most;         /* weight of all rows; the largest */
    bool gram;                    /* is it wanted? */
    bool exact;                   /* images in long double */
    double *low, *high;           /* of the columns, over the rows that count */
    double *center, *factor;      /* z_ij = (x_ij - center_j) factor_j, both as doubles */
    double *read, *y, *v, *root;  /* of a few rows, whose x is at: */
    const double **x;
    double *e, *left, *b, *z; /* images, then slopes; what tiles multiply; z: for the Gram matrix */
    ptrdiff_t *list, *listed; /* of a panel: the columns that are not 0 in all of its points */
    double *norm, *first;     /* per point: its length, b_0 */
    real squares, off;        /* of y, added up; of the bounds */
    real *loss, *slope, *reach, *curve;          /* per point; slope, reach: of the bounds */
    real *g;                                     /* cols x wide */
    real *fine, *sum, *square, *wideness, *hess; /* fine: the factor */
    real widest;                                 /* the length of wideness */
    double *linear, *length; /* of CRS_REREAD_FEW points: n times the gradient; how long it is */
    double *some, *weight;   /* of one: x, linear and the weights where they matter */
} crs_reread;

/* The look's d.c, d.rows and in are set; a->memory and a->d.memory are to be freed. Where bounds
 * are wanted of what is not convex there is a Gram matrix, of CRS_REREAD_GRAM columns at most.
 * Means, spreads and ranges are there, by two readings. False with a sentence, or CREASE_CUT. */
enum { CRS_REREAD_GRAM = 500 };
bool crs_reread_open(crs_reread *a, const double *wanted, crease_error *e);
/* Loss, gradient and curvature along b_0 at all points, means over the rows. */
bool crs_reread_points(crs_reread *a, crease_error *e);
/* How far at point m entry j of the gradient may be off, j < 0: all of it; or the loss; `off` of
 * any sum of products over rows, relative to wideness, where wideness_j^2 >= mean v z_ij^2. */
real crs_reread_doubt(const crs_reread *a, ptrdiff_t j, ptrdiff_t m);
real crs_reread_blur(const crs_reread *a, ptrdiff_t m);
/* b_j of point m */
static inline double crs_reread_point(const crs_reread *a, ptrdiff_t j, ptrdiff_t m)
{
    if (m + 1 == a->count) return 0;
    return j == a->d.c->p ? a->first[m] : a->d.c->point[m * a->cols + j];
}

#endif
