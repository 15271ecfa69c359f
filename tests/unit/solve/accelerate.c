/* SPDX-License-Identifier: MIT
 * accelerate: safeguarded extrapolation keeps the theorem and saves most of the iterations */
#include <stdlib.h>

#include "support/solving.h"

enum { FAMILIES = 5, EACH = 20, M = 20, N = 12 };

static const char *const families[FAMILIES] = { "admm-g (R0)", "admm-g (R1)", "admm-m (R2)",
                                                "admm-m, A_N = 2 I", "prox-bcd" };

typedef struct {
    double left[M * N], right[M * N], mixed[M * N], y[M], d[M];
    crease_map map[2], one;
    int pair[2], last;
    crease_space space[3];
    crease_block block[3];
    crease_predictor fit, loss;
    crease_distance_data near;
    crease_problem p;
    crease_options o;
} model;

static crease_reg draw_penalty(draws *d)
{
    const crease_reg list[] = { crease_mcp(0.6, 2), crease_scad(0.6, 3), crease_lsp(0.6, 1),
                                crease_capped_l1(0.6, 1) };
    return list[(int)uniform(d, 0, 4)];
}

static crease_smooth coupling(model *m, int family)
{
    m->one = crease_identity(1);
    m->last = 2;
    m->near = (crease_distance_data){ 2, -1, 1, m->d };
    m->loss = (crease_predictor){ 1, &m->last, &m->one, crease_vector(M), m->d, NULL };
    m->map[0] = crease_dense(family == 4 ? m->left : m->mixed);
    m->map[1] = family == 4 ? crease_dense(m->right) : m->one;
    m->pair[0] = 0, m->pair[1] = family == 4 ? 1 : 2;
    m->fit = (crease_predictor){ 2, m->pair, m->map, crease_vector(M), m->y, NULL };
    if (family == 1) return crease_cauchy(&m->loss);
    if (family == 2) return crease_squared_distance(&m->near);
    return crease_least_squares(&m->fit);
}

/* min f + r_1(x_1) + r_2(x_2), B_1 x_1 + B_2 x_2 + c u = y; without constraint in the last one. */
static void draw(model *m, int family, uint64_t seed)
{
    draws d = { { seed, (uint64_t)family }, 0 };
    gaussians(&d, M * N, m->left), gaussians(&d, M * N, m->right), gaussians(&d, M * N, m->mixed);
    for (int k = 0; k < M * N; k++) m->mixed[k] *= 0.3;
    for (int i = 0; i < M; i++) m->y[i] = 3 * normal(&d), m->d[i] = normal(&d);
    const bool tied = family != 4;
    m->space[0] = m->space[1] = crease_vector(N);
    m->space[2] = crease_vector(M);
    m->block[0] = (crease_block){ .reg = draw_penalty(&d) };
    m->block[1] = (crease_block){ .reg = draw_penalty(&d) };
    m->block[2] = (crease_block){ .map = crease_identity(family == 3 ? 2 : 1) };
    if (tied) m->block[0].map = crease_dense(m->left), m->block[1].map = crease_dense(m->right);
    m->p = (crease_problem){ tied ? 3 : 2, m->space, m->block, coupling(m, family), { 0 }, m->y };
    if (tied) m->p.range = crease_vector(M);
    m->o = options_to(1e-6);
    m->o.method = family < 2 ? CREASE_METHOD_ADMM_G
                  : tied     ? CREASE_METHOD_ADMM_M
                             : CREASE_METHOD_PROX_BCD;
    m->o.audit = m->o.certify_every = 1;
    m->o.max_iterations = 20000;
}

/* The plain method may run into the limit: that only makes it look better. */
static long iterations(model *m, long accelerate)
{
    m->o.accelerate = accelerate;
    crease_solver *s = solver_for(&m->p, &m->o);
    const crease_outcome how = crease_solve(s);
    const crease_report r = crease_solver_report(s);
    assert_true(how == CREASE_STATIONARY || (!accelerate && how == CREASE_ITERATION_LIMIT));
    assert_int_equal(r.audit_violations, 0);
    assert_true(crease_solver_analysis(s)->guarantee);
    assert_true(accelerate ? r.accelerated > 0 : r.accelerated == 0);
    crease_solver_free(s);
    return r.iterations;
}

static int ascending(const void *a, const void *b)
{
    return (*(const long *)a > *(const long *)b) - (*(const long *)a < *(const long *)b);
}

static long median(int n, long *k)
{
    qsort(k, (size_t)n, sizeof *k, ascending);
    return (k[(n - 1) / 2] + k[n / 2]) / 2;
}

static void extrapolation_saves_three_iterations_of_four(void **state)
{
    static model m;
    long all_plain[FAMILIES * EACH], all_fast[FAMILIES * EACH];
    (void)state;
    for (int family = 0; family < FAMILIES; family++) {
        long plain[EACH], fast[EACH];
        for (int k = 0; k < EACH; k++) {
            draw(&m, family, (uint64_t)k);
            all_plain[family * EACH + k] = plain[k] = iterations(&m, 0);
            all_fast[family * EACH + k] = fast[k] = iterations(&m, 1);
        }
        print_message("%-18s median iterations %ld plain, %ld extrapolated\n", families[family],
                      median(EACH, plain), median(EACH, fast));
    }
    const long slow = median(FAMILIES * EACH, all_plain), quick = median(FAMILIES * EACH, all_fast);
    print_message("%-18s median iterations %ld plain, %ld extrapolated\n", "all", slow, quick);
    assert_true(4 * quick <= slow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extrapolation_saves_three_iterations_of_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
