/* SPDX-License-Identifier: MIT
 * terms: matches and cosines against all pairings; components say the same as factors */
#include <float.h>

#include "rpca/rpca.h"
#include "support/arrays.h"
#include "support/rpca_naive.h"

enum { R = 4 };

static void columns(const crease_space *s, int n, const double *x, const int *perm, double scale,
                    double *y)
{
    for (ptrdiff_t i = 0; i < s->dim[n]; i++)
        for (int r = 0; r < R; r++) y[i * R + r] = scale * x[i * R + perm[r]];
}

/* A model matches itself in any order and scaling that leaves the terms as they are. */
static void a_model_matches_itself_in_any_order_and_scaling(void **state)
{
    const int perm[R] = { 2, 0, 3, 1 };
    const crease_space s = shape_of(3);
    const double scale[] = { -2, 0.25, -2 };
    draws d = { { 1, 0 }, 0 };
    double *x[3], *y[3], score;
    (void)state;
    for (int n = 0; n < 3; n++) {
        x[n] = random_doubles(&d, s.dim[n] * R, 1), y[n] = doubles(s.dim[n] * R);
        columns(&s, n, x[n], perm, scale[n], y[n]);
    }
    const double *const *a = (const double *const *)x, *const *b = (const double *const *)y;
    assert_true(crease_cp_match(&s, R, a, R, b, &score, NULL));
    assert_close(score, 1, 1e-14);
    for (ptrdiff_t i = 0; i < s.dim[1]; i++) y[1][i * R] = 0; /* one term vanishes */
    assert_true(crease_cp_match(&s, R, a, R, b, &score, NULL));
    assert_true(score < 0.75 + 1e-14 && score > 0.5);
    y[0][3] = NAN;
    assert_false(crease_cp_match(&s, R, a, R, b, &score, NULL));
    assert_true(isnan(score));
    assert_false(crease_cp_match(&s, 0, a, R, b, &score, NULL));
    for (int n = 0; n < 3; n++) free(x[n]), free(y[n]);
}

/* |term| and its |cosine| with another one from the whole tensors of the terms */
static double naive_pair(const crease_space *s, const double *const *x, int p,
                         const double *const *y, int q)
{
    double xy = 0, xx = 0, yy = 0;
    for (ptrdiff_t j = 0; j < crease_size(s); j++) {
        const double a = term(s, R, x, j, -1, p), b = term(s, R, y, j, -1, q);
        xy += a * b, xx += a * a, yy += b * b;
    }
    return fabs(xy) / sqrt(xx * yy) * (1 - fabs(sqrt(xx) - sqrt(yy)) / larger(sqrt(xx), sqrt(yy)));
}

static void match_is_the_best_of_all_pairings(void **state)
{
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int order = 2; order <= 4; order++) {
        const crease_space s = shape_of(order);
        double *x[4], *y[4], score, best = 0;
        for (int n = 0; n < order; n++)
            x[n] = random_doubles(&d, s.dim[n] * R, 1), y[n] = random_doubles(&d, s.dim[n] * R, 1);
        const double *const *a = (const double *const *)x, *const *b = (const double *const *)y;
        for (int code = 0; code < 256; code++) {
            const int p[R] = { code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6 & 3 };
            if ((1 << p[0] | 1 << p[1] | 1 << p[2] | 1 << p[3]) != 15) continue;
            double sum = 0;
            for (int r = 0; r < R; r++) sum += naive_pair(&s, a, r, b, p[r]) / R;
            best = larger(best, sum);
        }
        assert_true(crease_cp_match(&s, R, a, R, b, &score, NULL));
        assert_close(score, best, 1e-12);
        assert_true(crease_cp_match(&s, R, b, R, a, &score, NULL));
        assert_close(score, best, 1e-12);
        for (int n = 0; n < order; n++) free(x[n]), free(y[n]);
    }
}

enum { D = 3, K = 3, MOST = 6 };

static const crease_space box = { .order = D, .dim = { 4, 5, MOST } };

static void draw_terms(draws *d, ptrdiff_t rank, double *factor[D], crs_cp_terms *t)
{
    t->rank = rank;
    for (int n = 0; n < D; n++) t->factor[n] = factor[n] = random_doubles(d, box.dim[n] * rank, 1);
}

static void discard(double *factor[D])
{
    for (int n = 0; n < D; n++) free(factor[n]);
}

