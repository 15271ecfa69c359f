/* SPDX-License-Identifier: MIT
 * assignment: against all permutations, and optimality by the dual potentials */
#include "dense/dense.h"
#include "support/matrices.h"

typedef struct {
    double cost, dual, most; /* most: the largest |cost_ij| */
} solution;

/* Every claim of crs_assignment. `slack`: what rounding may cost, relative to `most`. */
static solution check_assignment(ptrdiff_t n, const double *cost, double slack)
{
    double *u = room(n), *v = room(n), *work = room(crs_assignment_scratch(n));
    ptrdiff_t *perm = malloc((size_t)n * sizeof *perm);
    solution s = { 0, 0, 0 };
    assert_non_null(perm);
    assert_true(crs_assignment(n, cost, perm, u, v, work));
    bool *taken = calloc((size_t)n, sizeof *taken);
    for (ptrdiff_t j = 0; j < n * n; j++) s.most = larger(s.most, fabs(cost[j]));
    for (ptrdiff_t i = 0; i < n; i++) {
        const ptrdiff_t j = perm[i];
        assert_true(j >= 0 && j < n && !taken[j]);
        taken[j] = true;
        s.cost += cost[i * n + j];
        s.dual += u[i] + v[i];
        assert_true(u[i] + v[j] >= cost[i * n + j] - slack * s.most);
        for (ptrdiff_t k = 0; k < n; k++) /* one difference and one sum are rounded */
            assert_true(u[i] + v[k] <= cost[i * n + k] + 8 * unit * s.most);
    }
    free(u), free(v), free(work), free(perm), free(taken);
    return s;
}

static void all_permutations(void **state)
{
    double cost[49];
    draws d = { .r = { .seed = 31 } };
    (void)state;
    for (int k = 0; k < 300; k++) {
        const ptrdiff_t n = 1 + k % 7;
        const bool whole = k % 2; /* small integers: many ties */
        for (ptrdiff_t j = 0; j < n * n; j++)
            cost[j] = whole ? floor(uniform(&d, -3, 3)) : 10 * normal(&d);
        const solution s = check_assignment(n, cost, whole ? 0 : 8 * (double)n * unit);
        assert_close(s.cost, cheapest(n, cost, 0, 0), whole ? 0 : 8 * unit * s.most);
    }
}

/* Integers are exact: cost and dual value agree to the last bit. */
static void integers_are_exact(void **state)
{
    enum { N = 200 };
    double *cost = room(N * N);
    draws d = { .r = { .seed = 32 } };
    (void)state;
    for (double range = 1; range <= 1e6; range *= 100) {
        for (ptrdiff_t j = 0; j < N * N; j++) cost[j] = floor(uniform(&d, -range, range + 1));
        const solution s = check_assignment(N, cost, 0);
        assert_true(s.cost == s.dual);
    }
    fill(N * N, -7, cost);
    assert_true(check_assignment(N, cost, 0).cost == -7.0 * N);
    for (ptrdiff_t j = 0; j < N * N; j++) /* i j: the classic slow case, optimum reversed */
        cost[j] = (double)((1 + j / N) * (1 + j % N));
    const solution s = check_assignment(N, cost, 0);
    assert_true(s.cost == s.dual && s.cost == (double)N * (N + 1) * (N + 2) / 6);
    free(cost);
}

static void large_random(void **state)
{
    draws d = { .r = { .seed = 33 } };
    (void)state;
    for (ptrdiff_t n = 50; n <= 300; n += 50) {
        double *cost = room(n * n);
        for (double scale = 1e-12; scale < 1e13; scale *= 1e12) {
            for (ptrdiff_t j = 0; j < n * n; j++) cost[j] = scale * normal(&d);
            const solution s = check_assignment(n, cost, 8 * (double)n * unit);
            assert_true(fabs(s.cost - s.dual) <= 16 * (double)(n * n) * unit * s.most);
        }
        for (ptrdiff_t j = 0; j < n * n; j++) cost[j] = pow(10, uniform(&d, -12, 12));
        check_assignment(n, cost, 8 * (double)n * unit);
        free(cost);
    }
}

static void bad_costs_are_refused(void **state)
{
    double cost[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, u[3], v[3], work[12];
    ptrdiff_t perm[3];
    const double bad[] = { NAN, INFINITY, -INFINITY };
    (void)state;
    assert_int_equal(crs_assignment_scratch(3), 12);
    for (int k = 0; k < 3; k++) {
        cost[4] = bad[k];
        assert_false(crs_assignment(3, cost, perm, u, v, work));
    }
    fill(9, -1e308, cost);
    for (ptrdiff_t i = 0; i < 3; i++) cost[i * 3] = 1e308; /* differences overflow: no answer */
    assert_false(crs_assignment(3, cost, perm, u, v, work));
    const double one = -4;
    assert_true(crs_assignment(1, &one, perm, u, v, work));
    assert_true(perm[0] == 0 && u[0] + v[0] == -4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_permutations),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(large_random),
        cmocka_unit_test(bad_costs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
