/* SPDX-License-Identifier: MIT
 * spectral.h: the penalties and matrices on which the spectral regularizers are tested */
#ifndef CREASE_TEST_SPECTRAL_H
#define CREASE_TEST_SPECTRAL_H

#include <float.h>

#include "support/test.h"

#include "dense/dense.h"
#include "reg/reg.h"

enum { MOST = 64, WORK = 40000 };
static double work[WORK];

static const struct {
    const crease_penalty *p;
    double par[CREASE_PARS];
} family[] = {
    { &crs_l1, { 0.7 } },
    { &crs_l0, { 0.4 } },
    { &crs_zero, { 0 } },
    { &crs_squared_l2, { 0.8 } },
    { &crs_elastic_net, { 0.5, 2 } },
    { &crs_scad, { 0.6, 3.7 } },
    { &crs_mcp, { 0.6, 2 } },
    { &crs_lsp, { 0.5, 0.7 } },
    { &crs_capped_l1, { 0.5, 1 } },
    { &crs_l_half, { 0.3 } },
    { &crs_l_two_thirds, { 0.3 } },
    { &crs_lq, { 0.3, 0.3 } },
    { &crs_huber, { 0.7, 0.5 } },
};
enum { FAMILY = sizeof family / sizeof *family };

static const ptrdiff_t shapes[][2] = { { 1, 1 }, { 1, 6 }, { 6, 1 }, { 3, 3 }, { 7, 3 }, { 3, 8 } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

static inline void random_matrix(draws *d, ptrdiff_t m, ptrdiff_t n, ptrdiff_t rank, double *a)
{
    double left[MOST], right[MOST];
    for (ptrdiff_t j = 0; j < m * rank; j++) left[j] = normal(d);
    for (ptrdiff_t j = 0; j < rank * n; j++) right[j] = normal(d);
    crs_gemm_plain(false, false, m, n, rank, 1, left, right, 0, a);
}

#endif
