/* SPDX-License-Identifier: MIT
 * regs: the checker agrees with the certificate on every regularizer, alone and on every set where
 * both have a residual, also on sizes at which sums, strings, sweeps and paths are long */
#include <stdio.h>

#include "support/verify_regs.h"

static const crease_space line = { 1, { N }, NULL };

/* Zeros, values at the kink, a zero group, negative entries only where r allows them. */
static void draw_x(draws *d, const crease_penalty *p, int kind, const double *par, double *x)
{
    for (int j = 0; j < N; j++) {
        const double u = uniform(d, 0, 1);
        x[j] = u < 0.35 ? 0 : u < 0.5 && p->kink ? par[1] : normal(d);
        if (kind == 2) x[j] = fabs(x[j]);
    }
    for (ptrdiff_t k = 0; kind == 3 && k < 2; k++) x[shuffled[k]] = 0;
    if (kind != 4) return;
    double u[3], v[3]; /* rank one */
    for (int i = 0; i < 3; i++) u[i] = normal(d), v[i] = normal(d);
    for (int j = 0; j < N; j++) x[j] = u[j / 3] * v[j % 3];
}

static void agrees_on_every_regularizer_alone(void **state)
{
    draws d = { .r = { .seed = 71 } };
    (void)state;
    for (int k = 0; k < PENALTIES * KINDS * 12; k++) {
        const crease_penalty *p = penalties[k % PENALTIES];
        const int kind = k / PENALTIES % KINDS;
        double par[CREASE_PARS], x[N], c[N];
        crease_reg inner;
        draw_par(&d, p, 0.5, par);
        const crease_reg r = made(kind, p, par, &inner);
        draw_x(&d, p, kind, par, x);
        for (int j = 0; j < N; j++) c[j] = 2 * normal(&d);
        char what[80];
        snprintf(what, sizeof what, "%s (kind %d)", p->name, kind);
        assert_true(compare(what, &square_space, &r, NULL, x, c));
    }
}

static void agrees_on_groups_spectra_and_variation(void **state)
{
    draws d = { .r = { .seed = 72 } };
    (void)state;
    for (int k = 0; k < 300; k++) {
        double x[N], c[N];
        for (int j = 0; j < N; j++) {
            x[j] = j > 0 && uniform(&d, 0, 1) < 0.5 ? x[j - 1] : floor(uniform(&d, -3, 3)) / 2;
            c[j] = (k % 3 + 0.2) * normal(&d);
        }
        const crease_reg tv = crease_tv1d(uniform(&d, 0, 2)), box = crease_box_indicator(-1.5, 1);
        const crease_reg l1 = crease_weighted_l1(weights), scaled = crease_scaled(1.7, &tv);
        assert_true(compare("tv1d", &line, &tv, NULL, x, c));
        assert_true(compare("scaled tv1d", &line, &scaled, NULL, x, c));
        assert_true(compare("box", &line, &box, NULL, x, c));
        assert_true(compare("weighted-l1", &line, &l1, NULL, x, c));
    }
}

static void compare_on(draws *d, const crease_space *s, const crease_reg *r, const crease_set *set,
                       const double *x)
{
    double *c = random_doubles(d, crease_size(s), 1);
    assert_true(compare(set ? set->ops->name : r->ops->name, s, r, set, x, c));
    free(c);
}

static void agrees_at_larger_sizes(void **state)
{
    draws d = { .r = { .seed = 74 } };
    const crease_space longer = crease_vector(400), wide = crease_matrix(7, 12);
    const crease_space tall = crease_matrix(12, 7), even = crease_matrix(11, 11);
    const crease_reg tv = crease_tv1d(3), nuclear = crease_nuclear(1), zero = crease_zero();
    const crease_reg scad = crease_scad(0.5, 3);
    const crease_set sets[] = { crease_nuclear_ball(3),  crease_spectral_ball(1),
                                crease_spectrahedron(2), crease_birkhoff(),
                                crease_k_support(1, 20), crease_simplex(2) };
    (void)state;
    for (int k = 0; k < 20; k++) {
        double *v = random_doubles(&d, 400, 2), *x = doubles(400);
        assert_true(crease_prox(&tv, &longer, 1, v, x, NULL));
        compare_on(&d, &longer, &tv, NULL, x);
        assert_true(crease_prox(&nuclear, &wide, 3, v, x, NULL));
        compare_on(&d, &wide, &nuclear, NULL, x);
        assert_true(crease_prox(&nuclear, &tall, 3, v, x, NULL));
        compare_on(&d, &tall, &nuclear, NULL, x);
        for (int i = 0; i < 6; i++) {
            assert_true(crease_lmo(&sets[i], &even, v, x, NULL));
            compare_on(&d, &even, i < 4 ? &zero : &scad, &sets[i], x);
        }
        free(v), free(x);
    }
}

static const double low[N] = { -1, -0.5, 0, -2, -1, 0.1, -0.3, -1, 0 };
static const double high[N] = { 1, 0.5, 0, 1, 0, 0.6, 2, 1, 0.8 };
static const double a[N] = { 0.9, -0.4, 0.3, 1.2, 0, 0, 0.7, -1, 0.2 };
static const crease_bounds bounds = { 0, 0, low, high };

