/* SPDX-License-Identifier: MIT
 * csv: tables of every dialect are read exactly, with the names of columns in the first row; the
 * first fault is named by line and column */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include "io/formats/io.h"

/* Through a real file, so that the choice by name is part of it. */
static bool load_bytes(const char *text, size_t n, crs_array *a, crease_error *e)
{
    char folder[] = "/tmp/crease-csv-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.csv", folder);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
    const bool done = crs_read_array(path, a, e);
    unlink(path);
    rmdir(folder);
    return done;
}

/* The text is this matrix, or with one row or column this vector. */
static void same(const char *text, ptrdiff_t rows, ptrdiff_t columns, const double *x)
{
    crs_array a;
    crease_error e;
    const crease_space s =
        rows == 1 || columns == 1 ? crease_vector(rows * columns) : crease_matrix(rows, columns);
    if (!load_bytes(text, strlen(text), &a, &e)) fail_msg("refused: %s\n%s", e.text, text);
    if (!crease_space_equal(&a.shape, &s)) fail_msg("another shape: %s", text);
    for (ptrdiff_t j = 0; j < crease_size(&s); j++)
        if (!(a.data[j] == x[j] || (isnan(a.data[j]) && isnan(x[j]))))
            fail_msg("entry %td is %g, not %g: %s", j + 1, a.data[j], x[j], text);
    crs_array_free(&a);
}

static void refused_bytes(const char *text, size_t n, const char *word)
{
    crs_array a;
    crease_error e = { CREASE_OK, "" };
    if (load_bytes(text, n, &a, &e)) fail_msg("accepted: %s", text);
    assert_int_equal(e.code, CREASE_BAD_DATA);
    assert_null(a.data);
    if (!strstr(e.text, word)) fail_msg("'%s' is not in: %s", word, e.text);
}

static void refused(const char *text, const char *word) { refused_bytes(text, strlen(text), word); }

static void dialects_agree(void **state)
{
    const double x[6] = { 1, -2.5, 3e-3, 4, 5, 6 };
    (void)state;
    same("1,-2.5,3e-3\n4,5,6\n", 2, 3, x);
    same("1;-2.5;3e-3\n4;5;6\n", 2, 3, x);
    same("1\t-2.5\t3e-3\n4\t5\t6\n", 2, 3, x);
    same("1 -2.5  3e-3\n  4   5 6  \n", 2, 3, x);
    same("1,-2.5,3e-3\r\n4,5,6\r\n", 2, 3, x);
    same("1,-2.5,3e-3\r4,5,6", 2, 3, x);
    same("1,-2.5,3e-3\n4,5,6", 2, 3, x);
    same("\xEF\xBB\xBF"
         "1,-2.5,3e-3\n4,5,6",
         2, 3, x);
    same("a,b,c\n1,-2.5,3e-3\n4,5,6", 2, 3, x);
    same("\"a, b\";\"say \"\"b\"\"\";c\n\"1\";\" -2.5 \"; 3e-3\n4;5;6", 2, 3, x);
    same("some words first\n1,-2.5,3e-3\n4,5,6", 2, 3, x);
    same("# 7,8,9\n1, -2.5, 3e-3 # first\n\n   \n\t\n4 ,5 ,6\n#end", 2, 3, x);
    same("+1,-25e-1,.003\n0x4,5.,6e0", 2, 3, x);
    same("1\n-2.5\n3e-3\n4\n5\n6", 6, 1, x);
    same("1,-2.5,3e-3,4,5,6", 1, 6, x);
    same("name\n1\n-2.5\n3e-3\n4\n5\n6", 6, 1, x);
    same("1", 1, 1, x);
}

static void special_values_are_kept(void **state)
{
    const double x[4] = { NAN, INFINITY, -INFINITY, 5e-324 };
    (void)state;
    same("nan,inf,-Infinity,5e-324", 1, 4, x);
}

