/* SPDX-License-Identifier: MIT
 * products: gradients of weight T(x_1, ..., x_d), of |Z - X Y'|^2 and of |Z - [[X_1, ..., X_d]]|^2
 *
 * One pass over the entries of the tensor, each adding its share to all gradients. The matrix
 * factorization is the second order case of the last. */
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
            num term = mul(exact(m->weight), exact(m->tensor[j]));
            for (int k = 0; k < s->order; k++)
                if (k != n) term = mul(term, exact(x[m->block[k]][index[k]]));
            num *at = &g[m->block[n]][index[n]];
            *at = add(*at, term);
        }
    return true;
}

/* |Z - [[X_1, ..., X_d]]|^2: Z is block z, or the target when z < 0. */
typedef struct {
    const crease_space *shape;
    ptrdiff_t rank;
    const int *factor;
    int z;
    const double *target;
} fit;

/* prod_{n != skip} X_n[index_n, r] */
static num outer(const fit *t, const double *const *x, const ptrdiff_t *index, ptrdiff_t r,
                 int skip)
{
    num p = exact(1);
    for (int n = 0; n < t->shape->order; n++)
        if (n != skip) p = mul(p, exact(x[t->factor[n]][index[n] * t->rank + r]));
    return p;
}

/* e = sum_r prod_n X_n[i_n, r] - Z; X_n[i_n, r] receives 2 e prod_{k != n} X_k, Z receives -2 e. */
static void add_fit(const fit *t, const double *const *x, num **g)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    const double *z = t->z < 0 ? t->target : x[t->z];
    for (ptrdiff_t j = 0, size = crease_size(t->shape); j < size; j++, step(t->shape, index)) {
        num e = exact(-(real)z[j]);
        for (ptrdiff_t r = 0; r < t->rank; r++) e = add(e, outer(t, x, index, r, -1));
        e = mul(exact(2), e);
        if (t->z >= 0) g[t->z][j] = add(g[t->z][j], neg(e));
        for (int n = 0; n < t->shape->order; n++)
            for (ptrdiff_t r = 0; r < t->rank; r++)
                gather(&g[t->factor[n]][index[n] * t->rank + r], e, outer(t, x, index, r, n));
    }
}

bool crs_cp_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_cp_data *c = f->data;
    (void)v;
    add_fit(&(fit){ &c->shape, c->rank, c->factor, c->z, c->target }, x, g);
    for (int n = 0; n < c->shape.order; n++) /* (ridge/2)|X_n|^2 */
        for (ptrdiff_t j = 0, size = c->shape.dim[n] * c->rank; j < size; j++)
            gather(&g[c->factor[n]][j], exact(c->ridge), exact(x[c->factor[n]][j]));
    return true;
}

bool crs_product_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_factorization_data *m = f->data;
    const crease_space *left = &v->p->space[m->x], *right = &v->p->space[m->y];
    const crease_space shape = crease_matrix(left->dim[0], right->dim[0]);
    const int factor[] = { m->x, m->y };
    add_fit(&(fit){ &shape, left->dim[1], factor, m->z, m->target }, x, g);
    return true;
}
