/* SPDX-License-Identifier: MIT
 * problem_file: reading a problem survives any allocation failing, without a leak */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <unistd.h>

#include "support/test.h"

#include "io/problem/problem.h"
#include "support/fail_alloc.h"

/* One of everything that allocates. */
static const char everything[] =
    "{\"crease\": 1, \"blocks\": ["
    "{\"name\": \"x\", \"shape\": 3, \"set\": {\"affine\": {\"inner\": \"simplex:1\", \"shift\": "
    "[1, 2, 3]}}},"
    "{\"name\": \"y\", \"shape\": 2, \"regularizer\": {\"scaled\": {\"alpha\": 2, \"regularizer\": "
    "{\"group-mcp\": {\"lambda\": 1, \"gamma\": 3, \"groups\": {\"labels\": [2, 1]}, \"weights\": "
    "[1, 2]}}}}},"
    "{\"name\": \"M\", \"shape\": [2, 1], \"start\": 1, \"regularizer\": \"weighted-l1:1,2\"},"
    "{\"name\": \"N\", \"shape\": [2, 1], \"set\": {\"box\": {\"lower\": [0, \"-inf\"]}}},"
    "{\"name\": \"C\", \"shape\": [1, 1]},"
    "{\"shape\": 4, \"set\": {\"product\": {\"parts\": [{\"set\": \"l2-ball:1\", \"shape\": 2},"
    "{\"set\": {\"permutahedron\": {\"a\": [1, 2]}}, \"shape\": 2}]}}}],"
    "\"smooth\": [{\"least_squares\": {\"terms\": {\"x\": \"a.mtx\", \"y\": 1}, \"rhs\": [1, 2]}},"
    "{\"quadratic\": {\"Q\": {\"x,y\": [[1, 2], [3, 4], [5, 6]]}, \"q\": {\"x\": 1}}},"
    "{\"cp\": {\"factors\": [\"M\", \"N\"], \"target\": 1}},"
    "{\"tucker\": {\"factors\": [\"M\", \"N\"], \"core\": \"C\", \"target\": [[1, 2], [3, 4]]}},"
    "{\"multilinear\": {\"tensor\": [[1, 2], [3, 4], [5, 6]], \"blocks\": [\"x\", \"y\"]}},"
    "{\"matrix_factorization\": {\"x\": \"M\", \"y\": \"N\", \"target\": 0}},"
    "{\"softmax\": {\"terms\": {\"M\": 1}, \"labels\": [0, 0], \"classes\": 1, \"weights\": 2}},"
    "{\"polynomial\": {\"terms\": {\"y\": 1}, \"coefficients\": [0, 0, 1], \"weights\": [1, 2]}},"
    "{\"norm_power\": {\"a\": \"x\", \"power\": 3, \"d\": [1, 2, 3]}},"
    "{\"squared_distance\": {\"a\": \"x\", \"d\": 1}}],"
    "\"constraint\": [{\"maps\": {\"y\": [[1, 2]]}, \"multiplier\": 1}, {\"maps\": {\"x\": "
    "{\"composition\": {\"outer\": {\"selection\": [1, 0]}, "
    "\"inner\": {\"finite-difference\": {}}}}, \"y\": {\"sum\": {\"maps\": [1, {\"csr\": "
    "{\"rows\": "
    "2, \"cols\": 2, \"start\": [0, 1, 2], \"col\": [0, 1], \"value\": [1, 2]}}], \"scale\": 2}},"
    "\"M\": {\"composition\": {\"outer\": {\"transposed\": {\"shape\": 2, \"map\": {\"kronecker\": "
    "{\"left\": [1], \"right\": [[1, 2], [3, 4]]}}}}, \"inner\": {\"scaled\": {\"scale\": 2, "
    "\"map\": "
    "{\"dct\": {}}}}}}, \"N\": {\"composition\": {\"outer\": {\"low-rank\": {\"u\": [1, 2], \"v\": "
    "[1, 2, 3]}}, \"inner\": {\"stack\": {\"maps\": [{\"convolution\": {\"kernel\": [[1]]}}, [1, "
    "2]]}}}},"
    "\"x6\": {\"side-by-side\": {\"shapes\": [2, 2], \"maps\": [{\"wavelet\": {\"levels\": 1}}, "
    "{\"circular-convolution\": {\"kernel\": [1, 2], \"origin\": [1]}}]}}},"
    "\"rhs\": 0}], \"options\": {\"eps\": 1e-3}}";

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static void every_allocation_may_fail(void **state)
{
    char folder[] = "/tmp/crease-problem-XXXXXX", path[64], matrix[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/p.json", folder);
    snprintf(matrix, sizeof matrix, "%s/a.mtx", folder);
    put(path, everything);
    put(matrix, "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 3 4\n");
    for (int recover = 0; recover < 2; recover++) {
        bool done = false;
        long k = 0;
        for (; !done; k++) {
            crease_error e = { CREASE_OK, "" };
            allocations_left = k;
            allocations_recover = recover;
            crs_problem_file *f = crs_problem_read(path, &e);
            allocations_left = -1;
            done = f;
            if (!f && e.code != CREASE_NO_MEMORY) fail_msg("allocation %ld: %s", k, e.text);
            if (f) assert_int_equal(f->problem.count, 6);
            crs_problem_file_free(f);
            assert_int_equal(allocations_live, 0);
        }
        assert_true(k > 100);
    }
    unlink(path), unlink(matrix);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation_may_fail) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
