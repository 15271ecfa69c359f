/* SPDX-License-Identifier: MIT
 * catalogue: the convenient calls on regularizers, sets, maps, couplings and specs survive any
 * allocation failing */
#include "support/fail_alloc.h"
#include "support/test.h"

enum { N = 4 };

static const crease_space line = { 1, { N }, NULL }, grid = { 2, { 2, 2 }, NULL };
static const double v[N] = { 3, 1, 2, -1 };

typedef bool call(const void *what, crease_error *e);

/* How many allocations had to be allowed: fails the k-th, for ever or once, k = 1, 2, ... */
static int survives(call *f, const void *what)
{
    int failures = 0;
    for (int recover = 0; recover < 2; recover++) {
        bool ok = false;
        for (int k = 0; !ok; k++) {
            crease_error e = { CREASE_OK, "" };
            allocations_recover = recover;
            allocations_left = k;
            ok = f(what, &e);
            allocations_left = -1;
            assert_true(ok || (e.code == CREASE_NO_MEMORY && e.text[0]));
            assert_int_equal(allocations_live, 0);
            failures += !ok;
        }
    }
    return failures;
}

static const crease_space *space_of(const crease_reg *r)
{
    return strcmp(r->ops->name, "spectral") == 0 ? &grid : &line;
}

static bool check(const void *r, crease_error *e) { return crease_reg_check(r, space_of(r), e); }

static bool prox(const void *r, crease_error *e)
{
    double x[N];
    return crease_prox(r, space_of(r), 0.5, v, x, e);
}

static bool reg_value(const void *r, crease_error *e)
{
    double value;
    return crease_reg_value(r, space_of(r), v, &value, e);
}

static bool reg_dist(const void *r, crease_error *e)
{
    double dist;
    return crease_reg_dist(r, space_of(r), v, v, &dist, e);
}

static bool describe(const void *r, crease_error *e)
{
    crease_reg_traits t;
    return crease_reg_describe(r, space_of(r), 2, &t, e);
}

static void regularizers(void **state)
{
    const ptrdiff_t start[] = { 0, 1, 4 }, index[] = { 2, 0, 3, 1 };
    const crease_groups groups = { 2, start, index };
    const crease_reg list[] = { crease_group_l1(1, &groups), crease_nuclear(1), crease_tv1d(0.3),
                                crease_scad(1, 3.7), crease_rank(1) };
    call *const calls[] = { check, prox, reg_value, reg_dist, describe };
    int failures = 0;
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        for (size_t f = 0; f < sizeof calls / sizeof *calls; f++)
            failures += survives(calls[f], &list[k]);
    print_message("%d failures survived\n", failures);
    assert_true(failures >= 20);
}

static const crease_space *home_of(const crease_set *c) { return c->ops->matrix ? &grid : &line; }

static bool excess(const void *c, crease_error *e)
{
    double value;
    return crease_excess(c, home_of(c), v, &value, e);
}

static bool project(const void *c, crease_error *e)
{
    double x[N];
    return crease_project(c, home_of(c), v, x, e);
}

static bool lmo(const void *c, crease_error *e)
{
    double x[N];
    return crease_lmo(c, home_of(c), v, x, e);
}

static bool support(const void *c, crease_error *e)
{
    double value;
    return crease_support(c, home_of(c), v, &value, e);
}

/* Without memory to sort, a larger bound: never a failure, never a smaller number. */
static bool diameter(const void *c, crease_error *e)
{
    double value;
    return crease_diameter(c, home_of(c), 2, &value, e) && value > 0;
}

static void sets(void **state)
{
    const crease_set list[] = { crease_permutahedron(v), crease_simplex(1),
                                crease_l1_ball(2),       crease_spectral_ball(1),
                                crease_nuclear_ball(1),  crease_k_support(1, 2) };
    int failures = 0;
    (void)state;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        failures += survives(excess, &list[k]) + survives(lmo, &list[k]) +
                    survives(support, &list[k]) + survives(diameter, &list[k]);
        if (list[k].ops->project) failures += survives(project, &list[k]);
    }
    print_message("%d failures survived\n", failures);
    assert_true(failures >= 20);
}

static bool parse(const void *text, crease_error *e)
{
    crease_spec spec;
    const bool ok = crease_spec_parse(text, &spec, e);
    crease_spec_free(&spec);
    return ok;
}

static bool apply_both(const void *map, crease_error *e)
{
    double x[N];
    return crease_apply(map, &line, &line, v, x, e) && crease_adjoint(map, &line, &line, v, x, e);
}

static bool check_gradient(const void *f, crease_error *e)
{
    const crease_blocks b = { 1, &line, NULL };
    const double *const x[] = { v };
    double error;
    return crease_smooth_check_gradient(f, &b, x, 0, 2, &error, e);
}

static void everything_else(void **state)
{
    const crease_map id = crease_identity(2), diagonal = crease_diagonal(v);
    const crease_map_pair pair = { &id, &diagonal, &line };
    const crease_map both = crease_composition(&pair);
    const int zero = 0;
    const crease_predictor fit = { 1, &zero, &both, line, v, NULL };
    const crease_smooth f = crease_least_squares(&fit);
    (void)state;
    assert_true(survives(parse, "scad:1,3.7") >= 2);
    assert_int_equal(survives(parse, "zero"), 0);
    assert_true(survives(apply_both, &both) >= 4);
    assert_true(survives(check_gradient, &f) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regularizers),
        cmocka_unit_test(sets),
        cmocka_unit_test(everything_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
