/* SPDX-License-Identifier: MIT
 * mtx: Matrix Market files are read exactly, sparse as rows, dense as row-major; the first fault is
 * named by its line */
#include <stdio.h>

#include "support/test.h"

#include "io/formats/io.h"

#define COORDINATE "%%MatrixMarket matrix coordinate real general\n"
#define ARRAY      "%%MatrixMarket matrix array real general\n"

static FILE *file_of(const char *text)
{
    FILE *f = tmpfile();
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    rewind(f);
    return f;
}

static bool load(const char *text, crs_mtx *m, crease_error *e)
{
    FILE *f = file_of(text);
    const bool done = crs_mtx_read(f, "m.mtx", NULL, m, e);
    fclose(f);
    return done;
}

static bool load_array(const char *text, crs_array *a, crease_error *e)
{
    FILE *f = file_of(text);
    const bool done = crs_mtx_format.read(&(crs_input){ .f = f, .name = "m.mtx" }, NULL, a, e);
    fclose(f);
    return done;
}

/* Sparse or not as told, and with all entries written out this matrix. */
static void same(const char *text, bool sparse, ptrdiff_t rows, ptrdiff_t cols, const double *x)
{
    crs_mtx m;
    crease_error e;
    if (!load(text, &m, &e)) fail_msg("refused: %s\n%s", e.text, text);
    assert_int_equal(m.sparse, sparse);
    assert_int_equal(m.rows, rows);
    assert_int_equal(m.cols, cols);
    crs_mtx_free(&m);
    crs_array a;
    assert_true(load_array(text, &a, &e));
    assert_int_equal(crease_size(&a.shape), rows * cols);
    assert_int_equal(a.shape.order, rows == 1 || cols == 1 ? 1 : 2);
    for (ptrdiff_t j = 0; j < rows * cols; j++)
        if (a.data[j] != x[j]) fail_msg("entry %td is %g, not %g: %s", j, a.data[j], x[j], text);
    crs_array_free(&a);
}

static void patterns_and_skew_matrices_are_read(void **state)
{
    (void)state;
    same("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", true, 2, 2,
         (double[]){ 1, 1, 1, 0 });
    same("%%matrixmarket MATRIX coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 2 -1\n", true, 3, 3,
         (double[]){ 0, -5, 0, 5, 0, 1, 0, -1, 0 });
    same("%%MatrixMarket matrix array integer skew-symmetric\n3 3\n2\n3\n4\n", false, 3, 3,
         (double[]){ 0, -2, -3, 2, 0, -4, 3, 4, 0 });
}

static void entries_that_are_not_named_may_be_missing(void **state)
{
    const char *text =
        "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 5\n1 1 2\n2 2 0\n";
    FILE *f = file_of(text);
    crs_array a;
    (void)state;
    assert_true(crs_mtx_format.read(&(crs_input){ .f = f, .name = "m" },
                                    &(crs_asked){ .absent = "missing" }, &a, NULL));
    assert_true(a.gaps && a.data[0] == 7 && isnan(a.data[1]) && isnan(a.data[2]) && a.data[3] == 0);
    crs_array_free(&a);
    fclose(f);
}

static void refused(const char *text, const char *word)
{
    crs_mtx m;
    crease_error e = { CREASE_OK, "" };
    if (load(text, &m, &e)) fail_msg("accepted: %s", text);
    assert_int_equal(e.code, CREASE_BAD_DATA);
    assert_null(m.value);
    if (!strstr(e.text, word)) fail_msg("'%s' is not in: %s", word, e.text);
}

static void sparse_files_are_rows(void **state)
{
    (void)state;
    same(COORDINATE "2 3 3\n1 1 1.5\n2 3 -2\n1 2 1e-3\n", true, 2, 3,
         (double[]){ 1.5, 1e-3, 0, 0, 0, -2 });
    same(COORDINATE "% comment\n\n  2 2 2 \r\n% more\n\t2   1 0x1p-3\r\n\n1 2 7", true, 2, 2,
         (double[]){ 0, 7, 0.125, 0 });
    same(COORDINATE "1 2 3\n1 1 1\n1 1 2\n1 2 4\n", true, 1, 2, (double[]){ 3, 4 });
    same(COORDINATE "2 2 0\n", true, 2, 2, (double[]){ 0, 0, 0, 0 });
    same("%%MatrixMarket MATRIX Coordinate Integer Symmetric\n3 3 4\n1 1 1\n2 1 2\n3 3 3\n3 2 4\n",
         true, 3, 3, (double[]){ 1, 2, 0, 2, 0, 4, 0, 4, 3 });
}

static void dense_files_are_row_major(void **state)
{
    (void)state;
    same(ARRAY "2 3\n1\n2\n3\n4\n5\n6\n", false, 2, 3, (double[]){ 1, 3, 5, 2, 4, 6 });
    same(ARRAY "1 1\n-1e300\n", false, 1, 1, (double[]){ -1e300 });
    same("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", false, 3, 3,
         (double[]){ 1, 2, 3, 2, 4, 5, 3, 5, 6 });
}

