/* SPDX-License-Identifier: MIT
 * factors: blocks with a spectral regularizer keep the factors of their last prox
 *
 * A prox computes x = U diag(s) V'. Asked for the value or the residual of just that x, the block
 * answers from the factors: one decomposition a step, not three. */
#include "composite/composite.h"
#include "dense/dense.h"

struct crs_factors {
    crs_thin thin;
    double *x; /* whose factors they are */
    bool known;
};

static bool keeps(const crs_composite *c, int i)
{
    return !c->parts.block[i].set && crs_is_kind(crs_reg_of(&c->parts, i), CREASE_KIND_SPECTRAL);
}

bool crs_factors_open(crs_composite *c, int i, crease_error *e)
{
    if (!keeps(c, i)) return true;
    const crease_space *s = &c->parts.space[i];
    if (!c->factors) c->factors = crs_alloc((size_t)c->parts.count, sizeof *c->factors);
    struct crs_factors *f = c->factors ? crs_alloc(1, sizeof *f) : NULL;
    if (!f) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the factors of a block");
    crs_free(c->factors[i]);
    c->factors[i] = f;
    const ptrdiff_t size = crease_size(s);
    f->x = crs_doubles(size + crs_thin_scratch(s->dim[0], s->dim[1]), "the factors of a block", e);
    f->thin.u = f->x ? f->x + size : NULL;
    return f->x;
}

void crs_factors_free(crs_composite *c)
{
    if (c->borrows_factors) return;
    for (int i = 0; c->factors && i < c->parts.count; i++) {
        if (c->factors[i]) crs_free(c->factors[i]->x);
        crs_free(c->factors[i]);
    }
    crs_free(c->factors);
    c->factors = NULL;
}

const crs_thin *crs_factors_of(const crs_composite *c, int i, const double *x)
{
    const struct crs_factors *f = c->factors ? c->factors[i] : NULL;
    const bool same =
        f && f->known && memcmp(f->x, x, (size_t)crs_block_size(c, i) * sizeof *x) == 0;
    return same ? &f->thin : NULL;
}

bool crs_factors_prox(const crs_composite *c, int i, double gamma, const double *v, double *t)
{
    struct crs_factors *f = c->factors ? c->factors[i] : NULL;
    if (!f) return false;
    f->thin.u = f->x + crs_block_size(c, i);
    f->known = crs_spectral_prox(crs_reg_of(&c->parts, i), &c->parts.space[i], gamma, v, t,
                                 &f->thin, c->room);
    copy(crs_block_size(c, i), t, f->x);
    return true;
}
