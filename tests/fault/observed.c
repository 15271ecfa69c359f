/* SPDX-License-Identifier: MIT
 * observed: a fit of mostly missing data survives any one of its allocations failing, a matrix and
 * a tensor */
#include "rpca/fit.h"
#include "support/survive.h"

static bool fit(crease_error *e, const crease_space *shape)
{
    double t[960];
    const ptrdiff_t size = crease_size(shape);
    crease_cp_fit_settings s = crease_cp_fit_default(shape, 1);
    for (ptrdiff_t j = 0; j < size; j++) t[j] = j % 7 ? NAN : 2 + sin((double)j);
    s.model.missing = true;
    s.run.max_iterations = 3;
    crease_cp_fit *f = crease_cp_fit_new(&s, t, e);
    if (f) {
        const long live = allocations_live, left = allocations_left;
        assert_non_null(f->source->listed);
        crease_cp_fit_run(f);
        assert_true(allocations_live == live && allocations_left == left); /* none in the loop */
    }
    crease_cp_fit_free(f);
    return f;
}

static bool matrix(crease_error *e) { return fit(e, &(crease_space){ 2, { 24, 40 }, NULL }); }
static bool tensor(crease_error *e) { return fit(e, &(crease_space){ 3, { 8, 15, 8 }, NULL }); }

static void survive(void **state)
{
    (void)state;
    survives(matrix, 10);
    survives(tensor, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
