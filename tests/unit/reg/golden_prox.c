/* SPDX-License-Identifier: MIT
 * golden_prox: 660 prox and 440 box-restricted prox values computed elsewhere, to 1e-12.
 * A line: kind name n par... t v [low high] x, the numbers in hexadecimal. */
#include <stdio.h>
#include <stdlib.h>

#include "support/penalties.h"

static const char file[] = "../shared/data/golden/prox.txt";

enum { NUMBERS = 16 };

typedef struct {
    char kind[8], name[16];
    int pars, count;
    double number[NUMBERS]; /* par... t v [low high] x */
} row;

static bool read_row(const char *line, row *a)
{
    int used;
    if (sscanf(line, "%7s %15s %d%n", a->kind, a->name, &a->pars, &used) != 3) return false;
    char *end;
    a->count = 0;
    for (const char *at = line + used; a->count < NUMBERS; at = end, a->count++) {
        a->number[a->count] = strtod(at, &end);
        if (end == at) break;
    }
    return true;
}

static const crease_penalty *named(const char *name)
{
    static const struct {
        const char *name;
        const crease_penalty *p;
    } list[] = {
        { "zero", &crs_zero },        { "l1", &crs_l1 },
        { "en", &crs_elastic_net },   { "l0", &crs_l0 },
        { "scad", &crs_scad },        { "mcp", &crs_mcp },
        { "lsp", &crs_lsp },          { "lq", &crs_lq },
        { "capped", &crs_capped_l1 }, { "l23", &crs_l_two_thirds },
        { "lhalf", &crs_l_half },
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (strcmp(list[k].name, name) == 0) return list[k].p;
    fail_msg("no penalty '%s'", name);
    return NULL;
}

static double answer(const row *a, bool box)
{
    const double t = a->number[a->pars], v = a->number[a->pars + 1];
    const crease_reg r = crease_separable(named(a->name), a->number);
    const crease_space s = crease_vector(1);
    crease_error e;
    double x;
    assert_true(crease_reg_check(&r, &s, &e));
    if (box) {
        const crease_bounds b = { a->number[a->pars + 2], a->number[a->pars + 3], NULL, NULL };
        r.ops->prox_box(&r, &s, t, &b, &v, &x, NULL);
    } else {
        assert_true(crease_prox(&r, &s, t, &v, &x, &e));
    }
    return x;
}

static void golden_values(void **state)
{
    char line[512];
    row a;
    int seen[2] = { 0 };
    FILE *f = fopen(file, "r");
    (void)state;
    if (!f) {
        print_message("%s is not here: skipped\n", file);
        skip();
    }
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#' || !read_row(line, &a)) continue;
        const bool box = strcmp(a.kind, "box") == 0;
        assert_int_equal(a.count, a.pars + (box ? 5 : 3));
        const double wanted = a.number[a.count - 1], x = answer(&a, box);
        if (!(fabs(x - wanted) <= 1e-12 * fabs(wanted)))
            fail_msg("%.17g is not %.17g in: %s", x, wanted, line);
        seen[box]++;
    }
    fclose(f);
    assert_int_equal(seen[0], 660);
    assert_int_equal(seen[1], 440);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(golden_values) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
