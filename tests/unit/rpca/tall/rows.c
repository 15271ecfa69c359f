/* SPDX-License-Identifier: MIT
 * rows: a row that is solved is stationary and no worse than any on a grid; the gradient of what is
 * left of the objective, and products with its Hessian, are finite differences of it; every kernel
 */
#include <stdlib.h>

#include "rpca/tall/tall.h"
#include "support/test.h"

enum { ROWS = 23, COLUMNS = 13, WIDTH = 16, MOST = 6, AREA = MOST * (MOST + 1) / 2 };
static const double alpha_noise = 0.8, share = 0.8 / 1.8; /* c */

typedef struct {
    crs_tall_rows a;
    crs_envelope_rule rule;
    crs_penalty_value penalty;
    const crs_envelope_kernel *kernel;
    double T[ROWS * COLUMNS], x[ROWS * MOST], y[MOST * WIDTH], diagonal[MOST];
    double factor[ROWS * AREA], work[12 * WIDTH], out[MOST * WIDTH], weight[WIDTH], sums[2];
    unsigned char mask[ROWS * COLUMNS];
} example;

static const crs_penalty_value losses[] = { { &crs_l1, { 1 }, 0.4 },
                                            { &crs_mcp, { 0.5, 3 }, 0.7 },
                                            { &crs_scad, { 0.4, 3.7 }, 0.8 } };
enum { LOSSES = sizeof losses / sizeof *losses };

/* Low rank, noise, some outliers */
static void fill_in(example *s, ptrdiff_t rank, int penalty, bool masked, double ridge)
{
    draws d = { { (uint64_t)(rank + 10 * penalty + 100 * masked), 0 }, 0 };
    *s = (example){ .penalty = losses[penalty] };
    s->rule = crs_envelope_rule_of(&s->penalty, alpha_noise);
    for (ptrdiff_t q = 0; q < rank; q++)
        for (ptrdiff_t j = 0; j < COLUMNS; j++) s->y[q * WIDTH + j] = normal(&d);
    for (ptrdiff_t k = 0; k < ROWS * rank; k++) s->x[k] = normal(&d);
    for (ptrdiff_t k = 0; k < ROWS * COLUMNS; k++) {
        s->T[k] = 0.3 * normal(&d) + (k % 11 == 0 ? 4 * normal(&d) : 0);
        for (ptrdiff_t q = 0; q < rank; q++)
            s->T[k] += s->x[k / COLUMNS * rank + q] * s->y[q * WIDTH + k % COLUMNS];
        s->mask[k] = k % 7 != 3;
    }
    for (ptrdiff_t k = 0; k < ROWS * rank; k++) s->x[k] += 0.1 * normal(&d);
    s->a = (crs_tall_rows){ .rule = &s->rule,
                            .ridge = ridge,
                            .rank = rank,
                            .columns = COLUMNS,
                            .width = WIDTH,
                            .y = s->y,
                            .diagonal = s->diagonal,
                            .t = s->T,
                            .mask = masked ? s->mask : NULL,
                            .x = s->x,
                            .factor = s->factor,
                            .work = s->work,
                            .weight = s->weight,
                            .sums = s->sums };
}

static double phi(const example *s, double r) /* over 2c */
{
    const double e = crs_scalar_prox(&s->penalty, 1 / (2 * share), r);
    return (share * square(r - e) + crs_scalar_value(&s->penalty, e)) / (2 * share);
}

static double row_value(const example *s, ptrdiff_t i, const double *x)
{
    double sum = 0;
    for (ptrdiff_t q = 0; q < s->a.rank; q++) sum += s->a.ridge / 2 * square(x[q]);
    for (ptrdiff_t j = 0; j < COLUMNS; j++) {
        double r = s->T[i * COLUMNS + j];
        if (s->a.mask && !s->mask[i * COLUMNS + j]) continue;
        for (ptrdiff_t q = 0; q < s->a.rank; q++) r -= x[q] * s->y[q * WIDTH + j];
        sum += phi(s, r);
    }
    return sum;
}

/* The value at Y, the rows solved; g (rank x WIDTH): -sum s x */
static double reduced(example *s, double *g)
{
    for (ptrdiff_t q = 0; q < s->a.rank; q++)
        s->diagonal[q] = crs_dot(WIDTH, s->y + q * WIDTH, s->y + q * WIDTH);
    fill(2, 0, s->sums);
    fill(WIDTH, 0, s->weight);
    fill(MOST * WIDTH, 0, s->out);
    s->a.change = NULL;
    s->a.out = s->out;
    s->kernel->tall(&s->a, ROWS);
    for (ptrdiff_t j = 0; g && j < s->a.rank * WIDTH; j++) g[j] = -s->out[j];
    return s->sums[0];
}

