/* SPDX-License-Identifier: MIT
 * smooth: the catalogue of smooth couplings; the convenient calls, which check everything and use
 * memory of their own; and grad_i f against central differences of f along random directions
 *
 * For a unit direction d, (f(x + t d) - f(x - t d))/(2t) is compared with <grad_i f(x), d> at
 * t = eps^{1/3} max(|x_i|, 0.01). What the rounding of f explains is no error, so that the tiny
 * gradients of a stationary point do not raise one; the difference is relative to the larger of
 * the two slopes and of |grad_i f|/sqrt(n), the size of a typical slope. */
#include <crease/catalogue.h>
#include <crease/random.h>

#include "smooth/smooth.h"

static const crease_smooth_ops *const list[] = {
#define LOSS(symbol)   &crs_##symbol.ops,
#define SMOOTH(symbol) &crs_##symbol##_ops,
#include "smooth/list.def"
#undef LOSS
#undef SMOOTH
};

int crease_smooth_count(void) { return (int)(sizeof list / sizeof *list); }
const crease_smooth_ops *crease_smooth_at(int k) { return list[k]; }

bool crs_check_block(const char *owner, const crease_blocks *b, int i, crease_error *e)
{
    if (i >= 0 && i < b->count) return true;
    return crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%s: there is no block %d; the problem has blocks 1 to %d", owner, i + 1,
                    b->count);
}

bool crs_fail_part(crease_error *e, const crease_error *inner, const char *owner, const char *part,
                   int k)
{
    return crs_fail(e, inner->code, "%s: %s %d: %s", owner, part, k + 1, inner->text);
}

static bool check_blocks(const crease_blocks *b, crease_error *e)
{
    if (b->count < 1 || !b->space)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the problem has no blocks; give at least one");
    for (int i = 0; i < b->count; i++) {
        crease_error inner;
        if (!crease_space_check(&b->space[i], &inner))
            return crs_fail_part(e, &inner, "the problem", "block", i);
        if (!(radius_of(b, i) >= 0))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "the radius of block %d is %g; give a number >= 0, or INFINITY", i + 1,
                            radius_of(b, i));
    }
    return true;
}

bool crease_smooth_check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    if (!f->ops)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "a coupling is empty; make it by its function");
    return check_blocks(b, e) && crease_param_check(f->ops->name, f->ops->params, f->par, e) &&
           (!f->ops->check || f->ops->check(f, b, e));
}

ptrdiff_t crease_smooth_scratch(const crease_smooth *f, const crease_blocks *b)
{
    return f->ops->scratch ? f->ops->scratch(f, b) : 0;
}

double crs_value_and_gradients(const crease_smooth *f, const crease_blocks *b,
                               const double *const *x, double *const *g, double *work)
{
    for (int i = 0; i < b->count; i++)
        if (f->ops->touches(f, i)) f->ops->grad(f, b, x, i, g[i], work);
    return f->ops->value(f, b, x, work);
}

static double *prepare(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    return crease_smooth_check(f, b, e) ? crs_doubles(crease_smooth_scratch(f, b), "a coupling", e)
                                        : NULL;
}

bool crease_smooth_value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                         double *value, crease_error *e)
{
    double *work = prepare(f, b, e);
    if (!work) return false;
    *value = f->ops->value(f, b, x, work);
    crs_free(work);
    return true;
}

bool crease_smooth_grad(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *g, crease_error *e)
{
    if (!crs_check_block("the gradient", b, i, e)) return false;
    double *work = prepare(f, b, e);
    if (!work) return false;
    fill(crease_size(&b->space[i]), 0, g);
    f->ops->grad(f, b, x, i, g, work);
    crs_free(work);
    return true;
}

bool crease_smooth_constants(const crease_smooth *f, const crease_blocks *b, int last,
                             crease_constants *out, double *block, crease_error *e)
{
    return crease_smooth_check(f, b, e) && crs_check_block("the last block", b, last, e) &&
           f->ops->constants(f, b, last, out, block, e);
}

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
