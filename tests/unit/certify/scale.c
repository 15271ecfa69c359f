/* SPDX-License-Identifier: MIT
 * scale: what a relative residual is relative to. It does not vanish where all terms do, it is not
 * made of terms that do not matter, no start loosens it, and units do not matter: of a block, of
 * the objective, of the constraint; the checker's scales are the same */
#include <stdlib.h>

#include "support/sharing.h"

static crease_verification verified(const crease_problem *p, const double *const *x,
                                    const double *lambda, double eps)
{
    crease_verification v;
    assert_true(crease_verify(p, x, lambda, NULL, false, eps, true, &v, NULL));
    return v;
}

/* free its blocks */
static crease_certificate certificate_at(const crease_problem *p, const double *const *x,
                                         const double *lambda)
{
    crease_certificate c = { .block = calloc((size_t)p->count, sizeof *c.block) };
    double *work = malloc((size_t)crease_certify_scratch(p) * sizeof *work);
    crease_reference *reference = crease_reference_new(p, NULL);
    c.reference = reference;
    crease_certify(p, x, lambda, &c, work);
    crease_reference_free(reference);
    free(work);
    return c;
}

static const double square_map[] = { 2, 1, 1, 3 }, rhs[] = { 1, 2 };
static const crease_space pair[] = { { 1, { 2 }, NULL }, { 1, { 2 }, NULL } };

/* min |u|^2/2, A x + u = b with A invertible: every term of both conditions vanishes. */
static void systems_that_are_solved_exactly_end(void **state)
{
    static const crease_method method[] = { CREASE_METHOD_AUTO, CREASE_METHOD_ADMM_G,
                                            CREASE_METHOD_ADMM_M, CREASE_METHOD_EXTENSION };
    const crease_distance_data half = { 1, -1, 1, NULL };
    (void)state;
    for (int k = 0; k < 8; k++) {
        const crease_block block[] = { { .map = k % 2 ? crease_identity(1)
                                                      : crease_dense(square_map) },
                                       { .map = crease_identity(1) } };
        const crease_problem p = { 2, pair, block, crease_squared_distance(&half), pair[0], rhs };
        crease_options o = options_to(1e-6);
        o.relative = 1, o.method = method[k / 2], o.max_iterations = 1000;
        crease_solver *s = solver_for(&p, &o);
        assert_int_equal(crease_solve(s), CREASE_STATIONARY);
        const double *x[] = { crease_solution(s, 0), crease_solution(s, 1) };
        crease_verification v = verified(&p, x, crease_multiplier(s), 1e-6);
        assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
        assert_true(fabs(x[0][0] - (k % 2 ? 1 : 0.2)) < 1e-5);
        crease_verification_free(&v);
        crease_solver_free(s);
    }
}

/* The problem with b = y in other units: block i in units of unit[i], F in units of price, the
 * constraint in units of row. */
typedef struct {
    sharing s;
    double map[3][ROWS * ROWS];
    double unit[3], price, row;
} units;

static void make_units(units *u, uint64_t seed, double spread)
{
    draws d = { { seed, 5 }, 0 };
    make_sharing(&u->s, seed, 0);
    u->price = exp2(floor(spread * normal(&d)));
    u->row = exp2(floor(spread * normal(&d)));
    for (int i = 0; i < 3; i++) u->unit[i] = exp2(floor(spread * normal(&d)));
    for (int j = 0; j < ROWS * COLS; j++) {
        u->s.left[j] *= u->unit[0] * u->row;
        u->s.right[j] *= u->unit[1] * u->row;
    }
    for (int j = 0; j < ROWS; j++) u->s.y[j] *= u->row;
    const double a = u->unit[0];
    u->s.block[0].reg = crease_mcp(u->price * a, 3 / (u->price * a * a)); /* of a x: the same */
    u->s.block[1].reg = crease_l1(0.5 * u->price * u->unit[1]);
    u->s.block[2].map = crease_identity(u->unit[2] * u->row);
    u->s.loss.weight = u->price * u->unit[2] * u->unit[2];
}

/* The same point in the units of u. */
static void in_units(const units *u, double *const *x, double *lambda)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < (i == 2 ? ROWS : COLS); j++) x[i][j] /= u->unit[i];
    for (int j = 0; j < ROWS; j++) lambda[j] *= u->price / u->row;
}

static double by_units(const units *u, int i) { return i < 0 ? u->row : u->unit[i] * u->price; }

static void a_point(uint64_t seed, double size, double *const *x, double *lambda)
{
    draws d = { { seed, 9 }, 0 };
    for (int i = 0; i < 3; i++) gaussians(&d, i == 2 ? ROWS : COLS, x[i]);
    gaussians(&d, ROWS, lambda);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < (i == 2 ? ROWS : COLS); j++) x[i][j] *= size;
    for (int j = 0; j < ROWS; j++) lambda[j] *= size;
}

static void scales_change_as_residuals_do(void **state)
{
    double store[3][ROWS], lambda[ROWS], *const x[] = { store[0], store[1], store[2] };
    const double *const *at = (const double *const *)x;
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (int k = 0; k < 4; k++) {
            const double size = k == 0 ? 1 : k == 1 ? 1e-9 : k == 2 ? 1e3 : 0;
            units one, other;
            make_units(&one, seed, 0);
            make_units(&other, seed, 12);
            a_point(seed, size, x, lambda);
            in_units(&one, x, lambda);
            crease_certificate a = certificate_at(&one.s.problem, at, lambda);
            a_point(seed, size, x, lambda);
            in_units(&other, x, lambda);
            crease_certificate b = certificate_at(&other.s.problem, at, lambda);
            for (int i = 0; i < 3; i++) {
                const double by = by_units(&other, i) / by_units(&one, i);
                assert_close(b.block[i].scale, by * a.block[i].scale, 1e-11);
                assert_close(b.block[i].residual, by * a.block[i].residual, 1e-9);
                assert_true(a.block[i].scale > 0);
            }
            const double by = by_units(&other, -1) / by_units(&one, -1);
            assert_close(b.feasibility.scale, by * a.feasibility.scale, 1e-11);
            crease_verification v = verified(&other.s.problem, at, lambda, 1e-6);
            assert_true(fabs(v.smallest_eps / b.worst_relative - 1) < 1e-9);
            crease_verification_free(&v);
            free(a.block), free(b.block);
        }
}