static void check_rows(example *s)
{
    const ptrdiff_t rank = s->a.rank;
    double total = 0, naive = 0, before = 0;
    for (ptrdiff_t i = 0; i < ROWS; i++) before += row_value(s, i, s->x + i * rank);
    total = reduced(s, NULL);
    for (ptrdiff_t i = 0; i < ROWS; i++) {
        double x[MOST];
        copy(rank, s->x + i * rank, x);
        naive += row_value(s, i, x);
        for (ptrdiff_t q = 0; q < rank; q++) {
            const double h = 1e-6, at = x[q];
            x[q] = at + h;
            const double up = row_value(s, i, x);
            x[q] = at - h;
            assert_true(fabs(up - row_value(s, i, x)) / (2 * h) < 1e-7);
            x[q] = at;
        }
    }
    assert_true(fabs(total - naive) <= 1e-12 * naive && total <= before);
}

/* The Hessian first: its rows are those of the last solution. */
static void check_derivatives(example *s)
{
    const ptrdiff_t size = s->a.rank * WIDTH;
    const double h = 1e-6;
    double g[MOST * WIDTH], up[MOST * WIDTH], down[MOST * WIDTH], change[MOST * WIDTH] = { 0 };
    double product[MOST * WIDTH] = { 0 }, y[MOST * WIDTH], slope = 0;
    draws d = { { 77, 0 }, 0 };
    reduced(s, g);
    for (ptrdiff_t k = 0; k < size; k++) change[k] = k % WIDTH < COLUMNS ? normal(&d) : 0;
    s->a.change = change;
    s->a.out = product;
    s->kernel->tall(&s->a, ROWS);
    copy(size, s->y, y);
    for (ptrdiff_t k = 0; k < size; k++) s->y[k] = y[k] + h * change[k];
    const double high = reduced(s, up);
    for (ptrdiff_t k = 0; k < size; k++) s->y[k] = y[k] - h * change[k];
    const double low = reduced(s, down);
    for (ptrdiff_t k = 0; k < size; k++) slope += g[k] * change[k];
    assert_true(fabs((high - low) / (2 * h) - slope) <= 1e-6 * (1 + fabs(slope)));
    for (ptrdiff_t k = 0; k < size; k++)
        assert_true(fabs((up[k] - down[k]) / (2 * h) - product[k]) <=
                    1e-4 * (1 + fabs(product[k])));
    copy(size, y, s->y);
}

static void rows_are_solved_and_derivatives_are_finite_differences(void **state)
{
    (void)state;
    example s;
    for (int k = 0; crs_envelope_kernel_at(k); k++)
        for (ptrdiff_t rank = 1; rank <= MOST; rank++)
            for (int c = 0; c < 4 * LOSSES; c++) {
                fill_in(&s, rank, c % LOSSES, c / LOSSES % 2, c / LOSSES / 2 * 0.05);
                s.kernel = crs_envelope_kernel_at(k);
                check_rows(&s);
                check_derivatives(&s);
            }
}

static void a_row_of_rank_one_is_the_best_on_a_grid(void **state)
{
    (void)state;
    example s;
    fill_in(&s, 1, 0, false, 0.2);
    s.kernel = crs_envelope_kernel_at(0);
    reduced(&s, NULL);
    for (ptrdiff_t i = 0; i < ROWS; i++) {
        const double found = row_value(&s, i, s.x + i);
        for (double x = -8; x <= 8; x += 1.0 / 64) assert_true(found <= row_value(&s, i, &x));
    }
}

/* Nothing observed, all of it outliers, y = 0, and what is not a number */
static void rows_without_a_minimizer_stay_finite_or_become_nan(void **state)
{
    (void)state;
    example s;
    fill_in(&s, 2, 1, true, 0);
    s.kernel = crs_envelope_kernel_at(0);
    for (int j = 0; j < COLUMNS; j++) s.mask[j] = 0, s.T[COLUMNS + j] = j % 2 ? 1e6 : -1e6;
    fill(WIDTH, 0, s.y);
    assert_true(isfinite(reduced(&s, NULL)));
    for (int j = 0; j < 2 * ROWS; j++) assert_true(isfinite(s.x[j]));
    s.T[5 * COLUMNS] = NAN;
    s.mask[5 * COLUMNS] = 1;
    assert_true(isnan(reduced(&s, NULL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_solved_and_derivatives_are_finite_differences),
        cmocka_unit_test(a_row_of_rank_one_is_the_best_on_a_grid),
        cmocka_unit_test(rows_without_a_minimizer_stay_finite_or_become_nan)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
