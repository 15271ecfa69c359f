/* SPDX-License-Identifier: MIT
 * result: a document or a folder whose n-th allocation fails, here or in the JSON library, is not
 * there at all: nothing incomplete is written, nothing is left behind */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/survive.h"

#include "io/result/result.h"

static char folder[64], document[80];

static void *json_alloc(size_t n) { return crs_alloc(1, n); }

/* A little of everything that a result has. */
static void fill_in(crs_document *d, const crs_folder *f)
{
    const double x[6] = { 1, 2, NAN, -0.0, 1e300, 5 };
    const crs_summary s = { .verb = "solve",
                            .model = "problem",
                            .outcome = CREASE_STATIONARY,
                            .verdict = "VALID",
                            .objective = 1,
                            .residual = INFINITY };
    const crs_result r = crs_result_begin(d, &s);
    const crease_space shape = { 2, { 2, 3 }, NULL };
    const crs_asked asked = { .missing = true, .columns = "1-3", .shape = shape };
    double at[3] = { 1, 2, 3 };
    char *label[2] = { "a", "b" };
    const crs_axes axes = { .axis = { { .name = "sample", .count = 2, .label = label },
                                      { .count = 3, .at = at } } };
    const crs_data data = {
        .role = "data", .path = "/etc/hosts:x", .shape = &shape, .hash = "hash", .asked = &asked
    };
    crs_put_data(r.data, f, &data);
    crs_put_axes(r.top, "axes", &axes, 2);
    crs_put_number(r.settings, "eps", 1e-6);
    crs_put_exact(r.settings, "exact", 0.1);
    crs_put_array(r.details, "x", &(crease_space){ 2, { 2, 3 }, NULL }, x);
    crs_put_numbers(crs_put_object(r.details, "more"), "x", 6, x);
    crs_put_text(crs_put_list(r.details, "texts"), NULL, "\xff is no UTF-8");
}

static bool is_there(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

static bool write_document(crease_error *e)
{
    crs_document d;
    fill_in(&d, NULL);
    unlink(document);
    const bool done = crs_document_write(&d, document, NULL, e);
    crs_document_free(&d);
    assert_int_equal(is_there(document), done);
    return done;
}

static bool put_row(FILE *f, const void *what) { return fputs(what, f) >= 0; }

static void remove_folder(void)
{
    static const char *const name[] = { "x.npy", "rows.csv", "part_1/x.npy", "result.json",
                                        "part_1" };
    for (int k = 0; is_there(folder) && k < 5; k++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, name[k]);
        assert_int_equal(remove(path), 0);
    }
    if (is_there(folder)) assert_int_equal(rmdir(folder), 0);
}

/* The n-th allocation after begin, which reads an earlier result, fails; n < 0: any may. The JSON
 * library does not survive a failure while it reads. */
static bool replace_folder(long n, crease_error *e)
{
    crs_folder f;
    crs_document d = { .root = NULL };
    const crease_space s = crease_vector(3);
    const double x[3] = { 1, 2, 3 };
    bool done = crs_folder_begin(folder, is_there(folder), &f, e);
    if (n >= 0) allocations_left = n;
    if (done) fill_in(&d, &f);
    done = done && crs_folder_array(&f, "x.npy", &s, x, e) &&
           crs_folder_put(&f, "rows.csv", put_row, "1,2\n", e) &&
           crs_folder_array(&f, "part_1/x.npy", &s, x, e) && crs_folder_commit(&f, &d, e);
    crs_folder_abandon(&f);
    crs_document_free(&d);
    return done;
}

static bool write_folder(crease_error *e)
{
    remove_folder();
    const bool done = replace_folder(-1, e);
    assert_int_equal(is_there(folder), done);
    return done;
}

static void an_earlier_result_stays(void)
{
    for (int once = 0; once < 2; once++) {
        bool done = false;
        for (long n = 0; !done; n++) {
            crease_error e = { CREASE_OK, "" };
            allocations_recover = once;
            done = replace_folder(n, &e);
            allocations_left = -1;
            assert_true(allocations_live == 0 && is_there(folder));
            assert_int_equal(e.code, done ? CREASE_OK : CREASE_NO_MEMORY);
        }
    }
}

/* The names of the files in a document that was read back. */
static void read_back(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/result.json", folder);
    json_t *r = json_load_file(path, 0, NULL);
    assert_non_null(r);
    assert_int_equal(json_array_size(json_object_get(r, "files")), 4);
    json_decref(r);
}

static void nothing_incomplete_is_written(void **state)
{
    char home[] = "/tmp/crease-result-XXXXXX";
    (void)state;
    assert_non_null(mkdtemp(home));
    snprintf(folder, sizeof folder, "%s/result", home);
    snprintf(document, sizeof document, "%s/d.json", home);
    json_set_alloc_funcs(json_alloc, crs_free);
    survives(write_document, 30);
    survives(write_folder, 40);
    read_back();
    an_earlier_result_stays();
    read_back();
    unlink(document);
    remove_folder();
    assert_int_equal(rmdir(home), 0); /* and nothing else is there */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nothing_incomplete_is_written) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
