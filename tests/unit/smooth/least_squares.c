/* SPDX-License-Identifier: MIT
 * least_squares: what is special about the last block, and its exact block steps */
#include "smooth/smooth.h"
#include "support/argmin.h"

enum { MAPS = 7, M = 6, MOST = 9 };

/* A predictor u = A x_0 + x_1 - rhs (or A x_0 - rhs), A of every kind. */
typedef struct {
    double a[M * MOST], d[M], rhs[M], weight[M];
    crease_map map[3];
    int block[3];
    crease_space space[2];
    crease_predictor p;
    crease_blocks blocks;
    double curvature; /* >= |A'A|, weights up to 3 */
} model;

static void make_model(draws *d, int kind, int terms, model *m)
{
    static const ptrdiff_t columns[MAPS] = { M, M, M, 4, MOST, 4, M };
    const ptrdiff_t n = columns[kind];
    draw_vector(d, M * n, 1, m->a);
    draw_vector(d, M, 1, m->rhs);
    for (int j = 0; j < M; j++) m->d[j] = kind == 2 ? j % 2 : normal(d);
    for (ptrdiff_t j = 0; kind == 5 && j < M; j++) /* rank 2: columns repeat */
        m->a[j * n + 2] = m->a[j * n], m->a[j * n + 3] = m->a[j * n + 1];
    for (int j = 0; j < M; j++) m->weight[j] = j % 4;
    m->map[0] = kind == 0   ? crease_identity(-1.5)
                : kind == 1 ? crease_diagonal(m->d)
                : kind == 2 ? crease_mask(m->d)
                            : crease_dense(m->a);
    m->map[1] = crease_identity(1);
    m->map[2] = kind == 6 ? crease_identity(2) : m->map[0]; /* a second map on block 0 */
    m->block[0] = m->block[2] = 0;
    m->block[1] = 1;
    m->space[0] = crease_vector(n);
    m->space[1] = crease_vector(M);
    m->p = (crease_predictor){
        .count = terms, .block = m->block, .map = m->map, .range = crease_vector(M), .rhs = m->rhs
    };
    m->blocks = (crease_blocks){ .count = 2, .space = m->space };
    m->curvature = 12 * crs_dot(M * n, m->a, m->a) + 120;
}

static void block_steps_are_optimal(void **state)
{
    static const double weight[] = { 0, 1e-6, 0.5, 1e3 }, radius[] = { INFINITY, 1e-3, 0.7, 50 };
    draws d = { { 1, 0 }, 0 };
    (void)state;
    for (int k = 0; k < MAPS * 3 * 16; k++) {
        model m;
        point x;
        make_model(&d, k % MAPS, 1 + k / MAPS % 3, &m);
        if (k / 7 % 2) m.p.weight = m.weight;
        draw_point(&d, &m.blocks, 1, &x);
        const crease_smooth f = crease_least_squares(&m.p);
        const double h = weight[k / MAPS / 3 % 4], r = radius[k / MAPS / 12 % 4];
        assert_argmin(&f, &m.blocks, &x, 0, h, r, m.curvature + h, &d);
        if (m.p.count > 1) assert_argmin(&f, &m.blocks, &x, 1, h, r, 3 + h, &d);
    }
}

/* With h = 0 and no ball the answer for repeated columns is the one of least norm. */
static void singular_maps_give_least_norm(void **state)
{
    draws d = { { 2, 0 }, 0 };
    model m;
    point x;
    (void)state;
    make_model(&d, 5, 1, &m);
    draw_point(&d, &m.blocks, 1, &x);
    const crease_smooth f = crease_least_squares(&m.p);
    const vector y = assert_argmin(&f, &m.blocks, &x, 0, 0, INFINITY, m.curvature, &d);
    assert_close(y.entry[0], y.entry[2], 1e-12);
    assert_close(y.entry[1], y.entry[3], 1e-12);
    make_model(&d, 2, 1, &m); /* a mask: exactly 0 where nothing is observed */
    const vector z = assert_argmin(&f, &m.blocks, &x, 0, 0, INFINITY, m.curvature, &d);
    for (int j = 0; j < M; j++) assert_true(z.entry[j] == (j % 2 ? m.rhs[j] : 0));
}

