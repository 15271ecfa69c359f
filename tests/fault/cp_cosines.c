/* SPDX-License-Identifier: MIT
 * cp_cosines: survives any one of its allocations failing */
#include "rpca/rpca.h"

#include <stdlib.h>

#include "support/test.h"

static int allocations_left;

void *crs_alloc(size_t count, size_t size)
{
    return allocations_left-- == 0 ? NULL : calloc(count ? count : 1, size);
}

void *crs_resize(void *p, size_t count, size_t size)
{
    return allocations_left-- == 0 ? NULL : realloc(p, count * size + 1);
}

void crs_free(void *p) { free(p); }

static void cosines(void **state)
{
    static const double x[] = { 1, 2, 3, 5 };
    const crease_space shape = { .order = 2, .dim = { 2, 2 } };
    const crs_cp_terms t = { .rank = 2, .factor = { x, x } };
    double out[4];
    int failures = 0;
    (void)state;
    for (bool done = false; !done; failures += !done) {
        crease_error e = { .code = CREASE_OK };
        allocations_left = failures;
        done = crs_cp_cosines(&shape, &t, &t, out, &e);
        assert_true(done || e.code == CREASE_NO_MEMORY);
    }
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(cosines) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
