/* SPDX-License-Identifier: MIT
 * ring: slabs that a thread loads are those of the tensor, whoever takes them when and how often;
 * looks may be cut, loads may fail, and nobody waits for ever */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "support/test.h"

#include "core/parallel.h"
#include "slab/slab.h"

enum { ROWS = 3, ROW = 7, SLABS = 23, LENGTH = ROWS * SLABS - 1 };

/* Entry j is j, and nan where j is a multiple of `nan`. */
typedef struct {
    uint64_t seed;
    ptrdiff_t fails, loads, nan; /* fails: from this slab on; -1: none */
    int nanoseconds;             /* at most, before a slab is there */
    bool closed;
} numbers;

static void wait_a_while(uint64_t *seed, int most)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    const struct timespec t = { .tv_nsec = most ? (long)(*seed >> 33) % most : 0 };
    if (most) nanosleep(&t, NULL);
}

static bool load(void *self, const crs_slab *s, double *out, crease_error *e)
{
    numbers *a = self;
    wait_a_while(&a->seed, a->nanoseconds);
    a->loads++;
    if (a->fails >= 0 && s->index >= a->fails)
        return crs_fail(e, CREASE_IO, "slab %td is not there", s->index);
    for (ptrdiff_t j = 0; j < crease_size(&s->shape); j++)
        out[j] = a->nan > 0 && (s->first + j) % a->nan == 0 ? (double)NAN : (double)(s->first + j);
    return true;
}

static void note_end(void *self) { ((numbers *)self)->closed = true; }

/* Slabs of 3 rows, the last of 2, with room for so many. */
static crs_source *open_ring(numbers *a, int room, crease_error *e)
{
    crs_ring_settings s = { .load = load, .close = note_end, .self = a, .count = SLABS };
    s.cut = (crs_partition){
        .shape = { .order = 2, .dim = { LENGTH, ROW } }, .rows = ROWS, .per = SLABS, .count = SLABS
    };
    s.missing = a->nan > 0;
    s.bytes = (double)room * ROWS * ROW * (s.missing ? 9 : 8);
    return crs_ring_open(&s, e);
}

/* Adds up entries and squares of indices, so that one in a wrong place shows. */
static void plan(const void *args, const crease_space *shape, crs_total *sums)
{
    (void)args, (void)shape;
    crs_total_plan(sums, CRS_COUNT, 2);
}

static bool add(const void *args, void *room, const crs_slab *s, int worker, crs_total *sums,
                crease_error *e)
{
    uint64_t seed = (uint64_t)s->index + 7;
    (void)room, (void)worker, (void)e;
    wait_a_while(&seed, *(const int *)args);
    int64_t sum[2] = { 0, 0 };
    for (ptrdiff_t j = 0; j < crease_size(&s->shape); j++) {
        if (s->w && !s->w[j]) {
            assert_true(s->t[j] == 0);
            continue;
        }
        sum[0] += (int64_t)s->t[j] * (s->first + j);
        sum[1]++;
    }
    crs_total_count(sums, 0, 0, 2, sum);
    return true;
}

static const crs_job job = { .name = "test", .plan = plan, .add = add };

static void expect_sums(const crs_look *l, ptrdiff_t nan)
{
    int64_t sum = 0, count = 0;
    for (int64_t j = 0; j < (int64_t)LENGTH * ROW; j++)
        if (!(nan > 0 && j % nan == 0)) sum += j * j, count++;
    assert_int_equal(l->sums.array[0].whole[0], sum);
    assert_int_equal(l->sums.array[0].whole[1], count);
}

static void looks_see_the_tensor_whatever_there_is_room_for(void **state)
{
    (void)state;
    for (int room = 3; room <= SLABS + 1; room += 1 + room / 6)
        for (int threads = 1; threads <= 5; threads += 2) {
            numbers a = { .seed = (uint64_t)room, .fails = -1, .nanoseconds = 20000 };
            const int pause = 20000;
            crs_source *s = open_ring(&a, room, NULL);
            crs_look l;
            assert_non_null(s);
            assert_string_equal(s->ops->name, "stream");
            assert_null(s->whole);
            assert_true(crs_look_open(&l, s, &job, &pause, threads, NULL));
            for (int pass = 0; pass < 3; pass++) {
                assert_true(crs_look_run(&l, &pause, NULL, NULL));
                expect_sums(&l, 0);
            }
            crs_look_close(&l);
            s->ops->close(s);
            assert_true(a.closed);
            if (room >= SLABS) assert_int_equal(a.loads, SLABS); /* all of them stay */
        }
}

static void one_after_the_other_is_read_once_a_pass(void **state)
{
    (void)state;
    numbers a = { .fails = -1 };
    crs_source *s = open_ring(&a, 3 + 8, NULL);
    for (int pass = 0; pass < 4; pass++)
        for (ptrdiff_t k = 0; k < SLABS; k++) {
            crs_slab slab;
            assert_true(s->ops->take(s, k, &slab, NULL));
            assert_true(slab.t[1] == (double)(k * ROWS * ROW + 1));
            s->ops->give(s, &slab);
        }
    s->ops->close(s);
    const ptrdiff_t turning = crs_threads() + 1 > 3 ? crs_threads() + 1 : 3, kept = 11 - turning;
    if (kept > 0) assert_true(a.loads <= SLABS + 3 * (SLABS - kept) + turning);
}

static void nan_is_zero_with_a_mask(void **state)
{
    (void)state;
    numbers a = { .fails = -1, .nan = 5 };
    const int pause = 0;
    crs_source *s = open_ring(&a, 4, NULL);
    crs_look l;
    assert_true(crs_look_once(&l, s, &job, &pause, 3, NULL, NULL));
    expect_sums(&l, 5);
    crs_look_close(&l);
    s->ops->close(s);
}

