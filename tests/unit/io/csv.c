/* SPDX-License-Identifier: MIT
 * csv: tables of every dialect are read exactly, with the names of columns in the first row; the
 * first fault is named by line and column */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include "io/formats/io.h"
#include "support/axes.h"

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
    same("1;-2,5;3e-3\n4;5;6\n", 2, 3, x);
    same("1\t-2,5\t3e-3\n4\t5\t6,0\n", 2, 3, x);
    same("\"2020\",\"2021\",\"2022\"\n1,-2.5,3e-3\n4,5,6", 2, 3, x);
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
    refused("1,5;2.5\n3;4", "line 1, column 2: '2.5' and numbers before it");
    refused("1;1.234,5", "line 1, column 2: '1.234,5'");
    refused("a;b\n1;2,5,6", "line 2, column 2: '2,5,6'");
    refused("a,b\nc,d\n1,2", "line 2, column 1: 'c'");
    refused("1,1e400", "line 1, column 2: '1e400' is beyond the range");
    refused("1,\"2", "line 1: a quote is not closed");
    refused("", "holds no numbers");
    refused("\n \n# only a comment", "holds no numbers");
    refused("a,b,c\n", "holds no numbers");
    refused("1,2\t", "line 1, column 2: the cell is empty");
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

static void a_first_column_of_names_is_not_data(void **state)
{
    (void)state;
    gapped("\"\",\"a\",\"b\"\n\"r1\",1,2\n\"r2\",,4\n", 4, (double[]){ 1, 2, NAN, 4 }, "");
    gapped("x 1 2\ny 3 4\n", 4, (double[]){ 1, 2, 3, 4 }, "");
    gapped("x,NA,2\n7,3,4\n", 4, (double[]){ NAN, 2, 3, 4 }, "");
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

static void load_text(const char *text, const crs_asked *asked, crs_array *a)
{
    crease_error e;
    FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "rb");
    assert_non_null(f);
    if (!crs_csv_format.read(&(crs_input){ .f = f, .name = "a.csv" }, asked, a, &e))
        fail_msg("refused: %s\n%s", e.text, text);
    fclose(f);
}

/* These are the labels of the dimension n; NULL: it has none. */
static void labelled(const crs_array *a, int n, const char *const *wanted)
{
    const crs_axis *x = &a->axes.axis[n];
    assert_true((x->label != NULL) == (wanted != NULL));
    for (ptrdiff_t k = 0; wanted && k < x->count; k++)
        if (strcmp(x->label[k], wanted[k]) != 0) fail_msg("'%s'", x->label[k]);
}

static void named(const char *text, const char *const *wanted)
{
    crs_array a;
    load_text(text, NULL, &a);
    labelled(&a, a.shape.order - 1, wanted);
    assert_string_equal(a.notice, "");
    crs_array_free(&a);
}

static void names_of_columns_in_every_dialect(void **state)
{
    const char *const abc[] = { "a", "b", "c" };
    (void)state;
    named("a,b,c\n1,2,3\n4,5,6\n", abc);
    named("a;b;c\r\n1;2;3\r\n", abc);
    named("a\tb\tc\n1\t2\t3\n", abc);
    named("# first\n\n  a  b c\n1 2 3\n4 5 6\n", abc);
    named("\xEF\xBB\xBF\"a\",\"b\", c \n1,2,3\n", abc);
    named("1,2,3\n4,5,6\n", NULL);
    named("1\n", NULL);
    crs_array a;
    load_text("a\n1\n2\n3\n", NULL, &a);
    assert_true(a.shape.order == 1 && a.column.count == 1);
    assert_string_equal(a.column.label[0], "a");
    crs_array_free(&a);
    named("\"x, y\",,\"p \"\"q\"\"\"\n1,2,3\n", (const char *const[]){ "x, y", "", "p \"q\"" });
    named("a,\n1,2\n", (const char *const[]){ "a", "" });
}

