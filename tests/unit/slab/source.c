/* SPDX-License-Identifier: MIT
 * source: a tensor has the same entries and mask wherever it is; what cannot be is refused */
#include <stdlib.h>

#include "support/test.h"

#include "slab/slab.h"

static const crease_space shape = { .order = 3, .dim = { 120, 200, 200 } };

static double entry(ptrdiff_t j) { return j % 1001 == 5 ? (double)NAN : (double)(j % 17) - 8; }

static bool load(void *user, const crease_slab *slab, double *out, crease_error *e)
{
    const ptrdiff_t *fails = user;
    if (slab->index == *fails) return crs_fail(e, CREASE_IO, "the tape is torn");
    for (ptrdiff_t j = 0; j < crease_size(&slab->shape); j++) out[j] = entry(slab->first + j);
    return true;
}

static void check_entries(crease_source *s)
{
    crs_slab slab;
    assert_non_null(s);
    for (ptrdiff_t k = 0; k < s->slabs->cut.count; k++) {
        assert_true(s->slabs->ops->take(s->slabs, k, &slab, NULL));
        for (ptrdiff_t j = 0; j < crease_size(&slab.shape); j++) {
            const double x = entry(slab.first + j);
            assert_true(slab.w[j] == !isnan(x) && slab.t[j] == (isnan(x) ? 0 : x));
        }
        s->slabs->ops->give(s->slabs, &slab);
    }
    crease_source_free(s);
}

static void entries_are_the_same_wherever_they_are(void **state)
{
    ptrdiff_t none = -1, n = crease_size(&shape);
    double *t = malloc((size_t)n * sizeof *t);
    (void)state;
    for (ptrdiff_t j = 0; j < n; j++) t[j] = entry(j);
    check_entries(crease_source_memory(&shape, t, true, NULL));
    check_entries(crease_source_function(&shape, load, &none, 0, true, NULL));
    check_entries(crease_source_function(&shape, load, &none, INFINITY, true, NULL));
    free(t);
}

static void what_cannot_be_is_refused(void **state)
{
    crease_error e;
    ptrdiff_t fails = 1;
    (void)state;
    assert_null(crease_source_memory(&shape, NULL, false, &e));
    assert_null(crease_source_function(&shape, NULL, NULL, 0, false, &e));
    assert_null(crease_source_function(&shape, load, &fails, -1, false, &e));
    assert_null(crease_source_function(&shape, load, &fails, NAN, false, &e));
    assert_null(crease_source_function(&shape, load, &fails, 1000, false, &e));
    assert_non_null(strstr(e.text, "less than"));
    assert_null(crease_source_function(&shape, load, &fails, INFINITY, false, &e));
    assert_non_null(strstr(e.text, "slab 1 (entries"));
    assert_non_null(strstr(e.text, "the tape is torn"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_the_same_wherever_they_are),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
