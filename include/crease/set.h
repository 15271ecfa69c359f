/* SPDX-License-Identifier: MIT
 * set.h: closed sets, as values. All are convex except the l0 and the rank ball, and compact except
 * these, the cones, the half-space, the hyperplane and boxes with an infinite side. */
#ifndef CREASE_SET_H
#define CREASE_SET_H

#include <crease/reg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crease_set crease_set;

/* The norm of which a set is the ball {x : |x| <= par[0]}. */
typedef enum {
    CREASE_BALL_NONE, /* it is none of these, or not known to be */
    CREASE_BALL_L2,   /* of vectors, and of matrices in the Frobenius norm */
    CREASE_BALL_NUCLEAR,
    CREASE_BALL_SPECTRAL,
    CREASE_BALL_L1
} crease_ball;

/* One linear row on a box: low <= x <= high and a'x = b, or a'x <= b. */
typedef struct {
    crease_bounds box;
    const double *a; /* borrowed; NULL: all ones */
    double b;
    bool equality;
} crease_row;

/* All functions accept equal input and output arrays. `work` has scratch() doubles. NaN in an
 * input entry gives at least one NaN in the output. */
typedef struct {
    const char *name;
    const char *formula;
    const crease_param *params;
    const char *vector; /* name of the vector parameter, NULL: none */
    bool matrix;        /* lives on spaces of order 2 only */
    bool compact;
    bool symmetric; /* -X = X */

    /* What else is known of the set. Where a regularizer and a set act together (joint prox,
     * oracle, gap) these decide which exact rule applies, to a user's own set as to the
     * catalogue's; the zero value claims nothing, and then only the zero regularizer fits. */
    crease_ball ball;
    bool solid;       /* with x it holds every y with |y_j| <= |x_j| for all j */
    bool nonnegative; /* x >= 0 on it; of two subgradients at x_j = 0 the larger proves more */
    bool fixed_sum;   /* sum x is the same number all over it */
    bool polyhedral;  /* finitely many linear inequalities */
    bool combined;    /* built from other sets by `data`: no text spells it */
    bool nonconvex;   /* its projection is a nearest point, its support that of its hull */

    /* low <= x_j <= high for all x in the set and all entries held here; NULL: unknown. */
    void (*range)(const crease_set *c, const crease_space *s, double *low, double *high);

    /* The set is the box with these bounds on its entries. NULL: it is no box. */
    crease_bounds (*bounds)(const crease_set *c);

    /* The set is this row on a box. NULL: it is none. */
    crease_row (*row)(const crease_set *c);

    /* Does the set live on this space? NULL: whenever its parameters are in range. */
    bool (*check)(const crease_set *c, const crease_space *s, crease_error *e);
    ptrdiff_t (*scratch)(const crease_set *c, const crease_space *s); /* NULL: none */

    /* 0 when x is in the set, otherwise by how much its defining inequalities are violated. */
    double (*excess)(const crease_set *c, const crease_space *s, const double *x, double *work);

    /* The nearest point. NULL: the set offers its linear oracle only. */
    void (*project)(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work);

    /* y minimizes <c, y> over the set; ties and c = 0 by a fixed rule. */
    void (*lmo)(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work);

    /* max <w, y> over the set; exact, or an upper bound; +INFINITY when unbounded. */
    double (*support)(const crease_set *c, const crease_space *s, const double *w, double *work);

    /* Upper bound (exact where math allows) of max |x-y|_p over the set, p >= 1. */
    double (*diameter)(const crease_set *c, const crease_space *s, double p);

    /* dist(v, N(x)) for x in the set, N the limiting normal cone; x counts as on the boundary where
     * rounding explains the rest. x and v are other arrays than work. NULL: not available. */
    double (*dist_normal)(const crease_set *c, const crease_space *s, const double *x,
                          const double *v, double *work);
} crease_set_ops;

struct crease_set {
    const crease_set_ops *ops;
    double par[CREASE_PARS];
    const double *vec; /* the vector parameter, borrowed */
    const void *data;  /* borrowed */
};

CREASE_API crease_set crease_box(double low, double high);
CREASE_API crease_set crease_box_array(const crease_bounds *b); /* borrowed */
CREASE_API crease_set crease_orthant(void);
CREASE_API crease_set crease_l1_ball(double radius);
CREASE_API crease_set crease_l2_ball(double radius);
CREASE_API crease_set crease_linf_ball(double radius);
CREASE_API crease_set crease_lp_ball(double radius, double p);
CREASE_API crease_set crease_simplex(double radius);
CREASE_API crease_set crease_full_simplex(double radius);
CREASE_API crease_set crease_capped_simplex(double k);
CREASE_API crease_set crease_k_sparse(double radius, double k);
CREASE_API crease_set crease_k_support(double radius, double k);
CREASE_API crease_set crease_nuclear_ball(double radius);
CREASE_API crease_set crease_spectral_ball(double radius);
CREASE_API crease_set crease_spectrahedron(double trace);
CREASE_API crease_set crease_birkhoff(void);
CREASE_API crease_set crease_permutahedron(const double *a); /* borrowed, one number per entry */