static void steps_are_declined_or_nan(void **state)
{
    static double a[300 * 300], work[400000], v[300], y[300];
    const int block = 0;
    const crease_space s = crease_vector(300), t[] = { s, s };
    const crease_map map = crease_dense(a);
    const crease_blocks b = { .count = 2, .space = t };
    const crease_predictor p = { .count = 1, .block = &block, .map = &map, .range = s };
    const crease_smooth f = crease_least_squares(&p);
    const double *const x[] = { v, v };
    draws d = { { 3, 0 }, 0 };
    model m;
    point at;
    (void)state;
    a[1] = 1;
    assert_false(f.ops->argmin(&f, &b, x, 0, 1, v, INFINITY, NULL, work)); /* too large */
    assert_false(f.ops->argmin(&f, &b, x, 1, 1, v, INFINITY, NULL, work)); /* not in f */

    for (int kind = 0; kind < MAPS; kind++) {
        make_model(&d, kind, 2, &m);
        draw_point(&d, &m.blocks, 1, &at);
        at.entry[1][1] = NAN;
        const crease_smooth g = crease_least_squares(&m.p);
        for (int k = 0; k < 2; k++) {
            const double r = k ? 0.5 : INFINITY;
            assert_true(g.ops->argmin(&g, &m.blocks, at.at, 0, 1, v, r, y, work));
            assert_true(isnan(crs_norm(crease_size(&m.space[0]), y)));
        }
    }
}

static void last_block_is_described(void **state)
{
    draws d = { { 4, 0 }, 0 };
    model m;
    (void)state;
    for (int kind = 0; kind < MAPS; kind++) {
        make_model(&d, kind, 1, &m);
        const crease_smooth f = crease_least_squares(&m.p), g = crease_cauchy(&m.p);
        crease_constants c = constants_of(&f, &m.blocks, 0, NULL);
        assert_true(c.separable_last && c.quadratic_last);
        assert_true(c.last_low >= 0 && c.last_high <= c.L * (1 + 1e-15));
        if (kind == 0) assert_true(c.last_low == 2.25 && c.last_high == 2.25);
        if (kind == 2) assert_true(c.last_low == 0 && c.last_high == 1);
        point x;
        draw_point(&d, &m.blocks, 1, &x); /* Rayleigh quotients of A'A lie between the two */
        m.p.rhs = NULL;
        const double n2 = square(crs_norm(crease_size(&m.space[0]), x.entry[0]));
        const double value = 2 * value_of(&f, &m.blocks, &x);
        assert_true(value >= c.last_low * n2 * (1 - 1e-14));
        assert_true(value <= c.last_high * n2 * (1 + 1e-14));

        for (int j = 0; j < M; j++) m.weight[j] = 1 + j; /* between once and six times */
        m.p.weight = m.weight;
        const crease_constants w = constants_of(&f, &m.blocks, 0, NULL);
        const double weighed = 2 * value_of(&f, &m.blocks, &x);
        assert_true(weighed >= w.last_low * n2 * (1 - 1e-14));
        assert_true(w.last_low >= c.last_low * (1 - 1e-15));
        assert_true(weighed <= w.last_high * n2 * (1 + 1e-14) && w.last_high <= 7 * c.last_high);
        m.p.weight = NULL;
        c = constants_of(&g, &m.blocks, 0, NULL);
        assert_true(c.separable_last && !c.quadratic_last);
        c = constants_of(&f, &m.blocks, 1, NULL); /* f does not touch block 1 */
        assert_true(c.separable_last && c.quadratic_last && c.last_low == 0 && c.last_high == 0);
        assert_true(c.M == 0);
        m.p.count = 2;
        c = constants_of(&f, &m.blocks, 1, NULL);
        assert_true(!c.separable_last && !c.quadratic_last && c.M > 0);
    }
    make_model(&d, 6, 1, &m); /* square, full rank: the lower end is not 0 */
    const crease_smooth f = crease_least_squares(&m.p);
    assert_true(constants_of(&f, &m.blocks, 0, NULL).last_low > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_steps_are_optimal),
        cmocka_unit_test(singular_maps_give_least_norm),
        cmocka_unit_test(steps_are_declined_or_nan),
        cmocka_unit_test(last_block_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
