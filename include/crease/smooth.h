/* SPDX-License-Identifier: MIT
 * smooth.h: smooth couplings f(x_1, ..., x_N), possibly nonconvex, as values */
#ifndef CREASE_SMOOTH_H
#define CREASE_SMOOTH_H

#include <crease/map.h>
#include <crease/watch.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crease_smooth crease_smooth;
typedef struct crease_cp_data crease_cp_data;

/* The blocks of a problem as a coupling sees them. */
typedef struct {
    int count;
    const crease_space *space;
    const double *radius; /* |x_i|_2 <= radius[i] on the region of interest; NULL: unbounded */
} crease_blocks;

/* Constants that hold on the region. Over-estimates, except `lower`; INFINITY: none exists. */
typedef struct {
    double L;      /* Lipschitz constant of grad f */
    double M;      /* Lipschitz constant of x -> grad_last f(x) */
    double p, rho; /* f(y) <= f(x) + <grad f(x), y-x> + (rho/2)|y-x|_p^p */
    double lower;  /* f >= lower; -INFINITY: unknown */
    bool concave;
    bool separable_last; /* f = f1(x_i, i != last) + f2(x_last) */
    bool quadratic_last; /* and f2 is quadratic; its Hessian has eigenvalues in: */
    double last_low, last_high;
} crease_constants;

/* What a coupling is made of. */
typedef enum {
    CREASE_SMOOTH_OTHER,     /* nothing is known */
    CREASE_SMOOTH_LOSS,      /* sum_j w_j phi(u_j); data is a crease_predictor */
    CREASE_SMOOTH_PREDICTED, /* another function of u; data is a crease_predictor */
    CREASE_SMOOTH_SUM,       /* data is a crease_smooth_list */
    CREASE_SMOOTH_CALLBACK   /* the user's functions; data is a crease_callback_smooth */
} crease_smooth_family;

/* x is an array of one pointer per block. `work` has scratch() doubles. */
typedef struct {
    const char *name;
    const char *formula;
    const crease_param *params;
    const char *data_text; /* the data it needs, for the catalogue */
    crease_smooth_family family;
    bool labels; /* of a loss: u_j = rhs_j (A x)_j, and rhs holds labels, -1 or +1 */
    bool counts; /* of a loss: u = A x, and rhs holds counts c_j >= 0, phi(u_j) = phi(u_j, c_j) */

    bool (*check)(const crease_smooth *f, const crease_blocks *b, crease_error *e);
    ptrdiff_t (*scratch)(const crease_smooth *f, const crease_blocks *b); /* NULL: none */
    bool (*touches)(const crease_smooth *f, int i); /* does f depend on block i? */

    double (*value)(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work);
    void (*grad)(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work); /* g += grad_i f(x) */

    /* block[i] (if not NULL) receives L_i, an upper bound of the Lipschitz constant of
     * grad_i f in x_i on the region. May allocate. */
    bool (*constants)(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e);

    /* An upper bound of the Lipschitz constant of grad_i f in x_i with the other blocks fixed at
     * x. NULL: the constant of the region serves. */
    double (*curvature)(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *work);

    /* y = argmin over |y|_2 <= radius of f(.., y, ..) + (h/2)|y - v|^2 in block i, h >= 0;
     * radius INFINITY: no ball. y may be v but not x[i]. false: this block has no closed form
     * (asked with y == NULL it only answers). NULL: no block has one. */
    bool (*argmin)(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                   double h, const double *v, double radius, double *y, double *work);

    bool (*nonnegative)(const crease_smooth *f); /* is f >= 0 by its form? NULL: not known */

    /* How many blocks f multiplies with each other, of which block i is one, and in size that of
     * the product it wants (untouched: not known); 0 or NULL: block i is no factor. Where all
     * factors are 0, f is flat in them. */
    int (*factors)(const crease_smooth *f, const crease_blocks *b, int i, double *size);

    /* f(x), and g[i] += grad_i f(x) for every block i that f touches, by one pass over its data.
     * NULL: value and grad serve. */
    double (*both)(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                   double *const *g, double *work);

    /* f as |Z - [[X_1, ..., X_d]]|^2 + (ridge/2) sum_n |X_n|^2: *out with its factors in
     * factor[0] .. factor[d-1]. false or NULL: it is no such function. */
    bool (*as_cp)(const crease_smooth *f, const crease_blocks *b, crease_cp_data *out, int *factor);
} crease_smooth_ops;