/* Every k-th slab only, backwards, twice the same, and looks that are cut. */
static void any_order_is_served(void **state)
{
    (void)state;
    numbers a = { .fails = -1, .nanoseconds = 5000 };
    crs_source *s = open_ring(&a, 3, NULL);
    crs_slab one, two;
    for (ptrdiff_t step = 1; step < 12; step += 3)
        for (ptrdiff_t k = 0; k < 40; k++) {
            const ptrdiff_t at = k * step % SLABS, back = SLABS - 1 - at;
            assert_true(s->ops->take(s, at, &one, NULL));
            assert_true(s->ops->take(s, back, &two, NULL));
            assert_true(one.t[0] == (double)(at * ROWS * ROW));
            assert_true(two.t[0] == (double)(back * ROWS * ROW));
            s->ops->give(s, &one);
            s->ops->give(s, &two);
        }
    s->ops->close(s);
}

static void *stop_soon(void *watch)
{
    uint64_t seed = 3;
    wait_a_while(&seed, 300000);
    crease_watch_stop(watch);
    return NULL;
}

static void a_look_that_is_cut_is_followed_by_another(void **state)
{
    (void)state;
    numbers a = { .fails = -1, .nanoseconds = 30000 };
    const int pause = 30000;
    crs_source *s = open_ring(&a, 3, NULL);
    crs_look l;
    assert_true(crs_look_open(&l, s, &job, &pause, 3, NULL));
    for (int k = 0; k < 20; k++) {
        crease_watch *w = crease_watch_new(NULL);
        pthread_t other;
        assert_int_equal(pthread_create(&other, NULL, stop_soon, w), 0);
        assert_true(crs_look_run(&l, &pause, w, NULL));
        pthread_join(other, NULL);
        crease_watch_free(w);
    }
    assert_true(crs_look_run(&l, &pause, NULL, NULL));
    expect_sums(&l, 0);
    crs_look_close(&l);
    s->ops->close(s);
}

static void a_slab_that_cannot_be_loaded_says_why_and_is_tried_again(void **state)
{
    (void)state;
    for (int room = 3; room < 12; room += 8) {
        numbers a = { .fails = 9 };
        const int pause = 0;
        crs_source *s = open_ring(&a, room, NULL);
        crs_look l;
        crease_error e = { 0 };
        assert_false(crs_look_once(&l, s, &job, &pause, 2, NULL, &e));
        assert_int_equal(e.code, CREASE_IO);
        assert_true(strncmp(e.text, "slab 9 ", 7) == 0 || strncmp(e.text, "slab 10 ", 8) == 0);
        crs_slab slab;
        assert_true(s->ops->take(s, 8, &slab, &e));
        s->ops->give(s, &slab);
        for (int k = 0; k < 3; k++) assert_false(s->ops->take(s, SLABS - 1, &slab, &e));
        assert_string_equal(e.text, "slab 22 is not there");
        s->ops->close(s);
    }
}

static void less_room_than_three_slabs_is_refused_with_the_least(void **state)
{
    (void)state;
    numbers a = { .fails = -1 };
    crease_error e = { 0 };
    assert_null(open_ring(&a, 2, &e));
    assert_true(a.closed);
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "3 slabs"));
}

static void closing_does_not_wait_for_takers(void **state)
{
    (void)state;
    for (int k = 0; k < 50; k++) {
        numbers a = { .fails = -1, .seed = (uint64_t)k, .nanoseconds = 50000 };
        crs_source *s = open_ring(&a, 3, NULL);
        uint64_t seed = (uint64_t)k;
        wait_a_while(&seed, 100000);
        s->ops->close(s);
        assert_true(a.closed);
    }
}

static void slabs_of_other_ranks_are_read_when_asked_for(void **state)
{
    (void)state;
    for (ptrdiff_t own = 0; own < SLABS; own += 4) {
        numbers a = { .fails = -1 };
        crs_ring_settings s = { .load = load, .close = note_end, .self = &a, .count = own };
        s.cut = (crs_partition){ .shape = { .order = 2, .dim = { LENGTH, ROW } },
                                 .rows = ROWS,
                                 .per = SLABS,
                                 .count = SLABS };
        s.bytes = 5.0 * ROWS * ROW * 8;
        crs_source *r = crs_ring_open(&s, NULL);
        assert_non_null(r);
        for (ptrdiff_t k = 0; k < 3 * SLABS; k++) {
            crs_slab slab;
            assert_true(r->ops->take(r, k * 5 % SLABS, &slab, NULL));
            for (ptrdiff_t j = 0; j < crease_size(&slab.shape); j++)
                assert_true(slab.t[j] == (double)(slab.first + j));
            r->ops->give(r, &slab);
        }
        r->ops->close(r);
        assert_true(a.closed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_of_other_ranks_are_read_when_asked_for),
        cmocka_unit_test(looks_see_the_tensor_whatever_there_is_room_for),
        cmocka_unit_test(one_after_the_other_is_read_once_a_pass),
        cmocka_unit_test(nan_is_zero_with_a_mask),
        cmocka_unit_test(any_order_is_served),
        cmocka_unit_test(a_look_that_is_cut_is_followed_by_another),
        cmocka_unit_test(a_slab_that_cannot_be_loaded_says_why_and_is_tried_again),
        cmocka_unit_test(less_room_than_three_slabs_is_refused_with_the_least),
        cmocka_unit_test(closing_does_not_wait_for_takers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
