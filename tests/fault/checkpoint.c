/* SPDX-License-Identifier: MIT
 * checkpoint: an allocation that fails ends a checkpoint, or the job with its sentence, and nothing
 * is left behind; a job that ends has its usual numbers */
#include "core/checkpoint.h"
#include "support/fail_alloc.h"
#include "support/test.h"

enum { ROWS = 20, COLS = 6, PATH = 4, FOLDS = 3 };

static double X[ROWS * COLS], y[ROWS];
static char stored[1 << 20];
static size_t size;

static bool save(void *self, const void *bytes, size_t count)
{
    (void)self;
    assert_true(count <= sizeof stored);
    memcpy(stored, bytes, count);
    size = count;
    return true;
}

/* The mean scores of a cross-validation */
static bool job(crease_watch *w, double *out, crease_error *e)
{
    crease_regression_settings s = crease_regression_default();
    crease_regression_scores scores = { .mean = NULL };
    s.path = PATH;
    s.watch = w;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, e);
    const bool done =
        m && crease_regression_fit(m, e) && crease_regression_cv(m, X, y, FOLDS, 1, &scores, e);
    if (done) memcpy(out, scores.mean, PATH * sizeof *out);
    crease_regression_scores_free(&scores);
    crease_regression_free(m);
    return done;
}

static bool run(bool resumes, double *out, crease_error *e)
{
    crease_watch *w = crease_watch_new(e);
    crease_checkpoint *c = w ? crease_checkpoint_new(0, save, NULL, e) : NULL;
    bool done = c && (!resumes || crease_checkpoint_resume(c, stored, size, e)) &&
                crease_checkpoint_bind(c, "job", "folds", e);
    if (done) {
        crease_watch_checkpoint(w, c);
        done = job(w, out, e);
    }
    crease_checkpoint_free(c);
    crease_watch_free(w);
    return done;
}

static void a_failing_allocation_is_survived(void **state)
{
    double wanted[PATH], out[PATH];
    crease_error e = { CREASE_OK, "" };
    (void)state;
    for (int j = 0; j < ROWS * COLS; j++) X[j] = sin(j * j + 1.0);
    for (int i = 0; i < ROWS; i++) y[i] = X[i * COLS] + cos(i);
    assert_true(job(NULL, wanted, &e));
    for (int kind = 0; kind < 4; kind++) {
        long failed = 0, ended = 0;
        for (long n = 0, hit = 1; hit; n++) {
            e = (crease_error){ CREASE_OK, "" };
            allocations_left = n, allocations_recover = kind % 2;
            const bool done = run(kind >= 2 && size > 0, out, &e);
            hit = allocations_recover ? allocations_left < 0 : allocations_left == 0;
            allocations_left = -1;
            assert_true(allocations_live == 0);
            assert_int_equal(e.code, done ? CREASE_OK : CREASE_NO_MEMORY);
            for (int k = 0; done && k < PATH; k++) assert_true(out[k] == wanted[k]);
            failed += !done, ended += done;
        }
        assert_true(failed > 5 && ended > 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_failing_allocation_is_survived) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
