/* SPDX-License-Identifier: MIT
 * io: readers and the writer survive any allocation failing, without a leak */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <unistd.h>

#include "support/test.h"

#include "io/formats/io.h"
#include "support/fail_alloc.h"

typedef struct {
    char folder[32], npy[48], fortran[48], csv[48];
} files;

static void put(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* 30000 entries, so that every buffer grows several times. */
static void make(files *f)
{
    enum { N = 30000 };
    static char text[4 * N] = "a,b,c\n";
    static double x[N];
    static unsigned char column_order[128 + N] =
        "\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': True, 'shape': (3, 10000), }";
    size_t n = 6;
    const crease_space s = crease_matrix(3, N / 3);
    memcpy(f->folder, "/tmp/crease-io-XXXXXX", 22);
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->npy, sizeof f->npy, "%s/a.npy", f->folder);
    snprintf(f->fortran, sizeof f->fortran, "%s/f.npy", f->folder);
    snprintf(f->csv, sizeof f->csv, "%s/a.csv", f->folder);
    assert_true(crs_write_npy(f->npy, &(crs_npy){ &s, x, NULL }, NULL, NULL));
    for (size_t k = 10 + strlen((char *)column_order + 10); k < 128; k++) column_order[k] = ' ';
    put(f->fortran, column_order, sizeof column_order);
    for (int j = 0; j < N; j++) {
        memcpy(text + n, j % 3 == 2 ? "12\n" : "12,", 3);
        n += 3;
    }
    put(f->csv, text, n);
}

/* Fails the k-th allocation for k = 0, 1, ... until the call succeeds; returns that k. */
static long survive(const char *path, bool recover)
{
    for (long k = 0;; k++) {
        crs_array a;
        crease_error e = { CREASE_OK, "" };
        allocations_left = k;
        allocations_recover = recover;
        const bool done = crs_read_array(path, &a, &e);
        allocations_left = -1;
        if (done) {
            assert_int_equal(crease_size(&a.shape), 30000);
            crs_array_free(&a);
        }
        assert_int_equal(allocations_live, 0);
        if (done) return k;
        assert_int_equal(e.code, CREASE_NO_MEMORY);
        assert_null(a.data);
        assert_false(crs_axes_known(&a.axes, CREASE_MAX_ORDER));
    }
}

static void every_allocation_may_fail(void **state)
{
    files f;
    const crease_space s = crease_vector(1);
    crease_error e;
    (void)state;
    make(&f);
    for (int recover = 0; recover < 2; recover++) {
        assert_in_range(survive(f.npy, recover), 2, 20);
        assert_in_range(survive(f.fortran, recover), 3, 20);
        assert_in_range(survive(f.csv, recover), 3, 20);
    }
    allocations_left = 0;
    assert_false(crs_write_npy(f.npy, &(crs_npy){ &s, (double[]){ 1 }, NULL }, NULL, &e));
    assert_int_equal(e.code, CREASE_NO_MEMORY);
    assert_int_equal(allocations_live, 0);
    unlink(f.npy), unlink(f.fortran), unlink(f.csv);
    assert_int_equal(rmdir(f.folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation_may_fail) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
