/* SPDX-License-Identifier: MIT
 * proof: the gap and the residuals of a point of principal component pursuit against their
 * definitions, at points on the way and at the end */
#include <crease/certificate.h>

#include <stdlib.h>

#include "dense/dense.h"
#include "rpca/pursuit/pursuit.h"
#include "support/test.h"

static double *room(ptrdiff_t n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static const double share = 0.1;

static void plant(ptrdiff_t m, ptrdiff_t n, ptrdiff_t rank, double noise, uint64_t seed, double *T)
{
    draws d = { { seed, 4 }, 0 };
    double *x = room(m * rank), *y = room(n * rank);
    for (ptrdiff_t j = 0; j < m * rank; j++) x[j] = normal(&d);
    for (ptrdiff_t j = 0; j < n * rank; j++) y[j] = normal(&d);
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            double *t = &T[i * n + j];
            *t = noise * normal(&d);
            for (ptrdiff_t k = 0; k < rank; k++) *t += x[i * rank + k] * y[j * rank + k];
            if (uniform(&d, 0, 1) < share) *t += uniform(&d, -10, 10);
        }
    free(x);
    free(y);
}

static crs_pursuit *pursue(ptrdiff_t m, ptrdiff_t n, const double *T)
{
    const crs_pursuit_settings c = {
        .rows = m, .columns = n, .lambda = 1 / sqrt((double)(m > n ? m : n)), .eps = 1e-6
    };
    crease_error e;
    crs_pursuit *p = crs_pursuit_new(&c, T, &e);
    if (!p) fail_msg("%s", e.text);
    return p;
}

static double singular(ptrdiff_t m, ptrdiff_t n, const double *a, double *largest)
{
    double *s = room(n), *work = room(crs_svd_scratch(m, n)), sum = 0;
    assert_true(crs_singular_values(m, n, a, s, work));
    for (ptrdiff_t j = 0; j < (m < n ? m : n); j++) sum += s[j];
    *largest = s[0];
    free(s);
    free(work);
    return sum;
}

/* The problem itself, judged by the certificates of the library. */
static crease_certificate certified(const crs_pursuit *p, const double *T, double gap[2])
{
    const crease_space s = crease_matrix(p->c.rows, p->c.columns), space[] = { s, s };
    const crease_block block[] = { { .map = crease_identity(1), .reg = crease_nuclear(1) },
                                   { .map = crease_identity(1), .reg = crease_l1(p->c.lambda) } };
    const crease_problem problem = {
        .count = 2, .space = space, .block = block, .range = s, .rhs = T
    };
    const double *x[] = { p->L, p->S };
    static crease_residual residual[2];
    crease_error e;
    crease_certificate c = { .block = residual };
    crease_reference *r = crease_reference_new(&problem, &e);
    double *work = room(crease_certify_scratch(&problem)), top, l1 = 0, dot = 0, norm;
    c.reference = r;
    crease_certify(&problem, x, p->Y, &c, work);
    const double nuclear = singular(p->c.rows, p->c.columns, p->L, &top);
    for (ptrdiff_t j = 0; j < crease_size(&s); j++)
        l1 += fabs(T[j] - p->L[j]), dot += p->Y[j] * T[j];
    singular(p->c.rows, p->c.columns, p->Y, &norm);
    gap[0] = nuclear + p->c.lambda * l1;
    gap[1] = dot / larger(1, norm);
    crease_reference_free(r);
    free(work);
    return c;
}

static void assert_proof(crs_pursuit *p, const double *T)
{
    const crs_pursuit_proof *a = crs_pursuit_prove(p);
    const double unit = ldexp(1, p->power), rounding = 1e-8;
    double gap[2];
    crs_pursuit_keep(p);
    const crease_certificate c = certified(p, T, gap);
    assert_true(fabs(unit * a->primal - gap[0]) <= rounding * gap[0]);
    assert_true(fabs(unit * a->dual - gap[1]) <= rounding * gap[0]);
    assert_true(unit * a->dual <= gap[1] + 1e-11 * gap[0]); /* never above what it is */
    assert_true(fabs(a->far - c.block[0].residual) <= rounding * a->y);
    assert_true(c.block[1].residual <= 1e-12 * a->y);
    assert_true(fabs(unit * a->off - c.feasibility.residual) <= rounding * unit * p->size);
    assert_true(fabs(a->scale[0] - c.block[0].scale) <= rounding * a->scale[0]);
    assert_true(fabs(a->scale[1] - c.block[1].scale) <= rounding * a->scale[1]);
    assert_true(fabs(unit * a->scale[2] - c.feasibility.scale) <= rounding * c.feasibility.scale);
    assert_true(fabs(a->worst - c.worst_relative) <= rounding);
}

