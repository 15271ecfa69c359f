/* SPDX-License-Identifier: MIT
 * watch: a stop and a limit are seen by every watch inside; the rest after the work has a little
 * more time; the seconds of the phases add up to all of them; looks come when they are due, on one
 * thread; the history is bounded */
#include <pthread.h>
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

typedef struct {
    long calls, most;
    crease_state last;
    crease_watch *w;
} seen;

static bool note(const crease_state *now, void *user)
{
    seen *s = user;
    s->last = *now;
    assert_false(crease_watch_over(s->w) && !now->stopping); /* asking from a look is no look */
    return ++s->calls < s->most;
}

static void a_look_comes_when_due_and_may_stop_the_job(void **state)
{
    crease_watch *w = crease_watch_new(NULL), inner;
    seen s = { .most = 1000, .w = w };
    (void)state;
    crs_watch_begin(&inner, w);
    crease_watch_look(w, note, &s, 0.01);
    for (const double begun = crs_now(); crs_now() - begun < 0.105;)
        assert_false(crease_watch_over(&inner));
    assert_true(s.calls >= 2 && s.calls <= 11);
    s.most = s.calls + 1;
    while (!crease_watch_over(&inner)) continue;
    assert_true(s.calls == s.most && crease_watch_why(w) == CREASE_STOPPED);
    crease_watch_look(w, NULL, NULL, 1);
    assert_true(crease_watch_over(w) && s.calls == s.most);
    crease_watch_free(w);
}

/* What is told is the outermost watch's, under its phase, and is there again after another one. */
static void a_look_sees_what_was_told(void **state)
{
    crease_watch *w = crease_watch_new(NULL), inner;
    seen s = { .most = 1000, .w = w };
    const crease_progress p = { .iteration = 7, .objective = 3, .worst = 2, .worst_relative = 0.5 };
    (void)state;
    crs_watch_begin(&inner, w);
    inner.value = 4, inner.data = 1;
    crease_watch_look(w, note, &s, 1e-9);
    crease_watch_enter(&inner, CREASE_PHASE_FIT);
    assert_true(s.calls == 1 && s.last.phase == CREASE_PHASE_FIT && s.last.iteration == -1);
    assert_true(isnan(s.last.fraction) && isnan(s.last.eps) && s.last.message[0] == '\0');
    crs_watch_aim(&inner, 1e-6, true);
    crs_watch_part(&inner, 1, 4);
    crs_watch_say(&inner, "rank %d", 4);
    crs_watch_tell(&inner, &p);
    crease_watch_enter(&inner, CREASE_PHASE_CERTIFY);
    assert_true(s.calls == 2 && s.last.phase == CREASE_PHASE_CERTIFY && s.last.iteration == -1);
    crease_watch_enter(&inner, CREASE_PHASE_FIT);
    assert_false(crease_watch_over(&inner));
    assert_true(s.calls == 3 && s.last.iteration == 7 && s.last.fraction == 0.25);
    assert_true(s.last.objective == 48 && s.last.worst == 16 && s.last.worst_relative == 0.5);
    assert_true(s.last.eps == 1e-6 && s.last.relative && s.last.seconds > 0 && !s.last.stopping);
    assert_string_equal(s.last.message, "rank 4");
    assert_true(crease_watch_rows(w) == 1 && crease_watch_row(w, 0).objective == 48);
    assert_true(crease_watch_row(w, 0).phase == CREASE_PHASE_FIT);
    assert_true(crease_watch_row(w, 1).iteration == -1 && crease_watch_row(w, -1).iteration == -1);
    crease_watch_free(w);
}

static void *elsewhere(void *watch)
{
    const crease_progress p = { .iteration = 1 };
    crs_watch_tell(watch, &p);
    for (int k = 0; k < 1000; k++) crease_watch_over(watch);
    return NULL;
}

static void other_threads_neither_look_nor_tell(void **state)
{
    crease_watch *w = crease_watch_new(NULL);
    seen s = { .most = 1000, .w = w };
    pthread_t other;
    (void)state;
    crease_watch_look(w, note, &s, 1e-9);
    assert_int_equal(pthread_create(&other, NULL, elsewhere, w), 0);
    pthread_join(other, NULL);
    assert_true(s.calls == 0 && crease_watch_rows(w) == 0);
    elsewhere(w);
    assert_true(s.calls > 0 && crease_watch_rows(w) == 1);
    crease_watch_free(w);
}

/* Bounded, in the order of time, with the first and the last; a short phase keeps all it said. */
static void the_history_is_thinned_where_it_is_long(void **state)
{
    crease_watch *w = crease_watch_new(NULL);
    crease_progress p = { .iteration = 0 };
    (void)state;
    for (long k = 0; k < 200000; k++) {
        crease_watch_enter(w, k % 10000 == 3 ? CREASE_PHASE_RANK : CREASE_PHASE_FIT);
        p.iteration = k;
        crs_watch_tell(w, &p);
        assert_true(crease_watch_row(w, crease_watch_rows(w) - 1).iteration == k);
    }
    const long rows = crease_watch_rows(w);
    long ranks = 0;
    assert_true(rows > CREASE_HISTORY / 4 && rows <= CREASE_HISTORY);
    assert_true(crease_watch_row(w, 0).iteration == 0);
    for (long k = 0; k < rows; k++) {
        const crease_progress row = crease_watch_row(w, k);
        ranks += row.phase == CREASE_PHASE_RANK;
        if (k > 0) assert_true(row.iteration > crease_watch_row(w, k - 1).iteration);
        if (k > 0) assert_true(row.iteration - crease_watch_row(w, k - 1).iteration < 200);
    }
    assert_int_equal(ranks, 20);
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
        cmocka_unit_test(a_look_comes_when_due_and_may_stop_the_job),
        cmocka_unit_test(a_look_sees_what_was_told),
        cmocka_unit_test(other_threads_neither_look_nor_tell),
        cmocka_unit_test(the_history_is_thinned_where_it_is_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
