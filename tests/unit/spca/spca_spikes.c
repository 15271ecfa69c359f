/* SPDX-License-Identifier: MIT
 * spca_spikes: planted sparse spikes are found with their exact support, by both methods
 *
 * Noise levels. Where t_i = T(.., u_j, ..) of the truth is strength u_i + noise N(0,1), the support
 * is exact if every entry off it is below the threshold alpha and every entry on it above:
 *     noise z < alpha = strength/(2 d sqrt(k)) < strength/sqrt(k) - noise z,
 * z = 4.2 for the largest of at most 48 normal numbers (probability 1e-3 in all). Order 3, 20^3,
 * k = 4: noise 0.019; order 4, 10^4, k = 3: noise 0.017. In norm the noise is then 1.7 times the
 * spike. */
#include "support/spike.h"

static const struct {
    const char *penalty;
    crease_method method;
} cases[] = {
    { "l1:1", CREASE_METHOD_PROX_BCD },          { "l1:1", CREASE_METHOD_GCG },
    { "l0:1", CREASE_METHOD_PROX_BCD },          { "mcp:1,3", CREASE_METHOD_PROX_BCD },
    { "scad:1,3.7", CREASE_METHOD_PROX_BCD },    { "lsp:1,1", CREASE_METHOD_PROX_BCD },
    { "elastic-net:1,0.1", CREASE_METHOD_AUTO }, { "elastic-net:1,0.1", CREASE_METHOD_GCG },
};
enum { CASES = sizeof cases / sizeof *cases, INSTANCES = 10 };

static crease_spca *model_of(const spike *p, const char *penalty, crease_spec *spec)
{
    crease_spca_settings s = crease_spca_default(&p->shape);
    crease_error e = { CREASE_OK, "" };
    if (!crease_spec_parse(penalty, spec, &e) || !crease_reg_from_spec(spec, &s.penalty, &e))
        fail_msg("%s", e.text);
    crease_spca *m = crease_spca_new(&s, p->tensor, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

static void matches(const crease_spca_component *c, const spike *p, int k)
{
    double sign = 1;
    assert_int_equal(c->verdict, CREASE_VERDICT_VALID);
    assert_true(c->outcome == CREASE_STATIONARY && c->theorem && !c->zero);
    assert_true(c->smallest_eps <= c->eps && c->agree >= 1);
    for (int n = 0; n < p->shape.order; n++) {
        const double *u = p->u[k][n];
        const double along = crs_dot(p->shape.dim[n], u, c->x[n]);
        sign *= along;
        assert_true(fabs(along) > 0.95 * c->length[n]);
        for (ptrdiff_t j = 0; j < p->shape.dim[n]; j++)
            assert_true((c->x[n][j] != 0) == (u[j] != 0));
    }
    assert_true(sign > 0);
}

static void one_spike(const crease_space *shape, ptrdiff_t nonzeros, double noise)
{
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        spike p = { .shape = *shape, .nonzeros = nonzeros, .noise = noise, .strength = { 1 } };
        make_spike(&p, seed);
        for (int k = 0; k < CASES; k++) {
            crease_spec spec;
            crease_spca *m = model_of(&p, cases[k].penalty, &spec);
            crease_options o = crease_spca_options(m);
            const double before = crease_spca_norm(m);
            crease_spca_component c;
            o.method = cases[k].method, o.h = 0;
            assert_true(crease_spca_next(m, &o, &c, NULL));
            matches(&c, &p, 0);
            assert_close(square(c.norm), square(before) - square(c.sigma), 1e-12);
            assert_close(c.norm, crease_spca_norm(m), 0);
            crease_spca_free(m);
            crease_spec_free(&spec);
        }
        free_spike(&p);
    }
}

static void order_three(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 20, 20, 20 } };
    (void)state;
    one_spike(&shape, 4, 0.019);
}

static void order_four(void **state)
{
    const crease_space shape = { .order = 4, .dim = { 10, 10, 10, 10 } };
    (void)state;
    one_spike(&shape, 3, 0.017);
}

/* A matrix: alpha = 1/(4 sqrt k), which leaves more room. */
static void order_two(void **state)
{
    const crease_space shape = crease_matrix(30, 40);
    (void)state;
    one_spike(&shape, 5, 0.025);
}

/* Deflation: the stronger spike first, the weaker one next. */
static void two_spikes(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 20, 25, 30 } };
    (void)state;
    for (uint64_t seed = 0; seed < INSTANCES; seed++)
        for (int gcg = 0; gcg < 2; gcg++) {
            spike p = { .shape = shape, .nonzeros = 4, .noise = 0.01, .strength = { 2, 1 } };
            crease_spec spec;
            crease_spca_component c;
            make_spike(&p, seed);
            crease_spca *m = model_of(&p, "l1:1", &spec);
            crease_options o = crease_spca_options(m);
            o.method = gcg ? CREASE_METHOD_GCG : CREASE_METHOD_PROX_BCD, o.h = 0;
            for (int k = 0; k < 2; k++) {
                assert_true(crease_spca_next(m, &o, &c, NULL));
                matches(&c, &p, k);
                assert_true(fabs(c.sigma - p.strength[k]) < 0.1);
            }
            crease_spca_free(m);
            crease_spec_free(&spec);
            free_spike(&p);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_two),
        cmocka_unit_test(order_three),
        cmocka_unit_test(order_four),
        cmocka_unit_test(two_spikes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
