/* SPDX-License-Identifier: MIT
 * units: regularizers of data in another unit, and scalar proxes of numbers of any size */
#include <float.h>

#include <crease/catalogue.h>

#include "support/penalties.h"

enum { SIZE = 6 };

typedef struct {
    const char *name;
    crease_reg r;
    crease_space s;
} entry;

static const ptrdiff_t starts[] = { 0, 2, 6 };
static const crease_groups groups = { 2, starts, NULL };
static const double weights[SIZE] = { 1, 2, 0.5, 3, 1, 0.25 };

/* Entry k of the catalogue with parameters in its range, on six numbers. */
static entry entry_at(int k)
{
    static const double usual[] = { 0.7, 2.5, 1, 1 };
    const crease_reg_entry *at = crease_reg_at(k);
    entry e = { at->name, { .ops = at->ops, .penalty = at->penalty }, crease_vector(SIZE) };
    for (int i = 0; i < 4; i++) e.r.par[i] = usual[i];
    if (at->penalty == &crs_lq) e.r.par[1] = 0.4;
    if (at->ops->kind == CREASE_KIND_RANGE) e.r.par[0] = -0.7, e.r.par[1] = 1.1;
    if (at->ops->kind == CREASE_KIND_GROUPS) e.r.groups = &groups;
    if (at->ops->kind == CREASE_KIND_SPECTRAL) e.s = crease_matrix(3, 2);
    if (at->ops->vector) e.r.weight = weights, e.r.par[0] = 1;
    return e;
}

static double size_of(const double *x)
{
    double most = 0;
    for (int j = 0; j < SIZE; j++) most = larger(most, fabs(x[j]));
    return most;
}

static void alike(const entry *e, const char *what, int power, const double *is,
                  const double *should)
{
    const double size = size_of(should);
    for (int j = 0; j < SIZE; j++)
        if (!(fabs(is[j] - should[j]) <= 1e-12 * size))
            fail_msg("%s of %s in the unit 2^%d: entry %d is %.17g, not %.17g", what, e->name,
                     power, j, is[j], should[j]);
}

static double value_of(const crease_reg *r, const crease_space *s, const double *x)
{
    double value;
    assert_true(crease_reg_value(r, s, x, &value, NULL));
    return value;
}

static double dist_of(const crease_reg *r, const crease_space *s, const double *x, const double *g)
{
    double dist;
    assert_true(crease_reg_dist(r, s, x, g, &dist, NULL));
    return dist;
}

/* r'(x) = u^2 r(x/u): prox'(u v) = u prox(v), dist'(u g, u x) = u dist(g, x) */
static void obeys(const entry *e, int power, draws *d)
{
    const double u = ldexp(1, power), t = 0.9;
    double v[SIZE], x[SIZE], scaled[SIZE], is[SIZE], should[SIZE], g[SIZE], scaled_g[SIZE];
    crease_reg other;
    if (!crs_reg_rescale(&e->r, u, &other)) fail_msg("%s has no other unit", e->name);
    for (int j = 0; j < SIZE; j++) v[j] = uniform(d, -3, 3), g[j] = uniform(d, -1, 1);
    assert_true(crease_prox(&e->r, &e->s, t, v, x, NULL));
    crs_times_power(SIZE, power, v, scaled);
    assert_true(crease_prox(&other, &e->s, t, scaled, is, NULL));
    crs_times_power(SIZE, power, x, should);
    alike(e, "the prox", power, is, should);
    const double one = ldexp(value_of(&e->r, &e->s, x), 2 * power),
                 two = value_of(&other, &e->s, should);
    if (!(fabs(one - two) <= 1e-12 * one))
        fail_msg("%s in the unit 2^%d: %.17g, not %.17g", e->name, power, two, one);
    crs_times_power(SIZE, power, g, scaled_g);
    const double far = ldexp(dist_of(&e->r, &e->s, x, g), power),
                 near = dist_of(&other, &e->s, should, scaled_g);
    if (!(fabs(far - near) <= 1e-12 * (far + u) || (isinf(far) && isinf(near))))
        fail_msg("dist of %s in the unit 2^%d: %.17g, not %.17g", e->name, power, near, far);
}

static void every_entry_has_a_twin_in_any_unit(void **state)
{
    static const int powers[] = { -480, -333, -100, -31, -1, 0, 1, 40, 200, 379, 480 };
    draws d = { { 12, 1 }, 0 };
    (void)state;
    for (int k = 0; k < crease_reg_count(); k++) {
        const entry e = entry_at(k);
        for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
            for (int trial = 0; trial < 20; trial++) obeys(&e, powers[i], &d);
    }
}

