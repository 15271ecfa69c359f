/* SPDX-License-Identifier: MIT
 * matrix_sets: projections by their variational inequality, oracles against feasible points,
 * supports, diameters, and what is refused */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(optimality),
        cmocka_unit_test(diameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
