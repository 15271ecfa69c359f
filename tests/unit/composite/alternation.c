/* SPDX-License-Identifier: MIT
 * alternation: certified answers for pairs of penalties, the minimum where both are convex, and a
 * lower point than the nearest one where they are not */
#include "dense/dense.h"
#include "support/core_run.h"

enum { ROWS = 14, COLUMNS = 18, SIZE = ROWS * COLUMNS };

/* (w/2)|c - a X - b Y|^2, c of rank 2 with some large entries */
typedef struct {
    crease_space space[2];
    crease_block block[2];
    crease_map map[2];
    int index[2];
    double c[SIZE];
    crease_predictor predictor;
    crease_problem p;
} pair;

static void make_pair(pair *o, double a, double b, draws *d)
{
    double u[2 * ROWS], v[2 * COLUMNS];
    *o = (pair){ .index = { 0, 1 } };
    normals(d, 2 * ROWS, 1, u);
    normals(d, 2 * COLUMNS, 1, v);
    for (ptrdiff_t i = 0; i < ROWS; i++)
        for (ptrdiff_t j = 0; j < COLUMNS; j++)
            o->c[i * COLUMNS + j] = u[2 * i] * v[2 * j] + u[2 * i + 1] * v[2 * j + 1] +
                                    (below(d, 15) == 0 ? 10 * normal(d) : 0.02 * normal(d));
    o->space[0] = o->space[1] = crease_matrix(ROWS, COLUMNS);
    o->map[0] = crease_identity(a);
    o->map[1] = crease_identity(b);
    o->predictor = (crease_predictor){ .count = 2,
                                       .block = o->index,
                                       .map = o->map,
                                       .range = crease_matrix(ROWS, COLUMNS),
                                       .rhs = o->c };
    o->p =
        (crease_problem){ 2, o->space, o->block, crease_least_squares(&o->predictor), { 0 }, NULL };
}

static void penalize(pair *o, int kind)
{
    static const double mcp[] = { 1, 3 };
    const crease_reg dear[] = { crease_nuclear(1), crease_spectral(crease_mcp(1, 1).penalty, mcp),
                                crease_rank(1), crease_nuclear(0.5) };
    const crease_reg cheap[] = { crease_l1(0.25), crease_mcp(0.3, 3), crease_l0(0.1),
                                 crease_elastic_net(0.2, 0.5) };
    o->block[0].reg = dear[kind % 4];
    o->block[1].reg = cheap[kind / 4 % 4];
}

static void run(core_run *r, const crs_core *core, pair *o, double eps, long most)
{
    begin_run(r, core, &o->p, eps);
    r->from_above = true;
    turn(r, most);
    const double worst = certified_residual(r);
    if (r->state != CRS_CORE_DONE || !(worst <= 1.5 * eps))
        fail_msg("state %d after %ld steps, residual %g", (int)r->state, r->steps, worst);
}

static void every_pair_of_penalties(void **state)
{
    draws d = { { 31, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 64; trial++) {
        pair o;
        core_run r;
        make_pair(&o, trial % 3 ? 1 : -2, trial % 2 ? 1 : -0.5, &d);
        penalize(&o, trial);
        run(&r, &crs_core_alternation, &o, 1e-6, 3000);
        end_run(&r);
    }
}

/* By plain alternation from 0 until nothing moves, with proxes of its own. */
static double minimum_by_hand(const pair *o, double w, double nuclear, double l1)
{
    double X[SIZE] = { 0 }, Y[SIZE] = { 0 }, V[SIZE], sum = 0;
    double u[ROWS * ROWS], s[ROWS], vt[ROWS * COLUMNS];
    double *work = unset_doubles(crs_svd_scratch(ROWS, COLUMNS));
    for (int k = 0; k < 3000; k++) {
        for (int j = 0; j < SIZE; j++) V[j] = o->c[j] - Y[j];
        crs_svd(ROWS, COLUMNS, V, u, s, vt, work);
        sum = 0;
        for (int i = 0; i < ROWS; i++) sum += nuclear * (s[i] = pos(s[i] - nuclear / w));
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                double x = 0;
                for (int r = 0; r < ROWS; r++) x += u[i * ROWS + r] * s[r] * vt[r * COLUMNS + j];
                X[i * COLUMNS + j] = x;
            }
        for (int j = 0; j < SIZE; j++) {
            const double v = o->c[j] - X[j];
            Y[j] = copysign(pos(fabs(v) - l1 / w), v);
            sum += l1 * fabs(Y[j]) + w / 2 * square(v - Y[j]);
        }
    }
    free(work);
    return sum;
}

static void the_minimum_of_convex_pairs(void **state)
{
    draws d = { { 32, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 3; trial++) {
        pair o;
        core_run r;
        make_pair(&o, 1, 1, &d);
        penalize(&o, 0);
        run(&r, &crs_core_alternation, &o, 1e-8, 3000);
        const double want = minimum_by_hand(&o, 1, 1, 0.25);
        assert_true(fabs(r.at.objective - want) <= 1e-7 * want);
        end_run(&r);
    }
}

/* Large parts first: from 0 the point is no higher than the one next to the start, a start of
 * 1e-300 that is taken as it is, and on the whole much lower. */
static void large_parts_first_lead_lower(void **state)
{
    draws d = { { 33, 0 }, 0 };
    double near = 0, found = 0;
    (void)state;
    for (int trial = 0; trial < 12; trial++) {
        pair o;
        core_run r;
        double tiny[SIZE];
        make_pair(&o, 1, 1, &d);
        penalize(&o, 5); /* mcp of both */
        run(&r, &crs_core_alternation, &o, 1e-6, 3000);
        found += r.at.objective;
        end_run(&r);
        fill(SIZE, 1e-300, tiny);
        o.block[1].start = tiny;
        run(&r, &crs_core_alternation, &o, 1e-6, 3000);
        near += r.at.objective;
        end_run(&r);
    }
    assert_true(found < 0.8 * near);
}

static void nan_ends_it(void **state)
{
    draws d = { { 34, 0 }, 0 };
    pair o;
    core_run r;
    (void)state;
    make_pair(&o, 1, 1, &d);
    penalize(&o, 0);
    o.c[7] = NAN;
    begin_run(&r, &crs_core_alternation, &o.p, 1e-6);
    assert_true(crs_core_alternation.step(r.self) == CRS_CORE_STUCK);
    end_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_penalties),
        cmocka_unit_test(the_minimum_of_convex_pairs),
        cmocka_unit_test(large_parts_first_lead_lower),
        cmocka_unit_test(nan_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
