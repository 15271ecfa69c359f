/* SPDX-License-Identifier: MIT
 * random: Philox's published vectors, the moments of the distributions, fair subsets */
#include <stdlib.h>

#include "support/test.h"

/* Known answers of Philox4x32-10 from its authors: Random123, tests/kat_vectors. */
static void philox_known_answers(void **state)
{
    (void)state;
    const crease_random zero = { 0, 0 }, ones = { UINT64_MAX, UINT64_MAX };
    const crease_random pi = { 0x299f31d0a4093822u, 0x0370734413198a2eu };
    assert_true(crease_random_bits(zero, 0) == 0xe169c58d6627e8d5u);
    assert_true(crease_random_bits(ones, UINT64_MAX) == 0x41c83b0e408f276du);
    assert_true(crease_random_bits(pi, 0x85a308d3243f6a88u) == 0x94fdccebd16cfe09u);
}

static void moments(void **state)
{
    enum { N = 200000 };
    const crease_random r = { 7, 3 };
    double u1 = 0, u2 = 0, n1 = 0, n2 = 0, n4 = 0;
    (void)state;
    for (uint64_t k = 0; k < N; k++) {
        const double u = crease_random_uniform(r, k), z = crease_random_normal(r, k);
        assert_true(u >= 0 && u < 1 && isfinite(z));
        u1 += u / N, u2 += u * u / N;
        n1 += z / N, n2 += z * z / N, n4 += z * z * z * z / N;
    }
    const double sd = 1 / sqrt(N); /* five standard errors of each mean */
    assert_true(fabs(u1 - 0.5) < 5 * sd * sqrt(1.0 / 12));
    assert_true(fabs(u2 - 1.0 / 3) < 5 * sd * sqrt(4.0 / 45));
    assert_true(fabs(n1) < 5 * sd && fabs(n2 - 1) < 5 * sd * sqrt(2) &&
                fabs(n4 - 3) < 5 * sd * sqrt(96));
}

static void permutations_are_fair(void **state)
{
    enum { N = 4, TRIES = 24000 };
    int seen[256] = { 0 }, kinds = 0;
    ptrdiff_t p[N];
    (void)state;
    for (uint64_t k = 0; k < TRIES; k++) {
        crease_random_permutation((crease_random){ 11, k }, N, p);
        int code = 0, bits = 0;
        for (int j = 0; j < N; j++) code = 4 * code + (int)p[j], bits |= 1 << p[j];
        assert_int_equal(bits, 15);
        seen[code]++;
    }
    for (int c = 0; c < 256; c++) {
        if (seen[c] == 0) continue;
        kinds++;
        assert_true(abs(seen[c] - TRIES / 24) < 5 * sqrt(TRIES / 24.0));
    }
    assert_int_equal(kinds, 24);
}

static void samples_are_fair(void **state)
{
    enum { N = 5, K = 2, TRIES = 20000 };
    int seen[32] = { 0 };
    ptrdiff_t out[N];
    (void)state;
    for (uint64_t k = 0; k < TRIES; k++) {
        crease_random_sample((crease_random){ 5, k }, N, K, out);
        assert_true(out[0] < out[1] && out[0] >= 0 && out[1] < N);
        seen[1 << out[0] | 1 << out[1]]++;
    }
    for (int a = 0; a < N; a++)
        for (int b = a + 1; b < N; b++)
            assert_true(abs(seen[1 << a | 1 << b] - TRIES / 10) < 5 * sqrt(TRIES / 10.0));
    crease_random_sample((crease_random){ 5, 0 }, N, N, out);
    for (int j = 0; j < N; j++) assert_int_equal(out[j], j);
    crease_random_sample((crease_random){ 5, 0 }, N, 0, out);
}

static void bounded_draws_cover_their_range(void **state)
{
    int seen[3] = { 0 };
    (void)state;
    for (uint64_t k = 0; k < 30000; k++) seen[crease_random_below((crease_random){ 1, 2 }, k, 3)]++;
    for (int j = 0; j < 3; j++) assert_true(abs(seen[j] - 10000) < 5 * sqrt(10000));
    assert_true(crease_random_below((crease_random){ 1, 2 }, 0, 1) == 0);
    assert_true(crease_random_below((crease_random){ 1, 2 }, 0, UINT64_MAX) < UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_known_answers),
        cmocka_unit_test(moments),
        cmocka_unit_test(permutations_are_fair),
        cmocka_unit_test(samples_are_fair),
        cmocka_unit_test(bounded_draws_cover_their_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
