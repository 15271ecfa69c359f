/* SPDX-License-Identifier: MIT
 * spca: the built problem is the formula, its starts are what they say, and scaling,
 * negating or turning the data changes the answer as it should */
#include "support/spike.h"

static const crease_space shape = { .order = 3, .dim = { 4, 3, 5 } };

static crease_spca *model(const crease_spca_settings *s, const double *t)
{
    crease_error e = { CREASE_OK, "" };
    crease_spca *m = crease_spca_new(s, t, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

static void formula(void **state)
{
    draws d = { { 1, 1 }, 0 };
    double *t = random_doubles(&d, 60, 1), x[3][5], value;
    const double *at[] = { x[0], x[1], x[2] };
    crease_spca_settings s = crease_spca_default(&shape);
    (void)state;
    s.penalty = crease_mcp(0.5, 3), s.alpha = 0.7;
    crease_spca *m = model(&s, t);
    const crease_problem *p = crease_spca_problem(m);
    double wanted = 0;
    for (int n = 0; n < 3; n++)
        for (ptrdiff_t j = 0; j < shape.dim[n]; j++) {
            x[n][j] = uniform(&d, -2, 2);
            const double y = fabs(x[n][j]);
            wanted += 0.7 * (y <= 1.5 ? 0.5 * y - y * y / 6 : 0.375);
        }
    assert_true(crease_objective(p, at, &value, NULL));
    assert_close(value, wanted - naive_contract(&shape, t, at), 1e-13);
    assert_true(p->count == 3 && p->range.order == 0);
    for (int n = 0; n < 3; n++) assert_true(crease_setting(p, n, NULL) == 1);
    crease_spca_free(m);
    free(t);
}

/* Unit vectors, T(x) >= 0, the same for the same seed, others for another. */
static void starts(void **state)
{
    draws d = { { 2, 1 }, 0 };
    double *t = random_doubles(&d, 60, 1);
    crease_spca_settings s = crease_spca_default(&shape);
    crease_spca *m = model(&s, t), *same = model(&s, t);
    s.seed = 1;
    crease_spca *other = model(&s, t);
    (void)state;
    for (int k = 0; k < 8; k++) {
        const double *x[3];
        bool equal = true;
        assert_true(crease_spca_start(m, k, NULL) && crease_spca_start(same, k, NULL) &&
                    crease_spca_start(other, k, NULL));
        for (int n = 0; n < 3; n++) {
            x[n] = crease_spca_problem(m)->block[n].start;
            assert_close(crs_norm(shape.dim[n], x[n]), 1, 1e-15);
            for (ptrdiff_t j = 0; j < shape.dim[n]; j++) {
                assert_true(x[n][j] == crease_spca_problem(same)->block[n].start[j]);
                equal = equal && x[n][j] == crease_spca_problem(other)->block[n].start[j];
            }
        }
        assert_true(k % 2 == 1 || naive_contract(&shape, t, x) > 0);
        assert_true(equal == (k == 0 || k % 2 == 1)); /* the random ones differ */
    }
    assert_false(crease_spca_start(m, -1, NULL));
    crease_spca_free(m), crease_spca_free(same), crease_spca_free(other);
    free(t);
}

/* A weight beyond every entry leaves 0 alone, certified; nothing is then taken off. */
static void only_zero(void **state)
{
    draws d = { { 4, 1 }, 0 };
    double *t = random_doubles(&d, 60, 1), *none = doubles(60);
    crease_spca_settings s = crease_spca_default(&shape);
    crease_spca_component c;
    (void)state;
    s.alpha = 100;
    for (int gcg = 0; gcg < 2; gcg++) {
        crease_spca *m = model(&s, t);
        const double norm = crease_spca_norm(m);
        crease_options o = crease_spca_options(m);
        o.method = gcg ? CREASE_METHOD_GCG : CREASE_METHOD_AUTO;
        assert_true(crease_spca_next(m, &o, &c, NULL));
        assert_true(c.zero && c.sigma == 0 && c.objective == 0);
        assert_int_equal(c.verdict, CREASE_VERDICT_VALID);
        assert_int_equal(c.agree, 10);
        assert_true(c.norm == norm && crease_spca_norm(m) == norm);
        crease_spca_free(m);
    }
    s.alpha = 0;
    crease_spca *m = model(&s, none);
    assert_true(crease_spca_next(m, NULL, &c, NULL));
    assert_true(c.zero && c.iterations == 0 && c.starts == 1 && c.norm == 0);
    assert_int_equal(c.verdict, CREASE_VERDICT_VALID);
    crease_spca_free(m);
    free(t), free(none);
}

typedef struct {
    double sigma, objective, x[3][5];
} answer;

/* alpha 0: by the fraction, at the first start, which depends on the order of the modes. */
static answer solved(const crease_space *space, const double *t, double alpha)
{
    crease_spca_settings s = crease_spca_default(space);
    crease_spca_component c;
    answer a = { 0 };
    s.alpha = alpha, s.starts = 40;
    crease_spca *m = model(&s, t);
    crease_options o = crease_spca_options(m);
    o.eps = 1e-12, o.h = 0;
    assert_true(crease_spca_next(m, &o, &c, NULL));
    assert_int_equal(c.verdict, CREASE_VERDICT_VALID);
    a.sigma = c.sigma, a.objective = c.objective;
    for (int n = 0; n < 3; n++) copy(space->dim[n], c.x[n], a.x[n]);
    crease_spca_free(m);
    return a;
}

/* X16: scaled data scale sigma; negated data turn one sign; turned modes turn the factors. */
static void metamorphic(void **state)
{
    draws d = { { 5, 1 }, 0 };
    double *t = random_doubles(&d, 60, 1), *other = doubles(60);
    (void)state;
    const answer plain = solved(&shape, t, 0), fixed = solved(&shape, t, 0.3);
    for (int k = 0; k < 3; k++) {
        const double factor[] = { 1e6, 1e-6, -1 };
        for (int j = 0; j < 60; j++) other[j] = factor[k] * t[j];
        const answer a = solved(&shape, other, 0);
        assert_close(a.sigma / fabs(factor[k]), plain.sigma, 1e-8);
        assert_close(a.objective / fabs(factor[k]), plain.objective, 1e-8);
        for (int n = 0; n < 3; n++)
            for (ptrdiff_t j = 0; j < shape.dim[n]; j++)
                assert_close(fabs(a.x[n][j]), fabs(plain.x[n][j]), 1e-7);
    }
    const crease_space turned = { .order = 3, .dim = { 5, 4, 3 } };
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 5; k++) other[(k * 4 + i) * 3 + j] = t[(i * 3 + j) * 5 + k];
    const answer a = solved(&turned, other, 0.3);
    assert_close(a.sigma, fixed.sigma, 1e-8);
    for (ptrdiff_t j = 0; j < 5; j++) assert_close(fabs(a.x[0][j]), fabs(fixed.x[2][j]), 1e-7);
    free(t), free(other);
}

static void sizes(void **state)
{
    const crease_space shapes[] = { { .order = 3, .dim = { 1, 1, 1 } },
                                    { .order = 3, .dim = { 1, 7, 1 } },
                                    { .order = 2, .dim = { 1, 5 } },
                                    { .order = 8, .dim = { 2, 1, 2, 1, 3, 1, 2, 2 } } };
    (void)state;
    for (int k = 0; k < 4; k++) {
        draws d = { { 6, (uint64_t)k }, 0 };
        double *t = random_doubles(&d, crease_size(&shapes[k]), 1);
        const crease_spca_settings s = crease_spca_default(&shapes[k]);
        crease_spca *m = model(&s, t);
        crease_spca_component c;
        assert_true(crease_spca_next(m, NULL, &c, NULL));
        assert_int_equal(c.verdict, CREASE_VERDICT_VALID);
        assert_true(c.sigma > 0);
        if (k == 0) assert_close(c.sigma, fabs(t[0]), 1e-14);
        crease_spca_free(m);
        free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formula),     cmocka_unit_test(starts), cmocka_unit_test(only_zero),
        cmocka_unit_test(metamorphic), cmocka_unit_test(sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
