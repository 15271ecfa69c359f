/* SPDX-License-Identifier: MIT
 * tucker: the checker's products of tensors and matrices in double and in long double hold
 * the gradients by definition within their bounds; large points pass in double, and what does not
 * pass is judged in long double */
#include <stdlib.h>

#include "support/test.h"
#include "verify/verify.h"

enum { MOST = 8 };

typedef struct {
    crease_space space[MOST];
    crease_block block[MOST];
    crease_problem p;
    double *x[MOST];
    int factor[MOST];
    crease_tucker_data tucker;
    crease_factorization_data product;
    crease_smooth f;
} sample;

static double drawn(draws *d, double decades)
{
    return normal(d) * pow(10, decades > 0 ? uniform(d, -decades, decades) : 0);
}

static void finish(sample *t, draws *d, double decades)
{
    for (int i = 0; i < t->p.count; i++) {
        const ptrdiff_t n = crease_size(&t->space[i]);
        t->x[i] = malloc((size_t)n * sizeof(double));
        for (ptrdiff_t j = 0; j < n; j++) t->x[i][j] = drawn(d, decades);
    }
    t->p.space = t->space, t->p.block = t->block;
}

/* Blocks X_1, ..., X_d, C, Z */
static void draw_tucker(sample *t, draws *d, const crease_space *s, double decades)
{
    *t = (sample){ .p = { .count = s->order + 2 } };
    crease_space core = *s;
    for (int n = 0; n < s->order; n++) {
        core.dim[n] = 1 + below(d, s->dim[n] < 4 ? s->dim[n] : 4);
        t->space[n] = crease_matrix(s->dim[n], core.dim[n]);
        t->factor[n] = n;
    }
    t->space[s->order] = core, t->space[s->order + 1] = *s;
    t->tucker = (crease_tucker_data){ *s, core, t->factor, s->order, s->order + 1, NULL };
    t->f = crease_tucker(&t->tucker);
    finish(t, d, decades);
}

static void draw_product(sample *t, draws *d, ptrdiff_t m, ptrdiff_t n, ptrdiff_t rank,
                         double decades)
{
    *t = (sample){ .p = { .count = 3 }, .product = { 0, 1, 2, NULL } };
    t->space[0] = crease_matrix(m, rank), t->space[1] = crease_matrix(n, rank);
    t->space[2] = crease_matrix(m, n);
    t->f = crease_matrix_factorization(&t->product);
    finish(t, d, decades);
}

static void sample_free(sample *t)
{
    for (int i = 0; i < t->p.count; i++) free(t->x[i]);
}

/* Entry j of C x_k X_k or X Y': the sum over l of C[l] prod_{k != skip} X_k[i_k, l_k], of l_skip =
 * r alone when skip >= 0 */
static long double entry(const sample *t, ptrdiff_t j, int skip, ptrdiff_t r)
{
    const bool tucker = t->tucker.factor;
    const crease_space *s = &t->space[t->p.count - 1];
    const ptrdiff_t rank = t->space[0].dim[1];
    crease_space core = tucker ? t->tucker.core_shape : crease_matrix(rank, rank);
    long double sum = 0;
    for (ptrdiff_t l = 0, all = crease_size(&core); l < all; l++) {
        long double term = tucker ? t->x[s->order][l] : l / rank == l % rank;
        ptrdiff_t rest = l, at = j;
        for (int n = s->order - 1; n >= 0; n--) {
            const ptrdiff_t c = rest % core.dim[n], i = at % s->dim[n];
            rest /= core.dim[n], at /= s->dim[n];
            term *= n != skip ? t->x[n][i * core.dim[n] + c] : c == r;
        }
        sum += term;
    }
    return sum;
}

/* prod_n X_n[i_n, l_n] */
static long double weight(const sample *t, ptrdiff_t j, ptrdiff_t l)
{
    const crease_space *s = &t->tucker.shape, *core = &t->tucker.core_shape;
    long double product = 1;
    for (int n = s->order - 1; n >= 0; n--) {
        product *= t->x[n][j % s->dim[n] * core->dim[n] + l % core->dim[n]];
        j /= s->dim[n], l /= core->dim[n];
    }
    return product;
}

