/* SPDX-License-Identifier: MIT
 * tucker: |Z - C x_1 X_1 ... x_d X_d|^2, quadratic in each block
 *
 * With W_n the transposed mode-n unfolding of C x_{j != n} X_j: the gradients are
 * 2(X_n W_n'W_n - Z_(n) W_n), 2(C x_n X_n'X_n - Z x_n X_n') and 2(Z - C x_n X_n); the block steps
 * are X_n = (2 Z_(n) W_n + h V)(2 W_n'W_n + h I)^{-1}, Z = (2 C x_n X_n + h V)/(2 + h), and
 * tucker_core.c. For h = 0 and a singular matrix the inverse is the pseudo-inverse.
 * De Lathauwer, De Moor, Vandewalle, A multilinear singular value decomposition, 2000. */
#include <limits.h>

#include "smooth/tucker.h"

static crs_fit fit_of(const crease_smooth *f)
{
    const crease_tucker_data *c = f->data;
    crs_fit t = { c->shape.order + 1, { 0 }, c->z, &c->shape, c->target };
    for (int n = 0; n < c->shape.order; n++) t.block[n] = c->factor[n];
    t.block[c->shape.order] = c->core;
    return t;
}

static crs_tucker tucker_of(const crease_smooth *f, const double *const *x)
{
    const crease_tucker_data *c = f->data;
    crs_tucker k = { .shape = c->shape, .ranks = c->core_shape, .core = x[c->core] };
    for (int n = 0; n < c->shape.order; n++) k.factor[n] = x[c->factor[n]];
    return k;
}

static bool check_core(const char *name, const crease_tucker_data *c, crease_error *e)
{
    if (!crs_check_shape(name, &c->shape, e) || !crs_check_shape(name, &c->core_shape, e))
        return false;
    if (c->core_shape.order != c->shape.order)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s: the core has %d dimensions and the tensor %d; they must agree", name,
                        c->core_shape.order, c->shape.order);
    for (int n = 0; n < c->core_shape.order; n++)
        if (c->core_shape.dim[n] > CRS_MOST_RANK)
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "%s: dimension %d of the core is %td; give 1 to %d", name, n + 1,
                            c->core_shape.dim[n], CRS_MOST_RANK);
    if (crs_right(&c->shape, 0) > INT_MAX || crs_right(&c->core_shape, 0) > INT_MAX)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s: a slice of the first dimension has more than %d entries, which BLAS "
                        "cannot take; put a larger dimension first",
                        name, INT_MAX);
    return true;
}

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_tucker_data *c = f->data;
    const char *name = f->ops->name;
    const int d = c->shape.order;
    crs_part part[CREASE_MAX_ORDER + 2];
    if (!check_core(name, c, e)) return false;
    for (int n = 0; n < d; n++)
        part[n] = (crs_part){ "factor", n + 1, c->factor[n],
                              crease_matrix(c->shape.dim[n], c->core_shape.dim[n]) };
    part[d] = (crs_part){ "core", 0, c->core, c->core_shape };
    part[d + 1] = (crs_part){ "Z", 0, c->z, c->shape };
    return crs_check_parts(name, b, d + 1 + (c->z >= 0), part, e) &&
           (c->z >= 0 || crs_check_tensor(name, &c->shape, c->target, e));
}

static ptrdiff_t scratch(const crease_smooth *f, const crease_blocks *b)
{
    const crease_tucker_data *c = f->data;
    const ptrdiff_t core = crease_size(&c->core_shape);
    ptrdiff_t gram = core, solve = 0;
    (void)b;
    for (int n = 0; n < c->shape.order; n++) {
        const ptrdiff_t dim = c->shape.dim[n], rank = c->core_shape.dim[n];
        gram = more(gram, rank * rank);
        solve = more(solve, more(crs_ballquad_scratch(dim, rank), crs_lambda_scratch(rank)));
    }
    return gram + more(solve, crs_tucker_core_scratch(&c->shape, &c->core_shape));
}

