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

enum { PIXELS = 1500, FRAMES = 24, STRIDE = 2 };

/* A scene under light that comes and goes, a patch that waves, and every ninth entry spoilt; every
 * 17th was not observed. Returns the scene. */
static double *draw_video(double *t, unsigned char *seen)
{
    double *scene = doubles(PIXELS * FRAMES);
    for (ptrdiff_t i = 0; i < PIXELS; i++)
        for (ptrdiff_t j = 0, at = i * FRAMES; j < FRAMES; j++, at++) {
            const double still = 90 + 50 * sin((double)i / 7), light = 1 + 0.1 * sin((double)j / 4);
            scene[at] = still * light + (i % 10 < 3 ? 12 * cos(1.3 * (double)j) : 0);
            seen[at] = at % 17 != 0;
            t[at] = scene[at] + 0.5 * sin(37.0 * (double)at) + (at % 9 == 0 ? 60 : 0);
            if (!seen[at]) t[at] = 0;
        }
    return scene;
}

/* The element in the middle, the upper of two, of those that are not NaN */
static double middle_of(double *x, ptrdiff_t n)
{
    ptrdiff_t used = 0;
    for (ptrdiff_t k = 0; k < n; k++)
        if (!isnan(x[k])) x[used++] = x[k];
    qsort(x, (size_t)used, sizeof *x, ascending);
    return x[used / 2];
}

/* median_j t_ij/column_j */
static void naive_rows(const double *t, const unsigned char *seen, const double *column,
                       double *row)
{
    double x[FRAMES];
    for (ptrdiff_t i = 0; i < PIXELS; i++) {
        for (ptrdiff_t j = 0; j < FRAMES; j++)
            x[j] = seen[i * FRAMES + j] ? t[i * FRAMES + j] / column[j] : NAN;
        row[i] = middle_of(x, FRAMES);
    }
}

/* median_i t_ij/row_i over the larger half of every second row */
static void naive_columns(const double *t, const unsigned char *seen, const double *row,
                          double *column)
{
    double *x = doubles(PIXELS);
    for (ptrdiff_t i = 0; i < PIXELS; i++) x[i] = i % STRIDE ? NAN : fabs(row[i]);
    const double large = middle_of(x, PIXELS);
    for (ptrdiff_t j = 0; j < FRAMES; j++) {
        for (ptrdiff_t i = 0; i < PIXELS; i++) {
            const bool used = i % STRIDE == 0 && fabs(row[i]) >= large && seen[i * FRAMES + j];
            x[i] = used ? t[i * FRAMES + j] / row[i] : NAN;
        }
        column[j] = middle_of(x, PIXELS);
    }
    free(x);
}

static void a_video_starts_at_medians_of_its_pixels_and_frames(void **state)
{
    const crease_space s = crease_matrix(PIXELS, FRAMES);
    const crs_cp_gevd_options o = { .rank = 2, .seed = 5 };
    unsigned char *seen = malloc(PIXELS * FRAMES);
    double *t = doubles(PIXELS * FRAMES), *m = doubles(PIXELS * FRAMES);
    double *scene = draw_video(t, seen), *row = doubles(PIXELS), column[FRAMES];
    double *x[2] = { doubles(PIXELS * 2), doubles(FRAMES * 2) };
    bool suits = false;
    crs_memory data;
    const crs_cp_view v = { .shape = s, .source = &data.source, .limit = INFINITY };
    (void)state;
    crs_memory_open(&data, &s, t, seen);
    assert_true(crs_cp_median_start(&v, &o, x, &suits, NULL) && suits);
    for (ptrdiff_t j = 0; j < FRAMES; j++) column[j] = 1;
    naive_rows(t, seen, column, row);
    naive_columns(t, seen, row, column);
    naive_rows(t, seen, column, row);
    for (ptrdiff_t i = 0; i < PIXELS; i++) assert_true(x[0][2 * i] == row[i]);
    for (ptrdiff_t j = 0; j < FRAMES; j++) assert_true(x[1][2 * j] == column[j]);
    assert_true(crease_cp_lowrank(&s, 2, (const double *const *)x, m, NULL));
    for (ptrdiff_t k = 0; k < PIXELS * FRAMES; k++) m[k] -= scene[k];
    assert_true(median_of(m, PIXELS * FRAMES) < 1); /* of a wave of 12, light of 9 */
    free(x[0]), free(x[1]), free(row), free(scene), free(m), free(t), free(seen);
}

static void medians_do_not_suit_what_is_not_nearly_one_term(void **state)
{
    const crease_space s = crease_matrix(PIXELS, FRAMES);
    const crs_cp_gevd_options o = { .rank = 2 };
    double *t = doubles(PIXELS * FRAMES);
    double *x[2] = { doubles(PIXELS * 2), doubles(FRAMES * 2) };
    bool suits = true;
    crs_memory data;
    const crs_cp_view v = { .shape = s, .source = &data.source, .limit = INFINITY };
    (void)state;
    crs_normals(3, 1, PIXELS * FRAMES, t);
    crs_memory_open(&data, &s, t, NULL);
    assert_true(crs_cp_median_start(&v, &o, x, &suits, NULL) && !suits);
    fill(PIXELS * FRAMES, 0, t);
    assert_true(crs_cp_median_start(&v, &o, x, &suits, NULL) && !suits);
    free(x[0]), free(x[1]), free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_start_of_the_family_is_finite_and_reproducible),
        cmocka_unit_test(a_video_starts_at_medians_of_its_pixels_and_frames),
        cmocka_unit_test(medians_do_not_suit_what_is_not_nearly_one_term),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
