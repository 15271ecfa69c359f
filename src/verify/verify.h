/* SPDX-License-Identifier: MIT
 * verify.h: shared by the files of this folder, which uses nothing of the library but core */
#ifndef CRS_VERIFY_H
#define CRS_VERIFY_H

#include <stdio.h>

#include <crease/verify.h>

#include "verify/num.h"

/* What a verification works on. Memory lives until its end; a failed allocation is remembered. */
typedef struct {
    const crease_problem *p;
    void *rooms, *spare; /* in use, and released */
    bool no_memory, unsupported, trusted_callback;
    bool coarse; /* large couplings may work in double */
    bool quick;  /* large dense products may be in double, and then: */
    bool doubled;
    real blur;     /* of the last gradient, in norm, beside the errors of its entries */
    char why[160]; /* the first thing that is unsupported */
    crease_watch *watch;
    real eps; /* that residuals are compared with, by this measure: */
    bool relative;
    bool unfinished; /* it was over: nothing that was computed counts */
} crs_verifier;

enum { CRS_MATRIX = 1 << 12 }; /* entries that make bounds of a spectrum worth a try */
enum { CRS_LARGE = 1 << 16 };  /* entries of a block or a matrix that make double worth a try */

/* Zeroed memory, or NULL. */
void *crs_room(crs_verifier *v, ptrdiff_t count, size_t size);
real *crs_reals(crs_verifier *v, ptrdiff_t count);
num *crs_nums(crs_verifier *v, ptrdiff_t count);
num *crs_exact(crs_verifier *v, ptrdiff_t n, const double *x); /* x without errors */
void crs_rooms_free(crs_verifier *v);
void crs_rooms_release(crs_verifier *v, void *mark); /* those since v->rooms was `mark` */

/* To be asked between pieces of work of about a millisecond: go on? False is remembered, as a
 * failed allocation is: no room is given any more, and the verdict is UNFINISHED. */
