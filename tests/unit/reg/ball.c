/* SPDX-License-Identifier: MIT
 * ball: the prox restricted to |x|_2 <= R is never beaten inside it; l0 against all supports */
#include "support/plane.h"
#include "support/test.h"

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

enum { N = 4 };
static const double c[N] = { 3, -1, 2, 0.5 };
static const double R = 2;

typedef struct {
    double certified;
    crease_verification checked;
} judgement;

static judgement judged(const double *x, double alpha, bool inside_scaled)
{
    const crease_space space = crease_vector(N);
    const double *linear[] = { c }, *at[] = { x };
    const crease_quadratic_data data = { .linear = linear, .blocks = 1 };
    const crease_set ball = crease_l2_ball(R);
    const crease_reg one = crease_l0(1);
    const crease_block block = { .reg =
                                     inside_scaled ? crease_scaled(alpha, &one) : crease_l0(alpha),
                                 .set = &ball };
    const crease_problem p = {
        .count = 1, .space = &space, .block = &block, .f = crease_quadratic(&data)
    };
    crease_residual residual[1];
    crease_certificate certificate = { .block = residual };
    judgement j;
    double work[200];
    assert_int_equal(crease_setting(&p, 0, NULL), 1);
    assert_true(crease_certify_scratch(&p) <= 200);
    crease_certify(&p, at, NULL, &certificate, work);
    assert_false(residual[0].upper_bound);
    j.certified = certificate.worst;
    assert_true(crease_verify(&p, at, NULL, NULL, false, 1e-12, false, &j.checked, NULL));
    return j;
}

static void residuals(void **state)
{
    draws d = { { 1, 1 }, 0 };
    (void)state;
    for (unsigned support = 0; support < 1u << N; support++)
        for (int kind = 0; kind < 3; kind++) { /* stationary, opposite, anywhere */
            double x[N] = { 0 }, on = 0, inner = 0, norm = 0;
            for (int j = 0; j < N; j++)
                if (support >> j & 1) on += c[j] * c[j];
            for (int j = 0; j < N; j++)
                if (support >> j & 1)
                    x[j] = kind == 2 ? uniform(&d, -1, 1)
                                     : (kind ? 1 : -1) * (R * (1 - 1e-16)) * c[j] / sqrt(on);
            for (int j = 0; j < N; j++) inner += c[j] * x[j], norm += x[j] * x[j];
            judgement a = judged(x, 0.7, kind == 1);
            const double wanted = support ? inner + R * sqrt(on) : 0;
            assert_true(norm <= R * R * (1 + 1e-15));
            assert_close(a.certified, wanted, 1e-13);
            const bool valid = kind == 0 || support == 0;
            assert_int_equal(a.checked.verdict,
                             valid ? CREASE_VERDICT_VALID : CREASE_VERDICT_INVALID);
            if (valid || kind == 2) assert_close(a.checked.residual[0], wanted, 1e-13);
            crease_verification_free(&a.checked);
        }
}

static void odd_points(void **state)
{
    const double out[N] = { -2.1, 0, 0, 0 }, nan[N] = { NAN, 0, 0, 0 };
    (void)state;
    judgement a = judged(out, 1, false), b = judged(nan, 1, false);
    assert_int_equal(a.checked.verdict, CREASE_VERDICT_INVALID);
    assert_int_equal(b.checked.verdict, CREASE_VERDICT_INVALID);
    assert_true(isnan(b.certified));
    crease_verification_free(&a.checked), crease_verification_free(&b.checked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_in_the_plane),
        cmocka_unit_test(l0_finds_the_best_support),
        cmocka_unit_test(multiplier_satisfies_the_optimality_conditions),
        cmocka_unit_test(a_large_ball_does_nothing),
        cmocka_unit_test(residuals),
        cmocka_unit_test(odd_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
