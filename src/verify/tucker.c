/* SPDX-License-Identifier: MIT
 * tucker: the gradient of |Z - C x_1 X_1 ... x_d X_d|^2
 *
 * With E = C x_1 X_1 ... x_d X_d - Z: -2E in Z, 2 E x_1 X_1' ... x_d X_d' in C, and in X_n the
 * products of E with C x_{k != n} X_k over all indices but the n-th. */
#include "verify/verify.h"

typedef struct {
    crease_space shape;
    num *a; /* NULL: out of memory */
} tensor;

static const crease_tucker_data *data_of(const crease_smooth *f) { return f->data; }

/* How far apart two neighbours along mode n lie. */
static ptrdiff_t stride(const crease_space *s, int n)
{
    ptrdiff_t inner = 1;
    for (int k = n + 1; k < s->order; k++) inner *= s->dim[k];
    return inner;
}

static tensor copy_of(crs_verifier *v, const crease_space *shape, const double *a)
{
    const tensor t = { *shape, crs_nums(v, crease_size(shape)) };
    for (ptrdiff_t j = 0, n = crease_size(shape); t.a && j < n; j++) t.a[j] = exact(a[j]);
    return t;
}

/* t x_n X, or t x_n X' with `transposed`; X is rows x columns. */
static tensor times_matrix(crs_verifier *v, const tensor *t, int n, const double *X, ptrdiff_t rows,
                           ptrdiff_t columns, bool transposed)
{
    const ptrdiff_t length = t->shape.dim[n], inner = stride(&t->shape, n);
    tensor out = { t->shape, NULL };
    out.shape.dim[n] = transposed ? columns : rows;
    if (!crease_space_check(&out.shape, NULL)) v->no_memory = true; /* between two that fit */
    if (!t->a || v->no_memory) return out;
    const ptrdiff_t size = crease_size(&out.shape), newlength = out.shape.dim[n];
    out.a = crs_nums(v, size);
    for (ptrdiff_t j = 0; out.a && j < size; j++) {
        const ptrdiff_t rest = j % inner, at = j / inner % newlength, o = j / inner / newlength;
        for (ptrdiff_t k = 0; k < length; k++)
            gather(&out.a[j], exact(X[transposed ? k * columns + at : at * columns + k]),
                   t->a[(o * length + k) * inner + rest]);
    }
    return out;
}

/* t x_k X_k over all k but `skip` */
static tensor times_all(crs_verifier *v, const crease_smooth *f, const double *const *x, tensor t,
                        int skip, bool transposed)
{
    const crease_tucker_data *c = data_of(f);
    for (int k = 0; k < c->shape.order; k++)
        if (k != skip)
            t = times_matrix(v, &t, k, x[c->factor[k]], c->shape.dim[k], c->core_shape.dim[k],
                             transposed);
    return t;
}

/* g[i, r] += 2 sum over the other indices of E[.. i ..] B[.. r ..] */
static void contract(const tensor *E, const tensor *B, int n, num *g)
{
    const ptrdiff_t rows = E->shape.dim[n], columns = B->shape.dim[n];
    const ptrdiff_t inner = stride(&E->shape, n), size = crease_size(&E->shape);
    for (ptrdiff_t j = 0; j < size; j++) {
        const ptrdiff_t rest = j % inner, i = j / inner % rows, o = j / inner / rows;
        const num e = mul(exact(2), E->a[j]);
        for (ptrdiff_t r = 0; r < columns; r++)
            gather(&g[i * columns + r], e, B->a[(o * columns + r) * inner + rest]);
    }
}

bool crs_tucker_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_tucker_data *c = data_of(f);
    const double *z = c->z < 0 ? c->target : x[c->z];
    const tensor core = copy_of(v, &c->core_shape, x[c->core]);
    const tensor E = times_all(v, f, x, core, -1, false);
    if (v->no_memory) return false;
    for (ptrdiff_t j = 0, size = crease_size(&c->shape); j < size; j++) {
        E.a[j] = add(E.a[j], exact(-(real)z[j]));
        if (c->z >= 0) gather(&g[c->z][j], exact(-2), E.a[j]);
    }
    for (int n = 0; n < c->shape.order; n++) {
        const tensor B = times_all(v, f, x, core, n, false);
        if (!B.a) return false;
        contract(&E, &B, n, g[c->factor[n]]);
    }
    const tensor down = times_all(v, f, x, E, -1, true);
    for (ptrdiff_t j = 0, size = crease_size(&c->core_shape); down.a && j < size; j++)
        gather(&g[c->core][j], exact(2), down.a[j]);
    return down.a != NULL;
}
