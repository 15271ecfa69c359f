/* SPDX-License-Identifier: MIT
 * fit: what the couplings made from tensors share: roles of blocks, checks, and the Lipschitz
 * constants of |Z - F(x_1, ..., x_c)|^2 on |x_i| <= r_i
 *
 * The Hessian is 2 J'J + 2 <residual, F''> with J = (-dF, I): |J|^2 <= 1 + sum P_n^2, and F'' has
 * blocks of norm at most Pi_ij off the diagonal, none on it. The rows of one block bound M. */
#include <limits.h>

#include "smooth/fit.h"

int crs_fit_role(const crs_fit *f, int i)
{
    for (int n = 0; n < f->count; n++)
        if (f->block[n] == i) return n;
    return i >= 0 && i == f->z ? f->count : -1;
}

int crs_fit_factors(const crs_fit *f, int i, double *size)
{
    const int role = crs_fit_role(f, i);
    if (role < 0 || role == f->count) return 0;
    if (f->z < 0) *size = crease_norm(f->shape, f->target);
    return f->count;
}

const double *crs_fit_tensor(const crs_fit *f, const double *const *x)
{
    return f->z < 0 ? f->target : x[f->z];
}

void crs_fit_start(ptrdiff_t n, double h, const double *v, double *y)
{
    for (ptrdiff_t j = 0; j < n; j++) y[j] = h == 0 ? 0 : h * v[j];
}

ptrdiff_t crs_lambda_scratch(ptrdiff_t n) { return n + crs_eigh_scratch(n); }

double crs_lambda_high(ptrdiff_t n, const double *g, double error, double *work)
{
    double trace = 0;
    for (ptrdiff_t k = 0; k < n; k++) trace += g[k * n + k];
    crs_eigh(n, g, work, NULL, work + n);
    return work[n - 1] + error + 10 * 0x1p-52 * (double)n * trace;
}

bool crs_check_shape(const char *owner, const crease_space *s, crease_error *e)
{
    if (!crease_space_check(s, e)) return false;
    if (s->order < 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s: the tensor has 1 dimension; give it 2 to %d, or use a linear term",
                        owner, CREASE_MAX_ORDER);
    for (int n = 0; n < s->order; n++)
        if (s->dim[n] > INT_MAX)
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "%s: dimension %d of the tensor is %td; BLAS takes at most %d", owner,
                            n + 1, s->dim[n], INT_MAX);
    return true;
}

bool crs_check_tensor(const char *owner, const crease_space *s, const double *t, crease_error *e)
{
    if (!t)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%s: there is no tensor; give its entries, or the block that holds them",
                        owner);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        if (!isfinite(t[j]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "%s: entry %td of the tensor is %g; give finite numbers", owner, j + 1,
                            t[j]);
    return true;
}

/* "factor 2", or the name alone */
static const char *number_text(const crs_part *p, char text[16])
{
    size_t k = 15;
    text[k] = 0;
    for (int n = p->number; n > 0; n /= 10) text[--k] = (char)('0' + n % 10);
    if (p->number > 0) text[--k] = ' ';
    return text + k;
}

static bool check_space(const char *owner, const crease_space *have, const crs_part *p,
                        crease_error *e)
{
    char text[16];
    const char *number = number_text(p, text);
    if (have->comm)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%s: block %d (%s%s) is split over ranks; it must be held whole", owner,
                        p->block + 1, p->name, number);
    if (have->order != p->space.order)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s: block %d (%s%s) has %d dimension%s; it must have %d", owner,
                        p->block + 1, p->name, number, have->order, have->order == 1 ? "" : "s",
                        p->space.order);
    for (int n = 0; n < have->order; n++)
        if (have->dim[n] != p->space.dim[n])
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "%s: dimension %d of block %d (%s%s) is %td; it must be %td", owner,
                            n + 1, p->block + 1, p->name, number, have->dim[n], p->space.dim[n]);
    return true;
}

