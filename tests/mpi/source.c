/* SPDX-License-Identifier: MIT
 * source: robust PCA of a tensor over ranks has the bits of the tensor in memory, wherever it is;
 * what one rank cannot is a sentence on all of them, and nobody waits for who has left */
#define _XOPEN_SOURCE 700 /* mkdtemp */
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include <crease/crease.h>
#include <crease/mpi.h>

#include "io/stream/stream.h"

enum { SIDE = 1449, RIGHT = SIDE * SIDE, SLABS = 3 };
static const crease_space shape = { .order = 3,
                                    .dim = { SLABS, SIDE, SIDE } }; /* a row is a slab */
static int rank, size;

/* What rank 0 found, and the last slab of its sparse part. */
typedef struct {
    crease_error e;
    double factor[SIDE];
    double *sparse;
} answer;
static answer whole, holey; /* of the tensor in memory, without and with entries that are missing */

static double entry(ptrdiff_t at, bool missing)
{
    const double i = (double)(at / RIGHT), j = (double)(at / SIDE % SIDE), k = (double)(at % SIDE);
    if (missing && at % 1009 == 7) return (double)NAN;
    return (1 + i) * (2 - 0.001 * j) * (1 + 0.002 * k) + (at % 97 == 0 ? 25 : 0) +
           0.01 * (double)(at % 31);
}

static double *make(ptrdiff_t first, ptrdiff_t count, bool missing)
{
    double *x = malloc((size_t)(count + 1) * sizeof *x);
    for (ptrdiff_t n = 0; x && n < count; n++) x[n] = entry(first + n, missing);
    return x;
}

/* user: the slab that cannot be had. */
static bool load(void *user, const crease_slab *slab, double *out, crease_error *e)
{
    if (slab->index == *(const ptrdiff_t *)user) return crs_fail(e, CREASE_IO, "the tape is torn");
    for (ptrdiff_t n = 0; n < crease_size(&slab->shape); n++) out[n] = entry(slab->first + n, true);
    return true;
}

static crease_rpca *begin(crease_source *t, crease_error *e)
{
    crease_rpca_settings settings = crease_rpca_default(&shape);
    crease_options options = crease_rpca_options();
    settings.rank = 1;
    options.max_iterations = 1;
    return crease_rpca_new_on(&settings, &options, t, e);
}

/* A slab of the sparse part, to be freed. */
static double *read_slab(const crease_rpca *r, ptrdiff_t slab)
{
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    const ptrdiff_t rows = RIGHT / right;
    double *out = malloc(RIGHT * sizeof *out);
    if (out) crease_rpca_read(r, CREASE_RPCA_SPARSE, slab * rows, rows, out);
    return out;
}

static void solve(crease_source *t, answer *a)
{
    *a = (answer){ .e = { CREASE_OK, "" } };
    crease_rpca *r = t ? begin(t, &a->e) : NULL;
    if (r) {
        crease_rpca_run(r);
        memcpy(a->factor, crease_rpca_factor(r, 1), sizeof a->factor);
        a->sparse = read_slab(r, SLABS - 1);
        a->e = *crease_rpca_failure(r);
    }
    crease_rpca_free(r);
}

/* On rank 0 what robust PCA finds; the others serve. The source is freed. */
static bool find(crease_mpi *m, crease_source *t, answer *a)
{
    crease_error e = { CREASE_OK, "" };
    bool served = true;
    if (rank > 0)
        served = t && crease_mpi_serve(m, t, &e);
    else
        solve(t, a);
    crease_source_free(t);
    assert_true(served);
    return rank == 0;
}

static void expect(answer *a, const answer *wanted)
{
    const bool same = a->sparse && wanted->sparse &&
                      memcmp(a->sparse, wanted->sparse, RIGHT * sizeof(double)) == 0 &&
                      memcmp(a->factor, wanted->factor, sizeof a->factor) == 0;
    free(a->sparse);
    if (!same) fail_msg("other bits than in memory: %s", a->e.text);
}

static crease_mpi *open_ranks(void)
{
    crease_mpi *m = crease_mpi_open(MPI_COMM_WORLD, NULL);
    assert_non_null(m);
    return m;
}

/* The part of this rank, not in whole slabs; the second rank has none. */
static void own_part(ptrdiff_t *first, ptrdiff_t *count)
{
    const ptrdiff_t all = crease_size(&shape), parts = size > 1 ? size - 1 : 1;
    const ptrdiff_t part = rank > 1 ? rank - 1 : 0, each = all / parts;
    *first = rank == 1 ? each : each * part;
    *count = rank == 1 ? 0 : part == parts - 1 ? all - *first : each;
}

