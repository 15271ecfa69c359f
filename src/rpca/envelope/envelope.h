/* SPDX-License-Identifier: MIT
 * envelope.h: CP robust PCA as a function of the factors alone, in one read of the tensor
 *
 *   F(X) = sum phi(r) + (nu/2) sum |X_n|^2,   r = T - M,  M = [[X_1, .., X_d]],
 *   phi(r) = min_e c (r - e)^2 + alpha rho(|e|),  c = alpha_N/(1 + alpha_N),
 *   e = prox_{(alpha/(2c)) rho}(r),  s = r - e;   dF/dX_n = -2c S_(n) M_n + nu X_n.
 *
 * The minimum over Z, E, B of cp_fused.h's problem: E = e, Z = M + c s, B = c s/alpha_N and
 * Lambda = 2c s. Entries with W = 0 are not observed: there s = e = 0, and nothing is summed. */
#ifndef CRS_ENVELOPE_H
#define CRS_ENVELOPE_H

#include "rpca/fused/fused.h"
#include "rpca/kernels/envelope_kernel.h"

typedef struct {
    crease_space shape;                /* order >= 2 */
    ptrdiff_t rank;                    /* the largest there will be */
    double alpha_noise;                /* > 0 */
    const unsigned char *mask;         /* W, borrowed; NULL: all observed */
    int threads;                       /* 1 .. CRS_CP_MOST_THREADS; results do not depend on it */
    bool single;                       /* T is float */
    const crs_envelope_kernel *kernel; /* NULL: the fastest that runs here */
} crs_envelope_settings;

/* One envelope phi: alpha >= 0, par in the penalty's range. */
typedef struct {
    const crease_penalty *penalty;
    double par[CREASE_PARS];
    double alpha;
} crs_envelope_face;

/* |r| by its exponent and the first three bits after it: eight bins an octave from
 * CRS_ENVELOPE_LEAST on; the first takes all below, the last all above and NaN. */
enum { CRS_ENVELOPE_BINS = 2048 };
#define CRS_ENVELOPE_LEAST 0x1p-128

/* What an evaluation yields. gradient and marginal are filled in by the caller: arrays of
 * I_n x rank and I_n, NULL where not wanted. */
typedef struct {
    double value;       /* sum phi_judge(r) */
    double value_next;  /* sum phi_next(r); this and all below with next's s and e */
    double squares;     /* sum s^2 */
    double weights;     /* sum w, w = s/r, 1 where r = 0 */
    ptrdiff_t observed; /* entries */
    ptrdiff_t nonzeros; /* of e */
    int every;          /* in: the histogram takes one row in so many, scattered; 0, 1: all */
    ptrdiff_t histogram[CRS_ENVELOPE_BINS]; /* of |r|, over the observed entries */
    double *gradient[CREASE_MAX_ORDER];     /* S_(n) M_n */
    double *marginal[CREASE_MAX_ORDER]; /* sums of w over the entries with one index in mode n */
} crs_envelope_sums;

typedef struct crs_envelope crs_envelope;

/* Bytes that crs_envelope_new will allocate; -1: the settings are wrong, with the reason in e. */
ptrdiff_t crs_envelope_bytes(const crs_envelope_settings *c, crease_error *e);

/* T (double, or float if c->single) is borrowed and must outlive the result. NULL on failure. */
crs_envelope *crs_envelope_new(const crs_envelope_settings *c, const void *T, crease_error *e);
void crs_envelope_free(crs_envelope *s);

/* factor[n] is I_n x rank, 1 <= rank <= the settings'; judge and next may be the same. */
void crs_envelope_evaluate(crs_envelope *s, ptrdiff_t rank, const double *const *factor,
                           const crs_envelope_face *judge, const crs_envelope_face *next,
                           crs_envelope_sums *out);

/* The q-quantile of |r|, 0 <= q <= 1, linear within a bin; NaN when nothing is observed. */
double crs_envelope_quantile(const crs_envelope_sums *a, double q);

/* The tensor as left x right: rows first .. first+count-1 of a part go to out (count x right).
 * crs_envelope_open says at which point; its arguments are borrowed until the last read. Where W =
 * 0, B is -M. */
void crs_envelope_rows(const crs_envelope *s, ptrdiff_t *left, ptrdiff_t *right);
void crs_envelope_open(crs_envelope *s, ptrdiff_t rank, const double *const *factor,
                       const crs_envelope_face *face);
void crs_envelope_read(const crs_envelope *s, crs_cp_part part, ptrdiff_t first, ptrdiff_t count,
                       double *out);

/* Bytes an evaluation with all gradients streams from memory when the tensor does not fit in
 * cache, and its multiply-adds times two. */
double crs_envelope_traffic(const crs_envelope *s);
double crs_envelope_flops(const crs_envelope *s, ptrdiff_t rank);

#endif
