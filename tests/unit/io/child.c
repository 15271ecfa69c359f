/* SPDX-License-Identifier: MIT
 * child: whatever a decoder does, the parent gets an array that is right or a sentence, in time;
 * the decoder can neither open a second file, nor a socket, nor write, nor take more than its share
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"

#include "io/formats/child.h"

static char path[32] = "/tmp/crease-child-XXXXXX";
static const crs_limits small = { 1, 100e6, 0 };

static int make_file(void **state)
{
    (void)state;
    const int fd = mkstemp(path);
    return fd >= 0 && write(fd, "0123456789", 10) == 10 && close(fd) == 0 ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* Reads within limits; the descriptors and children of this process stay as they were. */
static bool read_by(crs_decode *decode, const crs_asked *asked, crs_array *out, crease_error *e)
{
    const crs_input s = { .name = "a file", .path = path };
    const int before = dup(0);
    close(before);
    const bool done = crs_child_read(&small, decode, &s, asked, out, e);
    const int after = dup(0);
    close(after);
    assert_int_equal(after, before);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    if (!done) assert_null(out->data);
    return done;
}

static const crease_space cube = { .order = 3, .dim = { 3, 4, 5 } };
static int slowest[3];

/* Item k is sent as the number k. */
static bool counted(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    double x[60];
    crs_axis a = { .name = NULL };
    (void)s, (void)asked;
    for (int k = 0; k < 60; k++) x[k] = k;
    const bool done = crs_emit_shape(to, &cube, slowest, 1, e) &&
                      crs_axis_name(&a, "depth", "m", e) && crs_axis_at(&a, 5, x, e) &&
                      crs_emit_axis(to, 2, &a, e) &&
                      crs_axis_labels(&a, 5, (const char *[]){ "a", "", "c", "d", "e" }, e) &&
                      crs_emit_items(to, 7, x, e) && crs_emit_items(to, 53, x + 7, e) &&
                      crs_emit_scale(to, 255, e) && crs_emit_notice(to, "odd", e);
    crs_axis_free(&a);
    return done;
}

static void items_in_any_order_of_dimensions_get_to_their_places(void **state)
{
    static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                      { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    (void)state;
    for (int o = 0; o < 6; o++) {
        crs_array a;
        crease_error e;
        memcpy(slowest, orders[o], sizeof slowest);
        assert_true(read_by(counted, NULL, &a, &e));
        for (ptrdiff_t i = 0; i < 60; i++) {
            const ptrdiff_t index[3] = { i / 20, i / 5 % 4, i % 5 };
            ptrdiff_t k = 0;
            for (int n = 0; n < 3; n++) k = k * cube.dim[slowest[n]] + index[slowest[n]];
            assert_true(a.data[i] == (double)k);
        }
        assert_string_equal(a.axes.axis[2].name, "depth");
        assert_string_equal(a.axes.axis[2].unit, "m");
        assert_true(a.axes.axis[2].at[4] == 4);
        assert_true(a.scale == 255);
        assert_string_equal(a.notice, "odd");
        crs_array_free(&a);
    }
}

static bool refuses(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)asked, (void)to;
    return crs_fail(e, CREASE_BAD_SHAPE, "%s has corners", s->name);
}

static bool crashes(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)s, (void)asked, (void)to, (void)e;
    raise(SIGSEGV);
    return true;
}

static bool leaves(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)s, (void)asked, (void)to, (void)e;
    _exit(3);
}

static bool never_ends(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)s, (void)asked, (void)to, (void)e;
    for (volatile bool on = true; on;) {}
    return true;
}

static bool sleeps(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)s, (void)asked, (void)to, (void)e;
    for (volatile bool on = true; on;) pause();
    return true;
}

static bool is_interrupted(const crs_input *s, const crs_asked *asked, crs_emit *to,
                           crease_error *e)
{
    (void)s, (void)asked, (void)to, (void)e;
    raise(SIGINT);
    return true;
}

static bool sends_too_few(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)s, (void)asked;
    return crs_emit_shape(to, &cube, NULL, 1, e) && crs_emit_items(to, 2, (double[]){ 1, 2 }, e);
}

