/* SPDX-License-Identifier: MIT
 * model: the built problem is the formula, its starts are what they say, the weight chosen from the
 * data has the threshold it says, and scaling, negating or turning the data changes the answer as
 * it should; what is wrong is refused in a sentence */
#include "support/spike.h"

static const crease_space shape = { .order = 3, .dim = { 4, 3, 5 } };
static const crease_space cube = { .order = 3, .dim = { 2, 2, 2 } };
static const double good[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

static crease_spca *model(const crease_spca_settings *s, const double *t)
{
    crease_error e = { CREASE_OK, "" };
    crease_spca *m = crease_spca_new(s, t, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

static void the_problem_is_the_formula(void **state)
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
static void starts_are_unit_and_repeatable(void **state)
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
static void a_heavy_weight_leaves_only_zero(void **state)
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
static void scaled_negated_and_turned_data_turn_the_answer(void **state)
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

static void every_order_and_size_is_certified(void **state)
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

/* Entries of t_i below fraction * max |t_i| vanish, others do not: for l1 by the minimizer of
 * -<t_i, y> + alpha |y|_1, for l0 by whether the entry pays, to second order. */
static void the_weight_has_the_threshold_it_says(void **state)
{
    draws d = { { 3, 1 }, 0 };
    double *t = random_doubles(&d, 60, 1);
    crease_spca_settings s = crease_spca_default(&shape);
    const crease_reg penalty[] = { crease_l1(2), crease_mcp(0.5, 3), crease_l0(3) };
    double threshold[3];
    (void)state;
    assert_close(s.fraction, 1.0 / 6, 1e-16);
    for (int k = 0; k < 3; k++) {
        s.penalty = penalty[k], s.fraction = 0.25;
        crease_spca *m = model(&s, t);
        double peak = INFINITY, norm = 0;
        for (int n = 0; n < 3; n++) {
            const double *x[3];
            double one[5] = { 0 }, slope[5], most = 0;
            for (int i = 0; i < 3; i++) x[i] = crease_spca_problem(m)->block[i].start;
            x[n] = one;
            for (ptrdiff_t j = 0; j < shape.dim[n]; j++) {
                one[j] = 1, slope[j] = naive_contract(&shape, t, x), one[j] = 0;
                most = larger(most, fabs(slope[j]));
            }
            if (most < peak) peak = most, norm = crs_norm(shape.dim[n], slope);
        }
        threshold[k] = k == 0   ? 2 * crease_spca_alpha(m)
                       : k == 1 ? 0.5 * crease_spca_alpha(m)
                                : sqrt(2 * norm * 3 * crease_spca_alpha(m));
        assert_close(threshold[k], 0.25 * peak, 1e-12);
        const double alpha = crease_spca_alpha(m), ratio = 0.1 / threshold[k];
        crease_spca_free(m);
        crease_spca_settings by_number = s;
        by_number.threshold = 0.1;
        m = model(&by_number, t);
        assert_close(crease_spca_alpha(m), alpha * (k == 2 ? ratio * ratio : ratio), 1e-12);
        crease_spca_free(m);
    }
    free(t);
}

/* The median of |N(0,1)| of n numbers has standard deviation 1.17/sqrt(n) relative to s: four of
 * them, and what 64 entries of a spike shift the median by. */
static void noise_is_measured_from_the_median(void **state)
{
    spike p = { .shape = { .order = 3, .dim = { 20, 20, 20 } }, .nonzeros = 4, .noise = 0.3 };
    double s;
    (void)state;
    p.strength[0] = 100;
    for (uint64_t seed = 0; seed < 5; seed++) {
        make_spike(&p, seed);
        assert_true(crease_spca_noise(&p.shape, p.tensor, &s, NULL));
        assert_true(fabs(s / 0.3 - 1) < 4 * 1.17 / sqrt(8000) + 2.0 * 64 / 8000);
        free_spike(&p);
        for (int n = 0; n < 3; n++) p.u[0][n] = NULL;
    }
    const crease_space small = crease_matrix(1, 4);
    const double even[] = { -3, 1, -1, 5 }, bad[] = { 1, 2, NAN, 4 };
    assert_true(crease_spca_noise(&small, even, &s, NULL));
    assert_close(s, 2 / 0.6744897501960817, 1e-15);
    assert_false(crease_spca_noise(&small, bad, &s, NULL));
}

static void refused(const crease_spca_settings *s, const double *t, crease_code code,
                    const char *word)
{
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_spca_new(s, t, &e));
    assert_null(crease_spca_new(s, t, NULL));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' lacks '%s'", e.text, word);
}

static void wrong_settings_are_refused(void **state)
{
    const crease_spca_settings plain = crease_spca_default(&cube);
    const double bad_alpha[] = { -1, NAN, INFINITY }, bad_fraction[] = { 0, 1, NAN };
    (void)state;
    for (int k = 0; k < 3; k++) {
        crease_spca_settings s = plain;
        s.alpha = bad_alpha[k];
        refused(&s, good, CREASE_BAD_ARGUMENT, "alpha");
        s = plain, s.fraction = bad_fraction[k];
        refused(&s, good, CREASE_BAD_ARGUMENT, "fraction");
    }
    crease_spca_settings s = plain;
    s.threshold = NAN;
    refused(&s, good, CREASE_BAD_ARGUMENT, "threshold");
    s = plain, s.starts = 0;
    refused(&s, good, CREASE_BAD_ARGUMENT, "0 starts");
    s = plain, s.shape.order = 1;
    refused(&s, good, CREASE_BAD_SHAPE, "1 dimension");
    s = plain, s.shape.dim[1] = 0;
    refused(&s, good, CREASE_BAD_SHAPE, "dimension");
    const crease_reg no_prox[] = { crease_capped_l1(1, 1), crease_lq(1, 0.5), crease_l_half(1) };
    for (int k = 0; k < 3; k++) {
        s = plain, s.penalty = no_prox[k];
        refused(&s, good, CREASE_UNSUPPORTED, "no exact joint prox");
    }
    s = plain, s.penalty = crease_scad(1, 2);
    refused(&s, good, CREASE_BAD_ARGUMENT, "scad");
}

/* A program compiled before seed, the last member, was there. */
static void settings_of_an_older_program_are_read(void **state)
{
    crease_spca_settings s = crease_spca_default(&cube);
    (void)state;
    s.size = offsetof(crease_spca_settings, seed), s.seed = 99;
    crease_spca *m = crease_spca_new(&s, good, NULL);
    assert_non_null(m);
    crease_spca_free(m);
    s.size = 0;
    refused(&s, good, CREASE_BAD_ARGUMENT, "crease_spca_default");
}

static void wrong_data_are_refused(void **state)
{
    const crease_spca_settings s = crease_spca_default(&cube);
    const double odd[] = { NAN, INFINITY, -INFINITY, 1e200, 1e308 };
    (void)state;
    refused(&s, NULL, CREASE_BAD_ARGUMENT, "no tensor");
    for (int k = 0; k < 5; k++) {
        double t[8] = { 0 };
        t[5] = odd[k];
        refused(&s, t, CREASE_BAD_DATA, k < 3 ? "entry 6" : "too large");
        t[5] = 1e-200;
        refused(&s, t, CREASE_BAD_DATA, "too small");
    }
}

static void wrong_options_are_refused(void **state)
{
    const crease_spca_settings s = crease_spca_default(&cube);
    crease_spca *m = crease_spca_new(&s, good, NULL);
    crease_spca_component c;
    crease_error e;
    (void)state;
    crease_options o = crease_spca_options(m);
    o.method = CREASE_METHOD_ADMM_G;
    assert_false(crease_spca_next(m, &o, &c, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    assert_non_null(strstr(e.text, "prox-bcd or gcg"));
    o = crease_spca_options(m), o.eps = NAN;
    assert_false(crease_spca_next(m, &o, &c, &e));
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    crease_spca_free(m);

    crease_spca_settings nonconvex = s;
    nonconvex.penalty = crease_mcp(1, 3);
    m = crease_spca_new(&nonconvex, good, NULL);
    o = crease_spca_options(m), o.method = CREASE_METHOD_GCG;
    assert_false(crease_spca_next(m, &o, &c, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    crease_spca_free(m);
    crease_spca_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_problem_is_the_formula),
        cmocka_unit_test(starts_are_unit_and_repeatable),
        cmocka_unit_test(a_heavy_weight_leaves_only_zero),
        cmocka_unit_test(scaled_negated_and_turned_data_turn_the_answer),
        cmocka_unit_test(every_order_and_size_is_certified),
        cmocka_unit_test(the_weight_has_the_threshold_it_says),
        cmocka_unit_test(noise_is_measured_from_the_median),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(settings_of_an_older_program_are_read),
        cmocka_unit_test(wrong_data_are_refused),
        cmocka_unit_test(wrong_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
