/* SPDX-License-Identifier: MIT
 * multilinear: weight T(x_1, ..., x_d), linear in each block
 *
 * On |x_i| <= R_i the Hessian has zero diagonal blocks and the others have norm at most
 * |weight| sigma prod_{k != i,j} R_k, where sigma = max T(x_1, ..., x_d) over unit vectors is at
 * most the 2-norm of any unfolding of T. A block step is v - c/h, scaled into the ball. */
#include <limits.h>

#include "smooth/fit.h"

enum { LARGEST_GRAM = 1024 };

static int role(const crease_multilinear_data *m, int i)
{
    for (int n = 0; n < m->shape.order; n++)
        if (m->block[n] == i) return n;
    return -1;
}

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_multilinear_data *m = f->data;
    const char *name = f->ops->name;
    crs_part part[CREASE_MAX_ORDER];
    if (!crs_check_shape(name, &m->shape, e)) return false;
    if (!isfinite(m->weight))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%s: the weight is %g; give a finite number", name,
                        m->weight);
    for (int n = 0; n < m->shape.order; n++)
        part[n] = (crs_part){ "argument", n + 1, m->block[n], crease_vector(m->shape.dim[n]) };
    return crs_check_parts(name, b, m->shape.order, part, e) &&
           crs_check_tensor(name, &m->shape, m->tensor, e);
}

static ptrdiff_t scratch(const crease_smooth *f, const crease_blocks *b)
{
    const crease_multilinear_data *m = f->data;
    ptrdiff_t largest = 0;
    (void)b;
    for (int n = 0; n < m->shape.order; n++) largest = more(largest, m->shape.dim[n]);
    return largest + crs_contract_scratch(&m->shape);
}

static bool touches(const crease_smooth *f, int i) { return role(f->data, i) >= 0; }

static void arguments(const crease_multilinear_data *m, const double *const *x,
                      const double **argument)
{
    for (int n = 0; n < m->shape.order; n++) argument[n] = x[m->block[n]];
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crease_multilinear_data *m = f->data;
    const double *argument[CREASE_MAX_ORDER];
    (void)b;
    arguments(m, x, argument);
    return m->weight * crs_contract(&m->shape, m->tensor, argument, work);
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crease_multilinear_data *m = f->data;
    const double *argument[CREASE_MAX_ORDER];
    const int n = role(m, i);
    (void)b;
    if (n < 0) return;
    arguments(m, x, argument);
    crs_contract_except(&m->shape, m->tensor, argument, n, m->weight, g, work);
}

/* |T_(n)|_2 from the eigenvalues of T_(n)T_(n)'; a Gram matrix of k terms an entry is off by at
 * most 2^-52 k |T|^2 in norm. *bound is lowered when that is less. */
static bool unfolding_bound(const crease_multilinear_data *m, int n, double norm, double *bound,
                            crease_error *e)
{
    const ptrdiff_t dim = m->shape.dim[n], terms = crease_size(&m->shape) / dim;
    double *gram = crs_doubles(dim * dim + crs_lambda_scratch(dim), "the norm of a tensor", e);
    if (!gram) return false;
    if (!crs_unfolding_gram(&m->shape, n, m->tensor, m->watch, gram)) return crs_free(gram), true;
    const double lambda =
        crs_lambda_high(dim, gram, 0x1p-52 * (double)terms * norm * norm, gram + dim * dim);
    if (sqrt(lambda) < *bound) *bound = sqrt(lambda);
    crs_free(gram);
    return true;
}

/* sigma <= min_n |T_(n)|_2 <= |T|_F; Gram matrices only where squares neither overflow nor
 * vanish. */
static bool spectral_norm(const crease_multilinear_data *m, double *sigma, crease_error *e)
{
    const double norm = crs_norm(crease_size(&m->shape), m->tensor);
    *sigma = norm;
    for (int n = 0; norm > 1e-100 && norm < 1e100 && n < m->shape.order; n++)
        if (m->shape.dim[n] <= LARGEST_GRAM && crs_right(&m->shape, n) <= INT_MAX &&
            !unfolding_bound(m, n, norm, sigma, e))
            return false;
    *sigma = safe(*sigma);
    return true;
}

static bool constants(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e)
{
    const crease_multilinear_data *m = f->data;
    const int d = m->shape.order, n = role(m, last);
    double r[CREASE_MAX_ORDER], sigma;
    crs_pairs pairs;
    for (int k = 0; k < d; k++) r[k] = radius_of(b, m->block[k]);
    if (!spectral_norm(m, &sigma, e) || !crs_pairs_of(d, r, n, &pairs, e)) return false;
    const double scale = fabs(m->weight) * sigma;
    *out = (crease_constants){ .p = 2 };
    out->L = out->rho = safe(times(scale, pairs.norm));
    out->lower = -safe(times(scale, pairs.all));
    if (n < 0)
        untouched_last(out);
    else
        out->M = safe(times(scale, pairs.row));
    if (block) fill(b->count, 0, block);
    return true;
}

/* h = 0 is the linear oracle of the ball. */
static bool argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                   double h, const double *v, double radius, double *y, double *work)
{
    const int n = role(f->data, i);
    if (n < 0 || !(h > 0 || radius < INFINITY)) return false;
    if (!y) return true;
    const ptrdiff_t size = crease_size(b->space + i);
    double *c = work;
    fill(size, 0, c);
    grad(f, b, x, i, c, work + size);
    const double norm = h > 0 ? 1 : crs_norm(size, c);
    for (ptrdiff_t j = 0; j < size; j++)
        y[j] = h > 0 ? v[j] - c[j] / h : norm == 0 ? 0 : -radius / norm * c[j];
    if (h > 0) crs_into_ball(size, radius, y, y);
    return true;
}

static int factors(const crease_smooth *f, const crease_blocks *b, int i, double *size)
{
    const crease_multilinear_data *m = f->data;
    (void)b, (void)size;
    for (int k = 0; k < m->shape.order; k++)
        if (m->block[k] == i) return m->shape.order;
    return 0;
}

const crease_smooth_ops crs_multilinear_ops = {
    .name = "multilinear",
    .formula = "weight T(x_1, ..., x_d)",
    .data_text = "tensor T, blocks [one for each of its dimensions], weight (1)",
    .check = check,
    .scratch = scratch,
    .touches = touches,
    .value = value,
    .grad = grad,
    .constants = constants,
    .argmin = argmin,
    .factors = factors,
};

crease_smooth crease_multilinear(const crease_multilinear_data *m)
{
    return (crease_smooth){ .ops = &crs_multilinear_ops, .data = m };
}