/* Rows come in order; within a row the entries keep the order of the file. */
static void entries_keep_their_order_within_a_row(void **state)
{
    crs_mtx m;
    (void)state;
    assert_true(load(COORDINATE "3 4 5\n3 1 1\n1 4 2\n3 3 3\n1 2 4\n3 1 5\n", &m, NULL));
    const ptrdiff_t start[] = { 0, 2, 2, 5 }, col[] = { 3, 1, 0, 2, 0 };
    const double value[] = { 2, 4, 1, 3, 5 };
    assert_memory_equal(m.start, start, sizeof start);
    assert_memory_equal(m.col, col, sizeof col);
    assert_memory_equal(m.value, value, sizeof value);
    crs_mtx_free(&m);
}

static void long_comments_are_skipped(void **state)
{
    char text[3000] = COORDINATE;
    size_t n = strlen(text);
    (void)state;
    text[n++] = '%';
    memset(text + n, '1', 2000);
    snprintf(text + n + 2000, 100, "\n1 1 1\n1 1 9\n");
    same(text, true, 1, 1, (double[]){ 9 });
}

static void the_first_fault_is_named_by_its_line(void **state)
{
    (void)state;
    refused("", "line 0");
    refused("1 1 1\n", "line 1: it is no Matrix Market banner");
    refused("%%MatrixMarket vector coordinate real general\n", "banner");
    refused("%%MatrixMarket matrix coordinate complex general\n", "are complex");
    refused("%%MatrixMarket matrix coordinate quaternion general\n", "neither real nor integer");
    refused("%%MatrixMarket matrix array pattern general\n", "a pattern has coordinates");
    refused("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 5\n", "write row and");
    refused("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 5\n", "diagonal");
    refused("%%MatrixMarket matrix coordinate real hermitian\n", "neither general nor symmetric");
    refused("%%MatrixMarket matrix elements real general\n", "neither coordinate nor array");
    refused(COORDINATE, "sizes");
    refused(COORDINATE "2 2\n", "line 2: the sizes are missing");
    refused(ARRAY "2 2 2\n", "line 2: the sizes are missing");
    refused(COORDINATE "0 2 0\n", "'0' is no whole number");
    refused(COORDINATE "2 2 1e300\n", "'1e300' is no whole number");
    refused(COORDINATE "2 2 1e14\n1 1 1\n", "ends after 1 of 100000000000000");
    refused(COORDINATE "2 -2 1\n", "'-2'");
    refused(COORDINATE "1e10 1e10 1\n", "larger than memory");
    refused(COORDINATE "1e15 1 1\n1 1 1\n", "rows but only 1 entries");
    refused(COORDINATE "2 2 1\n0 1 1\n", "line 3: '0'");
    refused(COORDINATE "2 2 1\n1 3 1\n", "line 3: '3'");
    refused(COORDINATE "2 2 1\n1 1.5 1\n", "line 3: '1.5'");
    refused(COORDINATE "2 2 1\n1 1\n", "line 3: write row, column and value");
    refused(COORDINATE "2 2 1\n1 1 1 1\n", "line 3: write row, column and value");
    refused(COORDINATE "2 2 1\n1 1 one\n", "line 3: the value is not a number");
    refused(COORDINATE "2 2 1\n1 1 1,5\n", "line 3: the value is not a number");
    refused(COORDINATE "2 2 1\n1 1 nan\n", "line 3: the value is not finite");
    refused(COORDINATE "2 2 1\n1 1 1e999\n", "line 3: the value is not finite");
    refused(COORDINATE "2 2 2\n1 1 1\n", "ends after 1 of 2");
    refused(COORDINATE "2 2 1\n1 1 1\n1 2 1\n", "line 4: there are more");
    refused(ARRAY "2 2\n1\n2\n3\n", "ends after 3 of 4");
    refused(ARRAY "2 2\n1 2\n3 4\n", "line 3: write one value per line");
    refused("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", "as many rows as columns");
    refused("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "lower triangle");
    refused(ARRAY "1000000 1000000\n1\n", "ends after 1 of 1000000000000");
}

static void a_huge_sparse_matrix_is_not_written_out(void **state)
{
    crs_array a;
    crs_mtx m;
    crease_error e;
    (void)state;
    assert_true(load(COORDINATE "20000 20000 1\n1 1 1\n", &m, &e));
    crs_mtx_free(&m);
    assert_false(load_array(COORDINATE "20000 20000 1\n1 1 1\n", &a, &e));
    assert_null(a.data);
    assert_non_null(strstr(e.text, "linear map"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_and_skew_matrices_are_read),
        cmocka_unit_test(entries_that_are_not_named_may_be_missing),
        cmocka_unit_test(sparse_files_are_rows),
        cmocka_unit_test(dense_files_are_row_major),
        cmocka_unit_test(entries_keep_their_order_within_a_row),
        cmocka_unit_test(long_comments_are_skipped),
        cmocka_unit_test(the_first_fault_is_named_by_its_line),
        cmocka_unit_test(a_huge_sparse_matrix_is_not_written_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
