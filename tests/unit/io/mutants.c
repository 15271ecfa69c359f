/* SPDX-License-Identifier: MIT
 * mutants: thousands of damaged files of every format with a parser of our own, gzip included: each
 * is read, or refused with a sentence. Under the sanitizers no byte is read that is not there and
 * nothing leaks. tests/fuzz has the same without an end. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include "support/mutants.h"

enum { MOST = 1 << 14 };

typedef struct {
    unsigned char byte[MOST];
    size_t n;
} bytes;

static void load(const char *path, bytes *b)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    b->n = fread(b->byte, 1, MOST, f);
    fclose(f);
    assert_in_range(b->n, 1, MOST - 64);
}

static unsigned pick(draws *d, size_t n)
{
    return (unsigned)crease_random_below(d->r, d->next++, n);
}

/* One change: a bit, a byte, a number at a place where numbers are, a piece cut, copied or moved.
 */
static void spoil(bytes *b, draws *d)
{
    static const char odd[] = "\0\xff\x7f\x80\x01 ,;\"\n-9e0#:.";
    const size_t at = pick(d, b->n);
    size_t length = 1 + pick(d, 16);
    if (at + length > b->n) length = b->n - at;
    switch (pick(d, 7)) {
    case 0:
        b->byte[at] ^= (unsigned char)(1u << pick(d, 8));
        break;
    case 1:
        b->byte[at] = (unsigned char)odd[pick(d, sizeof odd - 1)];
        break;
    case 2:
        memset(b->byte + at, odd[pick(d, 5)], length);
        break;
    case 3:
        b->n = at + 1;
        break;
    case 4:
        memmove(b->byte + at, b->byte + at + length, b->n - at - length);
        b->n -= b->n > length ? length : 0;
        break;
    case 5:
        if (b->n + length > MOST) break;
        memmove(b->byte + at + length, b->byte + at, b->n - at);
        b->n += length;
        break;
    default:
        memmove(b->byte + at, b->byte + pick(d, b->n - length + 1), length);
    }
}

static void mutate(const crs_format *f, const bytes *whole, int count, draws *d)
{
    static bytes b;
    for (int k = 0; k < count; k++) {
        b = *whole;
        for (int times = 1 + (int)pick(d, 4); times > 0 && b.n > 0; times--) spoil(&b, d);
        if (!try_all(f, b.byte, b.n))
            fail_msg("%s: mutant %d is neither read nor refused", f->name, k);
    }
    for (size_t n = 1; n < whole->n; n += 1 + whole->n / 300)
        if (!try_all(f, whole->byte, n)) fail_msg("%s: cut at %zu", f->name, n);
}

/* A file of this format with axes, as we write it. */
static void make(const crs_format *f, const char *ending, const char *folder, bytes *b)
{
    static const char *const word[] = { "a", "b\"c", "\xC3\xA9", "12" };
    static double x[24], at[4] = { 1, 2, 3, 4 };
    const bool flat = f == &crs_csv_format || f == &crs_mtx_format;
    const crease_space s =
        flat ? crease_matrix(3, 4) : (crease_space){ .order = 3, .dim = { 3, 4, 2 } };
    crs_axes axes = { .axis = { { .name = NULL } } };
    char path[80];
    crease_error e;
    for (int k = 0; k < 24; k++) x[k] = k % 5 == 0 && f != &crs_mtx_format ? NAN : k * 0.37 - 3;
    assert_true(crs_axis_labels(&axes.axis[0], 3, word, &e));
    assert_true(crs_axis_at(&axes.axis[1], 4, at, &e));
    assert_true(crs_axis_name(&axes.axis[1], "x", "nm", &e));
    snprintf(path, sizeof path, "%s/a%s", folder, ending);
    const crs_item item = { .name = "a", .shape = &s, .data = x, .axes = &axes };
    if (!f->write(path, 1, &item, &e)) fail_msg("%s", e.text);
    load(path, b);
    unlink(path);
    crs_axes_free(&axes);
}

static void every_mutant_is_read_or_refused(void **state)
{
    static const struct {
        const crs_format *format;
        const char *ending;
    } kind[] = { { &crs_npy_format, ".npy" }, { &crs_npz_format, ".npz" },
                 { &crs_csv_format, ".csv" }, { &crs_mtx_format, ".mtx" },
                 { &crs_tns_format, ".tns" }, { &crs_nifti_format, ".nii" } };
    static bytes whole;
    char folder[] = "/tmp/crease-mutants-XXXXXX";
    draws d = { { 14, 2 }, 0 };
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        make(kind[k].format, kind[k].ending, folder, &whole);
        assert_true(try_all(kind[k].format, whole.byte, whole.n));
        mutate(kind[k].format, &whole, 4000, &d);
    }
    rmdir(folder);
}

/* Through the door of all formats: gzip around a file, both of them damaged. */
static void packed_mutants_are_read_or_refused(void **state)
{
    static bytes whole, b;
    char folder[] = "/tmp/crease-mutants-XXXXXX", path[80];
    draws d = { { 15, 2 }, 0 };
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/b.dat", folder);
    make(&crs_nifti_format, ".nii.gz", folder, &whole);
    for (int k = 0; k < 1000; k++) {
        crs_array a;
        crease_error e = { CREASE_OK, "" };
        b = whole;
        if (k > 0) spoil(&b, &d);
        FILE *f = fopen(path, "wb");
        assert_true(f && fwrite(b.byte, 1, b.n, f) == b.n && fclose(f) == 0);
        const bool done = crs_read_array(path, &a, &e);
        assert_true(done || k > 0);
        if (!judge_reading(done, &a, &e)) fail_msg("mutant %d", k);
    }
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mutant_is_read_or_refused),
        cmocka_unit_test(packed_mutants_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
