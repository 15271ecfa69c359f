/* SPDX-License-Identifier: MIT
 * libraries: HDF5, MAT, PNG, PGM and TIFF files that are written are read as they were; damaged
 * ones give an array or a sentence, in time, and this process goes on. CREASE_CAMPAIGN: how many
 * mutants of each format. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/test.h"

#include "io/formats/io.h"

#if defined(__SANITIZE_ADDRESS__)
/* An allocation beyond the child's limit fails, as it does without the sanitizer. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
#endif

static char folder[32] = "/tmp/crease-libs-XXXXXX";
static uint64_t seed = 1;
static unsigned draw(unsigned most)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(seed >> 33) % most;
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static bool is_here(const char *name)
{
    const crs_format *f = crs_format_find(name, NULL);
    return f && !f->needs && f->read && f->write;
}

static void path_of(const char *ending, char out[64])
{
    snprintf(out, 64, "%s/x%s", folder, ending);
}

static void write_item(const char *name, const char *path, const crs_item *item)
{
    crease_error e;
    if (!crs_format_find(name, NULL)->write(path, 1, item, &e)) fail_msg("%s: %s", name, e.text);
}

static void compare(const char *name, const crs_array *a, const crease_space *s, const double *x,
                    int order)
{
    assert_int_equal(a->shape.order, order);
    for (int n = 0; n < s->order; n++) assert_int_equal(a->shape.dim[n], s->dim[n]);
    for (ptrdiff_t k = 0; k < crease_size(s); k++)
        if (a->data[k] != x[k] && !(isnan(a->data[k]) && isnan(x[k])))
            fail_msg("%s: entry %td is %.17g, not %.17g", name, k, a->data[k], x[k]);
}

static void number_formats_keep_every_entry(void **state)
{
    static const char *const kinds[][2] = { { "h5", ".h5" },
                                            { "mat", ".mat" },
                                            { "tiff", ".tif" } };
    (void)state;
    for (size_t f = 0; f < 3; f++)
        for (int round = 0; is_here(kinds[f][0]) && round < 12; round++) {
            crease_space s = { .order = 1 + (int)draw(4) };
            double x[2000];
            char path[64];
            crs_array a;
            crease_error e;
            if (f == 2) s.order = 2 + round % 2;
            for (int n = 0; n < s.order; n++) s.dim[n] = 1 + (ptrdiff_t)draw(n == 0 ? 15 : 5);
            if (f == 2) s.dim[2] = 2 + round % 3; /* one page is no dimension */
            for (ptrdiff_t k = 0; k < crease_size(&s); k++)
                x[k] = draw(50)  ? ldexp((double)draw(1u << 30) - 5e8, (int)draw(200) - 100)
                       : draw(2) ? NAN
                                 : -0.0;
            path_of(kinds[f][1], path);
            write_item(kinds[f][0], path, &(crs_item){ .name = "x", .shape = &s, .data = x });
            if (!crs_read_array(path, &a, &e)) fail_msg("%s: %s", kinds[f][0], e.text);
            compare(kinds[f][0], &a, &s, x, f == 1 && s.order == 1 ? 2 : s.order);
            crs_array_free(&a);
            unlink(path);
        }
}

static void images_keep_samples_of_8_and_16_bits(void **state)
{
    static const char *const kinds[][2] = { { "png", ".png" },
                                            { "pgm", ".pgm" },
                                            { "tiff", ".tif" } };
    (void)state;
    for (size_t f = 0; f < 3; f++)
        for (int round = 0; is_here(kinds[f][0]) && round < 6; round++) {
            const double scale = round % 2 ? 65535 : 255;
            const crease_space s = { .order = 2,
                                     .dim = { 1 + (ptrdiff_t)draw(20), 1 + (ptrdiff_t)draw(20) } };
            double x[400];
            char path[64];
            crs_array a;
            crease_error e;
            for (ptrdiff_t k = 0; k < crease_size(&s); k++)
                x[k] = (double)draw((unsigned)scale + 1) / scale;
            path_of(kinds[f][1], path);
            write_item(kinds[f][0], path, &(crs_item){ .shape = &s, .data = x, .scale = scale });
            if (!crs_read_array(path, &a, &e)) fail_msg("%s: %s", kinds[f][0], e.text);
            compare(kinds[f][0], &a, &s, x, 2);
            assert_true(a.scale == scale);
            crs_array_free(&a);
            unlink(path);
        }
}

