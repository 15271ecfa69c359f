/* SPDX-License-Identifier: MIT
 * callback: an f of the user's own without constants is solved at the pace of one with them, and
 * claims no guarantee */
#include "support/solving.h"

enum { N = 8 };

/* f = sum_j scale ((j + 1) x_j^2/2 - x_j), and of two blocks also the coupling
 * (scale/2)|x_0 - x_1|^2: L <= (N + 2) scale. */
typedef struct {
    double scale;
    int blocks;
} bowl;

static double value(void *user, const double *const *x)
{
    const bowl *f = user;
    double sum = 0;
    for (int i = 0; i < f->blocks; i++)
        for (int j = 0; j < N; j++) sum += (j + 1) * square(x[i][j]) / 2 - x[i][j];
    for (int j = 0; f->blocks > 1 && j < N; j++) sum += square(x[0][j] - x[1][j]) / 2;
    return f->scale * sum;
}

static void grad(void *user, const double *const *x, int i, double *g)
{
    const bowl *f = user;
    for (int j = 0; j < N; j++) {
        g[j] += f->scale * ((j + 1) * x[i][j] - 1);
        if (f->blocks > 1) g[j] += f->scale * (x[i][j] - x[1 - i][j]);
    }
}

static crease_callback_smooth own(bowl *f, bool declared)
{
    crease_callback_smooth c = { .value = value, .grad = grad, .user = f };
    if (declared)
        c.constants = (crease_constants){ .L = (N + 2) * f->scale, .lower = -N * f->scale };
    return c;
}

static crease_status status_of(const crease_analysis *a, const char *name)
{
    for (int k = 0; k < a->assumptions; k++)
        if (strcmp(a->assumption[k].name, name) == 0) return a->assumption[k].status;
    return CREASE_PROVED;
}

/* min f, free or with l1, in one block or two, for every size of L */
static void constants_left_out_are_found(void **state)
{
    const crease_space space[] = { crease_vector(N), crease_vector(N) };
    (void)state;
    for (int k = -8; k <= 8; k++)
        for (int kind = 0; kind < 4; kind++) {
            bowl f = { pow(10, k), 1 + kind / 2 };
            crease_block block[2] = { { .name = NULL }, { .name = NULL } };
            if (kind % 2) block[0].reg = crease_l1(0.1 * f.scale);
            long taken[2];
            for (int declared = 0; declared < 2; declared++) {
                const crease_callback_smooth c = own(&f, declared);
                const crease_problem p = { f.blocks, space, block, crease_smooth_callback(&c),
                                           { 0 },    NULL };
                crease_options o = options_to(1e-8 * f.scale);
                o.method = CREASE_METHOD_PROX_BCD;
                crease_solver *s = certified(&p, &o);
                const crease_analysis *a = crease_solver_analysis(s);
                taken[declared] = crease_solver_report(s).iterations;
                assert_true(a->guarantee == declared);
                if (!declared) {
                    assert_int_equal(status_of(a, "L_i finite"), CREASE_UNKNOWN);
                    assert_int_equal(status_of(a, "f bounded below"), CREASE_UNKNOWN);
                    assert_true(crease_solver_report(s).bound == INFINITY);
                }
                crease_solver_free(s);
            }
            assert_true(taken[0] <= 3 * taken[1] + 20 && taken[0] < 400);
        }
}

/* x_0 + x_1 = b: neither M nor the L_i are declared */
static void a_constraint_adds_no_guarantee(void **state)
{
    const crease_space space[] = { crease_vector(N), crease_vector(N) };
    double b[N];
    bowl f = { 1, 2 };
    (void)state;
    fill(N, 3, b);
    for (int declared = 0; declared < 2; declared++) {
        const crease_callback_smooth c = own(&f, declared);
        const crease_block block[2] = { { .map = crease_identity(1) },
                                        { .map = crease_identity(1) } };
        const crease_problem p = { 2, space, block, crease_smooth_callback(&c), space[0], b };
        crease_options o = options_to(1e-6);
        o.method = CREASE_METHOD_ADMM_G;
        crease_solver *s = certified(&p, &o);
        assert_true(crease_solver_analysis(s)->guarantee == declared);
        crease_solver_free(s);
        o.mode = CREASE_MODE_THEORY;
        crease_error e = { CREASE_OK, "" };
        s = crease_solver_new(&p, &o, &e);
        assert_true((s != NULL) == declared);
        if (!declared) assert_int_equal(e.code, CREASE_UNSUPPORTED);
        crease_solver_free(s);
    }
}

/* Conditional gradients: the l1 ball, rho not declared */
static void conditional_gradients_find_rho(void **state)
{
    const crease_space space = crease_vector(N);
    const crease_set ball = crease_l1_ball(1);
    const crease_block block = { .set = &ball };
    bowl f = { 1, 1 };
    (void)state;
    for (int declared = 0; declared < 2; declared++) {
        const crease_callback_smooth c = own(&f, declared);
        const crease_problem p = { 1, &space, &block, crease_smooth_callback(&c), { 0 }, NULL };
        crease_options o = options_to(1e-2);
        o.method = CREASE_METHOD_GCG;
        crease_solver *s = certified(&p, &o);
        assert_true(crease_solver_analysis(s)->guarantee == declared);
        crease_solver_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_left_out_are_found),
        cmocka_unit_test(a_constraint_adds_no_guarantee),
        cmocka_unit_test(conditional_gradients_find_rho),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