struct crease_smooth {
    const crease_smooth_ops *ops;
    double par[CREASE_PARS];
    const void *data; /* borrowed */
};

/* (1/2) x'Qx + q'x. Term k adds (1/2) x_i'Q x_j (+ its transpose when i != j, so that the pair
 * contributes x_i'Q x_j). Q is row-major, size(i) x size(j); a diagonal block must be symmetric.
 * linear[i] NULL: no linear part in block i; linear itself may be NULL. */
typedef struct {
    int count;
    const int *row, *col;
    const double *const *matrix;
    const double *const *linear; /* one pointer per block */
    int blocks;                  /* length of linear */
} crease_quadratic_data;
CREASE_API crease_smooth crease_quadratic(const crease_quadratic_data *q);

/* u = sum_k A_k x_{block[k]} - rhs: the linear predictor of the losses sum_j w_j phi(u_j) below. */
typedef struct {
    int count;
    const int *block;
    const crease_map *map;
    crease_space range;
    const double *rhs;    /* NULL: zero */
    const double *weight; /* w_j >= 0, one per row of u; NULL: ones */
} crease_predictor;
CREASE_API crease_smooth crease_least_squares(const crease_predictor *p); /* u_j^2/2 */
CREASE_API crease_smooth crease_cauchy(const crease_predictor *p);
CREASE_API crease_smooth crease_welsch(const crease_predictor *p);
CREASE_API crease_smooth crease_geman(const crease_predictor *p);
CREASE_API crease_smooth crease_tukey(const crease_predictor *p);
CREASE_API crease_smooth crease_huber_loss(const crease_predictor *p, double delta);
CREASE_API crease_smooth crease_lp_loss(const crease_predictor *p, double exponent);

/* Smoothed quantile loss of the residuals e = rhs - A x: max(tau e, (tau - 1) e), within delta of
 * its kink rounded off. */
CREASE_API crease_smooth crease_quantile(const crease_predictor *p, double tau, double delta);

/* sum_k coefficient[k] u_j^k, k <= degree <= 8. */
CREASE_API crease_smooth crease_polynomial(const crease_predictor *p, int degree,
                                           const double *coefficient);

/* u_j = rhs_j (A x)_j: here rhs holds the labels, -1 or +1. log(1 + exp(-u_j)), and
 * max(0, 1 - u_j)^2/2. */
CREASE_API crease_smooth crease_logistic(const crease_predictor *p);
CREASE_API crease_smooth crease_squared_hinge(const crease_predictor *p);

/* u = A x: here rhs holds counts c_j >= 0. exp(u_j) - c_j u_j, the logarithm of the mean being
 * linear; and v_j - c_j log(v_j), the mean v = u + offset itself (INFINITY unless v > 0). */
CREASE_API crease_smooth crease_poisson(const crease_predictor *p);
CREASE_API crease_smooth crease_poisson_identity(const crease_predictor *p, double offset);

/* sum_i w_i (log sum_k exp(u_ik) - u_{i,y_i}): u = A x is a matrix, rows x classes; here rhs holds
 * one label y_i = 0, 1, ..., classes - 1 a row, and there is one weight a row. */
CREASE_API crease_smooth crease_softmax(const crease_predictor *p);

/* (weight/power)|x_a - d|_2^power, power > 1; d NULL: zero. weight of any sign. */
typedef struct {
    int a;
    double weight, power;
    const double *d;
} crease_power_data;
CREASE_API crease_smooth crease_norm_power(const crease_power_data *d);

