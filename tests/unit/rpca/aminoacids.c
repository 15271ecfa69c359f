/* SPDX-License-Identifier: MIT
 * aminoacids: measured fluorescence, clean and with spikes as high as its highest peak
 *
 * R. Bro, PARAFAC: tutorial and applications, 1997: 5 samples x 201 x 61, three amino acids of
 * known concentrations. Every fit starts from least squares on what it is given. */
#include "rpca/rpca.h"
#include <stdio.h>

#include "io/formats/io.h"
#include "support/arrays.h"

enum { ACIDS = 3, MODES = 3 };

typedef struct {
    crs_array tensor, amounts;
    ptrdiff_t size;
    double top;     /* largest magnitude */
    double sigma;   /* robust deviation of the clean residual */
    double *clean;  /* low-rank part of the clean data by least squares */
    double *spiked; /* what is fitted */
    double *found;  /* its low-rank part */
} bench;

static bool read_data(const char *name, crs_array *out)
{
    char path[200];
    snprintf(path, sizeof path, "../shared/data/aminoacids/%s", name);
    return crs_read_array(path, out, NULL);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The low-rank part of b->spiked to `out`; out of the factors, the cosines with the amounts. */
static void fit(const bench *b, crease_reg penalty, double alpha, double *out, double cosine[ACIDS])
{
    crease_cp_fit_settings s = crease_cp_fit_default(&b->tensor.shape, ACIDS);
    s.model.penalty = penalty;
    s.model.alpha = alpha;
    s.run.eps = 1e-5;
    s.threads = 1;
    crease_cp_fit *f = crease_cp_fit_new(&s, b->spiked, NULL);
    assert_non_null(f);
    assert_int_equal(crease_cp_fit_run(f), CREASE_STATIONARY);
    ptrdiff_t left, right;
    crease_cp_fit_rows(f, &left, &right);
    crease_cp_fit_read(f, CREASE_RPCA_LOWRANK, 0, left, out);
    crs_cp_terms found = { .rank = ACIDS }, truth = { .rank = ACIDS };
    double all[ACIDS * MODES];
    for (int n = 0; n < MODES; n++) found.factor[n] = crease_cp_fit_factor(f, n);
    truth.factor[0] = b->amounts.data;
    assert_true(crs_cp_cosines(&b->tensor.shape, &found, &truth, all, NULL));
    for (int k = 0; k < ACIDS; k++) cosine[k] = all[k * MODES];
    crease_cp_fit_free(f);
}

/* Outliers so dear that there are none. */
static void least_squares(const bench *b, double *out, double cosine[ACIDS])
{
    fit(b, crease_l1(1), 1e3 * b->top, out, cosine);
}

static double report(const bench *b, const char *name, const double cosine[ACIDS])
{
    const double error = crease_relative_error(b->size, b->found, b->clean);
    print_message("  %-14s error %.5f  cosines %.5f %.5f %.5f\n", name, error, cosine[0], cosine[1],
                  cosine[2]);
    return error;
}

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    *state = b;
    if (!b || !read_data("tensor.npy", &b->tensor) ||
        !read_data("concentrations.npy", &b->amounts)) {
        print_message("skipped: ../shared/data/aminoacids is not there\n");
        return 0;
    }
    b->size = crease_size(&b->tensor.shape);
    b->clean = crs_doubles(3 * b->size, "the parts", NULL);
    b->spiked = b->clean + b->size;
    b->found = b->spiked + b->size;
    for (ptrdiff_t j = 0; j < b->size; j++) b->top = larger(b->top, fabs(b->tensor.data[j]));
    for (ptrdiff_t j = 0; j < b->size; j++) b->tensor.data[j] /= b->top;
    b->top = 1;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    crs_free(b->clean);
    crs_array_free(&b->tensor);
    crs_array_free(&b->amounts);
    free(b);
    return 0;
}

static void clean(void **state)
{
    bench *b = *state;
    double cosine[ACIDS];
    if (!b->clean) skip();
    copy(b->size, b->tensor.data, b->spiked);
    least_squares(b, b->clean, cosine);
    for (ptrdiff_t j = 0; j < b->size; j++) b->found[j] = fabs(b->tensor.data[j] - b->clean[j]);
    qsort(b->found, (size_t)b->size, sizeof *b->found, ascending);
    b->sigma = 1.4826 * b->found[b->size / 2];
    print_message("clean data: robust deviation %.5f of the maximum\n", b->sigma);
    copy(b->size, b->clean, b->found);
    report(b, "least squares", cosine);
    for (int k = 0; k < ACIDS; k++) assert_true(cosine[k] >= 0.998);
    fit(b, crease_l1(1), 4 * b->sigma, b->found, cosine);
    assert_true(report(b, "l1", cosine) <= 0.01);
    for (int k = 0; k < ACIDS; k++) assert_true(cosine[k] >= 0.998);
}

/* +top or -top is added in so many entries. */
static ptrdiff_t add_spikes(const bench *b, double fraction)
{
    const crease_random places = { 1, 0 }, signs = { 1, 1 };
    ptrdiff_t count = 0;
    for (ptrdiff_t j = 0; j < b->size; j++) {
        const bool spike = crease_random_uniform(places, (uint64_t)j) < fraction;
        const bool up = crease_random_uniform(signs, (uint64_t)j) < 0.5;
        b->spiked[j] = b->tensor.data[j] + (!spike ? 0 : up ? b->top : -b->top);
        count += spike;
    }
    return count;
}

/* A bound of MCP carries no bias and may be wide; that of the 1-norm pulls at every spike. */
static void spikes(void **state)
{
    static const double fraction[] = { 0.01, 0.05, 0.2 };
    bench *b = *state;
    double cosine[ACIDS];
    if (!b->clean || !(b->sigma > 0)) skip();
    for (int k = 0; k < 3; k++) {
        const ptrdiff_t count = add_spikes(b, fraction[k]);
        print_message("%td spikes, %g %%\n", count, 100 * fraction[k]);
        fit(b, crease_l1(1), 4 * b->sigma, b->found, cosine);
        assert_true(report(b, "l1", cosine) <= 0.01);
        fit(b, crease_mcp(8 * b->sigma, 3), 1, b->found, cosine);
        assert_true(report(b, "mcp", cosine) <= 0.01);
        least_squares(b, b->found, cosine);
        assert_true(report(b, "least squares", cosine) > 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(clean), cmocka_unit_test(spikes) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