static bool touches(const crease_smooth *f, int i)
{
    const crs_fit t = fit_of(f);
    return crs_fit_role(&t, i) >= 0;
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crs_fit t = fit_of(f);
    const crs_tucker k = tucker_of(f, x);
    (void)b;
    return crs_tucker_distance2(&k, crs_fit_tensor(&t, x), work);
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crs_fit t = fit_of(f);
    const crs_tucker k = tucker_of(f, x);
    const int n = crs_fit_role(&t, i), d = k.shape.order;
    const double *z = crs_fit_tensor(&t, x);
    const ptrdiff_t size = n < 0 ? 0 : crease_size(b->space + i);
    if (n == d + 1) {
        axpy(size, 2, x[i], g);
        crs_tucker_reconstruct(&k, -2, g, work);
    } else if (n == d) {
        crs_tucker_gram_core(&k, -1, work, work + size);
        axpy(size, 2, work, g);
        crs_tucker_project(&k, -1, z, work, work + size);
        axpy(size, -2, work, g);
    } else if (n >= 0) {
        const ptrdiff_t rank = k.ranks.dim[n];
        crs_tucker_gram(&k, n, 2, work, work + rank * rank);
        crs_gemm(false, false, k.shape.dim[n], rank, rank, 1, x[i], work, 1, g);
        crs_tucker_unfolded(&k, n, -2, z, g, work);
    }
}

static bool constants(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e)
{
    const crs_fit t = fit_of(f);
    return crs_fit_constants(&t, b, last, out, block, e);
}

/* |W_n'W_n - computed|_F <= 2^-52 (sum (I_j + R_j) + |C|'s size) |C|^2 prod |X_j|^2. */
static double curvature(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *work)
{
    const crs_fit t = fit_of(f);
    const crs_tucker k = tucker_of(f, x);
    const int n = crs_fit_role(&t, i), d = k.shape.order;
    if (n < 0 || n == d + 1) return n < 0 ? 0 : 2;
    if (n == d) return 2 * crs_tucker_core_curvature(&k, work);
    const ptrdiff_t core = crease_size(&k.ranks), rank = k.ranks.dim[n];
    double bound = square(crs_norm(core, k.core)), terms = (double)core;
    (void)b;
    for (int j = 0; j < d; j++) {
        terms += (double)(k.shape.dim[j] + k.ranks.dim[j]);
        if (j != n) bound *= square(crs_norm(k.shape.dim[j] * k.ranks.dim[j], k.factor[j]));
    }
    crs_tucker_gram(&k, n, 2, work, work + rank * rank);
    return crs_lambda_high(rank, work, 2 * 0x1p-52 * terms * bound, work + rank * rank);
}

static bool argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                   double h, const double *v, double radius, double *y, double *work)
{
    const crs_fit t = fit_of(f);
    const int n = crs_fit_role(&t, i), d = t.count - 1;
    if (n < 0 || !y) return n >= 0;
    const crs_tucker k = tucker_of(f, x);
    const double *z = crs_fit_tensor(&t, x);
    const ptrdiff_t size = crease_size(b->space + i);
    if (n == d + 1) {
        crs_fit_start(size, h / (2 + h), v, y);
        crs_tucker_reconstruct(&k, 2 / (2 + h), y, work);
        crs_into_ball(size, radius, y, y);
    } else if (n == d) {
        crs_tucker_core_argmin(&k, z, h, v, radius, y, work);
    } else {
        const ptrdiff_t rank = k.ranks.dim[n];
        crs_fit_start(size, h, v, y);
        crs_tucker_unfolded(&k, n, 2, z, y, work);
        crs_tucker_gram(&k, n, 2, work, work + rank * rank);
        crs_ballquad(k.shape.dim[n], rank, work, h, radius, y, work + rank * rank);
    }
    return true;
}

const crease_smooth_ops crs_tucker_ops = {
    .name = "tucker",
    .formula = "|Z - C x_1 X_1 ... x_d X_d|^2",
    .data_text =
        "factors [blocks X_n (I_n x R_n)], core (the block C), Z: z (a block) or target (an array)",
    .check = check,
    .scratch = scratch,
    .touches = touches,
    .value = value,
    .grad = grad,
    .constants = constants,
    .curvature = curvature,
    .argmin = argmin,
};

crease_smooth crease_tucker(const crease_tucker_data *c)
{
    return (crease_smooth){ .ops = &crs_tucker_ops, .data = c };
}
