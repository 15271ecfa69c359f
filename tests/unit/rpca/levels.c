/* SPDX-License-Identifier: MIT
 * levels: noise that differs from slice to slice: the answer is that of the data divided by the
 * levels, does not change with the units of the slices, and has their own unit; auto leaves data
 * with one noise for all alone, to the bit; what cannot be is refused */
#include <crease/random.h>

#include "rpca/rpca.h"
#include "support/rpca_naive.h"

static const crease_space cube = { .order = 3, .dim = { 12, 14, 16 } };
static const crease_space matrix = { .order = 2, .dim = { 30, 40 } };
enum { RANK = 2 };

static crease_cp_instance *instance(const crease_space *s, uint64_t seed, double noise)
{
    crease_cp_recipe r = crease_cp_recipe_default(s, RANK);
    r.outliers = 0.1, r.magnitude = 10, r.noise = noise, r.seed = seed;
    return crease_cp_generate(&r, NULL);
}

/* The noise of index i of a mode grows by a factor from 1/fold to fold. */
static double factor_at(ptrdiff_t i, ptrdiff_t length, double fold)
{
    return pow(fold, 2.0 * (double)(i * 5 % length) / (double)(length - 1) - 1);
}

static void differ(crease_cp_instance *c, int mode, double fold)
{
    const crease_space *s = &c->recipe.shape;
    for (ptrdiff_t j = 0; j < crease_size(s); j++) {
        const ptrdiff_t i = j / crs_right(s, mode) % s->dim[mode];
        c->tensor[j] += c->noise[j] * (factor_at(i, s->dim[mode], fold) - 1);
    }
}

static crease_rpca_settings settings(const crease_space *s, crease_noise noise, int mode)
{
    crease_rpca_settings m = crease_rpca_default(s);
    m.rank = RANK;
    m.noise = noise;
    m.noise_mode = mode;
    return m;
}

static crease_rpca *fit(const crease_rpca_settings *m, double *tensor)
{
    crease_error e;
    crease_rpca *r = crease_rpca_new(m, NULL, tensor, &e);
    if (!r) fail_msg("%s", e.text);
    assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
    return r;
}

static double *part_of(const crease_rpca *r, crease_rpca_part part)
{
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    double *out = doubles(left * right);
    crease_rpca_read(r, part, 0, left, out);
    return out;
}

static double distance(ptrdiff_t n, const double *x, const double *y)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += square(x[j] - y[j]);
    return sqrt(sum) / crs_norm(n, y);
}

static void scale(const crease_space *s, int mode, const double *level, int power, double *x)
{
    for (ptrdiff_t j = 0; j < crease_size(s); j++) {
        const double l = level[j / crs_right(s, mode) % s->dim[mode]];
        x[j] = power > 0 ? x[j] * l : x[j] / l;
    }
}

/* |(M - truth)/s|/|truth/s|, the noise of a mode growing so many fold */
static double error_of(const crease_rpca *r, const crease_cp_instance *c, int mode, double fold)
{
    const crease_space *s = &c->recipe.shape;
    const ptrdiff_t n = crease_size(s);
    double *low = part_of(r, CREASE_RPCA_LOWRANK), *truth = doubles(n), level[16];
    for (ptrdiff_t i = 0; i < s->dim[mode]; i++) level[i] = factor_at(i, s->dim[mode], fold);
    copy(n, c->lowrank, truth);
    scale(s, mode, level, -1, low), scale(s, mode, level, -1, truth);
    const double error = distance(n, low, truth);
    free(low), free(truth);
    return error;
}

static void the_answer_is_that_of_the_data_divided(void **state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        crease_cp_instance *c = instance(&cube, 50, 0.02);
        const ptrdiff_t n = crease_size(&cube);
        differ(c, mode, 5);
        double *T = doubles(n);
        copy(n, c->tensor, T);
        const crease_rpca_settings m = settings(&cube, CREASE_NOISE_SLICES, mode);
        crease_rpca_settings plain = settings(&cube, CREASE_NOISE_GLOBAL, -1);
        crease_rpca *r = fit(&m, T);
        const double *level = crease_rpca_noise_levels(r, mode);
        assert_non_null(level);
        assert_null(crease_rpca_noise_levels(r, (mode + 1) % 3));
        scale(&cube, mode, level, -1, c->tensor);
        crease_rpca *by_hand = fit(&plain, c->tensor);
        static const crease_rpca_part part[] = { CREASE_RPCA_LOWRANK, CREASE_RPCA_SPARSE,
                                                 CREASE_RPCA_NOISE };
        for (int k = 0; k < 3; k++) {
            double *x = part_of(r, part[k]), *y = part_of(by_hand, part[k]);
            scale(&cube, mode, level, 1, y);
            assert_true(distance(n, x, y) < 0.01);
            free(x), free(y);
        }
        const double *F = &crease_rpca_certificate(r)->objective;
        assert_close(*F, crease_rpca_certificate(by_hand)->objective, 0.01 * *F);
        free(T);
        crease_rpca_free(r), crease_rpca_free(by_hand);
        crease_cp_instance_free(c);
    }
}