bool crs_in_time(crs_verifier *v);
static inline bool crs_in_tiles(crs_verifier *v, ptrdiff_t k, ptrdiff_t each) /* of steps k */
{
    return each < 0x4000 && k % (0x4000 / each + 1) != 0 ? true : crs_in_time(v);
}
static inline bool crs_at_entry(crs_verifier *v, ptrdiff_t j) /* the same, of a loop over entries */
{
    return (j & 0x3fff) != 0 || crs_in_time(v);
}
static inline void crs_unfinished(crease_verification *out)
{
    out->verdict = CREASE_VERDICT_UNFINISHED;
    out->smallest_eps = INFINITY;
    for (int i = 0; i < out->count; i++) out->residual[i] = NAN;
    snprintf(out->text, sizeof out->text,
             "not checked: the time ran out or a signal came; crease verify checks the result");
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
bool crs_refuse(crs_verifier *v, const char *format, ...); /* always false */

real crs_length(ptrdiff_t n, const real *x); /* |x|_2 */
real crs_inner(ptrdiff_t n, const real *x, const real *y);

/* Penalties: rho(y), rho'(y+) and rho'(y-) for y >= 0. */
typedef struct {
    const char *name;
    real (*value)(const double *par, real y);
    real (*slope)(const double *par, real y); /* from the right; INFINITY allowed at 0 */
    real (*kink)(const double *par);          /* where the slope jumps down to 0; NULL: nowhere */
    bool steep;                               /* infinite slope at 0 when par[0] > 0 */
    bool linear;                              /* rho(y) is a multiple of y */
} crs_rule;

/* A regularizer as the checker sees it (regs.c). */
typedef enum { CRS_ENTRIES, CRS_GROUPS, CRS_SPECTRUM, CRS_VARIATION } crs_reg_kind;

typedef struct {
    crs_reg_kind kind;
    const crs_rule *rule;
    const double *par, *weight;
    const crease_groups *groups;
    real factor;    /* of everything: the alphas of scaled regularizers */
    real low, high; /* every entry is in [low, high], r is infinite outside */
} crs_known_reg;

bool crs_know_reg(crs_verifier *v, const crease_reg *r, crs_known_reg *k);

/* All of [low, high], or with `two` its ends alone; low > high: nothing. */
typedef struct {
    real low, high;
    bool two;
    real size; /* of the numbers it is computed from */
} crs_slopes;

/* The limiting subdifferential of factor w_j rho(|x|) + indicator of [low, high]; at a kink within
 * `near` times its place. */
crs_slopes crs_slopes_at(const crs_known_reg *k, ptrdiff_t j, real x, real low, real high,
                         real near);
real crs_nearest_slope(const crs_slopes *s, real t); /* INFINITY: there is none */

/* The box that every x_j is restricted to by a set; NULL: none. */
typedef struct {
    real low, high;
    const double *lower, *upper;
} crs_box;

static inline real box_low(const crs_box *b, ptrdiff_t j)
{
    return b->lower ? b->lower[j] : b->low;
}
static inline real box_high(const crs_box *b, ptrdiff_t j)
{
    return b->upper ? b->upper[j] : b->high;
}

/* The row a'x = b or a'x <= b on a box that a set is (cones.c). */
typedef struct {
    crs_box box;
    const double *a; /* NULL: ones */
    real b;
    bool equality;
} crs_row;

static inline real row_at(const crs_row *r, ptrdiff_t j) { return r->a ? r->a[j] : 1; }

/* Sizes of the numbers that g is made of: all, and those that t was not well inside of. */
typedef struct {
    real all, used;
} crs_sizes;

/* d(r + indicator of box)(x): of what, where, and `near` as above. */
typedef struct {
    const crs_known_reg *k;
    const crease_space *s;
    const crs_box *box; /* NULL: none; only for a regularizer by entries */
    const real *x;
    real near;
} crs_subdifferential;

/* g = its point nearest to t. false: out of memory or refused. */
bool crs_nearest_point(crs_verifier *v, const crs_subdifferential *d, const real *t, real *g,
                       crs_sizes *size);

/* A = U diag(s) V', m x n with u m x k, v n x k, k = min(m, n), s descending (algebra.c). */
typedef struct {
    ptrdiff_t m, n, k;
    real *u, *s, *v;
} crs_svd_real;

bool crs_jacobi(crs_verifier *v, ptrdiff_t m, ptrdiff_t n, const real *a, crs_svd_real *out);

/* The rank of x, whose factors f has: singular values that its rounding explains do not count
 * (regs.c). */
bool crs_rank_of(crs_verifier *v, const crs_svd_real *f, const real *x, ptrdiff_t *rank);

/* The largest eigenvalue of (A + A')/2; x sorted, the largest first (sets.c). */
bool crs_top_eigenvalue(crs_verifier *v, ptrdiff_t n, const real *a, real *top);
void crs_sort_down(ptrdiff_t n, real *x);

/* max sum_i w[i][perm(i)] over permutations, from above by duality. */
bool crs_best_assignment(crs_verifier *v, ptrdiff_t n, const real *w, real *value);

/* How far a point is outside a set, and whether rounding explains it. */
typedef struct {
    real excess;
    bool inside;
} crs_membership;

static inline void demand(crs_membership *m, real violation, real allowance)
{
    m->excess = bigger(m->excess, violation);
    m->inside = m->inside && violation <= allowance;
}

/* A set of the catalogue. slack: how far each entry of x may be off. A failed allocation or a
 * refusal gives NaN. */
typedef struct {
    const char *name;
    void (*membership)(crs_verifier *v, const crease_set *c, const crease_space *s, const real *x,
                       real slack, crs_membership *m);
    real (*support)(crs_verifier *v, const crease_set *c, const crease_space *s, const real *w);
    real (*diameter)(crs_verifier *v, const crease_set *c, const crease_space *s);
    bool solid;       /* with x it holds every y with |y_j| <= |x_j| */
    bool nonnegative; /* x >= 0 on it */
} crs_set_rule;

const crs_set_rule *crs_set_rule_of(crs_verifier *v, const crease_set *c); /* NULL: refused */
bool crs_box_of(const crease_set *c, crs_box *box);                        /* is it a box? */
bool crs_row_of(const crease_set *c, crs_row *row);                        /* a row on one? */
extern const crs_set_rule crs_cone_rules[]; /* ended by a NULL name (cones.c) */

/* a'x - b with the size of its terms; <w, a>/|a|^2 with the largest entry of w - mu a. */
real crs_off_row(const crs_row *r, ptrdiff_t n, const real *x, real *size);
real crs_multiple_of(const crs_row *r, ptrdiff_t n, const real *w, real *rest);

/* t becomes t - mu a for the mu that brings it nearest to d, of the row's box; size = |mu a|. */
bool crs_move_by_row(crs_verifier *v, const crs_row *r, const crs_subdifferential *d, real *t,
                     real *size);

/* n = the nearest point to t of the limiting normal cone at x. */
bool crs_nearest_normal(crs_verifier *v, const crease_set *c, const crease_space *s, const real *x,
                        const real *t, real *n);

/* n = a vector near z of which the support of an unbounded set is finite, and that support; n may
 * miss the barrier cone by the roundings of z. */
bool crs_has_barrier(const crease_set *c);
bool crs_barrier(crs_verifier *v, const crease_set *c, const crease_space *s, const real *z,
                 real *n, real *support);

/* out += A in, or A' in (maps.c). */
bool crs_multiply(crs_verifier *v, const crease_map *A, const crease_space *dom,
                  const crease_space *ran, bool transposed, const num *in, num *out);

/* The same of the cosine transform and of convolutions (transforms.c). */
bool crs_multiply_dct(crs_verifier *v, const crease_space *s, bool transposed, const num *in,
                      num *out);
bool crs_multiply_convolution(crs_verifier *v, const crease_kernel *k, bool transposed,
                              const num *in, num *out);

/* g[i] += grad_i f(x) for the blocks i whose g[i] is not NULL (couplings.c). */
typedef bool crs_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g);
crs_gradient crs_add_gradient;

