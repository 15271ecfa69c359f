/* SPDX-License-Identifier: MIT
 * cp_verify: a claim with any one number wrong is INVALID, or needs another eps; rounding bounds
 * are small; the definitions by brute force agree */
#include "rpca/rpca.h"
#include "support/cp_fit_case.h"

typedef struct {
    const fit_case *k;
    crease_rpca_part part;
    ptrdiff_t at;
    double change;
} spoiled;

static bool read_spoiled(void *user, crease_rpca_part part, ptrdiff_t row, double *out)
{
    const spoiled *s = user;
    ptrdiff_t left, right;
    crease_cp_fit_rows(s->k->fit, &left, &right);
    crease_cp_fit_read(s->k->fit, part, row, 1, out);
    if (part == s->part && s->at / right == row) out[s->at % right] += s->change;
    return true;
}

static crease_verdict verdict(const crease_cp_claim *c, double *eps)
{
    crease_verification v;
    assert_true(crease_cp_verify(c, 1e-6, true, &v, NULL));
    const crease_verdict out = v.verdict;
    *eps = v.smallest_eps;
    crease_verification_free(&v);
    return out;
}

static void test_spoiled(void **state)
{
    static const crease_rpca_part parts[] = { CREASE_RPCA_SPARSE, CREASE_RPCA_Z, CREASE_RPCA_B,
                                              CREASE_RPCA_DATA };
    const crease_space s = fit_shape(3);
    const double *factor[CREASE_MAX_ORDER];
    fit_case k = fit_draw(&s, true, 1);
    double eps;
    (void)state;
    assert_int_equal(fit_run(&k), CREASE_STATIONARY);
    crease_cp_claim c = fit_claim(&k, factor);
    for (int p = 0; p < 4; p++)
        for (ptrdiff_t at = 0; at < k.size; at += 97) {
            if (isnan(k.given[at]) && parts[p] != CREASE_RPCA_Z) continue; /* not looked at */
            spoiled bad = { &k, parts[p], at, 0.01 };
            c.read = read_spoiled, c.user = &bad;
            assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
            bad.change = NAN;
            assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
            assert_true(eps == INFINITY);
        }
    c.read = fit_read, c.user = k.fit;
    c.alpha *= 1.01;
    assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
    c.alpha /= 1.01, c.ridge = 0.1;
    assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
    c.ridge = 0, c.nonneg = true; /* some factor has a negative entry */
    assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
    c.nonneg = false;
    for (int n = 0; n < 3; n++) {
        double *x = malloc((size_t)(s.dim[n] * c.rank) * sizeof *x);
        const double *was = factor[n];
        memcpy(x, was, (size_t)(s.dim[n] * c.rank) * sizeof *x);
        x[3] *= 1.001, factor[n] = x;
        assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_INVALID);
        factor[n] = was;
        free(x);
    }
    assert_int_equal(verdict(&c, &eps), CREASE_VERDICT_VALID);
    fit_free(&k);
}

static double entry(const crease_cp_claim *c, ptrdiff_t j, int skip, ptrdiff_t r)
{
    double product = 1;
    for (int n = c->shape.order - 1; n >= 0; j /= c->shape.dim[n], n--)
        if (n != skip) product *= c->factor[n][j % c->shape.dim[n] * c->rank + r];
    return product;
}

/* |2 (M - Z)_(n) M_n| by its definition, entry by entry. */
static void test_gradient(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order++) {
        const crease_space s = fit_shape(order);
        const double *factor[CREASE_MAX_ORDER];
        fit_case k = fit_draw(&s, false, 1);
        k.s.run.max_iterations = 2;
        fit_run(&k);
        const crease_cp_claim c = fit_claim(&k, factor);
        double *Z = fit_part(&k, CREASE_RPCA_Z);
        crease_verification v;
        assert_true(crease_cp_verify(&c, 1e-6, false, &v, NULL));
        for (int n = 0; n < order; n++) {
            ptrdiff_t after = 1;
            double *g = calloc((size_t)(s.dim[n] * c.rank), sizeof *g), sum = 0;
            for (int m = n + 1; m < order; m++) after *= s.dim[m];
            for (ptrdiff_t j = 0; j < k.size; j++) {
                double d = -Z[j];
                for (ptrdiff_t r = 0; r < c.rank; r++) d += entry(&c, j, -1, r);
                for (ptrdiff_t r = 0; r < c.rank; r++)
                    g[j / after % s.dim[n] * c.rank + r] += 2 * d * entry(&c, j, n, r);
            }
            for (ptrdiff_t j = 0; j < s.dim[n] * c.rank; j++) sum += g[j] * g[j];
            assert_close(v.residual[n], sqrt(sum), 1e-11);
            free(g);
        }
        crease_verification_free(&v);
        free(Z);
        fit_free(&k);
    }
}

static void test_refusals(void **state)
{
    const crease_space s = fit_shape(3);
    const double *factor[CREASE_MAX_ORDER];
    fit_case k = fit_draw(&s, false, 1);
    crease_verification v;
    crease_error e;
    (void)state;
    fit_run(&k);
    crease_cp_claim c = fit_claim(&k, factor);
    assert_false(crease_cp_verify(&c, NAN, true, &v, &e));
    c.left++;
    assert_false(crease_cp_verify(&c, 1e-6, true, &v, &e));
    assert_int_equal(e.code, CREASE_BAD_SHAPE);
    c.left--, c.penalty = crease_group_l1(1, NULL);
    assert_true(crease_cp_verify(&c, 1e-6, true, &v, &e));
    assert_int_equal(v.verdict, CREASE_VERDICT_UNSUPPORTED);
    crease_verification_free(&v);
    fit_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_spoiled),
                                        cmocka_unit_test(test_gradient),
                                        cmocka_unit_test(test_refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
