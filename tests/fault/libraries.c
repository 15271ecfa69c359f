/* SPDX-License-Identifier: MIT
 * libraries: reading and writing HDF5, MAT, images and TIFF survive any allocation failing, in the
 * child and in the parent, without a leak */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <unistd.h>

#include "support/test.h"

#include "io/formats/io.h"
#include "support/fail_alloc.h"

static double x[600];
static const crease_space shape = { .order = 2, .dim = { 20, 30 } };
static char name[] = "time", unit[] = "s", words[20][8];
static char *label[20];
static crs_axes axes = { .axis = { { .name = name, .unit = unit, .count = 20, .label = label } } };

static long survive_writing(const crs_format *f, const char *path)
{
    const crs_item item = { .name = "x", .shape = &shape, .data = x, .axes = &axes, .scale = 255 };
    for (long k = 0;; k++) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = k;
        const bool done = f->write(path, 1, &item, &e);
        allocations_left = -1;
        assert_int_equal(allocations_live, 0);
        if (done) return k;
        if (e.code != CREASE_NO_MEMORY) fail_msg("%s, allocation %ld: %s", f->name, k, e.text);
        assert_int_equal(access(path, F_OK), -1);
    }
}

static long survive_reading(const crs_format *f, const char *path, bool recover)
{
    for (long k = 0;; k++) {
        crs_array a;
        crease_error e = { CREASE_OK, "" };
        allocations_left = k;
        allocations_recover = recover;
        const bool done = crs_read_array(path, &a, &e);
        allocations_left = -1;
        allocations_recover = false;
        if (done) {
            assert_int_equal(crease_size(&a.shape), 600);
            crs_array_free(&a);
        }
        assert_int_equal(allocations_live, 0);
        if (done) return k;
        if (e.code != CREASE_NO_MEMORY) fail_msg("%s, allocation %ld: %s", f->name, k, e.text);
        assert_null(a.data);
    }
}

static void every_allocation_may_fail(void **state)
{
    static const char *const kinds[][2] = {
        { "h5", ".h5" }, { "mat", ".mat" }, { "png", ".png" }, { "pgm", ".pgm" }, { "tiff", ".tif" }
    };
    char folder[] = "/tmp/crease-fault-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 600; k++) x[k] = (double)(k % 256) / 255;
    for (int k = 0; k < 20; k++) snprintf(words[k], sizeof words[k], "w%d", k), label[k] = words[k];
    for (size_t f = 0; f < sizeof kinds / sizeof *kinds; f++) {
        const crs_format *format = crs_format_find(kinds[f][0], NULL);
        char path[64];
        snprintf(path, sizeof path, "%s/x%s", folder, kinds[f][1]);
        if (!format || format->needs) continue;
        assert_in_range(survive_writing(format, path), 1, 200);
        for (int recover = 0; recover < 2; recover++)
            assert_in_range(survive_reading(format, path, recover), 2, 200);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_allocation_may_fail) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
