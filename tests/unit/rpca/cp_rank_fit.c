/* SPDX-License-Identifier: MIT
 * cp_rank_fit: the fit of a sweep recovers a tensor from part of its entries, some of them
 * outliers; sweeps by it find ranks among many outliers, in noise, of matrices and of order 4 */
#include <crease/rpca_rank.h>

#include "support/rpca_naive.h"

static crease_cp_instance *instance(const crease_space *s, ptrdiff_t rank, double outliers,
                                    double noise)
{
    crease_cp_recipe r = crease_cp_recipe_default(s, rank);
    r.outliers = outliers, r.magnitude = 10, r.noise = noise, r.seed = 3;
    return crease_cp_generate(&r, NULL);
}

static double model(const crease_space *s, ptrdiff_t rank, double *const *x, ptrdiff_t j)
{
    double sum = 0;
    ptrdiff_t index[CREASE_MAX_ORDER];
    for (int n = s->order - 1; n >= 0; n--) index[n] = j % s->dim[n], j /= s->dim[n];
    for (ptrdiff_t r = 0; r < rank; r++) {
        double term = 1;
        for (int n = 0; n < s->order; n++) term *= x[n][index[n] * rank + r];
        sum += term;
    }
    return sum;
}

/* 56 parameters from 823 entries: the errors are well below the noise, 1e-3, also where an entry is
 * missing, which is nan. */
static void missing(void **state)
{
    const crease_space s = { .order = 3, .dim = { 8, 10, 12 } };
    crease_cp_instance *c = instance(&s, 2, 0.1, 1e-3);
    double x0[16], x1[20], x2[24], *x[] = { x0, x1, x2 }, mask[960], objective;
    double sum[2] = { 0, 0 };
    const crease_cp_fit_request r = { .shape = s, .tensor = c->tensor, .mask = mask, .rank = 2 };
    (void)state;
    for (ptrdiff_t j = 0; j < 960; j++) {
        mask[j] = j % 7 != 1;
        if (j % 7 == 1) c->tensor[j] = NAN;
    }
    assert_true(crease_cp_fit_envelope(NULL, &r, x, &objective, NULL));
    for (ptrdiff_t j = 0; j < 960; j++)
        sum[j % 7 == 1] += square(model(&s, 2, x, j) - c->lowrank[j]);
    assert_true(sqrt(sum[0] / 823) < 1e-3 && sqrt(sum[1] / 137) < 1e-3);
    assert_true(objective > 0);
    mask[1] = 1; /* an entry that is said to be there is nan */
    crease_error e = { CREASE_OK, "" };
    assert_false(crease_cp_fit_envelope(NULL, &r, x, &objective, &e));
    assert_true(e.code != CREASE_OK);
    crease_cp_instance_free(c);
}

static void finds(const crease_space *s, ptrdiff_t rank, double outliers, double noise)
{
    crease_cp_instance *c = instance(s, rank, outliers, noise);
    const crease_cp_rank_options o = { .high = 20 };
    crease_cp_rank_table *t = crease_cp_rank_sweep(s, c->tensor, NULL, &o, NULL);
    assert_non_null(t);
    assert_int_equal(t->rank, rank);
    crease_cp_rank_table_free(t);
    crease_cp_instance_free(c);
}

static void hard(void **state)
{
    const crease_space three = { .order = 3, .dim = { 10, 15, 20 } };
    const crease_space four = { .order = 4, .dim = { 6, 7, 8, 9 } };
    const crease_space matrix = { .order = 2, .dim = { 40, 50 } };
    (void)state;
    finds(&three, 4, 0.2, 1e-3);
    finds(&three, 3, 0.05, 0.3);
    finds(&four, 3, 0.1, 1e-2);
    finds(&matrix, 2, 0.05, 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(missing), cmocka_unit_test(hard) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
