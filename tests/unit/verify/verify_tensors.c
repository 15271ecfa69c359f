/* SPDX-License-Identifier: MIT
 * verify_tensors: the checker agrees with the certificate on the couplings made from tensors */
#include "support/couplings.h"
#include "support/verify_test.h"

static void compare(problem *t, draws *d)
{
    crease_block block[MOST_BLOCKS] = { { .reg = crease_l1(0.3) } };
    const crease_problem p = { .count = t->b.count, .space = t->space, .block = block, .f = t->f };
    (void)d;
    assert_agree(t->f.ops->name, &p, (const double *const *)t->x, NULL);
}

static void every_coupling(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) for_all(compare, seed);
}

/* |Z - X Y'|^2 = 0 at Z = X Y' in small integers: exactly stationary. */
static void exact_factorization(void **state)
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
        cmocka_unit_test(every_coupling),
        cmocka_unit_test(exact_factorization),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
