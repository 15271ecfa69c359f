/* SPDX-License-Identifier: MIT
 * ball: the separable and nonneg prox restricted to |x|_2 <= R */
#include "support/plane.h"

static crease_reg make(int kind, const crease_penalty *p, const double *par)
{
    return kind ? crease_nonneg(p, par) : crease_separable(p, par);
}

/* A step below ball_step, up to the whole of it when that is finite; 0: none. */
static double draw_step(draws *d, const crease_reg *r, const crease_space *s)
{
    crease_reg_traits traits;
    r->ops->traits(r, s, 1, &traits);
    return isinf(traits.ball_step) ? decades(d, 1) : traits.ball_step * uniform(d, 0.01, 0.999);
}

static void exact_in_the_plane(void **state)
{
    draws d = { { 20, 1 }, 0 };
    (void)state;
    for (int kind = 0; kind < 2; kind++)
        for (int k = 0; k < PENALTIES; k++)
            for (int trial = 0; trial < 60; trial++) {
                double par[CREASE_PARS] = { 0 };
                draw_par(&d, penalties[k], 0.5, par);
                const double weight[] = { uniform(&d, 0, 2), trial % 6 ? uniform(&d, 0, 2) : 0 };
                crease_reg r = make(kind, penalties[k], par);
                if (trial % 3 == 2 && penalties[k] != &crs_l0) r.weight = weight;
                const double t = draw_step(&d, &r, &plane);
                const double v[] = { 3 * normal(&d), 3 * normal(&d) };
                if (t > 0) assert_plane_prox(&r, t, uniform(&d, 0.1, 4), v);
            }
}

/* All 2^n supports; on each, v scaled into the ball. */
static double best_support(int n, double lambda, double t, double radius, const double *v,
                           bool nonneg)
{
    double best = INFINITY;
    for (int set = 0; set < 1 << n; set++) {
        double inside = 0, outside = 0, F = 0;
        for (int j = 0; j < n; j++) {
            const double w = nonneg ? pos(v[j]) : fabs(v[j]);
            F += set >> j & 1 ? lambda : 0;
            *(set >> j & 1 ? &inside : &outside) += square(w);
            outside += square(v[j]) - square(w);
        }
        F += (outside + square(pos(sqrt(inside) - radius))) / (2 * t);
        best = smaller(best, F);
    }
    return best;
}

static void l0_finds_the_best_support(void **state)
{
    enum { N = 6 };
    draws d = { { 21, 1 }, 0 };
    const crease_space s = crease_vector(N);
    (void)state;
    for (int trial = 0; trial < 4000; trial++) {
        double v[N], x[N], work[N], F = 0;
        const double lambda = decades(&d, 1), t = decades(&d, 1), edge = sqrt(2 * t * lambda);
        const double radius = trial % 3 ? decades(&d, 1) : edge * uniform(&d, 1, 2.4);
        const crease_reg r = make(trial % 2, &crs_l0, &lambda);
        for (int j = 0; j < N; j++) /* large ones, or some that barely pay */
            v[j] = trial % 3 ? 3 * normal(&d) : edge * uniform(&d, 0.9, 1.3);
        if (trial % 5 == 0) v[1] = v[4] = -v[2]; /* ties */
        if (trial % 7 == 0) v[3] = 0;
        r.ops->prox_ball(&r, &s, t, radius, v, x, work);
        for (int j = 0; j < N; j++) F += square(x[j] - v[j]) / (2 * t);
        F += r.ops->value(&r, &s, x, work);
        assert_true(crs_norm(N, x) <= radius * (1 + 0x1p-50));
        assert_close(F / best_support(N, lambda, t, radius, v, trial % 2), 1, N * 0x1p-50);
    }
}

/* (v - x)/t - mu x in dr(x) for one mu >= 0, which is 0 inside: enough, by strong convexity. */
static void multiplier_satisfies_the_optimality_conditions(void **state)
{
    enum { N = 40 };
    draws d = { { 22, 1 }, 0 };
    const crease_space s = crease_vector(N);
    (void)state;
    for (int trial = 0; trial < 40 * PENALTIES; trial++) {
        double par[CREASE_PARS] = { 0 }, v[N], x[N], g[N], work[N];
        const crease_penalty *p = penalties[trial % PENALTIES];
        draw_par(&d, p, 1, par);
        const crease_reg r = make(trial / PENALTIES % 2, p, par);
        const double t = 0.9 * draw_step(&d, &r, &s), radius = decades(&d, 1);
        if (!(t > 0) || p == &crs_l0) continue;
        for (int j = 0; j < N; j++) v[j] = normal(&d) * decades(&d, 1);
        r.ops->prox_ball(&r, &s, t, radius, v, x, work);
        const double norm = crs_norm(N, x);
        double mu = 0;
        assert_true(norm <= radius * (1 + 0x1p-50));
        for (int j = 0; j < N; j++) {
            g[j] = (v[j] - x[j]) / t;
            if (x[j] != 0) mu += x[j] * (g[j] - copysign(p->slope(par, fabs(x[j])), x[j]));
        }
        mu = norm < radius * (1 - 1e-13) || norm == 0 ? 0 : mu / square(norm);
        assert_true(mu >= -1e-12 * crs_norm(N, g) / radius);
        for (int j = 0; j < N; j++) g[j] -= mu * x[j];
        assert_true(r.ops->dist(&r, &s, x, g, work) <= 1e-12 * (crs_norm(N, v) / t));
    }
}

static void a_large_ball_does_nothing(void **state)
{
    draws d = { { 23, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++)
        for (int kind = 0; kind < 2; kind++) {
            double par[CREASE_PARS] = { 0 }, x[2], y[2], work[2];
            const double v[] = { 2.5, -0.75 }, bad[] = { 1, NAN }, far[] = { 1, INFINITY };
            draw_par(&d, penalties[k], 1, par);
            const crease_reg r = make(kind, penalties[k], par);
            r.ops->prox(&r, &plane, 0.3, v, x, work);
            r.ops->prox_ball(&r, &plane, 0.3, 10, v, y, work);
            assert_true(x[0] == y[0] && x[1] == y[1]);
            r.ops->prox_ball(&r, &plane, 0.3, 1, bad, y, work);
            assert_true(isnan(y[0]) && isnan(y[1]));
            r.ops->prox_ball(&r, &plane, 0.3, 1, far, y, work);
            assert_true(isnan(y[0]) && isnan(y[1]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_in_the_plane),
        cmocka_unit_test(l0_finds_the_best_support),
        cmocka_unit_test(multiplier_satisfies_the_optimality_conditions),
        cmocka_unit_test(a_large_ball_does_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
