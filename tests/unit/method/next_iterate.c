/* SPDX-License-Identifier: MIT
 * next_iterate: theta_k of Theorem 3.12 bounds the residual of x^{k+1}, and not that of x^k
 * (correction 1 of docs/theory.md) */
#include "support/test.h"

/* ADMM-g on f = (1/2)x'Qx, a x_1 + x_2 = b, two numbers, with the parameters of Theorem 3.12. */
typedef struct {
    double Q[3], a, b, beta, gamma, h, kappa_1; /* Q: 11, 12, 22 */
    double x[2], lambda;
} toy;

static toy toy_drawn(draws *d)
{
    const double u = normal(d), v = normal(d), w = normal(d);
    toy t = { .Q = { u * u, u * v, v * v + w * w }, .a = normal(d), .b = normal(d) };
    const double L = t.Q[0] + t.Q[2]; /* the trace: above the norm */
    t.beta = 5.1 * L, t.gamma = 12 / (13 * t.beta), t.h = 13 * t.beta / 12 - L;
    t.kappa_1 = 3 / square(t.beta) * (square(t.beta - 1 / t.gamma) + L * L);
    for (int i = 0; i < 2; i++) t.x[i] = 10 * normal(d);
    t.lambda = 10 * normal(d);
    return t;
}

static double toy_residual(const toy *t) { return t->a * t->x[0] + t->x[1] - t->b; }

/* One iteration; returns its squared move. */
static double toy_step(toy *t)
{
    const double *Q = t->Q, was[] = { t->x[0], t->x[1] };
    t->x[0] =
        (t->h * was[0] + t->a * t->lambda - Q[1] * was[1] - t->beta * t->a * (was[1] - t->b)) /
        (Q[0] + t->beta * t->a * t->a + t->h);
    t->x[1] -= t->gamma * (Q[1] * t->x[0] + Q[2] * was[1] - t->lambda + t->beta * toy_residual(t));
    t->lambda -= t->beta * toy_residual(t);
    return square(t->x[0] - was[0]) + square(t->x[1] - was[1]);
}

static void theta_certifies_the_next_iterate(void **state)
{
    draws d = { { 31, 0 }, 0 };
    int wrong = 0;
    (void)state;
    for (int trial = 0; trial < 2000; trial++) {
        toy t = toy_drawn(&d);
        double before = toy_step(&t);
        for (int k = 1; k < 20; k++) {
            const double s = square(toy_residual(&t)), move = toy_step(&t), theta = move + before;
            const double rounding = 1e-12 * t.kappa_1 * (1e-6 + theta);
            assert_true(square(toy_residual(&t)) <= t.kappa_1 * theta + rounding);
            wrong += k > 1 && s > t.kappa_1 * theta + rounding;
            before = move;
        }
    }
    assert_true(wrong > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(theta_certifies_the_next_iterate) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