/* Of the data: factors, and parts that add up where T was observed; of one norm in every mode. */
static void parts_are_of_the_data(void **state)
{
    (void)state;
    crease_cp_instance *c = instance(&cube, 51, 0.02);
    const ptrdiff_t n = crease_size(&cube);
    crease_rpca_settings m = settings(&cube, CREASE_NOISE_SLICES, 1);
    double *T = doubles(n);
    differ(c, 1, 5);
    for (ptrdiff_t j = 0; j < n; j += 7) c->tensor[j] = NAN;
    copy(n, c->tensor, T);
    m.missing = true;
    m.center = CREASE_CENTER_ALL;
    crease_rpca *r = fit(&m, c->tensor);
    double *low = part_of(r, CREASE_RPCA_LOWRANK), *sparse = part_of(r, CREASE_RPCA_SPARSE),
           *noise = part_of(r, CREASE_RPCA_NOISE), *data = part_of(r, CREASE_RPCA_DATA);
    const double *x[3], *center = crease_rpca_center(r, -1);
    for (int k = 0; k < 3; k++) x[k] = crease_rpca_factor(r, k);
    for (ptrdiff_t j = 0; j < n; j++) {
        double sum = *center;
        for (int k = 0; k < RANK; k++)
            sum +=
                x[0][j / 224 * RANK + k] * x[1][j / 16 % 14 * RANK + k] * x[2][j % 16 * RANK + k];
        assert_close(low[j], sum, 1e-11 * (1 + fabs(sum)));
        assert_true(data[j] == (isnan(T[j]) ? 0 : T[j]));
        if (!isnan(T[j]))
            assert_close(low[j] + sparse[j] + noise[j], T[j], 1e-11 * (1 + fabs(T[j])));
    }
    assert_true(distance(n, low, c->lowrank) < 0.05);
    free(low), free(sparse), free(noise), free(data), free(T);
    crease_rpca_free(r);
    crease_cp_instance_free(c);
}

static void units_of_the_slices_do_not_matter(void **state)
{
    (void)state;
    const ptrdiff_t n = crease_size(&matrix);
    double unit[30], *T = doubles(n);
    crease_cp_instance *c = instance(&matrix, 52, 0.02);
    const crease_rpca_settings m = settings(&matrix, CREASE_NOISE_ROWS, -1);
    for (int i = 0; i < 30; i++) unit[i] = factor_at(i, 30, 2);
    copy(n, c->tensor, T);
    scale(&matrix, 0, unit, 1, T);
    crease_rpca *r = fit(&m, c->tensor), *other = fit(&m, T);
    double *low = part_of(r, CREASE_RPCA_LOWRANK), *scaled = part_of(other, CREASE_RPCA_LOWRANK);
    scale(&matrix, 0, unit, -1, scaled);
    assert_true(distance(n, scaled, low) < 0.01);
    free(low), free(scaled), free(T);
    crease_rpca_free(r), crease_rpca_free(other);
    crease_cp_instance_free(c);
}

