/* SPDX-License-Identifier: MIT
 * kinds: the reader of problem files and docs/problem.schema.json agree on the kind of every value:
 * what wrong_kinds.py takes from the schema is taken, what the schema refuses is refused */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include "io/problem/problem.h"

enum { LONGEST = 1 << 14 };

static bool reads(const char *path, const char *text, crease_error *e)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
    crs_problem_file *p = crs_problem_read(path, e);
    crs_problem_file_free(p);
    return p != NULL;
}

static void the_reader_and_the_schema_agree(void **state)
{
    static char line[LONGEST];
    char path[] = "/tmp/kinds.XXXXXX";
    const int fd = mkstemp(path);
    FILE *cases = popen("/usr/bin/python3 tests/support/wrong_kinds.py", "r");
    int taken = 0, refused = 0, wrong = 0;
    (void)state;
    assert_true(fd >= 0 && close(fd) == 0 && cases);
    while (fgets(line, sizeof line, cases)) {
        crease_error e = { CREASE_OK, "" };
        const bool take = strncmp(line, "take ", 5) == 0;
        const bool got = reads(path, strchr(line, ' ') + 1, &e);
        const bool blamed = take || e.code == CREASE_BAD_DATA || e.code == CREASE_NO_INPUT;
        take ? taken++ : refused++;
        if (got == take && blamed) continue;
        print_error("%s with code %d: %s%s\n", got ? "taken" : "refused", e.code, line, e.text);
        wrong++;
    }
    assert_int_equal(pclose(cases), 0);
    assert_int_equal(remove(path), 0);
    assert_int_equal(wrong, 0);
    assert_true(taken > 80 && refused > 2000);
    print_message("%d documents taken, %d refused\n", taken, refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_reader_and_the_schema_agree) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
