/* SPDX-License-Identifier: MIT
 * reg.h: regularizers r(x), possibly nonsmooth and nonconvex.
 * A regularizer is a value: behaviour, parameters, borrowed data. It owns nothing; a user's own
 * table of operations works everywhere without registration. */
#ifndef CREASE_REG_H
#define CREASE_REG_H

#include <crease/penalty.h>
#include <crease/space.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crease_reg crease_reg;

/* Groups of entries: group k holds entries index[start[k]] .. index[start[k+1]-1], or, when
 * index is NULL, the entries start[k] .. start[k+1]-1 themselves. Every entry is in one group. */
typedef struct {
    ptrdiff_t count;
    const ptrdiff_t *start; /* count + 1 numbers, ascending from 0 to the size of the space */
    const ptrdiff_t *index; /* a permutation of the entries, or NULL */
} crease_groups;

/* Bounds on every entry: an array where given, otherwise one number for all. */
typedef struct {
    double low, high;
    const double *lower, *upper; /* borrowed; NULL: low, high */
} crease_bounds;

typedef struct {
    bool convex, separable;
    double lipschitz;      /* in the 2-norm, on |x_j| <= radius; INFINITY: none */
    double lower;          /* r >= lower everywhere */
    double weak_convexity; /* INFINITY: none */
    double ball_step;      /* prox_ball is exact for steps t < ball_step; 0: never */
} crease_reg_traits;

/* What a regularizer is known to be made of. */
typedef enum {
    CREASE_KIND_OTHER,    /* nothing is known */
    CREASE_KIND_ENTRIES,  /* sum_j weight_j rho(|x_j|), rho the penalty with par */
    CREASE_KIND_NONNEG,   /* the same on x >= 0, infinity elsewhere */
    CREASE_KIND_GROUPS,   /* sum_g weight_g rho(|x_g|_2) */
    CREASE_KIND_SPECTRAL, /* sum_j rho(sigma_j(X)) */
    CREASE_KIND_RANGE,    /* 0 where par[0] <= x_j <= par[1] for all j, infinity elsewhere */
    CREASE_KIND_SCALED    /* par[0] times the regularizer that data points to */
} crease_reg_kind;

/* All functions accept x == v. `work` has scratch() doubles. t > 0. NaN in an entry of v gives
 * NaN in x; a decomposition that fails gives NaN everywhere. */
typedef struct {
    const char *name;
    const char *formula;
    const crease_param *params; /* ended by a NULL name */
    const char *vector;         /* name of the vector parameter, NULL: none */
    const char *traits_text[2]; /* Lipschitz constant and weak convexity, for the catalogue */
    bool convex;

    /* For rules beyond the operations below; the zero values claim nothing. */
    crease_reg_kind kind;
    bool homogeneous; /* r(a x) = a r(x) for a >= 0; needless for a kind with a penalty */

    /* Does r live on this space, are its data in range? NULL: whenever its parameters are. */
    bool (*check)(const crease_reg *r, const crease_space *s, crease_error *e);
    ptrdiff_t (*scratch)(const crease_reg *r, const crease_space *s); /* NULL: none */

    /* r(x); +INFINITY outside its domain. */
    double (*value)(const crease_reg *r, const crease_space *s, const double *x, double *work);

    /* x = a global minimizer of r(x) + |x-v|^2/(2t); ties by the smallest magnitude. */
    void (*prox)(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 double *work);

    /* dist(g, dr(x)), dr the limiting subdifferential; INFINITY where it is empty. */
    double (*dist)(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work);

    void (*traits)(const crease_reg *r, const crease_space *s, double radius,
                   crease_reg_traits *out);

    /* g = the point of dr(x) nearest to `toward`, another array. NULL: not available. */
    void (*nearest)(const crease_reg *r, const crease_space *s, const double *x,
                    const double *toward, double *g, double *work);

    /* The same two restricted to a box: minimizer over lower <= x <= upper, and distance to the
     * subdifferential of r + indicator of the box. NULL: not available. */
    void (*prox_box)(const crease_reg *r, const crease_space *s, double t, const crease_bounds *b,
                     const double *v, double *x, double *work);
    double (*dist_box)(const crease_reg *r, const crease_space *s, const crease_bounds *b,
                       const double *x, const double *g, double *work);

    /* Minimizer over |x|_2 <= radius, exact while t < traits.ball_step. NULL: not available. */
    void (*prox_ball)(const crease_reg *r, const crease_space *s, double t, double radius,
                      const double *v, double *x, double *work);
} crease_reg_ops;