static bool check_alone(const char *owner, const crs_part *part, int k, crease_error *e)
{
    char text[2][16];
    for (int n = 0; n < k; n++)
        if (part[n].block == part[k].block)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "%s: block %d is both %s%s and %s%s; give each its own block", owner,
                            part[k].block + 1, part[n].name, number_text(part + n, text[0]),
                            part[k].name, number_text(part + k, text[1]));
    return true;
}

bool crs_check_parts(const char *owner, const crease_blocks *b, int count, const crs_part *part,
                     crease_error *e)
{
    char text[16];
    for (int k = 0; k < count; k++) {
        const crs_part *p = part + k;
        if (p->block < 0 || p->block >= b->count)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "%s: %s%s is block %d; the problem has blocks 1 to %d", owner, p->name,
                            number_text(p, text), p->block + 1, b->count);
        if (!check_alone(owner, part, k, e) || !check_space(owner, b->space + p->block, p, e))
            return false;
    }
    return true;
}

/* The product of r over all k but i and j; INFINITY when one of them is infinite. */
static double radius_product(int count, const double *r, int i, int j)
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

/* The 2-norm of row i of Pi. */
static double pair_row(int count, const double *r, int i)
{
    double sum = 0;
    for (int j = 0; j < count; j++)
        if (j != i) sum += square(radius_product(count, r, i, j));
    return sqrt(sum);
}

static bool pair_norm(int count, const double *r, double *norm, crease_error *e)
{
    const ptrdiff_t n = count;
    double *pi = crs_doubles(n * n + crs_lambda_scratch(n), "the constants of a coupling", e);
    if (!pi) return false;
    double frobenius = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            pi[i * n + j] = i == j ? 0 : radius_product(count, r, i, j);
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

bool crs_pairs_of(int count, const double *r, int i, crs_pairs *out, crease_error *e)
{
    out->all = radius_product(count, r, -1, -1);
    out->row = i >= 0 && i < count ? pair_row(count, r, i) : 0;
    return pair_norm(count, r, &out->norm, e);
}

/* 2(1 + sum P_n^2) is 2|J|^2. */
static double jacobian2(const crs_fit *f, const double *r)
{
    double sum = f->z >= 0;
    for (int n = 0; n < f->count; n++) sum += square(radius_product(f->count, r, n, n));
    return sum;
}

static void block_constants(const crs_fit *f, const crease_blocks *b, const double *r,
                            double *block)
{
    for (int i = 0; block && i < b->count; i++) {
        const int n = crs_fit_role(f, i);
        block[i] = n < 0           ? 0
                   : n == f->count ? 2
                                   : safe(2 * square(radius_product(f->count, r, n, n)));
    }
}

bool crs_fit_constants(const crs_fit *f, const crease_blocks *b, int last, crease_constants *out,
                       double *block, crease_error *e)
{
    const int role = crs_fit_role(f, last);
    double r[CRS_MAX_ARGUMENTS];
    crs_pairs pairs;
    for (int n = 0; n < f->count; n++) r[n] = radius_of(b, f->block[n]);
    if (!crs_pairs_of(f->count, r, role, &pairs, e)) return false;

    const double z = f->z < 0 ? crs_norm(crease_size(f->shape), f->target) : radius_of(b, f->z);
    const double u = z + pairs.all, J2 = jacobian2(f, r);
    *out = (crease_constants){ .p = 2, .lower = 0 };
    out->L = out->rho = safe(2 * J2 + 2 * u * pairs.norm);
    block_constants(f, b, r, block);
    if (role < 0)
        untouched_last(out);
    else if (role == f->count)
        out->M = safe(2 * sqrt(J2));
    else
        out->M = safe(2 * radius_product(f->count, r, role, role) * sqrt(J2) + 2 * u * pairs.row);
    out->M = out->M <= out->L ? out->M : out->L;
    return true;
}
