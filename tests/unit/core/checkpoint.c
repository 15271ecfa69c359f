/* SPDX-License-Identifier: MIT
 * checkpoint: a job of units within units ends in the same numbers from any image of it; bytes that
 * are not an image, or of another job, are refused; what does not fit is computed anew */
#include <stdio.h>

#include "core/checkpoint.h"
#include "support/test.h"

enum { OUTER = 4, PARTS = 3, STEPS = 5, MOST = 400 };

/* sum over rounds, parts and steps of what depends on all that was before */
typedef struct {
    crease_watch *w;
    double total, part, kept;
    int round, step;
    const char *said;
    long work;    /* steps that were made */
    bool failing; /* part 1 of every round is given up */
    bool renamed; /* its parts have another name */
} job;

static void visit_round(crs_visitor *v, void *self)
{
    job *j = self;
    crs_visit(v, j->total);
    crs_visit(v, j->round);
    crs_visit_text(v, "said", &j->said);
}

static void visit_part(crs_visitor *v, void *self)
{
    job *j = self;
    crs_visit(v, j->part);
    crs_visit(v, j->step);
    crs_visits(v, &j->kept, 1);
}

static void one_part(job *j, int k)
{
    const char *name = j->renamed ? "piece" : "part";
    j->part = 0, j->step = 0;
    if (crs_unit_begin(j->w, name, CRS_UNIT_LOOP, visit_part, j) != CRS_UNIT_DONE) {
        for (; j->step < STEPS && !crease_watch_over(j->w); crs_unit_tick(j->w)) {
            j->part = sin(j->part + j->total + k + 0.1 * j->step++);
            j->work++;
        }
        j->kept = j->part / 3;
        (j->failing && k == 1 ? crs_unit_drop : crs_unit_end)(j->w);
    }
    j->total += j->part + j->kept;
}

static double run(job *j)
{
    j->total = j->round = 0;
    j->said = NULL;
    if (crs_unit_begin(j->w, "rounds", CRS_UNIT_OUTER, visit_round, j) != CRS_UNIT_DONE) {
        for (; j->round < OUTER && !crease_watch_over(j->w); crs_unit_tick(j->w)) {
            for (int k = 0; k < PARTS; k++) one_part(j, k);
            j->said = j->round++ % 2 ? "odd" : "even";
        }
        crs_unit_end(j->w);
    }
    for (int k = 0; k < PARTS; k++) one_part(j, 10 + k);
    return j->total;
}

typedef struct {
    char *bytes[MOST];
    size_t size[MOST];
    int count, fails_after, stops_after;
    crease_watch *w;
} album;

static bool save(void *self, const void *bytes, size_t count)
{
    album *a = self;
    if (a->fails_after > 0 && a->count >= a->fails_after) return false;
    assert_true(a->count < MOST);
    a->bytes[a->count] = crs_alloc(count, 1);
    memcpy(a->bytes[a->count], bytes, count);
    a->size[a->count++] = count;
    if (a->stops_after == a->count) crease_watch_stop(a->w);
    return true;
}

static void discard(album *a)
{
    for (int k = 0; k < a->count; k++) crs_free(a->bytes[k]);
    *a = (album){ .count = 0 };
}

/* The job with images in `a`, from an image or, without one, from its beginning */
static double run_with(album *a, const album *from, int k, job *j, crease_checkpoint_facts *about)
{
    crease_error e = { CREASE_OK, "" };
    crease_watch *w = a->w = j->w = crease_watch_new(&e);
    crease_checkpoint *c = crease_checkpoint_new(0, save, a, &e);
    crease_watch_enter(w, CREASE_PHASE_FIT);
    if (from) assert_true(crease_checkpoint_resume(c, from->bytes[k], from->size[k], &e));
    assert_true(crease_checkpoint_bind(c, "job", "sines", &e));
    crease_watch_checkpoint(w, c);
    const double total = run(j);
    if (about) *about = crease_checkpoint_about(c);
    crease_watch_free(w);
    crease_checkpoint_free(c);
    return total;
}

