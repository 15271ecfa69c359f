/* SPDX-License-Identifier: MIT
 * smooth.h: smooth couplings as their folder and its neighbours see them */
#ifndef CRS_SMOOTH_H
#define CRS_SMOOTH_H

#include <crease/smooth.h>

#include "core/core.h"

/* Of a loss of counts, par[CRS_ROW_COUNT] is that of the row. */
enum { CRS_ROW_COUNT = CREASE_PARS - 1 };

typedef struct {
    double low, high;
} crs_range;

/* A scalar loss phi, and as ops its sum over a linear predictor, f(x) = sum_j phi(u_j) with
 * u = W x - rhs, weighed by w_j (predictor.c). ops comes first: it leads from a crease_smooth to
 * its loss. */
typedef struct {
    crease_smooth_ops ops;
    double (*value)(const double *par, double u);      /* phi */
    double (*slope)(const double *par, double u);      /* phi' */
    double (*curve)(const double *par, double u);      /* phi''; NULL: not known */
    double low, high;                                  /* phi'' lies in [low, high]; or else: */
    crs_range (*bend)(const double *par, crs_range u); /* what it lies in for these u */
    double (*least)(const double *par, crs_range u);   /* phi >= this for them; NULL: 0 */
    bool (*check)(const double *par, crease_error *e); /* beyond the ranges of params; or NULL */
    bool quadratic;                                    /* phi'' is constant */

    ptrdiff_t (*extra_scratch)(const crease_smooth *f, const crease_blocks *b); /* NULL: none */
    bool (*hoelder)(const crease_smooth *f, const crease_blocks *b, crease_constants *out,
                    crease_error *e); /* fills in p and rho; NULL: p = 2 */
} crs_loss;

/* A loss of a linear predictor, or nothing, which is (1/2)|u|^2? The same with p for its data. */
bool crs_loss_check(const crease_smooth *loss, crease_error *e);
crease_smooth crs_loss_of(const crease_smooth *loss, const crease_predictor *p);

/* What phi is taken of in row j, z = (W x)_j; par becomes that of the row. */
static inline double loss_row(const crs_loss *loss, const double *rhs, ptrdiff_t j, double z,
                              double *par)
{
    if (loss->ops.counts) return par[CRS_ROW_COUNT] = rhs[j], z;
    return !rhs ? z : loss->ops.labels ? rhs[j] * z : z - rhs[j];
}

/* phi'' for these u */
static inline crs_range loss_bend(const crs_loss *loss, const double *par, crs_range u)
{
    return loss->bend ? loss->bend(par, u) : (crs_range){ loss->low, loss->high };
}

/* w_j t; a row of weight 0 is left out, also where t overflows. */
static inline double weighed(const crease_predictor *p, ptrdiff_t j, double t)
{
    const double w = p->weight ? p->weight[j] : 1;
    return w == 0 && isinf(t) ? 0 : w * t;
}

static inline const crs_loss *loss_of(const crease_smooth *f)
{
    return (const crs_loss *)(const void *)f->ops;
}

#define LOSS(symbol)   extern const crs_loss crs_##symbol;
#define SMOOTH(symbol) extern const crease_smooth_ops crs_##symbol##_ops;
#include "smooth/list.def"
#undef LOSS
#undef SMOOTH

/* What every loss has in common, for the designated initializer of its ops. */
#define CRS_PREDICTOR_OPS .data_text = "terms {block: map}, rhs, weights", CRS_LOSS_OPS
#define CRS_LABELS_OPS                                                                             \
    .labels = true, .data_text = "terms {block: map}, labels, weights", CRS_LOSS_OPS
#define CRS_COUNTS_OPS                                                                             \
    .counts = true, .data_text = "terms {block: map}, counts, weights", CRS_LOSS_OPS
#define CRS_LOSS_OPS                                                                               \
    .family = CREASE_SMOOTH_LOSS, .check = crs_predictor_check, .scratch = crs_predictor_scratch,  \
    .touches = crs_predictor_touches, .value = crs_predictor_value, .grad = crs_predictor_grad,    \
    .constants = crs_predictor_constants, .nonnegative = crs_loss_nonnegative

/* What `both` promises, by value and grad of f. */
double crs_value_and_gradients(const crease_smooth *f, const crease_blocks *b,
                               const double *const *x, double *const *g, double *work);