static bool sends_too_many(const crs_input *s, const crs_asked *asked, crs_emit *to,
                           crease_error *e)
{
    static const double x[100];
    (void)s, (void)asked;
    return crs_emit_shape(to, &cube, NULL, 1, e) && crs_emit_items(to, 100, x, e);
}

static bool sends_nothing(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)s, (void)asked, (void)to, (void)e;
    return true;
}

static bool sends_a_foreign_order(const crs_input *s, const crs_asked *asked, crs_emit *to,
                                  crease_error *e)
{
    (void)s, (void)asked;
    return crs_emit_shape(to, &cube, (const int[]){ 0, 0, 7 }, 1, e);
}

static bool sends_a_long_axis(const crs_input *s, const crs_asked *asked, crs_emit *to,
                              crease_error *e)
{
    double at[9] = { 0 };
    const crs_axis a = { .count = 9, .at = at };
    (void)s, (void)asked;
    return crs_emit_shape(to, &cube, NULL, 1, e) && crs_emit_axis(to, 0, &a, e);
}

static bool claims_too_much(const crs_input *s, const crs_asked *asked, crs_emit *to,
                            crease_error *e)
{
    const crease_space huge = { .order = 2, .dim = { 1 << 30, 1 << 20 } };
    (void)s, (void)asked;
    return crs_emit_shape(to, &huge, NULL, 8, e);
}

static void every_misdeed_is_a_sentence(void **state)
{
    static const struct {
        crs_decode *decode;
        crease_code code;
        const char *says;
    } cases[] = {
        { refuses, CREASE_BAD_SHAPE, "a file has corners" },
        { crashes, CREASE_BAD_DATA, "damaged" },
        { leaves, CREASE_BAD_DATA, "code 3" },
        { never_ends, CREASE_BAD_DATA, "more time" },
        { is_interrupted, CREASE_CUT, "did not end" },
        { sends_too_few, CREASE_BAD_DATA, "damaged" },
        { sends_too_many, CREASE_BAD_DATA, "damaged" },
        { sends_nothing, CREASE_BAD_DATA, "damaged" },
        { sends_a_foreign_order, CREASE_BAD_DATA, "damaged" },
        { sends_a_long_axis, CREASE_BAD_DATA, "damaged" },
        { claims_too_much, CREASE_BAD_DATA, "more than 1000 times" },
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        crs_array a;
        crease_error e = { CREASE_OK, "" };
        assert_false(read_by(cases[k].decode, NULL, &a, &e));
        if (e.code != cases[k].code || !strstr(e.text, cases[k].says))
            fail_msg("case %zu: code %d, %s", k, (int)e.code, e.text);
    }
}

static void a_watch_cuts_a_decoder_that_waits(void **state)
{
    crs_array a;
    crease_error e;
    (void)state;
    crease_watch *w = crease_watch_new(&e);
    crease_watch_limit(w, 0.2);
    const double begun = crs_now();
    assert_false(read_by(sleeps, &(crs_asked){ .watch = w }, &a, &e));
    assert_int_equal(e.code, CREASE_CUT);
    assert_true(crs_now() - begun < 1);
    crease_watch_free(w);
}

/* One file may be open; then there is no descriptor for another one, nor for a socket or a pipe. */
static bool tries_to_escape(const crs_input *s, const crs_asked *asked, crs_emit *to,
                            crease_error *e)
{
    int two[2];
    (void)asked;
    const int fd = open(s->path, O_RDONLY);
    const bool kept = fd >= 0 && open("/etc/hostname", O_RDONLY) < 0 &&
                      socket(AF_INET, SOCK_STREAM, 0) < 0 && pipe(two) < 0 && dup(fd) < 0;
    close(fd);
    signal(SIGXFSZ, SIG_IGN);
    const int out = open(s->path, O_WRONLY | O_APPEND);
    if (kept && out >= 0 && write(out, "x", 1) < 0)
        return crs_emit_shape(to, &(crease_space){ .order = 1, .dim = { 1 } }, NULL, 1, e) &&
               crs_emit_items(to, 1, (double[]){ 1 }, e);
    return crs_fail(e, CREASE_OK, "it escaped");
}

