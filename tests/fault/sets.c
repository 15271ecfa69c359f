/* SPDX-License-Identifier: MIT
 * sets: every call survives running out of memory */
#include <stdlib.h>

#include "support/test.h"

static int left, held; /* allocations before one fails; blocks not freed yet */

void *crs_alloc(size_t count, size_t size)
{
    if (left-- <= 0) return NULL;
    held++;
    return calloc(count ? count : 1, size);
}

void *crs_resize(void *p, size_t count, size_t size)
{
    (void)p, (void)count, (void)size;
    return NULL;
}

void crs_free(void *p)
{
    held -= p != NULL;
    free(p);
}

static void calls_report_it(void **state)
{
    const double v[] = { 3, 1, 2 };
    const crease_set c = crease_permutahedron(v);
    const crease_space s = crease_vector(3);
    double x[3], value;
    crease_error e;
    (void)state;
    left = 0;
    assert_false(crease_project(&c, &s, v, x, &e));
    assert_int_equal(e.code, CREASE_NO_MEMORY);
    assert_false(crease_lmo(&c, &s, v, x, &e));
    assert_false(crease_excess(&c, &s, v, &value, &e));
    assert_false(crease_support(&c, &s, v, &value, NULL));
    left = 100;
    assert_true(crease_project(&c, &s, v, x, &e) && crease_lmo(&c, &s, v, x, &e));
    assert_true(crease_excess(&c, &s, v, &value, &e) && crease_support(&c, &s, v, &value, NULL));
    assert_int_equal(held, 0);
}

/* Without memory to sort, the diameter is a larger bound, not a guess. */
static void diameter_stays_an_upper_bound(void **state)
{
    const double v[] = { 3, 1, 2, 2 };
    const crease_set c = crease_permutahedron(v);
    const crease_space s = crease_vector(4);
    double exact, bound;
    (void)state;
    left = 1;
    assert_true(crease_diameter(&c, &s, 2, &exact, NULL));
    assert_close(exact, sqrt(8), 2 * 0x1p-53);
    left = 0;
    assert_true(crease_diameter(&c, &s, 2, &bound, NULL));
    assert_true(bound >= exact && bound < 2 * exact);
    assert_int_equal(held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_report_it),
        cmocka_unit_test(diameter_stays_an_upper_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
