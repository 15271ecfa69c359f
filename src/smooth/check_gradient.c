/* SPDX-License-Identifier: MIT
 * check_gradient: grad_i f against central differences of f along random directions
 *
 * For a unit direction d, (f(x + t d) - f(x - t d))/(2t) is compared with <grad_i f(x), d> at
 * t = eps^{1/3} max(|x_i|, 0.01). What the rounding of f explains is no error, so that the tiny
 * gradients of a stationary point do not raise one; the difference is relative to the larger of
 * the two slopes and of |grad_i f|/sqrt(n), the size of a typical slope. */
#include <crease/random.h>

#include "smooth/smooth.h"

/* One block of x moves: at[i] is `moved`, everything else is the caller's. */
typedef struct {
    const crease_smooth *f;
    const crease_blocks *b;
    const double *const *x;
    int i;
    ptrdiff_t n;
    const double **at;
    double *g, *d, *moved, *work;
} probe;

static double value_at(const probe *p, double t)
{
    for (ptrdiff_t j = 0; j < p->n; j++) p->moved[j] = p->x[p->i][j] + t * p->d[j];
    return p->f->ops->value(p->f, p->b, p->at, p->work);
}

static void draw_direction(const probe *p, int k)
{
    const crease_space *s = &p->b->space[p->i];
    const crease_random r = { .seed = 1, .stream = (uint64_t)k };
    for (ptrdiff_t j = 0; j < p->n; j++) p->d[j] = crease_random_normal(r, (uint64_t)j);
    const double norm = crease_norm(s, p->d);
    for (ptrdiff_t j = 0; j < p->n; j++) p->d[j] /= norm;
}

static double error_along(const probe *p, int k)
{
    const crease_space *s = &p->b->space[p->i];
    draw_direction(p, k);
    const double t = cbrt(0x1p-52) * larger(crease_norm(s, p->x[p->i]), 0.01);
    const double ahead = value_at(p, t), behind = value_at(p, -t);
    const double quotient = (ahead - behind) / (2 * t), slope = crease_dot(s, p->g, p->d);
    const double typical = crease_norm(s, p->g) / sqrt(crease_sum(s, (double)p->n));
    const double noise = 64 * 0x1p-53 * (fabs(ahead) + fabs(behind)) / (2 * t);
    const double size = larger(larger(fabs(quotient), fabs(slope)), typical);
    const double error = pos(fabs(quotient - slope) - noise);
    return error == 0 ? 0 : error / size;
}

static double worst_error(const probe *p, int tries)
{
    double worst = 0;
    for (int j = 0; j < p->b->count; j++) p->at[j] = p->x[j];
    p->at[p->i] = p->moved;
    p->f->ops->grad(p->f, p->b, p->x, p->i, p->g, p->work);
    for (int k = 0; k < tries; k++) worst = larger(worst, error_along(p, k));
    return worst;
}

bool crease_smooth_check_gradient(const crease_smooth *f, const crease_blocks *b,
                                  const double *const *x, int i, int tries, double *error,
                                  crease_error *e)
{
    if (!crease_smooth_check(f, b, e) || !crs_check_block("the gradient", b, i, e)) return false;
    if (tries < 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "a gradient check with %d directions; give at least 1", tries);
    const ptrdiff_t n = crease_size(&b->space[i]);
    const double **at = crs_alloc((size_t)b->count, sizeof *at);
    if (!at) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %d pointers", b->count);
    double *g = crs_doubles(3 * n + crease_smooth_scratch(f, b), "a gradient check", e);
    if (g) {
        const probe p = { f, b, x, i, n, at, g, g + n, g + 2 * n, g + 3 * n };
        *error = worst_error(&p, tries);
    }
    crs_free(at);
    crs_free(g);
    return g != NULL;
}
