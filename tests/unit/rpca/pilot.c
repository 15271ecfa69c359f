/* SPDX-License-Identifier: MIT
 * pilot: the threshold of l1 against Huber's table and against the variance by integration; an
 * answer beside a term that dwarfs the others does not depend on where the slabs are
 */
#include "rpca/start.h"
#include "support/slab_copies.h"

/* The worst variance with a share p of outliers; sums of midpoints */
static double variance(double k, double p)
{
    const double h = 1e-3;
    double clipped = 0, inside = 0;
    for (double z = h / 2; z < 9; z += h) {
        const double weight = 2 * h * exp(-z * z / 2) / sqrt(2 * 3.14159265358979);
        clipped += weight * (z < k ? z * z : k * k);
        inside += z < k ? weight : 0;
    }
    return ((1 - p) * clipped + p * k * k) / square((1 - p) * inside);
}

/* Huber 1964, table I: the k of least variance for p = 0.05, 0.2, 0.4 is 1.399, 0.862, 0.436 */
static void threshold_is_the_largest_of_nearly_least_variance(void **state)
{
    const double share[] = { 0.05, 0.2, 0.4 }, best[] = { 1.399, 0.862, 0.436 };
    (void)state;
    for (int i = 0; i < 3; i++) {
        const double k = crs_cp_threshold(share[i], 3), least = variance(best[i], share[i]);
        assert_true(k > best[i] && k < 3);
        assert_true(sqrt(variance(k, share[i]) / least) < 1.035);
        assert_true(sqrt(variance(k + 0.1, share[i]) / least) > 1.025); /* not too cautious */
    }
}

static void few_outliers_leave_the_largest_threshold(void **state)
{
    (void)state;
    assert_true(crs_cp_threshold(0, 3) == 3 && crs_cp_threshold(0.001, 3) == 3);
    assert_true(crs_cp_threshold(NAN, 3) == 3 && crs_cp_threshold(1, 3) == 3);
    for (double p = 0; p < 0.9; p += 0.1)
        assert_true(crs_cp_threshold(p + 0.1, 3) <= crs_cp_threshold(p, 3));
}

enum { LENGTH = 14, RANK = 3, ENTRIES = LENGTH * LENGTH * LENGTH };

/* A constant of 60 beside two terms and outliers, by the pilot; its factors */
static void fit(crs_source *source, int threads, double *x)
{
    crs_cp_pilot p = { .c = crs_envelope_solver_default(&source->cut.shape, RANK),
                       .source = source,
                       .passes = 60 };
    crease_error e = { CREASE_OK, "" };
    p.c.learn = 3;
    p.c.threads = threads;
    memset(x, 0, 3 * LENGTH * RANK * sizeof *x);
    for (ptrdiff_t n = 0; n < 3; n++) p.factor[n] = x + n * LENGTH * RANK;
    if (!crs_cp_pilot_run(&p, &e)) fail_msg("%s", e.text);
    assert_true(p.report.starts > 1);
}

static void a_dominant_term_is_put_aside_wherever_the_slabs_are(void **state)
{
    const crease_space shape = { .order = 3, .dim = { LENGTH, LENGTH, LENGTH } };
    const crease_random random = { 4, 4 };
    static double t[ENTRIES], x[3 * LENGTH * 2], one[3 * LENGTH * RANK], other[3 * LENGTH * RANK];
    const double *const factor[] = { x, x + LENGTH * 2, x + LENGTH * 4 };
    (void)state;
    crs_normals(3, 3, 3 * LENGTH * 2, x);
    assert_true(crease_cp_lowrank(&shape, 2, factor, t, NULL));
    for (int j = 0; j < ENTRIES; j++)
        t[j] += 60 + 0.01 * crease_random_normal(random, (uint64_t)j) + (j % 17 ? 0 : 20);
    crs_memory memory;
    crs_memory_open(&memory, &shape, t, NULL);
    slab_copies slabs = copies_of(cut_at(&shape, 0, 1), t, NULL);
    memory.source.cut = slabs.source.cut;
    memory.source.count = slabs.source.count;
    fit(&memory.source, 1, one);
    for (int threads = 1; threads < 4; threads++) {
        fit(&slabs.source, threads, other);
        assert_memory_equal(one, other, sizeof one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threshold_is_the_largest_of_nearly_least_variance),
        cmocka_unit_test(few_outliers_leave_the_largest_threshold),
        cmocka_unit_test(a_dominant_term_is_put_aside_wherever_the_slabs_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