/* One row, a borrowed with one number per entry, not all 0. The box of box_hyperplane is
 * finite. */
CREASE_API crease_set crease_half_space(const double *a, double b);
CREASE_API crease_set crease_hyperplane(const double *a, double b);
CREASE_API crease_set crease_box_hyperplane(double low, double high, const double *a, double b);
CREASE_API crease_set crease_box_hyperplane_array(const crease_row *r); /* borrowed */

/* Cones and their parts: |x| <= t for the entries x and t, the last; symmetric X >= 0. */
CREASE_API crease_set crease_soc(void);
CREASE_API crease_set crease_capped_soc(double height);
CREASE_API crease_set crease_psd(void);
CREASE_API crease_set crease_capped_psd(double trace);

/* Every column, every row of a matrix in a 2-norm ball. */
CREASE_API crease_set crease_column_balls(double radius);
CREASE_API crease_set crease_row_balls(double radius);

/* Not convex: at most k entries, singular values that are not 0. */
CREASE_API crease_set crease_l0_ball(double k);
CREASE_API crease_set crease_rank_ball(double k);

/* shift + scale * inner; shift may be NULL (zero); scale != 0. Borrowed. */
typedef struct {
    const crease_set *inner;
    double scale;
    const double *shift;
} crease_affine_set;
CREASE_API crease_set crease_affine(const crease_affine_set *a);

/* inner[0] x inner[1] x ... on consecutive stretches of the vector with the given shapes. */
typedef struct {
    int count;
    const crease_set *inner;
    const crease_space *space;
} crease_product_set;
CREASE_API crease_set crease_product(const crease_product_set *p);

/* How many doubles of work the operations of c need on s. */
CREASE_API ptrdiff_t crease_set_scratch(const crease_set *c, const crease_space *s);

/* Convenient calls: they check everything and work on memory of their own. */
CREASE_API bool crease_set_check(const crease_set *c, const crease_space *s, crease_error *e);
CREASE_API bool crease_excess(const crease_set *c, const crease_space *s, const double *x,
                              double *excess, crease_error *e);
CREASE_API bool crease_project(const crease_set *c, const crease_space *s, const double *v,
                               double *x, crease_error *e);
CREASE_API bool crease_lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                           crease_error *e);
CREASE_API bool crease_support(const crease_set *c, const crease_space *s, const double *w,
                               double *value, crease_error *e);
CREASE_API bool crease_diameter(const crease_set *c, const crease_space *s, double p, double *value,
                                crease_error *e);

/* Generalized linear oracle: y minimizes <g, y> + r(y) over the set, r convex; returns the
 * minimum. crease_lmo_with_check refuses, with CREASE_UNSUPPORTED, a pair without a closed form
 * here; the other two expect a pair that passed it. */
CREASE_API bool crease_lmo_with_check(const crease_set *c, const crease_reg *r,
                                      const crease_space *s, crease_error *e);
CREASE_API ptrdiff_t crease_lmo_with_scratch(const crease_set *c, const crease_reg *r,
                                             const crease_space *s);
CREASE_API double crease_lmo_with(const crease_set *c, const crease_reg *r, const crease_space *s,
                                  const double *g, double *y, double *work);

/* dist(g, d(r + indicator of the set)(x)), where a rule computes it: r by entries on a box or, when
 * weakly convex and Lipschitz, on a row; squares and zero on any unbounded set with dist_normal.
 * check: is there one? */
CREASE_API bool crease_joint_dist_check(const crease_reg *r, const crease_set *c,
                                        const crease_space *s);
CREASE_API ptrdiff_t crease_joint_dist_scratch(const crease_reg *r, const crease_set *c,
                                               const crease_space *s);
CREASE_API double crease_joint_dist(const crease_reg *r, const crease_set *c, const crease_space *s,
                                    const double *x, const double *g, double *work);

/* Joint prox: x minimizes r(x) + |x-v|^2/(2t) over the set. The pair is refused by name with
 * CREASE_UNSUPPORTED when it has no exact joint prox; *max_step (if not NULL) receives the
 * supremum of the admissible steps. */
CREASE_API bool crease_joint_check(const crease_reg *r, const crease_set *c, const crease_space *s,
                                   double *max_step, crease_error *e);
CREASE_API ptrdiff_t crease_joint_scratch(const crease_reg *r, const crease_set *c,
                                          const crease_space *s);
CREASE_API void crease_joint_prox(const crease_reg *r, const crease_set *c, const crease_space *s,
                                  double t, const double *v, double *x, double *work);

#ifdef __cplusplus
}
#endif

#endif
