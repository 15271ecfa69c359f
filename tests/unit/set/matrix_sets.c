/* SPDX-License-Identifier: MIT
 * matrix_sets: balls of matrices, the spectrahedron and the Birkhoff polytope against their
 * definitions and known cases */
#include "support/matrices.h"

enum { SETS = 4, NUCLEAR = 0, SPECTRAL, SPECTRAHEDRON, BIRKHOFF };

static crease_set make(int kind, double radius)
{
    return kind == NUCLEAR         ? crease_nuclear_ball(radius)
           : kind == SPECTRAL      ? crease_spectral_ball(radius)
           : kind == SPECTRAHEDRON ? crease_spectrahedron(radius)
                                   : crease_birkhoff();
}

/* x += weight R * (an extreme point of the set): unit u v', signed permutation, q q', or
 * permutation. */
static void add_extreme(draws *d, int kind, const crease_space *s, double weight, double *x)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    double *u = room(m), *v = room(n);
    gaussian(d, m, u), gaussian(d, n, v);
    if (kind == SPECTRAHEDRON) copy(n, u, v);
    const double factor = weight / (crs_norm(m, u) * crs_norm(n, v));
    const ptrdiff_t shift = (ptrdiff_t)uniform(d, 0, (double)(m > n ? m : n));
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            const bool on = m < n ? (i + shift) % n == j : i == (j + shift) % m;
            const double sign = kind == SPECTRAL && uniform(d, -1, 1) < 0 ? -1 : 1;
            const bool vectors = kind == NUCLEAR || kind == SPECTRAHEDRON;
            x[i * n + j] += vectors ? factor * u[i] * v[j] : on ? sign * weight : 0;
        }
    free(u), free(v);
}

static void feasible(draws *d, int kind, const crease_space *s, double radius, double *x)
{
    const double t = uniform(d, 0, 1), size = kind == BIRKHOFF ? 1 : radius;
    fill(crease_size(s), 0, x);
    add_extreme(d, kind, s, t * size, x);
    add_extreme(d, kind, s, (1 - t) * size, x);
}

static double excess_of(const crease_set *c, const crease_space *s, const double *x)
{
    double excess;
    assert_true(crease_excess(c, s, x, &excess, NULL));
    return excess;
}

static double support_of(const crease_set *c, const crease_space *s, const double *w)
{
    double value;
    assert_true(crease_support(c, s, w, &value, NULL));
    return value;
}

/* Rounding of products and sums over all entries, and the 1e-12 of the iteration. */
static double tolerance(const crease_space *s)
{
    return 1e-12 + 16 * (double)(crease_size(s) + 16) * unit;
}

/* p = P(v) iff p is feasible and max over y of <v - p, y> is attained at p. */
static void check_projection(const crease_set *c, const crease_space *s, double size,
                             const double *v)
{
    const ptrdiff_t n = crease_size(s);
    double *p = room(n), *r = room(n);
    copy(n, v, r);
    assert_true(crease_project(c, s, v, p, NULL));
    assert_true(crease_project(c, s, r, r, NULL));
    assert_memory_equal(p, r, (size_t)n * sizeof *p);
    assert_true(excess_of(c, s, p) <= tolerance(s) * size);
    for (ptrdiff_t j = 0; j < n; j++) r[j] = v[j] - p[j];
    const double scale = size * (crs_norm(n, v) + size) * (1 + sqrt((double)n));
    assert_true(support_of(c, s, r) <= crease_dot(s, r, p) + tolerance(s) * scale);
    free(p), free(r);
}

/* y is feasible, beats feasible points, and attains the support in the other direction. */
static void check_oracle(draws *d, int kind, const crease_set *c, const crease_space *s,
                         const double *g)
{
    const ptrdiff_t n = crease_size(s);
    const double size = kind == BIRKHOFF ? 1 : c->par[0];
    const double scale = size * crs_norm(n, g) * (1 + sqrt((double)n));
    double *y = room(n), *z = room(n);
    copy(n, g, z);
    assert_true(crease_lmo(c, s, g, y, NULL));
    assert_true(crease_lmo(c, s, z, z, NULL));
    assert_memory_equal(y, z, (size_t)n * sizeof *y);
    assert_true(excess_of(c, s, y) <= tolerance(s) * size);
    for (int k = 0; k < 8; k++) {
        feasible(d, kind, s, c->par[0], z);
        assert_true(excess_of(c, s, z) <= tolerance(s) * size);
        assert_true(crease_dot(s, g, y) <= crease_dot(s, g, z) + tolerance(s) * scale);
    }
    for (ptrdiff_t j = 0; j < n; j++) z[j] = -g[j];
    const double value = support_of(c, s, z), attained = crease_dot(s, z, y);
    assert_true(value >= attained - 8 * (double)n * unit * scale);
    assert_true(value <= attained + tolerance(s) * scale);
    free(y), free(z);
}