/* Squares are >= 0 whatever their data, and so is a loss unless it says otherwise. */
static inline bool crs_loss_nonnegative(const crease_smooth *f) { return !loss_of(f)->least; }
static inline bool crs_sum_of_squares(const crease_smooth *f) { return (void)f, true; }

bool crs_predictor_check(const crease_smooth *f, const crease_blocks *b, crease_error *e);
bool crs_predictor_check_terms(const crease_smooth *f, const crease_blocks *b, crease_error *e);
ptrdiff_t crs_predictor_scratch(const crease_smooth *f, const crease_blocks *b);
bool crs_predictor_touches(const crease_smooth *f, int i);
double crs_predictor_value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                           double *work);
void crs_predictor_grad(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *g, double *work);
bool crs_predictor_constants(const crease_smooth *f, const crease_blocks *b, int last,
                             crease_constants *out, double *block, crease_error *e);

ptrdiff_t crs_predictor_map_scratch(const crease_predictor *p, const crease_blocks *b);

/* u += a W_i x, where W_i is the sum of the maps on block i. */
void crs_predictor_apply(const crease_predictor *p, const crease_blocks *b, int i, double a,
                         const double *x, double *u, double *work);
/* g += W_i'u */
void crs_predictor_adjoint(const crease_predictor *p, const crease_blocks *b, int i,
                           const double *u, double *g, double *work);

/* From z = W x: f, and v = f's gradient in z; v may be z. */
double crs_predictor_value_at(const crease_smooth *f, const double *z);
void crs_predictor_slope_at(const crease_smooth *f, const double *z, double *v);

/* The same of a quadratic coupling, from u = Q x over the blocks it touches, one behind the other:
 * their size, u += Q d for a d in block i, f, and g += grad_i f. */
ptrdiff_t crs_quadratic_rows(const crease_smooth *f, const crease_blocks *b);
void crs_quadratic_apply(const crease_smooth *f, const crease_blocks *b, int i, const double *d,
                         double *u);
double crs_quadratic_value_at(const crease_smooth *f, const crease_blocks *b,
                              const double *const *x, const double *u);
void crs_quadratic_grad_at(const crease_smooth *f, const crease_blocks *b, const double *u, int i,
                           double *g);

/* H += Q_ii */
void crs_quadratic_add_hessian(const crease_smooth *f, const crease_blocks *b, int i, double *H);

/* out (rows x columns, row-major) = the matrix of W_i, by min(rows, columns) products with it or
 * its adjoint. `work` has rows + columns + crs_predictor_map_scratch() doubles. */
void crs_predictor_matrix(const crease_predictor *p, const crease_blocks *b, int i, double *out,
                          double *work);

/* True when W_i is known to be diagonal: then W_i 1 is its diagonal. */
bool crs_predictor_diagonal(const crease_predictor *p, const crease_blocks *b, int i);

/* *bound >= |W_i|_2; 0 for a block without terms. May allocate. */
bool crs_predictor_norm(const crease_predictor *p, const crease_blocks *b, int i, double *bound,
                        crease_error *e);

/* The infimum of both Poisson losses, in terms of the mean m: m - c log m is least at m = c. */
static inline double poisson_least(const double *par, crs_range u)
{
    const double c = par[CRS_ROW_COUNT];
    (void)u;
    return c == 0 ? 0 : c - c * log(c) - 0x1p-50 * c * (1 + fabs(log(c)));
}

/* What argmin adds to f in a block, (h/2)|y - v|^2 on |y| <= radius, and where the answer goes. */
typedef struct {
    double h;
    const double *v;
    double radius;
    double *y;
} crs_step;

/* Is block i (counted from 0) one of b's? `owner` names the coupling in the error. */
bool crs_check_block(const char *owner, const crease_blocks *b, int i, crease_error *e);

/* The failure `inner` of part k (counted from 0) of `owner`, as e. */
bool crs_fail_part(crease_error *e, const crease_error *inner, const char *owner, const char *part,
                   int k);

static inline double radius_of(const crease_blocks *b, int i)
{
    return b->radius ? b->radius[i] : INFINITY;
}

/* An upper bound of a number >= 0 computed with at most this many roundings. */
static inline double above(double t, double roundings) { return t * (1 + roundings * 0x1p-52); }

/* An upper bound of a + b for a, b >= 0; exact when one of them is 0. */
static inline double plus(double a, double b) { return a == 0 ? b : b == 0 ? a : above(a + b, 1); }

#endif
