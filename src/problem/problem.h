/* SPDX-License-Identifier: MIT
 * problem.h: a problem's parts with their defaults filled in */
#ifndef CRS_PROBLEM_H
#define CRS_PROBLEM_H

#include <crease/problem.h>

#include "core/core.h"

/* r_i, the zero regularizer where the block names none. */
const crease_reg *crs_reg_of(const crease_problem *p, int i);

static inline bool crs_in_constraint(const crease_problem *p, int i)
{
    return p->range.order > 0 && p->block[i].map.ops;
}

static inline crease_blocks crs_blocks(const crease_problem *p)
{
    return (crease_blocks){ p->count, p->space, NULL };
}

/* Does f, or a term of it, come from the user's own functions? */
bool crs_has_callback(const crease_smooth *f);

/* The ranks that share a block, the constraint or the rows of f; NULL: this process has all. */
const crease_comm *crs_comm_of(const crease_problem *p);

/* "x3" or the block's own name, in buffer. */
const char *crs_block_name(const crease_problem *p, int i, char buffer[32]);

ptrdiff_t crs_problem_scratch(const crease_problem *p); /* for the four calls below */
double crs_f(const crease_problem *p, const double *const *x, double *work);
void crs_grad(const crease_problem *p, const double *const *x, int i, double *g, double *work);
double crs_regs(const crease_problem *p, const double *const *x, double *work); /* sum r_i(x_i) */

/* The images u of x under the matrices of f (images.c): linear in x, so that those of x + tau d are
 * u + tau (images of d), and f and its gradients follow from them without a product for u. Work as
 * above. u += images of d in block i; u of x. */
ptrdiff_t crs_images_size(const crease_problem *p);
void crs_images_move(const crease_problem *p, int i, const double *d, double *u, double *work);
void crs_images(const crease_problem *p, const double *const *x, double *u, double *work);
double crs_images_f(const crease_problem *p, const double *const *x, const double *u, double *work);
void crs_images_grad(const crease_problem *p, const double *const *x, const double *u, int i,
                     double *g, double *work);

/* How f bends in block i: by a diagonal matrix, by another one, both whatever the other blocks are
 * (bend.c); or that is not known. */
typedef enum { CRS_BEND_DIAGONAL, CRS_BEND_CONSTANT, CRS_BEND_VARIES } crs_bend;
crs_bend crs_bend_of(const crease_problem *p, int i);
/* That matrix, where it is constant, and A_i'A_i. May allocate. */
bool crs_block_hessian(const crease_problem *p, int i, double *H, crease_error *e);
bool crs_block_gram(const crease_problem *p, int i, double *G, crease_error *e);

/* x = prox of t r_i at v, for a block without a set; returns r_i(x) where the same decomposition
 * gives it, otherwise NaN. room: crs_prox_room() doubles, of all blocks (prox.c). */
ptrdiff_t crs_prox_room(const crease_problem *p);
double crs_prox_value(const crease_problem *p, int i, double t, const double *v, double *x,
                      double *room, double *work);

/* s = sum A_i x_i - b, and s += a A_i d. */
void crs_constraint(const crease_problem *p, const double *const *x, double *s, double *work);
void crs_apply(const crease_problem *p, int i, double a, const double *d, double *s, double *work);
void crs_adjoint(const crease_problem *p, int i, double a, const double *y, double *x,
                 double *work); /* x += a A_i'y */

/* Can f be minimized over block i plus (h/2)|y-v|^2 on a ball, in closed form? May allocate. */
bool crs_offers_argmin(const crease_problem *p, int i, double h, double radius, bool *offers,
                       crease_error *e);

/* Where a block without a start begins: at 0, but a factor of a product at random numbers, which
 * together give the product about the size of what it is to match: at 0 f is flat. False: 0. */
bool crs_default_start(const crease_problem *p, int i, uint64_t seed, double *x);

/* x: where block i begins, inside X_i and the domain of r_i as far as that is known how; joint:
 * `work` has room for a joint prox. True: a given start was moved (start.c). */
bool crs_start_block(const crease_problem *p, int i, uint64_t seed, bool joint, double *x,
                     double *work);

/* The blocks but `last` in levels: those of one share no term of f and no row of the constraint,
 * and steps on them may be made at the same time (levels.c). */
typedef struct {
    int count, widest;  /* levels; blocks in the largest */
    int *block, *first; /* level k has block[first[k]] .. block[first[k+1] - 1] */
    bool *apart; /* a block that is a level of its own: for the user's functions, or all of f */
    ptrdiff_t
        *row_first; /* A_i reaches row[row_first[i]] .. row[row_first[i+1] - 1]; apart: none */
    ptrdiff_t *row;
    void *memory;
} crs_levels;

/* last: -1, there is none; whole[i]: a step on block i looks at all of f, NULL: none does. */
bool crs_levels_open(const crease_problem *p, int last, const bool *whole, crs_levels *l,
                     crease_error *e);
void crs_levels_close(crs_levels *l);

ptrdiff_t crs_largest_block(const crease_problem *p); /* entries of the largest block */

/* Least upper bound known here of |x|_2 over X_i; INFINITY without a compact set. May allocate. */
bool crs_set_radius(const crease_problem *p, int i, double *radius, crease_error *e);

/* Any affine constraint, by a slack block of its own (extension.c):
 *     min f + sum r_i + (mu/2)|y|^2   s.t.  sum A_i x_i + y = b
 * The slack is the last block: A_{N+1} = I, f quadratic in it. Nothing is asked of the A_i or r_i
 * (Jiang, Lin, Ma, Zhang 2019, section 4.1). */
typedef struct {
    crease_problem problem; /* the N+1 blocks */
    double mu;
    crease_block *block;
    crease_space *space;
    double *center; /* the penalty is (mu/2)|y - center|^2; zero at first */
    crease_distance_data half_square;
    crease_smooth term[2];
    crease_smooth_list sum;
} crs_extension;

/* Borrows p. */
crs_extension *crs_extension_new(const crease_problem *p, double mu, crease_error *e);
void crs_extension_free(crs_extension *x);
void crs_extension_set_mu(crs_extension *x, double mu);

/* center = -lambda/mu: then y = 0 goes with the multiplier lambda, as in the method of
 * multipliers, and feasibility needs no large mu. */
void crs_extension_set_multiplier(crs_extension *x, const double *lambda);

#endif
