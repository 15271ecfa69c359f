/* SPDX-License-Identifier: MIT
 * spca.h: the insides of sparse PCA, shared by the files that build and run it */
#ifndef CRS_SPCA_H
#define CRS_SPCA_H

#include <stdatomic.h>

#include <crease/spca.h>

#include "core/core.h"

struct crease_spca {
    crease_spca_settings s;
    crease_problem problem;
    crease_space space[CREASE_MAX_ORDER];
    crease_block block[CREASE_MAX_ORDER];
    char name[CREASE_MAX_ORDER][16];
    int argument[CREASE_MAX_ORDER];
    crease_multilinear_data data;
    crease_set ball;

    double alpha, norm, sigma; /* sigma: T at the present start */
    void *memory;              /* of the arrays below */
    double *tensor;            /* what is left of T */
    double *start[CREASE_MAX_ORDER], *best[CREASE_MAX_ORDER], *unit[CREASE_MAX_ORDER];
    double *t;         /* as long as the longest mode */
    double *objective; /* per start */
    double *work;
    atomic_bool stop;
};

#endif
