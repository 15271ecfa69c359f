/* SPDX-License-Identifier: MIT
 * units: projections onto sets u times as large, and linear oracles of costs u times as large */
#include <crease/catalogue.h>

#include "core/core.h"
#include "support/test.h"

enum { SIZE = 9, TRIALS = 20 };

static const double vertices[SIZE] = { 3, 2.5, 2, 1, 0.5, 0, -1, -1.5, -2 };

typedef struct {
    crease_set c;
    crease_space s;
    double vec[SIZE];
    bool fixed; /* it has no size to change */
} entry;

/* Entry k u times as large: all its parameters but whole numbers and exponents are lengths. */
static void set_entry(int k, double u, entry *e)
{
    const crease_set_ops *ops = crease_set_at(k);
    *e = (entry){ .c = { .ops = ops, .vec = e->vec }, .s = crease_vector(SIZE), .fixed = true };
    if (ops->matrix) e->s = crease_matrix(3, 3);
    for (int i = 0; ops->params && ops->params[i].name; i++) {
        const char *name = ops->params[i].name;
        const bool length = strcmp(name, "k") != 0 && strcmp(name, "p") != 0;
        e->c.par[i] = !length                    ? (name[0] == 'k' ? 2 : 1.5)
                      : strcmp(name, "low") == 0 ? -0.5 * u
                                                 : 1.2 * u;
        if (length) e->fixed = false;
    }
    for (int j = 0; j < SIZE; j++) e->vec[j] = (ops->row ? 1 : u) * vertices[j]; /* a'x = b */
    if (ops->vector || strcmp(ops->name, "nonneg") == 0) e->fixed = false;
}

static void alike(const entry *e, const char *what, int power, const double *is,
                  const double *should)
{
    double size = 0;
    for (int j = 0; j < SIZE; j++) size = larger(size, fabs(should[j]));
    for (int j = 0; j < SIZE; j++)
        if (!(fabs(is[j] - should[j]) <= 1e-11 * size))
            fail_msg("%s of %s in the unit 2^%d: entry %d is %.17g, not %.17g", what,
                     e->c.ops->name, power, j, is[j], should[j]);
}

/* u C: its projection of u v is u times that of v */
static void projects(int k, int power, draws *d)
{
    entry one, other;
    double v[SIZE], x[SIZE], is[SIZE];
    set_entry(k, 1, &one);
    set_entry(k, ldexp(1, power), &other);
    if (one.fixed || !one.c.ops->project) return;
    for (int j = 0; j < SIZE; j++) v[j] = uniform(d, -3, 3);
    assert_true(crease_project(&one.c, &one.s, v, x, NULL));
    crs_times_power(SIZE, power, v, v);
    crs_times_power(SIZE, power, x, x);
    assert_true(crease_project(&other.c, &other.s, v, is, NULL));
    alike(&one, "the projection", power, is, x);
}

/* and its vertex for a cost of another size is the same */
static void minimizes(int k, int power, draws *d)
{
    entry one;
    double g[SIZE], x[SIZE], is[SIZE];
    set_entry(k, 1, &one);
    if (!(one.c.ops->diameter(&one.c, &one.s, 2) < INFINITY)) return;
    for (int j = 0; j < SIZE; j++) g[j] = uniform(d, -3, 3);
    assert_true(crease_lmo(&one.c, &one.s, g, x, NULL));
    crs_times_power(SIZE, power, g, g);
    assert_true(crease_lmo(&one.c, &one.s, g, is, NULL));
    alike(&one, "the oracle", power, is, x);
}

static void every_set_is_the_same_in_any_unit(void **state)
{
    static const int powers[] = { -480, -333, -100, -31, 1, 40, 200, 379, 480 };
    draws d = { { 15, 1 }, 0 };
    (void)state;
    for (int k = 0; k < crease_set_count(); k++)
        for (size_t i = 0; i < sizeof powers / sizeof *powers; i++)
            for (int trial = 0; trial < TRIALS && !crease_set_at(k)->combined; trial++) {
                projects(k, powers[i], &d);
                minimizes(k, powers[i], &d);
                minimizes(k, 2 * powers[i], &d);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_set_is_the_same_in_any_unit) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
