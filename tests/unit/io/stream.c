/* SPDX-License-Identifier: MIT
 * stream: slabs that come from a file are those of the tensor in memory, bit for bit, whatever its
 * format; memory stays within what is allowed; a file that changes is an error */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"

#include "io/stream/stream.h"

static const crease_space shape = { .order = 3, .dim = { 4, 1449, 1449 } }; /* a row is a slab */
enum { SLABS = 4 };
static char folder[32] = "/tmp/crease-strm-XXXXXX";
static float *entries;

static int make_folder(void **state)
{
    (void)state;
    const ptrdiff_t n = crease_size(&shape);
    entries = malloc((size_t)n * sizeof *entries);
    for (ptrdiff_t j = 0; entries && j < n; j++)
        entries[j] = (float)(j % 1009 == 0 ? 1e5 : (double)(j / 64 % 4096) / 7);
    return entries && mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    free(entries);
    return rmdir(folder);
}

static const char *path_of(const char *name)
{
    static char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static bool put_rows(void *self, crs_sink *to, crease_error *e)
{
    double *row = self;
    const ptrdiff_t n = shape.dim[1] * shape.dim[2];
    for (ptrdiff_t i = SLABS - 1; i >= 0; i--) { /* in any order */
        for (ptrdiff_t j = 0; j < n; j++) row[j] = (double)entries[i * n + j];
        if (!crs_sink_put(to, i * n, n, row, e)) return false;
    }
    return true;
}

/* In one piece, of 4 or 8 bytes an entry. */
static void write_file(const char *path, bool single)
{
    crease_error e;
    const crs_item item = { .name = "T", .shape = &shape, .single = single };
    double *row = malloc((size_t)(shape.dim[1] * shape.dim[2]) * sizeof *row);
    assert_non_null(row);
    if (!crs_sink_write(path, crs_format_of(path), &item, put_rows, row, &e))
        fail_msg("%s", e.text);
    free(row);
}

/* In chunks that are deflated. */
static void write_packed(const char *path, bool single)
{
    const ptrdiff_t n = crease_size(&shape);
    double *all = malloc((size_t)n * sizeof *all);
    const crs_item item = { .name = "T", .shape = &shape, .data = all, .single = single };
    assert_non_null(all);
    for (ptrdiff_t j = 0; j < n; j++) all[j] = (double)entries[j];
    assert_true(crs_format_of(path)->write(path, 1, &item, NULL));
    free(all);
}

static void expect_slabs(crs_source *s)
{
    for (int pass = 0; pass < 2; pass++)
        for (ptrdiff_t k = 0; k < SLABS; k++) {
            crs_slab slab;
            crease_error e;
            if (!s->ops->take(s, k, &slab, &e)) fail_msg("%s", e.text);
            bool same = true;
            for (ptrdiff_t j = 0; j < crease_size(&slab.shape); j++)
                same = same && slab.t[j] == (double)entries[slab.first + j];
            assert_true(same);
            s->ops->give(s, &slab);
        }
}

static void hash_of_entries(char hash[CRS_HASH])
{
    crs_array a = { .shape = shape };
    const ptrdiff_t n = crease_size(&shape);
    a.data = malloc((size_t)n * sizeof *a.data);
    assert_non_null(a.data);
    for (ptrdiff_t j = 0; j < n; j++) a.data[j] = (double)entries[j];
    crs_array_hash(&a, hash);
    free(a.data);
}

/* Each half of the slabs by itself, and what both find added up. */
static void the_hash_is_that_of_parts(void **state)
{
    (void)state;
    int64_t word[2][SLABS * CRS_SLAB_WORDS] = { { 0 } };
    char wanted[CRS_HASH], hash[CRS_HASH];
    const crs_partition cut = crs_partition_of(&shape);
    double *x = malloc((size_t)crs_slab_most(&cut) * sizeof *x);
    assert_non_null(x);
    for (int half = 0; half < 2; half++) {
        crs_entries_hash h;
        crs_array_hash_part(&h, &shape, half * (SLABS / 2), word[half]);
        for (ptrdiff_t k = half * (SLABS / 2); k < (half ? SLABS : SLABS / 2); k++) {
            const crs_slab slab = crs_slab_at(&cut, k);
            const ptrdiff_t n = crease_size(&slab.shape), cuts[] = { 0, 7, n / 2, n };
            for (ptrdiff_t j = 0; j < n; j++) x[j] = (double)entries[slab.first + j];
            for (int c = 0; c < 3; c++) crs_array_hash_add(&h, cuts[c + 1] - cuts[c], x + cuts[c]);
        }
    }
    for (int k = 0; k < SLABS * CRS_SLAB_WORDS; k++) word[0][k] += word[1][k];
    crs_hash_from_words(&shape, SLABS, word[0], hash);
    hash_of_entries(wanted);
    assert_string_equal(hash, wanted);
    free(x);
}

static void slabs_of_any_format_are_those_in_memory(void **state)
{
    (void)state;
    static const char *const name[] = { "a.npy", "b.npy", "a.h5", "b.h5", "packed.h5" };
    char wanted[CRS_HASH], hash[CRS_HASH];
    hash_of_entries(wanted);
    assert_memory_equal(wanted, "sha256/slabs:", 13);
    for (int k = 0; k < 5; k++) {
        const char *path = path_of(name[k]);
        const bool single = name[k][0] != 'b';
        if (crs_format_of(path)->needs) continue;
        if (k < 4)
            write_file(path, single);
        else
            write_packed(path, single);
        crs_array about;
        const crs_stream_settings set = { .bytes = crs_stream_floor(&shape, false),
                                          .about = &about };
        crease_error e;
        crs_source *s = crs_stream_open(path, &set, &e);
        if (!s) fail_msg("%s", e.text);
        assert_string_equal(s->ops->name, "stream");
        assert_true(crease_space_equal(&about.shape, &shape));
        assert_null(about.data);
        expect_slabs(s);
        if (k == 4) {
            assert_true(crs_source_hash(s, 2, NULL, hash, &e));
            assert_string_equal(hash, wanted);
        }
        s->ops->close(s);
        crs_array_free(&about);
        unlink(path);
    }
}

static void what_fits_is_read_at_once(void **state)
{
    (void)state;
    const char *path = path_of("a.npy");
    const double all = (double)crease_size(&shape);
    write_file(path, true);
    const crs_stream_settings set = { .bytes = 9 * all, .missing = true };
    crs_source *s = crs_stream_open(path, &set, NULL);
    assert_non_null(s);
    assert_string_equal(s->ops->name, "memory");
    assert_non_null(s->whole);
    assert_non_null(s->seen);
    expect_slabs(s);
    s->ops->close(s);
    unlink(path);
}

static void parts_are_the_slabs_of_their_own(void **state)
{
    (void)state;
    const char *path = path_of("a.npy");
    ptrdiff_t next = 0;
    write_file(path, true);
    for (int part = 0; part < 2; part++) {
        const crs_stream_settings set = { .bytes = INFINITY, .part = part, .parts = 2 };
        crs_source *s = crs_stream_open(path, &set, NULL);
        assert_non_null(s);
        assert_int_equal(s->first, next);
        next += s->count;
        for (ptrdiff_t k = s->first; k < next; k++) {
            crs_slab slab;
            assert_true(s->ops->take(s, k, &slab, NULL));
            assert_true(slab.t[1] == (double)entries[slab.first + 1]);
            s->ops->give(s, &slab);
        }
        s->ops->close(s);
    }
    assert_int_equal(next, SLABS);
    unlink(path);
}

/* VmHWM of this process in bytes; the mark is set back to what is in use now. */
static double most_memory(bool again)
{
    char line[200];
    long long kilobytes = 0;
    if (again) {
        FILE *f = fopen("/proc/self/clear_refs", "w");
        if (f) fputs("5", f), fclose(f);
    }
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %lld kB", &kilobytes) == 1) break;
    if (f) fclose(f);
    return 1024 * (double)kilobytes;
}

static void memory_stays_within_the_budget(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    skip(); /* freed memory is kept */
#endif
    const char *path = path_of("a.npy");
    const double floor_bytes = crs_stream_floor(&shape, true);
    write_file(path, true);
    const double before = most_memory(true);
    const crs_stream_settings set = { .bytes = floor_bytes, .missing = true };
    crs_source *s = crs_stream_open(path, &set, NULL);
    assert_non_null(s);
    expect_slabs(s);
    s->ops->close(s);
    assert_true(most_memory(false) - before <= 1.1 * floor_bytes);
    unlink(path);
}

static void a_budget_below_the_floor_is_refused_with_the_floor(void **state)
{
    (void)state;
    const char *path = path_of("a.npy");
    crease_error e = { 0 };
    write_file(path, true);
    const crs_stream_settings set = { .bytes = 0.9 * crs_stream_floor(&shape, false) };
    assert_null(crs_stream_open(path, &set, &e));
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    assert_non_null(strstr(e.text, "give 50.4 MB or more"));
    unlink(path);
}

static void a_file_that_changes_names_slab_and_rows(void **state)
{
    (void)state;
    static const char *const name[] = { "a.npy", "packed.h5" };
    for (int k = 0; k < 2; k++) {
        const char *path = path_of(name[k]);
        struct stat found;
        crs_slab slab;
        crease_error e = { 0 };
        if (crs_format_of(path)->needs) continue;
        if (k == 0)
            write_file(path, true);
        else
            write_packed(path, true);
        const crs_stream_settings set = { .bytes = crs_stream_floor(&shape, false) };
        crs_source *s = crs_stream_open(path, &set, NULL);
        assert_non_null(s);
        assert_true(s->ops->take(s, 0, &slab, &e));
        assert_int_equal(stat(path, &found), 0);
        assert_int_equal(truncate(path, found.st_size / 2), 0);
        s->ops->give(s, &slab);
        bool done = true;
        for (ptrdiff_t j = 1; done && j < SLABS; j++) {
            done = s->ops->take(s, j, &slab, &e);
            if (done) s->ops->give(s, &slab);
        }
        assert_false(done);
        assert_int_equal(e.code, CREASE_IO);
        assert_non_null(strstr(e.text, "the file has changed"));
        assert_non_null(strstr(e.text, "slab "));
        assert_non_null(strstr(e.text, " (rows "));
        assert_non_null(strstr(e.text, name[k]));
        s->ops->close(s);
        unlink(path);
    }
}

static void nan_marks_missing_entries(void **state)
{
    (void)state;
    const char *path = path_of("a.npy");
    const float was = entries[77];
    char hash[CRS_HASH], wanted[CRS_HASH];
    entries[77] = NAN;
    write_file(path, true);
    hash_of_entries(wanted);
    const crs_stream_settings set = { .bytes = crs_stream_floor(&shape, true), .missing = true };
    crs_source *s = crs_stream_open(path, &set, NULL);
    crs_slab slab;
    assert_non_null(s);
    assert_true(s->ops->take(s, 0, &slab, NULL));
    assert_true(slab.t[77] == 0 && slab.w[77] == 0 && slab.w[76] == 1 && slab.w[78] == 1);
    s->ops->give(s, &slab);
    assert_true(crs_source_hash(s, 1, NULL, hash, NULL));
    assert_string_equal(hash, wanted);
    s->ops->close(s);
    entries[77] = was;
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_is_that_of_parts),
        cmocka_unit_test(slabs_of_any_format_are_those_in_memory),
        cmocka_unit_test(what_fits_is_read_at_once),
        cmocka_unit_test(parts_are_the_slabs_of_their_own),
        cmocka_unit_test(memory_stays_within_the_budget),
        cmocka_unit_test(a_budget_below_the_floor_is_refused_with_the_floor),
        cmocka_unit_test(a_file_that_changes_names_slab_and_rows),
        cmocka_unit_test(nan_marks_missing_entries),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
