/* SPDX-License-Identifier: MIT
 * frank_wolfe: sets with a linear oracle alone: what it ends with is stationary by the definitions,
 * inside the set, F never rises, and the answer is the known one where f is convex */
#include "composite/atoms.h"
#include "set/set.h"
#include "support/core_steps.h"

enum { SIDE = 7, N = SIDE * SIDE, ROWS = 30, MOST = 3000 };

typedef struct {
    double target[N], map[ROWS * N], rhs[ROWS];
    crease_set_ops ops;
    crease_set set;
    crease_space space;
    crease_block block;
    crease_distance_data near;
    crease_map design;
    int first;
    crease_predictor u;
} example;

static crease_problem problem_of(example *s, crease_space space)
{
    s->space = space;
    s->block = (crease_block){ .set = &s->set };
    return (crease_problem){ .count = 1, .space = &s->space, .block = &s->block };
}

static void draw(draws *d, example *s)
{
    *s = (example){ .set = crease_birkhoff() };
    normals(d, N, 0.4, s->target);
    normals(d, ROWS * N, 0.3, s->map);
    normals(d, ROWS, 1, s->rhs);
    s->near = (crease_distance_data){ .a = 0, .b = -1, .weight = 1, .d = s->target };
}

/* Any set of the catalogue without its projection. */
static void hide_projection(example *s, crease_set set)
{
    s->ops = *set.ops;
    s->ops.project = NULL;
    s->ops.dist_normal = NULL;
    s->set = set;
    s->set.ops = &s->ops;
}

static void ends_stationary(const crease_problem *p, const char *what, core_steps *r)
{
    double room[4 * N + 200];
    core_begin(r, &crs_core_frank_wolfe, p, 1e-8, NULL);
    core_go(r, MOST);
    const double worst = core_certified(r, p);
    if (r->said != CRS_CORE_DONE || !(worst <= 1.001e-8))
        fail_msg("%s: state %d after %ld steps, worst %g", what, (int)r->said, r->steps, worst);
    const crease_set *set = p->block[0].set;
    assert_true(crease_set_scratch(set, p->space) <= (ptrdiff_t)(sizeof room / sizeof *room));
    assert_true(set->ops->excess(set, p->space, r->now.x, room) <= 1e-12);
}

static void the_nearest_point_is_the_projection(void **state)
{
    draws d = { { 71, 1 }, 0 };
    example s;
    core_steps r;
    double nearest[N], room[4 * N];
    (void)state;
    for (int k = 0; k < 20; k++) {
        const crease_set sets[] = { crease_simplex(1.5), crease_capped_simplex(5),
                                    crease_l1_ball(2), crease_box(-0.2, 0.3) };
        draw(&d, &s);
        hide_projection(&s, sets[k % 4]);
        crease_problem p = problem_of(&s, crease_vector(N));
        p.f = crease_squared_distance(&s.near);
        ends_stationary(&p, s.set.ops->name, &r);
        sets[k % 4].ops->project(&sets[k % 4], &s.space, s.target, nearest, room);
        for (int j = 0; j < N; j++) assert_close(r.now.x[j], nearest[j], 2e-4);
        core_end(&r);
    }
}

static void losses_that_are_not_convex_end_stationary(void **state)
{
    draws d = { { 72, 1 }, 0 };
    example s;
    core_steps r;
    (void)state;
    for (int k = 0; k < 24; k++) {
        draw(&d, &s);
        crease_problem p = problem_of(&s, crease_matrix(SIDE, SIDE));
        s.design = crease_dense(s.map);
        s.u = (crease_predictor){ .count = 1, .block = &s.first, .map = &s.design, .rhs = s.rhs };
        s.u.range = crease_vector(ROWS);
        p.f = k % 3 == 0   ? crease_cauchy(&s.u)
              : k % 3 == 1 ? crease_huber_loss(&s.u, 0.5)
                           : crease_welsch(&s.u);
        ends_stationary(&p, p.f.ops->name, &r);
        core_end(&r);
    }
}

/* f = |x - d|^2/2 - (a/2)|x|^2, a > 1 gives a vertex. */
static void squares_that_curve_downward_end_stationary(void **state)
{
    draws d = { { 73, 1 }, 0 };
    example s;
    core_steps r;
    (void)state;
    for (int k = 0; k < 12; k++) {
        draw(&d, &s);
        crease_problem p = problem_of(&s, crease_matrix(SIDE, SIDE));
        crease_distance_data down = { .a = 0, .b = -1, .weight = -0.25 * (k % 6) };
        const crease_smooth both[] = { crease_squared_distance(&s.near),
                                       crease_squared_distance(&down) };
        const crease_smooth_list list = { .count = 2, .term = both };
        p.f = crease_smooth_sum(&list);
        ends_stationary(&p, "indefinite", &r);
        if (k % 6 == 5)
            for (int j = 0; j < N; j++) assert_true(r.now.x[j] < 1e-12 || r.now.x[j] > 1 - 1e-12);
        core_end(&r);
    }
}