/* A long row of long names: nothing is cut. */
static void long_names_are_not_cut(void **state)
{
    enum { COUNT = 500, LENGTH = 300 };
    char *text = malloc(COUNT * (LENGTH + 1) + COUNT * 2 + 1), *at = text;
    crs_array a;
    (void)state;
    for (int k = 0; k < COUNT; k++) {
        for (int j = 0; j < LENGTH; j++) *at++ = (char)('a' + k % 26);
        *at++ = k + 1 < COUNT ? ',' : '\n';
    }
    for (int k = 0; k < COUNT; k++) *at++ = '1', *at++ = k + 1 < COUNT ? ',' : '\n';
    *at = '\0';
    load_text(text, NULL, &a);
    assert_int_equal(a.axes.axis[0].count, COUNT);
    for (int k = 0; k < COUNT; k++) {
        assert_int_equal(strlen(a.axes.axis[0].label[k]), LENGTH);
        assert_true(a.axes.axis[0].label[k][LENGTH - 1] == 'a' + k % 26);
    }
    crs_array_free(&a);
    free(text);
}

/* As many names as columns, or none and a word about it. */
static void names_that_do_not_fit_the_columns_are_left_out(void **state)
{
    crs_array a;
    (void)state;
    load_text("a,b\n1,2,3\n4,5,6\n", NULL, &a);
    labelled(&a, 1, NULL);
    assert_non_null(strstr(a.notice, "2 names for 3 columns"));
    assert_true(crease_size(&a.shape) == 6);
    crs_array_free(&a);
}

/* Names of rows as R, pandas and people write them; what only counts is no name. */
static void names_of_rows_become_an_axis(void **state)
{
    const char *const rows[] = { "r1", "r2" }, *const columns[] = { "a", "b" };
    static const char *const text[] = {
        "\"\",\"a\",\"b\"\n\"r1\",1,2\n\"r2\",3,4\n", /* R: write.csv */
        "\"a\" \"b\"\n\"r1\" 1 2\n\"r2\" 3 4\n",      /* R: write.table */
        ",a,b\nr1,1,2\nr2,3,4\n",                     /* pandas */
        "sample,a,b\nr1,1,2\nr2,3,4\n",
    };
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        crs_array a;
        load_text(text[k], NULL, &a);
        assert_true(a.shape.order == 2 && a.data[0] == 1 && a.data[3] == 4);
        labelled(&a, 0, rows);
        labelled(&a, 1, columns);
        assert_true((a.axes.axis[0].name != NULL) == (k == 3));
        crs_array_free(&a);
    }
    crs_array a;
    load_text(",a,b\n0,1,2\n1,3,4\n", NULL, &a); /* pandas with its index */
    assert_true(crease_size(&a.shape) == 4 && a.data[2] == 3);
    assert_int_equal(a.axes.axis[0].count, 0);
    crs_array_free(&a);
    load_text(",270,280,290\nA,1,2,3\nB,4,5,6\n", NULL, &a);
    assert_true(crease_size(&a.shape) == 6 && a.axes.axis[1].at[2] == 290);
    labelled(&a, 0, (const char *const[]){ "A", "B" });
    crs_array_free(&a);
    load_text("2024-05-01,1,2\n2024-05-02,3,4\n", NULL, &a);
    assert_string_equal(a.axes.axis[0].label[1], "2024-05-02");
    crs_array_free(&a);
    load_text("x,5\ny,6\n", NULL, &a);
    assert_true(a.shape.order == 1);
    labelled(&a, 0, (const char *const[]){ "x", "y" });
    crs_array_free(&a);
}

