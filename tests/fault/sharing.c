/* SPDX-License-Identifier: MIT
 * sharing: building sharing and consensus problems survives any one allocation failing */
#include "support/survive.h"

static const double A[6] = { 1, 2, 3, 4, 5, 7 }, y[3] = { 1, -1, 2 }, start[2] = { 1, 1 };

static bool share(crease_error *e)
{
    const crease_space space[] = { crease_vector(2), crease_vector(3) };
    const crease_block block[] = {
        { .reg = crease_mcp(1, 3), .map = crease_dense(A), .start = start },
        { .reg = crease_l1(1), .map = crease_identity(1) },
    };
    const crease_sharing_settings s = {
        .count = 2, .space = space, .block = block, .range = crease_vector(3), .y = y
    };
    crease_sharing *m = crease_sharing_new(&s, e);
    crease_sharing_free(m);
    return m;
}

static bool agree(crease_error *e)
{
    const ptrdiff_t rows[] = { 2, 1 };
    const double *matrix[] = { A, A + 4 }, *rhs[] = { y, NULL };
    const crease_consensus_settings s = { .agents = 2,
                                          .size = 2,
                                          .rows = rows,
                                          .matrix = matrix,
                                          .rhs = rhs,
                                          .reg = crease_mcp(1, 3),
                                          .start = start };
    crease_consensus *m = crease_consensus_new(&s, e);
    crease_consensus_free(m);
    return m;
}

static void any_failed_allocation_is_survived(void **state)
{
    fallible *const call[] = { share, agree };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(any_failed_allocation_is_survived) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
