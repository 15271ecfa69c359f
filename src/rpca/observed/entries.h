/* SPDX-License-Identifier: MIT
 * entries.h: data of which the observed entries alone are held: starts, what a certificate adds up,
 * and the parts of an answer, entry by entry */
#ifndef CRS_OBSERVED_ENTRIES_H
#define CRS_OBSERVED_ENTRIES_H

#include "rpca/rpca.h"
#include "rpca/start.h"

/* An observed entry at a point: M and E there, s = T - M - E. */
typedef struct {
    ptrdiff_t place; /* in row order */
    double t, m, e, s;
} crs_listed_entry;

typedef void crs_listed_visit(void *self, const crs_listed_entry *x);
/* All of them, in the order of the list, with t, M and E times 2^power. */
void crs_listed_each(const crs_cp_point *p, int power, crs_listed_visit *visit, void *self);

/* Sums over the observed entries: s^2, dist(2c s, alpha rho'(e))^2, alpha rho(e), m^2, m s, e^2,
 * t^2; and S_(n) M_n of every mode. */
typedef struct {
    double rest, dist, penalty, model, cross, sparse, data;
} crs_listed_sums;
void crs_listed_judge(const crs_cp_point *p, crs_listed_sums *sums, double *const *product);

/* sum t^2 and sum alpha rho(t) */
void crs_listed_alone(const crs_coordinates *t, const crs_penalty_value *rho, double out[2]);

/* Rows of a part, where nothing was observed as crease_rpca_read says; in O(rows + observed). */
typedef struct {
    crease_rpca_part part;
    ptrdiff_t first, count; /* entries in row order */
} crs_listed_rows_of;
void crs_listed_read(const crs_cp_point *p, const crs_listed_rows_of *rows, double *out);

/* An even sample of them. */
bool crs_listed_sample(const crs_coordinates *t, ptrdiff_t most, crs_cp_sample *s, crease_error *e);

/* The leading directions of a matrix, the terms of a tensor as they stand out, or Gaussian factors
 * where nothing does; then sweeps of least squares over one factor at a time, on entries clipped
 * around the model so far; each row with the ridge, or with a share of its own that falls. */
typedef struct {
    ptrdiff_t rank;
    double ridge; /* of squares without a factor */
    uint64_t seed;
    bool nonneg;   /* the sizes of the entries in the end */
    bool gaussian; /* of a tensor, too */
} crs_listed_sweeps;
bool crs_listed_start(const crs_cp_view *v, const crs_listed_sweeps *o, double *const *factor,
                      crease_error *e);

/* Bands of rows of so many entries, for sums of each into so many indices: so few that the memory
 * of the sums is a share of that of the entries. */
static inline ptrdiff_t crs_listed_bands(ptrdiff_t count, ptrdiff_t indices, ptrdiff_t most)
{
    enum { EACH = 32 }; /* entries of a band for each index */
    return more(1, fewer(most, count / (EACH * indices)));
}

/* Rows of entries, each with an index of one mode, read as clipped at a limit */
typedef struct {
    ptrdiff_t rows, indices;
    ptrdiff_t *start; /* of each row, and the end */
    uint32_t *index;
    double *value, limit;
} crs_listed_fibres;

/* Leading directions of the indices, orthonormal columns of q, and the sizes of their eigenvalues
 * in A'A without its diagonal, A the rows. */
typedef struct {
    ptrdiff_t columns;
    double *q, *value; /* indices x columns; columns */
} crs_listed_spectrum;
bool crs_listed_directions(const crs_cp_view *v, const crs_listed_fibres *f, uint64_t seed,
                           const crs_listed_spectrum *to, crease_error *e);

/* Terms of what a tensor leaves beside the view's model: as many as stand out, at least so many, of
 * those that are wanted. Columns of factors of `found` columns, the same norm in every mode. */
typedef struct {
    ptrdiff_t wanted, least;
    uint64_t seed;
    ptrdiff_t found; /* out */
    bool clear;      /* out: something stands out */
} crs_listed_search;
bool crs_listed_terms(const crs_cp_view *v, crs_listed_search *o, double *const *factor,
                      crease_error *e);

/* The noise's robust deviation at these factors, by what each entry of a sample leaves when its row
 * of the longest mode is fitted without it: r/(1 - a'(A'A + ridge I)^{-1} a). NaN: not known. */
bool crs_listed_noise(const crs_cp_view *v, const crs_listed_sweeps *o, const double *const *factor,
                      double *deviation, crease_error *e);

#endif
