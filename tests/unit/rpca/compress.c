/* SPDX-License-Identifier: MIT
 * compress: the median of |T - M| is that of all entries, or nearly that where a sample is taken,
 * whatever the dimensions and the mask */
#include <stdlib.h>

#include "rpca/start.h"
#include "support/test.h"

static double *numbers(ptrdiff_t size)
{
    double *x = malloc((size_t)size * sizeof(double));
    for (ptrdiff_t j = 0; j < size; j++)
        x[j] = crease_random_normal((crease_random){ 3, 1 }, (uint64_t)j);
    return x;
}

static double median_of(const crs_cp_view *v)
{
    double median = NAN;
    assert_true(crs_view_median(v, &median, NULL));
    return median;
}

static void median_of_few_entries_is_exact(void **state)
{
    (void)state;
    for (ptrdiff_t size = 1; size < 40; size++) {
        double *t = numbers(size), *sorted = numbers(size);
        const crease_space shape = crease_vector(size);
        crs_memory data;
        const crs_cp_view v = { .shape = shape, .source = &data.source, .limit = INFINITY };
        crs_memory_open(&data, &shape, t, NULL);
        for (ptrdiff_t j = 0; j < size; j++) sorted[j] = fabs(sorted[j]);
        assert_true(median_of(&v) == crs_median(size, sorted));
        free(t), free(sorted);
    }
}

/* |T| depends on the last index alone, in blocks of 64: a step that divides a dimension would see
 * few of its values. Half of them are below 1. */
static void a_sample_is_even_whatever_the_dimensions(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 64, 64, 256 } };
    const ptrdiff_t size = crease_size(&shape);
    double *t = malloc((size_t)size * sizeof(double));
    unsigned char *mask = malloc((size_t)size);
    crs_memory data;
    (void)state;
    for (ptrdiff_t j = 0; j < size; j++) {
        t[j] = (double)(j % 256) / 128;
        mask[j] = crease_random_uniform((crease_random){ 9, 9 }, (uint64_t)j) < 0.02;
    }
    crs_cp_view v = { .shape = shape, .source = &data.source, .limit = INFINITY };
    crs_memory_open(&data, &shape, t, NULL);
    assert_true(fabs(median_of(&v) - 1) < 0.03);
    crs_memory_open(&data, &shape, t, mask); /* 21,000 of a million entries */
    assert_true(fabs(median_of(&v) - 1) < 0.05);
    t[size / 2] = NAN;
    v.shape.dim[0] = 1;
    crs_memory_open(&data, &v.shape, t + size / 2, NULL);
    assert_true(isnan(median_of(&v)));
    free(t), free(mask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_of_few_entries_is_exact),
        cmocka_unit_test(a_sample_is_even_whatever_the_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
