/* SPDX-License-Identifier: MIT
 * long: a tensor with a long first mode, its rows eliminated, survives any one of its allocations
 * failing: what is kept of the rows may be, the answer may not */
#include "rpca/long/long.h"
#include "support/survive.h"

enum { ROWS = 40, MOST = 6, SLAB = 12 };

/* The rows of the answer, to be the same whatever fails that may. */
static bool fit(crease_error *e, ptrdiff_t rank, ptrdiff_t columns, double *first)
{
    double t[ROWS * MOST], y[2][MOST];
    const double *x[] = { NULL, y[0], y[1] };
    const crease_space shape = { 3, { ROWS, columns / 2, 2 }, NULL };
    crs_memory data;
    for (int j = 0; j < ROWS * MOST; j++) t[j] = 2 + sin((double)j);
    for (int j = 0; j < MOST; j++) y[0][j] = 1 + j, y[1][j] = 2 - j * j;
    crs_memory_open(&data, &shape, t, NULL);
    data.source.cut.rows = SLAB;
    data.source.cut.per = data.source.cut.count = data.source.count = (ROWS + SLAB - 1) / SLAB;
    const crs_long_settings c = { .shape = shape,
                                  .rank = rank,
                                  .penalty = crs_envelope_l1(0.5, 0.5),
                                  .alpha_noise = 1,
                                  .nu = 0.1,
                                  .threads = 1,
                                  .eps = 1e-6,
                                  .most = 200,
                                  .factor = x };
    crs_long *p = crs_long_new(&c, &data.source, e);
    if (p)
        while (crs_long_step(p, e) == CRS_GO_ON) continue;
    const bool done = p && crs_long_rows(p, first, e);
    crs_long_free(p);
    return done;
}

static bool without_room(crease_error *e) /* rows and their matrices are more than the entries */
{
    double first[ROWS * 2];
    return fit(e, 2, 4, first);
}

static bool kept(crease_error *e)
{
    static double before[ROWS];
    static bool known;
    double first[ROWS];
    const bool done = fit(e, 1, 6, first);
    if (done && known) assert_memory_equal(first, before, sizeof before);
    if (done) memcpy(before, first, sizeof before), known = true;
    return done;
}

static bool sample(crease_error *e)
{
    double t[ROWS * MOST] = { 0 };
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
    survives(without_room, 10);
    survives(kept, 5);
    survives(sample, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
