/* SPDX-License-Identifier: MIT
 * fused.h: CP robust PCA of tensors of any order d >= 2, with each iteration fused into two
 * passes over memory
 *
 *   minimize  |Z - [[X_1, .., X_d]]|^2 + alpha R(E) + alpha_N |W o B|^2 + (nu/2) sum |X_n|^2
 *   subject to  Z + E + B = T,
 *
 * in the order X_1, .., X_d, E, Z, B, Lambda; with R(E) = sum rho(|E_j|). Block coordinate descent
 * works on the same with B = T - Z - E put in. Entries with W = 0 are not observed. */
#ifndef CRS_FUSED_H
#define CRS_FUSED_H

#include "core/checkpoint.h"
#include "rpca/kernels/kernels.h"

typedef enum { CRS_CP_ADMM_G, CRS_CP_ADMM_M, CRS_CP_BCD } crs_cp_method;

/* The h are weights of (h/2)|x - x^k|^2; a Z-update printed with 2 delta has h_z = 2 delta. */
typedef struct {
    crease_space shape;
    ptrdiff_t rank;
    crs_cp_method method;
    double beta;                    /* > 0; not of BCD */
    double gamma;                   /* step of ADMM-g; 0: 1/beta */
    double ell;                     /* majorant of ADMM-m; 0: exact minimization over B */
    double h_factor, h_sparse, h_z; /* >= 0 */
    double alpha_noise, nu;         /* >= 0; alpha_noise > 0 for BCD */
    crs_penalty_value penalty;      /* alpha rho, alpha >= 0 */
    const unsigned char *mask;      /* W, borrowed; NULL: all observed */
    double potential_weight;        /* of |B - B^{k-1}|^2 in the potential of an ADMM, >= 0 */
    bool accelerate;                /* extrapolate the factors between steps */
    int threads;                    /* 1 .. CRS_CP_MOST_THREADS; results do not depend on it */
    bool full;                      /* all statistics, not those of a stop alone */
    bool single;                    /* T is float, and so are Z, E, B; factors and sums double */
    const crs_cp_kernel *kernel;    /* NULL: the fastest that runs here */
} crs_cp_settings;

/* At the iterate a step has reached; moves are squared norms of the step's changes. */
typedef struct {
    long iteration;
    double theta; /* ADMM: moves of this step and the one before (first step: INFINITY) */
    double moves, move_factor[CREASE_MAX_ORDER], move_e, move_z, move_b;
    ptrdiff_t nonzeros; /* of E */
    /* NaN unless settings.full, for they cost time: */
    double objective, fit, penalty, noise; /* fit = |Z - [[X]]|^2, noise = |W o B|^2 */
    double feasibility;                    /* |Z + E + B - T| */
    double residual_e;                     /* an upper bound of dist(Lambda, alpha dR(E)) */
    double residual_z;                     /* |2 (Z - [[X]]) - Lambda| */
    double residual_b;                     /* |2 alpha_N W o B - Lambda| */
    double potential; /* BCD: the objective; ADMM: L_beta + potential_weight |B - B^{k-1}|^2 */
    double from; /* the potential where the step began, perhaps extrapolated; first step: NaN */
    long accelerated;  /* extrapolations that were accepted */
    long eliminations; /* passes they and those that were not have cost */
} crs_cp_statistics;

typedef struct crs_cp_fused crs_cp_fused;

/* Bytes that crs_cp_fused_new will allocate; -1: the settings are wrong, with the reason in e. */
ptrdiff_t crs_cp_fused_bytes(const crs_cp_settings *c, crease_error *e);

/* T (double, or float when c->single) is borrowed and must outlive the result. NULL on failure.
 * Start from crs_cp_fused_start. */
crs_cp_fused *crs_cp_fused_new(const crs_cp_settings *c, const crs_stored *T, crease_error *e);
void crs_cp_fused_free(crs_cp_fused *s);
void crs_cp_fused_visit(crs_visitor *v, crs_cp_fused *s); /* what steps change */

/* Copies a start; factor[n] is I_n x rank; z, e, b, lambda NULL: 0. Where Lambda is not stored
 * (exact minimization over B) lambda must be 2 alpha_N W o b, or NULL to mean that; BCD reads
 * neither b nor lambda. */
bool crs_cp_fused_start(crs_cp_fused *s, const double *const *factor, const double *z,
                        const double *e, const double *b, const double *lambda,
                        crease_error *error);

void crs_cp_fused_step(crs_cp_fused *s); /* one iteration */

const crs_cp_statistics *crs_cp_fused_statistics(const crs_cp_fused *s);
const double *crs_cp_fused_factor(const crs_cp_fused *s, int n);

/* The tensor as left x right; rows first .. first+count-1 of a part go to out. */
void crs_cp_fused_rows(const crs_cp_fused *s, ptrdiff_t *left, ptrdiff_t *right);
void crs_cp_fused_read(const crs_cp_fused *s, crs_cp_part part, ptrdiff_t first, ptrdiff_t count,
                       double *out);

#endif