/* Doubly stochastic X and a Y with a prox; and trace X + y = 1.2 by multipliers around it. */
static void other_blocks_and_constraints_go_with_it(void **state)
{
    draws d = { { 76, 1 }, 0 };
    example s;
    core_steps r;
    double trace[N] = { 0 };
    const double rhs[1] = { 1.2 };
    (void)state;
    for (int j = 0; j < SIDE; j++) trace[j * (SIDE + 1)] = 1;
    for (int k = 0; k < 8; k++) {
        draw(&d, &s);
        const crease_space spaces[] = { crease_matrix(SIDE, SIDE), crease_matrix(SIDE, SIDE) };
        crease_block blocks[] = { { .set = &s.set }, { .reg = crease_mcp(0.1, 3) } };
        crease_problem p = { .count = 2, .space = spaces, .block = blocks };
        s.near.b = 1;
        p.f = crease_squared_distance(&s.near);
        ends_stationary(&p, "two blocks", &r);
        core_end(&r);
        const crease_space both[] = { spaces[0], crease_vector(1) };
        blocks[0].map = crease_dense(trace);
        blocks[1] = (crease_block){ .reg = crease_l1(0.1), .map = crease_identity(1) };
        p.space = both, p.range = crease_vector(1), p.rhs = rhs;
        s.near.b = -1;
        core_begin(&r, &crs_core_multipliers, &p, 1e-7, NULL);
        core_go(&r, MOST);
        const double worst = core_certified(&r, &p);
        if (r.said != CRS_CORE_DONE || !(worst <= 1.001e-7))
            fail_msg("constraint: state %d after %ld steps, worst %g", (int)r.said, r.steps, worst);
        core_end(&r);
    }
}

static double bent(const example *s, const double *v, const double *w, const double *h)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++) {
        double a = 0, b = 0;
        for (int j = 0; j < N; j++) a += s->map[i * N + j] * v[j], b += s->map[i * N + j] * w[j];
        sum += h[i] * a * b;
    }
    return sum;
}

/* Every atom has the products of curvature of its definition, whatever was added and dropped. */
static void check_products(const example *s, const crs_atoms *a, const double *h)
{
    for (int k = 0; k < a->count; k++)
        for (int l = 0; l < a->count; l++) {
            double v[N] = { 0 }, w[N] = { 0 };
            crs_atom_spread(a->atom[k], 1, v);
            crs_atom_spread(a->atom[l], 1, w);
            assert_close(a->gram[k * a->most + l], bent(s, v, w, h), 1e-12);
        }
}

static void too_many_atoms_become_fewer_and_the_point_stays(void **state)
{
    enum { FEW = 5 };
    draws d = { { 77, 1 }, 0 };
    example s;
    crs_work work = { 0 };
    crs_atoms a;
    double x[N], wanted[N], v[N], h[ROWS];
    (void)state;
    draw(&d, &s);
    crease_problem p = problem_of(&s, crease_matrix(SIDE, SIDE));
    s.design = crease_dense(s.map);
    s.u = (crease_predictor){ .count = 1, .block = &s.first, .map = &s.design, .rhs = s.rhs };
    s.u.range = crease_vector(ROWS);
    p.f = crease_cauchy(&s.u);
    crs_composite *c = crs_composite_new(&p, 0, &work, NULL, NULL);
    assert_non_null(c);
    normals(&d, N, 1, wanted);
    normals(&d, ROWS, 1, h);
    assert_true(crs_atoms_open(&a, c, 0, FEW, wanted));
    for (int k = 0; k < 40; k++) {
        const double share = 0.1 + 0.02 * (k % 20);
        normals(&d, N, 1, v);
        assert_true(crs_atoms_add(&a, v, share) >= 0);
        for (int j = 0; j < N; j++) wanted[j] = (1 - share) * wanted[j] + share * v[j];
        crs_atoms_point(&a, x);
        for (int j = 0; j < N; j++) assert_close(x[j], wanted[j], 1e-12);
        assert_true(a.count <= FEW);
        crs_atoms_bend(&a, h, false);
        check_products(&s, &a, h);
        if (k % 7 == 0) {
            a.weight[below(&d, (unsigned)a.count)] = 0;
            crs_atoms_prune(&a);
            crs_atoms_point(&a, wanted);
        }
    }
    crs_atoms_close(&a);
    crs_composite_free(c);
}

static void data_that_are_no_number_end_it(void **state)
{
    draws d = { { 74, 1 }, 0 };
    example s;
    core_steps r;
    (void)state;
    draw(&d, &s);
    s.target[3] = NAN;
    crease_problem p = problem_of(&s, crease_matrix(SIDE, SIDE));
    p.f = crease_squared_distance(&s.near);
    core_begin(&r, &crs_core_frank_wolfe, &p, 1e-8, NULL);
    core_go(&r, MOST);
    assert_int_equal(r.said, CRS_CORE_STUCK);
    core_end(&r);
}

static void blocks_with_a_prox_have_other_cores(void **state)
{
    draws d = { { 75, 1 }, 0 };
    example s;
    crs_work work = { 0 };
    (void)state;
    draw(&d, &s);
    s.set = crease_simplex(1);
    crease_problem p = problem_of(&s, crease_vector(N));
    p.f = crease_squared_distance(&s.near);
    crs_composite *c = crs_composite_new(&p, 0, &work, NULL, NULL);
    assert_non_null(c);
    assert_false(crs_core_frank_wolfe.suits(c));
    crs_composite_free(c);
    hide_projection(&s, crease_simplex(1));
    c = crs_composite_new(&p, 0, &work, NULL, NULL);
    assert_non_null(c);
    assert_true(crs_core_frank_wolfe.suits(c));
    assert_false(crs_core_panoc.suits(c) || crs_core_plain.suits(c) || crs_core_direct.suits(c));
    crs_composite_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_point_is_the_projection),
        cmocka_unit_test(losses_that_are_not_convex_end_stationary),
        cmocka_unit_test(squares_that_curve_downward_end_stationary),
        cmocka_unit_test(other_blocks_and_constraints_go_with_it),
        cmocka_unit_test(too_many_atoms_become_fewer_and_the_point_stays),
        cmocka_unit_test(data_that_are_no_number_end_it),
        cmocka_unit_test(blocks_with_a_prox_have_other_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