/* A parameter that leaves the range of doubles is told, not passed on as 0 or infinity. */
static void a_unit_out_of_reach_is_refused(void **state)
{
    const crease_reg counting = crease_l0(1e-200), own = crease_scaled(2, &counting);
    crease_reg out;
    (void)state;
    assert_true(crs_reg_rescale(&counting, 1e30, &out));
    assert_false(crs_reg_rescale(&counting, 1e-100, &out));
    assert_false(crs_reg_rescale(&own, 2, &out));
}

typedef long double real;

/* rho by its formula */
static real rho(const crease_penalty *p, const double *par, real y)
{
    const real a = par[0], b = par[1];
    if (p == &crs_zero) return 0;
    if (p == &crs_l1) return a * y;
    if (p == &crs_elastic_net) return a * y + b * y * y / 2;
    if (p == &crs_squared_l2) return a * y * y / 2;
    if (p == &crs_l0) return y > 0 ? a : 0;
    if (p == &crs_mcp) return y <= a * b ? a * y - y * y / (2 * b) : b * a * a / 2;
    if (p == &crs_lsp) return a * log1pl(y / b);
    if (p == &crs_capped_l1) return a * (y < b ? y : b);
    if (p == &crs_l_half) return a * sqrtl(y);
    if (p == &crs_l_two_thirds) return a * powl(y, 2 / 3.0L);
    if (p == &crs_lq) return a * powl(y, b);
    if (p == &crs_huber) return y <= b ? a * y * y / (2 * b) : a * (y - b / 2);
    assert_true(p == &crs_scad);
    if (y <= a) return a * y;
    if (y <= b * a) return a * y - (y - a) * (y - a) / (2 * (b - 1));
    return a * a * (b + 1) / 2;
}

typedef struct {
    const crease_penalty *p;
    double par[CREASE_PARS], t, w;
} case_of;

static real price(const case_of *c, real y)
{
    return rho(c->p, c->par, y) + (y - c->w) * (y - c->w) / (2 * (real)c->t);
}

/* y beats 0, w, its neighbours and a grid, by values that cannot overflow. */
static void beats(const case_of *c, double y, real z)
{
    const bool rounded = fabs(c->w - y) <= 4 * DBL_EPSILON * c->w; /* (y - w)^2/t may be anything */
    const real least = price(c, rounded ? c->w : y), other = price(c, z);
    if (!(least <= other * (1 + 1e-13L)))
        fail_msg("%s(%g, %g), t = %g: the prox of %g is %g (%Lg), but %Lg has %Lg", c->p->name,
                 c->par[0], c->par[1], c->t, c->w, y, least, z, other);
}

static void check_prox(const case_of *c)
{
    const double y = c->p->shrink(c->par, c->t, c->w);
    if (!(y >= 0 && y <= c->w))
        fail_msg("%s(%g, %g), t = %g: the prox of %g is %g", c->p->name, c->par[0], c->par[1], c->t,
                 c->w, y);
    beats(c, y, 0);
    beats(c, y, c->w);
    for (int k = 1; k < 60; k++) beats(c, y, ldexpl(c->w, -k));
    for (int k = 1; k < 16; k++) beats(c, y, c->w * (real)k / 16);
    beats(c, y, y * 1.001L);
    beats(c, y, y * 0.999L);
}

static void the_prox_is_least_for_numbers_of_any_size(void **state)
{
    static const double sizes[] = { 1e-150, 1e-100, 1e-40, 1e-3, 1, 1e3, 1e40, 1e100, 1e150 };
    enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 300, STEP = 30 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++)
        for (int n = 0; n < SIZES * SIZES * (2 * MOST / STEP + 1); n++) {
            case_of c = { .p = penalties[k],
                          .par = { sizes[n % SIZES], 3 },
                          .t = sizes[n / SIZES % SIZES],
                          .w = 1.7 * pow(10, n / SIZES / SIZES * STEP - MOST) };
            if (c.p == &crs_lq) c.par[1] = 0.4;
            check_prox(&c);
            if (c.p != &crs_lsp && c.p != &crs_capped_l1 && c.p != &crs_huber) continue;
            c.par[1] = c.w; /* the second parameter has the unit of the data */
            check_prox(&c);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_has_a_twin_in_any_unit),
        cmocka_unit_test(a_unit_out_of_reach_is_refused),
        cmocka_unit_test(the_prox_is_least_for_numbers_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
