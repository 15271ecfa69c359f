/* SPDX-License-Identifier: MIT
 * component: on tiny tensors the objective is the least there is, and planted sparse spikes are
 * found with their exact support, by both methods
 *
 * l0: for every choice of supports the best objective is alpha (their sizes) - sigma of the part of
 * T they cut out, sigma the largest T(x) over unit x, here by a plain power method from many
 * points. l1 on 2 x 2 x 2: |x_i| is 1 or 0 at a minimizer, so angles are scanned and refined. */
#include "support/spike.h"

enum { STARTS = 60, INSTANCES = 8 };

static double best_found(const crease_space *shape, const double *t, crease_reg r, double alpha)
{
    crease_spca_settings s = crease_spca_default(shape);
    crease_spca_component c;
    s.penalty = r, s.alpha = alpha, s.starts = STARTS;
    crease_spca *m = crease_spca_new(&s, t, NULL);
    crease_options o = crease_spca_options(m);
    o.h = 0, o.eps = 1e-10;
    assert_true(crease_spca_next(m, &o, &c, NULL));
    assert_int_equal(c.verdict, CREASE_VERDICT_VALID);
    assert_true(c.objective <= 0 || c.zero);
    crease_spca_free(m);
    return c.objective;
}

/* x_n <- T(.., ., ..)/|.| on the support `on[n]` (bits); returns its norm. */
static double improve(const crease_space *s, const double *t, const unsigned *on, int n,
                      double x[][4])
{
    const double *at[CREASE_MAX_ORDER];
    double slope[4] = { 0 };
    for (int k = 0; k < s->order; k++) at[k] = x[k];
    for (ptrdiff_t i = 0; i < s->dim[n]; i++) {
        double one[4] = { 0 };
        one[i] = on[n] >> i & 1;
        at[n] = one;
        slope[i] = naive_contract(s, t, at);
    }
    const double norm = crs_norm(s->dim[n], slope);
    for (ptrdiff_t i = 0; i < s->dim[n]; i++) x[n][i] = norm > 0 ? slope[i] / norm : 0;
    return norm;
}

static double largest(const crease_space *s, const double *t, const unsigned *on, draws *d)
{
    double best = 0;
    for (int start = 0; start < 12; start++) {
        double x[CREASE_MAX_ORDER][4], norm = 0;
        for (int n = 0; n < s->order; n++)
            for (ptrdiff_t i = 0; i < s->dim[n]; i++) x[n][i] = (on[n] >> i & 1) * normal(d);
        for (int k = 0; k < 60; k++)
            for (int n = 0; n < s->order; n++) norm = improve(s, t, on, n, x);
        best = larger(best, norm);
    }
    return best;
}

static double brute_l0(const crease_space *s, const double *t, double alpha, draws *d)
{
    unsigned on[CREASE_MAX_ORDER], all = 1;
    double best = 0; /* x = 0 */
    for (int n = 0; n < s->order; n++) all <<= s->dim[n];
    for (unsigned code = 0; code < all; code++) {
        unsigned rest = code;
        int count = 0;
        for (int n = 0; n < s->order; n++) {
            on[n] = rest & ((1u << s->dim[n]) - 1), rest >>= s->dim[n];
            for (unsigned bits = on[n]; bits; bits &= bits - 1) count++;
        }
        best = smaller(best, alpha * count - largest(s, t, on, d));
    }
    return best;
}

static void supports(const crease_space *shape)
{
    draws d = { { 5, (uint64_t)shape->order }, 0 };
    for (int k = 0; k < INSTANCES; k++) {
        double *t = random_doubles(&d, crease_size(shape), 1);
        const double alpha = uniform(&d, 0.02, 0.4);
        const double least = brute_l0(shape, t, alpha, &d);
        assert_close(best_found(shape, t, crease_l0(1), alpha), least, 1e-7);
        free(t);
    }
}

static void l0_of_a_matrix_is_the_least_over_supports(void **state)
{
    const crease_space shape = crease_matrix(3, 4);
    (void)state;
    supports(&shape);
}

static void l0_of_a_tensor_is_the_least_over_supports(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 2, 3, 2 } };
    (void)state;
    supports(&shape);
}

static double at_angles(const double *t, double alpha, const double *angle)
{
    static const crease_space cube = { .order = 3, .dim = { 2, 2, 2 } };
    double x[3][2], value = 0;
    for (int n = 0; n < 3; n++) {
        x[n][0] = cos(angle[n]), x[n][1] = sin(angle[n]);
        for (int j = 0; j < 2; j++) {
            if (fabs(x[n][j]) < 1e-15) x[n][j] = 0;
            value += alpha * fabs(x[n][j]);
        }
    }
    return value - naive_contract(&cube, t, (const double *const[]){ x[0], x[1], x[2] });
}

