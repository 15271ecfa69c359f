/* SPDX-License-Identifier: MIT
 * extrapolation: a candidate is taken only if the potential does not rise, lambda is put where a
 * step would leave it, and a plain step from w follows: then every inequality of the plain method
 * holds with |x^{k+1} - w| for the move, so K is unchanged */
#include "paper/statements.h"

static void compare(const char *name, trial t)
{
    t.problems = SLOWDOWN == 1 ? 300 : 15 * SLOWDOWN;
    t.iterations = 300;
    t.share = 0.01;
    const figures plain_run = try_all(&t, CREASE_MODE_PRACTICAL);
    t.accelerate = true;
    const figures n = try_all(&t, CREASE_MODE_PRACTICAL);
    report(name, &n);
    print_message("%s: %ld iterations without, %ld with; %.0f%% and %.0f%% reach eps\n", name,
                  plain_run.iterations, n.iterations,
                  100.0 * (double)plain_run.reached / (double)plain_run.problems,
                  100.0 * (double)n.reached / (double)n.problems);
    assert_held(&n);
    assert_true(n.iterations < plain_run.iterations && n.reached >= plain_run.reached);
}

#define IDENTITY                                                                                   \
    {                                                                                              \
        SCALED_IDENTITY, SCALED_IDENTITY                                                           \
    }

static void admm_g(void **state)
{
    (void)state;
    compare("admm-g",
            (trial){ .says = &theorem_3_12, CREASE_METHOD_ADMM_G, IDENTITY, { COUPLED, COUPLED } });
}

static void separable(void **state)
{
    (void)state;
    compare("R1", (trial){ .says = &r1, CREASE_METHOD_ADMM_G, IDENTITY, { SEPARABLE, QUADRATIC } });
}

static void quadratic(void **state)
{
    (void)state;
    compare("R2", (trial){ .says = &r2, CREASE_METHOD_ADMM_M, IDENTITY, { QUADRATIC, QUADRATIC } });
}

static void admm_m(void **state)
{
    (void)state;
    compare(
        "admm-m",
        (trial){ .says = &theorem_3_18, CREASE_METHOD_ADMM_M, IDENTITY, { COUPLED, SEPARABLE } });
}

static void bcd(void **state)
{
    (void)state;
    compare("prox-bcd", (trial){ .says = &theorem_4_5,
                                 CREASE_METHOD_PROX_BCD,
                                 { NO_CONSTRAINT, NO_CONSTRAINT },
                                 { COUPLED, COUPLED } });
}

/* lambda recomputed from (x, x_N^{k-1}) is the lambda of the step that led there. */
static void on_the_manifold(void **state)
{
    static const dependence how[] = { COUPLED, SEPARABLE, QUADRATIC };
    double worst = 0, kept[ENTRIES];
    long count = 0;
    random_problem q;
    (void)state;
    for (uint64_t k = 0; k < 600 / SLOWDOWN; k++) {
        const crease_options o =
            plain(k % 2 ? CREASE_METHOD_ADMM_G : CREASE_METHOD_ADMM_M, CREASE_MODE_PRACTICAL, 10);
        draw_problem(&q, k + 140000, SCALED_IDENTITY, how[k % 3]);
        crease_solver *s = crease_solver_new(&q.p, &o, NULL);
        assert_non_null(s);
        const ptrdiff_t m = crease_size(&q.p.range);
        while (!isnan(s->a->map_scale) && crease_step(s) == CREASE_NOT_RUN) {
            copy(m, s->st.lambda, kept);
            crs_restore_multiplier(&s->st);
            for (ptrdiff_t j = 0; j < m; j++)
                worst = larger(worst, fabs(s->st.lambda[j] - kept[j]) /
                                          (1 + crs_norm(m, kept) + s->a->beta));
            copy(m, kept, s->st.lambda);
            count++;
        }
        crease_solver_free(s);
    }
    print_message("lambda restored after %ld steps: off by %.1e\n", count, worst);
    assert_true(count > 1000 / SLOWDOWN && worst <= 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(admm_g), cmocka_unit_test(separable),       cmocka_unit_test(quadratic),
        cmocka_unit_test(admm_m), cmocka_unit_test(on_the_manifold), cmocka_unit_test(bcd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
