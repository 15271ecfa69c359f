/* SPDX-License-Identifier: MIT
 * matrix_sets_cases: answers known in advance, extremes that attain the diameters, what is refused
 */
#include "support/matrices.h"

static crease_set make(int kind)
{
    return kind == 0   ? crease_nuclear_ball(2)
           : kind == 1 ? crease_spectral_ball(2)
           : kind == 2 ? crease_spectrahedron(2)
                       : crease_birkhoff();
}

/* The support of the doubly stochastic matrices against all permutations. */
static void birkhoff_by_permutations(void **state)
{
    const crease_set c = crease_birkhoff();
    double w[36], y[36], value;
    draws d = { .r = { .seed = 51 } };
    (void)state;
    for (int k = 0; k < 100; k++) {
        const ptrdiff_t n = 1 + k % 6;
        const crease_space s = crease_matrix(n, n);
        for (ptrdiff_t j = 0; j < n * n; j++) w[j] = k % 2 ? floor(uniform(&d, -2, 3)) : normal(&d);
        assert_true(crease_support(&c, &s, w, &value, NULL));
        for (ptrdiff_t j = 0; j < n * n; j++) w[j] = -w[j];
        assert_close(value, -cheapest(n, w, 0, 0), 64 * unit);
        assert_true(crease_lmo(&c, &s, w, y, NULL));
        assert_close(-crs_dot(n * n, w, y), value, 64 * unit);
        for (ptrdiff_t j = 0; j < n * n; j++) assert_true(y[j] == 0 || y[j] == 1);
        assert_true(crease_excess(&c, &s, y, &value, NULL) && value == 0);
    }
}

static void excesses(void **state)
{
    const crease_space s = crease_matrix(2, 2);
    const double half[] = { 0.5, 0.5, 0.5, 0.5 }, row[] = { 1, 1, 0, 0 },
                 minus[] = { 2, -1, -1, 2 };
    const double diagonal[] = { 3, 0, 0, -1 }, skew[] = { 1, 0.5, 0, 1 };
    const struct {
        int kind;
        const double *x;
        double excess;
    } expected[] = { { 3, half, 0 },     { 3, row, 1 },      { 3, minus, 1 },
                     { 0, diagonal, 2 }, { 1, diagonal, 1 }, { 2, diagonal, 1 },
                     { 2, skew, 0.5 },   { 2, half, 1 },     { 0, half, 0 } };
    (void)state;
    for (int k = 0; k < 9; k++) {
        const crease_set c = make(expected[k].kind);
        double excess;
        assert_true(crease_excess(&c, &s, expected[k].x, &excess, NULL));
        assert_close(excess, expected[k].excess, 32 * unit);
    }
}

/* Diagonal matrices: the projections are those of the diagonal. Points inside do not move. */
static void known_projections(void **state)
{
    const crease_space s = crease_matrix(2, 3), square = crease_matrix(2, 2);
    const double v[] = { 3, 0, 0, 0, 0, 2 }, inside[] = { 0.3, 0.1, 0, 0.2, 0, 0.4 };
    const double nuclear[] = { 1.5, 0, 0, 0, 0, 0.5 }, spectral[] = { 2, 0, 0, 0, 0, 2 };
    const double lopsided[] = { 3, 4, -4, 1 }, spectrum[] = { 2, 0, 0, 0 };
    double x[6];
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const crease_set c = make(kind);
        assert_true(crease_project(&c, &s, v, x, NULL));
        for (int j = 0; j < 6; j++) assert_close(x[j], (kind ? spectral : nuclear)[j], 16 * unit);
        assert_true(crease_project(&c, &s, inside, x, NULL));
        assert_memory_equal(x, inside, sizeof inside);
    }
    const crease_set c = make(2);
    assert_true(crease_project(&c, &square, lopsided, x, NULL));
    for (int j = 0; j < 4; j++) assert_close(x[j], spectrum[j], 16 * unit);
}

static double p_norm(ptrdiff_t n, const double *x, double p)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += pow(fabs(x[j]), p);
    return pow(sum, 1 / p);
}

