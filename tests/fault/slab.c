/* SPDX-License-Identifier: MIT
 * slab: a look whose n-th allocation fails ends with a sentence, and leaves nothing behind */
#include <stdlib.h>

#include "support/survive.h"

#include "slab/slab.h"

static const crease_space shape = { .order = 2, .dim = { 30, 1 << 20 } };
static double *data;

static void plan(const void *args, const crease_space *s, crs_total *sums)
{
    (void)args;
    crs_total_plan(sums, CRS_SUM, s->dim[0]);
}

static void *open(const void *args, const crs_partition *cut, int workers, int threads,
                  crease_error *e)
{
    (void)args, (void)cut, (void)threads;
    return crs_doubles(workers, "room", e);
}

static bool add(const void *args, void *room, const crs_slab *s, int worker, crs_total *sums,
                crease_error *e)
{
    (void)args, (void)e;
    ((double *)room)[worker] = s->t[0];
    crs_total_add(sums, 0, s->from[0], 1, (double *)room + worker);
    return true;
}

static bool look(crease_error *e)
{
    static const crs_job job = {
        .name = "test", .plan = plan, .open = open, .close = crs_free, .add = add
    };
    crs_memory m;
    crs_look l;
    crs_memory_open(&m, &shape, data, NULL);
    if (!crs_look_once(&l, &m.source, &job, NULL, 2, NULL, e)) return false;
    assert_true(crs_total_at(&l.sums, 0, 0) == 1);
    crs_look_close(&l);
    return true;
}

static void a_look_survives_any_allocation_that_fails(void **state)
{
    (void)state;
    data = calloc((size_t)crease_size(&shape), sizeof *data);
    assert_non_null(data);
    data[0] = 1;
    survives(look, 3);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_survives_any_allocation_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
