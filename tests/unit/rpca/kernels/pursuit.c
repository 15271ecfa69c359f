/* SPDX-License-Identifier: MIT
 * pursuit: every kernel that this processor runs does what kernels.h defines for principal
 * component pursuit: entries in a tangent space, rows that are cut and lifted, steps of ADMM */
#include <stdlib.h>

#include "rpca/kernels/kernels.h"
#include "support/test.h"

enum { ROWS = 7, COLUMNS = 23, MOST_RANK = 70, WIDEST = 41 };

typedef struct {
    draws random;
    ptrdiff_t start[ROWS + 1];
    int32_t column[ROWS * COLUMNS];
    double x[ROWS * COLUMNS];
    double u[ROWS * MOST_RANK], du[ROWS * MOST_RANK], to_u[ROWS * MOST_RANK];
    double v[COLUMNS * MOST_RANK], dv[COLUMNS * MOST_RANK], to_v[COLUMNS * MOST_RANK];
} plane;

static void scatter(draws *d, ptrdiff_t n, double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) x[j] = normal(d);
}

/* A fifth of the entries, one row full and one empty. */
static void build(plane *a, ptrdiff_t rank)
{
    ptrdiff_t count = 0;
    a->random = (draws){ { (uint64_t)rank, 3 }, 0 };
    for (ptrdiff_t i = 0; i < ROWS; i++) {
        a->start[i] = count;
        for (ptrdiff_t j = 0; j < COLUMNS && i != 2; j++)
            if (i == 4 || uniform(&a->random, 0, 1) < 0.2) a->column[count++] = (int32_t)j;
    }
    a->start[ROWS] = count;
    scatter(&a->random, count, a->x);
    scatter(&a->random, ROWS * rank, a->u), scatter(&a->random, ROWS * rank, a->du);
    scatter(&a->random, COLUMNS * rank, a->v), scatter(&a->random, COLUMNS * rank, a->dv);
    scatter(&a->random, ROWS * rank, a->to_u), scatter(&a->random, COLUMNS * rank, a->to_v);
}

/* (X - dU V' - U dV') V and its transpose times U, on the entries listed, added by definition. */
static void define(const plane *a, ptrdiff_t rank, bool given, double *to_u, double *to_v)
{
    for (ptrdiff_t i = 0; i < ROWS; i++)
        for (ptrdiff_t k = a->start[i]; k < a->start[i + 1]; k++) {
            const ptrdiff_t j = a->column[k];
            double e = given ? a->x[k] : 0;
            for (ptrdiff_t l = 0; l < rank; l++)
                e -= a->du[i * rank + l] * a->v[j * rank + l] +
                     a->u[i * rank + l] * a->dv[j * rank + l];
            for (ptrdiff_t l = 0; l < rank; l++) {
                to_u[i * rank + l] += e * a->v[j * rank + l];
                to_v[j * rank + l] += e * a->u[i * rank + l];
            }
        }
}

static void assert_near(ptrdiff_t n, const double *got, const double *want, double size)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(got[j] - want[j]) <= 1e-13 * size))
            fail_msg("place %td: %.17g, not %.17g", j, got[j], want[j]);
}

/* Sums of 2 rank products of normal numbers, COLUMNS of them. */
static void try_tangent(const crs_pursuit_kernel *kernel, ptrdiff_t rank, bool given)
{
    static plane a;
    static double to_u[ROWS * MOST_RANK], to_v[COLUMNS * MOST_RANK];
    build(&a, rank);
    memcpy(to_u, a.to_u, sizeof to_u), memcpy(to_v, a.to_v, sizeof to_v);
    define(&a, rank, given, to_u, to_v);
    const crs_tangent_rows all = { rank, a.start, a.column, given ? a.x : NULL, a.u, a.v, a.du,
                                   a.dv, a.to_u,  a.to_v };
    kernel->tangent(&all, 0, 3);
    kernel->tangent(&all, 3, ROWS);
    assert_near(ROWS * rank, a.to_u, to_u, 100 * (double)rank);
    assert_near(COLUMNS * rank, a.to_v, to_v, 100 * (double)rank);
}

static void tangent_is_as_defined(void **state)
{
    (void)state;
    for (int k = 0; crs_envelope_kernel_at(k); k++)
        for (ptrdiff_t rank = 0; rank <= MOST_RANK; rank++)
            try_tangent(&crs_envelope_kernel_at(k)->pursuit, rank, rank % 2 == 0);
}

