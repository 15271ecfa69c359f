/* SPDX-License-Identifier: MIT
 * smooth: the convenient calls: check everything, use memory of their own */
#include "smooth/smooth.h"

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
