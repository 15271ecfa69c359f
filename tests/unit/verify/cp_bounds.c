/* SPDX-License-Identifier: MIT
 * cp_bounds: the bounds of the checker's pass in double hold what its pass in long double finds,
 * and what plain sums from the definitions find; the verdict is that of long double */
#include "support/cp_claim.h"

static const crease_space shapes[] = { { 2, { 13, 17 }, NULL },       { 3, { 5, 1, 61 }, NULL },
                                       { 3, { 1, 1, 1 }, NULL },      { 4, { 3, 4, 5, 6 }, NULL },
                                       { 3, { 9, 17, 40 }, NULL },    { 1, { 30 }, NULL },
                                       { 5, { 2, 3, 1, 4, 9 }, NULL } };
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void compare(const findings *a, const findings *b)
{
    for (int i = 0; i < a->count; i++) {
        const crs_finding *f = &a->f[i], *g = &b->f[i];
        if (isinf(g->residual)) {
            assert_true(isinf(f->residual));
            continue;
        }
        const real off = fabsl(f->residual - g->residual), scales = fabsl(f->scale - g->scale);
        const real blur = a->summing * f->scale + b->summing * g->scale;
        if (!(off <= f->rounding + g->rounding))
            fail_msg("block %d: %Lg and %Lg are not within %Lg", i, f->residual, g->residual,
                     f->rounding);
        assert_true(scales <= f->rounding + g->rounding + blur);
        if (isinf(f->rounding) || !(f->rounding >= g->rounding)) fail_msg("bound of block %d", i);
    }
}

static void both_passes_agree(void **state)
{
    const crease_reg nonneg = crease_nonneg(crease_scad(1, 3).penalty, (double[]){ 0.5, 3 });
    const crease_reg list[] = { crease_zero(),
                                crease_l1(0.5),
                                crease_elastic_net(0.5, 0.2),
                                crease_squared_l2(0.5),
                                crease_l0(0.5),
                                crease_scad(0.5, 3),
                                crease_mcp(0.5, 2),
                                crease_lsp(0.5, 0.1),
                                crease_capped_l1(0.5, 1),
                                crease_l_half(0.5),
                                crease_l_two_thirds(0.5),
                                crease_lq(0.5, 0.3),
                                crease_huber(0.5, 0.1),
                                crease_box_indicator(-2, 3),
                                crease_scaled(0.5, &nonneg) };
    draws d = { { 1, 1 }, 0 };
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (size_t q = 0; q < sizeof list / sizeof *list; q++)
            for (int kind = 0; kind < 4; kind++) {
                point p;
                const int split = (int)below(&d, shapes[k].order);
                point_draw(&p, &d, &shapes[k], split, kind & 1 ? 6 : 0, kind & 2 ? 1e-13 : 0.1);
                p.c.penalty = list[q];
                p.c.nonneg = q % 4 == 1;
                const findings a = point_find(&p, crs_cp_sweep_double);
                const findings b = point_find(&p, crs_cp_sweep_extended);
                compare(&a, &b);
                point_free(&p);
            }
}