static void a_part_on_every_rank(void **state)
{
    answer found;
    ptrdiff_t first, count;
    crease_error e;
    (void)state;
    crease_mpi *m = open_ranks();
    own_part(&first, &count);
    double *local = make(first, count, true);
    crease_source *t = crease_mpi_part(m, &shape, first, count, local, true, &e);
    if (!t) print_message("%s\n", e.text);
    if (find(m, t, &found)) expect(&found, &holey);
    crease_mpi_close(m);
    free(local);
}

static void a_function_on_every_rank(void **state)
{
    answer found;
    ptrdiff_t none = -1;
    (void)state;
    crease_mpi *m = open_ranks();
    crease_source *t = crease_mpi_function(m, &shape, load, &none, 0, true, NULL);
    if (find(m, t, &found)) expect(&found, &holey);
    crease_mpi_close(m);
}

static void write_file(const char *path)
{
    double *x = make(0, crease_size(&shape), false);
    const crs_item item = { .name = "T", .shape = &shape, .data = x };
    const bool done = x && crs_format_of(path)->write(path, 1, &item, NULL);
    free(x);
    assert_true(done);
}

static void a_file_on_every_rank(void **state)
{
    char folder[40] = "/tmp/crease-source-XXXXXX", path[60];
    static const char *const names[] = { "t.npy", "t.h5" };
    (void)state;
    if (rank == 0) assert_non_null(mkdtemp(folder));
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int k = 0; k < 2; k++) {
        answer found;
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        if (crs_format_of(path)->needs) continue;
        if (rank == 0) write_file(path);
        MPI_Barrier(MPI_COMM_WORLD);
        crease_mpi *m = open_ranks();
        crease_source *t = crease_mpi_file(m, path, 0, false, NULL);
        if (find(m, t, &found)) expect(&found, &whole);
        crease_mpi_close(m);
        if (rank == 0) unlink(path);
    }
    if (rank == 0) rmdir(folder);
}

static void a_slab_that_cannot_be_had_ends_the_run(void **state)
{
    answer found;
    ptrdiff_t torn = SLABS - 1;
    (void)state;
    crease_mpi *m = open_ranks();
    crease_source *t = crease_mpi_function(m, &shape, load, &torn, 0, true, NULL);
    if (find(m, t, &found)) {
        free(found.sparse);
        assert_non_null(strstr(found.e.text, "slab 2 (entries"));
        assert_non_null(strstr(found.e.text, "the tape is torn"));
    }
    crease_mpi_close(m);
}

static void refused(crease_source *t, const crease_error *e, const char *text)
{
    const bool none = !t;
    crease_source_free(t);
    assert_true(none);
    if (!strstr(e->text, text)) fail_msg("\"%s\" lacks \"%s\"", e->text, text);
}

/* Each on the last rank alone, and a sentence on all. */
static void parts_that_do_not_fit_are_refused(void **state)
{
    const bool last = rank == size - 1;
    const crease_space other = { .order = 3, .dim = { SLABS, SIDE, SIDE - (last ? 1 : 0) } };
    ptrdiff_t first, count, all = crease_size(&shape);
    static const double x[1]; /* is not read */
    crease_space split = shape;
    crease_error e;
    (void)state;
    crease_mpi *m = open_ranks();
    if (last) split.comm = crease_mpi_comm(m);
    first = all / size * rank;
    count = last ? all - first : all / size;
    refused(crease_mpi_part(m, &shape, first + last, count - last, x, false, &e), &e,
            "it must begin with entry");
    refused(crease_mpi_part(m, &shape, first, count - last, x, false, &e), &e,
            "give every entry to one rank");
    refused(crease_mpi_part(m, &shape, first, count + last, x, false, &e), &e, "give a part of it");
    refused(crease_mpi_part(m, &shape, first, count, last ? NULL : x, false, &e), &e, "is NULL");
    refused(crease_mpi_part(m, &split, first, count, x, false, &e), &e, "comm");
    if (size > 1)
        refused(crease_mpi_part(m, &other, first, count - 4 * SLABS * SIDE * last, x, false, &e),
                &e, "another shape");
    crease_mpi_close(m);
}

static void what_one_rank_cannot_open_is_refused_on_all(void **state)
{
    const bool last = rank == size - 1;
    ptrdiff_t none = -1;
    char text[20];
    crease_error e;
    (void)state;
    crease_mpi *m = open_ranks();
    snprintf(text, sizeof text, "rank %d: ", size - 1);
    refused(crease_mpi_function(m, &shape, last ? NULL : load, &none, 0, true, &e), &e, text);
    refused(crease_mpi_function(m, &shape, load, &none, last ? -1 : 0, true, &e), &e, text);
    refused(crease_mpi_file(m, "/nowhere/t.npy", 0, true, &e), &e, "rank 0: ");
    refused(crease_mpi_file(m, NULL, 0, true, &e), &e, "NULL");
    crease_mpi_close(m);
}

