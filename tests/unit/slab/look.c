/* SPDX-License-Identifier: MIT
 * look: slabs cover a tensor, each entry once and in its order; totals do not depend on threads;
 * the first slab that fails says why */
#include <stdlib.h>

#include "support/test.h"

#include "slab/slab.h"

/* A job that adds up entries by their indices of every mode, and counts them. */
typedef struct {
    double factor;
    ptrdiff_t fails; /* from this slab on; -1: none */
} asked;

static void plan(const void *args, const crease_space *shape, crs_total *sums)
{
    (void)args;
    for (int n = 0; n < shape->order; n++) crs_total_plan(sums, CRS_SUM, shape->dim[n]);
    crs_total_plan(sums, CRS_COUNT, 1);
}

static bool add(const void *args, void *room, const crs_slab *s, int worker, crs_total *sums,
                crease_error *e)
{
    const asked *a = args;
    const ptrdiff_t size = crease_size(&s->shape);
    ptrdiff_t at[CREASE_MAX_ORDER] = { 0 };
    const int64_t count = size;
    (void)room, (void)worker;
    if (a->fails >= 0 && s->index >= a->fails)
        return crs_fail(e, CREASE_BAD_DATA, "slab %td", s->index);
    for (ptrdiff_t j = 0; j < size; j += 1009) { /* a few suffice */
        ptrdiff_t k = j;
        for (int n = s->shape.order - 1; n >= 0; k /= s->shape.dim[n--])
            at[n] = s->from[n] + k % s->shape.dim[n];
        const double x = a->factor * s->t[j] * (s->w && !s->w[j] ? 0 : 1);
        for (int n = 0; n < s->shape.order; n++) crs_total_add(sums, n, at[n], 1, &x);
    }
    crs_total_count(sums, s->shape.order, 0, 1, &count);
    return true;
}

static const crs_job job = { .name = "test", .size = sizeof(asked), .plan = plan, .add = add };

static const crease_space shapes[] = {
    { .order = 3, .dim = { 1100, 101, 97 } }, /* slabs of rows of the first mode */
    { .order = 2, .dim = { 3, 3000000 } },    /* a row each */
    { .order = 3, .dim = { 40, 400, 500 } },  /* fewer than threads want */
    { .order = 4, .dim = { 7, 5, 3, 2 } },    /* one slab */
};
enum { SHAPES = 4 };
static const crease_space large[] = {
    { .order = 3, .dim = { 2, 9000, 4500 } }, /* cut within an index of the first mode */
    { .order = 4, .dim = { 3, 1, 70000000, 2 } },
    { .order = 3, .dim = { 100000000, 100, 100 } },
};

static void slabs_cover_the_tensor_in_its_order(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES + 3; k++) {
        const crease_space *shape = k < SHAPES ? &shapes[k] : &large[k - SHAPES];
        const crs_partition p = crs_partition_of(shape);
        ptrdiff_t next = 0;
        for (ptrdiff_t i = 0; i < p.count; i++) {
            const crs_slab s = crs_slab_at(&p, i);
            ptrdiff_t first = 0;
            for (int n = 0; n < s.shape.order; n++) first = first * p.shape.dim[n] + s.from[n];
            assert_int_equal(s.first, next);
            assert_int_equal(first, next);
            assert_true(crease_size(&s.shape) <= crs_slab_most(&p));
            next += crease_size(&s.shape);
        }
        assert_int_equal(next, crease_size(shape));
    }
    assert_int_equal(crs_partition_of(&shapes[SHAPES - 1]).count, 1);
    assert_int_equal(crs_partition_of(&large[0]).mode, 1);
    assert_int_equal(crs_partition_of(&large[1]).mode, 2);
}

static void totals_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        const ptrdiff_t size = crease_size(&shapes[k]);
        double *t = malloc((size_t)size * sizeof *t), sum[2][2];
        assert_non_null(t);
        for (ptrdiff_t j = 0; j < size; j++) t[j] = 1 / (1.0 + (double)j);
        crs_memory m;
        crs_memory_open(&m, &shapes[k], t, NULL);
        for (int threads = 1; threads < 4; threads++) {
            const asked a = { 3, -1 };
            crs_look l;
            assert_true(crs_look_once(&l, &m.source, &job, &a, threads, NULL, NULL));
            double *now = sum[threads > 1];
            now[0] = crs_total_at(&l.sums, 0, 1);
            now[1] = crs_total_at(&l.sums, 1, 2);
            assert_int_equal(l.sums.array[shapes[k].order].whole[0], size);
            assert_memory_equal(sum[0], now, sizeof sum[0]);
            crs_look_close(&l);
        }
        free(t);
    }
}

static void the_first_slab_that_fails_says_why(void **state)
{
    (void)state;
    double *t = calloc((size_t)crease_size(&shapes[0]), sizeof *t);
    assert_non_null(t);
    crs_memory m;
    crs_memory_open(&m, &shapes[0], t, NULL);
    const asked a = { 1, 1 };
    crease_error e = { 0 };
    crs_look l;
    assert_false(crs_look_once(&l, &m.source, &job, &a, 1, NULL, &e));
    assert_string_equal(e.text, "slab 1");
    free(t);
}

static void a_look_with_its_watch_over_ends(void **state)
{
    (void)state;
    double *t = calloc((size_t)crease_size(&shapes[0]), sizeof *t);
    assert_non_null(t);
    crs_memory m;
    crs_memory_open(&m, &shapes[0], t, NULL);
    crease_watch *w = crease_watch_new(NULL);
    assert_non_null(w);
    crease_watch_stop(w);
    const asked a = { 1, -1 };
    crs_look l;
    assert_true(crs_look_once(&l, &m.source, &job, &a, 2, w, NULL));
    assert_int_equal(l.sums.array[3].whole[0], 0);
    crs_look_close(&l);
    crease_watch_free(w);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_cover_the_tensor_in_its_order),
        cmocka_unit_test(totals_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(the_first_slab_that_fails_says_why),
        cmocka_unit_test(a_look_with_its_watch_over_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
