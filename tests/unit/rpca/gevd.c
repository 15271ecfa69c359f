/* SPDX-License-Identifier: MIT
 * gevd: the start by eigenvectors solves exact tensors, is continuous in noise, and says no to what
 * it cannot do; clipped and completed data give a start where raw ones do not */
#include "support/gevd_case.h"

static const struct {
    int order;
    ptrdiff_t dim[5], rank;
} exact[] = { { 3, { 10, 20, 30 }, 3 },   { 3, { 10, 20, 30 }, 15 },   { 3, { 9, 8, 2 }, 8 },
              { 3, { 1, 6, 7 }, 1 },      { 3, { 90, 6, 70 }, 5 },     { 4, { 6, 7, 5, 3 }, 5 },
              { 4, { 2, 12, 3, 12 }, 9 }, { 5, { 3, 6, 2, 5, 4 }, 4 }, { 2, { 7, 9 }, 4 } };

static void exact_tensors_are_solved(void **state)
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
static void error_is_that_of_least_squares_in_noise(void **state)
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
static void spare_terms_of_too_large_a_rank_are_zero(void **state)
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
static void short_modes_fall_back_to_singular_vectors(void **state)
{
    const ptrdiff_t dim[] = { 6, 5, 7 };
    (void)state;
    start c = make(dim, 3, 7, 7, 0, 9);
    const double error = run(&c, 0, 0);
    assert_false(c.facts.diagonalized);
    assert_true(error < 0.5 && c.facts.rank == 7);
    discard(&c);
}

static void zeros_and_single_entries_are_solved(void **state)
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
static void modes_in_another_order_give_the_same_tensor(void **state)
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

/* A tenth of the entries is ten times too large, another tenth missing. */
static void outliers_and_holes_are_clipped_and_completed(void **state)
{
    const ptrdiff_t dim[] = { 15, 20, 25 };
    draws d = { { 31, 0 }, 0 };
    (void)state;
    start c = make(dim, 3, 4, 4, 1e-3, 31);
    for (ptrdiff_t j = 0; j < 7500; j++)
        if (below(&d, 10) == 0) c.t[j] += 20 * normal(&d);
    const double raw = run(&c, 0, 0), clipped = run(&c, 3, 3);
    assert_true(clipped < 0.2 && clipped < raw / 2);
    double *m = doubles(7500);
    unsigned char *mask = calloc(7500, 1);
    crs_memory data;
    for (ptrdiff_t j = 0; j < 7500; j++) {
        mask[j] = below(&d, 10) > 0;
        if (mask[j] == 0) c.t[j] = NAN;
    }
    crs_cp_view v = view_of(&c);
    crs_memory_open(&data, &c.s, c.t, mask);
    v.source = &data.source;
    const crs_cp_gevd_options o = { .rank = 4, .clip = 3, .rounds = 5 };
    assert_true(crs_cp_gevd_robust(&v, &o, c.x, NULL, NULL));
    assert_true(crease_cp_lowrank(&c.s, 4, (const double *const *)c.x, m, NULL));
    assert_true(crease_relative_error(7500, m, c.low) < 0.2);
    free(mask), free(m);
    discard(&c);
}

static void nan_is_refused(void **state)
{
    const ptrdiff_t dim[] = { 4, 5, 6 };
    crease_error e;
    (void)state;
    start c = make(dim, 3, 2, 2, 0, 1);
    const crs_cp_view v = view_of(&c);
    const crs_cp_gevd_options o = { .rank = 2 };
    c.t[17] = NAN;
    assert_false(crs_cp_gevd_robust(&v, &o, c.x, NULL, &e));
    assert_int_equal(e.code, CREASE_BAD_DATA);
    assert_non_null(strstr(e.text, "entry 18"));
    discard(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_tensors_are_solved),
        cmocka_unit_test(terms_are_the_true_ones),
        cmocka_unit_test(error_is_that_of_least_squares_in_noise),
        cmocka_unit_test(spare_terms_of_too_large_a_rank_are_zero),
        cmocka_unit_test(short_modes_fall_back_to_singular_vectors),
        cmocka_unit_test(zeros_and_single_entries_are_solved),
        cmocka_unit_test(modes_in_another_order_give_the_same_tensor),
        cmocka_unit_test(outliers_and_holes_are_clipped_and_completed),
        cmocka_unit_test(nan_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
