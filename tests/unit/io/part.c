/* SPDX-License-Identifier: MIT
 * part: an array of a result is the same from all its entries and from the pairs of those that are
 * not 0, in pieces of any size, and again from the first; pairs that are out of order are refused
 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include "io/result/result.h"

enum { SIZE = 24, PAIRS = 4 };
static const crease_space shape = { 3, { 2, 3, 4 }, NULL };
static const double good[2 * PAIRS] = { 0, 1.5, 7, -2, 8, 4, 23, 0.25 };

static void write_in(const char *folder, const char *name, const crease_space *s, const double *x)
{
    char path[200];
    crease_error e;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!crs_write_npy(path, &(crs_npy){ s, x, NULL }, NULL, &e)) fail_msg("%s", e.text);
}

static void remove_all(const char *folder)
{
    char path[200];
    snprintf(path, sizeof path, "%s/sparse.npy", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/sparse_entries.npy", folder);
    unlink(path);
    rmdir(folder);
}

static void read_all(crs_part *p, ptrdiff_t step, double *out)
{
    crease_error e;
    for (ptrdiff_t at = 0; at < SIZE; at += step)
        assert_true(crs_part_next(p, SIZE - at < step ? SIZE - at : step, out + at, &e));
}

static void pairs_are_the_dense_array(void **state)
{
    char folder[] = "/tmp/crease-part-XXXXXX";
    const crease_space pairs = crease_matrix(PAIRS, 2);
    double dense[SIZE] = { 0 }, got[SIZE];
    crs_part p;
    crease_error e;
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < PAIRS; k++) dense[(int)good[2 * k]] = good[2 * k + 1];
    for (int form = 0; form < 2; form++) {
        if (form == 0)
            write_in(folder, "sparse_entries.npy", &pairs, good);
        else
            write_in(folder, "sparse.npy", &shape, dense);
        assert_true(crs_part_open(folder, "sparse.npy", &shape, &p, &e));
        assert_int_equal(p.pairs, form == 0);
        for (ptrdiff_t step = 1; step <= SIZE; step++) {
            assert_true(crs_part_at(&p, 0, &e));
            read_all(&p, step, got);
            assert_memory_equal(got, dense, sizeof dense);
        }
        crs_part_close(&p);
    }
    remove_all(folder);
}

static void wrong_places_are_refused(void **state)
{
    static const double bad[][4] = {
        { 7, 1, 3, 1 }, { 7, 1, 7, 1 }, { 0.5, 1, 3, 1 }, { 1, 1, SIZE, 1 }, { -1, 1, 2, 1 }
    };
    char folder[] = "/tmp/crease-part-XXXXXX";
    const crease_space pairs = crease_matrix(2, 2);
    double got[SIZE];
    crs_part p;
    crease_error e;
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_false(crs_part_open(folder, "sparse.npy", &shape, &p, &e)); /* there is none */
    crs_part_close(&p);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        write_in(folder, "sparse_entries.npy", &pairs, bad[k]);
        const bool read =
            crs_part_open(folder, "sparse.npy", &shape, &p, &e) && crs_part_next(&p, SIZE, got, &e);
        assert_false(read);
        assert_int_equal(e.code, CREASE_BAD_DATA);
        crs_part_close(&p);
    }
    remove_all(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_the_dense_array),
        cmocka_unit_test(wrong_places_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
