/* SPDX-License-Identifier: MIT
 * cp_point.h: an answer of CP robust PCA, from its factors: E, and the residuals of everything
 *
 * With M = [[X]], s = W o (T - E - M), c = alpha_N/(1 + alpha_N): Z = M + c s, Lambda = 2 c s. */
#ifndef CRS_CP_POINT_H
#define CRS_CP_POINT_H

#include <crease/certificate.h>

#include "reg/reg.h"
#include "tensor/tensor.h"

/* Rows first .. first+count-1 of E as left x right. */
typedef void crs_cp_sparse(const void *self, ptrdiff_t first, ptrdiff_t count, double *out);

typedef struct {
    crs_kruskal k;
    crs_slabs grid;
    const double *tensor;
    const unsigned char *mask; /* NULL: all observed */
    crs_penalty_value rho;     /* alpha rho of a penalty by entries */
    double dead, steep;        /* of it: the largest |T - M| where E = 0, and alpha rho'(0+) */
    crease_reg whole;          /* of any other penalty: alpha R; ops NULL: by entries */
    crs_cp_sparse *sparse;     /* NULL: E = prox_{rho/(2c)}(T - M) where observed, else 0 */
    const void *self;
    double alpha_noise, nu;
    bool nonneg;
} crs_cp_point;

static inline double noise_share(const crs_cp_point *p) /* c */
{
    return crs_noise_share(p->alpha_noise);
}

/* Memory of the computations below: counted, then given. */
typedef struct {
    int threads;
    ptrdiff_t bands, panels, worker; /* worker: doubles a worker has */
    double *columns;                 /* right x rank: Khatri-Rao rows */
    double *rows, *sums, *collected; /* left x rank; bands x ...; bands x right x rank */
    double *small;                   /* of one factor */
    double *workers;
    double *e, *lambda, *reg; /* of a penalty that is not by entries */
} crs_cp_room;
ptrdiff_t crs_cp_room_size(const crs_cp_point *p, int threads);
void crs_cp_room_carve(const crs_cp_point *p, int threads, double *memory, crs_cp_room *w);

/* The Khatri-Rao rows, whenever the factors have changed. */
void crs_cp_columns(const crs_cp_point *p, crs_cp_room *w);

/* M and E of a few rows (at most grid.rows); kr has grid.rows x rank doubles. */
void crs_cp_panel(const crs_cp_point *p, const crs_cp_room *w, ptrdiff_t first, ptrdiff_t count,
                  double *kr, double *m, double *e);

/* s of an entry */
static inline double rest_at(const crs_cp_point *p, ptrdiff_t j, double m, double e)
{
    return p->mask && !p->mask[j] ? 0 : p->tensor[j] - m - e;
}

/* Blocks X_1..X_d, E, Z, B and the constraint, in the scales of certificate.h; c->block has
 * d + 3 places. Results do not depend on the number of threads. */
void crs_cp_certify(const crs_cp_point *p, crs_cp_room *w, crease_certificate *c);

#endif
