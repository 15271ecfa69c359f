/* SPDX-License-Identifier: MIT
 * nuclear: the checker's bounds for large matrices agree with the definition: the rank, the
 * distance to the subgradients, and no norm is proved that is larger */
#include <stdlib.h>

#include "dense/dense.h"
#include "support/test.h"
#include "verify/verify.h"

enum { M = 80, N = 64 };

static double *room(ptrdiff_t n)
{
    double *x = calloc((size_t)n, sizeof *x);
    assert_non_null(x);
    return x;
}

/* The residual of |X|_* - <T, X> at X: the library's, and what the checker says. */
static double residual(ptrdiff_t m, ptrdiff_t n, const double *x, const double *t, double eps,
                       crease_verification *v)
{
    const crease_space space = crease_matrix(m, n);
    const crease_block block = { .reg = crease_nuclear(1), .map = crease_identity(1) };
    const crease_problem p = {
        .count = 1, .space = &space, .block = &block, .range = space, .rhs = x
    };
    const double *const at[] = { x };
    crease_residual found;
    crease_certificate c = { .block = &found };
    double *work = room(crease_certify_scratch(&p));
    crease_certify(&p, at, t, &c, work);
    assert_true(crease_verify(&p, at, t, NULL, false, eps, false, v, NULL));
    free(work);
    return found.residual;
}

static void product(draws *d, ptrdiff_t rank, double *x)
{
    double a[M * N], b[N * N];
    for (int j = 0; j < M * N; j++) a[j] = normal(d);
    for (int j = 0; j < N * N; j++) b[j] = normal(d);
    crs_gemm(false, false, M, N, rank, 1, a, b, 0, x);
}

/* Without T the residual is sqrt(rank X): of products, and where small entries are no rounding. */
static void ranks(void **state)
{
    double x[M * N], zero[M * N] = { 0 };
    draws d = { { 1, 1 }, 0 };
    (void)state;
    for (ptrdiff_t rank = 0; rank <= 40; rank += 5) {
        crease_verification v;
        product(&d, rank, x);
        assert_true(fabs(residual(M, N, x, zero, 1e-9, &v) - sqrt((double)rank)) < 1e-9);
        assert_true(fabs(v.smallest_eps - sqrt((double)rank)) < 1e-7);
        crease_verification_free(&v);
    }
    for (int gap = 4; gap <= 24; gap += 4) {
        crease_verification v;
        fill(M * N, 0, x);
        x[3] = 1e10, x[5 * N + 7] = pow(10, 10 - gap);
        residual(M, N, x, zero, 1e-9, &v);
        assert_true(fabs(v.smallest_eps - sqrt(2)) < 1e-7);
        crease_verification_free(&v);
    }
}

/* T = UV' + P + something small: valid for an eps that is a little larger than the distance, and
 * not for one that is smaller. */
static void distances(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int over = 0; over < 2; over++) {
            draws d = { { seed, 2 }, 0 };
            double *x = room(M * N), *t = room(M * N), *work = room(crs_thin_scratch(M, N));
            const ptrdiff_t rank = 3 + (ptrdiff_t)seed;
            crease_verification v;
            crs_thin f;
            product(&d, N, x);
            assert_true(crs_thin_svd(M, N, x, work, &f));
            for (int i = 0; i < M; i++)
                for (int k = 0; k < N; k++) {
                    const double p = k < rank ? 1 : k == rank && over ? 1 + 1e-5 : 0.7;
                    for (int j = 0; j < N; j++) {
                        const double uv = f.u[i * N + k] * f.vt[k * N + j];
                        t[i * N + j] += p * uv;
                        if (k == 0) x[i * N + j] = 0;
                        if (k < rank) x[i * N + j] += (double)(1 + k) * uv;
                    }
                }
            for (int j = 0; j < M * N; j++) t[j] += 1e-7 * normal(&d);
            const double own = residual(M, N, x, t, 1, &v);
            assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
            assert_true(v.residual[0] >= own - 1e-9);
            assert_true(v.residual[0] <= 1.1 * own + (over ? 8e-5 : 1e-8));
            crease_verification_free(&v);
            residual(M, N, x, t, 0.5 * own, &v);
            assert_int_equal(v.verdict, CREASE_VERDICT_INVALID);
            crease_verification_free(&v);
            free(x), free(t), free(work);
        }
}

/* Singular values 1 + 1e-9 and 1/2 */
static void norms(void **state)
{
    draws d = { { 3, 3 }, 0 };
    double *a = room(M * N), *g = room(N * N), *work = room(crs_thin_scratch(M, N));
    crs_verifier v = { .p = NULL };
    crs_thin f;
    (void)state;
    product(&d, N, a);
    assert_true(crs_thin_svd(M, N, a, work, &f));
    fill(M * N, 0, a);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < M; i++)
            axpy(N, (k == 0 ? 1 + 1e-9 : 0.5) * f.u[i * N + k], f.vt + k * N, a + i * N);
    crs_gram(M, N, a, g);
    assert_false(crs_norm_is_below(&v, M, N, g, 1 + 1e-10));
    assert_true(crs_norm_is_below(&v, M, N, g, 1 + 1.1e-9));
    g[2] = g[2 * N] = NAN;
    assert_false(crs_norm_is_below(&v, M, N, g, 2));
    crs_rooms_free(&v);
    free(a), free(g), free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(ranks), cmocka_unit_test(distances),
                                        cmocka_unit_test(norms) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
