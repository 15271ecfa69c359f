/* SPDX-License-Identifier: MIT
 * smooth_sum: values, gradients and constants of sums, and which blocks keep a closed form */
#include "smooth/smooth.h"
#include "support/argmin.h"

enum { N = 5, TERMS = 4 };

/* (1) Cauchy of A x_0 - rhs, (2) a distance of x_0 and x_1, (3) of x_2 alone, (4) an l_p loss. */
typedef struct {
    double a[N * N], rhs[N];
    crease_map map;
    int block;
    crease_space space[3];
    crease_predictor p;
    crease_distance_data pair, alone;
    crease_smooth term[TERMS];
    crease_smooth_list list;
    crease_blocks blocks;
    crease_smooth f;
} model;

static void make_model(draws *d, int count, model *m)
{
    draw_vector(d, N * N, 1, m->a);
    draw_vector(d, N, 1, m->rhs);
    m->map = crease_dense(m->a);
    m->block = 0;
    for (int i = 0; i < 3; i++) m->space[i] = crease_vector(N);
    m->p = (crease_predictor){ 1, &m->block, &m->map, m->space[0], m->rhs, NULL };
    m->pair = (crease_distance_data){ 0, 1, 1.5, NULL };
    m->alone = (crease_distance_data){ 2, -1, 0.5, m->rhs };
    m->term[0] = crease_cauchy(&m->p);
    m->term[1] = crease_squared_distance(&m->pair);
    m->term[2] = crease_squared_distance(&m->alone);
    m->term[3] = crease_lp_loss(&m->p, 1.5);
    m->list = (crease_smooth_list){ count, m->term };
    m->blocks = (crease_blocks){ .count = 3, .space = m->space };
    m->f = crease_smooth_sum(&m->list);
}

static void values_add_up(void **state)
{
    draws d = { { 1, 0 }, 0 };
    (void)state;
    for (int count = 1; count <= TERMS; count++) {
        model m;
        point x;
        make_model(&d, count, &m);
        draw_point(&d, &m.blocks, 1, &x);
        double value = 0;
        for (int t = 0; t < count; t++) value += value_of(&m.term[t], &m.blocks, &x);
        assert_true(value_of(&m.f, &m.blocks, &x) == value);
        for (int i = 0; i < 3; i++) {
            vector g = { { 0 } };
            for (int t = 0; t < count; t++)
                axpy(N, 1, grad_of(&m.term[t], &m.blocks, &x, i).entry, g.entry);
            const vector sum = grad_of(&m.f, &m.blocks, &x, i);
            for (int j = 0; j < N; j++) assert_close(sum.entry[j], g.entry[j], 8 * 0x1p-53);
        }
        assert_true(m.f.ops->touches(&m.f, 0) && m.f.ops->touches(&m.f, 2) == (count > 2));
        x.entry[0][1] = NAN;
        assert_true(isnan(value_of(&m.f, &m.blocks, &x)));
    }
}

static void constants_hold(void **state)
{
    const double radius[] = { 2, 3, 1 };
    draws d = { { 2, 0 }, 0 };
    (void)state;
    for (int count = 1; count <= TERMS; count++) {
        model m;
        make_model(&d, count, &m);
        assert_constants(&m.f, &m.blocks, &d);
        crease_constants c = constants_of(&m.f, &m.blocks, 2, NULL);
        assert_true(c.separable_last && c.quadratic_last && !c.concave && c.lower == 0);
        assert_true(c.last_high == (count > 2 ? 0.5 : 0) && c.M == c.last_high);
        assert_true((c.rho == INFINITY) == (count == 4)); /* p = 1.5 beside 2 needs radii */
        m.blocks.radius = radius;
        c = constants_of(&m.f, &m.blocks, 0, NULL);
        assert_true(c.rho < INFINITY && c.p == (count == 4 ? 1.5 : 2) && !c.quadratic_last);
        assert_constants(&m.f, &m.blocks, &d);
    }
}