static void faults_are_named(void **state)
{
    (void)state;
    refused("1,2\n3,4\n5\n", "line 3 has 1 column ");
    refused("1,2\n3,4,5\n", "line 2 has 3 columns");
    refused("# c\n\n1,2\r\n3,\n", "line 4, column 2: the cell is empty");
    refused("1,,3", "line 1, column 2: the cell is empty");
    refused(",1", "line 1, column 1: the cell is empty");
    refused("1,2\nx,4", "line 2, column 1: 'x' is not a number");
    refused("1,NA,3", "line 1, column 2: 'NA'");
    refused("1,5;2,5\n3;4", "line 1, column 1: '1,5' is not a number");
    refused("a;b\n1;2,5", "line 2, column 2: '2,5'");
    refused("a,b\nc,d\n1,2", "line 2, column 1: 'c'");
    refused("1,1e400", "line 1, column 2: '1e400' is beyond the range");
    refused("1,\"2", "line 1: a quote is not closed");
    refused("", "holds no numbers");
    refused("\n \n# only a comment", "holds no numbers");
    refused("a,b,c\n", "holds no numbers");
    refused("1,2\t", "line 1, column 1: '1,2'");
    refused("1 2 3\n4\t5", "line 2");
    refused_bytes("1,2\0003,4", 7, "line 1, column 2");
    refused_bytes("\0", 1, "line 1, column 1");
}

/* The text with gaps gives these numbers, nan where there is none, and this notice. */
static void gapped(const char *text, ptrdiff_t count, const double *wanted, const char *notice)
{
    char folder[] = "/tmp/crease-gaps-XXXXXX", path[64];
    crease_error e;
    crs_array a;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.csv", folder);
    FILE *f = fopen(path, "wb");
    assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
    if (!crs_read_asked(path, &(crs_asked){ .missing = true }, &a, &e))
        fail_msg("refused: %s\n%s", e.text, text);
    assert_int_equal(crease_size(&a.shape), count);
    for (ptrdiff_t k = 0; k < count; k++)
        assert_true(isnan(wanted[k]) ? isnan(a.data[k]) : a.data[k] == wanted[k]);
    assert_non_null(strstr(a.notice, notice));
    crs_array_free(&a);
    unlink(path);
    rmdir(folder);
}

static void empty_cells_and_NA_are_missing_where_that_is_asked_for(void **state)
{
    (void)state;
    gapped("1,,3\n4,5,NA\n", 6, (double[]){ 1, NAN, 3, 4, 5, NAN }, "");
    gapped(",1\n2,\n", 4, (double[]){ NAN, 1, 2, NAN }, "");
    gapped("NA;NA\n1;2\n", 4, (double[]){ NAN, NAN, 1, 2 }, "");
    gapped("a\tb\n\t2\n\"NA\"\tnan\n", 4, (double[]){ NAN, 2, NAN, NAN }, "");
}

static void a_first_column_of_names_is_left_out(void **state)
{
    (void)state;
    gapped("\"\",\"a\",\"b\"\n\"r1\",1,2\n\"r2\",,4\n", 4, (double[]){ 1, 2, NAN, 4 },
           "names of rows");
    gapped("x 1 2\ny 3 4\n", 4, (double[]){ 1, 2, 3, 4 }, "names of rows");
    gapped("x,NA,2\n7,3,4\n", 4, (double[]){ NAN, 2, 3, 4 }, "names of rows");
    refused("x,1,2\ny,3,z\n", "line 2, column 3: 'z'");
    refused("x,1,2\ny,3\n", "line 2 has 1 column ");
}

static void numbers_survive_a_round_trip(void **state)
{
    enum { ROWS = 50, COLUMNS = 20 };
    static double x[ROWS * COLUMNS];
    static char text[ROWS * COLUMNS * 32];
    static const char separator[] = ",;\t ";
    draws d = { { 3, 3 }, 0 };
    (void)state;
    for (int k = 0; k < 4; k++) {
        size_t n = 0;
        for (int j = 0; j < ROWS * COLUMNS; j++) {
            x[j] = normal(&d) * pow(10, uniform(&d, -300, 300));
            n += (size_t)snprintf(text + n, sizeof text - n, "%.17g%c", x[j],
                                  j % COLUMNS == COLUMNS - 1 ? '\n' : separator[k]);
        }
        same(text, ROWS, COLUMNS, x);
    }
}

