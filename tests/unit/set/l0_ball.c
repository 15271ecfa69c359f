/* SPDX-License-Identifier: MIT
 * l0_ball: stationary points of <c,x> + l0(x) on |x| <= R, by both certificates
 *
 * With S the support of x, the limiting subdifferential of the sum is everything off S and
 * {mu x_S, mu >= 0} on it (mu = 0 inside the ball): x is stationary iff c_S = -mu x_S. The residual
 * is min over g in dr(x) of <c+g, x> + R |c+g| = <c_S, x_S> + R |c_S|. */
#include "support/test.h"

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
    const struct CMUnitTest tests[] = { cmocka_unit_test(residuals), cmocka_unit_test(odd_points) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
