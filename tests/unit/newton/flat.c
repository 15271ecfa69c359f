/* SPDX-License-Identifier: MIT
 * flat: the step in the factors is the minimizer of its quadratic model, tall and wide, with and
 * without entries that f does not see */
#include "newton/flat.h"
#include "dense/dense.h"
#include "support/test.h"

enum { MOST = 9 };

/* |U'Z| + |Z V|: what of Z the factors can change. For Z = G + W o xi that is the derivative of the
 * model, up to mu. */
static double tangent_part(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, const double *U, const double *Vt,
                           const double *Z)
{
    double A[MOST * MOST], B[MOST * MOST];
    crs_gemm(true, false, k, n, m, 1, U, Z, 0, A);
    crs_gemm(false, true, m, k, n, 1, Z, Vt, 0, B);
    return crs_norm(k * n, A) + crs_norm(m * k, B);
}

static void the_gradient_of_the_model_vanishes_in_the_factors(void **state)
{
    draws d = { { 61, 1 }, 0 };
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        const ptrdiff_t m = 5 + below(&d, MOST - 4), n = 5 + below(&d, MOST - 4),
                        k = 1 + trial / 2 % 2;
        double X[MOST * MOST], G[MOST * MOST], xi[MOST * MOST], *work;
        crs_thin f;
        crs_flat flat;
        assert_true(crs_flat_open(&flat, m, n, NULL));
        assert_true(crs_flat_fits(&flat, k));
        work = crs_alloc((size_t)crs_thin_scratch(m, n), sizeof *work);
        normals(&d, m * n, 1, X);
        normals(&d, m * n, 1, G);
        assert_true(crs_thin_svd(m, n, X, work, &f));
        crs_thin_truncate(&f, k);
        const bool sparse = trial % 2;
        for (ptrdiff_t j = 0; j < m * n; j++)
            flat.W[j] = sparse && below(&d, 8) == 0 ? 0 : uniform(&d, 0.5, 2);
        assert_true(crs_flat_factor(&flat, k, f.u, f.vt, (double[]){ 1e-9, 1e-9 }));
        crs_flat_solve(&flat, G, xi);
        const double before = tangent_part(m, n, k, f.u, f.vt, G);
        for (ptrdiff_t j = 0; j < m * n; j++) G[j] += flat.W[j] * xi[j];
        if (!(tangent_part(m, n, k, f.u, f.vt, G) <= 1e-5 * before))
            fail_msg("%td x %td, rank %td: %g of %g is left", m, n, k,
                     tangent_part(m, n, k, f.u, f.vt, G), before);
        crs_free(work);
        crs_flat_close(&flat);
    }
}

static void damping_shortens_the_step(void **state)
{
    enum { M = 6, COLUMNS = 5, K = 2 };
    draws d = { { 62, 1 }, 0 };
    double X[M * COLUMNS], G[M * COLUMNS], xi[M * COLUMNS], last = INFINITY, *work;
    crs_thin f;
    crs_flat flat;
    (void)state;
    assert_true(crs_flat_open(&flat, M, COLUMNS, NULL));
    work = crs_alloc((size_t)crs_thin_scratch(M, COLUMNS), sizeof *work);
    normals(&d, M * COLUMNS, 1, X);
    normals(&d, M * COLUMNS, 1, G);
    assert_true(crs_thin_svd(M, COLUMNS, X, work, &f));
    crs_thin_truncate(&f, K);
    fill(M * COLUMNS, 1, flat.W);
    for (double mu = 1e-3; mu < 1e4; mu *= 10) {
        assert_true(crs_flat_factor(&flat, K, f.u, f.vt, (double[]){ mu, mu }));
        crs_flat_solve(&flat, G, xi);
        assert_true(crs_norm(M * COLUMNS, xi) < last);
        assert_true(crs_dot(M * COLUMNS, xi, G) < 0);
        last = crs_norm(M * COLUMNS, xi);
    }
    crs_free(work);
    crs_flat_close(&flat);
}

static void ranks_that_are_too_large_do_not_fit(void **state)
{
    crs_flat flat;
    (void)state;
    assert_true(crs_flat_open(&flat, 300, 400, NULL));
    assert_true(crs_flat_fits(&flat, 5));
    assert_false(crs_flat_fits(&flat, 6));
    crs_flat_close(&flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_of_the_model_vanishes_in_the_factors),
        cmocka_unit_test(damping_shortens_the_step),
        cmocka_unit_test(ranks_that_are_too_large_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
