/* SPDX-License-Identifier: MIT
 * maps: the checker agrees with the certificate on constraints with every map */
#include "support/map_samples.h"
#include "support/transform_cases.h"
#include "support/verify_test.h"

static void every_map_in_a_constraint(void **state)
{
    static sample list[SAMPLES_MAX];
    combined c;
    draws d = { .r = { .seed = 91 } };
    const int count = map_samples(list, &c);
    (void)state;
    for (int k = 0; k < count * 20; k++) {
        const sample *s = &list[k % count];
        const ptrdiff_t n = crease_size(&s->dom), m = crease_size(&s->ran);
        double *x = random_doubles(&d, n, 1), *y = random_doubles(&d, m, 1);
        double *lambda = random_doubles(&d, m, 1), *rhs = random_doubles(&d, m, 1);
        const double *const at[] = { x, y, y };
        const crease_space space[] = { s->dom, s->ran, crease_vector(m) };
        const crease_block block[] = { { .reg = crease_l1(0.5), .map = s->map },
                                       { .map = crease_identity(-1), .name = "slack" },
                                       { 0 } };
        const crease_problem p = { 3, space, block, { 0 }, s->ran, k % 2 ? rhs : NULL };
        assert_agree(s->what, &p, at, lambda);
        crease_verification v = verified(&p, at, lambda, 1, false);
        assert_true(v.trusted_callback == (strstr(s->what, "callback") || strstr(s->what, "sum")));
        crease_verification_free(&v);
        free(x), free(y), free(lambda), free(rhs);
    }
}

/* So large that products are in double: x full, with few entries that are not 0, and 0. */
static void large_matrices_are_exact(void **state)
{
    enum { M = 261, N = 263 };
    const crease_space dom = crease_vector(N), ran = crease_vector(M);
    const int every[] = { 1, 40, N + 1 };
    draws d = { .r = { .seed = 94 } };
    double *a = doubles(M * N), *lambda = doubles(M);
    (void)state;
    for (ptrdiff_t k = 0; k < M * N; k++) a[k] = floor(uniform(&d, -8, 8)) / 8;
    for (int k = 0; k < 3; k++) {
        double *x = doubles(N), *b = doubles(M);
        for (int j = every[k] - 1; j < N; j += every[k]) x[j] = floor(uniform(&d, 1, 8));
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) b[i] += a[i * N + j] * x[j];
        const double *const at[] = { x };
        const crease_block block = { .map = crease_dense(a) };
        const crease_problem p = { 1, &dom, &block, { 0 }, ran, b };
        crease_verification v = verified(&p, at, lambda, 0x1p-30, false);
        assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
        crease_verification_free(&v);
        b[M - 1] += 0.125;
        v = verified(&p, at, lambda, 0.1, false);
        assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
        assert_close(v.feasibility, 0.125, 1e-9);
        crease_verification_free(&v);
        free(x), free(b);
    }
    free(a), free(lambda);
}

/* The feasibility of A x = b recomputed from the matrix, all numbers being multiples of 1/8. */
static void matrices_are_exact(void **state)
{
    static sample list[SAMPLES_MAX];
    combined c;
    draws d = { .r = { .seed = 92 } };
    const int count = map_samples(list, &c);
    (void)state;
    for (int k = 0; k < count; k++) {
        const sample *s = &list[k];
        const ptrdiff_t n = crease_size(&s->dom), m = crease_size(&s->ran);
        double *x = doubles(n), *b = doubles(m), *lambda = doubles(m);
        for (ptrdiff_t j = 0; j < n; j++) x[j] = floor(uniform(&d, -8, 8));
        for (ptrdiff_t i = 0; i < m; i++)
            for (ptrdiff_t j = 0; j < n; j++) b[i] += s->matrix[i * n + j] * x[j];
        const double *const at[] = { x };
        const crease_block block = { .map = s->map };
        crease_problem p = { 1, &s->dom, &block, { 0 }, s->ran, b };
        crease_verification v = verified(&p, at, lambda, 0x1p-40, false);
        assert_true(v.verdict == CREASE_VERDICT_VALID && v.feasibility < 1e-15);
        crease_verification_free(&v);
        b[m - 1] += 0.125;
        v = verified(&p, at, lambda, 0.1, false);
        assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
        assert_close(v.feasibility, 0.125, 1e-14);
        assert_int_equal(v.worst_block, -1);
        crease_verification_free(&v);
        free(x), free(b), free(lambda);
    }
}

