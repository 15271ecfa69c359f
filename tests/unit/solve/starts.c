/* SPDX-License-Identifier: MIT
 * starts: a start that is stationary, as 0 is for l0 and for products, is no answer before a plain
 * step was tried; factors do not start at 0 and a factor that is 0 stops nothing; a run that stays
 * at its start says so */
#include <stdlib.h>

#include "support/penalties.h"

#include "support/couplings.h"

enum { SIDE = 4, SIZE = SIDE * SIDE, DATA = 24 };

typedef struct {
    double objective;
    long iterations;
    bool said, stationary;
} ending;

static ending run(const crease_problem *p, uint64_t seed)
{
    crease_options o = crease_options_default();
    crease_error e = { CREASE_OK, "" };
    o.relative = 1;
    o.seed = (long)seed;
    crease_solver *s = crease_solver_new(p, &o, &e);
    if (!s) fail_msg("%s", e.text);
    const bool stationary = crease_solve(s) == CREASE_STATIONARY;
    const crease_report r = crease_solver_report(s);
    const ending out = { crease_solver_certificate(s)->objective, r.iterations,
                         strstr(r.note, "already stationary") != NULL, stationary };
    crease_solver_free(s);
    return out;
}

static crease_reg version(int how, const crease_penalty *p, const double *par,
                          const crease_groups *g)
{
    return how == 0   ? crease_separable(p, par)
           : how == 1 ? crease_nonneg(p, par)
           : how == 2 ? crease_group(p, par, g)
                      : crease_spectral(p, par);
}

/* Small penalties of every kind on least squares: 0 is far from the best, and found to be. */
static void zero_is_left_whatever_the_regularizer(void **state)
{
    static const ptrdiff_t first[] = { 0, 4, 8, 16 };
    static const double par[][2] = { { 0.01, 3.7 }, { 0.01, 0.5 } };
    const crease_groups groups = { 3, first, NULL };
    const crease_space space = crease_matrix(SIDE, SIDE);
    double A[DATA * SIZE], y[DATA], start[SIZE];
    const int block = 0;
    draws d = { { 3, 1 }, 0 };
    (void)state;
    normals(&d, DATA * SIZE, 1, A);
    for (int k = 0; k < DATA; k++) y[k] = 5 + normal(&d);
    normals(&d, SIZE, 1, start);
    const crease_map map = crease_dense(A);
    const crease_predictor u = { 1, &block, &map, crease_vector(DATA), y, NULL };
    for (int k = 0; k < PENALTIES; k++)
        for (int how = 0; how < 4; how++) {
            const bool q = strcmp(penalties[k]->name, "lq") == 0;
            const crease_reg reg = version(how, penalties[k], par[q], &groups);
            crease_block b = { .reg = reg };
            const crease_problem p = { 1, &space, &b, crease_least_squares(&u), { 0 }, NULL };
            const ending zero = run(&p, 0);
            b.start = start;
            const ending other = run(&p, 0);
            if (!zero.stationary || zero.iterations == 0 ||
                !(zero.objective <= 1.2 * other.objective))
                fail_msg("%s, kind %d: %g after %ld from 0, %g from elsewhere", penalties[k]->name,
                         how, zero.objective, zero.iterations, other.objective);
        }
}

/* Every product, Z constant, with the blocks that it does not touch left out of f: the default
 * start leads as low as a random one, one factor at 0 is mended, and all at 0 is said. */
static void products_start_and_go_on(void **state)
{
    draws d = { { 8, 2 }, 0 };
    (void)state;
    for (int k = MF; k < MULTILINEAR; k++)
        for (int order = 2; order <= (k == MF ? 2 : 4); order++) {
            problem c;
            crease_block block[MOST_BLOCKS] = { { .name = NULL } };
            make_problem(&c, (kind)k, order, false, &d);
            double *zero = doubles(100);
            const crease_problem p = { c.b.count, c.space, block, c.f, { 0 }, NULL };
            const ending own = run(&p, 1);
            for (int i = 0; i < c.b.count; i++) block[i].start = c.x[i];
            const ending other = run(&p, 1);
            block[c.factor[0]].start = zero;
            const ending lacks = run(&p, 1);
            for (int i = 0; i < c.b.count; i++) block[i].start = zero;
            const ending none = run(&p, 1);
            if (!own.stationary || own.iterations == 0 || !(own.objective <= 1.3 * other.objective))
                fail_msg("kind %d, order %d: %g by default, %g from a random start", k, order,
                         own.objective, other.objective);
            /* a ridge takes the other factors to 0 before the one that is 0 can move */
            const double most = c.ridge > 0 ? none.objective : 1.3 * other.objective;
            if (!lacks.stationary || !(lacks.objective <= most))
                fail_msg("kind %d, order %d: %g after %ld with a factor at 0, %g without", k, order,
                         lacks.objective, lacks.iterations, other.objective);
            assert_true(none.stationary && none.iterations == 0 && none.said && !own.said);
            free(zero);
            discard_problem(&c);
        }
}

/* -T(x, y, z) on unit balls: 0 is stationary and the worst point there is. */
static void multilinear_forms_leave_zero(void **state)
{
    draws d = { { 5, 3 }, 0 };
    const crease_set ball = crease_l2_ball(1);
    (void)state;
    for (int order = 2; order <= 4; order++) {
        problem c;
        crease_block block[MOST_BLOCKS] = { { .name = NULL } };
        make_problem(&c, MULTILINEAR, order, false, &d);
        for (int i = 0; i < c.b.count; i++) block[i].set = &ball;
        const crease_problem p = { c.b.count, c.space, block, c.f, { 0 }, NULL };
        const ending own = run(&p, 2);
        assert_true(own.stationary && own.iterations > 0 && own.objective < -0.5);
        discard_problem(&c);
    }
}

/* The answer as a start is the answer, and that is said. */
static void a_solution_stays(void **state)
{
    const double d[] = { 3, -2, 0.5 }, answer[] = { 2, -1, 0 };
    const crease_distance_data half = { 0, -1, 1, d };
    const crease_space space = crease_vector(3);
    const crease_block block = { .reg = crease_l1(1), .start = answer };
    const crease_problem p = { 1, &space, &block, crease_squared_distance(&half), { 0 }, NULL };
    (void)state;
    const ending e = run(&p, 0);
    assert_true(e.stationary && e.iterations == 0 && e.said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_is_left_whatever_the_regularizer),
        cmocka_unit_test(products_start_and_go_on),
        cmocka_unit_test(multilinear_forms_leave_zero),
        cmocka_unit_test(a_solution_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
