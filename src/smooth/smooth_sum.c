/* SPDX-License-Identifier: MIT
 * smooth_sum: f = f_1 + f_2 + ...
 *
 * A term that does not touch a block adds nothing to its constants. Since |x|^2 is a sum over
 * blocks, L <= max_i sum_{t touches i} L_t, and likewise rho. A block has a closed form when
 * exactly one term touches it and that one has. The curvature of a term without its own is the
 * constant of the region, computed at each call. Terms with different p: the smallest rules. On a
 * region of diameter D (of the blocks a term touches, with n entries), for 1 < p < q <= 2,
 *     |d|_q^q <= |d|_q^{q-p} |d|_p^p <= (n^{1/q - 1/2} D)^{q-p} |d|_p^p. */
#include "smooth/smooth.h"

/* rho of one term after the change from its own p to a smaller one; INFINITY without radii */
static double convert(const crease_smooth *f, const crease_blocks *b, const crease_constants *c,
                      double p)
{
    double n = 0, squares = 0;
    if (c->p == p || c->rho == 0) return c->rho;
    for (int i = 0; i < b->count; i++) {
        if (!f->ops->touches(f, i)) continue;
        n += crease_sum(&b->space[i], (double)crease_size(&b->space[i]));
        squares += square(radius_of(b, i));
    }
    const double most = pow(n, 1 / c->p - 0.5) * 2 * sqrt(squares);
    return above(c->rho * pow(most, c->p - p), b->count + 16);
}

static void add(crease_constants *sum, const crease_constants *c, double *rounding)
{
    sum->M = plus(sum->M, c->M);
    sum->lower += c->lower;
    *rounding += 0x1p-52 * fabs(c->lower);
    if (c->rho > 0) sum->p = smaller(sum->p, c->p);
    sum->concave = sum->concave && c->concave;
    sum->separable_last = sum->separable_last && c->separable_last;
    sum->quadratic_last = sum->quadratic_last && c->quadratic_last;
    sum->last_low += c->last_low;
    sum->last_high += c->last_high;
}

/* max_i sum_{t touches i} of L_t, or of rho_t */
static void worst_block(const crease_smooth_list *l, const crease_blocks *b,
                        const crease_constants *all, crease_constants *out)
{
    for (int i = 0; i < b->count; i++) {
        double L = 0, rho = 0;
        for (int t = 0; t < l->count; t++) {
            const crease_smooth *f = &l->term[t];
            if (!f->ops->touches(f, i)) continue;
            L = plus(L, all[t].L);
            rho = plus(rho, convert(f, b, &all[t], out->p));
        }
        out->L = larger(out->L, L);
        out->rho = larger(out->rho, rho);
    }
}

/* The constants of every term in all[], and the sums of their block constants. */
static bool gather(const crease_smooth_list *l, const crease_blocks *b, int last,
                   crease_constants *all, double *block, double *own, crease_error *e)
{
    if (block) fill(b->count, 0, block);
    for (int t = 0; t < l->count; t++) {
        const crease_smooth *f = &l->term[t];
        if (!f->ops->constants(f, b, last, &all[t], block ? own : NULL, e)) return false;
        for (int i = 0; block && i < b->count; i++)
            if (f->ops->touches(f, i)) block[i] = plus(block[i], own[i]);
    }
    return true;
}

static bool constants(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e)
{
    const crease_smooth_list *l = f->data;
    crease_constants *all = crs_alloc((size_t)l->count, sizeof *all);
    double *own = crs_doubles(b->count, "the constants of a sum", e), rounding = 0;
    if (!all) crs_fail(e, CREASE_NO_MEMORY, "out of memory: the constants of %d terms", l->count);
    const bool ok = all && own && gather(l, b, last, all, block, own, e);
    *out = (crease_constants){
        .p = 2, .concave = true, .separable_last = true, .quadratic_last = true
    };
    for (int t = 0; ok && t < l->count; t++) add(out, &all[t], &rounding);
    if (ok) worst_block(l, b, all, out);
    out->lower -= l->count > 1 ? l->count * rounding : 0;
    out->M = smaller(out->M, out->L);
    if (!out->quadratic_last) out->last_low = out->last_high = 0;
    crs_free(all);
    crs_free(own);
    return ok;
}

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_smooth_list *l = f->data;
    if (!l || l->count < 1 || !l->term)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "sum: there are no terms; give at least one");
    for (int t = 0; t < l->count; t++) {
        crease_error inner;
        if (!crease_smooth_check(&l->term[t], b, &inner))
            return crs_fail_part(e, &inner, "sum", "term", t);
    }
    return true;
}

