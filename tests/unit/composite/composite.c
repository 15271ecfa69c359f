/* SPDX-License-Identifier: MIT
 * composite: a problem as the cores see it is the user's: value and gradient of f, residuals of
 * blocks, for every kind of problem that can be taken apart */
#include <crease/certificate.h>

#include "composite/composite.h"
#include "composite/cores.h"
#include "support/fodder.h"

enum { SEEDS = 40, ALL = 64 };

typedef struct {
    crs_work work;
    crs_composite *c;
    double x[ALL], u[ALL], g[ALL];
    const double *at[BLOCKS];
} taken;

/* A random point inside the sets and domains. */
static void take_apart(taken *s, const crease_problem *p, draws *d)
{
    crease_error e = { CREASE_OK, "" };
    double v[ALL], gamma[BLOCKS];
    *s = (taken){ 0 };
    s->c = crs_composite_new(p, 1, &s->work, NULL, &e);
    if (!s->c) fail_msg("%s", e.text);
    assert_true(s->c->n <= ALL && s->c->rows <= ALL);
    normals(d, s->c->n, 1, v);
    fill(BLOCKS, 1e-3, gamma);
    crs_prox(s->c, gamma, v, s->x);
    for (int i = 0; i < p->count; i++) s->at[i] = s->x + s->c->at[i];
}

static void value_and_gradient_are_those_of_the_problem(void **state)
{
    long compared = 0;
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            draws d = { { 91, seed }, 0 };
            fodder f;
            taken s;
            double value, g[ALL], slope[ALL];
            make_fodder(&f, kind, seed);
            take_apart(&s, &f.p, &d);
            const crease_blocks b = crs_blocks(&f.p);
            const double own = crs_smooth_both(s.c, s.x, s.u, s.g);
            assert_true(crease_smooth_value(&f.p.f, &b, s.at, &value, NULL));
            assert_close(own, value, 1e-12);
            assert_close(crs_smooth_part(s.c, s.x, s.u), value, 1e-12);
            crs_smooth_slope(s.c, s.x, s.u, slope);
            for (int i = 0; i < f.p.count; i++) {
                assert_true(crease_smooth_grad(&f.p.f, &b, s.at, i, g, NULL));
                for (ptrdiff_t j = 0; j < crs_block_size(s.c, i); j++, compared++) {
                    assert_close(s.g[s.c->at[i] + j], g[j], 1e-12);
                    assert_close(slope[s.c->at[i] + j], g[j], 1e-12);
                }
            }
            crs_composite_free(s.c);
        }
    print_message("%d problems, %ld entries of gradients\n", KINDS * SEEDS, compared);
}

/* With a multiplier where there is a constraint. */
static void residuals_are_those_of_certificates(void **state)
{
    static double work[20000];
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            draws d = { { 92, seed }, 0 };
            double lambda[ALL];
            crease_residual block[BLOCKS];
            crease_certificate c = { .block = block };
            fodder f;
            taken s;
            make_fodder(&f, kind, seed);
            take_apart(&s, &f.p, &d);
            normals(&d, ALL, 1, lambda);
            assert_true(crease_certify_scratch(&f.p) <= 20000);
            crease_certify(&f.p, s.at, f.p.range.order ? lambda : NULL, &c, work);
            crs_smooth_both(s.c, s.x, s.u, s.g);
            if (s.c->constraint) crs_term_adjoint(s.c, s.c->constraint, -1, lambda, s.g);
            for (int i = 0; i < f.p.count; i++)
                assert_close(crs_block_residual(s.c, i, s.x, s.g), block[i].residual, 1e-9);
            crs_composite_free(s.c);
        }
}

/* u is linear in x, column by column too. */
static void products_are_linear(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        draws d = { { 93, (uint64_t)kind }, 0 };
        double v[ALL], by_columns[ALL], sum[ALL];
        ptrdiff_t column[ALL];
        fodder f;
        taken s;
        make_fodder(&f, kind, 1);
        take_apart(&s, &f.p, &d);
        normals(&d, s.c->n, 1, v);
        crs_products(s.c, s.x, s.u);
        copy(s.c->rows, s.u, by_columns);
        for (ptrdiff_t j = 0; j < s.c->n; j++) column[j] = j;
        crs_add_products(s.c, -0.5, v, s.u);
        crs_add_columns(s.c, -0.5, s.c->n, column, v, by_columns);
        for (ptrdiff_t j = 0; j < s.c->n; j++) s.x[j] -= 0.5 * v[j];
        crs_products(s.c, s.x, sum);
        for (ptrdiff_t k = 0; k < s.c->rows; k++) {
            assert_close(s.u[k], sum[k], 1e-12);
            assert_close(by_columns[k], sum[k], 1e-12);
        }
        crs_composite_free(s.c);
    }
}

/* s^2 (1/2)|K x - b|^2 by weights of rows, and (1/2)|s K x - s b|^2, are one square to the cores:
 * their tables take the same rows. */
static void a_square_is_known_however_it_is_scaled(void **state)
{
    enum { SIDE = 6 };
    const int all[] = { 0 };
    const crease_space space = crease_vector(SIDE);
    double b[SIDE], scaled[SIDE], weight[SIDE];
    const crease_map one = crease_identity(1), half = crease_map_scaled(0.3, &one);
    (void)state;
    for (int j = 0; j < SIDE; j++) b[j] = j - 2, scaled[j] = 0.3 * b[j], weight[j] = 0.09;
    const crease_predictor by_rows = { 1, all, &one, space, b, weight };
    const crease_predictor inside = { 1, all, &half, space, scaled, NULL };
    const crease_block block = { .name = "x", .reg = crease_l1(0.1) };
    for (int k = 0; k < 2; k++) {
        const crease_predictor *by = k ? &inside : &by_rows;
        const crease_problem p = {
            .count = 1, .space = &space, .block = &block, .f = crease_least_squares(by)
        };
        crs_work work = { 0 };
        crs_composite *c = crs_composite_new(&p, 1, &work, NULL, NULL);
        assert_non_null(c);
        const crs_term *t = c->term;
        assert_true(c->terms == 1 && !t->each && t->part->matrix->kind == CRS_SCALAR);
        assert_close(t->weight * square(t->part->matrix->scale), 0.09, 1e-16);
        assert_string_equal(crs_core_at(c, 0)->name, "direct");
        weight[0] = 1; /* rows of their own weights stay what they are */
        assert_true(crs_composite_update(c, &p, NULL));
        assert_true(k || (t->each == weight && t->weight == 1));
        weight[0] = 0.09;
        crs_composite_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(value_and_gradient_are_those_of_the_problem),
        cmocka_unit_test(residuals_are_those_of_certificates),
        cmocka_unit_test(products_are_linear),
        cmocka_unit_test(a_square_is_known_however_it_is_scaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