static void try_cut(const crs_pursuit_kernel *kernel, ptrdiff_t n)
{
    double row[WIDEST + 1], was[WIDEST + 1], limit[WIDEST], value[WIDEST + 1], squares = 5;
    int32_t column[WIDEST + 1];
    draws d = { { (uint64_t)n, 4 }, 0 };
    ptrdiff_t count = 0;
    scatter(&d, n + 1, row);
    for (ptrdiff_t j = 0; j < n; j++) limit[j] = uniform(&d, 0, 1.5);
    if (n > 3) row[3] = NAN, row[2] = limit[2] = 2;
    memcpy(was, row, sizeof was);
    crs_cut_row a = { n, 0.6, limit, row, column, value, squares };
    const ptrdiff_t got = kernel->cut(&a);
    for (ptrdiff_t j = 0; j < n; j++) {
        const bool out = !(fabs(was[j]) <= (limit[j] > 0.6 ? limit[j] : 0.6));
        assert_true(out ? row[j] == 0 : row[j] == was[j]);
        squares += row[j] * row[j];
        if (!out) continue;
        assert_int_equal(column[count], j);
        assert_memory_equal(&value[count++], &was[j], sizeof *value);
    }
    assert_int_equal(got, count);
    assert_true(row[n] == was[n]);
    assert_true(fabs(a.squares - squares) <= 1e-13 * squares);
}

static void try_lift(const crs_pursuit_kernel *kernel, ptrdiff_t n)
{
    double a[WIDEST], y[WIDEST + 1], want[WIDEST + 1], most = 0;
    draws d = { { (uint64_t)n, 5 }, 0 };
    scatter(&d, n, a), scatter(&d, n + 1, y);
    memcpy(want, y, sizeof want);
    for (ptrdiff_t j = 0; j < n; j++) {
        want[j] += a[j];
        if (fabs(want[j]) > most) most = fabs(want[j]);
    }
    assert_false(kernel->lift(n, a, most, y));
    assert_memory_equal(y, want, (size_t)(n + 1) * sizeof *y);
    for (ptrdiff_t j = 0; j < n; j++) a[j] = 0;
    assert_true(kernel->lift(n, a, 0.999 * most, y));
    y[n / 2] = NAN;
    assert_true(kernel->lift(n, a, INFINITY, y));
}

static double cut(double t, double at) { return t > at ? at : t < -at ? -at : t; }

static void try_steps(const crs_pursuit_kernel *kernel, ptrdiff_t n)
{
    const double at = 0.7, reach = 1.8, part = 0.8;
    double m[WIDEST], q[WIDEST], l[WIDEST], to[WIDEST + 1], x[WIDEST + 1], sums[3] = { 1, 2, 3 };
    draws d = { { (uint64_t)n, 6 }, 0 };
    scatter(&d, n, m), scatter(&d, n, q), scatter(&d, n, l);
    to[n] = x[n] = 9;
    kernel->point(n, at, m, q, x);
    for (ptrdiff_t j = 0; j < n; j++)
        assert_true(fabs(x[j] - (m[j] - q[j] + 2 * cut(q[j], at))) <= 1e-13);
    crs_pursuit_move a = { n, at, reach, part, m, q, l, to, x, sums[0], sums[1], sums[2] };
    kernel->move(&a);
    for (ptrdiff_t j = 0; j < n; j++) {
        const double c = cut(q[j], at), step = m[j] - l[j] + c - q[j], next = q[j] + reach * step;
        assert_true(fabs(to[j] - (next - (1 - part) * cut(next, at))) <= 1e-13);
        assert_true(fabs(x[j] - (m[j] - next + (1 + part) * cut(next, at))) <= 1e-13);
        sums[0] += step * step, sums[1] += c * c, sums[2] += fabs(m[j] - l[j]);
    }
    assert_true(fabs(a.moved - sums[0]) <= 1e-13 * sums[0]);
    assert_true(fabs(a.y - sums[1]) <= 1e-13 * sums[1]);
    assert_true(fabs(a.l1 - sums[2]) <= 1e-13 * sums[2]);
    assert_true(to[n] == 9 && x[n] == 9);
}

static void rows_are_as_defined(void **state)
{
    (void)state;
    for (int k = 0; crs_envelope_kernel_at(k); k++)
        for (ptrdiff_t n = 1; n <= WIDEST; n++) {
            try_cut(&crs_envelope_kernel_at(k)->pursuit, n);
            try_lift(&crs_envelope_kernel_at(k)->pursuit, n);
            try_steps(&crs_envelope_kernel_at(k)->pursuit, n);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangent_is_as_defined),
        cmocka_unit_test(rows_are_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