/* A point of the set: a projection, or the middle of some extreme points. */
static void draw_inside(draws *d, const crease_set *set, double *x)
{
    double v[N] = { 0 }, y[N], diameter;
    const int corners = 1 + (int)uniform(d, 0, 3);
    assert_true(crease_diameter(set, &square_space, 2, &diameter, NULL));
    for (int j = 0; j < N; j++) v[j] = 1.5 * normal(d), x[j] = 0;
    if (set->ops->project && (uniform(d, 0, 1) < 0.7 || isinf(diameter))) {
        assert_true(crease_project(set, &square_space, v, x, NULL));
        return;
    }
    for (int k = 0; k < corners; k++) {
        for (int j = 0; j < N; j++) v[j] = normal(d);
        if (!crease_lmo(set, &square_space, v, y, NULL)) return;
        for (int j = 0; j < N; j++) x[j] += y[j] / corners;
    }
}

typedef struct {
    crease_set simplex, box, parts[2];
    crease_space spaces[2];
    crease_affine_set moved, turned, shifted;
    crease_product_set product, cones;
    crease_set cone[2], list[40];
} sets;

static int all_sets(sets *s)
{
    int n = 0;
    s->simplex = crease_simplex(1.3), s->box = crease_box(-0.4, 1.2);
    s->parts[0] = crease_l2_ball(0.8), s->parts[1] = crease_simplex(1);
    s->spaces[0] = crease_vector(4), s->spaces[1] = crease_vector(5);
    s->moved = (crease_affine_set){ &s->simplex, -1.5, a };
    s->turned = (crease_affine_set){ &s->box, 0.3, a };
    s->product = (crease_product_set){ 2, s->parts, s->spaces };
    s->list[n++] = s->box;
    s->list[n++] = crease_box_array(&bounds);
    s->list[n++] = crease_orthant();
    s->list[n++] = crease_l1_ball(0.9);
    s->list[n++] = crease_l2_ball(0.8);
    s->list[n++] = crease_linf_ball(0.7);
    s->list[n++] = crease_lp_ball(0.9, 3);
    s->list[n++] = crease_lp_ball(0.9, 1.4);
    s->list[n++] = s->simplex;
    s->list[n++] = crease_full_simplex(1.1);
    s->list[n++] = crease_capped_simplex(4);
    s->list[n++] = crease_k_sparse(0.8, 3);
    s->list[n++] = crease_k_support(0.9, 3);
    s->list[n++] = crease_nuclear_ball(1.2);
    s->list[n++] = crease_spectral_ball(0.7);
    s->list[n++] = crease_spectrahedron(1.1);
    s->list[n++] = crease_birkhoff();
    s->list[n++] = crease_permutahedron(a);
    s->list[n++] = crease_half_space(a, 0.4);
    s->list[n++] = crease_hyperplane(a, -0.3);
    s->list[n++] = crease_box_hyperplane(-0.6, 0.9, a, 0.1);
    s->list[n++] = crease_soc();
    s->list[n++] = crease_capped_soc(0.8);
    s->list[n++] = crease_psd();
    s->list[n++] = crease_capped_psd(0.9);
    s->list[n++] = crease_column_balls(0.6);
    s->list[n++] = crease_row_balls(0.7);
    s->list[n++] = crease_l0_ball(4);
    s->list[n++] = crease_rank_ball(2);
    s->cone[0] = crease_soc(), s->cone[1] = crease_simplex(1);
    s->cones = (crease_product_set){ 2, s->cone, s->spaces };
    s->list[n++] = crease_product(&s->cones);
    s->shifted = (crease_affine_set){ &s->cone[0], -1.5, a };
    s->list[n++] = crease_affine(&s->shifted);
    s->list[n++] = crease_affine(&s->moved);
    s->list[n++] = crease_affine(&s->turned);
    s->list[n++] = crease_product(&s->product);
    return n;
}

static void agrees_on_every_regularizer_on_every_set(void **state)
{
    draws d = { .r = { .seed = 73 } };
    sets s;
    const int count = all_sets(&s);
    int compared = 0;
    (void)state;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < PENALTIES * KINDS * 4; k++) {
            const crease_penalty *p = penalties[k % PENALTIES];
            const int kind = k / PENALTIES % KINDS;
            double par[CREASE_PARS], x[N], c[N];
            crease_reg inner;
            char what[80];
            draw_par(&d, p, 0.5, par);
            const crease_reg r = made(kind, p, par, &inner);
            draw_inside(&d, &s.list[i], x);
            for (int j = 0; j < N; j++) c[j] = normal(&d);
            snprintf(what, sizeof what, "%s (kind %d) on %s", p->name, kind, s.list[i].ops->name);
            compared += compare(what, &square_space, &r, &s.list[i], x, c);
        }
    assert_true(compared > 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_on_every_regularizer_alone),
        cmocka_unit_test(agrees_on_groups_spectra_and_variation),
        cmocka_unit_test(agrees_at_larger_sizes),
        cmocka_unit_test(agrees_on_every_regularizer_on_every_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
