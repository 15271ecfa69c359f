/* SPDX-License-Identifier: MIT
 * csv_names: the names of columns as the first row of a text file has them */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include "io/formats/io.h"

static void load(const char *text, crs_array *a, crs_names *names)
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
    load(text, &a, &names);
    if (names.count != count) fail_msg("%td names instead of %td: %s", names.count, count, text);
    for (ptrdiff_t k = 0; k < count; k++)
        if (strcmp(names.name[k], wanted[k]) != 0) fail_msg("'%s' in %s", names.name[k], text);
    assert_string_equal(a.notice, "");
    crs_array_free(&a);
    crs_names_free(&names);
}

static void dialects(void **state)
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
static void long_names(void **state)
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
    load(text, &a, &names);
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
static void mismatch(void **state)
{
    crs_array a;
    crs_names names;
    (void)state;
    load("a,b\n1,2,3\n4,5,6\n", &a, &names);
    assert_true(names.count == 0 && !names.text && !names.name);
    assert_non_null(strstr(a.notice, "2 names for 3 columns"));
    assert_true(crease_size(&a.shape) == 6);
    crs_array_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(dialects), cmocka_unit_test(long_names),
                                        cmocka_unit_test(mismatch) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
