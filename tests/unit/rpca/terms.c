/* SPDX-License-Identifier: MIT
 * terms: the score of two models against all pairings, and a family of starts */
#include "rpca/start.h"
#include "support/rpca_naive.h"

enum { R = 4 };

static void columns(const crease_space *s, int n, const double *x, const int *perm, double scale,
                    double *y)
{
    for (ptrdiff_t i = 0; i < s->dim[n]; i++)
        for (int r = 0; r < R; r++) y[i * R + r] = scale * x[i * R + perm[r]];
}

/* A model matches itself in any order and scaling that leaves the terms as they are. */
static void same_terms(void **state)
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

static void against_all_pairings(void **state)
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

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const double *x, ptrdiff_t n)
{
    double *sorted = doubles(n);
    for (ptrdiff_t j = 0; j < n; j++) sorted[j] = fabs(x[j]);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    const double m = sorted[n / 2];
    free(sorted);
    return m;
}

/* Every member of the family is finite and reproducible; random ones differ and have the scale. */
static void family(void **state)
{
    const crease_space s = { .order = 3, .dim = { 8, 9, 10 } };
    const crs_cp_gevd_options o = { .rank = R, .seed = 5 };
    crease_cp_recipe recipe = crease_cp_recipe_default(&s, R);
    crease_cp_instance *c = crease_cp_generate(&recipe, NULL);
    const crs_cp_view v = { .shape = s, .tensor = c->tensor, .limit = INFINITY };
    double *x[3], *y[3], *m = doubles(720), score;
    (void)state;
    for (int n = 0; n < 3; n++) x[n] = doubles(s.dim[n] * R), y[n] = doubles(s.dim[n] * R);
    const double *const *a = (const double *const *)x, *const *b = (const double *const *)y;
    for (int q = 0; q < 6; q++) {
        assert_true(crs_cp_start_of(&v, &o, q, x, NULL) && crs_cp_start_of(&v, &o, q, y, NULL));
        for (int n = 0; n < 3; n++)
            assert_memory_equal(x[n], y[n], (size_t)(s.dim[n] * R) * sizeof(double));
        assert_true(crease_cp_lowrank(&s, R, a, m, NULL) && crs_all_finite(720, m));
        if (q == 0) assert_true(crease_relative_error(720, m, c->lowrank) < 0.02);
        if (q < 3) continue;
        assert_close(2 * median_of(m, 720) / median_of(c->tensor, 720), 1, 1e-12);
        assert_true(crs_cp_start_of(&v, &o, q + 1, y, NULL));
        assert_true(crease_cp_match(&s, R, a, R, b, &score, NULL) && score < 0.9);
    }
    for (int n = 0; n < 3; n++) free(x[n]), free(y[n]);
    free(m);
    crease_cp_instance_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_terms),
                                        cmocka_unit_test(against_all_pairings),
                                        cmocka_unit_test(family) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