/* The best of (2 half + 1)^3 angles around `centre`, which moves there. */
static double scan(const double *t, double alpha, double *centre, int half, double step)
{
    const double from[3] = { centre[0], centre[1], centre[2] };
    double best = at_angles(t, alpha, centre);
    for (int a = -half; a <= half; a++)
        for (int b = -half; b <= half; b++)
            for (int c = -half; c <= half; c++) {
                const double angle[] = { from[0] + a * step, from[1] + b * step,
                                         from[2] + c * step };
                const double value = at_angles(t, alpha, angle);
                if (value < best) best = value, memcpy(centre, angle, sizeof angle);
            }
    return best;
}

static void l1_of_a_cube_is_the_least_over_angles(void **state)
{
    const crease_space cube = { .order = 3, .dim = { 2, 2, 2 } };
    const double step = acos(-1) / 32;
    draws d = { { 9, 9 }, 0 };
    (void)state;
    for (int k = 0; k < INSTANCES; k++) {
        double t[8], centre[3] = { 0 };
        for (int j = 0; j < 8; j++) t[j] = normal(&d);
        const double alpha = uniform(&d, 0.02, 0.6);
        double least = scan(t, alpha, centre, 32, step); /* multiples of pi/2 are on this grid */
        for (double finer = step; finer > 1e-9; finer *= 0.6)
            least = scan(t, alpha, centre, 2, finer);
        assert_close(best_found(&cube, t, crease_l1(1), alpha), smaller(least, 0), 1e-8);
    }
}

/* Noise levels of the spikes. Where t_i = T(.., u_j, ..) of the truth is strength u_i + noise
 * N(0,1), the support is exact if every entry off it is below the threshold alpha and every entry
 * on it above: noise z < alpha = strength/(2 d sqrt(k)) < strength/sqrt(k) - noise z, z = 4.2 for
 * the largest of at most 48 normal numbers (probability 1e-3 in all). Order 3, 20^3, k = 4: noise
 * 0.019; order 4, 10^4, k = 3: noise 0.017. In norm the noise is then 1.7 times the spike. */
static const struct {
    const char *penalty;
    crease_method method;
} cases[] = {
    { "l1:1", CREASE_METHOD_PROX_BCD },          { "l1:1", CREASE_METHOD_GCG },
    { "l0:1", CREASE_METHOD_PROX_BCD },          { "mcp:1,3", CREASE_METHOD_PROX_BCD },
    { "scad:1,3.7", CREASE_METHOD_PROX_BCD },    { "lsp:1,1", CREASE_METHOD_PROX_BCD },
    { "elastic-net:1,0.1", CREASE_METHOD_AUTO }, { "elastic-net:1,0.1", CREASE_METHOD_GCG },
};
enum { CASES = sizeof cases / sizeof *cases, SEEDS = 10 };

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
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
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

static void a_spike_of_order_three_is_found(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 20, 20, 20 } };
    (void)state;
    one_spike(&shape, 4, 0.019);
}

static void a_spike_of_order_four_is_found(void **state)
{
    const crease_space shape = { .order = 4, .dim = { 10, 10, 10, 10 } };
    (void)state;
    one_spike(&shape, 3, 0.017);
}

/* A matrix: alpha = 1/(4 sqrt k), which leaves more room. */
static void a_spike_of_order_two_is_found(void **state)
{
    const crease_space shape = crease_matrix(30, 40);
    (void)state;
    one_spike(&shape, 5, 0.025);
}

/* Deflation: the stronger spike first, the weaker one next. */
static void the_stronger_spike_comes_first(void **state)
{
    const crease_space shape = { .order = 3, .dim = { 20, 25, 30 } };
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
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
        cmocka_unit_test(l0_of_a_matrix_is_the_least_over_supports),
        cmocka_unit_test(l0_of_a_tensor_is_the_least_over_supports),
        cmocka_unit_test(l1_of_a_cube_is_the_least_over_angles),
        cmocka_unit_test(a_spike_of_order_two_is_found),
        cmocka_unit_test(a_spike_of_order_three_is_found),
        cmocka_unit_test(a_spike_of_order_four_is_found),
        cmocka_unit_test(the_stronger_spike_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
