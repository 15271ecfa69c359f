/* SPDX-License-Identifier: MIT
 * aminoacids_auto: with nothing but the data, a fifth of them spikes, the sweep finds three amino
 * acids and the fit their concentrations
 *
 * R. Bro, PARAFAC: tutorial and applications, 1997: 5 samples x 201 x 61. */
#include <stdio.h>

#include <crease/random.h>
#include <crease/rpca_tools.h>

#include "io/formats/io.h"
#include "rpca/rpca.h"
#include "support/arrays.h"

enum { SAMPLES = 5, ACIDS = 3 };

static bool read_data(const char *name, crs_array *out)
{
    char path[200];
    snprintf(path, sizeof path, "../shared/data/aminoacids/%s", name);
    return crs_read_array(path, out, NULL);
}

/* The data's largest magnitude, of either sign, is added to a share of the entries. */
static void spoil(crs_array *t, double share, uint64_t seed)
{
    const crease_random random = { seed, 1 };
    const ptrdiff_t size = crease_size(&t->shape);
    double top = 0;
    for (ptrdiff_t j = 0; j < size; j++) top = larger(top, fabs(t->data[j]));
    for (ptrdiff_t j = 0; j < size; j++) {
        const double u = crease_random_uniform(random, (uint64_t)j);
        if (u < share) t->data[j] += u < share / 2 ? top : -top;
    }
}

static double cosine(const double *x, int a, const double *y, int b)
{
    double xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const double u = x[i * ACIDS + a], v = y[i * ACIDS + b];
        xy += u * v, xx += u * u, yy += v * v;
    }
    return fabs(xy) / sqrt(xx * yy);
}

static void recovers(double *tensor, const crease_space *shape, const double *truth)
{
    crease_cp_fit_settings s = crease_cp_fit_default(shape, ACIDS);
    s.learn = 3, s.threads = 1;
    crease_cp_fit *fit = crease_cp_fit_new(&s, tensor, NULL);
    assert_non_null(fit);
    assert_int_equal(crease_cp_fit_run(fit), CREASE_STATIONARY);
    assert_int_equal(crease_cp_fit_used(fit).model.rank, ACIDS);
    for (int b = 0; b < ACIDS; b++) {
        double best = 0;
        for (int a = 0; a < ACIDS; a++)
            best = larger(best, cosine(crease_cp_fit_factor(fit, 0), a, truth, b));
        print_message("acid %d: cosine %.5f\n", b + 1, best);
        assert_true(best >= 0.998);
    }
    crease_cp_fit_free(fit);
}

static void without_options(void **state)
{
    crs_array truth, tensor;
    (void)state;
    if (!read_data("concentrations.npy", &truth)) {
        print_message("skipped: ../shared/data/aminoacids is not there\n");
        skip();
    }
    for (int seed = 0; seed < 2; seed++) {
        const crease_cp_rank_options o = { .high = 10 };
        assert_true(read_data("tensor.npy", &tensor));
        spoil(&tensor, seed ? 0.2 : 0, (uint64_t)seed);
        crease_cp_rank_table *t = crease_cp_rank_sweep(&tensor.shape, tensor.data, NULL, &o, NULL);
        assert_non_null(t);
        print_message("%s\n", t->reason);
        for (ptrdiff_t k = 0; k < t->count; k++)
            print_message("rank %td: loss %.4g, congruence of halves %.4f\n", t->row[k].rank,
                          t->row[k].loss, t->row[k].congruence);
        assert_int_equal(t->rank, ACIDS);
        crease_cp_rank_table_free(t);
        recovers(tensor.data, &tensor.shape, truth.data);
        crs_array_free(&tensor);
    }
    crs_array_free(&truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(without_options) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
