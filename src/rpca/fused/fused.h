/* SPDX-License-Identifier: MIT
 * cp_fused.h: CP robust PCA of tensors of any order d >= 2, with each iteration fused into two
 * passes over memory
 *
 *   minimize  |Z - [[X_1, .., X_d]]|^2 + alpha R(E) + alpha_N |W o B|^2 + (nu/2) sum |X_n|^2
 *   subject to  Z + E + B = T,
 *
 * in the order X_1, .., X_d, E, Z, B, Lambda; with R(E) = sum rho(|E_j|). Block coordinate descent
 * works on the same with B = T - Z - E put in. Entries with W = 0 are not observed. */
#ifndef CRS_CP_FUSED_H
#define CRS_CP_FUSED_H

#include "rpca/kernels/kernels.h"
#include "tensor/tensor.h"

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
    double alpha, alpha_noise, nu;  /* >= 0; alpha_noise > 0 for BCD */
    const crease_penalty *penalty;  /* rho */
    double par[CREASE_PARS];        /* of rho */
    const unsigned char *mask;      /* W, borrowed; NULL: all observed */
    double potential_weight;        /* of |B - B^{k-1}|^2 in the potential of an ADMM, >= 0 */
    bool accelerate;                /* extrapolate the factors between steps (cp_accelerate.c) */
    int threads;                    /* 1 .. CRS_CP_MOST_THREADS; results do not depend on it */
    bool dense;                     /* never compress E; results do not depend on it */
    bool full;                      /* all statistics, not those of a stop alone */
    bool single;                    /* T is float, and so are Z, E, B; factors and sums double */
    const crs_cp_kernel *kernel;    /* NULL: the fastest that runs here */
} crs_cp_settings;

enum { CRS_CP_MOST_THREADS = 256 };

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
crs_cp_fused *crs_cp_fused_new(const crs_cp_settings *c, const void *T, crease_error *e);
void crs_cp_fused_free(crs_cp_fused *s);

/* Copies a start; factor[n] is I_n x rank; z, e, b, lambda NULL: 0. Where Lambda is not stored
 * (exact minimization over B) lambda must be 2 alpha_N W o b, or NULL to mean that; BCD reads
 * neither b nor lambda. */
bool crs_cp_fused_start(crs_cp_fused *s, const double *const *factor, const double *z,
                        const double *e, const double *b, const double *lambda,
                        crease_error *error);

void crs_cp_fused_step(crs_cp_fused *s); /* one iteration */

const crs_cp_statistics *crs_cp_fused_statistics(const crs_cp_fused *s);
const double *crs_cp_fused_factor(const crs_cp_fused *s, int n);

/* Of X_n at the current iterate, for every n; costs a read of Z and changes nothing. */
typedef struct {
    double residual; /* |2 (X_n G_n - Z_(n) M_n) + nu X_n| */
    double data;     /* 2 |Z_(n) M_n|, the scale of the residual with the next: */
    double model;    /* 2 |X_n G_n| */
} crs_cp_factor_residual;
void crs_cp_fused_factor_residuals(crs_cp_fused *s, crs_cp_factor_residual *out);

/* The tensor as left x right; rows first .. first+count-1 of a part go to out. */
typedef enum { CRS_CP_Z, CRS_CP_E, CRS_CP_B, CRS_CP_LAMBDA, CRS_CP_LOW_RANK } crs_cp_part;
void crs_cp_fused_rows(const crs_cp_fused *s, ptrdiff_t *left, ptrdiff_t *right);
void crs_cp_fused_read(const crs_cp_fused *s, crs_cp_part part, ptrdiff_t first, ptrdiff_t count,
                       double *out);

/* How many bytes a plain iteration streams from and to memory when no tensor fits in cache, E being
 * as it is now; and its multiply-adds times two. */
double crs_cp_fused_traffic(const crs_cp_fused *s);
double crs_cp_fused_flops(const crs_cp_fused *s);

#endif
