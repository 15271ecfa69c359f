/* SPDX-License-Identifier: MIT
 * spca: the components of sparse PCA from the tensor and the reported points, factors and weights
 *
 * Component k is judged on min -T_k(x_1, ..., x_d) + alpha_k sum_i R(x_i), |x_i| <= 1, where
 * T_1 = T and T_{k+1} = T_k - sigma u_1 o ... o u_d, u_i = x_i/|x_i|, sigma = T_k(u), in long
 * double and rounded once. Factor columns must be u_i, weights sigma, up to rounding. */
#include <stdio.h>

#include <crease/spca.h>

#include "core/carve.h"
#include "verify/num.h"

typedef struct {
    const crease_spca_claim *c;
    void *memory;
    double *tensor;               /* T_k */
    double *x[CREASE_MAX_ORDER];  /* of the present component */
    real *unit[CREASE_MAX_ORDER]; /* x_i/|x_i| */
    real size, modes;             /* |T|; the sum of its dimensions */
} view;

static void carve(void *self, crs_carver *m)
{
    view *a = self;
    const crease_space *s = &a->c->shape;
    a->tensor = carve_doubles(m, crease_size(s), 1);
    for (int n = 0; n < s->order; n++) {
        a->x[n] = carve_doubles(m, s->dim[n], 1);
        a->unit[n] = carve_bytes(m, s->dim[n], sizeof(real));
    }
}

static bool build(view *a, crease_error *e)
{
    const crease_space *s = &a->c->shape;
    a->memory = carve_block(carve, a);
    if (!a->memory)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: verifying %td entries",
                        crease_size(s));
    for (ptrdiff_t j = 0; j < crease_size(s); j++) {
        a->tensor[j] = a->c->tensor[j];
        a->size += (real)a->tensor[j] * a->tensor[j];
    }
    a->size = sqrtl(a->size);
    for (int n = 0; n < s->order; n++) a->modes += (real)s->dim[n];
    return true;
}

static bool judge(const view *a, int k, crease_verification *out, crease_error *e)
{
    const crease_spca_claim *c = a->c;
    const crease_set ball = crease_l2_ball(1);
    const crease_reg reg = crease_scaled(c->alpha[k], &c->penalty);
    crease_space space[CREASE_MAX_ORDER];
    crease_block block[CREASE_MAX_ORDER];
    int argument[CREASE_MAX_ORDER];
    for (int n = 0; n < c->shape.order; n++) {
        space[n] = crease_vector(c->shape.dim[n]);
        block[n] = (crease_block){ .name = "x", .reg = reg, .set = &ball };
        argument[n] = n;
    }
    const crease_multilinear_data data = {
        .shape = c->shape, .tensor = a->tensor, .block = argument, .weight = -1
    };
    const crease_problem problem = {
        .count = c->shape.order, .space = space, .block = block, .f = crease_multilinear(&data)
    };
    const crease_claim claim = { .p = &problem,
                                 .x = (const double *const *)a->x,
                                 .gcg = c->gap,
                                 .eps = c->eps,
                                 .relative = c->relative,
                                 .watch = c->watch };
    return crease_claim_verify(&claim, out, e);
}

/* false: some x_i is 0, and with it the component, or not finite */
static bool set_units(view *a)
{
    bool all = true;
    for (int n = 0; n < a->c->shape.order; n++) {
        const ptrdiff_t length = a->c->shape.dim[n];
        real sum = 0;
        for (ptrdiff_t j = 0; j < length; j++) sum += (real)a->x[n][j] * a->x[n][j];
        all = all && sum > 0 && sum < INFINITY;
        for (ptrdiff_t j = 0; j < length; j++)
            a->unit[n][j] = sum == 0 ? 0 : a->x[n][j] / sqrtl(sum);
    }
    return all;
}

/* u_1(i_1) ... u_d(i_d) at entry j */
static real product_at(const view *a, ptrdiff_t j)
{
    const crease_space *s = &a->c->shape;
    real product = 1;
    for (int n = s->order - 1; n >= 0; n--) {
        product *= a->unit[n][j % s->dim[n]];
        j /= s->dim[n];
    }
    return product;
}

/* T_k(u); then T_{k+1} */
static real deflate(view *a)
{
    const ptrdiff_t size = crease_size(&a->c->shape);
    real sigma = 0;
    for (ptrdiff_t j = 0; j < size; j++) sigma += a->tensor[j] * product_at(a, j);
    for (ptrdiff_t j = 0; j < size; j++)
        a->tensor[j] = (double)(a->tensor[j] - sigma * product_at(a, j));
    return sigma;
}

static void refuse(crease_verification *v, const char *what, double is, real should)
{
    v->verdict = CREASE_VERDICT_INVALID;
    v->smallest_eps = INFINITY;
    snprintf(v->text, sizeof v->text, "%s is %.17g, but the certified point makes it %.17Lg", what,
             is, should);
}

static void compare(const view *a, int k, bool found, real sigma, crease_verification *v)
{
    const crease_spca_claim *c = a->c;
    const real rounding = (a->modes + 8) * (real)(k + 2) * 0x1p-52L;
    char what[64];
    if (!(fabsl(c->weight[k] - sigma) <= rounding * a->size)) {
        snprintf(what, sizeof what, "weight %d", k + 1);
        refuse(v, what, c->weight[k], sigma);
    }
    for (int n = 0; n < c->shape.order; n++)
        for (ptrdiff_t j = 0; j < c->shape.dim[n]; j++) {
            const double is = c->factor[n][j * c->columns + k];
            const real should = found ? a->unit[n][j] : 0;
            if (fabsl(is - should) <= rounding) continue;
            snprintf(what, sizeof what, "row %td, column %d of factor %d", j + 1, k + 1, n + 1);
            refuse(v, what, is, should);
            return;
        }
}

static bool check(const crease_spca_claim *c, crease_error *e)
{
    if (!crease_space_check(&c->shape, e)) return false;
    return (c->count >= 1 && c->columns >= c->count) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "the claim has %d components in %td columns", c->count,
                    c->columns);
}

bool crease_spca_verify(const crease_spca_claim *c, crease_verification *out, crease_error *e)
{
    view a = { .c = c };
    for (int k = 0; k < c->count; k++) out[k] = (crease_verification){ 0 };
    if (!check(c, e)) return false;
    bool done = build(&a, e);
    for (int k = 0; k < c->count && done; k++) {
        for (int n = 0; n < c->shape.order; n++)
            for (ptrdiff_t j = 0; j < c->shape.dim[n]; j++)
                a.x[n][j] = c->point[n][j * c->columns + k];
        done = judge(&a, k, &out[k], e);
        if (!done) break;
        if (out[k].verdict == CREASE_VERDICT_UNFINISHED) continue;
        const bool found = set_units(&a);
        compare(&a, k, found, found ? deflate(&a) : 0, &out[k]);
    }
    crs_free(a.memory);
    for (int k = 0; k < c->count && !done; k++) crease_verification_free(&out[k]);
    return done;
}
