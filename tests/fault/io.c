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

/* Reading a file of every format of our own, with axes; gzipped ones, too. */
static long survive_format(const char *path, const crease_space *s)
{
    for (long k = 0;; k++) {
        crs_array a;
        crease_error e = { CREASE_OK, "" };
        allocations_left = k;
        allocations_recover = false;
        const bool done = crs_read_array(path, &a, &e);
        allocations_left = -1;
        if (done) {
            assert_true(crease_space_equal(&a.shape, s));
            crs_array_free(&a);
        }
        assert_int_equal(allocations_live, 0);
        if (done) return k;
        assert_int_equal(e.code, CREASE_NO_MEMORY);
        assert_null(a.data);
    }
}

/* Writing it. */
static void survive_writing(const crs_format *f, const char *path, const crs_item *item, int live)
{
    for (long k = 0;; k++) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = k;
        const bool done = f->write(path, 1, item, &e);
        allocations_left = -1;
        assert_int_equal(allocations_live, live);
        if (done) return;
        assert_int_equal(e.code, CREASE_NO_MEMORY);
        assert_int_equal(access(path, F_OK), -1);
    }
}

static void every_format_survives(void **state)
{
    static const struct {
        const crs_format *format;
        const char *ending;
        int order;
    } kind[] = { { &crs_npz_format, ".npz", 3 },      { &crs_nifti_format, ".nii", 3 },
                 { &crs_nifti_format, ".nii.gz", 3 }, { &crs_tns_format, ".tns", 3 },
                 { &crs_mtx_format, ".mtx", 2 },      { &crs_csv_format, ".csv.gz", 2 },
                 { &crs_npy_format, ".npy.gz", 3 } };
    static const char *const word[] = { "a", "b", "c" };
    static double x[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, at[4] = { 2, 4, 6, 8 };
    char folder[] = "/tmp/crease-io-XXXXXX", path[64];
    crs_axes axes = { .axis = { { .name = NULL } } };
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_true(crs_axis_labels(&axes.axis[0], 3, word, NULL));
    assert_true(crs_axis_at(&axes.axis[1], 4, at, NULL));
    assert_true(crs_axis_name(&axes.axis[1], "x", "mm", NULL));
    const int live = (int)allocations_live;
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        crease_space s = crease_matrix(3, 4);
        if (kind[k].order == 3) s = (crease_space){ .order = 3, .dim = { 3, 2, 2 } };
        const bool named = kind[k].order == 2;
        const crs_item item = { .shape = &s, .data = x, .axes = named ? &axes : NULL };
        snprintf(path, sizeof path, "%s/a%s", folder, kind[k].ending);
        survive_writing(kind[k].format, path, &item, live);
        unlink(path);
        assert_true(kind[k].format->write(path, 1, &item, NULL));
        crs_axes kept = axes;
        allocations_live = 0;
        assert_in_range(survive_format(path, &s), 2, 60);
        allocations_live = live;
        axes = kept;
        unlink(path);
    }
    crs_axes_free(&axes);
    assert_int_equal(allocations_live, 0);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation_may_fail),
                                        cmocka_unit_test(every_format_survives) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