/* By its source, or by its handle: rank 0 gets a sentence. */
static void who_leaves_without_serving_is_named(void **state)
{
    const bool last = rank == size - 1;
    ptrdiff_t none = -1;
    (void)state;
    for (int closes = 0; closes < 2 && size > 1; closes++) {
        answer found;
        char text[60];
        crease_mpi *m = open_ranks();
        crease_source *t = crease_mpi_function(m, &shape, load, &none, 0, true, NULL);
        snprintf(text, sizeof text, "rank %d has left without serving", size - 1);
        if (last && closes) {
            crease_mpi_close(m);
            crease_source_free(t);
            continue;
        }
        if (last)
            crease_source_free(t);
        else if (find(m, t, &found) && !strstr(found.e.text, text))
            print_error("%s\n", found.e.text), none = 0;
        crease_mpi_close(m);
        assert_true(none == -1);
    }
}

/* A second source waits for the end of the first; after it slabs of other ranks are out of reach.
 */
static void calls_out_of_turn_are_refused(void **state)
{
    ptrdiff_t none = -1;
    crease_error e = { CREASE_OK, "" }, first = e, second = e, late = e;
    (void)state;
    crease_mpi *m = open_ranks();
    crease_source *t = crease_mpi_function(m, &shape, load, &none, 0, true, &e);
    const bool served = crease_mpi_serve(m, t, &first) == (rank > 0);
    crease_source *busy = rank > 0 ? NULL : crease_mpi_file(m, "t.npy", 0, true, &second);
    crease_mpi_end(m);
    const bool again = crease_mpi_serve(m, t, &late);
    crease_source *more = crease_mpi_function(m, &shape, load, &none, 0, true, &e);
    crease_source_free(t);
    crease_mpi_close(m);
    refused(more, &e, "free it first");
    if (rank == 0) refused(busy, &second, "free it first");
    assert_true(served && !again);
    if (rank == 0) assert_non_null(strstr(first.text, "rank 0 cannot serve"));
    assert_non_null(strstr(late.text, "nothing to serve"));
}

static void slabs_of_others_are_read_before_the_end(void **state)
{
    ptrdiff_t first = rank == 0 ? 0 : RIGHT, count = rank == 0 ? RIGHT : 2 * (ptrdiff_t)RIGHT;
    crease_error e = { CREASE_OK, "" };
    (void)state;
    if (size == 1) return;
    if (rank > 1) first = 3 * (ptrdiff_t)RIGHT, count = 0;
    crease_mpi *m = open_ranks();
    double *local = make(first, count, false), *before = NULL, *after = NULL;
    crease_source *t = crease_mpi_part(m, &shape, first, count, local, false, &e);
    crease_rpca *r = t && rank == 0 ? begin(t, &e) : NULL;
    if (r) {
        crease_rpca_run(r);
        before = read_slab(r, SLABS - 1);
        crease_mpi_end(m);
        after = read_slab(r, 1);
        e = *crease_rpca_failure(r);
    }
    const bool served = rank == 0 || crease_mpi_serve(m, t, &e);
    const bool same = before && memcmp(before, whole.sparse, RIGHT * sizeof *before) == 0;
    const bool gone = after && isnan(after[0]);
    crease_rpca_free(r);
    crease_source_free(t);
    crease_mpi_close(m);
    free(local), free(before), free(after);
    assert_true(served && (rank > 0 || (same && gone)));
    if (rank == 0) assert_non_null(strstr(e.text, "read before the end"));
}

static void solve_in_memory(bool missing, answer *a)
{
    double *x = make(0, crease_size(&shape), missing);
    crease_source *t = crease_source_memory(&shape, x, missing, NULL);
    solve(t, a);
    crease_source_free(t);
    free(x);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_on_every_rank),
        cmocka_unit_test(a_function_on_every_rank),
        cmocka_unit_test(a_file_on_every_rank),
        cmocka_unit_test(a_slab_that_cannot_be_had_ends_the_run),
        cmocka_unit_test(parts_that_do_not_fit_are_refused),
        cmocka_unit_test(what_one_rank_cannot_open_is_refused_on_all),
        cmocka_unit_test(who_leaves_without_serving_is_named),
        cmocka_unit_test(calls_out_of_turn_are_refused),
        cmocka_unit_test(slabs_of_others_are_read_before_the_end),
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) solve_in_memory(false, &whole), solve_in_memory(true, &holey);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
    free(whole.sparse), free(holey.sparse);
    MPI_Finalize();
    return 0;
}
