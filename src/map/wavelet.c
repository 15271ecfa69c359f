/* SPDX-License-Identifier: MIT
 * wavelet: the periodic wavelet transform of Daubechies with four coefficients, several levels
 *
 * One level along a line of even length n, indices modulo n, h = (1+q, 3+q, 3-q, 1-q)/(4 sqrt 2),
 * q = sqrt 3, g = (h_3, -h_2, h_1, -h_0):
 *   s_k = sum_i h_i x_{2k+i},   d_k = sum_i g_i x_{2k+i},   k < n/2,   the line becomes (s, d).
 * It is orthogonal: A'A = A A' = I. Of several axes each is transformed in turn, and the next level
 * works on the corner of all s. Daubechies, Ten Lectures on Wavelets, 1992, section 6.4. */
#include <float.h>

#include "map/map.h"

static int levels_of(const crease_map *A) { return (int)A->par[0]; }

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const ptrdiff_t block = (ptrdiff_t)1 << levels_of(A);
    if (!crs_map_whole(A, dom, ran, e) || !crs_map_square(A, dom, ran, e)) return false;
    for (int i = 0; i < dom->order; i++)
        if (dom->dim[i] > 1 && dom->dim[i] % block != 0)
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "wavelet: length %td along axis %d is not divisible by 2^%d = %td; use "
                            "fewer levels or pad the data",
                            dom->dim[i], i, levels_of(A), block);
    return true;
}

static ptrdiff_t longest(const crease_space *s)
{
    ptrdiff_t most = 1;
    for (int i = 0; i < s->order; i++) most = s->dim[i] > most ? s->dim[i] : most;
    return most;
}

/* A copy of x, and a line before and after. */
static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    ptrdiff_t total;
    (void)A, (void)ran;
    return crs_add_size(crease_size(dom), 2 * longest(dom), &total) ? total : -1;
}

typedef struct {
    double h[4], g[4];
    double *line, *next;
} filters;

static filters filters_on(double *line, ptrdiff_t length)
{
    const double q = sqrt(3), f = 4 * sqrt(2);
    const double h[] = { (1 + q) / f, (3 + q) / f, (3 - q) / f, (1 - q) / f };
    return (
        filters){ { h[0], h[1], h[2], h[3] }, { h[3], -h[2], h[1], -h[0] }, line, line + length };
}

static void analyse(const filters *f, ptrdiff_t n)
{
    for (ptrdiff_t k = 0; k < n / 2; k++) {
        double s = 0, d = 0;
        for (ptrdiff_t i = 0; i < 4; i++) {
            const double x = f->line[(2 * k + i) % n];
            s += f->h[i] * x, d += f->g[i] * x;
        }
        f->next[k] = s, f->next[n / 2 + k] = d;
    }
}

static void synthesize(const filters *f, ptrdiff_t n)
{
    fill(n, 0, f->next);
    for (ptrdiff_t k = 0; k < n / 2; k++)
        for (ptrdiff_t i = 0; i < 4; i++)
            f->next[(2 * k + i) % n] += f->h[i] * f->line[k] + f->g[i] * f->line[n / 2 + k];
}

/* Every line along the axis of the corner of this level. */
static void transform_axis(const crease_space *s, int level, int axis, bool back, const filters *f,
                           double *x)
{
    ptrdiff_t stride[CREASE_MAX_ORDER], corner[CREASE_MAX_ORDER] = { 0 }, lines = 1, step = 1;
    for (int i = s->order - 1; i >= 0; i--) {
        stride[i] = step, step *= s->dim[i];
        corner[i] = s->dim[i] > 1 ? s->dim[i] >> level : 1;
        lines *= i == axis ? 1 : corner[i];
    }
    const ptrdiff_t n = corner[axis];
    for (ptrdiff_t l = 0; l < lines; l++) {
        double *at = x;
        ptrdiff_t rest = l;
        for (int i = s->order - 1; i >= 0; i--)
            if (i != axis) at += rest % corner[i] * stride[i], rest /= corner[i];
        for (ptrdiff_t j = 0; j < n; j++) f->line[j] = at[j * stride[axis]];
        (back ? synthesize : analyse)(f, n);
        for (ptrdiff_t j = 0; j < n; j++) at[j * stride[axis]] = f->next[j];
    }
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const ptrdiff_t n = crease_size(dom);
    const filters f = filters_on(work + n, longest(dom));
    (void)ran;
    copy(n, x, work);
    for (int level = 0; level < levels_of(A); level++)
        for (int i = 0; i < dom->order; i++)
            if (dom->dim[i] > 1) transform_axis(dom, level, i, false, &f, work);
    axpy(n, a, work, y);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const ptrdiff_t n = crease_size(dom);
    const filters f = filters_on(work + n, longest(dom));
    (void)ran;
    copy(n, y, work);
    for (int level = levels_of(A) - 1; level >= 0; level--)
        for (int i = dom->order - 1; i >= 0; i--)
            if (dom->dim[i] > 1) transform_axis(dom, level, i, true, &f, work);
    axpy(n, a, work, x);
}

/* A sum of four products is off by 6 roundings of sum_i |h_i| |x_i|, sum_i |h_i| < 1.7, and the
 * errors of orthogonal steps add up. */
static double steps_of(const crease_map *A, const crease_space *s)
{
    return 12.0 * levels_of(A) * s->order + 4;
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    (void)ran, (void)e;
    *bound = 1 + steps_of(A, dom) * DBL_EPSILON;
    return true;
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    (void)ran, (void)e;
    *bound = 1 - 2 * steps_of(A, dom) * DBL_EPSILON;
    return true;
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    r->steps = steps_of(A, dom);
    return norm(A, dom, ran, &r->mass, e);
}

static const crease_param params[] = {
    { "levels", 1, 40, CREASE_INTEGER, "how often averages are split" }, { 0 }
};

const crease_map_ops crs_wavelet_ops = {
    .name = "wavelet",
    .formula = "A x = periodic Daubechies-4 coefficients of x",
    .params = params,
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .rounding = rounding,
    .gram = crs_gram_of_isometry,
};

crease_map crease_wavelet(int levels)
{
    return (crease_map){ .ops = &crs_wavelet_ops, .par = { levels } };
}