/* b = M x in long double: the constraint holds to the rounding of b, and the checker sees that; of
 * A' likewise, as the gradient of <lambda, A x> - <c, x>, c = M'lambda. */
static void transforms_are_those_of_the_definition(void **state)
{
    draws d = { .r = { .seed = 93 } };
    (void)state;
    for (int k = 0; k < CASE_COUNT; k++) {
        transform_case t;
        transform_case_at(&t, k, &d);
        const ptrdiff_t n = crease_size(&t.space);
        double *x = random_doubles(&d, n, 1), *b = doubles(n);
        double *lambda = random_doubles(&d, n, 1), *c = doubles(n);
        for (ptrdiff_t i = 0; i < n; i++) {
            long double out = 0, back = 0;
            for (ptrdiff_t j = 0; j < n; j++) {
                out += (long double)t.matrix[i * n + j] * x[j];
                back += (long double)t.matrix[j * n + i] * lambda[j];
            }
            b[i] = (double)out, c[i] = (double)back;
        }
        const double *const at[] = { x };
        const double *const linear[] = { c };
        const crease_quadratic_data form = { .blocks = 1, .linear = linear };
        const crease_block block = { .map = t.map };
        const crease_problem p = { 1, &t.space, &block, crease_quadratic(&form), t.space, b };
        crease_verification v = verified(&p, at, lambda, 1e-13, false);
        const double size = crs_norm(n * n, t.matrix);
        if (!(v.feasibility < 1e-15 * size * crs_norm(n, x)) ||
            !(v.residual[0] < 1e-15 * size * crs_norm(n, lambda)))
            fail_msg("%s, case %d: %g and %g", t.map.ops->name, k, v.feasibility, v.residual[0]);
        crease_verification_free(&v);
        free(x), free(b), free(lambda), free(c), case_end(&t);
    }
}

/* Kernels as large as the signal, which the checker takes by transforms of its own: its A x is that
 * of the library, and its A' the adjoint of that A. */
static void long_kernels_agree(void **state)
{
    const crease_space shape[] = { crease_vector(2310),
                                   crease_matrix(50, 51),
                                   { .order = 3, .dim = { 13, 14, 15 } } };
    draws d = { .r = { .seed = 94 } };
    (void)state;
    for (int k = 0; k < 6; k++) {
        const crease_space s = shape[k / 2];
        const ptrdiff_t n = crease_size(&s);
        double *h = random_doubles(&d, n, 1), *x = random_doubles(&d, n, 1), *b = doubles(n);
        double *lambda = random_doubles(&d, n, 1), *c = doubles(n);
        crease_kernel kernel = { .signal = s, .shape = s, .h = h, .circular = k % 2 };
        for (int i = 0; i < s.order; i++) kernel.origin[i] = below(&d, s.dim[i]);
        assert_true(crease_kernel_prepare(&kernel, NULL));
        const crease_block block = { .map = crease_convolution(&kernel) };
        assert_true(crease_apply(&block.map, &s, &s, x, b, NULL));
        assert_true(crease_adjoint(&block.map, &s, &s, lambda, c, NULL));
        const double *const at[] = { x }, *const linear[] = { c };
        const crease_quadratic_data form = { .blocks = 1, .linear = linear };
        const crease_problem p = { 1, &s, &block, crease_quadratic(&form), s, b };
        crease_verification v = verified(&p, at, lambda, 1e-7, false);
        const double size = crs_norm(n, h) * sqrt((double)n);
        if (v.verdict != CREASE_VERDICT_VALID) fail_msg("case %d: %s", k, v.text);
        assert_true(v.feasibility < 1e-13 * size * crs_norm(n, x));
        assert_true(v.residual[0] < 1e-13 * size * crs_norm(n, lambda));
        b[n / 2] += 1e-3;
        crease_verification w = verified(&p, at, lambda, 1e-4, false);
        assert_int_equal(w.verdict, CREASE_VERDICT_INVALID);
        crease_verification_free(&v), crease_verification_free(&w);
        crease_kernel_release(&kernel);
        free(h), free(x), free(b), free(lambda), free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_map_in_a_constraint),
        cmocka_unit_test(matrices_are_exact),
        cmocka_unit_test(large_matrices_are_exact),
        cmocka_unit_test(transforms_are_those_of_the_definition),
        cmocka_unit_test(long_kernels_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
