/* SPDX-License-Identifier: MIT
 * cp_rank_mend: a fit that fails once does not hide the true rank, and one that always fails is not
 * tried for ever */
#include "support/test.h"

enum { RANK = 3 };

typedef struct {
    int left;    /* failures to come of fits of the true rank */
    int started; /* such fits that were given a start */
} unlucky;

/* The fit of one term less, and a term of 0. */
static bool fall_short(const crease_cp_fit_request *r, double *const *factor, double *objective,
                       crease_error *e)
{
    crease_cp_fit_request less = *r;
    less.rank--;
    less.start = NULL;
    if (!crease_cp_fit_envelope(NULL, &less, factor, objective, e)) return false;
    for (int n = 0; n < r->shape.order; n++)
        for (ptrdiff_t i = r->shape.dim[n] - 1; i >= 0; i--) {
            for (ptrdiff_t k = less.rank - 1; k >= 0; k--)
                factor[n][i * r->rank + k] = factor[n][i * less.rank + k];
            factor[n][i * r->rank + less.rank] = 0;
        }
    return true;
}

static bool fit(void *self, const crease_cp_fit_request *r, double *const *factor,
                double *objective, crease_error *e)
{
    unlucky *u = self;
    if (r->rank == RANK) u->started += r->start != NULL;
    if (r->rank == RANK && u->left-- > 0) return fall_short(r, factor, objective, e);
    return crease_cp_fit_envelope(NULL, r, factor, objective, e);
}

static void unlucky_fits(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 9, 10, 12 } };
    (void)state;
    const int counts[] = { 0, 1, 100 };
    for (int k = 0; k < 3; k++) {
        const int failures = counts[k];
        crease_cp_recipe recipe = crease_cp_recipe_default(&shape, RANK);
        recipe.noise = 1e-2, recipe.outliers = 0.02, recipe.magnitude = 5;
        crease_cp_instance *c = crease_cp_generate(&recipe, NULL);
        unlucky u = { failures, 0 };
        const crease_cp_rank_options o = { .high = 6, .fit = fit, .self = &u };
        crease_cp_rank_table *t = crease_cp_rank_sweep(&shape, c->tensor, NULL, &o, NULL);
        assert_non_null(t);
        if (failures < 100) assert_int_equal(t->rank, RANK);
        if (failures > 0) assert_true(u.started > 0 && u.left < failures);
        assert_true(u.left > failures - 40);
        crease_cp_rank_table_free(t);
        crease_cp_instance_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(unlucky_fits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
