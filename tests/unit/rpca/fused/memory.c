/* SPDX-License-Identifier: MIT
 * memory: settings and starts that make no sense are named */
#include "rpca/fused/fused.h"
#include "support/test.h"

static const crease_space matrix = { .order = 2, .dim = { 2, 2 } };

static crs_cp_settings good_settings(crs_cp_method method)
{
    crs_cp_settings c = { .shape = matrix, .rank = 1, .method = method, .beta = 4.4 };
    c.h_factor = c.h_sparse = c.h_z = c.penalty.weight = c.alpha_noise = c.penalty.par[0] = 1;
    c.penalty.rho = &crs_l1;
    c.threads = 1;
    return c;
}

static bool refused(crs_cp_settings c, const char *why)
{
    crease_error e = { CREASE_OK, "" };
    const double T[] = { 1, 2, 3, 4 };
    return !crs_cp_fused_new(&c, T, &e) && strstr(e.text, why) &&
           crs_cp_fused_bytes(&c, NULL) == -1;
}

/* The good settings with one thing changed. */
#define REFUSED(change, why)                                                                       \
    do {                                                                                           \
        crs_cp_settings c = good_settings(CRS_CP_ADMM_G);                                          \
        c.change;                                                                                  \
        assert_true(refused(c, why));                                                              \
    } while (0)

static void bad_settings_are_refused(void **state)
{
    const crease_space vector = crease_vector(4);
    const crs_cp_settings good = good_settings(CRS_CP_ADMM_G);
    (void)state;
    assert_true(crs_cp_fused_bytes(&good, NULL) > 0);
    REFUSED(shape = vector, "order 1");
    REFUSED(shape.dim[1] = 0, "");
    REFUSED(rank = 0, "rank is 0");
    REFUSED(beta = 0, "beta is 0");
    REFUSED(beta = NAN, "beta");
    REFUSED(penalty.weight = -1, "alpha is -1");
    REFUSED(h_z = INFINITY, "h of Z");
    REFUSED(threads = 0, "0 threads");
    REFUSED(penalty.rho = NULL, "penalty");
    REFUSED(penalty.par[0] = -1, "lambda");
    REFUSED(method = (crs_cp_method)7, "method 7");
    REFUSED(shape.dim[0] = (ptrdiff_t)1 << 40, "dimension 1");
    crs_cp_settings c = good_settings(CRS_CP_BCD);
    c.alpha_noise = 0;
    assert_true(refused(c, "alpha_noise"));
}

static void a_lambda_off_the_manifold_is_refused(void **state)
{
    const crs_cp_settings c = good_settings(CRS_CP_ADMM_M);
    const double T[] = { 1, 2, 3, 4 }, ones[] = { 1, 1, 1, 1 }, twos[] = { 2, 2, 2, 2 };
    const double *x[] = { ones, ones };
    crease_error e = { CREASE_OK, "" };
    crs_cp_fused *f = crs_cp_fused_new(&c, T, NULL);
    (void)state;
    assert_false(crs_cp_fused_start(f, x, T, NULL, ones, ones, &e));
    assert_non_null(strstr(e.text, "entry 1 of Lambda is 1"));
    assert_true(crs_cp_fused_start(f, x, T, NULL, ones, twos, &e));
    assert_true(crs_cp_fused_start(f, x, T, NULL, ones, NULL, &e));
    crs_cp_fused_free(f);
    crs_cp_fused_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_settings_are_refused),
        cmocka_unit_test(a_lambda_off_the_manifold_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