static void by_definition(const sample *t, int i, long double *g)
{
    const int z = t->p.count - 1;
    const crease_space *s = &t->space[z];
    const ptrdiff_t n = crease_size(&t->space[i]);
    ptrdiff_t after = 1;
    for (int k = i + 1; k < s->order; k++) after *= s->dim[k];
    for (ptrdiff_t k = 0; k < n; k++) g[k] = 0;
    for (ptrdiff_t j = 0, all = crease_size(s); j < all; j++) {
        const long double e = 2 * (entry(t, j, -1, 0) - t->x[z][j]);
        const ptrdiff_t columns = t->space[i].dim[1],
                        row = i < s->order ? j / after % s->dim[i] : 0;
        if (i == z) g[j] = -e;
        for (ptrdiff_t r = 0; i < s->order && r < columns; r++)
            g[row * columns + r] += e * entry(t, j, i, r);
        for (ptrdiff_t l = 0; i == s->order && i != z && l < n; l++) g[l] += e * weight(t, j, l);
    }
}

static void compare(const sample *t, bool coarse, bool wide)
{
    for (int i = 0; i < t->p.count; i++) {
        const ptrdiff_t n = crease_size(&t->space[i]);
        crs_verifier v = { .p = &t->p, .coarse = coarse };
        num *g[MOST] = { NULL };
        long double *want = malloc((size_t)n * sizeof *want), off = 0, known = 0, size = 0;
        g[i] = calloc((size_t)n, sizeof(num));
        by_definition(t, i, want);
        assert_true(crs_add_gradient(&v, &t->f, (const double *const *)t->x, g));
        for (ptrdiff_t j = 0; j < n; j++) {
            off += (g[i][j].v - want[j]) * (g[i][j].v - want[j]);
            known += g[i][j].e * g[i][j].e, size += want[j] * want[j];
        }
        if (!(sqrtl(off) <= v.blur + sqrtl(known)))
            fail_msg("block %d: off by %Lg, bound %Lg", i, sqrtl(off), v.blur);
        assert_true(wide || v.blur <= 1e-11L * (1 + sqrtl(size))); /* and not for being wide */
        crs_rooms_free(&v);
        free(g[i]), free(want);
    }
}

static void bounds_hold(void **state)
{
    static const crease_space shapes[] = {
        { 1, { 9 }, NULL },       { 2, { 7, 12 }, NULL },      { 3, { 4, 1, 19 }, NULL },
        { 3, { 5, 6, 3 }, NULL }, { 4, { 3, 2, 4, 5 }, NULL },
    };
    draws d = { { 1, 9 }, 0 };
    sample t;
    (void)state;
    for (int k = 0; k < 40; k++) {
        const double decades = k % 2 ? 4 : 0;
        draw_tucker(&t, &d, &shapes[k % 5], decades);
        compare(&t, true, decades > 0);
        compare(&t, false, decades > 0);
        sample_free(&t);
        draw_product(&t, &d, 1 + below(&d, 30), 1 + below(&d, 30), 1 + below(&d, 4), decades);
        compare(&t, true, decades > 0);
        compare(&t, false, decades > 0);
        sample_free(&t);
    }
}

/* |Z - X Y'|^2 at Z = X Y' in small integers has no rounding at all. */
static void large_points(void **state)
{
    draws d = { { 2, 9 }, 0 };
    crease_verification v;
    sample t;
    (void)state;
    draw_product(&t, &d, 280, 250, 3, 0);
    t.p.f = t.f;
    const double *const *x = (const double *const *)t.x;
    for (int i = 0; i < 2; i++)
        for (ptrdiff_t j = 0; j < crease_size(&t.space[i]); j++) t.x[i][j] = round(2 * t.x[i][j]);
    for (ptrdiff_t j = 0; j < 280 * 250; j++) t.x[2][j] = (double)entry(&t, j, -1, 0);
    for (int k = 0; k < 4; k++) {
        const double eps = k == 0 ? 1e-8 : k == 1 ? 1e-12 : 1e-6, wrong = k < 2 ? 0 : 0.125;
        t.x[2][1234] += wrong;
        assert_true(crease_verify(&t.p, x, NULL, NULL, false, eps, k == 3, &v, NULL));
        assert_int_equal(v.verdict, k < 2 ? CREASE_VERDICT_VALID : CREASE_VERDICT_INVALID);
        if (k == 2) assert_close(v.residual[2], 2 * wrong, 1e-12);
        t.x[2][1234] = (double)entry(&t, 1234, -1, 0);
        crease_verification_free(&v);
    }
    t.x[0][5] = 1e160; /* squares overflow in double */
    assert_true(crease_verify(&t.p, x, NULL, NULL, false, 1e-6, false, &v, NULL));
    assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
    assert_true(v.residual[2] > 1e159 && v.residual[2] < INFINITY);
    crease_verification_free(&v);
    sample_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(bounds_hold),
                                        cmocka_unit_test(large_points) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