/* Memory that is written to: 50 MB can be had, 200 MB cannot. */
static bool takes_memory(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    (void)s, (void)asked;
    char *some = malloc(50000000), *more = malloc(200000000);
    const bool right = some && !more;
    free(some);
    free(more);
    return right ? crs_emit_shape(to, &(crease_space){ .order = 1, .dim = { 1 } }, NULL, 1, e) &&
                       crs_emit_items(to, 1, (double[]){ 1 }, e)
                 : crs_fail(e, CREASE_OK, "some %d more %d", some != NULL, more != NULL);
}

static void limits_hold(void **state)
{
    crs_array a;
    crease_error e = { CREASE_OK, "" };
    (void)state;
    if (!read_by(tries_to_escape, NULL, &a, &e)) fail_msg("%s", e.text);
    crs_array_free(&a);
#if !defined(__SANITIZE_ADDRESS__)
    if (!read_by(takes_memory, NULL, &a, &e)) fail_msg("%s", e.text);
    crs_array_free(&a);
#else
    (void)takes_memory;
#endif
}

/* Threads of OpenMP and of BLAS are there when the child is made, and busy after it. */
static void a_child_of_a_process_with_threads_reads(void **state)
{
    double sum = 0;
    (void)state;
    omp_set_num_threads(2);
    memcpy(slowest, (int[]){ 2, 0, 1 }, sizeof slowest);
    for (int round = 0; round < 20; round++) {
        crs_array a;
        crease_error e;
#pragma omp parallel for reduction(+ : sum)
        for (int k = 0; k < 1000; k++) sum += (double)k;
        assert_true(read_by(counted, NULL, &a, &e));
        crs_array_free(&a);
    }
    assert_true(sum == 20 * 499500.0);
}

static atomic_bool over;
static int asked_before; /* what a library wants done before a fork */

static void before_fork(void) { asked_before++; }

static void *allocate_always(void *none)
{
    for (size_t n = 2000; !over; n = n % 90000 + 2000) {
        void *volatile p = malloc(n);
        free(p);
        for (volatile int k = 0; k < 200; k++) {}
    }
    return none;
}

/* Gives back what a thread has allocated that is not in the child. */
static void *_Atomic borrowed;
static bool returns(const crs_input *s, const crs_asked *asked, crs_emit *to, crease_error *e)
{
    free(borrowed);
    return counted(s, asked, to, e);
}

static void *lend(void *none)
{
    borrowed = malloc(1 << 14);
    return allocate_always(none);
}

/* Each thread has an allocator of its own, with a lock: as libraries have that were at work in
 * another thread before. */
static void a_child_frees_what_another_thread_has_allocated(void **state)
{
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, lend, NULL), 0);
    while (!borrowed) usleep(100);
    for (int round = 0; round < 40; round++) {
        crs_array a;
        crease_error e;
        if (!read_by(returns, NULL, &a, &e)) fail_msg("%s", e.text);
        crs_array_free(&a);
    }
    over = true;
    pthread_join(thread, NULL);
    free(borrowed);
    over = false;
}

/* All threads share one allocator, whose lock another one holds for much of the time. */
static void a_child_allocates_whatever_other_threads_do(void **state)
{
    enum { THREADS = 2 };
    pthread_t thread[THREADS];
    (void)state;
    mallopt(M_ARENA_MAX, 1);
    assert_int_equal(pthread_atfork(before_fork, NULL, NULL), 0);
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, allocate_always, NULL), 0);
    for (int round = 0; round < 40; round++) {
        crs_array a;
        crease_error e;
        if (!read_by(counted, NULL, &a, &e)) fail_msg("%s", e.text);
        crs_array_free(&a);
    }
    over = true;
    for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
#if __GLIBC_PREREQ(2, 34)
    assert_int_equal(asked_before, 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_in_any_order_of_dimensions_get_to_their_places),
        cmocka_unit_test(every_misdeed_is_a_sentence),
        cmocka_unit_test(a_watch_cuts_a_decoder_that_waits),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(a_child_of_a_process_with_threads_reads),
        cmocka_unit_test(a_child_frees_what_another_thread_has_allocated),
        cmocka_unit_test(a_child_allocates_whatever_other_threads_do),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
