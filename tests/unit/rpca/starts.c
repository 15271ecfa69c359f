/* SPDX-License-Identifier: MIT
 * starts: the family of starts that the pilot compares */
#include "rpca/start.h"
#include "support/rpca_naive.h"

enum { R = 4 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_of(const double *x, ptrdiff_t n)
{
    double *sorted = doubles(n);
    for (ptrdiff_t j = 0; j < n; j++) sorted[j] = fabs(x[j]);
    qsort(sorted, (size_t)n, sizeof *sorted, ascending);
    const double m = sorted[n / 2];
    free(sorted);
    return m;
}

/* Every member of the family is finite and reproducible; random ones differ and have the scale. */
static void every_start_of_the_family_is_finite_and_reproducible(void **state)
{
    const crease_space s = { .order = 3, .dim = { 8, 9, 10 } };
    const crs_cp_gevd_options o = { .rank = R, .seed = 5 };
    crease_cp_recipe recipe = crease_cp_recipe_default(&s, R);
    crease_cp_instance *c = crease_cp_generate(&recipe, NULL);
    crs_memory data;
    const crs_cp_view v = { .shape = s, .source = &data.source, .limit = INFINITY };
    crs_memory_open(&data, &s, c->tensor, NULL);
    double *x[3], *y[3], *m = doubles(720), score;
    (void)state;
    for (int n = 0; n < 3; n++) x[n] = doubles(s.dim[n] * R), y[n] = doubles(s.dim[n] * R);
    const double *const *a = (const double *const *)x, *const *b = (const double *const *)y;
    for (int q = 0; q < 6; q++) {
        assert_true(crs_cp_start_of(&v, &o, q, x, NULL) && crs_cp_start_of(&v, &o, q, y, NULL));
        for (int n = 0; n < 3; n++)
            assert_memory_equal(x[n], y[n], (size_t)(s.dim[n] * R) * sizeof(double));
        assert_true(crease_cp_lowrank(&s, R, a, m, NULL) && crs_all_finite(720, m));
        if (q == 0) assert_true(crease_relative_error(720, m, c->lowrank) < 0.02);
        if (q < 3) continue;
        assert_close(2 * median_of(m, 720) / median_of(c->tensor, 720), 1, 1e-12);
        assert_true(crs_cp_start_of(&v, &o, q + 1, y, NULL));
        assert_true(crease_cp_match(&s, R, a, R, b, &score, NULL) && score < 0.9);
    }
    for (int n = 0; n < 3; n++) free(x[n]), free(y[n]);
    free(m);
    crease_cp_instance_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_start_of_the_family_is_finite_and_reproducible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
