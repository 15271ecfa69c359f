/* SPDX-License-Identifier: MIT
 * cp_range: any number of threads gives the same check of CP robust PCA; numbers beyond the range
 * of doubles' squares are left to long double; nothing passes that is not finite */
#include "support/cp_claim.h"

static const crease_space shape = { 3, { 9, 17, 40 }, NULL };

static void threads_do_not_matter(void **state)
{
    const crease_space s = { 3, { 11, 90, 130 }, NULL }; /* rows of three bands */
    draws d = { { 4, 1 }, 0 };
    crease_verification one, many;
    point p;
    (void)state;
    point_draw(&p, &d, &s, 1, 0, 0.1);
    p.c.threads = 1;
    assert_true(crease_cp_verify(&p.c, 1e-6, true, &one, NULL));
    for (int n = 0; n < 5; n++) {
        p.c.threads = n;
        assert_true(crease_cp_verify(&p.c, 1e-6, true, &many, NULL));
        assert_memory_equal(one.residual, many.residual, (size_t)one.count * sizeof(double));
        assert_true(one.smallest_eps == many.smallest_eps && one.feasibility == many.feasibility);
        crease_verification_free(&many);
    }
    crease_verification_free(&one);
    point_free(&p);
}

/* With everything times 2^k, and 2^2k in alpha, a relative residual stays what it was. */
static void scale_does_not_matter(void **state)
{
    draws d = { { 5, 1 }, 0 };
    point p;
    crease_verification v, w;
    (void)state;
    point_draw(&p, &d, &shape, 1, 0, 0.1);
    p.c.ridge = 0;
    assert_true(crease_cp_verify(&p.c, 1e-6, true, &v, NULL));
    for (int k = -900; k <= 900; k += 300) {
        point q = p;
        const double alpha = p.c.alpha;
        q.c.factor = q.factor, q.c.user = &q, q.c.alpha = ldexp(alpha, k);
        for (int n = 0; n < 3; n++) {
            q.factor[n] = q.x[n] = malloc((size_t)(p.c.shape.dim[n] * 3) * sizeof(double));
            for (ptrdiff_t j = 0; j < p.c.shape.dim[n] * 3; j++)
                q.x[n][j] = ldexp(p.x[n][j], k / 3);
        }
        for (int m = 0; m <= CREASE_RPCA_SEEN; m++) {
            q.part[m] = malloc((size_t)p.size * sizeof(double));
            for (ptrdiff_t j = 0; j < p.size; j++)
                q.part[m][j] = m == CREASE_RPCA_SEEN ? p.part[m][j] : ldexp(p.part[m][j], k);
        }
        assert_true(crease_cp_verify(&q.c, 1e-6, true, &w, NULL));
        assert_int_equal(w.verdict, v.verdict);
        assert_close(w.smallest_eps, v.smallest_eps, 1e-12);
        crease_verification_free(&w);
        point_free(&q);
    }
    crease_verification_free(&v);
    point_free(&p);
}

static void nothing_passes_that_is_not_finite(void **state)
{
    static const double bad[] = { NAN, INFINITY, -INFINITY };
    draws d = { { 6, 1 }, 0 };
    (void)state;
    for (int part = CREASE_RPCA_SPARSE; part <= CREASE_RPCA_DATA; part++)
        for (int b = 0; b < 3; b++) {
            point p;
            crease_verification v;
            ptrdiff_t j = 50;
            point_draw(&p, &d, &shape, 1, 0, 0.1);
            while (p.part[CREASE_RPCA_SEEN][j] == 0) j++;
            p.part[part][j] = bad[b];
            assert_true(crease_cp_verify(&p.c, 1e300, b == 1, &v, NULL));
            assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
            assert_true(v.smallest_eps == INFINITY);
            crease_verification_free(&v);
            point_free(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(threads_do_not_matter),
                                        cmocka_unit_test(scale_does_not_matter),
                                        cmocka_unit_test(nothing_passes_that_is_not_finite) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
