/* SPDX-License-Identifier: MIT
 * cp: |Z - [[X_1, ..., X_d]]|^2 + (nu/2) sum_n |X_n|^2, quadratic in each block
 *
 * With M_n the Khatri-Rao product of the factors but X_n and G_n = M_n'M_n: the gradients are
 * 2(X_n G_n - Z_(n) M_n) + nu X_n and 2(Z - [[X]]); the block steps are
 * X_n = (2 Z_(n) M_n + h V)(2 G_n + (nu + h) I)^{-1} and Z = (2 [[X]] + h V)/(2 + h). For
 * nu + h = 0 and a singular G_n the inverse is the pseudo-inverse.
 * Kolda, Bader, Tensor decompositions and applications, 2009. */
#include "smooth/fit.h"

static crs_fit fit_of(const crease_smooth *f)
{
    const crease_cp_data *c = f->data;
    crs_fit t = { c->shape.order, { 0 }, c->z, &c->shape, c->target };
    for (int n = 0; n < t.count; n++) t.block[n] = c->factor[n];
    return t;
}

static crs_kruskal kruskal_of(const crease_smooth *f, const double *const *x)
{
    const crease_cp_data *c = f->data;
    crs_kruskal k = { .shape = c->shape, .rank = c->rank };
    for (int n = 0; n < c->shape.order; n++) k.factor[n] = x[c->factor[n]];
    return k;
}

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_cp_data *c = f->data;
    const char *name = f->ops->name;
    crs_part part[CRS_MAX_ARGUMENTS];
    if (!crs_check_shape(name, &c->shape, e)) return false;
    if (c->rank < 1 || c->rank > CRS_MOST_RANK)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%s: the rank is %td; give 1 to %d", name, c->rank,
                        CRS_MOST_RANK);
    if (!(c->ridge >= 0 && c->ridge < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%s: the ridge is %g; give a number >= 0", name,
                        c->ridge);
    for (int n = 0; n < c->shape.order; n++)
        part[n] =
            (crs_part){ "factor", n + 1, c->factor[n], crease_matrix(c->shape.dim[n], c->rank) };
    part[c->shape.order] = (crs_part){ "Z", 0, c->z, c->shape };
    return crs_check_parts(name, b, c->shape.order + (c->z >= 0), part, e) &&
           (c->z >= 0 || crs_check_tensor(name, &c->shape, c->target, e));
}

static ptrdiff_t scratch(const crease_smooth *f, const crease_blocks *b)
{
    const crease_cp_data *c = f->data;
    ptrdiff_t rows = 0;
    (void)b;
    for (int n = 0; n < c->shape.order; n++) rows = more(rows, c->shape.dim[n]);
    const ptrdiff_t small = more(crs_ballquad_scratch(rows, c->rank), crs_lambda_scratch(c->rank));
    return 2 * c->rank * c->rank + more(crs_kruskal_scratch(&c->shape, c->rank), small);
}

static bool touches(const crease_smooth *f, int i)
{
    const crs_fit t = fit_of(f);
    return crs_fit_role(&t, i) >= 0;
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crease_cp_data *c = f->data;
    const crs_fit t = fit_of(f);
    const crs_kruskal k = kruskal_of(f, x);
    double squares = 0;
    for (int n = 0; n < t.count && c->ridge > 0; n++)
        squares += crease_dot(b->space + t.block[n], x[t.block[n]], x[t.block[n]]);
    return crs_kruskal_distance2(&k, crs_fit_tensor(&t, x), work) + c->ridge / 2 * squares;
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crs_fit t = fit_of(f);
    const crs_kruskal k = kruskal_of(f, x);
    const int n = crs_fit_role(&t, i);
    const double ridge = ((const crease_cp_data *)f->data)->ridge;
    double *gram = work, *rest = work + k.rank * k.rank;
    if (n == t.count) {
        axpy(crease_size(&k.shape), 2, x[i], g);
        crs_reconstruct(&k, -2, g, work);
    } else if (n >= 0) {
        crs_gram_except(&k, n, gram, rest);
        crs_gemm(false, false, k.shape.dim[n], k.rank, k.rank, 2, x[i], gram, 1, g);
        crs_mttkrp(&k, n, -2, crs_fit_tensor(&t, x), g, rest);
        if (ridge > 0) axpy(crease_size(b->space + i), ridge, x[i], g);
    }
}

/* Z moves too: its gradient is the residual. */
static double apart(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *const *g, double *work)
{
    const crs_fit t = fit_of(f);
    for (int n = 0; n < t.count; n++) grad(f, b, x, t.block[n], g[t.block[n]], work);
    grad(f, b, x, t.z, g[t.z], work);
    return value(f, b, x, work);
}

