/* SPDX-License-Identifier: MIT
 * products: gradients of weight T(x_1, ..., x_d) and of |Z - [[X_1, ..., X_d]]|^2
 *
 * One pass over the entries of the tensor, each adding its share to the gradients. */
#include "verify/verify.h"

/* Counts through a tensor, the last index fastest. */
static void step(const crease_space *s, ptrdiff_t *index)
{
    for (int n = s->order; n-- > 0;) {
        if (++index[n] < s->dim[n]) return;
        index[n] = 0;
    }
}

bool crs_multilinear_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x,
                              num **g)
{
    const crease_multilinear_data *m = f->data;
    const crease_space *s = &m->shape;
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    (void)v;
    for (ptrdiff_t j = 0, size = crease_size(s); j < size; j++, step(s, index))
        for (int n = 0; n < s->order; n++) {
            if (!g[m->block[n]]) continue;
            num term = mul(exact(m->weight), exact(m->tensor[j]));
            for (int k = 0; k < s->order; k++)
                if (k != n) term = mul(term, exact(x[m->block[k]][index[k]]));
            num *at = &g[m->block[n]][index[n]];
            *at = add(*at, term);
        }
    return true;
}

/* prod_{n != skip} X_n[index_n, r] */
static num outer(const crease_cp_data *c, const double *const *x, const ptrdiff_t *index,
                 ptrdiff_t r, int skip)
{
    num p = exact(1);
    for (int n = 0; n < c->shape.order; n++)
        if (n != skip) p = mul(p, exact(x[c->factor[n]][index[n] * c->rank + r]));
    return p;
}

/* e = sum_r prod_n X_n[i_n, r] - Z; X_n[i_n, r] receives 2 e prod_{k != n} X_k, Z receives -2 e. */
static void add_fit(const crease_cp_data *c, const double *const *x, num **g)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    const double *z = c->z < 0 ? c->target : x[c->z];
    for (ptrdiff_t j = 0, size = crease_size(&c->shape); j < size; j++, step(&c->shape, index)) {
        num e = exact(-(real)z[j]);
        for (ptrdiff_t r = 0; r < c->rank; r++) e = add(e, outer(c, x, index, r, -1));
        e = mul(exact(2), e);
        if (c->z >= 0 && g[c->z]) g[c->z][j] = add(g[c->z][j], neg(e));
        for (int n = 0; n < c->shape.order; n++)
            for (ptrdiff_t r = 0; g[c->factor[n]] && r < c->rank; r++)
                gather(&g[c->factor[n]][index[n] * c->rank + r], e, outer(c, x, index, r, n));
    }
}

bool crs_cp_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_cp_data *c = f->data;
    bool wanted = c->z >= 0 && g[c->z];
    (void)v;
    for (int n = 0; n < c->shape.order; n++) { /* (ridge/2)|X_n|^2 */
        num *to = g[c->factor[n]];
        wanted = wanted || to;
        for (ptrdiff_t j = 0, size = c->shape.dim[n] * c->rank; to && j < size; j++)
            gather(&to[j], exact(c->ridge), exact(x[c->factor[n]][j]));
    }
    if (wanted) add_fit(c, x, g);
    return true;
}
