/* SPDX-License-Identifier: MIT
 * defaults: a C program with default settings gets, to the bit, what `crease` gets without options:
 * rpca (cp, tucker, matrix, pcp), spca and regress */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <crease/crease.h>

#include "io/formats/io.h"
#include "support/test.h"

static char folder[] = "/tmp/crease-defaults-XXXXXX";

static int setup(void **state)
{
    (void)state;
    return getenv("CREASE") && mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[200];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static const char *in_folder(const char *name, char path[300])
{
    snprintf(path, 300, "%s/%s", folder, name);
    return path;
}

/* crease ARGUMENTS --out FOLDER/out, files of the folder as FOLDER/name */
static void run(const char *format, const char *a, const char *b)
{
    char command[1200], arguments[800];
    snprintf(arguments, sizeof arguments, format, a, b);
    snprintf(command, sizeof command, "rm -rf %s/out && %s %s --out %s/out >%s/log 2>&1", folder,
             getenv("CREASE"), arguments, folder, folder);
    if (system(command) != 0) fail_msg("%s", command);
}

static void same(const char *file, ptrdiff_t count, const double *own)
{
    char name[100], path[300];
    crs_array a;
    snprintf(name, sizeof name, "out/%s", file);
    assert_true(crs_read_array(in_folder(name, path), &a, NULL));
    assert_int_equal(crease_size(&a.shape), count);
    assert_memory_equal(a.data, own, (size_t)count * sizeof *own);
    crs_array_free(&a);
}

static crease_cp_instance *instance(const crease_space *s)
{
    crease_cp_recipe r = crease_cp_recipe_default(s, 2);
    char path[300];
    r.outliers = 0.05, r.magnitude = 10, r.noise = 0.1, r.seed = 6;
    crease_cp_instance *c = crease_cp_generate(&r, NULL);
    assert_true(
        crs_write_npy(in_folder("tensor.npy", path), &(crs_npy){ s, c->tensor, NULL }, NULL, NULL));
    return c;
}

static void same_rpca(const char *options, const crease_space *s, crease_rpca_kind kind)
{
    static const struct {
        crease_rpca_part part;
        const char *file;
    } list[] = { { CREASE_RPCA_LOWRANK, "lowrank.npy" },
                 { CREASE_RPCA_SPARSE, "sparse.npy" },
                 { CREASE_RPCA_NOISE, "noise.npy" } };
    char path[300];
    crease_cp_instance *c = instance(s);
    crease_rpca_settings settings = crease_rpca_default(s);
    settings.kind = kind;
    crease_rpca *r = crease_rpca_new(&settings, NULL, c->tensor, NULL);
    assert_non_null(r);
    assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
    run("rpca %s %s", in_folder("tensor.npy", path), options);
    ptrdiff_t left, right;
    crease_rpca_rows(r, &left, &right);
    double *part = malloc((size_t)(left * right) * sizeof *part);
    for (int k = 0; k < 3; k++) {
        crease_rpca_read(r, list[k].part, 0, left, part);
        same(list[k].file, left * right, part);
    }
    free(part);
    crease_rpca_free(r);
    crease_cp_instance_free(c);
}

static void rpca_of_the_library_is_that_of_the_program(void **state)
{
    const crease_space cube = { .order = 3, .dim = { 9, 10, 11 } }, matrix = crease_matrix(30, 40);
    (void)state;
    same_rpca("", &cube, CREASE_RPCA_CP);
    same_rpca("", &matrix, CREASE_RPCA_CP);
    same_rpca("--model tucker", &cube, CREASE_RPCA_TUCKER);
    same_rpca("--model matrix", &matrix, CREASE_RPCA_TUCKER);
    same_rpca("--model matrix --eta auto", &matrix, CREASE_RPCA_BALL);
    same_rpca("--model pcp", &matrix, CREASE_RPCA_PCP);
}

static void spca_of_the_library_is_that_of_the_program(void **state)
{
    const crease_space s = { .order = 3, .dim = { 9, 10, 11 } };
    char path[300];
    crease_cp_instance *c = instance(&s);
    const crease_spca_settings settings = crease_spca_default(&s);
    crease_spca *m = crease_spca_new(&settings, c->tensor, NULL);
    crease_spca_component found;
    (void)state;
    assert_true(m && crease_spca_next(m, NULL, &found, NULL));
    run("spca %s%s", in_folder("tensor.npy", path), "");
    same("weights.npy", 1, &found.sigma);
    for (int n = 0; n < 3; n++) {
        char name[20];
        double unit[11];
        snprintf(name, sizeof name, "factor_%d.npy", n + 1);
        for (ptrdiff_t i = 0; i < s.dim[n]; i++) unit[i] = found.x[n][i] / found.length[n];
        same(name, s.dim[n], unit);
    }
    crease_spca_free(m);
    crease_cp_instance_free(c);
}

enum { ROWS = 40, COLUMNS = 6 };

static void regress_of_the_library_is_that_of_the_program(void **state)
{
    const crease_space shape = crease_matrix(ROWS, COLUMNS), rows = crease_vector(ROWS);
    const crease_random random = { 8, 0 };
    double X[ROWS * COLUMNS], y[ROWS];
    char path[300], other[300];
    (void)state;
    for (int j = 0; j < ROWS * COLUMNS; j++) X[j] = 1 + crease_random_normal(random, (uint64_t)j);
    for (int i = 0; i < ROWS; i++)
        y[i] = 2 + 3 * X[i * COLUMNS] - X[i * COLUMNS + 4] +
               0.1 * crease_random_normal(random, (uint64_t)(1000 + i));
    assert_true(crs_write_npy(in_folder("X.npy", path), &(crs_npy){ &shape, X, NULL }, NULL, NULL));
    assert_true(crs_write_npy(in_folder("y.npy", other), &(crs_npy){ &rows, y, NULL }, NULL, NULL));
    const crease_regression_settings settings = crease_regression_default();
    crease_regression *m = crease_regression_new(&settings, ROWS, COLUMNS, X, y, NULL);
    assert_true(m && crease_regression_fit(m, NULL));
    run("regress %s %s", path, other);
    const ptrdiff_t count = crease_regression_used(m)->path, width = COLUMNS + 1;
    double *all = malloc((size_t)(count * width) * sizeof *all);
    for (ptrdiff_t k = 0; k < count; k++) {
        const crease_regression_solution *s = crease_regression_at(m, k);
        all[k * width] = s->intercept;
        memcpy(all + k * width + 1, s->coef, COLUMNS * sizeof *all);
    }
    same("coefficients.npy", count * width, all);
    free(all);
    crease_regression_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rpca_of_the_library_is_that_of_the_program),
        cmocka_unit_test(spca_of_the_library_is_that_of_the_program),
        cmocka_unit_test(regress_of_the_library_is_that_of_the_program),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
