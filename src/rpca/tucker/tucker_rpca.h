/* SPDX-License-Identifier: MIT
 * tucker_rpca.h: the insides of robust PCA with a Tucker model and of matrices */
#ifndef CRS_TUCKER_RPCA_H
#define CRS_TUCKER_RPCA_H

#include <crease/tucker_rpca.h>

#include "rpca/tucker/tucker.h"

enum { CRS_TUCKER_BLOCKS = CREASE_MAX_ORDER + 4 };

struct crease_tucker_rpca {
    crease_tucker_rpca_facts facts;
    crease_problem problem;
    crease_space space[CRS_TUCKER_BLOCKS];
    crease_block block[CRS_TUCKER_BLOCKS];
    char name[CREASE_MAX_ORDER][16];
    crease_reg penalty; /* R */
    crease_set inside[3];

    int factor[CREASE_MAX_ORDER]; /* block numbers */
    crease_tucker_data tucker;
    crease_factorization_data product;
    crease_distance_data noise; /* alpha_N |B|^2 */
    crease_predictor weighed;   /* alpha_N |W o B|^2 */
    crease_map weighed_map;
    int weighed_block;
    crease_smooth term[2];
    crease_smooth_list sum;

    double *tensor;      /* T, 0 where it is missing */
    unsigned char *mask; /* W; NULL: ones */
    double *root;        /* sqrt(2 alpha_N) W; NULL: W = 1 */
    double *x[CRS_TUCKER_BLOCKS], *lambda;
};

/* The blocks of the forms, their spaces and the problem (tucker_blocks.c). Before the start: the
 * spaces and what the blocks hold; after it: penalties, sets and couplings. */
void crs_tucker_spaces(crease_tucker_rpca *m);
void crs_tucker_assemble(crease_tucker_rpca *m);

/* The robust fit into x and lambda, and what it teaches (tucker_begin.c). */
bool crs_tucker_begin(crease_tucker_rpca *m, crease_error *e);

#endif