/* min t|x|_1 + |u|^2/2, x + u = b with a tiny t: u = 0 and lambda = 0 leave residuals that are
 * small beside b, but lambda in t d|x|_1 is what the problem is about. */
static void small_objectives_are_not_hidden(void **state)
{
    const crease_distance_data half = { 1, -1, 1, NULL };
    const double zero[] = { 0, 0 }, mixed[] = { 3, 0 };
    (void)state;
    for (int k = 3; k <= 9; k++) {
        const double t = pow(10, -k);
        const crease_block block[] = { { .reg = crease_l1(t), .map = crease_identity(1) },
                                       { .map = crease_identity(1) } };
        const crease_problem p = { 2, pair, block, crease_squared_distance(&half), pair[0], mixed };
        const double best[] = { 3 - t, 0 }, rest[] = { t, 0 };
        const double *wrong[] = { mixed, zero }, *right[] = { best, rest };
        crease_verification v = verified(&p, wrong, zero, 1e-6);
        crease_verification w = verified(&p, right, rest, 1e-6);
        assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
        assert_int_equal(w.verdict, CREASE_VERDICT_VALID);
        crease_verification_free(&v), crease_verification_free(&w);
    }
}

/* Scales are of the point and the problem: where a run starts is no part of either. */
static void starts_loosen_nothing(void **state)
{
    double store[3][ROWS], lambda[ROWS], far[ROWS], *const x[] = { store[0], store[1], store[2] };
    (void)state;
    for (int j = 0; j < ROWS; j++) far[j] = 1e12;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sharing s;
        make_sharing(&s, seed, 0);
        a_point(seed, 1, x, lambda);
        crease_certificate a = certificate_at(&s.problem, (const double *const *)x, lambda);
        for (int i = 0; i < 3; i++) s.block[i].start = far;
        crease_certificate b = certificate_at(&s.problem, (const double *const *)x, lambda);
        for (int i = 0; i < 3; i++) assert_true(a.block[i].scale == b.block[i].scale);
        free(a.block), free(b.block);
    }
}

/* z = x_i, f = sum |x_i - d_i|^2/2 with a price on z that keeps it at 0: the constraint has no
 * right-hand side, all x_i vanish, and so does z's condition without a price. */
static void constraints_without_data_have_a_scale(void **state)
{
    static const double stack[] = { -1, 0, 0, -1, -1, 0, 0, -1 };
    const crease_space space[] = { crease_vector(2), crease_vector(4) };
    const double d[] = { 1, -2, 3, 1 };
    const crease_distance_data loss = { 1, -1, 1, d };
    (void)state;
    for (int priced = 0; priced < 2; priced++) {
        const crease_block block[] = { { .map = crease_dense(stack) },
                                       { .map = crease_identity(1) } };
        crease_block own[] = { block[0], block[1] };
        if (priced) own[0].reg = crease_l1(100);
        const crease_problem p = { 2, space, own, crease_squared_distance(&loss), space[1], NULL };
        crease_options o = options_to(1e-8);
        o.relative = 1, o.max_iterations = 2000;
        crease_solver *s = solver_for(&p, &o);
        assert_int_equal(crease_solve(s), CREASE_STATIONARY);
        const double *x[] = { crease_solution(s, 0), crease_solution(s, 1) };
        assert_true(fabs(x[1][0] - (priced ? 0 : 2)) < 1e-6);
        crease_verification v = verified(&p, x, crease_multiplier(s), 1e-8);
        assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
        crease_verification_free(&v);
        crease_solver_free(s);
    }
}

/* min |A x|^2/2 has no data and no scale: only 0 is certified, by solver and checker alike. */
static void without_data_the_answer_is_exact(void **state)
{
    const crease_space space = crease_vector(2);
    const double start[] = { 1, -3 };
    const int first = 0;
    const crease_map map = crease_dense(square_map);
    const crease_predictor u = { 1, &first, &map, crease_vector(2), NULL, NULL };
    const crease_block block = { .start = start };
    const crease_problem p = { 1, &space, &block, crease_least_squares(&u), { 0 }, NULL };
    crease_options o = options_to(1e-6);
    o.relative = 1;
    (void)state;
    crease_solver *s = solver_for(&p, &o);
    assert_int_equal(crease_solve(s), CREASE_STATIONARY);
    const double *x = crease_solution(s, 0);
    crease_verification v = verified(&p, &x, NULL, 1e-6);
    assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
    assert_true(x[0] == 0 && x[1] == 0);
    crease_verification_free(&v);
    crease_solver_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_that_are_solved_exactly_end),
        cmocka_unit_test(scales_change_as_residuals_do),
        cmocka_unit_test(small_objectives_are_not_hidden),
        cmocka_unit_test(starts_loosen_nothing),
        cmocka_unit_test(constraints_without_data_have_a_scale),
        cmocka_unit_test(without_data_the_answer_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
