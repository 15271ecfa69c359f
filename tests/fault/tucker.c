/* SPDX-License-Identifier: MIT
 * tucker: building every form, drawing an instance and choosing ranks survive any one of their
 * allocations failing */
#include <crease/crease.h>

#include "rpca/tucker/tucker.h"
#include "support/survive.h"

enum { ROWS = 6, COLUMNS = 5 };

static void plant(double *t)
{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            t[i * COLUMNS + j] = sin(i + 1) * cos(j) + 0.01 * sin(7 * i + 3 * j);
}

static bool build(crease_rpca_kind form, bool missing, crease_error *e)
{
    const crease_space shape = crease_matrix(ROWS, COLUMNS), ranks = crease_matrix(1, 1);
    crease_tucker_rpca_settings s = crease_tucker_rpca_default(&shape, &ranks);
    double t[ROWS * COLUMNS], low[ROWS * COLUMNS];
    const double *x[8];
    plant(t);
    if (missing) t[3] = NAN;
    s.form = form;
    s.missing = missing;
    s.threads = 1;
    s.passes = 30;
    crease_tucker_rpca *m = crease_tucker_rpca_new(&s, t, e);
    const crease_problem *p = m ? crease_tucker_rpca_problem(m) : NULL;
    for (int i = 0; p && i < p->count; i++) x[i] = p->block[i].start;
    const bool done = m && crease_tucker_rpca_lowrank(m, x, low, e);
    crease_tucker_rpca_free(m);
    return done;
}

static bool tucker(crease_error *e) { return build(CREASE_RPCA_TUCKER, false, e); }
static bool partial(crease_error *e) { return build(CREASE_RPCA_TUCKER, true, e); }
static bool ball(crease_error *e) { return build(CREASE_RPCA_BALL, false, e); }
static bool convex(crease_error *e) { return build(CREASE_RPCA_PCP, false, e); }

static bool ranks_of(crease_error *e)
{
    const crease_space shape = crease_matrix(ROWS, COLUMNS);
    crease_space ranks;
    double t[ROWS * COLUMNS];
    plant(t);
    return crease_tucker_ranks(&shape, t, &ranks, e);
}

static bool generate(crease_error *e)
{
    const crease_space shape = { .order = 3, .dim = { 4, 3, 2 } };
    const crease_tucker_recipe r = { .parts = crease_cp_recipe_default(&shape, 1),
                                     .ranks = { .order = 3, .dim = { 2, 2, 1 } } };
    crease_tucker_instance *c = crease_tucker_generate(&r, e);
    const bool done = c;
    crease_tucker_instance_free(c);
    return done;
}

static void survive(void **state)
{
    fallible *const call[] = { tucker, partial, ball, convex, ranks_of, generate };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
