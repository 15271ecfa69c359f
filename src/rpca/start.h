/* SPDX-License-Identifier: MIT
 * start.h: CP factors from generalized eigenvectors, a start that is exact for exact tensors */
#ifndef CRS_RPCA_START_H
#define CRS_RPCA_START_H

#include "rpca/cp_compress.h"

typedef struct {
    ptrdiff_t rank;    /* terms that are not 0: the rank asked for, or where the spectra end */
    bool diagonalized; /* by eigenvectors; otherwise by singular vectors and least squares */
    double residual;   /* |core - [[F]]|/|core| of the compressed tensor */
} crs_cp_start_facts;

/* A rank to be cut falls to where the spectra of the modes end: at the first gap above 4 with no
 * more than a hundredth of the squares beyond it. */
typedef struct {
    ptrdiff_t rank;
    bool cut;
    uint64_t seed;
    double kap;
    int rounds;
    bool without_pencils; /* singular vectors and least squares, whatever the lengths */
} crs_cp_gevd_options;

/* factor[n] (I_n x rank) of a model of V; terms beyond facts->rank are 0. Eigenvectors need two
 * modes no shorter than the rank and an order of 3 or more. facts may be NULL. kap and rounds are
 * not read. */
bool crs_cp_gevd(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                 crs_cp_start_facts *facts, crease_error *e);

/* The same on T clipped at +-kap median|T|, then `rounds` times at M +- kap median|T - M| around
 * the model M so far, while that median falls. kap = 0: no clipping. */
bool crs_cp_gevd_robust(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                        crs_cp_start_facts *facts, crease_error *e);

/* Start q of a family: 0 by eigenvectors of T, 1 of T clipped by kap (0: 2), 2 by singular vectors
 * of clipped T and least squares, from 3 on Gaussian with median|M| = median|T|/2 (cp_starts.c). */
enum { CRS_CP_RANDOM_START = 3 };
bool crs_cp_start_of(const crs_cp_view *v, const crs_cp_gevd_options *o, int q,
                     double *const *factor, crease_error *e);
const char *crs_cp_start_name(int q);
/* The q-th start where `first` comes first: the others in their order, or random ones only. */
int crs_cp_start_after(int first, int q);

/* Of a core: factor[n] is p_n x rank; false: it does not apply, or memory (cp_pencils.c). mode
 * lists the modes, the longest of the tensor first. */
bool crs_cp_pencils(const crs_cp_core *c, const int *mode, uint64_t seed, double *const *factor,
                    crease_error *e);
bool crs_cp_pencils_apply(const crs_cp_core *c, const int *mode);

#endif
