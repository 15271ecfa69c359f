/* SPDX-License-Identifier: MIT
 * tucker: |Z - C x_1 X_1 ... x_d X_d|^2, quadratic in each block
 *
 * With W_n the transposed mode-n unfolding of C x_{j != n} X_j: the gradients are
 * 2(X_n W_n'W_n - Z_(n) W_n), 2(C x_n X_n'X_n - Z x_n X_n') and 2(Z - C x_n X_n); the block steps
 * are X_n = (2 Z_(n) W_n + h V)(2 W_n'W_n + h I)^{-1}, Z = (2 C x_n X_n + h V)/(2 + h), and that of
 * the core. For h = 0 and a singular matrix the inverse is the pseudo-inverse.
 * De Lathauwer, De Moor, Vandewalle, A multilinear singular value decomposition, 2000. */
#include <limits.h>

#include "smooth/fit.h"

/* The core: with X_n'X_n = Q_n'diag(w_n)Q_n the quadratic is diagonal in C~ = C x_1 Q_1 ... x_d
 * Q_d: entry j of (2 T x_n X_n' + h V)~ is divided by 2 prod w_n(j_n) + h (+ the multiplier of the
 * ball). q and w: one per mode, in sequence; returns the memory after them. */
static double *decompose(const crs_tucker *k, const double **q, const double **w, double *work)
{
    for (int n = 0; n < k->ranks.order; n++) {
        const ptrdiff_t rank = k->ranks.dim[n];
        double *basis = work, *values = basis + rank * rank, *gram = values + rank;
        crs_gram(k->shape.dim[n], rank, k->factor[n], gram);
        crs_eigh(rank, gram, values, basis, gram + rank * rank);
        crs_clean_spectrum(rank, values);
        q[n] = basis, w[n] = values;
        work = gram;
    }
    return work;
}

static ptrdiff_t core_scratch(const crease_space *shape, const crease_space *ranks)
{
    ptrdiff_t bases = 0, largest = 0;
    for (int n = 0; n < ranks->order; n++) {
        const ptrdiff_t rank = ranks->dim[n];
        bases += rank * rank + rank;
        largest = more(largest, rank * rank + crs_lambda_scratch(rank));
    }
    const ptrdiff_t core = crease_size(ranks);
    return bases + 2 * core + more(largest, more(2 * core, crs_tucker_scratch(shape, ranks)));
}

/* e(j_1, ..., j_d) = 2 prod w_n(j_n) + h */
static void divisors(const crease_space *s, const double *const *w, double h, double *e)
{
    const ptrdiff_t size = crease_size(s);
    for (ptrdiff_t j = 0; j < size; j++) {
        ptrdiff_t rest = j;
        double product = 2;
        for (int n = s->order - 1; n >= 0; n--) {
            product *= w[n][rest % s->dim[n]];
            rest /= s->dim[n];
        }
        e[j] = product + h;
    }
}

static void rotate(const crease_space *s, const double *const *q, bool back, const double *from,
                   double *to, double *work)
{
    crs_mode_map a[CREASE_MAX_ORDER];
    for (int n = 0; n < s->order; n++) a[n] = (crs_mode_map){ q[n], s->dim[n], back };
    crs_multi_ttm(s, a, 1, from, 0, to, work);
}

/* y = argmin over |C| <= radius of |T - C x_1 X_1 ... x_d X_d|^2 + (h/2)|C - V|^2. k->core is not
 * read; y may be v. */
static void core_argmin(const crs_tucker *k, const double *tensor, double h, const double *v,
                        double radius, double *y, double *work)
{
    const ptrdiff_t size = crease_size(&k->ranks);
    const double *q[CREASE_MAX_ORDER], *w[CREASE_MAX_ORDER];
    double *rotated = work, *e = rotated + size, *bases = e + size;
    double *rest = decompose(k, q, w, bases);
    crs_fit_start(size, h, v, y);
    crs_tucker_project(k, -1, tensor, rotated, rest);
    axpy(size, 2, rotated, y);
    rotate(&k->ranks, q, false, y, rotated, rest);
    divisors(&k->ranks, w, h, e);
    crs_secular(size, rotated, e, radius);
    for (ptrdiff_t j = 0; j < size; j++) rotated[j] /= e[j];
    rotate(&k->ranks, q, true, rotated, y, rest);
    crs_into_ball(size, radius, y, y);
}

/* An upper bound of prod |X_n|_2^2. */
static double core_curvature(const crs_tucker *k, double *work)
{
    double product = 1;
    for (int n = 0; n < k->ranks.order; n++) {
        const ptrdiff_t rank = k->ranks.dim[n];
        double *gram = work, trace = 0;
        crs_gram(k->shape.dim[n], rank, k->factor[n], gram);
        for (ptrdiff_t r = 0; r < rank; r++) trace += gram[r * rank + r];
        product *= crs_lambda_high(rank, gram, 0x1p-52 * (double)k->shape.dim[n] * trace,
                                   gram + rank * rank);
    }
    return product * (1 + 0x1p-49);
}

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
    return gram + more(solve, core_scratch(&c->shape, &c->core_shape));
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
    if (n == d) return 2 * core_curvature(&k, work);
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
        core_argmin(&k, z, h, v, radius, y, work);
    } else {
        const ptrdiff_t rank = k.ranks.dim[n];
        crs_fit_start(size, h, v, y);
        crs_tucker_unfolded(&k, n, 2, z, y, work);
        crs_tucker_gram(&k, n, 2, work, work + rank * rank);
        crs_ballquad(k.shape.dim[n], rank, work, h, radius, y, work + rank * rank);
    }
    return true;
}

static int factors(const crease_smooth *f, const crease_blocks *b, int i, double *size)
{
    const crs_fit t = fit_of(f);
    (void)b;
    return crs_fit_factors(&t, i, size);
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
    .nonnegative = crs_sum_of_squares,
    .factors = factors,
};

crease_smooth crease_tucker(const crease_tucker_data *c)
{
    return (crease_smooth){ .ops = &crs_tucker_ops, .data = c };
}