/* grad_n = -2 E_(n) M_n + nu X_n with the residual E: as accurate as f is small */
static double both(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                   double *const *g, double *work)
{
    const double ridge = ((const crease_cp_data *)f->data)->ridge;
    const crs_fit t = fit_of(f);
    const crs_kruskal k = kruskal_of(f, x);
    double *out[CREASE_MAX_ORDER] = { NULL }, squares = 0;
    if (t.z >= 0) return apart(f, b, x, g, work);
    for (int n = 0; n < t.count; n++) out[n] = g[t.block[n]];
    const double fit = crs_kruskal_residual(&k, -2, t.target, out, work);
    for (int n = 0; n < t.count && ridge > 0; n++) {
        axpy(k.shape.dim[n] * k.rank, ridge, k.factor[n], out[n]);
        squares += crs_dot(k.shape.dim[n] * k.rank, k.factor[n], k.factor[n]);
    }
    return fit + ridge / 2 * squares;
}

static bool as_cp(const crease_smooth *f, const crease_blocks *b, crease_cp_data *out, int *factor)
{
    *out = *(const crease_cp_data *)f->data;
    (void)b;
    for (int n = 0; n < out->shape.order; n++) factor[n] = out->factor[n];
    out->factor = factor;
    return true;
}

static bool constants(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e)
{
    const crs_fit t = fit_of(f);
    const double ridge = ((const crease_cp_data *)f->data)->ridge;
    if (!crs_fit_constants(&t, b, last, out, block, e)) return false;
    const int role = crs_fit_role(&t, last);
    out->L = out->rho = plus(out->L, ridge);
    if (role >= 0 && role < t.count) out->M = plus(out->M, ridge);
    for (int n = 0; block && n < t.count; n++) block[t.block[n]] = plus(block[t.block[n]], ridge);
    return true;
}

/* |G_n - computed|_F <= 2^-52 (sum I_j + d) trace(G_n): the columns' norms multiply to it. */
static double curvature(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *work)
{
    const crs_fit t = fit_of(f);
    const crs_kruskal k = kruskal_of(f, x);
    const int n = crs_fit_role(&t, i);
    double *gram = work, *rest = work + k.rank * k.rank, terms = k.shape.order, trace = 0;
    (void)b;
    if (n < 0 || n == t.count) return n < 0 ? 0 : 2;
    crs_gram_except(&k, n, gram, rest);
    for (int j = 0; j < k.shape.order; j++) terms += (double)k.shape.dim[j];
    for (ptrdiff_t r = 0; r < k.rank; r++) trace += gram[r * k.rank + r];
    const double fit = 2 * crs_lambda_high(k.rank, gram, 0x1p-52 * terms * trace, rest);
    return plus(fit, ((const crease_cp_data *)f->data)->ridge);
}

static bool argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                   double h, const double *v, double radius, double *y, double *work)
{
    const crs_fit t = fit_of(f);
    const int n = crs_fit_role(&t, i);
    if (n < 0 || !y) return n >= 0;
    const crs_kruskal k = kruskal_of(f, x);
    const ptrdiff_t size = crease_size(b->space + i), square_size = k.rank * k.rank;
    if (n == t.count) {
        crs_fit_start(size, h / (2 + h), v, y);
        crs_reconstruct(&k, 2 / (2 + h), y, work);
        crs_into_ball(size, radius, y, y);
        return true;
    }
    double *gram = work, *rest = work + square_size;
    crs_gram_except(&k, n, gram, rest);
    for (ptrdiff_t j = 0; j < square_size; j++) gram[j] *= 2;
    crs_fit_start(size, h, v, y);
    crs_mttkrp(&k, n, 2, crs_fit_tensor(&t, x), y, rest);
    const double ridge = ((const crease_cp_data *)f->data)->ridge;
    crs_ballquad(k.shape.dim[n], k.rank, gram, h + ridge, radius, y, rest);
    return true;
}

static int factors(const crease_smooth *f, const crease_blocks *b, int i, double *size)
{
    const crs_fit t = fit_of(f);
    (void)b;
    return crs_fit_factors(&t, i, size);
}

const crease_smooth_ops crs_cp_ops = {
    .name = "cp",
    .formula = "|Z - [[X_1, ..., X_d]]|^2 + (ridge/2) sum_n |X_n|^2",
    .data_text = "factors [blocks X_n (I_n x R)], rank R, ridge (0 when left out), Z: z (a block) "
                 "or target (an array)",
    .check = check,
    .scratch = scratch,
    .touches = touches,
    .value = value,
    .grad = grad,
    .constants = constants,
    .curvature = curvature,
    .argmin = argmin,
    .nonnegative = crs_sum_of_squares,
    .factors = factors,
    .both = both,
    .as_cp = as_cp,
};

crease_smooth crease_cp(const crease_cp_data *c)
{
    return (crease_smooth){ .ops = &crs_cp_ops, .data = c };
}
