/* SPDX-License-Identifier: MIT
 * cp_claim.h: claims about CP robust PCA at random points, before the two passes of the checker */
#ifndef CREASE_TEST_CP_CLAIM_H
#define CREASE_TEST_CP_CLAIM_H

#include <stdlib.h>

#include "support/test.h"
#include "verify/rpca/cp.h"

typedef struct {
    crease_cp_claim c;
    ptrdiff_t size;
    double *x[CREASE_MAX_ORDER];
    const double *factor[CREASE_MAX_ORDER];
    double *part[CREASE_RPCA_SEEN + 1];
    long reads;
} point;

static inline bool point_read(void *user, crease_rpca_part part, ptrdiff_t row, double *out)
{
    point *p = user;
    p->reads++;
    memcpy(out, p->part[part] + row * p->c.right, (size_t)p->c.right * sizeof *out);
    return true;
}

static inline double *filled(draws *d, ptrdiff_t n, double decades)
{
    double *x = malloc((size_t)n * sizeof *x);
    for (ptrdiff_t j = 0; j < n; j++)
        x[j] = normal(d) * pow(10, decades > 0 ? uniform(d, -decades, decades) : 0);
    return x;
}

static inline long double model_entry(const point *p, ptrdiff_t j, int skip, ptrdiff_t r)
{
    long double product = 1;
    for (int n = p->c.shape.order - 1; n >= 0; j /= p->c.shape.dim[n], n--)
        if (n != skip) product *= p->x[n][j % p->c.shape.dim[n] * p->c.rank + r];
    return product;
}

static inline long double model_at(const point *p, ptrdiff_t j)
{
    long double sum = 0;
    for (ptrdiff_t r = 0; r < p->c.rank; r++) sum += model_entry(p, j, -1, r);
    return sum;
}

/* E is 0 in half of the entries, T missing in a fifth; Z is M up to `away` of it, B what is left.
 * Numbers spread over 10^-decades .. 10^decades. The first modes, up to `split`, are the rows. */
static inline void point_draw(point *p, draws *d, const crease_space *s, int split, double decades,
                              double away)
{
    const ptrdiff_t n = crease_size(s);
    *p = (point){ .size = n };
    p->c = (crease_cp_claim){ .shape = *s, .rank = 3, .penalty = crease_l1(0.5), .alpha = 0.7 };
    p->c.alpha_noise = 1.3, p->c.ridge = 0.01, p->c.left = 1;
    p->c.factor = p->factor, p->c.read = point_read, p->c.user = p;
    for (int k = 0; k < split; k++) p->c.left *= s->dim[k];
    p->c.right = n / p->c.left;
    for (int k = 0; k < s->order; k++)
        p->factor[k] = p->x[k] = filled(d, s->dim[k] * p->c.rank, decades / s->order);
    for (int k = 0; k <= CREASE_RPCA_SEEN; k++) p->part[k] = filled(d, n, decades);
    for (ptrdiff_t j = 0; j < n; j++) {
        double *const *part = p->part;
        const double z = (double)model_at(p, j);
        part[CREASE_RPCA_Z][j] = z + away * part[CREASE_RPCA_Z][j];
        if (uniform(d, 0, 1) < 0.5) part[CREASE_RPCA_SPARSE][j] = 0;
        part[CREASE_RPCA_SEEN][j] = uniform(d, 0, 1) < 0.8;
        part[CREASE_RPCA_B][j] = away * part[CREASE_RPCA_B][j];
        part[CREASE_RPCA_DATA][j] =
            part[CREASE_RPCA_Z][j] + part[CREASE_RPCA_SPARSE][j] + part[CREASE_RPCA_B][j];
        if (part[CREASE_RPCA_SEEN][j] == 0)
            part[CREASE_RPCA_DATA][j] = part[CREASE_RPCA_B][j] = NAN; /* not looked at */
    }
}

static inline void point_free(point *p)
{
    for (int k = 0; k < p->c.shape.order; k++) free(p->x[k]);
    for (int k = 0; k <= CREASE_RPCA_SEEN; k++) free(p->part[k]);
}

/* d + 3 blocks and the constraint, by one of the passes. */
typedef struct {
    int count;
    crs_finding f[CREASE_MAX_ORDER + 4];
    real summing, most;
} findings;

/* By the version of a pass that is so much slower than the fastest. */
static inline findings point_find_by(const point *p, crs_cp_sweep *sweep, int slower)
{
    crs_verifier v = { .p = NULL };
    crs_cp_check k = { .c = &p->c, .slower = slower };
    findings out = { .count = p->c.shape.order + 4 };
    assert_true(crs_cp_prepare(&v, &k) && sweep(&v, &k, NULL));
    crs_cp_unite(&k);
    crs_cp_find(&k, out.f, &out.f[out.count - 1]);
    out.summing = k.summing, out.most = k.most;
    crs_rooms_free(&v);
    return out;
}

static inline findings point_find(const point *p, crs_cp_sweep *sweep)
{
    return point_find_by(p, sweep, 0);
}

#endif
