/* SPDX-License-Identifier: MIT
 * cp_cosines: permuted and scaled terms are found again; the pairing beats every other one */
#include "rpca/rpca.h"

#include <float.h>

#include "support/arrays.h"

enum { D = 3, R = 3, MOST = 6 };

static const crease_space shape = { .order = D, .dim = { 4, 5, MOST } };

static void draw(draws *d, ptrdiff_t rank, double *factor[D], crs_cp_terms *t)
{
    t->rank = rank;
    for (int n = 0; n < D; n++)
        t->factor[n] = factor[n] = random_doubles(d, shape.dim[n] * rank, 1);
}

static void discard(double *factor[D])
{
    for (int n = 0; n < D; n++) free(factor[n]);
}

static void permuted(void **state)
{
    static const int place[R] = { 2, 0, 1 };
    draws d = { { 1, 0 }, 0 };
    double *truth[D], *x[D], out[R * D];
    crs_cp_terms t, found;
    (void)state;
    draw(&d, R, truth, &t);
    draw(&d, R, x, &found);
    for (int n = 0; n < D; n++)
        for (ptrdiff_t i = 0; i < shape.dim[n]; i++)
            for (int k = 0; k < R; k++)
                x[n][i * R + place[k]] = (k == 1 ? -3 : 0.1) * truth[n][i * R + k];
    assert_true(crs_cp_cosines(&shape, &found, &t, out, NULL));
    for (int j = 0; j < R * D; j++) assert_true(fabs(out[j] - 1) <= 16 * DBL_EPSILON);
    discard(truth);
    discard(x);
}

static double naive(const crs_cp_terms *x, ptrdiff_t r, const crs_cp_terms *t, ptrdiff_t k, int n)
{
    double a[MOST], b[MOST];
    for (ptrdiff_t i = 0; i < shape.dim[n]; i++) {
        a[i] = x->factor[n][i * x->rank + r];
        b[i] = t->factor[n][i * t->rank + k];
    }
    return fabs(crs_dot(shape.dim[n], a, b)) / crs_norm(shape.dim[n], a) /
           crs_norm(shape.dim[n], b);
}

static void best_pairs(void **state)
{
    static const int order[][R] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                    { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        double *truth[D], *x[D], out[R * D], best = 0, got = 0;
        crs_cp_terms t, found;
        draw(&d, R, truth, &t);
        draw(&d, R, x, &found);
        assert_true(crs_cp_cosines(&shape, &found, &t, out, NULL));
        for (int k = 0; k < R; k++) got += out[k * D] * out[k * D + 1] * out[k * D + 2];
        for (int p = 0; p < 6; p++) {
            double sum = 0;
            for (int k = 0; k < R; k++)
                sum += naive(&found, order[p][k], &t, k, 0) * naive(&found, order[p][k], &t, k, 1) *
                       naive(&found, order[p][k], &t, k, 2);
            best = larger(best, sum);
        }
        assert_true(fabs(got - best) <= 64 * DBL_EPSILON);
        discard(truth);
        discard(x);
    }
}

/* Fewer terms than the truth: one is left with 0; more: none. An unknown mode is NaN. */
static void ranks(void **state)
{
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (ptrdiff_t rank = 1; rank <= R + 2; rank++) {
        double *truth[D], *x[D], out[R * D];
        crs_cp_terms t, found;
        ptrdiff_t none = 0;
        draw(&d, R, truth, &t);
        draw(&d, rank, x, &found);
        t.factor[1] = NULL;
        assert_true(crs_cp_cosines(&shape, &found, &t, out, NULL));
        for (int k = 0; k < R; k++) {
            none += out[k * D] == 0 && out[k * D + 2] == 0;
            assert_true(isnan(out[k * D + 1]));
        }
        assert_int_equal(none, rank < R ? R - rank : 0);
        discard(truth);
        discard(x);
    }
}

static void odd_numbers(void **state)
{
    draws d = { { 4, 0 }, 0 };
    double *truth[D], *x[D], out[D];
    crs_cp_terms t, found;
    (void)state;
    draw(&d, 1, truth, &t);
    draw(&d, 1, x, &found);
    fill(shape.dim[0], 0, x[0]);
    assert_true(crs_cp_cosines(&shape, &found, &t, out, NULL));
    assert_true(out[0] == 0 && out[1] > 0);
    x[2][1] = NAN;
    assert_true(crs_cp_cosines(&shape, &found, &t, out, NULL));
    for (int n = 0; n < D; n++) assert_true(isnan(out[n]));
    discard(truth);
    discard(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(permuted), cmocka_unit_test(best_pairs),
                                        cmocka_unit_test(ranks), cmocka_unit_test(odd_numbers) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