static ptrdiff_t scratch(const crease_smooth *f, const crease_blocks *b)
{
    const crease_smooth_list *l = f->data;
    ptrdiff_t most = b->count;
    for (int t = 0; t < l->count; t++) {
        const ptrdiff_t n = crease_smooth_scratch(&l->term[t], b);
        if (n > most) most = n;
    }
    return most;
}

static bool touches(const crease_smooth *f, int i)
{
    const crease_smooth_list *l = f->data;
    for (int t = 0; t < l->count; t++)
        if (l->term[t].ops->touches(&l->term[t], i)) return true;
    return false;
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crease_smooth_list *l = f->data;
    double sum = 0;
    for (int t = 0; t < l->count; t++) sum += l->term[t].ops->value(&l->term[t], b, x, work);
    return sum;
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crease_smooth_list *l = f->data;
    for (int t = 0; t < l->count; t++)
        if (l->term[t].ops->touches(&l->term[t], i))
            l->term[t].ops->grad(&l->term[t], b, x, i, g, work);
}

static double term_curvature(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                             int i, double *work)
{
    crease_constants c;
    if (f->ops->curvature) return f->ops->curvature(f, b, x, i, work);
    return f->ops->constants(f, b, i, &c, work, NULL) ? work[i] : NAN;
}

static double curvature(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *work)
{
    const crease_smooth_list *l = f->data;
    double sum = 0;
    for (int t = 0; t < l->count; t++)
        if (l->term[t].ops->touches(&l->term[t], i))
            sum = plus(sum, term_curvature(&l->term[t], b, x, i, work));
    return sum;
}

static bool argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                   double h, const double *v, double radius, double *y, double *work)
{
    const crease_smooth_list *l = f->data;
    const crease_smooth *only = NULL;
    for (int t = 0; t < l->count; t++) {
        if (!l->term[t].ops->touches(&l->term[t], i)) continue;
        if (only) return false;
        only = &l->term[t];
    }
    return only && only->ops->argmin && only->ops->argmin(only, b, x, i, h, v, radius, y, work);
}

static bool nonnegative(const crease_smooth *f)
{
    const crease_smooth_list *l = f->data;
    bool all = true;
    for (int k = 0; k < l->count; k++) {
        const crease_smooth *term = &l->term[k];
        all = all && term->ops->nonnegative && term->ops->nonnegative(term);
    }
    return all;
}

static int factors(const crease_smooth *f, const crease_blocks *b, int i, double *size)
{
    const crease_smooth_list *l = f->data;
    int count = 0;
    for (int k = 0; k < l->count && count == 0; k++) {
        const crease_smooth *term = &l->term[k];
        if (term->ops->factors) count = term->ops->factors(term, b, i, size);
    }
    return count;
}

static double both(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                   double *const *g, double *work)
{
    const crease_smooth_list *l = f->data;
    double sum = 0;
    for (int t = 0; t < l->count; t++) {
        const crease_smooth *term = &l->term[t];
        sum += (term->ops->both ? term->ops->both : crs_value_and_gradients)(term, b, x, g, work);
    }
    return sum;
}

static bool as_cp(const crease_smooth *f, const crease_blocks *b, crease_cp_data *out, int *factor)
{
    const crease_smooth_list *l = f->data;
    return l->count == 1 && l->term->ops->as_cp && l->term->ops->as_cp(l->term, b, out, factor);
}

const crease_smooth_ops crs_smooth_sum_ops = {
    .name = "sum",
    .formula = "f_1 + f_2 + ...",
    .data_text = "terms [couplings]",
    .family = CREASE_SMOOTH_SUM,
    .check = check,
    .scratch = scratch,
    .touches = touches,
    .value = value,
    .grad = grad,
    .constants = constants,
    .curvature = curvature,
    .argmin = argmin,
    .nonnegative = nonnegative,
    .factors = factors,
    .both = both,
    .as_cp = as_cp,
};

crease_smooth crease_smooth_sum(const crease_smooth_list *l)
{
    return (crease_smooth){ .ops = &crs_smooth_sum_ops, .data = l };
}
