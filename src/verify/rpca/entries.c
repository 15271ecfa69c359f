/* SPDX-License-Identifier: MIT
 * entries: the pass of cp.h over the observed entries of CP robust PCA, in long double
 *
 *   s = T - E - M,  Lambda = 2c s,  D = M - Z = -c s,  c = alpha_N/(1 + alpha_N), where observed;
 *   E = s = 0 and Z = -B = M elsewhere.
 *
 * The sums over all entries follow: |M|^2 from the Gram matrices of the factors, and
 * |Z|^2 = |M|^2 + 2c M.s + c^2 |s|^2,  |B|^2 = |s|^2/(1 + alpha_N)^2 + |M|^2 - |M|^2 where
 * observed. M of an entry is off by (rank + 3 + 2d) u times the sum of its terms' sizes: their norm
 * over the entries stands in rows_length. */
#include "verify/rpca/cp.h"

/* What an entry adds, and what all have added. */
typedef struct {
    real c, low, high, observed, cross, length;
} entries_pass;

/* M and the sum of the sizes of its terms */
static real model_at(const crease_cp_claim *c, const ptrdiff_t *at, real *size)
{
    real sum = 0;
    *size = 0;
    for (ptrdiff_t r = 0; r < c->rank; r++) {
        real product = 1;
        for (int n = 0; n < c->shape.order; n++) product *= c->factor[n][at[n] * c->rank + r];
        sum += product;
        *size += fabsl(product);
    }
    return sum;
}

/* D times the rows of the other factors, into every mode */
static void spread(crs_cp_check *k, const ptrdiff_t *at, real D)
{
    const crease_cp_claim *c = k->c;
    for (int n = 0; n < c->shape.order; n++)
        for (ptrdiff_t r = 0; r < c->rank; r++) {
            real product = D;
            for (int m = 0; m < c->shape.order; m++)
                if (m != n) product *= c->factor[m][at[m] * c->rank + r];
            k->listed[n][at[n] * c->rank + r] += product;
        }
}

/* dist(Lambda, alpha dR(E)) */
static real distance(crs_cp_check *k, const entries_pass *p, real e, real lambda)
{
    const crs_known_reg *reg = &k->reg;
    if (e == 0) return (lambda < p->low ? p->low : lambda > p->high ? p->high : lambda) - lambda;
    const crs_slopes s = crs_slopes_at(reg, 0, e, reg->low, reg->high, 0);
    k->sum[CRS_SLOPES] += s.size * s.size;
    return crs_nearest_slope(&s, lambda) - lambda;
}

static real penalty(const crs_known_reg *reg, real x)
{
    return x == 0 ? 0 : reg->factor * reg->rule->value(reg->par, fabsl(x));
}

static void add_entry(crs_cp_check *k, entries_pass *p, const ptrdiff_t *at, const double te[2])
{
    const real t = te[0], e = te[1];
    real size;
    const real m = model_at(k->c, at, &size), s = t - e - m, lambda = 2 * p->c * s;
    const real off = distance(k, p, e, lambda);
    k->sum[CRS_DIST] += off * off;
    k->sum[CRS_LAMBDA] += lambda * lambda;
    k->sum[CRS_GAP] += p->c * s * p->c * s;
    k->sum[CRS_E] += e * e;
    k->sum[CRS_T] += t * t;
    k->sum[CRS_PENALTY] += penalty(&k->reg, e);
    k->sum[CRS_ALONE] += penalty(&k->reg, t);
    p->observed += m * m;
    p->cross += m * s;
    p->length += size * size;
    spread(k, at, -p->c * s);
}

/* |M|^2 over all entries */
static real model_squares(const crs_cp_check *k)
{
    const crease_cp_claim *c = k->c;
    real all = 0;
    for (ptrdiff_t p = 0; p < c->rank * c->rank; p++) {
        real product = 1;
        for (int n = 0; n < c->shape.order; n++) {
            real dot = 0;
            for (ptrdiff_t i = 0; i < c->shape.dim[n]; i++)
                dot += (real)c->factor[n][i * c->rank + p / c->rank] *
                       c->factor[n][i * c->rank + p % c->rank];
            product *= dot;
        }
        all += product;
    }
    return positive(all);
}

static void begin(crs_cp_check *k, entries_pass *p)
{
    const crease_cp_claim *c = k->c;
    const crs_slopes zero = crs_slopes_at(&k->reg, 0, 0, k->reg.low, k->reg.high, 0);
    const real an = c->alpha_noise;
    *p = (entries_pass){ .c = an / (1 + an), .low = zero.low, .high = zero.high };
    k->unit = LDBL_EPSILON / 2;
    k->summing = (real)(k->list->count + 8) * k->unit + working_roundings(0);
    k->tiny = 0;
    for (int s = 0; s < CRS_CP_SUMS; s++) k->sum[s] = 0;
    for (int n = 0; n < c->shape.order; n++)
        for (ptrdiff_t j = 0; j < c->shape.dim[n] * c->rank; j++) k->listed[n][j] = 0;
}

/* In bounds, so that nothing else is read? */
static bool inside(const crease_space *s, const ptrdiff_t *at)
{
    bool good = true;
    for (int n = 0; n < s->order; n++) good = good && at[n] >= 0 && at[n] < s->dim[n];
    return good;
}

bool crs_cp_sweep_entries(crs_verifier *v, crs_cp_check *k, crease_error *e)
{
    const real an = k->c->alpha_noise;
    entries_pass p;
    begin(k, &p);
    for (ptrdiff_t j = 0; j < k->list->count; j++) {
        ptrdiff_t at[CREASE_MAX_ORDER] = { 0 };
        double te[2] = { 0, 0 };
        if ((j & 0x3fff) == 0 && !crs_in_time(v)) return false;
        k->list->entry(k->list->user, j, at, &te[0], &te[1]);
        if (!inside(&k->c->shape, at))
            return crs_fail(e, CREASE_BAD_SHAPE, "entry %td is outside the shape", j + 1);
        add_entry(k, &p, at, te);
    }
    const real rest = k->sum[CRS_LAMBDA] / (4 * p.c * p.c), all = model_squares(k);
    k->sum[CRS_M] = all;
    k->sum[CRS_Z] = positive(all + 2 * p.c * p.cross + p.c * p.c * rest);
    k->sum[CRS_B] = rest / ((1 + an) * (1 + an)) + positive(all - p.observed);
    k->rows_length = sqrtl(p.length);
    k->columns_length = 1;
    return true;
}
