/* SPDX-License-Identifier: MIT
 * couplings: the checker agrees with the certificate on every loss, quadratics, distances, sums,
 * callbacks, and the couplings made from tensors */
#include "support/couplings.h"
#include "support/regional_losses.h"
#include "support/verify_test.h"

static crease_problem on(const crease_smooth *f, const crease_blocks *b, const crease_block *block)
{
    return (crease_problem){ .count = b->count, .space = b->space, .block = block, .f = *f };
}

static void agrees_on_every_loss(void **state)
{
    static const double scale[] = { 0.3, 1, 5 };
    draws d = { .r = { .seed = 81 } };
    const crease_block block[3] = { { .reg = crease_l1(0.1) } };
    (void)state;
    for (int k = 0; k < LOSSES * 60; k++) {
        model m;
        point x;
        make_model(&d, 1 + k % 3, k % LOSSES, &m);
        if (k % 2) m.p.weight = m.weight;
        const crease_smooth f = make_loss(k % LOSSES, &m.p);
        draw_point(&d, &m.blocks, scale[k % 3], &x);
        const crease_problem p = on(&f, &m.blocks, block);
        assert_agree(f.ops->name, &p, x.at, NULL);
    }
}

static void agrees_on_regional_losses(void **state)
{
    draws d = { .r = { .seed = 84 } };
    const crease_block block[3] = { { .reg = crease_l1(0.1) } };
    (void)state;
    for (int k = 0; k < REGIONAL * 60; k++) {
        regional r;
        point x;
        const crease_smooth f = make_regional(&d, k % REGIONAL, 1 + k % 3, &r);
        draw_point(&d, &r.m.blocks, k % 2 ? 0.2 : 1, &x);
        const crease_problem p = on(&f, &r.m.blocks, block);
        assert_agree(f.ops->name, &p, x.at, NULL);
    }
}

static double half_square(void *user, const double *const *x) { return *(double *)user * x[0][0]; }

static void its_gradient(void *user, const double *const *x, int i, double *g)
{
    g[0] += *(double *)user * (i == 0 ? 1 : x[1][1]);
}

/* Both kinds of pairs, a linear part, a distance, a callback, and their sum with a loss. */
static void agrees_on_quadratics_and_sums(void **state)
{
    draws d = { .r = { .seed = 82 } };
    const crease_block block[3] = { { 0 } };
    double factor = 0.7;
    (void)state;
    for (int k = 0; k < 100; k++) {
        model m;
        point x;
        make_model(&d, 3, 0, &m);
        draw_point(&d, &m.blocks, 1, &x);
        double Q[N0 * N0], cross[N0 * N1], q[N0];
        draw_vector(&d, N0 * N0, 1, Q), draw_vector(&d, N0 * N1, 1, cross);
        draw_vector(&d, N0, 1, q);
        for (int i = 0; i < N0; i++)
            for (int j = 0; j < i; j++) Q[i * N0 + j] = Q[j * N0 + i];
        const int row[] = { 0, 0 }, col[] = { 0, 1 };
        const double *const matrix[] = { Q, cross }, *const linear[] = { q, NULL, q };
        const crease_quadratic_data quadratic = { 2, row, col, matrix, linear, 3 };
        const crease_distance_data apart = { 0, 2, -1.5, q }, alone = { 2, -1, 0.8, NULL };
        const crease_callback_smooth call = {
            .value = half_square, .grad = its_gradient, .user = &factor, .constants = { .L = 1 }
        };
        const crease_smooth term[] = { crease_quadratic(&quadratic),
                                       crease_squared_distance(&apart),
                                       crease_squared_distance(&alone), crease_cauchy(&m.p),
                                       crease_smooth_callback(&call) };
        const crease_smooth_list list = { 5, term };
        const crease_smooth sum = crease_smooth_sum(&list);
        for (int j = 0; j <= 5; j++) {
            const crease_smooth *f = j < 5 ? &term[j] : &sum;
            const crease_problem p = on(f, &m.blocks, block);
            assert_agree(f->ops->name, &p, x.at, NULL);
            crease_verification v = verified(&p, x.at, NULL, 1, false);
            assert_true(v.trusted_callback == (j >= 4));
            crease_verification_free(&v);
        }
    }
}

static void compare(problem *t, draws *d)
{
    crease_block block[MOST_BLOCKS] = { { .reg = crease_l1(0.3) } };
    const crease_problem p = { .count = t->b.count, .space = t->space, .block = block, .f = t->f };
    (void)d;
    assert_agree(t->f.ops->name, &p, (const double *const *)t->x, NULL);
}

static void agrees_on_every_coupling_of_tensors(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) for_all(compare, seed);
}

/* |Z - X Y'|^2 = 0 at Z = X Y' in small integers: exactly stationary. */
static void an_exact_factorization_is_valid(void **state)
{
    double X[] = { 1, 2, 0, -1, 3, 1 }, Y[] = { 2, 0, 1, 1 }, Z[6];
    const crease_space space[] = { crease_matrix(3, 2), crease_matrix(2, 2) };
    const double *const at[] = { X, Y };
    const crease_block block[2] = { { 0 } };
    const int factor[] = { 0, 1 };
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            Z[i * 2 + j] = X[i * 2] * Y[j * 2] + X[i * 2 + 1] * Y[j * 2 + 1];
    const crease_factorization_data mf = { 0, 1, -1, Z };
    const crease_cp_data cp = { crease_matrix(3, 2), 2, factor, -1, Z, 0 };
    crease_problem p = { .count = 2, .space = space, .block = block };
    p.f = crease_matrix_factorization(&mf);
    assert_int_equal(verdict_on(&p, at, NULL, 1e-15), CREASE_VERDICT_VALID);
    p.f = crease_cp(&cp);
    assert_int_equal(verdict_on(&p, at, NULL, 1e-15), CREASE_VERDICT_VALID);
    Y[3] += 1e-9;
    assert_int_equal(verdict_on(&p, at, NULL, 1e-9), CREASE_VERDICT_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_on_every_loss),
        cmocka_unit_test(agrees_on_regional_losses),
        cmocka_unit_test(agrees_on_quadratics_and_sums),
        cmocka_unit_test(agrees_on_every_coupling_of_tensors),
        cmocka_unit_test(an_exact_factorization_is_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
