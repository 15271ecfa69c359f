/* SPDX-License-Identifier: MIT
 * cp_gevd: the start by eigenvectors solves exact tensors, is continuous in noise, and says no to
 * what it cannot do */
#include "support/gevd_case.h"

static const struct {
    int order;
    ptrdiff_t dim[5], rank;
} exact[] = { { 3, { 10, 20, 30 }, 3 },   { 3, { 10, 20, 30 }, 15 },   { 3, { 9, 8, 2 }, 8 },
              { 3, { 1, 6, 7 }, 1 },      { 3, { 90, 6, 70 }, 5 },     { 4, { 6, 7, 5, 3 }, 5 },
              { 4, { 2, 12, 3, 12 }, 9 }, { 5, { 3, 6, 2, 5, 4 }, 4 }, { 2, { 7, 9 }, 4 } };

static void exact_tensors(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof exact / sizeof *exact; k++) {
        start c = make(exact[k].dim, exact[k].order, exact[k].rank, exact[k].rank, 0, 10 + k);
        const double error = run(&c, 0, 0);
        assert_true(error < 1e-8);
        assert_true(c.facts.rank == c.rank && c.facts.residual < 1e-8);
        assert_int_equal(c.facts.diagonalized, exact[k].order > 2);
        discard(&c);
    }
}

/* The tensor determines its terms: each column is one of the true ones up to sign and scale. */
static void terms_are_the_true_ones(void **state)
{
    const ptrdiff_t dim[] = { 8, 9, 7 };
    draws d = { { 5, 0 }, 0 };
    double *f[3];
    (void)state;
    start c = make(dim, 3, 4, 4, 0, 5);
    for (int n = 0; n < 3; n++) f[n] = random_doubles(&d, dim[n] * 4, 1);
    run(&c, 0, 0);
    for (int n = 0; n < 3; n++)
        for (int r = 0; r < 4; r++) {
            double best = 0;
            for (int q = 0; q < 4; q++) {
                double xy = 0, xx = 0, yy = 0;
                for (ptrdiff_t i = 0; i < dim[n]; i++) {
                    const double a = c.x[n][i * 4 + r], b = f[n][i * 4 + q];
                    xy += a * b, xx += a * a, yy += b * b;
                }
                best = larger(best, fabs(xy) / sqrt(xx * yy));
            }
            assert_true(best > 1 - 1e-12);
        }
    for (int n = 0; n < 3; n++) free(f[n]);
    discard(&c);
}

/* Least squares cannot do better than the noise in its parameters: sqrt(R sum I_n) noise. */
static void noise(void **state)
{
    const ptrdiff_t dim[] = { 12, 15, 18 };
    (void)state;
    for (double noise = 1e-6; noise < 1e-1; noise *= 100) {
        start c = make(dim, 3, 5, 5, noise, 7);
        const double norm = crs_norm(crease_size(&c.s), c.low);
        assert_true(run(&c, 0, 0) < 3 * noise * sqrt(5 * 45.0) / norm);
        discard(&c);
    }
}

/* A rank asked for in excess: the spare terms are 0. */
static void too_much_rank(void **state)
{
    const ptrdiff_t dim[] = { 12, 15, 18 };
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        start c = make(dim, 3, 4, 7, noisy * 1e-4, 8);
        assert_true(run(&c, 0, 0) < 1e-3);
        assert_int_equal(c.facts.rank, 4);
        for (ptrdiff_t i = 0; i < 12; i++)
            for (int r = 4; r < 7; r++) assert_true(c.x[0][i * 7 + r] == 0);
        discard(&c);
    }
}

/* No two modes as long as the rank: singular vectors and least squares, still a fit. */
static void fallback(void **state)
{
    const ptrdiff_t dim[] = { 6, 5, 7 };
    (void)state;
    start c = make(dim, 3, 7, 7, 0, 9);
    const double error = run(&c, 0, 0);
    assert_false(c.facts.diagonalized);
    assert_true(error < 0.5 && c.facts.rank == 7);
    discard(&c);
}

static void zeros_and_single_entries(void **state)
{
    const ptrdiff_t one[] = { 1, 1, 1 }, dim[] = { 4, 5, 6 };
    (void)state;
    start c = make(one, 3, 1, 2, 0, 1);
    assert_true(run(&c, 0, 0) < 1e-12);
    discard(&c);
    c = make(dim, 3, 1, 2, 0, 2);
    fill(120, 0, c.t);
    fill(120, 0, c.low);
    assert_true(run(&c, 2, 2) == 0);
    discard(&c);
}

/* Modes in another order: the same tensor comes back. */
static void permutation(void **state)
{
    const ptrdiff_t dim[] = { 9, 12, 7 }, turned[] = { 7, 9, 12 };
    (void)state;
    start c = make(dim, 3, 5, 5, 1e-3, 21), p = make(turned, 3, 5, 5, 0, 22);
    for (ptrdiff_t j = 0; j < 756; j++) {
        const ptrdiff_t a = j / 84, b = j / 7 % 12, k = j % 7, to = (k * 9 + a) * 12 + b;
        p.t[to] = c.t[j], p.low[to] = c.low[j];
    }
    const double first = run(&c, 0, 0), second = run(&p, 0, 0);
    assert_true(first < 1e-2 && fabs(first - second) < 0.2 * first);
    discard(&c), discard(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_tensors), cmocka_unit_test(terms_are_the_true_ones),
        cmocka_unit_test(noise),         cmocka_unit_test(too_much_rank),
        cmocka_unit_test(fallback),      cmocka_unit_test(zeros_and_single_entries),
        cmocka_unit_test(permutation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
