/* SPDX-License-Identifier: MIT
 * foreground: the noise of a pixel and the bounds of all against sorted numbers; the cleaned mask
 * against the count in every square; entries that were not observed */
#include <stdlib.h>

#include "rpca/rpca.h"
#include "support/test.h"

enum { FRAMES = 31, PIXELS = 20 };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The upper median of |x| over what is not NaN. */
static double median_by_sorting(int n, const double *x)
{
    double seen[FRAMES];
    int count = 0;
    for (int j = 0; j < n; j++)
        if (!isnan(x[j])) seen[count++] = fabs(x[j]);
    qsort(seen, (size_t)count, sizeof *seen, ascending);
    return count > 0 ? seen[count / 2] : NAN;
}

static void the_noise_of_a_pixel_is_a_scaled_median(void **state)
{
    (void)state;
    draws d = { { 31, 4 }, 0 };
    double rest[FRAMES], work[FRAMES];
    for (int trial = 0; trial < 200; trial++) {
        const int n = 1 + trial % FRAMES;
        for (int j = 0; j < n; j++) rest[j] = (j + trial) % 5 == 0 ? NAN : normal(&d);
        const double wanted = 1.4826 * median_by_sorting(n, rest),
                     got = crs_pixel_noise(n, rest, work);
        assert_true(isnan(wanted) ? isnan(got) : got == wanted);
    }
}

static void bounds_are_of_the_pixel_or_the_usual_one(void **state)
{
    (void)state;
    draws d = { { 32, 5 }, 0 };
    for (int trial = 0; trial < 100; trial++) {
        double noise[PIXELS], before[PIXELS], work[PIXELS];
        const double least = trial % 3 == 0 ? 0.7 : 0;
        for (int i = 0; i < PIXELS; i++)
            noise[i] = before[i] = (i + trial) % 7 == 0 ? NAN : fabs(normal(&d));
        const double usual = median_by_sorting(PIXELS, before);
        assert_true(crs_pixel_bounds(PIXELS, 4, least, noise, work) == usual);
        for (int i = 0; i < PIXELS; i++) {
            double wanted = before[i] > usual ? before[i] : usual;
            if (least > wanted) wanted = least;
            assert_true(isnan(before[i]) ? isnan(noise[i]) : noise[i] == 4 * wanted);
        }
    }
}

/* More ones than zeros among the pixels of the square that lie in the frame? */
static int majority(const crease_space *s, const unsigned char *mask, const ptrdiff_t at[3],
                    ptrdiff_t half)
{
    int ones = 0, all = 0;
    for (ptrdiff_t r = 0; r < s->dim[0]; r++)
        for (ptrdiff_t c = 0; c < s->dim[1]; c++) {
            if (labs((long)(r - at[0])) > half || labs((long)(c - at[1])) > half) continue;
            ones += mask[(r * s->dim[1] + c) * s->dim[2] + at[2]];
            all++;
        }
    return ones > all - ones;
}

static void cleaning_is_the_majority_of_every_square(void **state)
{
    (void)state;
    draws d = { { 33, 6 }, 0 };
    enum { MOST = 9 * 8 * 3 };
    for (int trial = 0; trial < 60; trial++) {
        const crease_space s = { .order = 3, .dim = { 1 + trial % 9, 1 + trial % 8, 3 } };
        const ptrdiff_t side = 3 + 2 * (trial % 4), size = crease_size(&s);
        unsigned char mask[MOST], before[MOST];
        int sum[10 * 9];
        for (ptrdiff_t k = 0; k < size; k++) mask[k] = before[k] = normal(&d) > 0;
        crs_mask_clean(&s, 1, side, mask, sum);
        for (ptrdiff_t k = 0; k < size; k++) {
            const ptrdiff_t at[] = { k / 3 / s.dim[1], k / 3 % s.dim[1], k % 3 };
            assert_int_equal(mask[k], at[2] == 1 ? majority(&s, before, at, side / 2) : before[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_noise_of_a_pixel_is_a_scaled_median),
        cmocka_unit_test(bounds_are_of_the_pixel_or_the_usual_one),
        cmocka_unit_test(cleaning_is_the_majority_of_every_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
