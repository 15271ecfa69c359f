/* SPDX-License-Identifier: MIT
 * sharing.h: two ways of splitting a problem so that the theory has the last block it wants
 *
 *   sharing     min l(y - sum_j A_j x_j) + sum_j r_j(x_j)
 *               as  min l(u) + sum_j r_j(x_j)      subject to  sum_j A_j x_j + u = y
 *   consensus   min sum_j l(A_j z - b_j) + r(z)
 *               as  min sum_j l(A_j x_j - b_j) + r(z)   subject to  x_j = z for every j
 *
 * u, or the x_j stacked, is the last block: r = 0, no set, A_N = I, f separable (R1), and with
 * squares quadratic (R2). r_j and r may be any regularizer of the catalogue, convex or not.
 *
 * Over ranks (space.h; mpi.h has them): of sharing, each rank has rows of y, u and the A_j, and
 * every x_j is on all of them; of consensus, each has agents, and z is on all of them. An iteration
 * adds up as many numbers as the x_j, or z, have. All calls, of the solver too, are then made by
 * all ranks alike. Theorem and parameters are those of one process with all rows or agents. */
#ifndef CREASE_SHARING_H
#define CREASE_SHARING_H

#include <crease/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What it points to is borrowed and must outlive the model, except the starts. */
typedef struct {
    int count;                 /* of the x_j, at least 1 */
    const crease_space *space; /* one for each */
    const crease_block *block; /* name, regularizer, set, start, and as map A_j, each in use */
    crease_space range;        /* of y; with a comm of the rows that are here, and so are y and A_j,
                                  each crease_dense or crease_csr */
    const double *y;           /* NULL: zero; the labels, -1 or +1, of the logistic loss */
    crease_smooth loss;        /* l by name: a loss of smooth.h without its data, as
                                  crease_cauchy(NULL); ops NULL: (1/2)|u|^2. The logistic loss is
                                  sum_i log(1 + exp(-y_i (sum_j A_j x_j)_i)), with u = -sum A_j x_j */
} crease_sharing_settings;

typedef struct crease_sharing crease_sharing;

/* Blocks 0 .. count-1 are the x_j, block count is u, which starts where the constraint holds. NULL
 * with a sentence on failure. */
CREASE_API crease_sharing *crease_sharing_new(const crease_sharing_settings *s, crease_error *e);
CREASE_API void crease_sharing_free(crease_sharing *m);
CREASE_API const crease_problem *crease_sharing_problem(const crease_sharing *m);

/* A and b are copied; the regularizer's data and the set are borrowed. */
typedef struct {
    int agents;                  /* at least 1 */
    ptrdiff_t size;              /* of z */
    const ptrdiff_t *rows;       /* of A_j */
    const double *const *matrix; /* A_j, row-major, rows[j] x size */
    const double *const *rhs;    /* b_j; NULL, all or one of them: zero. Labels as above */
    crease_smooth loss;          /* as above */
    crease_reg reg;              /* r; ops NULL: 0 */
    const crease_set *set;       /* of z; NULL: the whole space */
    const double *start;         /* of z and every x_j; NULL: zero */
    const crease_comm *comm; /* NULL: all agents are here; else each rank gives its own, at least
                                one. Borrowed */
} crease_consensus_settings;

typedef struct crease_consensus crease_consensus;

/* Block 0 is z, block 1 the matrix whose row j is x_j, of the agents here. */
CREASE_API crease_consensus *crease_consensus_new(const crease_consensus_settings *s,
                                                  crease_error *e);
CREASE_API void crease_consensus_free(crease_consensus *m);
CREASE_API const crease_problem *crease_consensus_problem(const crease_consensus *m);

#ifdef __cplusplus
}
#endif

#endif
