/* SPDX-License-Identifier: MIT
 * hard: the instances of the hard suite are what their cells say */
#include "study/hard.h"
#include "rpca/rpca.h"
#include "support/test.h"

static double deviation(ptrdiff_t n, const double *x, ptrdiff_t count)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += x[j] * x[j];
    return sqrt(sum / (double)count);
}

/* Of N Gaussian entries the deviation is known to 1/sqrt(2N); five times that. */
static void sizes_are_as_stated(void **state)
{
    (void)state;
    for (int k = 0; k < crs_hard_cells(); k++) {
        const crs_hard_cell *cell = crs_hard_cell_at(k);
        crease_cp_instance *c = crs_hard_generate(cell, 7, NULL);
        const ptrdiff_t n = crease_size(&cell->shape);
        ptrdiff_t outliers = 0;
        assert_non_null(c);
        for (ptrdiff_t j = 0; j < n; j++) {
            outliers += c->sparse[j] != 0;
            assert_true(c->tensor[j] == c->lowrank[j] + c->sparse[j] + c->noise[j]);
        }
        const double size = deviation(n, c->lowrank, n);
        assert_true(outliers == (ptrdiff_t)floor(cell->outliers * (double)n + 0.5));
        assert_true(fabs(deviation(n, c->sparse, outliers) / size / cell->magnitude - 1) <
                    5 / sqrt(2 * (double)outliers));
        assert_true(fabs(deviation(n, c->noise, n) / size * pow(10, cell->decibel / 20) - 1) <
                    5 / sqrt(2 * (double)n));
        crease_cp_instance_free(c);
    }
}

/* The mean over pairs, modes and instances of a cosine that is 0.9 on average. */
static void columns_are_alike(void **state)
{
    (void)state;
    double sum = 0;
    int count = 0;
    crs_hard_cell cell = { .shape = { 3, { 15, 25, 40 }, NULL }, .true_rank = 4, .rank = 4 };
    cell.congruence = 0.9;
    for (uint64_t seed = 0; seed < 20; seed++) {
        crease_cp_instance *c = crs_hard_generate(&cell, seed, NULL);
        for (int n = 0; n < 3; n++)
            for (int p = 0; p < 3; p++) {
                double xy = 0, xx = 0, yy = 0;
                for (ptrdiff_t i = 0; i < cell.shape.dim[n]; i++) {
                    const double x = c->factor[n][i * 4 + p], y = c->factor[n][i * 4 + p + 1];
                    xy += x * y, xx += x * x, yy += y * y;
                }
                sum += xy / sqrt(xx * yy);
                count++;
            }
        crease_cp_instance_free(c);
    }
    assert_true(fabs(sum / count - 0.9) < 0.02);
}

/* Without noise and outliers the oracle is exact, and so is the fit. */
static void oracle_of_clean_data(void **state)
{
    (void)state;
    crs_hard_cell cell = { .shape = { 3, { 8, 9, 10 }, NULL }, .true_rank = 2, .rank = 2 };
    cell.outliers = 0.1, cell.magnitude = 10, cell.decibel = 120;
    crease_cp_instance *c = crs_hard_generate(&cell, 3, NULL);
    double error;
    assert_true(crs_trial_oracle(c, 2, &error, NULL));
    assert_true(error < 2e-6);
    crs_trial t;
    const crease_cp_fit_settings s = crs_trial_settings(&cell.shape, 2);
    assert_true(crs_trial_run(&s, c, error, &t, NULL));
    assert_true(t.success && t.valid && t.certified && t.rank == 2 && t.readings > t.iterations);
    assert_true(t.objective <= t.objective_truth);
    crease_cp_instance_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_as_stated),
        cmocka_unit_test(columns_are_alike),
        cmocka_unit_test(oracle_of_clean_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