static void optimality(void **state)
{
    const ptrdiff_t shape[][2] = { { 1, 1 }, { 2, 2 }, { 5, 5 }, { 120, 120 },
                                   { 1, 6 }, { 4, 1 }, { 3, 5 }, { 130, 99 } };
    const double radius[] = { 1e-12, 1, 30, 1e12 };
    draws d = { .r = { .seed = 41 } };
    (void)state;
    for (int k = 0; k < 8 * SETS * 4; k++) {
        const int kind = k % SETS, which = k / SETS % 8;
        const crease_space s = crease_matrix(shape[which][0], shape[which][1]);
        const crease_set c = make(kind, radius[k / SETS / 8]);
        if (!crease_set_check(&c, &s, NULL)) continue;
        double *v = room(crease_size(&s));
        gaussian(&d, crease_size(&s), v);
        check_oracle(&d, kind, &c, &s, v);
        if (c.ops->project) check_projection(&c, &s, c.par[0], v);
        fill(crease_size(&s), 0, v);
        check_oracle(&d, kind, &c, &s, v);
        if (c.ops->project) check_projection(&c, &s, c.par[0], v);
        free(v);
    }
}

static double p_distance(ptrdiff_t n, const double *x, const double *y, double p)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += pow(fabs(x[j] - y[j]), p);
    return pow(sum, 1 / p);
}

static void diameters(void **state)
{
    const double p[] = { 1, 1.3, 2, 3, 10 };
    static double x[16], y[16];
    draws d = { .r = { .seed = 42 } };
    (void)state;
    for (int k = 0; k < SETS * 5 * 100; k++) {
        const int kind = k % SETS;
        const ptrdiff_t n = 1 + k / SETS % 4, m = kind < SPECTRAHEDRON ? 1 + k / 16 % 4 : n;
        const crease_space s = crease_matrix(m, n);
        const crease_set c = make(kind, 2.5);
        const double q = p[k / SETS % 5];
        double diameter;
        assert_true(crease_diameter(&c, &s, q, &diameter, NULL));
        fill(16, 0, x), fill(16, 0, y);
        add_extreme(&d, kind, &s, kind == BIRKHOFF ? 1 : 2.5, x);
        add_extreme(&d, kind, &s, kind == BIRKHOFF ? 1 : 2.5, y);
        for (ptrdiff_t j = 0; j < m * n && kind < SPECTRAHEDRON && k % 3 == 0; j++) y[j] = -x[j];
        /* a unit vector is one only to rounding */
        assert_true(p_distance(m * n, x, y, q) <= diameter * (1 + 16 * unit) + 64 * unit);
    }
}

static crease_set make_case(int kind)
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
        const crease_set c = make_case(expected[k].kind);
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
        const crease_set c = make_case(kind);
        assert_true(crease_project(&c, &s, v, x, NULL));
        for (int j = 0; j < 6; j++) assert_close(x[j], (kind ? spectral : nuclear)[j], 16 * unit);
        assert_true(crease_project(&c, &s, inside, x, NULL));
        assert_memory_equal(x, inside, sizeof inside);
    }
    const crease_set c = make_case(2);
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
        const crease_set c = make_case(kind);
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
        const crease_set c = make_case(kind);
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
        const crease_set c = make_case(k / 2);
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
        const crease_set c = make_case(kind);
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
        cmocka_unit_test(optimality),
        cmocka_unit_test(diameters),
        cmocka_unit_test(birkhoff_by_permutations),
        cmocka_unit_test(excesses),
        cmocka_unit_test(known_projections),
        cmocka_unit_test(attained_diameters),
        cmocka_unit_test(nan_comes_out),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
