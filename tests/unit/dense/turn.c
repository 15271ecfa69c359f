/* SPDX-License-Identifier: MIT
 * turn: rows become the columns that were asked for, beside them and where they are */
#include "support/test.h"

#include "core/carve.h"
#include "dense/dense.h"

static double number(ptrdiff_t i, ptrdiff_t j) { return (double)(100000 * i + j); }

/* Every column once, in an order of its own */
static void shuffle(ptrdiff_t p, ptrdiff_t *column)
{
    for (ptrdiff_t j = 0; j < p; j++) column[j] = j;
    for (ptrdiff_t j = p - 1; j > 0; j--) {
        const ptrdiff_t k = j * 7919 % (j + 1), was = column[j];
        column[j] = column[k], column[k] = was;
    }
}

static double *draw(ptrdiff_t n, ptrdiff_t p)
{
    double *x = crs_alloc((size_t)(n * p), sizeof *x);
    assert_non_null(x);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < p; j++) x[i * p + j] = number(i, j);
    return x;
}

static void check(ptrdiff_t n, ptrdiff_t p, const ptrdiff_t *column, const double *x)
{
    for (ptrdiff_t j = 0; j < p; j++)
        for (ptrdiff_t i = 0; i < n; i++) assert_true(x[j * n + i] == number(i, column[j]));
}

static void turned(ptrdiff_t n, ptrdiff_t p)
{
    ptrdiff_t *column = crs_alloc((size_t)p, sizeof *column);
    double *rows = draw(n, p), *beside = draw(n, p), *x = NULL;
    assert_non_null(column);
    shuffle(p, column);
    crs_turn(n, p, column, rows, beside);
    check(n, p, column, beside);
    double *own = crs_turn_here(n, p, p + 1, column, &rows, &x, NULL);
    assert_true(own && !rows && (uintptr_t)x % CRS_LINE == 0);
    check(n, p, column, x);
    for (ptrdiff_t i = 0; i < n; i++) x[p * n + i] = 1; /* there is room */
    crs_free(own);
    crs_free(beside);
    crs_free(column);
}

static void rows_become_columns(void **state)
{
    const ptrdiff_t n[] = { 1, 2, 31, 32, 33, 64, 100, 1023, 1025 }, p[] = { 1, 2, 3, 17, 40, 129 };
    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (size_t j = 0; j < sizeof p / sizeof *p; j++) turned(n[i], p[j]);
    turned(20011, 9);
    turned(9, 20011);
    turned(8192, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_become_columns) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
