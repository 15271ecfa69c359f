/* SPDX-License-Identifier: MIT
 * tucker_parts: the parts of the tensor at a point of the problem, and what building them takes */
#include "rpca/tucker/tucker_rpca.h"

int crease_tucker_rpca_sparse(const crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->facts.used.form;
    return form == CREASE_RPCA_TUCKER ? m->facts.used.shape.order + 1
           : form == CREASE_RPCA_BALL ? 2
                                      : 1;
}

int crease_tucker_rpca_noise(const crease_tucker_rpca *m)
{
    const crease_rpca_kind form = m->facts.used.form;
    return form == CREASE_RPCA_TUCKER ? m->facts.used.shape.order + 3
           : form == CREASE_RPCA_BALL ? 3
                                      : -1;
}

static bool tucker_part(const crease_tucker_rpca *m, const double *const *x, double *out,
                        crease_error *e)
{
    const crease_tucker_rpca_settings *s = &m->facts.used;
    crs_tucker k = { .shape = s->shape, .ranks = s->ranks, .core = x[s->shape.order] };
    double *work = crs_doubles(crs_tucker_scratch(&s->shape, &s->ranks), "the low-rank part", e);
    if (!work) return false;
    for (int n = 0; n < s->shape.order; n++) k.factor[n] = x[n];
    fill(crease_size(&s->shape), 0, out);
    crs_tucker_reconstruct(&k, 1, out, work);
    crs_free(work);
    return true;
}

bool crease_tucker_rpca_lowrank(const crease_tucker_rpca *m, const double *const *x, double *out,
                                crease_error *e)
{
    const crease_space *s = &m->facts.used.shape;
    if (m->facts.used.form == CREASE_RPCA_TUCKER) return tucker_part(m, x, out, e);
    if (m->facts.used.form == CREASE_RPCA_PCP) return copy(crease_size(s), x[0], out), true;
    crs_gemm(false, true, s->dim[0], s->dim[1], m->facts.used.ranks.dim[0], 1, x[0], x[1], 0, out);
    return true;
}

/* T, W twice, the tensors among the blocks, the multiplier; then the fit. */
ptrdiff_t crease_tucker_rpca_size(const crease_tucker_rpca_settings *s)
{
    const bool convex = s->form == CREASE_RPCA_PCP, partial = s->missing || s->mask;
    const ptrdiff_t tensors = 2 + 2 * partial + (convex ? 2 : 3), n = crease_size(&s->shape);
    const crs_tucker_settings c = { .shape = s->shape,
                                    .ranks = s->ranks,
                                    .alpha_noise = s->alpha_noise,
                                    .threads = s->threads > 0 ? s->threads : 1 };
    const ptrdiff_t fit = convex ? 0 : crs_tucker_fit_bytes(&c, NULL);
    ptrdiff_t all;
    if (fit < 0 || !crs_mul_size(tensors, n, &all) ||
        !crs_add_size(all, 2 * fit / (ptrdiff_t)sizeof(double), &all))
        return -1;
    return all;
}
