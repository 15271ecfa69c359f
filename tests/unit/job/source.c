/* SPDX-License-Identifier: MIT
 * source: robust PCA of a file has the bits of the tensor in memory, whatever its format; a file
 * that is larger than its memory comes slab by slab */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include <crease/job.h>

#include "io/stream/stream.h"

static const crease_space small = { .order = 3, .dim = { 6, 7, 8 } };
static const crease_space large = { .order = 3, .dim = { 2, 1449, 1449 } }; /* a row is a slab */
static const char *const names[] = { "t.npy", "t.h5" };
static char folder[] = "/tmp/crease-source-XXXXXX";

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

/* Rank one, with outliers; missing: and nan. */
static double entry(ptrdiff_t j, bool missing)
{
    if (missing && j % 23 == 5) return (double)NAN;
    return (1 + (double)(j / 56)) * (2 - 0.1 * (double)(j / 8 % 7)) * (1 + (double)(j % 8)) +
           (j % 41 == 3 ? 100 : 0);
}

/* The values of a file that has them, to be freed; NULL: its format is not built in. */
static double *write_file(const char *name, const crease_space *shape, bool missing, char path[60])
{
    snprintf(path, 60, "%s/%s", folder, name);
    if (crs_format_of(path)->needs) return NULL;
    const ptrdiff_t n = crease_size(shape);
    double *x = malloc((size_t)n * sizeof *x);
    const crs_item item = { .name = "T", .shape = shape, .data = x };
    assert_non_null(x);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = entry(j, missing);
    assert_true(crs_format_of(path)->write(path, 1, &item, NULL));
    return x;
}

static void solve(crease_source *t, double factor[8])
{
    crease_error e = { CREASE_OK, "" };
    crease_rpca_settings settings = crease_rpca_default(&small);
    settings.shape.order = 0; /* that of the source */
    settings.rank = 1;
    crease_rpca *r = t ? crease_rpca_new_on(&settings, NULL, t, &e) : NULL;
    if (!r) fail_msg("%s", e.text);
    crease_rpca_run(r);
    memcpy(factor, crease_rpca_factor(r, 2), 8 * sizeof *factor);
    crease_rpca_free(r);
    crease_source_free(t);
}

static void answers_are_those_in_memory(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        double found[8], wanted[8];
        char path[60];
        const bool missing = k / 2;
        double *x = write_file(names[k % 2], &small, missing, path);
        if (!x) continue;
        solve(crease_source_file(path, 0, missing, NULL), found);
        solve(crease_source_memory(&small, x, missing, NULL), wanted);
        assert_memory_equal(found, wanted, sizeof wanted);
        unlink(path);
        free(x);
    }
}

static void a_large_file_comes_in_slabs(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char path[60];
        double *x = write_file(names[k], &large, true, path);
        if (!x) continue;
        const double least = crs_stream_floor(&large, true);
        assert_null(crease_source_file(path, least - 1, true, NULL));
        crease_source *t = crease_source_file(path, 0, true, NULL);
        assert_non_null(t);
        const crease_space *shape = crease_source_shape(t);
        assert_true(crease_space_equal(shape, &large));
        for (ptrdiff_t s = 0; s < crease_slabs(shape); s++) {
            crs_slab slab;
            bool same = true;
            assert_true(t->slabs->ops->take(t->slabs, s, &slab, NULL));
            for (ptrdiff_t j = 0; j < crease_size(&slab.shape); j++) {
                const double y = x[slab.first + j];
                same = same && slab.w[j] == !isnan(y) && slab.t[j] == (isnan(y) ? 0 : y);
            }
            t->slabs->ops->give(t->slabs, &slab);
            assert_true(same);
        }
        crease_source_free(t);
        unlink(path);
        free(x);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    crease_error e;
    (void)state;
    assert_null(crease_source_file(NULL, 0, false, &e));
    assert_non_null(strstr(e.text, "NULL"));
    assert_null(crease_source_file("/nowhere/t.npy", 0, false, &e));
    assert_non_null(strstr(e.text, "/nowhere/t.npy"));
    assert_null(crease_source_file("t.npy", -1, false, &e));
    assert_null(crease_source_file("t.npy", (double)NAN, false, &e));
    assert_non_null(strstr(e.text, "give a number >= 0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_in_memory),
        cmocka_unit_test(a_large_file_comes_in_slabs),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