static void as_defined(void **state)
{
    static const ptrdiff_t size[][2] = { { 30, 20 }, { 20, 30 }, { 90, 80 }, { 150, 7 } };
    (void)state;
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (int noisy = 0; noisy < 2; noisy++) {
            const ptrdiff_t m = size[k][0], n = size[k][1];
            double *T = room(m * n);
            plant(m, n, 2, noisy ? 0.1 : 0, k + 1, T);
            crs_pursuit *p = pursue(m, n, T);
            crs_advance said = CRS_GO_ON;
            for (int step = 1; step <= 2000 && said == CRS_GO_ON; step++) {
                said = crs_pursuit_step(p);
                if (step == 1 || step == 3 || step == 9 || step == 30) assert_proof(p, T);
            }
            assert_true(said != CRS_GO_ON && said != CRS_BROKEN);
            assert_true(p->proof.gap <= 1e-6 && p->proof.worst <= 1e-6);
            assert_proof(p, T);
            crs_pursuit_free(p);
            free(T);
        }
}

/* A power of two changes nothing but the unit; beyond the square root of all doubles, too. */
static void units(void **state)
{
    enum { m = 30, n = 20 };
    static const double unit[] = { 1, 0x1p27, 0x1p500, 0x1p-500 };
    double T[m * n], L[m * n], gap = NAN;
    (void)state;
    for (int k = 0; k < 4; k++) {
        plant(m, n, 2, 0.1, 3, T);
        for (int j = 0; j < m * n; j++) T[j] *= unit[k];
        crs_pursuit *p = pursue(m, n, T);
        while (crs_pursuit_step(p) == CRS_GO_ON) continue;
        assert_true(crs_pursuit_prove(p)->gap <= 1e-6);
        crs_pursuit_keep(p);
        if (k == 0) copy(m * n, p->L, L), gap = p->gap;
        for (int j = 0; j < m * n; j++) assert_true(p->L[j] == unit[k] * L[j]);
        assert_true(p->gap == gap);
        crs_pursuit_free(p);
    }
}

/* Rotations of a diagonal matrix, a singular value of which is 1 + 1e-9. */
static void norm_is_proved(void **state)
{
    enum { m = 60, n = 40 };
    double *a = room(m * n), *q = room(m * n), *g = room(n * n), *b = room(m * n);
    double *work = room(crs_gram_proof_scratch(n) + crs_qr_scratch(n));
    draws d = { { 7, 1 }, 0 };
    (void)state;
    for (int j = 0; j < m * n; j++) q[j] = normal(&d);
    for (int j = 0; j < n * n; j++) g[j] = normal(&d);
    assert_true(crs_qr(m, n, q, NULL, work) && crs_qr(n, n, g, NULL, work));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) b[i * n + j] = q[i * n + j] * (j == 0 ? 1 + 1e-9 : 0.5);
    crs_gemm(false, true, m, n, n, 1, b, g, 0, a);
    crs_gram(m, n, a, g);
    assert_false(crs_certify_gram(m, n, g, 1 + 1e-10, work));
    assert_true(crs_certify_gram(m, n, g, 1 + 1.1e-9, work));
    const double bound = crs_proved_gram(m, n, g, work);
    assert_true(bound >= 1 + 0.99999e-9 && bound <= 1 + 1.5e-9);
    g[3] = g[3 * n] = NAN;
    assert_false(crs_certify_gram(m, n, g, 2, work));
    assert_true(isnan(crs_proved_gram(m, n, g, work)));
    free(a), free(q), free(g), free(b), free(work);
}

/* A = QR, whatever the rank. */
static void orthonormal(void **state)
{
    enum { m = 40, n = 12 };
    double a[m * n], q[m * n], r[n * n], g[n * n], work[65 * n];
    draws d = { { 8, 1 }, 0 };
    (void)state;
    for (int rank = 0; rank <= n; rank += 4) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                a[i * n + j] = j < rank ? normal(&d) : rank ? a[i * n + j % rank] : 0;
        copy(m * n, a, q);
        assert_true(crs_qr(m, n, q, r, work));
        crs_gram(m, n, q, g);
        for (int j = 0; j < n * n; j++) assert_true(fabs(g[j] - (j % (n + 1) == 0)) <= 1e-14);
        crs_gemm(false, false, m, n, n, -1, q, r, 1, a);
        assert_true(crs_norm(m * n, a) <= 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(as_defined), cmocka_unit_test(units),
                                        cmocka_unit_test(norm_is_proved),
                                        cmocka_unit_test(orthonormal) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