struct crease_reg {
    const crease_reg_ops *ops;
    const crease_penalty *penalty; /* of a regularizer made from one, else NULL */
    double par[CREASE_PARS];
    const double *weight;        /* per entry (separable, nonneg) or group; NULL: ones */
    const crease_groups *groups; /* of a group regularizer */
    const void *data;            /* of any other kind, and of the user's own */
};

/* The four ways to make a regularizer of a scalar penalty. par is copied. */
CREASE_API crease_reg crease_separable(const crease_penalty *p, const double *par);
CREASE_API crease_reg crease_nonneg(const crease_penalty *p, const double *par);
CREASE_API crease_reg crease_group(const crease_penalty *p, const double *par,
                                   const crease_groups *g);
CREASE_API crease_reg crease_spectral(const crease_penalty *p, const double *par);

/* sum_j weight_j rho(|x_j|), or with one weight per group; weight_j >= 0 is borrowed. */
CREASE_API crease_reg crease_weighted(crease_reg r, const double *weight);

/* alpha * r for any regularizer; inner is borrowed, alpha > 0. */
CREASE_API crease_reg crease_scaled(double alpha, const crease_reg *inner);

/* The catalogue by hand. */
CREASE_API crease_reg crease_zero(void);
CREASE_API crease_reg crease_l1(double lambda);
CREASE_API crease_reg crease_weighted_l1(const double *lambda);
CREASE_API crease_reg crease_elastic_net(double lambda1, double lambda2);
CREASE_API crease_reg crease_squared_l2(double lambda);
CREASE_API crease_reg crease_l0(double lambda);
CREASE_API crease_reg crease_scad(double lambda, double a);
CREASE_API crease_reg crease_mcp(double lambda, double gamma);
CREASE_API crease_reg crease_lsp(double lambda, double theta);
CREASE_API crease_reg crease_capped_l1(double lambda, double theta);
CREASE_API crease_reg crease_l_half(double lambda);
CREASE_API crease_reg crease_l_two_thirds(double lambda);
CREASE_API crease_reg crease_lq(double lambda, double q);
CREASE_API crease_reg crease_huber(double lambda, double delta);
CREASE_API crease_reg crease_group_l1(double lambda, const crease_groups *g);
CREASE_API crease_reg crease_nuclear(double lambda);
CREASE_API crease_reg crease_rank(double lambda);
CREASE_API crease_reg crease_tv1d(double lambda);
CREASE_API crease_reg crease_box_indicator(double low, double high);
CREASE_API crease_reg crease_nonneg_indicator(void);

/* How many doubles of work the operations of r need on s. */
CREASE_API ptrdiff_t crease_reg_scratch(const crease_reg *r, const crease_space *s);

/* Checks space, step, parameters and data, then works on memory of its own: the convenient
 * calls. The operations in ops are the fast ones. */
CREASE_API bool crease_reg_check(const crease_reg *r, const crease_space *s, crease_error *e);
CREASE_API bool crease_prox(const crease_reg *r, const crease_space *s, double t, const double *v,
                            double *x, crease_error *e);
CREASE_API bool crease_reg_value(const crease_reg *r, const crease_space *s, const double *x,
                                 double *value, crease_error *e);
CREASE_API bool crease_reg_dist(const crease_reg *r, const crease_space *s, const double *x,
                                const double *g, double *dist, crease_error *e);
CREASE_API bool crease_reg_describe(const crease_reg *r, const crease_space *s, double radius,
                                    crease_reg_traits *out, crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