static void one_noise_for_all_is_left_alone(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 60; seed++) {
        const crease_space *s = seed % 2 ? &matrix : &cube;
        const double noise = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 0.001 : 0.1;
        const ptrdiff_t n = crease_size(s);
        crease_cp_instance *c = instance(s, 100 + seed, noise);
        double *T = doubles(n);
        copy(n, c->tensor, T);
        const crease_rpca_settings chosen = settings(s, CREASE_NOISE_AUTO, -1),
                                   plain = settings(s, CREASE_NOISE_GLOBAL, -1);
        crease_rpca *r = crease_rpca_new(&chosen, NULL, T, NULL);
        crease_rpca *one = crease_rpca_new(&plain, NULL, c->tensor, NULL);
        crease_rpca_run(r), crease_rpca_run(one);
        for (int k = 0; k < s->order; k++) assert_null(crease_rpca_noise_levels(r, k));
        double *x = part_of(r, CREASE_RPCA_LOWRANK), *y = part_of(one, CREASE_RPCA_LOWRANK);
        assert_memory_equal(x, y, (size_t)n * sizeof *x);
        assert_true(strlen(crease_rpca_about(r)->noise_reason) > 0);
        assert_string_equal(crease_rpca_about(one)->noise_reason, "");
        assert_false(crease_rpca_about(one)->noise_ratio >= 3);
        free(x), free(y), free(T);
        crease_rpca_free(r), crease_rpca_free(one);
        crease_cp_instance_free(c);
    }
}

/* In the mode where it differs, and the answer is better for it; without levels the facts point
 * there. */
static void noise_that_differs_is_found(void **state)
{
    (void)state;
    for (int mode = 0; mode < 3; mode++) {
        double alone = 0, chosen = 0;
        for (uint64_t seed = 0; seed < 3; seed++) {
            crease_cp_instance *c = instance(&cube, 60 + seed, 0.05);
            const crease_rpca_settings m = settings(&cube, CREASE_NOISE_AUTO, -1),
                                       plain = settings(&cube, CREASE_NOISE_GLOBAL, -1);
            double *T = doubles(crease_size(&cube));
            differ(c, mode, 6);
            copy(crease_size(&cube), c->tensor, T);
            crease_rpca *r = fit(&m, c->tensor), *one = fit(&plain, T);
            assert_non_null(crease_rpca_noise_levels(r, mode));
            assert_int_equal(crease_rpca_about(r)->noise_in, mode);
            assert_int_equal(crease_rpca_about(one)->noise_in, mode);
            assert_true(crease_rpca_about(one)->noise_ratio > 3);
            alone += error_of(one, c, mode, 6), chosen += error_of(r, c, mode, 6);
            free(T);
            crease_rpca_free(r), crease_rpca_free(one);
            crease_cp_instance_free(c);
        }
        assert_true(chosen < 0.7 * alone);
    }
}

/* Rounding has no levels, whoever asks for them. */
static void data_without_noise_have_no_levels(void **state)
{
    (void)state;
    crease_cp_instance *c = instance(&cube, 54, 0);
    const crease_rpca_settings m = settings(&cube, CREASE_NOISE_SLICES, 1);
    crease_rpca *r = fit(&m, c->tensor);
    assert_null(crease_rpca_noise_levels(r, 1));
    assert_true(strlen(crease_rpca_about(r)->noise_reason) > 0);
    crease_rpca_free(r);
    crease_cp_instance_free(c);
}

static void refused(const crease_rpca_settings *m, const crease_options *o, const char *word)
{
    crease_error e = { .code = CREASE_OK };
    crease_cp_instance *c = instance(&m->shape, 53, 0.02);
    assert_null(crease_rpca_new(m, o, c->tensor, &e));
    assert_non_null(strstr(e.text, word));
    crease_cp_instance_free(c);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    crease_rpca_settings m = settings(&cube, CREASE_NOISE_ROWS, -1);
    crease_options o = crease_rpca_options();
    refused(&m, NULL, "--merge 0,1");
    m = settings(&cube, CREASE_NOISE_SLICES, 3);
    refused(&m, NULL, "mode 3");
    m = settings(&cube, CREASE_NOISE_SLICES, -1);
    m.ridge = 0.1;
    refused(&m, NULL, "ridge");
    m = settings(&cube, CREASE_NOISE_AUTO, -1);
    m.kind = CREASE_RPCA_TUCKER, m.rank = 0;
    refused(&m, NULL, "CP model");
    m = settings(&cube, CREASE_NOISE_SLICES, -1);
    o.method = CREASE_METHOD_BCD;
    refused(&m, &o, "envelope");
    m = settings(&cube, (crease_noise)7, -1);
    refused(&m, NULL, "noise = 7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_answer_is_that_of_the_data_divided),
        cmocka_unit_test(parts_are_of_the_data),
        cmocka_unit_test(units_of_the_slices_do_not_matter),
        cmocka_unit_test(one_noise_for_all_is_left_alone),
        cmocka_unit_test(noise_that_differs_is_found),
        cmocka_unit_test(data_without_noise_have_no_levels),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