static void permuted_and_scaled_terms_are_found_again(void **state)
{
    static const int place[K] = { 2, 0, 1 };
    draws d = { { 1, 0 }, 0 };
    double *truth[D], *x[D], out[K * D];
    crs_cp_terms t, found;
    (void)state;
    draw_terms(&d, K, truth, &t);
    draw_terms(&d, K, x, &found);
    for (int n = 0; n < D; n++)
        for (ptrdiff_t i = 0; i < box.dim[n]; i++)
            for (int k = 0; k < K; k++)
                x[n][i * K + place[k]] = (k == 1 ? -3 : 0.1) * truth[n][i * K + k];
    assert_true(crs_cp_cosines(&box, &found, &t, out, NULL));
    for (int j = 0; j < K * D; j++) assert_true(fabs(out[j] - 1) <= 16 * DBL_EPSILON);
    discard(truth);
    discard(x);
}

static double naive_cosine(const crs_cp_terms *x, ptrdiff_t r, const crs_cp_terms *t, ptrdiff_t k,
                           int n)
{
    double a[MOST], b[MOST];
    for (ptrdiff_t i = 0; i < box.dim[n]; i++) {
        a[i] = x->factor[n][i * x->rank + r];
        b[i] = t->factor[n][i * t->rank + k];
    }
    return fabs(crs_dot(box.dim[n], a, b)) / crs_norm(box.dim[n], a) / crs_norm(box.dim[n], b);
}

static void pairing_of_cosines_beats_every_other(void **state)
{
    static const int order[][K] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                    { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 50; trial++) {
        double *truth[D], *x[D], out[K * D], best = 0, got = 0;
        crs_cp_terms t, found;
        draw_terms(&d, K, truth, &t);
        draw_terms(&d, K, x, &found);
        assert_true(crs_cp_cosines(&box, &found, &t, out, NULL));
        for (int k = 0; k < K; k++) got += out[k * D] * out[k * D + 1] * out[k * D + 2];
        for (int p = 0; p < 6; p++) {
            double sum = 0;
            for (int k = 0; k < K; k++)
                sum += naive_cosine(&found, order[p][k], &t, k, 0) *
                       naive_cosine(&found, order[p][k], &t, k, 1) *
                       naive_cosine(&found, order[p][k], &t, k, 2);
            best = larger(best, sum);
        }
        assert_true(fabs(got - best) <= 64 * DBL_EPSILON);
        discard(truth);
        discard(x);
    }
}

/* Fewer terms than the truth: one is left with 0; more: none. An unknown mode is NaN. */
static void a_term_without_partner_has_cosine_zero_and_an_unknown_mode_nan(void **state)
{
    draws d = { { 3, 0 }, 0 };
    (void)state;
    for (ptrdiff_t rank = 1; rank <= K + 2; rank++) {
        double *truth[D], *x[D], out[K * D];
        crs_cp_terms t, found;
        ptrdiff_t none = 0;
        draw_terms(&d, K, truth, &t);
        draw_terms(&d, rank, x, &found);
        t.factor[1] = NULL;
        assert_true(crs_cp_cosines(&box, &found, &t, out, NULL));
        for (int k = 0; k < K; k++) {
            none += out[k * D] == 0 && out[k * D + 2] == 0;
            assert_true(isnan(out[k * D + 1]));
        }
        assert_int_equal(none, rank < K ? K - rank : 0);
        discard(truth);
        discard(x);
    }
}

static void a_zero_column_has_cosine_zero_and_nan_stays_nan(void **state)
{
    draws d = { { 4, 0 }, 0 };
    double *truth[D], *x[D], out[D];
    crs_cp_terms t, found;
    (void)state;
    draw_terms(&d, 1, truth, &t);
    draw_terms(&d, 1, x, &found);
    fill(box.dim[0], 0, x[0]);
    assert_true(crs_cp_cosines(&box, &found, &t, out, NULL));
    assert_true(out[0] == 0 && out[1] > 0);
    x[2][1] = NAN;
    assert_true(crs_cp_cosines(&box, &found, &t, out, NULL));
    for (int n = 0; n < D; n++) assert_true(isnan(out[n]));
    discard(truth);
    discard(x);
}

