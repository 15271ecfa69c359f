/* SPDX-License-Identifier: MIT
 * factor_constants: constants survive any of their allocations failing, without a leak */
#include "support/couplings.h"

static int allowed; /* allocations before one fails */

void *crs_alloc(size_t count, size_t size)
{
    return allowed-- > 0 ? calloc(count ? count : 1, size) : NULL;
}

void *crs_resize(void *p, size_t count, size_t size)
{
    return allowed-- > 0 ? realloc(p, count * size) : NULL;
}

void crs_free(void *p) { free(p); }

static void fails_cleanly(problem *p, draws *d)
{
    crease_constants c;
    bool done = false;
    (void)d;
    for (int k = 0; !done && k < 100; k++) {
        crease_error e = { CREASE_OK, "" };
        allowed = k;
        done = p->f.ops->constants(&p->f, &p->b, 1, &c, NULL, &e);
        assert_true(done ? k > 0 : e.code == CREASE_NO_MEMORY && strstr(e.text, "out of memory"));
    }
    assert_true(done);
}

static void allocations(void **state) { (void)state, for_all(fails_cleanly, 1); }

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(allocations) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
