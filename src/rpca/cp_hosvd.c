/* SPDX-License-Identifier: MIT
 * cp_hosvd: start factors from the singular vectors of the unfoldings
 *
 * De Lathauwer, De Moor, Vandewalle, A multilinear singular value decomposition, 2000. */
#include "rpca/rpca.h"
#include "tensor/tensor.h"

/* Columns beyond the vectors there are stay random. */
static bool by_spectrum(crease_cp_rpca *m, int n, crease_error *e)
{
    const crease_space *s = &m->s.shape;
    const ptrdiff_t length = s->dim[n], rank = m->s.rank;
    double *squares =
        crs_doubles(length + length * length + crs_unfolding_scratch(s, n), "a start", e);
    if (!squares) return false;
    double *vectors = squares + length;
    const bool done = crs_unfolding(s, n, m->tensor, squares, vectors, vectors + length * length);
    for (ptrdiff_t i = 0; done && i < length; i++)
        for (ptrdiff_t r = 0; r < rank && r < length; r++)
            m->start[n][i * rank + r] = vectors[r * length + i];
    crs_free(squares);
    return done || crs_fail(e, CREASE_NUMERICAL_FAILURE,
                            "the singular vectors of mode %d did not converge; rescale the tensor "
                            "or start at random",
                            n + 1);
}

/* T_(n) M_n with random factors */
static bool by_sketch(crease_cp_rpca *m, int n, crease_error *e)
{
    crs_kruskal k = { .shape = m->s.shape, .rank = m->s.rank };
    double *work = crs_doubles(crs_kruskal_scratch(&k.shape, k.rank), "a start", e);
    if (!work) return false;
    for (int j = 0; j < k.shape.order; j++) k.factor[j] = m->start[j];
    double *out = m->start[n];
    fill(k.shape.dim[n] * k.rank, 0, out);
    crs_mttkrp(&k, n, 1, m->tensor, out, work);
    const double norm = crs_norm(k.shape.dim[n] * k.rank, out);
    for (ptrdiff_t j = 0; norm > 0 && j < k.shape.dim[n] * k.rank; j++)
        out[j] *= sqrt((double)k.rank) / norm;
    crs_free(work);
    return true;
}

bool crs_cp_hosvd(crease_cp_rpca *m, crease_error *e)
{
    for (int n = 0; n < m->s.shape.order; n++)
        if (!crs_unfolding_fits(&m->s.shape, n) && !by_sketch(m, n, e)) return false;
    for (int n = 0; n < m->s.shape.order; n++)
        if (crs_unfolding_fits(&m->s.shape, n) && !by_spectrum(m, n, e)) return false;
    return true;
}