static void every_image_leads_to_the_same_end(void **state)
{
    (void)state;
    for (int failing = 0; failing < 2; failing++) {
        job plain = { .failing = failing };
        const double wanted = run(&plain);
        album a = { .count = 0 }, b = { .count = 0 };
        job j = { .failing = failing };
        assert_true(run_with(&a, NULL, 0, &j, NULL) == wanted && j.work == plain.work);
        assert_true(a.count > OUTER * PARTS * STEPS);
        for (int k = 0; k < a.count; k++) {
            crease_checkpoint_facts about;
            job again = { .failing = failing };
            assert_true(run_with(&b, &a, k, &again, &about) == wanted);
            assert_false(about.misfit || about.cut);
            assert_true(again.work < plain.work);
            if (k == a.count - 1) assert_true(again.work <= STEPS * failing);
            discard(&b);
        }
        discard(&a);
    }
}

/* Stopped at any image, then resumed from the last one */
static void a_stop_loses_nothing(void **state)
{
    job plain = { .work = 0 };
    const double wanted = run(&plain);
    (void)state;
    for (int k = 1; k < 60; k += 7) {
        album a = { .stops_after = k }, b = { .count = 0 };
        crease_checkpoint_facts about;
        job j = { .work = 0 }, again = { .work = 0 };
        run_with(&a, NULL, 0, &j, &about);
        assert_true(about.cut && a.count == k);
        assert_true(run_with(&b, &a, k - 1, &again, NULL) == wanted);
        assert_true(j.work + again.work <= plain.work + 1);
        discard(&a);
        discard(&b);
    }
}

static void a_save_that_fails_does_not_end_the_job(void **state)
{
    job plain = { .work = 0 }, j = { .work = 0 };
    album a = { .fails_after = 5 };
    crease_checkpoint_facts about;
    (void)state;
    assert_true(run_with(&a, NULL, 0, &j, &about) == run(&plain));
    assert_int_equal(about.saved, 5);
    discard(&a);
}

static void other_units_are_computed_anew(void **state)
{
    album a = { .count = 0 }, b = { .count = 0 };
    job plain = { .work = 0 }, j = { .work = 0 }, other = { .renamed = true };
    crease_checkpoint_facts about;
    (void)state;
    const double wanted = run_with(&a, NULL, 0, &j, NULL);
    assert_true(run_with(&b, &a, 1, &other, &about) == run(&plain) && run(&plain) == wanted);
    assert_true(about.misfit);
    discard(&a);
    discard(&b);
}

static void what_is_no_image_is_refused(void **state)
{
    album a = { .count = 0 };
    job j = { .work = 0 };
    crease_error e;
    (void)state;
    run_with(&a, NULL, 0, &j, NULL);
    const int k = a.count / 2;
    for (size_t n = 0; n < a.size[k]; n++) {
        crease_checkpoint *c = crease_checkpoint_new(0, save, &a, &e);
        assert_false(crease_checkpoint_resume(c, a.bytes[k], n, &e));
        crease_checkpoint_free(c);
    }
    for (size_t n = 0; n < 60; n++) { /* of the head, any bit: refused, or a name that differs */
        crease_checkpoint *c = crease_checkpoint_new(0, save, &a, &e);
        a.bytes[k][n] ^= 4;
        assert_true(!crease_checkpoint_resume(c, a.bytes[k], a.size[k], &e) ||
                    !crease_checkpoint_bind(c, "job", "sines", &e));
        a.bytes[k][n] ^= 4;
        crease_checkpoint_free(c);
    }
    discard(&a);
}

static void another_job_is_refused_by_name(void **state)
{
    album a = { .count = 0 };
    job j = { .work = 0 };
    crease_error e;
    (void)state;
    run_with(&a, NULL, 0, &j, NULL);
    crease_checkpoint *c = crease_checkpoint_new(0, save, &a, &e);
    assert_true(crease_checkpoint_resume(c, a.bytes[0], a.size[0], &e));
    assert_true(crease_checkpoint_bind(c, "job", "sines", &e));
    assert_false(crease_checkpoint_bind(c, "job", "cosines", &e));
    assert_non_null(strstr(e.text, "job was sines there and is cosines here"));
    assert_false(crease_checkpoint_bind(c, "seed", "1", &e));
    crease_checkpoint_free(c);
    discard(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_image_leads_to_the_same_end),
        cmocka_unit_test(a_stop_loses_nothing),
        cmocka_unit_test(a_save_that_fails_does_not_end_the_job),
        cmocka_unit_test(other_units_are_computed_anew),
        cmocka_unit_test(what_is_no_image_is_refused),
        cmocka_unit_test(another_job_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
