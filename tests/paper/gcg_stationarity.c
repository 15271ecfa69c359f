/* SPDX-License-Identifier: MIT
 * gcg_stationarity: psi_S(x) = min_y <grad f(x), y-x> + r(y) - r(x) by its definition
 *
 * In the plane the minimum over a set is bracketed: no point of a fine grid projected onto the set
 * is better than the certificate says, and the oracle's point attains it. */
#include "paper/gcg_problem.h"

enum { SIDE = 61 }; /* odd: zero is on the grid */

/* min over a grid of <g, y> + r(y), every grid point projected onto the set */
static double brute(const crease_block *b, const crease_space *s, const double *g, double *work)
{
    const double reach = 0.5 + b->set->ops->diameter(b->set, s, 2);
    double least = INFINITY;
    for (int k = 0; k < SIDE * SIDE; k++) {
        double y[2] = { reach * (2.0 * (k % SIDE) / (SIDE - 1) - 1),
                        reach * (2.0 * (k / SIDE) / (SIDE - 1) - 1) };
        b->set->ops->project(b->set, s, y, y, work);
        least = smaller(least, crs_dot(2, g, y) + b->reg.ops->value(&b->reg, s, y, work));
    }
    return least;
}

static void random_point(random_problem *q, double x[MOST][ENTRIES], double *work)
{
    for (int i = 0; i < q->p.count; i++) {
        normals(&q->d, 2, 1, x[i]);
        if (chance(&q->d, 0.3)) x[i][0] = 0;
        q->set[i].ops->project(&q->set[i], &q->space[i], x[i], x[i], work);
    }
}

static void by_brute_force(void **state)
{
    double x[MOST][ENTRIES], y[MOST][ENTRIES], work[512], over = 0, apart = 0, slack = 0, psi;
    const double *at[MOST], *to[MOST];
    random_problem q;
    (void)state;
    for (uint64_t k = 0; k < 500 / SLOWDOWN; k++) {
        draw_gcg(&q, k + 70000, (smoothness)(k % 3), 2);
        random_point(&q, x, work);
        double grid = 0, size = 1;
        for (int i = 0; i < q.p.count; i++) at[i] = x[i], to[i] = y[i];
        for (int i = 0; i < q.p.count; i++) {
            const crease_block *b = &q.block[i];
            double g[2];
            crs_grad(&q.p, at, i, g, work);
            crease_lmo_with(b->set, &b->reg, &q.space[i], g, y[i], work);
            const double here =
                crs_dot(2, g, x[i]) + b->reg.ops->value(&b->reg, &q.space[i], x[i], work);
            grid += here - brute(b, &q.space[i], g, work);
            size += crs_norm(2, g) * 6 + fabs(here);
            assert_true(b->set->ops->excess(b->set, &q.space[i], y[i], work) <= 1e-12);
        }
        assert_true(crease_certify_gcg(&q.p, at, &psi, NULL));
        over = larger(over, (grid + psi) / size);
        slack = larger(slack, (-psi - grid) / size);
        apart = larger(apart, fabs(gap_to(&q.p, at, to) + psi) / size);
    }
    print_message("psi_S on %d points: the grid beats it by %.1e, the oracle's point differs by "
                  "%.1e, the grid falls short by %.2g at most\n",
                  500 / SLOWDOWN, over, apart, slack);
    assert_true(over <= 1e-13 && apart <= 1e-13 && slack <= 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(by_brute_force) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
