/* SPDX-License-Identifier: MIT
 * cp_fused_residuals: the factors' residuals are the formula's, and asking changes nothing */
#include "support/cp_example.h"

/* m = Z_(n) M_n and g = X_n G_n, entry by entry */
static void products(const naive *a, int n, double *m, double *g)
{
    const ptrdiff_t R = a->c.rank;
    for (ptrdiff_t j = 0; j < a->size; j++) {
        ptrdiff_t index[CREASE_MAX_ORDER];
        index_of(a, j, index);
        const double z = a->Z[j], x = low_rank(a, j);
        for (ptrdiff_t r = 0; r < R; r++) {
            const double product = entry_product(a, index, r, n);
            m[index[n] * R + r] += z * product;
            g[index[n] * R + r] += x * product; /* [[X]]_(n) M_n */
        }
    }
}

static void check_mode(const naive *a, int n, const crs_cp_factor_residual *got)
{
    const ptrdiff_t size = a->c.shape.dim[n] * a->c.rank;
    double *m = some(size), *g = some(size), residual = 0, data = 0, model = 0;
    products(a, n, m, g);
    for (ptrdiff_t k = 0; k < size; k++) {
        residual += square(2 * (g[k] - m[k]) + a->c.nu * a->x[n][k]);
        data += square(2 * m[k]);
        model += square(2 * g[k]);
    }
    const double slack = 1e-11 * (sqrt(data) + sqrt(model));
    assert_true(fabs(got->residual - sqrt(residual)) <= slack);
    assert_true(fabs(got->data - sqrt(data)) <= slack);
    assert_true(fabs(got->model - sqrt(model)) <= slack);
    free(m), free(g);
}

static void check_iterate(crs_cp_fused *f, naive *a)
{
    crs_cp_factor_residual got[CREASE_MAX_ORDER];
    ptrdiff_t left, right;
    crs_cp_fused_rows(f, &left, &right);
    crs_cp_fused_read(f, CRS_CP_Z, 0, left, a->Z);
    for (int n = 0; n < a->c.shape.order; n++)
        copy(a->c.shape.dim[n] * a->c.rank, crs_cp_fused_factor(f, n), a->x[n]);
    crs_cp_fused_factor_residuals(f, got);
    for (int n = 0; n < a->c.shape.order; n++) check_mode(a, n, got + n);
}

static const crease_space shapes[] = { { .order = 2, .dim = { 41, 7 } },
                                       { .order = 2, .dim = { 1, 1 } },
                                       { .order = 3, .dim = { 11, 13, 37 } },
                                       { .order = 4, .dim = { 3, 5, 2, 7 } } };

static void residuals_are_the_formula(void **state)
{
    draws d = { { 11, 0 }, 0 };
    (void)state;
    for (int k = 0; k < 12; k++) {
        crs_cp_settings c = { .shape = shapes[k % 4], .rank = 1 + k, .beta = 4.4, .threads = 1 };
        c.method = (crs_cp_method)(k % 3);
        c.h_factor = c.h_sparse = c.h_z = 2;
        c.alpha = c.alpha_noise = c.par[0] = 1;
        c.nu = k % 2 ? 0.3 : 0;
        c.penalty = &crs_l1;
        naive a = naive_make(&c, false, &d);
        crs_cp_fused *f = fused_of(&a), *quiet = fused_of(&a);
        for (int step = 0; step < 3; step++) {
            check_iterate(f, &a);
            crs_cp_fused_step(f), crs_cp_fused_step(quiet);
            assert_memory_equal(crs_cp_fused_statistics(f), crs_cp_fused_statistics(quiet),
                                sizeof(crs_cp_statistics));
        }
        crs_cp_fused_free(f), crs_cp_fused_free(quiet);
        naive_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(residuals_are_the_formula) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
