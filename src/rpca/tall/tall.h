/* SPDX-License-Identifier: MIT
 * tall.h: steps for a matrix with many more rows than columns, T ~ X Y', X long and Y short
 *
 *   F(Y) = min_X sum phi(t_ij - x_i.y_j) + (nu/2) (|X|^2 + |Y|^2)
 *
 * Each row x_i is eliminated exactly, and Newton's method with conjugate gradients runs on Y: a
 * product with the Hessian of F is one pass over T, and nothing is stored but X and an r x r matrix
 * a row. */
#ifndef CRS_TALL_H
#define CRS_TALL_H

#include "rpca/envelope/envelope.h"

/* Order 2, four times as many rows as columns, and a short factor of at most 4000 numbers. */
bool crs_tall_suits(const crease_space *shape, ptrdiff_t rank);

typedef struct crs_tall crs_tall;

/* Bytes that crs_tall_new will allocate, -1: more than can be addressed. The settings suit. */
ptrdiff_t crs_tall_bytes(const crs_envelope_settings *c);

/* T is borrowed; all of its slabs are taken here. NULL: out of memory. */
crs_tall *crs_tall_new(const crs_envelope_settings *c, crs_source *T);
void crs_tall_free(crs_tall *s);

/* Are s and its slope straight lines between a few points, as for l1, MCP and SCAD? */
bool crs_tall_takes(const crs_tall *s, const crs_penalty_value *penalty);

typedef struct {
    ptrdiff_t rank;
    crs_penalty_value penalty; /* one that is taken */
    double nu;
    int steps;            /* of Newton's method, at most */
    double fall;          /* enough: the gradient at the end by that at the beginning */
    long most;            /* passes: beyond it no product and no trial begins but one */
    crease_watch *watch;  /* asked between slabs as well; NULL: none */
    double *x, *y;        /* rows x rank, columns x rank: in and out */
    long passes, cg;      /* out: passes over T, and products among them */
    crease_error failure; /* out: of a slab that could not be had */
} crs_tall_run;

/* false: no step was found that lowers F; x is its minimizer for the y it came with. */
bool crs_tall_descend(crs_tall *s, crs_tall_run *run);

#endif
