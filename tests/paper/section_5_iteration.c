/* SPDX-License-Identifier: MIT
 * section_5_iteration: the methods of the tables take the steps that section 5 prints, with the
 * parameters of its table: H_i = (beta/2) I, beta = 4, gamma = 1/beta (ADMM-g); H_i = (2 beta/5) I,
 * beta = 5, L = 2 (ADMM-m); alpha = 2/sqrt(max I_n), alpha_N = 1 */
#include "study/paper.h"
#include "support/cp_naive.h"

enum { STEPS = 4 };

static double shrink(double t, double by) { return t > by ? t - by : t < -by ? t + by : 0; }

static void printed_admm(naive *a, ptrdiff_t j, double beta, double delta, double L)
{
    const double alpha = 2 / sqrt(30), T = a->T[j], lambda = a->lambda[j];
    const double E = shrink(beta / (beta + delta) * (T + lambda / beta - a->B[j] - a->Z[j]) +
                                delta / (beta + delta) * a->E[j],
                            alpha / (beta + delta));
    const double Z =
        (2 * low_rank(a, j) + 2 * delta * a->Z[j] + lambda - beta * (E + a->B[j] - T)) /
        (2 + 2 * delta + beta);
    const double g = a->B[j] - (2 * a->B[j] - lambda + beta * (E + Z + a->B[j] - T)) / beta;
    const double m = ((L - 2) * a->B[j] + lambda - beta * (E + Z - T)) / (L + beta);
    a->E[j] = E;
    a->Z[j] = Z;
    a->B[j] = L > 0 ? m : g;
    a->lambda[j] = lambda - beta * (Z + E + a->B[j] - T);
}

/* min over E, then over Z, of |Z - [[A,B,C]]|^2 + alpha |E|_1 + |Z + E - T|^2, each plus
 * (delta/2)|E - E^k|^2, or delta |Z - Z^k|^2 as in ADMM-g */
static void printed_bcd(naive *a, ptrdiff_t j, double delta)
{
    const double alpha = 2 / sqrt(30), T = a->T[j];
    a->E[j] = shrink((2 * (T - a->Z[j]) + delta * a->E[j]) / (2 + delta), alpha / (2 + delta));
    a->Z[j] = (2 * low_rank(a, j) + 2 * delta * a->Z[j] + 2 * (T - a->E[j])) / (4 + 2 * delta);
}

static void printed_step(naive *a, crs_paper_method method)
{
    const double delta = method == CRS_PAPER_ADMM_G   ? 4 / 2.0
                         : method == CRS_PAPER_ADMM_M ? 2 * 5 / 5.0
                         : method == CRS_PAPER_BCD    ? 0
                                                      : 2;
    a->c.h_factor = delta; /* X_n = (Z_(n) M_n + (delta/2) X_n)(G_n + (delta/2) I)^{-1} */
    for (int n = 0; n < 3; n++) naive_factor(a, n);
    for (ptrdiff_t j = 0; j < a->size; j++)
        if (method == CRS_PAPER_ADMM_G)
            printed_admm(a, j, 4, delta, 0);
        else if (method == CRS_PAPER_ADMM_M)
            printed_admm(a, j, 5, delta, 2);
        else
            printed_bcd(a, j, delta);
}

static naive problem(const crs_paper_row *row, draws *d)
{
    naive a = { .c = { .shape = row->shape, .rank = row->rank }, .size = 6000 };
    double **const tensors[] = { &a.T, &a.Z, &a.E, &a.B, &a.lambda };
    for (int k = 0; k < 5; k++) *tensors[k] = some(a.size);
    for (int n = 0; n < 3; n++) {
        const ptrdiff_t size = row->shape.dim[n] * row->rank;
        a.x[n] = some(size);
        for (ptrdiff_t k = 0; k < size; k++) a.x[n][k] = normal(d);
    }
    for (ptrdiff_t j = 0; j < a.size; j++) a.T[j] = 2 * normal(d), a.Z[j] = normal(d);
    return a;
}

/* 1e-9: the rounding of the linear systems, whose condition is below 1e5 here */
static void compare(crs_paper_method method)
{
    const crs_paper_row row = crs_paper_row_at(3, 1);
    const crs_cp_settings c = crs_paper_settings(&row, method);
    draws d = { { 51, (uint64_t)method }, 0 };
    naive a = problem(&row, &d);
    double *Z = some(a.size);
    ptrdiff_t left, right;
    crs_cp_fused *f = crs_cp_fused_new(&c, a.T, NULL);
    assert_non_null(f);
    crs_cp_fused_start(f, (const double *const *)a.x, a.Z, NULL, NULL, NULL, NULL);
    crs_cp_fused_rows(f, &left, &right);
    for (int k = 0; k < STEPS; k++) {
        printed_step(&a, method);
        crs_cp_fused_step(f);
        for (int n = 0; n < 3; n++)
            for (ptrdiff_t i = 0; i < row.shape.dim[n] * row.rank; i++)
                assert_close(crs_cp_fused_factor(f, n)[i], a.x[n][i], 1e-9);
        crs_cp_fused_read(f, CRS_CP_Z, 0, left, Z);
        for (ptrdiff_t j = 0; j < a.size; j++) assert_close(Z[j], a.Z[j], 1e-9);
        crs_cp_fused_read(f, CRS_CP_E, 0, left, Z);
        for (ptrdiff_t j = 0; j < a.size; j++) assert_close(Z[j], a.E[j], 1e-9);
    }
    crs_cp_fused_free(f);
    free(a.T), free(a.Z), free(a.E), free(a.B), free(a.lambda), free(Z);
    for (int n = 0; n < 3; n++) free(a.x[n]);
}

static void steps_as_printed(void **state)
{
    (void)state;
    for (int m = 0; m < CRS_PAPER_METHODS; m++) compare((crs_paper_method)m);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(steps_as_printed) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