/* Shares are of squares and add up to 1; no entry of a column is larger than its peak. */
static void check_peaks(const crease_space *s, const double *const *u, const double *weight)
{
    double share[4], sum = 0;
    ptrdiff_t peak[4 * 5];
    crease_cp_peaks(s, 4, u, weight, share, peak);
    for (int r = 0; r < 4; r++) {
        sum += share[r];
        assert_close(share[r] * square(weight[0]), share[0] * square(weight[r]), 1e-14);
        for (int n = 0; n < s->order; n++) {
            const double top = fabs(u[n][peak[r * s->order + n] * 4 + r]);
            for (ptrdiff_t i = 0; i < s->dim[n]; i++) assert_true(fabs(u[n][i * 4 + r]) <= top);
        }
    }
    assert_close(sum, 1, 1e-14);
}

/* Unit columns, weights descending and >= 0, signs by the rule, the same tensor. */
static void components_say_the_same_as_factors(void **state)
{
    draws d = { { 9, 0 }, 0 };
    (void)state;
    for (int order = 2; order <= 5; order++) {
        const crease_space s = shape_of(order);
        double *x[5], *u[5], weight[4], *was = doubles(crease_size(&s)),
                                        *now = doubles(crease_size(&s));
        const double *const *factor = (const double *const *)x;
        for (int n = 0; n < order; n++) {
            x[n] = random_doubles(&d, s.dim[n] * 4, 1), u[n] = doubles(s.dim[n] * 4);
            for (ptrdiff_t i = 0; i < s.dim[n]; i++) x[n][i * 4 + 2] = n == 1 ? 0 : 1;
        }
        assert_true(crease_cp_components(&s, 4, factor, u, weight, NULL));
        assert_true(weight[0] >= weight[1] && weight[1] >= weight[2] && weight[3] == 0);
        check_peaks(&s, (const double *const *)u, weight);
        for (int n = 0; n < order; n++)
            for (int r = 0; r < 4; r++) {
                double squares = 0, top = 0;
                for (ptrdiff_t i = 0; i < s.dim[n]; i++) {
                    squares += square(u[n][i * 4 + r]);
                    if (fabs(u[n][i * 4 + r]) > fabs(top)) top = u[n][i * 4 + r];
                }
                assert_close(squares, r < 3, 1e-15);
                assert_true(n == order - 1 || r == 3 || top > 0);
            }
        assert_true(crease_cp_lowrank(&s, 4, factor, was, NULL));
        for (ptrdiff_t i = 0; i < s.dim[0] * 4; i++) u[0][i] *= weight[i % 4];
        assert_true(crease_cp_lowrank(&s, 4, (const double *const *)u, now, NULL));
        assert_true(crease_relative_error(crease_size(&s), now, was) < 1e-14);
        for (int n = 0; n < order; n++) free(x[n]), free(u[n]);
        free(was), free(now);
    }
}

static void relative_errors_and_spectral_ranks_are_by_definition(void **state)
{
    const double zero[2] = { 0, 0 }, x[2] = { 3, 4 };
    const crease_space s = { .order = 3, .dim = { 12, 10, 9 } };
    (void)state;
    assert_true(crease_relative_error(2, zero, zero) == 0);
    assert_true(crease_relative_error(2, x, zero) == INFINITY);
    assert_true(crease_relative_error(2, zero, x) == 1);
    for (ptrdiff_t rank = 1; rank <= 4; rank++) {
        ptrdiff_t guess;
        crease_cp_recipe r = crease_cp_recipe_default(&s, rank);
        r.seed = 3;
        crease_cp_instance *c = crease_cp_generate(&r, NULL);
        assert_true(crease_cp_rank(&s, c->tensor, NULL, &guess, NULL));
        assert_int_equal(guess, rank);
        crease_cp_instance_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_matches_itself_in_any_order_and_scaling),
        cmocka_unit_test(match_is_the_best_of_all_pairings),
        cmocka_unit_test(permuted_and_scaled_terms_are_found_again),
        cmocka_unit_test(pairing_of_cosines_beats_every_other),
        cmocka_unit_test(a_term_without_partner_has_cosine_zero_and_an_unknown_mode_nan),
        cmocka_unit_test(a_zero_column_has_cosine_zero_and_nan_stays_nan),
        cmocka_unit_test(components_say_the_same_as_factors),
        cmocka_unit_test(relative_errors_and_spectral_ranks_are_by_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
