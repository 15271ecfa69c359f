/* SPDX-License-Identifier: MIT
 * hong_q: Proposition 3.7: eps-stationarity and Hong's Q bound each other
 *
 * With res = max{|grad f - A'lambda|, |s|} and n = beta |A|: Q <= res^2/g1^2 and res <= g2 sqrt(Q),
 * g1 = 1/sqrt(2 n^2 + 3), g2 = sqrt(2 (1 + n^2)) in the paper; sharper g1 = 1/sqrt((1 + n)^2 + 1),
 * which is attained, and g2 = sqrt(1 + n^2). */
#include "paper/random_coupling.h"
#include "problem/problem.h"
#include "support/hong.h"

typedef struct {
    double paper[2], sharp[2], wrong;
} ratios;

/* |A|_2^2 <= sum |A_i|_2^2: exact for one block. */
static double norm_of(const crease_problem *p)
{
    double sum = 0, norm;
    for (int i = 0; i < p->count; i++) {
        if (!p->block[i].map.ops) continue;
        assert_true(crease_map_norm(&p->block[i].map, &p->space[i], &p->range, &norm, NULL));
        sum += norm * norm;
    }
    return sqrt(sum);
}

static void compare(double q, double res, double n, ratios *r)
{
    r->paper[0] = larger(r->paper[0], q / (res * res * (2 * n * n + 3)));
    r->paper[1] = larger(r->paper[1], res / sqrt(2 * (1 + n * n) * q));
    r->sharp[0] = larger(r->sharp[0], q / (res * res * (square(1 + n) + 1)));
    r->sharp[1] = larger(r->sharp[1], res / sqrt((1 + n * n) * q));
}

/* Q and res from the definitions. */
static double by_hand(const crease_problem *p, const double *const *x, const double *lambda,
                      double beta, double *res)
{
    double g[ENTRIES], s[ENTRIES], work[512], slope = 0, q = 0;
    crs_constraint(p, x, s, work);
    const double feasible = crs_norm(crease_size(&p->range), s);
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t n = crease_size(&p->space[i]);
        crs_grad(p, x, i, g, work);
        crs_adjoint(p, i, -1, lambda, g, work);
        slope += crs_dot(n, g, g);
        crs_adjoint(p, i, beta, s, g, work);
        q += crs_dot(n, g, g);
    }
    *res = larger(sqrt(slope), feasible);
    return q + feasible * feasible;
}

static void random_points(void **state)
{
    ratios r = { 0 };
    random_problem q;
    (void)state;
    for (uint64_t k = 0; k < 2000 / SLOWDOWN; k++) {
        double x[MOST][ENTRIES], lambda[ENTRIES], value, res;
        const double *at[MOST];
        draw_problem(&q, k + 90000, ANY_MAPS, COUPLED);
        const double beta = exp(uniform(&q.d, -3, 3)), scale = exp(uniform(&q.d, -3, 1));
        for (int i = 0; i < q.p.count; i++) normals(&q.d, ENTRIES, scale, x[i]), at[i] = x[i];
        normals(&q.d, ENTRIES, 1, lambda);
        value = hong_q(&q.p, at, lambda, beta);
        r.wrong = larger(r.wrong, fabs(value / by_hand(&q.p, at, lambda, beta, &res) - 1));
        compare(value, res, beta * norm_of(&q.p), &r);
    }
    print_message("Q by hand differs by %.1e; over the paper's bounds %.3g, %.3g; over the sharper "
                  "%.3g, %.3g\n",
                  r.wrong, r.paper[0], r.paper[1], r.sharp[0], r.sharp[1]);
    assert_true(r.wrong <= 1e-12);
    assert_true(r.paper[0] <= 1 && r.paper[1] <= 1 && r.sharp[0] <= 1 && r.sharp[1] <= 1);
}

/* f = 0, one number, A = a: with lambda chosen, Q = (1 + n)^2 + 1 times res^2, and the other bound
 * is met where -A'lambda = -beta A's. */
static void attained(void **state)
{
    const crease_space one = crease_vector(1);
    ratios r = { 0 };
    (void)state;
    for (double a = 0.25; a <= 4; a *= 2) {
        const crease_block block = { .map = crease_identity(a) };
        const crease_problem p = { 1, &one, &block, { 0 }, one, NULL };
        const double beta = 1.5, x[] = { 1 / a }, *at[] = { x }; /* s = 1 */
        const double steep[] = { -1 / a }, level[] = { beta };
        compare(hong_q(&p, at, steep, beta), 1, beta * a, &r);
        compare(hong_q(&p, at, level, beta), larger(1, beta * a), beta * a, &r);
    }
    print_message("attained: sharper bounds %.9g, %.3g\n", r.sharp[0], r.sharp[1]);
    assert_close(r.sharp[0], 1, 1e-12);
    assert_true(r.sharp[1] <= 1 && r.sharp[1] > 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_points),
                                        cmocka_unit_test(attained) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
