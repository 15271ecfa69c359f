/* SPDX-License-Identifier: MIT
 * pinv: the conditions of Moore and Penrose, and the tolerance below which a value is 0 */
#include <float.h>

#include "dense/dense.h"
#include "support/test.h"

enum { MOST = 8, ROOM = 4096 };

/* p = pinv(g): the rows of I times it */
static void pinv(ptrdiff_t n, const double *g, double *p)
{
    double work[ROOM];
    assert_true(crs_ballquad_scratch(n, n) <= ROOM);
    fill(n * n, 0, p);
    for (ptrdiff_t k = 0; k < n; k++) p[k * n + k] = 1;
    assert_true(crs_pinv_apply(n, n, g, p, work));
}

static void conditions(void **state)
{
    draws d = { { 61, 0 }, 0 };
    (void)state;
    for (ptrdiff_t n = 1; n <= MOST; n++)
        for (ptrdiff_t rank = 0; rank <= n; rank++) {
            double g[MOST * MOST] = { 0 }, p[MOST * MOST], gp[MOST * MOST], back[MOST * MOST];
            for (ptrdiff_t r = 0; r < rank; r++) {
                double x[MOST];
                for (ptrdiff_t i = 0; i < n; i++) x[i] = normal(&d);
                for (ptrdiff_t i = 0; i < n * n; i++)
                    g[i] += (r % 2 ? -1 : 1) * x[i / n] * x[i % n];
            }
            pinv(n, g, p);
            crs_gemm(false, false, n, n, n, 1, g, p, 0, gp);
            for (ptrdiff_t i = 0; i < n * n; i++) /* G P and P are symmetric */
                assert_close(gp[i], gp[i % n * n + i / n], 1e-8);
            crs_gemm(false, false, n, n, n, 1, gp, g, 0, back);
            for (ptrdiff_t i = 0; i < n * n; i++) assert_close(back[i], g[i], 1e-8);
            crs_gemm(false, false, n, n, n, 1, p, gp, 0, back);
            for (ptrdiff_t i = 0; i < n * n; i++)
                assert_close(back[i], p[i], 1e-8 * (1 + crs_norm(n * n, p)));
        }
}

/* n times the distance from |G| to the next double; eigenvalues have errors of about that, so the
 * matrices keep away from it by a factor of 8 */
static void tolerance(void **state)
{
    const double top[] = { 1, 1.5, 2, 1e-200, 3e200 };
    (void)state;
    for (int k = 0; k < 5; k++) {
        const double limit = 2 * (nextafter(top[k], INFINITY) - top[k]);
        const double w[2] = { 0, top[k] }, negative[2] = { -top[k], 0 };
        assert_true(crs_pinv_limit(2, w) == limit && crs_pinv_limit(2, negative) == limit);
        double g[4] = { top[k], 0, 0, 8 * limit }, p[4];
        pinv(2, g, p);
        assert_true(fabs(p[3] * g[3] - 1) < 0.2 && fabs(p[0] * g[0] - 1) < 4 * DBL_EPSILON);
        g[3] = limit / 8;
        pinv(2, g, p);
        assert_true(p[3] == 0 && fabs(p[0] * g[0] - 1) < 4 * DBL_EPSILON);
    }
    const double zero[2] = { 0, 0 };
    assert_true(crs_pinv_limit(2, zero) == 0);
}

static void not_finite(void **state)
{
    double work[ROOM], g[4] = { 1, 0, 0, NAN }, y[2] = { 1, 1 };
    (void)state;
    assert_false(crs_pinv_apply(1, 2, g, y, work));
    assert_true(isnan(y[0]) && isnan(y[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions),
        cmocka_unit_test(tolerance),
        cmocka_unit_test(not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