/* The residuals in plain sums of long doubles; l1 with E != 0 has the slope alpha lambda sgn E. */
static void definitions(const point *p, long double *out)
{
    const crease_cp_claim *c = &p->c;
    const int d = c->shape.order;
    long double *g = calloc((size_t)p->size, sizeof *g);
    for (int n = 0; n < d; n++) {
        const ptrdiff_t size = c->shape.dim[n] * c->rank;
        ptrdiff_t after = 1;
        long double *sum = calloc((size_t)size, sizeof *sum), all = 0;
        for (int m = n + 1; m < d; m++) after *= c->shape.dim[m];
        for (ptrdiff_t j = 0; j < p->size; j++)
            for (ptrdiff_t r = 0; r < c->rank; r++)
                sum[j / after % c->shape.dim[n] * c->rank + r] +=
                    2 * (model_at(p, j) - p->part[CREASE_RPCA_Z][j]) * model_entry(p, j, n, r);
        for (ptrdiff_t j = 0; j < size; j++) sum[j] += c->ridge * (long double)p->x[n][j];
        for (ptrdiff_t j = 0; j < size; j++) all += sum[j] * sum[j];
        out[n] = sqrtl(all);
        free(sum);
    }
    free(g);
    out[d] = out[d + 1] = out[d + 2] = out[d + 3] = 0;
    for (ptrdiff_t j = 0; j < p->size; j++) {
        const bool seen = p->part[CREASE_RPCA_SEEN][j] != 0;
        const long double z = p->part[CREASE_RPCA_Z][j], e = p->part[CREASE_RPCA_SPARSE][j];
        const long double b = seen ? p->part[CREASE_RPCA_B][j] : -z - e;
        const long double t = seen ? p->part[CREASE_RPCA_DATA][j] : 0;
        const long double lambda = seen ? 2 * c->alpha_noise * b : 0, w = c->alpha * 0.5L;
        const long double inside = lambda < -w ? -w : lambda > w ? w : lambda;
        const long double off = (e > 0 ? w : e < 0 ? -w : inside) - lambda;
        const long double split = 2 * (z - model_at(p, j)) - lambda, s = z + e + b - t;
        out[d] += off * off, out[d + 1] += split * split, out[d + 3] += s * s;
    }
    for (int i = d; i < d + 4; i++) out[i] = sqrtl(out[i]);
}

static void definitions_agree(void **state)
{
    draws d = { { 2, 1 }, 0 };
    (void)state;
    for (int k = 0; k < 3 * SHAPES; k++) {
        point p;
        long double want[CREASE_MAX_ORDER + 4];
        const crease_space *s = &shapes[k % SHAPES];
        point_draw(&p, &d, s, (int)below(&d, s->order), k < SHAPES ? 0 : 6, k < SHAPES ? 1 : 1e-12);
        definitions(&p, want);
        const findings a = point_find(&p, crs_cp_sweep_double);
        const findings b = point_find(&p, crs_cp_sweep_extended);
        for (int i = 0; i < a.count; i++) { /* the test's own sums are as long as the tensor */
            const real slack = b.f[i].rounding * (real)p.size;
            assert_true(fabsl(a.f[i].residual - want[i]) <= a.f[i].rounding + slack);
            assert_true(fabsl(b.f[i].residual - want[i]) <= b.f[i].rounding + slack);
        }
        point_free(&p);
    }
}

/* Around the eps that decides, in long double where double cannot tell. */
static void verdicts_agree(void **state)
{
    draws d = { { 3, 1 }, 0 };
    bool twice = false, once = false;
    (void)state;
    for (int k = 0; k < SHAPES; k++)
        for (int step = -16; step <= 16; step++) {
            point p;
            crease_verification v;
            point_draw(&p, &d, &shapes[k], 0, 0, 0.1);
            const findings b = point_find(&p, crs_cp_sweep_extended);
            real worst = 0;
            for (int i = 0; i < b.count; i++) {
                const real scale = b.f[i].scale * (1 - 2 * b.summing) - 2 * b.f[i].rounding;
                const real total = b.f[i].residual + 2 * b.f[i].rounding;
                worst = bigger(worst, total == 0 ? 0 : total / positive(scale));
            }
            const double change = step == 0 ? 0 : copysign(pow(10, abs(step) - 17), step);
            const double eps = (double)(worst * (1 + (real)change));
            p.reads = 0;
            assert_true(crease_cp_verify(&p.c, eps, true, &v, NULL));
            assert_int_equal(v.verdict == CREASE_VERDICT_VALID, worst <= eps);
            assert_true(v.smallest_eps >= (double)worst * (1 - 1e-15) &&
                        v.smallest_eps <= (double)worst * (1 + 1e-9));
            *(p.reads > CRS_CP_PARTS * p.c.left ? &twice : &once) = true;
            crease_verification_free(&v);
            point_free(&p);
        }
    assert_true(twice && once);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(both_passes_agree),
                                        cmocka_unit_test(definitions_agree),
                                        cmocka_unit_test(verdicts_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
