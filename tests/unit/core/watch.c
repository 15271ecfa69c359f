/* SPDX-License-Identifier: MIT
 * watch: a stop and a limit are seen by every watch inside; the rest after the work has a little
 * more time; the seconds of the phases add up to all of them */
#include <signal.h>

#include "support/test.h"

static void none_is_never_over(void **state)
{
    (void)state;
    assert_false(crease_watch_over(NULL));
    assert_int_equal(crease_watch_why(NULL), CREASE_NOT_RUN);
    assert_int_equal(crease_watch_enter(NULL, CREASE_PHASE_FIT), CREASE_PHASE_READ);
    assert_true(crease_watch_total(NULL) == 0 && crease_watch_seconds(NULL, 0) == 0);
    crease_watch_stop(NULL);
    crease_watch_limit(NULL, 0);
    crease_watch_reserve(NULL, 0);
    crease_watch_free(NULL);
}

static crease_watch *stopped;
static void handler(int number) { (void)number, crease_watch_stop(stopped); }

/* The stop of an outer watch is one of all that stand in it, and of no other. */
static void a_signal_stops_what_stands_in_the_watch(void **state)
{
    crease_watch *outer = crease_watch_new(NULL), inner, third;
    (void)state;
    crs_watch_begin(&inner, outer);
    crs_watch_begin(&third, NULL);
    assert_false(crease_watch_over(&inner));
    stopped = outer;
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    assert_true(crease_watch_over(outer) && crease_watch_over(&inner));
    assert_int_equal(crease_watch_why(&inner), CREASE_STOPPED);
    assert_false(crease_watch_over(&third));
    crease_watch_stop(&third);
    assert_true(crease_watch_over(&third));
    crease_watch_free(outer);
}

static void a_limit_ends_the_work_before_the_rest(void **state)
{
    crease_watch *w = crease_watch_new(NULL);
    (void)state;
    crease_watch_limit(w, 0);
    for (int k = 0; k < CREASE_PHASE_COUNT; k++) {
        crease_watch_enter(w, (crease_phase)k);
        assert_true(crease_watch_over(w) == (k <= CREASE_PHASE_FIT));
    }
    w->begun -= 10, w->until -= 10; /* ten seconds later nothing may go on */
    for (int k = 0; k < CREASE_PHASE_COUNT; k++) {
        crease_watch_enter(w, (crease_phase)k);
        assert_true(crease_watch_over(w));
        assert_int_equal(crease_watch_why(w), CREASE_TIME_LIMIT);
    }
    crease_watch_free(w);
}

/* What is kept for the rest adds up over the watches, and is at most half of a limit. */
static void the_work_leaves_time_for_the_rest(void **state)
{
    crease_watch *outer = crease_watch_new(NULL), inner;
    (void)state;
    crs_watch_begin(&inner, outer);
    crease_watch_limit(outer, 1000);
    outer->begun -= 600, outer->until -= 600; /* 400 s are left */
    crease_watch_reserve(outer, 300);
    assert_false(crease_watch_over(outer) || crease_watch_over(&inner));
    crease_watch_reserve(&inner, 200); /* only 500 - 300 of them */
    assert_true(crease_watch_over(&inner) && !crease_watch_over(outer));
    crease_watch_free(outer);
    outer = crease_watch_new(NULL);
    crease_watch_limit(outer, 1000);
    crease_watch_reserve(outer, INFINITY);
    assert_false(crease_watch_over(outer));
    outer->begun -= 501, outer->until -= 501;
    assert_true(crease_watch_over(outer));
    crease_watch_free(outer);
}

static void wait(double seconds)
{
    for (const double begun = crs_now(); crs_now() - begun < seconds;) continue;
}

static void seconds_add_up(void **state)
{
    crease_watch *w = crease_watch_new(NULL), inner;
    double sum = 0;
    (void)state;
    crs_watch_begin(&inner, w);
    for (int k = 0; k < CREASE_PHASE_COUNT; k++) {
        const crease_phase was = crease_watch_enter(&inner, (crease_phase)k);
        assert_true(was == 0 && crease_watch_phase(w) == (crease_phase)k);
        wait(1e-3 * (k + 1));
        assert_int_equal(crease_watch_enter(w, was), k);
    }
    for (int k = 0; k < CREASE_PHASE_COUNT; k++) {
        const double now = crease_watch_seconds(&inner, (crease_phase)k);
        assert_true(now >= 1e-3 * (k + 1));
        sum += now;
    }
    assert_true(fabs(sum - crease_watch_total(&inner)) < 1e-3);
    assert_string_equal(crease_phase_name(CREASE_PHASE_CENTER), "center");
    assert_string_equal(crease_phase_name((crease_phase)99), "unknown phase");
    crease_watch_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(none_is_never_over),
        cmocka_unit_test(a_signal_stops_what_stands_in_the_watch),
        cmocka_unit_test(a_limit_ends_the_work_before_the_rest),
        cmocka_unit_test(the_work_leaves_time_for_the_rest),
        cmocka_unit_test(seconds_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