/* (weight/2)|x_a - x_b - d|^2; b = -1: without x_b. d NULL: zero. weight of any sign. */
typedef struct {
    int a, b;
    double weight;
    const double *d;
} crease_distance_data;
CREASE_API crease_smooth crease_squared_distance(const crease_distance_data *d);

/* weight * T(x_1, ..., x_d); block[k] is a vector with T's k-th dimension. */
typedef struct {
    crease_space shape;
    const double *tensor;
    const int *block;
    double weight;
    crease_watch *watch; /* NULL: none. Over: constants are coarser, and still bounds */
} crease_multilinear_data;
CREASE_API crease_smooth crease_multilinear(const crease_multilinear_data *m);

/* |Z - X Y'|^2, Z (m x n), X (m x R), Y (n x R). z = -1: Z is the constant `target`. */
typedef struct {
    int x, y, z;
    const double *target; /* borrowed; used when z < 0 */
} crease_factorization_data;
CREASE_API crease_smooth crease_matrix_factorization(const crease_factorization_data *m);

/* |Z - [[X_1, ..., X_d]]|^2 + (ridge/2) sum_n |X_n|^2, X_n (I_n x R), order d >= 2, ridge >= 0.
 * z = -1: Z is `target`. */
struct crease_cp_data {
    crease_space shape;
    ptrdiff_t rank;
    const int *factor; /* d block numbers */
    int z;
    const double *target;
    double ridge;
};
CREASE_API crease_smooth crease_cp(const crease_cp_data *c);

/* |Z - C x_1 X_1 ... x_d X_d|^2, X_n (I_n x R_n), C (R_1 x ... x R_d). z = -1: Z is `target`. */
typedef struct {
    crease_space shape, core_shape;
    const int *factor;
    int core, z;
    const double *target;
} crease_tucker_data;
CREASE_API crease_smooth crease_tucker(const crease_tucker_data *t);

/* The user's own f. grad ADDS grad_i f(x) to g. Constants that are declared are trusted. L = 0:
 * nothing is known, the lower bound included; steps are then found while running, and no guarantee
 * is claimed (an f with grad f constant declares any small L > 0). With an L, what is 0 among the
 * L_i in `block` (NULL: all), M and (p, rho) follows from it; lower counts as it is, 0 too. */
typedef struct {
    double (*value)(void *user, const double *const *x);
    void (*grad)(void *user, const double *const *x, int i, double *g);
    void *user;
    crease_constants constants;
    const double *block;
    const bool *touches; /* does f depend on block i? NULL: on every block */
} crease_callback_smooth;
CREASE_API crease_smooth crease_smooth_callback(const crease_callback_smooth *c);

/* f_1 + f_2 + ... */
typedef struct {
    int count;
    const crease_smooth *term;
} crease_smooth_list;
CREASE_API crease_smooth crease_smooth_sum(const crease_smooth_list *l);

/* How many doubles of work the operations of f need. */
CREASE_API ptrdiff_t crease_smooth_scratch(const crease_smooth *f, const crease_blocks *b);

/* Convenient calls: they check everything and work on memory of their own. */
CREASE_API bool crease_smooth_check(const crease_smooth *f, const crease_blocks *b,
                                    crease_error *e);
CREASE_API bool crease_smooth_value(const crease_smooth *f, const crease_blocks *b,
                                    const double *const *x, double *value, crease_error *e);
CREASE_API bool crease_smooth_grad(const crease_smooth *f, const crease_blocks *b,
                                   const double *const *x, int i, double *g,
                                   crease_error *e); /* g = grad_i f(x) */
CREASE_API bool crease_smooth_constants(const crease_smooth *f, const crease_blocks *b, int last,
                                        crease_constants *out, double *block, crease_error *e);

/* Largest relative difference between grad_i f and central differences of f at x over at most
 * `tries` random directions of block i: a wrong user gradient shows as a number near 1. */
CREASE_API bool crease_smooth_check_gradient(const crease_smooth *f, const crease_blocks *b,
                                             const double *const *x, int i, int tries,
                                             double *error, crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
