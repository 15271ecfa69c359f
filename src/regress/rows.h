/* SPDX-License-Identifier: MIT
 * rows.h: regression on rows that are looked at slab by slab
 *
 * A row of the source is x_1 .. x_p, y, then v where rows have weights, then the fold where they
 * have one. What a look adds up are sums without an order (slab/slab.h); everything else happens on
 * p x p matrices. */
#ifndef CRS_ROWS_H
#define CRS_ROWS_H

#include "regress/regress.h"
#include "slab/slab.h"

enum { CRS_ROWS_COLUMNS = 2000 }; /* most of X */

typedef struct {
    ptrdiff_t n, p, width;
    int weighted, folded;
} crs_layout;

/* Which rows count: all, all but those of fold `out`, or those alone. Where rows have no fold of
 * their own they are dealt to `folds` by seed and place. */
typedef struct {
    int folds, out; /* out -1: all rows */
    int only;
    uint64_t seed;
} crs_share;

/* ---- survey ---- */

typedef struct {
    crs_layout layout;
    int labels;
} crs_rows_survey;

typedef struct {
    ptrdiff_t bad; /* entry of the source; -1: none */
    double weight, y_mean, y_most, v_most;
    ptrdiff_t some, ones, zeros, minuses, folds; /* rows with a weight; labels; folds */
    double *mean, *low, *high, *unit;            /* per column; unit: a power of 2 near its size */
} crs_rows_facts;

/* ---- sums of squares and products ---- */

/* About center, in units: z_j = (x_j - center_j)/unit_j, then y alike, then 1; fold by fold, rows
 * that are never left out in the last group. */
typedef struct {
    crs_layout layout;
    crs_share share;
    double *center, *unit; /* p + 1 numbers, y's last */
    double v_most;
} crs_rows_gram;

static inline ptrdiff_t packed(ptrdiff_t n) { return n * (n + 1) / 2; }
static inline ptrdiff_t at_packed(ptrdiff_t i, ptrdiff_t j)
{
    return i >= j ? packed(i) + j : packed(j) + i;
}

/* ---- the loss at points ---- */

/* z_j = (x_j - center_j) factor_j, and `one` for b_0 where there are p + 1 columns; sums of v, and
 * point by point of v phi, .. and v phi' z; of a single one, if asked, of v phi'' z z'. */
typedef struct {
    crs_layout layout;
    crs_share share;
    ptrdiff_t cols, count; /* of points, a row each */
    double *center, *factor, *point;
    double one, y_center, y_factor, v_most;
    int loss, hessian;
} crs_rows_points;

extern const crs_job crs_rows_survey_job, crs_rows_gram_job, crs_rows_points_job;
enum {
    CRS_POINTS_WEIGHT,
    CRS_POINTS_VALUE,
    CRS_POINTS_SQUARE, /* of v phi'^2 */
    CRS_POINTS_CURVE,  /* of v phi'' */
    CRS_POINTS_GRADIENT,
    CRS_POINTS_HESSIAN
};

void crs_rows_read_facts(const crs_look *look, const crs_layout *l, crs_rows_facts *f);

/* ---- the data, and models of them ---- */

/* What two looks have told: shared by a model of all rows and those of folds. */
typedef struct {
    crs_source *source;
    crs_layout layout;
    crs_share share; /* of all rows */
    crs_rows_facts facts;
    void *memory;          /* of the facts, and of: */
    double *center, *unit; /* p + 1 */
    double *sums;          /* crs_rows_gram, group by group */
    int threads;
} crs_rows;

/* Columns and a quadratic model of the loss: at the point b, gradient g, Hessian h. */
typedef struct {
    double loss, *b, *g, *h;
} crs_rows_model;

typedef struct crs_rows_fit {
    crs_rows *data;
    bool owner; /* of the data */
    crs_share share;
    void *memory;
    ptrdiff_t cols;
    double weight;             /* of the rows that count, in units of the largest */
    double *factor;            /* 1/(spread c), per column of X; 0: constant */
    double *gram, *linear, yy; /* z'z, z'y, y'y, over the weight */
    double far;                /* y'y about 0, of labels 0: of the scores' size */
    double loss_0, *g_0;       /* at b = 0 */
    double *room;              /* a matrix */
    double *t, *u;             /* a column each */
    crs_rows_model at, next;
    crs_design reduced; /* of the squared loss: the Gram matrix as a design */
    crs_descent *descent;
    long passes;
    crs_folds_told *told; /* of a cross-validation */
    double *eigenvalue;   /* per lambda, of the loss on what is selected */
    double *judged; /* of certificates: per lambda: loss, squares of slopes, sum of curvatures,
                       gradient */
    double *gap;    /* per lambda */
} crs_rows_fit;

void crs_rows_close(crs_rows *r);

/* The model of a share of the rows; m->d, m->lambda, .. are filled in. */
crease_regression *crs_rows_make(crs_rows *data, const crs_share *share,
                                 const crease_regression_settings *s, crease_error *e);
/* G, z'y, .. and the columns of m->d, from the sums. */
bool crs_rows_columns(crease_regression *m, crease_error *e);
/* Value, slopes .. at points, a look. */
bool crs_rows_points_at(const crease_regression *m, ptrdiff_t count, double *point, bool hessian,
                        const crs_share *share, crs_look *look, crease_error *e);
double crs_rows_distance(const crease_regression *m, double lambda, const double *b,
                         const double *g); /* dist(-g, d penalty(b)) */
double crs_rows_penalty_value(const crease_regression *m, double lambda, const double *b);
/* What the distance from stationarity at b, of loss and gradient there, is relative to: the scale
 * of certificates over n. */
double crs_rows_scale(const crease_regression *m, const double *b, const double *g, double F);
/* The least eigenvalue of the loss on what is not 0 at lambda k, from its Hessian at hand. */
bool crs_rows_support(crease_regression *m, ptrdiff_t k, crease_error *e);
/* One look at all points of the path. */
bool crs_rows_judge(crease_regression *m, crease_error *e);

#define CRS_ROWS_JOBS &crs_rows_survey_job, &crs_rows_gram_job, &crs_rows_points_job

#endif