/* Losses of a linear predictor (losses.c): their gradients as above, their values added to *sum,
 * the slope that a loss has at infinity along d added to *slope (refused where it grows faster than
 * a line), and whether it is >= 0 by its form. */
bool crs_is_loss(const crease_smooth *f);
crs_gradient crs_loss_gradient;
bool crs_loss_value(crs_verifier *v, const crease_smooth *f, const double *const *x, real *sum);
bool crs_loss_growth(crs_verifier *v, const crease_smooth *f, const double *const *d, num *slope);
bool crs_loss_positive(const crease_smooth *f);

/* Is a number of a direction d, of doubles, 0 as far as the rounding of d can tell? */
static inline bool explained(num a)
{
    return a.v == 0 || fabsl(a.v) <= 2 * (DBL_EPSILON / LDBL_EPSILON) * a.e;
}

/* f(x) + sum r_i(x_i) where it is >= 0 by its form, otherwise NaN; of singular values as if there
 * were one alone, and not to the last digits. */
bool crs_objective(crs_verifier *v, const double *const *x, real *value);
real crs_reg_value(const crs_known_reg *k, const crease_space *s, const double *x); /* as there */

/* What residuals are relative to (scale.c), of the problem alone: F_0, or 0; the reach of the steps
 * from 0 in the constraint; for every block |x_i^0| and its terms at the reference. */
typedef struct {
    real objective, constraint, *size, *own;
} crs_reference;

bool crs_find_reference(crs_verifier *v, crs_reference *r);

/* The terms of a condition and of the reference; D/per, or without it INFINITY; the scale. */
static inline real crs_scale(real terms, real own, real whole, real per)
{
    const real part = bigger(terms, 1e-3L * own), most = 100 * whole / per;
    return isnan((double)most) || !(most < part) ? part : bigger(most, 1e-4L * part);
}

/* One condition of stationarity. */
typedef struct {
    real residual, rounding, scale;
    bool upper_bound;
    real astray; /* how far the given subgradient is from being one; 0: rounding explains it */
} crs_finding;

/* c = grad_i f - A_i'lambda of a block; size = |grad_i f| + |A_i'lambda|, error = |rounding of c|;
 * own, far: its terms and |x_i| at the reference; whole: D, or INFINITY. */
typedef struct {
    int i;
    const real *x, *c;
    real size, error, own, far, whole;
    bool gcg; /* of the conditional gradient's setting */
} crs_place;

/* Bounds of how far -c is from the subgradients of w times the nuclear norm at x, rounding
 * included; high INFINITY: none were found (nuclear.c). Does floating point prove |R|_2 <= bound, g
 * = R'R as computed by sums of m terms? */
typedef struct {
    real low, high;
} crs_spread;
crs_spread crs_nuclear_distance(crs_verifier *v, const crs_place *at, real w);
bool crs_norm_is_below(crs_verifier *v, ptrdiff_t m, ptrdiff_t n, const double *g, double bound);

/* Is every vector held here? Otherwise refused (verify.c). */
bool crs_is_whole(crs_verifier *v);

/* What a proof leaves when it was found, refused or ran out of memory; false: that (infeasible.c).
 */
bool crs_refutation_close(crs_verifier *v, bool found, crease_refutation *out, crease_error *e);

/* Setting 1, or gcg, which reads neither k nor g. */
bool crs_find_gap(crs_verifier *v, const crs_place *at, const crs_known_reg *k, const double *g,
                  crs_finding *f);

#endif
