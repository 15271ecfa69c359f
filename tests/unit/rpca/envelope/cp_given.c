/* SPDX-License-Identifier: MIT
 * cp_given: with alpha given, one good start is enough, and a far one is led along the path */
#include <stdlib.h>

#include "rpca/envelope/envelope.h"
#include "support/test.h"

enum { RANK = 3 };

static double *instance(const crease_space *shape)
{
    crease_cp_recipe r = crease_cp_recipe_default(shape, RANK);
    crease_cp_instance *c = crease_cp_generate(&r, NULL);
    const size_t bytes = (size_t)crease_size(shape) * sizeof(double);
    double *tensor = malloc(bytes);
    memcpy(tensor, c->tensor, bytes);
    crease_cp_instance_free(c);
    return tensor;
}

static void one_start(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 10, 20, 30 } };
    (void)state;
    double *tensor = instance(&shape);
    crease_cp_fit_settings s = crease_cp_fit_default(&shape, RANK);
    s.model.alpha = 0.003;
    crease_cp_fit *f = crease_cp_fit_new(&s, tensor, NULL);
    assert_int_equal(crease_cp_fit_run(f), CREASE_STATIONARY);
    assert_int_equal(crease_cp_fit_pilot(f).starts, 1);
    assert_true(crease_cp_fit_pilot(f).deviation > 5e-4); /* the noise is 1e-3 */
    assert_true(crease_cp_fit_pilot(f).deviation < 2e-3);
    crease_cp_fit_free(f);
    free(tensor);
}

/* All of a far start's entries are beyond the goal: the threshold has to come down to it. */
static void far_start(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 10, 20, 30 } };
    const double goal = 0.003;
    double *tensor = instance(&shape), *x[3], highest = 0;
    (void)state;
    crs_envelope_solver_settings c = crs_envelope_solver_default(&shape, RANK);
    c.penalty = crs_envelope_l1(goal, 0.5);
    crs_envelope_solver *s = crs_envelope_solver_new(&c, tensor, NULL);
    for (int n = 0; n < 3; n++) {
        x[n] = malloc((size_t)(shape.dim[n] * RANK) * sizeof(double));
        for (ptrdiff_t j = 0; j < shape.dim[n] * RANK; j++)
            x[n][j] = crease_random_normal((crease_random){ 5, (uint64_t)n }, (uint64_t)j);
    }
    assert_true(crs_envelope_solver_start(s, RANK, (const double *const *)x, NULL));
    const crs_envelope_progress *p = crs_envelope_solver_progress(s);
    double median = NAN;
    while (crs_envelope_solver_step(s) == CRS_ENVELOPE_RUNNING && p->passes < 200) {
        if (p->passes == 1) median = p->median;
        highest = p->threshold > highest ? p->threshold : highest;
    }
    assert_int_equal(p->status, CRS_ENVELOPE_STATIONARY);
    assert_true(median > 100 * goal);
    assert_true(highest > median);
    assert_true(fabs(p->threshold - goal) <= 1e-15);
    crs_envelope_solver_free(s);
    for (int n = 0; n < 3; n++) free(x[n]);
    free(tensor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_start),
        cmocka_unit_test(far_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
