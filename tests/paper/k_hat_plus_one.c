/* SPDX-License-Identifier: MIT
 * k_hat_plus_one: theta_k certifies x^{k+1}, not x^k
 *
 * theta_k = sum |x^{k+1} - x^k|^2 + |x^k - x^{k-1}|^2 bounds the feasibility of x^{k+1} by
 * |s^{k+1}|^2 <= kappa_1 theta_k; |s^k|^2 <= kappa_1 theta_k is false, as s^k involves x^{k-2}. */
#include "paper/follow.h"

static void at_the_next_iterate(void **state)
{
    const crease_options o = plain(CREASE_METHOD_ADMM_G, CREASE_MODE_PAPER, 60);
    long iterations = 0, before = 0, after = 0;
    random_problem q;
    (void)state;
    for (uint64_t seed = 0; seed < 400 / SLOWDOWN; seed++) {
        draw_problem(&q, seed + 50000, SCALED_IDENTITY, COUPLED);
        crease_solver *s = crease_solver_new(&q.p, &o, NULL);
        assert_non_null(s);
        s->run.o.eps = 1e-9;
        const double b = s->a->beta, c2 = square(s->a->map_scale);
        const double M = s->a->M / sqrt(c2) * larger(1, 1 / sqrt(c2)),
                     z = b - 1 / (s->a->gamma * c2);
        const double kappa = 3 / (b * b) * (z * z + M * M);
        double r[ENTRIES], last_move = 0, last = 0;
        while (crease_step(s) == CREASE_NOT_RUN) {
            const double move = all_moved(s), now = residual_of(s, r), theta = move + last_move;
            const long k = s->run.report.iterations;
            if (k > 2 && theta > 1e-20) {
                iterations++;
                after += now * now > kappa * theta * (1 + 1e-9) + 1e-28;
                before += last * last > kappa * theta * (1 + 1e-9) + 1e-28;
            }
            last_move = move, last = now;
        }
        crease_solver_free(s);
    }
    print_message(
        "%ld iterations: |s|^2 > kappa_1 theta_k at x^k %ld times, at x^{k+1} %ld times\n",
        iterations, before, after);
    assert_true(after == 0 && before > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(at_the_next_iterate) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
