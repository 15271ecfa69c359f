/* SPDX-License-Identifier: MIT
 * verify_pairs: the checker agrees with the certificate on every regularizer and every set, where
 * both have a residual */
#include <stdio.h>

#include "support/verify_regs.h"

static const double low[N] = { -1, -0.5, 0, -2, -1, 0.1, -0.3, -1, 0 };
static const double high[N] = { 1, 0.5, 0, 1, 0, 0.6, 2, 1, 0.8 };
static const double a[N] = { 0.9, -0.4, 0.3, 1.2, 0, 0, 0.7, -1, 0.2 };
static const crease_bounds bounds = { 0, 0, low, high };

/* A point of the set: a projection, or the middle of some extreme points. */
static void draw_inside(draws *d, const crease_set *set, double *x)
{
    double v[N] = { 0 }, y[N];
    const int corners = 1 + (int)uniform(d, 0, 3);
    for (int j = 0; j < N; j++) v[j] = 1.5 * normal(d), x[j] = 0;
    if (set->ops->project && uniform(d, 0, 1) < 0.7) {
        assert_true(crease_project(set, &square_space, v, x, NULL));
        return;
    }
    for (int k = 0; k < corners; k++) {
        for (int j = 0; j < N; j++) v[j] = normal(d);
        if (!crease_lmo(set, &square_space, v, y, NULL)) return;
        for (int j = 0; j < N; j++) x[j] += y[j] / corners;
    }
    for (int j = 0; j < N; j++)
        if (isinf(x[j])) x[j] = 1;
}

typedef struct {
    crease_set simplex, box, parts[2];
    crease_space spaces[2];
    crease_affine_set moved, turned;
    crease_product_set product;
    crease_set list[24];
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
    s->list[n++] = crease_affine(&s->moved);
    s->list[n++] = crease_affine(&s->turned);
    s->list[n++] = crease_product(&s->product);
    return n;
}

static void regularizers_on_sets(void **state)
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
        cmocka_unit_test(regularizers_on_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
