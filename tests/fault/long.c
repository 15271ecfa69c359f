/* SPDX-License-Identifier: MIT
 * long: a tensor with a long first mode, its rows eliminated, survives any one of its allocations
 * failing: what is kept of the rows may be, the answer may not */
#include "rpca/long/long.h"
#include "support/survive.h"

enum { ROWS = 40, COLUMNS = 6, SLAB = 12 };

static bool fit(crease_error *e)
{
    double t[ROWS * COLUMNS], y[2][3], first[ROWS];
    const double *x[] = { NULL, y[0], y[1] };
    const crease_space shape = { 3, { ROWS, 3, 2 }, NULL };
    crs_memory data;
    for (int j = 0; j < ROWS * COLUMNS; j++) t[j] = 2 + sin((double)j);
    for (int j = 0; j < 3; j++) y[0][j] = 1 + j, y[1][j] = 2 - j;
    crs_memory_open(&data, &shape, t, NULL);
    data.source.cut.rows = SLAB;
    data.source.cut.per = data.source.cut.count = data.source.count = (ROWS + SLAB - 1) / SLAB;
    const crs_long_settings c = { .shape = shape,
                                  .rank = 1,
                                  .penalty = crs_envelope_l1(0.5, 0.5),
                                  .alpha_noise = 1,
                                  .nu = 0.1,
                                  .threads = 1,
                                  .eps = 1e-6,
                                  .most = 50,
                                  .factor = x };
    crs_long *p = crs_long_new(&c, &data.source, e);
    if (p)
        while (crs_long_step(p, e) == CRS_GO_ON) continue;
    const bool done = p && crs_long_at(p)->worst <= c.eps && crs_long_rows(p, first, e);
    crs_long_free(p);
    return done;
}

static bool sample(crease_error *e)
{
    double t[ROWS * COLUMNS] = { 0 };
    const crease_space shape = { 3, { ROWS, 3, 2 }, NULL };
    crs_memory data;
    crs_memory_open(&data, &shape, t, NULL);
    crs_source *s = crs_long_sample(&data.source, e);
    if (s) s->ops->close(s);
    return s;
}

static void survive(void **state)
{
    (void)state;
    survives(fit, 10);
    survives(sample, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