static void long_rows_and_cells_are_fine(void **state)
{
    enum { COLUMNS = 1000000 };
    char *text = malloc(2 * COLUMNS);
    double *x = malloc(COLUMNS * sizeof *x);
    char cell[400];
    (void)state;
    assert_non_null(text);
    assert_non_null(x);
    for (int j = 0; j < COLUMNS; j++) {
        x[j] = j % 10;
        text[2 * j] = (char)('0' + j % 10);
        text[2 * j + 1] = j == COLUMNS - 1 ? '\0' : ',';
    }
    same(text, 1, COLUMNS, x);
    free(text);
    free(x);
    memset(cell, '1', sizeof cell - 1);
    cell[sizeof cell - 1] = '\0';
    refused(cell, "is not a number");
}

static void load_named(const char *text, crs_array *a, crs_names *names)
{
    char folder[] = "/tmp/crease-names-XXXXXX", path[64];
    crease_error e;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.csv", folder);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    if (!crs_read_table(path, a, names, &e)) fail_msg("refused: %s\n%s", e.text, text);
    unlink(path);
    rmdir(folder);
}

static void named(const char *text, ptrdiff_t count, const char *const *wanted)
{
    crs_array a;
    crs_names names;
    load_named(text, &a, &names);
    if (names.count != count) fail_msg("%td names instead of %td: %s", names.count, count, text);
    for (ptrdiff_t k = 0; k < count; k++)
        if (strcmp(names.name[k], wanted[k]) != 0) fail_msg("'%s' in %s", names.name[k], text);
    assert_string_equal(a.notice, "");
    crs_array_free(&a);
    crs_names_free(&names);
}

static void names_of_columns_in_every_dialect(void **state)
{
    const char *const abc[] = { "a", "b", "c" };
    (void)state;
    named("a,b,c\n1,2,3\n4,5,6\n", 3, abc);
    named("a;b;c\r\n1;2;3\r\n", 3, abc);
    named("a\tb\tc\n1\t2\t3\n", 3, abc);
    named("# first\n\n  a  b c\n1 2 3\n4 5 6\n", 3, abc);
    named("\xEF\xBB\xBF\"a\",\"b\", c \n1,2,3\n", 3, abc);
    named("a\n1\n2\n3\n", 1, abc);
    named("1,2,3\n4,5,6\n", 0, NULL);
    named("1\n", 0, NULL);
    named("\"x, y\",,\"p q\"\n1,2,3\n", 3, (const char *const[]){ "x, y", "", "p q" });
    named("a,\n1,2\n", 2, (const char *const[]){ "a", "" });
}

/* A long row of long names: nothing is cut. */
static void long_names_are_not_cut(void **state)
{
    enum { COUNT = 500, LENGTH = 300 };
    char *text = malloc(COUNT * (LENGTH + 1) + COUNT * 2 + 1), *at = text;
    crs_array a;
    crs_names names;
    (void)state;
    for (int k = 0; k < COUNT; k++) {
        for (int j = 0; j < LENGTH; j++) *at++ = (char)('a' + k % 26);
        *at++ = k + 1 < COUNT ? ',' : '\n';
    }
    for (int k = 0; k < COUNT; k++) *at++ = '1', *at++ = k + 1 < COUNT ? ',' : '\n';
    *at = '\0';
    load_named(text, &a, &names);
    assert_int_equal(names.count, COUNT);
    for (int k = 0; k < COUNT; k++) {
        assert_int_equal(strlen(names.name[k]), LENGTH);
        assert_true(names.name[k][LENGTH - 1] == 'a' + k % 26);
    }
    crs_array_free(&a);
    crs_names_free(&names);
    free(text);
}

/* As many names as columns, or none and a word about it. */
static void names_that_do_not_fit_the_columns_are_left_out(void **state)
{
    crs_array a;
    crs_names names;
    (void)state;
    load_named("a,b\n1,2,3\n4,5,6\n", &a, &names);
    assert_true(names.count == 0 && !names.text && !names.name);
    assert_non_null(strstr(a.notice, "2 names for 3 columns"));
    assert_true(crease_size(&a.shape) == 6);
    crs_array_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects_agree),
        cmocka_unit_test(special_values_are_kept),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(empty_cells_and_NA_are_missing_where_that_is_asked_for),
        cmocka_unit_test(a_first_column_of_names_is_left_out),
        cmocka_unit_test(numbers_survive_a_round_trip),
        cmocka_unit_test(long_rows_and_cells_are_fine),
        cmocka_unit_test(names_of_columns_in_every_dialect),
        cmocka_unit_test(long_names_are_not_cut),
        cmocka_unit_test(names_that_do_not_fit_the_columns_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
