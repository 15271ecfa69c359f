/* SPDX-License-Identifier: MIT
 * maps: the checker agrees with the certificate on constraints with every map */
#include "support/map_samples.h"
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_map_in_a_constraint),
        cmocka_unit_test(matrices_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
