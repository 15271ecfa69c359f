/* SPDX-License-Identifier: MIT
 * settings: how the notions of stationarity compare at any point, r convex on a compact set
 *
 * -psi_S <= gap of setting 1; dist(-c, d(r + indicator)) <= e gives gap <= e diam;
 * psi_S >= -e gives |P_S|^2 <= e/t for P_S = (x - prox_{t r, X}(x - t c))/t. */
#include "paper/gcg_problem.h"
#include "set/set.h"

typedef struct {
    long points, boxes;
    double psi_over_gap, gap_over_dist, step_over_psi;
} relations;

static void random_point(random_problem *q, double *x, double *work)
{
    normals(&q->d, ENTRIES, 1, x);
    if (chance(&q->d, 0.4)) x[0] = 0;
    q->set[0].ops->project(&q->set[0], &q->space[0], x, x, work);
}

/* gap <= dist diam on boxes, where both residuals are known */
static void against_dist(random_problem *q, const double *x, double gap, relations *n)
{
    double g[ENTRIES], work[512];
    const double *at[] = { x };
    crease_bounds box;
    const crease_reg *r = &q->block[0].reg;
    if (!crs_set_bounds(&q->set[0], &box) || !r->ops->dist_box) return;
    crs_grad(&q->p, at, 0, g, work);
    for (int j = 0; j < ENTRIES; j++) g[j] = -g[j];
    const double dist = r->ops->dist_box(r, &q->space[0], &box, x, g, work);
    const double diam = q->set[0].ops->diameter(&q->set[0], &q->space[0], 2);
    n->boxes++;
    n->gap_over_dist = larger(n->gap_over_dist, pos(gap - 1e-13) / (dist * diam + 1e-13));
}

/* t |P_S|^2 <= -psi */
static void against_step(random_problem *q, const double *x, double psi, relations *n)
{
    double g[ENTRIES], v[ENTRIES], work[512], square_norm = 0;
    const double *at[] = { x }, t = exp(uniform(&q->d, -3, 2));
    const crease_reg *r = &q->block[0].reg;
    if (!crease_joint_check(r, &q->set[0], &q->space[0], NULL, NULL)) return;
    crs_grad(&q->p, at, 0, g, work);
    const ptrdiff_t m = crease_size(&q->space[0]);
    for (ptrdiff_t j = 0; j < m; j++) v[j] = x[j] - t * g[j];
    crease_joint_prox(r, &q->set[0], &q->space[0], t, v, v, work);
    for (ptrdiff_t j = 0; j < m; j++) square_norm += square((x[j] - v[j]) / t);
    n->step_over_psi = larger(n->step_over_psi, pos(t * square_norm - 1e-12) / (-psi + 1e-12));
}

static void one_point(random_problem *q, relations *n)
{
    double x[ENTRIES], work[1024], psi;
    const double *at[] = { x };
    crease_residual block[1];
    crease_certificate c = { .block = block };
    random_point(q, x, work);
    assert_true(crease_certify_gcg(&q->p, at, &psi, NULL));
    crease_certify(&q->p, at, NULL, &c, work);
    const double size = 1e-13 * (1 + block[0].scale);
    n->points++;
    if (block[0].setting == 1) {
        n->psi_over_gap = larger(n->psi_over_gap, pos(-psi - size) / (block[0].residual + size));
        against_dist(q, x, block[0].residual, n);
    }
    against_step(q, x, psi, n);
}

static void compared(void **state)
{
    relations n = { 0 };
    random_problem q;
    (void)state;
    for (uint64_t k = 0; k < 4000 / SLOWDOWN; k++) {
        draw_gcg(&q, k + 80000, (smoothness)(k % 3), 5);
        if (q.p.count != 1 || crease_setting(&q.p, 0, NULL) == 0) continue;
        assert_true(crease_certify_scratch(&q.p) <= 1024);
        for (int trial = 0; trial < 5; trial++) one_point(&q, &n);
    }
    print_message("%ld points (%ld on boxes): -psi/gap <= %.6g, gap/(dist diam) <= %.6g, "
                  "t|P_S|^2/(-psi) <= %.6g\n",
                  n.points, n.boxes, n.psi_over_gap, n.gap_over_dist, n.step_over_psi);
    assert_true(n.points > 1000 / SLOWDOWN && n.boxes > 100 / SLOWDOWN);
    assert_true(n.psi_over_gap <= 1 && n.gap_over_dist <= 1 && n.step_over_psi <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(compared) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