/* Differences of two points that attain the diameter where it is exact. */
static void attained_diameters(void **state)
{
    const double p[] = { 1, 1.5, 2, 4 };
    (void)state;
    for (int k = 0; k < 16; k++) {
        const int kind = k / 4;
        const double q = p[k % 4];
        const crease_space s = crease_matrix(3, kind < 2 ? 5 : 3);
        const ptrdiff_t m = 3, n = s.dim[1];
        const crease_set c = make(kind);
        double x[15] = { 0 }, diameter;
        if (kind == 0) fill(m * n, 4 / sqrt(15), x);          /* R and -R ones/sqrt(mn) */
        if (kind == 0 && q >= 2) fill(m * n, 0, x), x[0] = 4; /* R and -R e1 e1' */
        if (kind == 1) x[0] = x[n + 1] = x[2 * n + 2] = 4;    /* R and -R (I 0) */
        if (kind == 2) x[0] = 2, x[4] = -2;                   /* e1 e1', e2 e2' */
        if (kind == 3) fill(9, 1, x), x[0] = x[4] = x[8] = 0, x[1] = x[5] = x[6] = -1;
        assert_true(crease_diameter(&c, &s, q, &diameter, NULL));
        const bool exact = kind == 0 || (kind == 1 && q >= 2) || (kind == 2 && q == 2) || kind == 3;
        assert_true(p_norm(m * n, x, q) <= diameter * (1 + 16 * unit));
        if (exact) assert_close(p_norm(m * n, x, q), diameter, 16 * unit);
    }
    const crease_space one = crease_matrix(1, 1);
    for (int kind = 2; kind < 4; kind++) {
        const crease_set c = make(kind);
        double diameter;
        assert_true(crease_diameter(&c, &one, 2, &diameter, NULL) && diameter == 0);
    }
}

static void nan_comes_out(void **state)
{
    const crease_space s = crease_matrix(3, 3);
    const double bad[] = { NAN, INFINITY };
    (void)state;
    for (int k = 0; k < 8; k++) {
        const crease_set c = make(k / 2);
        double x[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, y[9], value;
        x[5] = bad[k % 2];
        assert_true(crease_excess(&c, &s, x, &value, NULL) && !(value < INFINITY));
        assert_true(crease_support(&c, &s, x, &value, NULL) && isnan(value));
        assert_true(crease_lmo(&c, &s, x, y, NULL) && isnan(crs_norm(9, y)));
        if (c.ops->project)
            assert_true(crease_project(&c, &s, x, y, NULL) && isnan(crs_norm(9, y)));
    }
}

static void ignore(const void *self, double *v, int n) { (void)self, (void)v, (void)n; }

static void refusals(void **state)
{
    const crease_comm comm = { ignore, ignore, NULL };
    const double x[4] = { 0 };
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        const crease_set c = make(kind);
        crease_space s = crease_matrix(2, 2), flat = crease_vector(4), wide = crease_matrix(2, 3);
        crease_error e;
        assert_true(crease_set_check(&c, &s, &e));
        assert_false(crease_set_check(&c, &flat, &e));
        assert_int_equal(e.code, CREASE_BAD_SHAPE);
        assert_true(crease_set_check(&c, &wide, &e) == (kind < 2));
        if (kind >= 2) assert_int_equal(e.code, CREASE_BAD_SHAPE);
        if (kind >= 2) assert_non_null(strstr(e.text, "2 x 3"));
        s.comm = &comm;
        assert_false(crease_set_check(&c, &s, &e));
        assert_int_equal(e.code, CREASE_UNSUPPORTED);
        assert_non_null(strstr(e.text, c.ops->name));
    }
    const crease_set flat = crease_spectrahedron(0), none = crease_birkhoff();
    const crease_space s = crease_matrix(2, 2);
    double y[4];
    crease_error e;
    assert_false(crease_set_check(&flat, &s, &e) || crease_project(&none, &s, x, y, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(birkhoff_by_permutations),
        cmocka_unit_test(excesses),
        cmocka_unit_test(known_projections),
        cmocka_unit_test(attained_diameters),
        cmocka_unit_test(nan_comes_out),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
