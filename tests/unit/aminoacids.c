/* SPDX-License-Identifier: MIT
 * aminoacids: the factors of measured fluorescence are the true concentrations
 *
 * R. Bro, PARAFAC: tutorial and applications, 1997: 5 samples x 201 x 61, three amino acids. */
#include <stdio.h>

#include "io/io.h"
#include "unit/arrays.h"

enum { SAMPLES = 5, ACIDS = 3 };

static bool read_data(const char *name, crs_array *out)
{
    char path[200];
    snprintf(path, sizeof path, "../shared/data/aminoacids/%s", name);
    return crs_read_array(path, out, NULL);
}

/* |cos| of the angle between column a of x and column b of y, both SAMPLES x ACIDS */
static double cosine(const double *x, int a, const double *y, int b)
{
    double xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < SAMPLES; i++) {
        const double u = x[i * ACIDS + a], v = y[i * ACIDS + b];
        xy += u * v, xx += u * u, yy += v * v;
    }
    return fabs(xy) / sqrt(xx * yy);
}

static void concentrations(void **state)
{
    crs_array tensor, truth;
    (void)state;
    if (!read_data("tensor.npy", &tensor) || !read_data("concentrations.npy", &truth)) {
        print_message("skipped: ../shared/data/aminoacids is not there\n");
        skip();
    }
    double top = 0;
    for (ptrdiff_t j = 0; j < crease_size(&tensor.shape); j++)
        top = larger(top, fabs(tensor.data[j]));
    for (ptrdiff_t j = 0; j < crease_size(&tensor.shape); j++) tensor.data[j] /= top;
    const crease_cp_rpca_settings s = crease_cp_rpca_default(&tensor.shape, ACIDS);
    crease_cp_rpca *m = crease_cp_rpca_new(&s, tensor.data, NULL);
    crease_options o = crease_options_default();
    o.relative = 1, o.eps = 1e-5, o.max_iterations = 3000;
    crease_solver *solver = crease_solver_new(crease_cp_rpca_problem(m), &o, NULL);
    assert_int_equal(crease_solve(solver), CREASE_STATIONARY);
    const double *X = crease_solution(solver, 0);
    for (int b = 0; b < ACIDS; b++) {
        double best = 0;
        for (int a = 0; a < ACIDS; a++) best = larger(best, cosine(X, a, truth.data, b));
        print_message("acid %d: cosine %.5f after %ld iterations\n", b + 1, best,
                      crease_solver_report(solver).iterations);
        assert_true(best >= 0.998);
    }
    crease_solver_free(solver);
    crease_cp_rpca_free(m);
    crs_array_free(&tensor);
    crs_array_free(&truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(concentrations) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