static void columns_are_kept_and_dropped_by_name_and_number(void **state)
{
    static const char text[] = "id,a,kind,b,c\nr1,1,x,2,3\nr2,4,y,5,6\n";
    static const struct {
        const char *columns, *drop;
        int count;
        double first[3];
    } cases[] = {
        { NULL, "kind", 3, { 1, 2, 3 } }, { NULL, "3", 3, { 1, 2, 3 } },
        { "a,c", NULL, 2, { 1, 3 } },     { "4-5", NULL, 2, { 2, 3 } },
        { "2,4-5", "b", 2, { 1, 3 } },    { "c", NULL, 1, { 3 } },
        { NULL, "id,3-4", 2, { 1, 3 } },
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        crs_array a;
        const crs_asked asked = { .columns = cases[k].columns, .drop = cases[k].drop };
        load_text(text, &asked, &a);
        assert_int_equal(crease_size(&a.shape), 2 * cases[k].count);
        for (int j = 0; j < cases[k].count; j++) assert_true(a.data[j] == cases[k].first[j]);
        assert_true((a.axes.axis[0].count > 0) == (k != 6));
        crs_array_free(&a);
    }
    crs_array a;
    crease_error e;
    FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "rb");
    const crs_input s = { .f = f, .name = "a.csv" };
    assert_false(crs_csv_format.read(&s, &(crs_asked){ .columns = "q" }, &a, &e));
    assert_non_null(strstr(e.text, "has no column 'q'"));
    fclose(f);
}

/* What is written is read back: numbers, names, positions, with all that text may contain. */
static void tables_survive_a_round_trip(void **state)
{
    enum { ROWS = 7, COLUMNS = 5 };
    static const char *const odd[] = { "a",   "=1+1", "x,y;z", "say \"hi\"", "# no comment", "12",
                                       " b ", "",     "-@",    "\xC3\xA9",   "1e5x",         "NA" };
    const crease_space s = crease_matrix(ROWS, COLUMNS);
    char folder[] = "/tmp/crease-csv-XXXXXX", path[64];
    draws d = { { 9, 9 }, 0 };
    (void)state;
    assert_non_null(mkdtemp(folder));
    for (int k = 0; k < 200; k++) {
        double x[ROWS * COLUMNS], at[ROWS];
        const char *name[ROWS];
        crs_axes axes = { .axis = { { .name = NULL } } };
        crs_array a;
        crease_error e = { CREASE_OK, "" };
        for (int j = 0; j < ROWS * COLUMNS; j++) x[j] = normal(&d) * pow(10, uniform(&d, -9, 9));
        for (int j = 0; j < ROWS; j++) {
            at[j] = 250.5 + j * uniform(&d, 1, 2);
            name[j] = odd[crease_random_below(d.r, d.next++, 12)];
        }
        name[0] = "first";
        if (k & 1) assert_true(crs_axis_labels(&axes.axis[0], ROWS, name, &e));
        if (k & 2) assert_true(crs_axis_at(&axes.axis[0], ROWS, at, &e));
        if (k & 4) assert_true(crs_axis_labels(&axes.axis[1], COLUMNS, name, &e));
        if (k & 8) assert_true(crs_axis_at(&axes.axis[1], COLUMNS, at, &e));
        if ((k & 3) && (k & 12)) assert_true(crs_axis_name(&axes.axis[0], "sample", NULL, &e));
        snprintf(path, sizeof path, "%s/a.%s", folder, k & 16 ? "tsv" : k & 32 ? "csv.gz" : "csv");
        const crs_item item = { .shape = &s, .data = x, .axes = &axes };
        assert_true(crs_csv_format.write(path, 1, &item, &e));
        if (!crs_read_array(path, &a, &e)) fail_msg("%s", e.text);
        assert_true(crease_space_equal(&a.shape, &s));
        assert_memory_equal(a.data, x, sizeof x);
        if (!same_axes(&a.axes, &axes, 2)) fail_msg("other axes: case %d", k);
        crs_array_free(&a);
        crs_axes_free(&axes);
        unlink(path);
    }
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dialects_agree),
        cmocka_unit_test(special_values_are_kept),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(empty_cells_and_NA_are_missing_where_that_is_asked_for),
        cmocka_unit_test(a_first_column_of_names_is_not_data),
        cmocka_unit_test(numbers_survive_a_round_trip),
        cmocka_unit_test(long_rows_and_cells_are_fine),
        cmocka_unit_test(names_of_columns_in_every_dialect),
        cmocka_unit_test(long_names_are_not_cut),
        cmocka_unit_test(names_that_do_not_fit_the_columns_are_left_out),
        cmocka_unit_test(names_of_rows_become_an_axis),
        cmocka_unit_test(columns_are_kept_and_dropped_by_name_and_number),
        cmocka_unit_test(tables_survive_a_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
