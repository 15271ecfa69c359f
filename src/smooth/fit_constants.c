/* SPDX-License-Identifier: MIT
 * fit_constants: Lipschitz constants of |Z - F(x_1, ..., x_c)|^2 on |x_i| <= r_i
 *
 * The Hessian is 2 J'J + 2 <residual, F''> with J = (-dF, I): |J|^2 <= 1 + sum P_n^2, and F'' has
 * blocks of norm at most Pi_ij off the diagonal, none on it. The rows of one block bound M. */
#include "smooth/fit.h"

double crs_radius(const crease_blocks *b, int i) { return b->radius ? b->radius[i] : INFINITY; }

double crs_safe(double t) { return t < INFINITY ? t * (1 + 0x1p-40) : INFINITY; }

double crs_radius_product(int count, const double *r, int i, int j)
{
    double product = 1;
    bool zero = false;
    for (int k = 0; k < count; k++) {
        if (k == i || k == j) continue;
        if (r[k] == INFINITY) return INFINITY;
        zero = zero || r[k] == 0;
        product *= r[k];
    }
    return zero ? 0 : product;
}

double crs_pair_row(int count, const double *r, int i)
{
    double sum = 0;
    for (int j = 0; j < count; j++)
        if (j != i) sum += square(crs_radius_product(count, r, i, j));
    return sqrt(sum);
}

bool crs_pair_norm(int count, const double *r, double *norm, crease_error *e)
{
    const ptrdiff_t n = count;
    double *pi = crs_doubles(n * n + crs_lambda_scratch(n), "the constants of a coupling", e);
    if (!pi) return false;
    double frobenius = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            pi[i * n + j] = i == j ? 0 : crs_radius_product(count, r, i, j);
            frobenius += square(pi[i * n + j]);
        }
    /* Nonnegative and symmetric: the norm is the largest eigenvalue. The eigenvalues are found to
     * within a small multiple of 2^-53 |Pi|_F, which also serves when squares overflow. */
    frobenius = sqrt(frobenius);
    *norm = frobenius < INFINITY
                ? crs_lambda_high(n, pi, 10 * 0x1p-52 * (double)n * frobenius, pi + n * n)
                : INFINITY;
    crs_free(pi);
    return true;
}

void crs_untouched_last(crease_constants *out)
{
    out->M = 0;
    out->separable_last = out->quadratic_last = true;
    out->last_low = out->last_high = 0;
}

/* 2(1 + sum P_n^2) is 2|J|^2. */
static double jacobian2(const crs_fit *f, const double *r)
{
    double sum = f->z >= 0;
    for (int n = 0; n < f->count; n++) sum += square(crs_radius_product(f->count, r, n, n));
    return sum;
}

static void block_constants(const crs_fit *f, const crease_blocks *b, const double *r,
                            double *block)
{
    for (int i = 0; block && i < b->count; i++) {
        const int n = crs_fit_role(f, i);
        block[i] = n < 0           ? 0
                   : n == f->count ? 2
                                   : crs_safe(2 * square(crs_radius_product(f->count, r, n, n)));
    }
}

bool crs_fit_constants(const crs_fit *f, const crease_blocks *b, int last, crease_constants *out,
                       double *block, crease_error *e)
{
    const int role = crs_fit_role(f, last);
    double r[CRS_MAX_ARGUMENTS], pairs;
    for (int n = 0; n < f->count; n++) r[n] = crs_radius(b, f->block[n]);
    if (!crs_pair_norm(f->count, r, &pairs, e)) return false;

    const double z = f->z < 0 ? crs_norm(crease_size(f->shape), f->target) : crs_radius(b, f->z);
    const double u = z + crs_radius_product(f->count, r, -1, -1), J2 = jacobian2(f, r);
    *out = (crease_constants){ .p = 2, .lower = 0 };
    out->L = out->rho = crs_safe(2 * J2 + 2 * u * pairs);
    block_constants(f, b, r, block);
    if (role < 0)
        crs_untouched_last(out);
    else if (role == f->count)
        out->M = crs_safe(2 * sqrt(J2));
    else
        out->M = crs_safe(2 * crs_radius_product(f->count, r, role, role) * sqrt(J2) +
                          2 * u * crs_pair_row(f->count, r, role));
    out->M = out->M <= out->L ? out->M : out->L;
    return true;
}