static void an_image_of_signed_entries_has_zero_at_gray(void **state)
{
    const crease_space s = { .order = 2, .dim = { 1, 4 } };
    const double x[] = { -2, 0, 1, NAN };
    char path[64];
    crs_array a;
    (void)state;
    path_of(".pgm", path);
    write_item("pgm", path, &(crs_item){ .shape = &s, .data = x });
    assert_true(crs_read_array(path, &a, NULL));
    assert_true(a.data[0] == 0 && a.data[1] == 128 / 255.0 && a.data[2] == 191 / 255.0 &&
                a.data[3] == 0);
    crs_array_free(&a);
    unlink(path);
}

/* Truncates, flips bits, writes extreme bytes, doubles or drops a part. */
static size_t mutate(const unsigned char *from, size_t n, unsigned char *to)
{
    static const unsigned char odd[] = { 0, 1, 127, 128, 254, 255 };
    memcpy(to, from, n);
    const unsigned kind = draw(8);
    if (kind == 0) return draw((unsigned)n);
    if (kind == 1) {
        const size_t at = draw((unsigned)n), gone = draw((unsigned)(n - at));
        memmove(to + at, from + at + gone, n - at - gone);
        return n - gone;
    }
    /* heads are where the structure is */
    for (unsigned k = 0, count = 1 + draw(6); k < count; k++) {
        const size_t at = draw(draw(2) ? (unsigned)n : (unsigned)(n < 600 ? n : 600));
        if (kind < 4)
            to[at] ^= (unsigned char)(1u << draw(8));
        else if (kind < 6)
            to[at] = odd[draw(6)];
        else
            memset(to + at, odd[draw(6)], n - at < 8 ? n - at : 8);
    }
    return n;
}

static void put(const char *path, const unsigned char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Computing time of processes that this one has started and that have ended. */
static double children_seconds(void)
{
    struct rusage r;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &r), 0);
    return (double)r.ru_utime.tv_sec + (double)r.ru_stime.tv_sec;
}

/* How many were read all the same. */
static int try_mutants(const char *path, int count)
{
    unsigned char whole[1 << 15], changed[1 << 15];
    FILE *f = fopen(path, "rb");
    const size_t n = fread(whole, 1, sizeof whole, f);
    int read = 0;
    fclose(f);
    assert_in_range(n, 20, sizeof whole - 1);
    for (int k = 0; k < count; k++) {
        crs_array a;
        crs_listing l;
        const crs_format *format;
        crease_error e = { CREASE_OK, "" };
        const double begun = children_seconds();
        put(path, changed, mutate(whole, n, changed));
        const bool done = crs_read_array(path, &a, &e);
        if (done) read++, assert_true(crease_space_check(&a.shape, NULL) && a.data);
        if (!done && (e.code == CREASE_OK || !e.text[0] || strstr(e.text, "(code")))
            fail_msg("%s, mutant %d: %s", path, k, e.text);
        crs_array_free(&a);
        if (k % 4 == 0 && crs_read_listing(path, NULL, &l, &format, &e)) crs_listing_free(&l);
        const double took = children_seconds() - begun;
        if (took > 15) fail_msg("%s, mutant %d: %.1f s", path, k, took);
    }
    return read;
}

static void damaged_files_are_refused_or_read(void **state)
{
    static const char *const kinds[][2] = {
        { "h5", ".h5" }, { "mat", ".mat" }, { "png", ".png" }, { "pgm", ".pgm" }, { "tiff", ".tif" }
    };
    const char *more = getenv("CREASE_CAMPAIGN");
    const int count = more ? atoi(more) : 200;
    const crease_space s = { .order = 2, .dim = { 24, 30 } };
    double x[720], at[24];
    char name[] = "time", unit[] = "s";
    crs_axes axes = { .axis = { { .name = name, .unit = unit, .count = 24, .at = at } } };
    (void)state;
    for (int k = 0; k < 720; k++) x[k] = (double)draw(256) / 255;
    for (int k = 0; k < 24; k++) at[k] = k;
    for (size_t f = 0; f < sizeof kinds / sizeof *kinds; f++) {
        char path[64];
        if (!is_here(kinds[f][0])) continue;
        path_of(kinds[f][1], path);
        write_item(kinds[f][0], path,
                   &(crs_item){ .name = "x", .shape = &s, .data = x, .axes = &axes, .scale = 255 });
        const int read = try_mutants(path, count);
        print_message("%s: %d of %d mutants were read\n", kinds[f][0], read, count);
        assert_true(read < count);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(number_formats_keep_every_entry),
        cmocka_unit_test(images_keep_samples_of_8_and_16_bits),
        cmocka_unit_test(an_image_of_signed_entries_has_zero_at_gray),
        cmocka_unit_test(damaged_files_are_refused_or_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