/* Terms on different blocks do not add up: L is the larger one. */
static void separate_terms_keep_their_constants(void **state)
{
    draws d = { { 3, 0 }, 0 };
    model m;
    double block[3], work[N];
    (void)state;
    make_model(&d, 2, &m);
    m.pair = (crease_distance_data){ 1, -1, -4, NULL };
    m.term[0] = crease_squared_distance(&m.alone);
    const crease_constants c = constants_of(&m.f, &m.blocks, 1, block);
    assert_close(c.L, 4, 8 * 0x1p-53);
    assert_close(c.M, 4, 8 * 0x1p-53);
    assert_close(c.rho, 0.5, 8 * 0x1p-53);
    assert_true(block[0] == 0 && block[1] == 4 && block[2] == 0.5 && c.last_low == -4);
    assert_true(c.lower == -INFINITY && !c.concave);
    assert_close(m.f.ops->curvature(&m.f, &m.blocks, NULL, 1, work), 4, 8 * 0x1p-53);
    m.alone.weight = -1;
    assert_true(constants_of(&m.f, &m.blocks, 1, NULL).concave);
}

/* On |x_2| <= 1 the step between opposite points has |d|_2^2 = sqrt(2) |d|_p^p for p = 1.5. */
static void exponents_are_converted(void **state)
{
    const double radius[] = { 1e-3, 1, 1 };
    draws d = { { 6, 0 }, 0 };
    model m;
    point x = { 0 }, y = { 0 };
    (void)state;
    make_model(&d, 4, &m);
    m.term[0] = m.term[1] = m.term[2]; /* three times (1/2)(1/2)|x_2 - rhs|^2 */
    m.blocks.radius = radius;
    fill(N * N, 1e-9, m.a);
    const crease_constants c = constants_of(&m.f, &m.blocks, 2, NULL);
    assert_true(c.p == 1.5 && c.quadratic_last);
    assert_close(c.rho, 1.5 * sqrt(2), 1e-14);
    assert_close(c.last_low, 1.5, 0x1p-52);
    assert_close(c.last_high, 1.5, 0x1p-52);
    for (int i = 0; i < 3; i++) x.at[i] = x.entry[i], y.at[i] = y.entry[i];
    x.entry[2][0] = 1, y.entry[2][0] = -1;
    assert_bounds(&m.f, &m.blocks, 2, &c, &x, &y);
}

static void one_term_steps_are_exact(void **state)
{
    draws d = { { 4, 0 }, 0 };
    static double work[1000];
    model m;
    point x;
    double block[3];
    (void)state;
    make_model(&d, 3, &m);
    draw_point(&d, &m.blocks, 1, &x);
    assert_argmin(&m.f, &m.blocks, &x, 1, 0.3, INFINITY, 2, &d);
    assert_argmin(&m.f, &m.blocks, &x, 2, 0, 0.7, 2, &d);
    assert_false(m.f.ops->argmin(&m.f, &m.blocks, x.at, 0, 1, NULL, INFINITY, NULL, work));
    m.list.count = 1; /* Cauchy alone has no closed form */
    assert_false(m.f.ops->argmin(&m.f, &m.blocks, x.at, 0, 1, NULL, INFINITY, NULL, work));
    assert_false(m.f.ops->argmin(&m.f, &m.blocks, x.at, 1, 1, NULL, INFINITY, NULL, work));
    constants_of(&m.f, &m.blocks, 0, block);
    assert_close(m.f.ops->curvature(&m.f, &m.blocks, x.at, 0, work), block[0], 8 * 0x1p-53);
}

static void bad_sums_are_refused(void **state)
{
    draws d = { { 5, 0 }, 0 };
    model m;
    (void)state;
    make_model(&d, 3, &m);
    m.alone.a = 7;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_ARGUMENT, "sum: term 3: ");
    const double radius[] = { 1, NAN, 1 };
    m.blocks.radius = radius;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_ARGUMENT, "radius of block 2");
    m.blocks.radius = NULL;
    m.space[1].order = 0;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_SHAPE, "block 2");
    m.blocks.count = 0;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_ARGUMENT, "no blocks");
    m.blocks.count = 1;
    m.list.count = 0;
    assert_refused(&m.f, &m.blocks, CREASE_BAD_ARGUMENT, "no terms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_add_up),
        cmocka_unit_test(constants_hold),
        cmocka_unit_test(separate_terms_keep_their_constants),
        cmocka_unit_test(exponents_are_converted),
        cmocka_unit_test(one_term_steps_are_exact),
        cmocka_unit_test(bad_sums_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
