/* SPDX-License-Identifier: MIT
 * cp_start: the first iterate: factors, Z and B; a tensor of zeros starts at its solution */
#include "rpca/rpca.h"
#include "rpca/start.h"
#include "tensor/tensor.h"

enum { ROUNDS = 3 }; /* of clipping and completing around the model */

static bool all_zero(const crease_cp_rpca *m)
{
    for (ptrdiff_t j = 0, n = crease_size(&m->s.shape); j < n; j++)
        if (m->tensor[j] != 0) return false;
    return true;
}

static bool given_factors(crease_cp_rpca *m, crease_error *e)
{
    for (int n = 0; n < m->s.shape.order; n++) {
        const ptrdiff_t size = m->s.shape.dim[n] * m->s.rank;
        for (ptrdiff_t j = 0; j < size; j++)
            if (!isfinite(m->s.factor[n][j]))
                return crs_fail(e, CREASE_BAD_DATA,
                                "entry %td of start factor %d is %g; give finite numbers", j + 1,
                                n + 1, m->s.factor[n][j]);
        copy(size, m->s.factor[n], m->start[n]);
    }
    return true;
}

static crs_cp_view view(const crease_cp_rpca *m)
{
    return (crs_cp_view){
        .shape = m->s.shape, .tensor = m->tensor, .mask = m->root, .limit = INFINITY
    };
}

/* Missing entries count as 0 at first, then as the model says. */
static bool by_eigenvectors(crease_cp_rpca *m, crease_error *e)
{
    const crs_cp_view v = view(m);
    const crs_cp_gevd_options o = { .rank = m->s.rank,
                                    .kap = m->s.clip,
                                    .rounds = m->s.clip > 0 || m->root ? ROUNDS : 0,
                                    .seed = m->s.seed };
    return crs_cp_gevd_robust(&v, &o, m->start, NULL, e);
}

/* T cut at +-clip median|T| */
static double *clipped(const crease_cp_rpca *m, crease_error *e)
{
    const ptrdiff_t size = crease_size(&m->s.shape);
    const crs_cp_view v = view(m);
    double median, *out = crs_doubles(size, "the clipped tensor", e);
    if (!out || !crs_view_median(&v, &median, e)) return crs_free(out), NULL;
    const double limit = median > 0 ? m->s.clip * median : INFINITY;
    for (ptrdiff_t j = 0; j < size; j++) out[j] = clip(m->tensor[j], -limit, limit);
    return out;
}

static bool by_least_squares(crease_cp_rpca *m, crease_error *e)
{
    double *whole = m->tensor, *cut = m->s.clip > 0 ? clipped(m, e) : NULL;
    if (m->s.clip > 0 && !cut) return false;
    if (cut) m->tensor = cut;
    const bool done =
        crs_cp_hosvd(m, e) && crs_cp_als(m, m->s.start == CREASE_START_HOSVD ? 1 : m->s.sweeps, e);
    m->tensor = whole;
    crs_free(cut);
    return done;
}

static bool made_factors(crease_cp_rpca *m, crease_error *e)
{
    for (int n = 0; n < m->s.shape.order; n++)
        crs_normals(m->s.seed, (uint64_t)(CRS_STREAM_START + n), m->s.shape.dim[n] * m->s.rank,
                    m->start[n]);
    if (m->s.start == CREASE_START_RANDOM) return true;
    if (m->s.start == CREASE_START_GEVD) return by_eigenvectors(m, e);
    return by_least_squares(m, e);
}

/* W o T + (1 - W) o [[X]], ones or N(0,1) */
bool crs_cp_start_z(const crease_cp_rpca *m, double *z, crease_error *e)
{
    const crease_space *s = &m->s.shape;
    const ptrdiff_t size = crease_size(s);
    if (m->s.z == CREASE_Z_ONES) return fill(size, 1, z), true;
    if (m->s.z == CREASE_Z_NORMAL) return crs_normals(m->s.seed, CRS_STREAM_Z, size, z), true;
    if (m->root && !crease_cp_lowrank(s, m->s.rank, (const double *const *)m->start, z, e))
        return false;
    for (ptrdiff_t j = 0; j < size; j++)
        if (crs_cp_observed(m, j)) z[j] = m->tensor[j];
    return true;
}

bool crs_cp_start_factors(crease_cp_rpca *m, crease_error *e)
{
    const int d = m->s.shape.order;
    if (all_zero(m) && !m->s.factor) return true;
    for (int n = 0; n < d; n++) {
        m->start[n] = crs_doubles(m->s.shape.dim[n] * m->s.rank, "a start factor", e);
        if (!m->start[n]) return false;
    }
    if (!(m->s.factor ? given_factors(m, e) : made_factors(m, e))) return false;
    for (int n = 0; m->s.nonneg && n < d; n++)
        for (ptrdiff_t j = 0; j < m->s.shape.dim[n] * m->s.rank; j++)
            m->start[n][j] = fabs(m->start[n][j]);
    return true;
}

bool crs_cp_take_start(crease_cp_rpca *m, crease_error *e)
{
    const int d = m->s.shape.order, Z = d + 1, B = d + 2;
    const ptrdiff_t size = crease_size(&m->s.shape);
    if (!crs_cp_start_factors(m, e)) return false;
    if (!m->start[0]) return true;
    m->start[Z] = crs_doubles(size, "the start of Z", e);
    if (!m->start[Z] || !crs_cp_start_z(m, m->start[Z], e)) return false;
    if (!m->root || m->s.unconstrained || m->s.z != CREASE_Z_DATA) return true;
    m->start[B] = crs_doubles(size, "the start of B", e); /* Z + B = T */
    for (ptrdiff_t j = 0; m->start[B] && j < size; j++)
        m->start[B][j] = m->tensor[j] - m->start[Z][j];
    return m->start[B] != NULL;
}
