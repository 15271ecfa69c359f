/* SPDX-License-Identifier: MIT
 * verify_couplings: the checker agrees with the certificate on every loss, quadratics, distances,
 * sums and callbacks */
#include "support/losses.h"
#include "support/verify_test.h"

static crease_problem on(const crease_smooth *f, const crease_blocks *b, const crease_block *block)
{
    return (crease_problem){ .count = b->count, .space = b->space, .block = block, .f = *f };
}

static void losses(void **state)
{
    static const double scale[] = { 0.3, 1, 5 };
    draws d = { .r = { .seed = 81 } };
    const crease_block block[3] = { { .reg = crease_l1(0.1) } };
    (void)state;
    for (int k = 0; k < LOSSES * 60; k++) {
        model m;
        point x;
        make_model(&d, 1 + k % 3, k % LOSSES == 7, &m);
        const crease_smooth f = make_loss(k % LOSSES, &m.p);
        draw_point(&d, &m.blocks, scale[k % 3], &x);
        const crease_problem p = on(&f, &m.blocks, block);
        assert_agree(f.ops->name, &p, x.at, NULL);
    }
}

static double half_square(void *user, const double *const *x) { return *(double *)user * x[0][0]; }

static void its_gradient(void *user, const double *const *x, int i, double *g)
{
    g[0] += *(double *)user * (i == 0 ? 1 : x[1][1]);
}

/* Both kinds of pairs, a linear part, a distance, a callback, and their sum with a loss. */
static void quadratics_and_sums(void **state)
{
    draws d = { .r = { .seed = 82 } };
    const crease_block block[3] = { { 0 } };
    double factor = 0.7;
    (void)state;
    for (int k = 0; k < 100; k++) {
        model m;
        point x;
        make_model(&d, 3, false, &m);
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
            half_square, its_gradient, &factor, { .L = 1 }, NULL
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses),
        cmocka_unit_test(quadratics_and_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
