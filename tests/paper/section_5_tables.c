/* SPDX-License-Identifier: MIT
 * section_5_tables: what the tables of section 5 say about small samples of their runs, and why
 * BCD fails in them: from Z^0 = 1 it stays at rank one for ever, from a generic Z^0 it does not */
#include <stdlib.h>

#include "study/paper.h"
#include "support/test.h"

enum { FEW = 3 };

static const crs_paper_recipe stated = { .seed = 0 }, generic = { .generic = true },
                              calibrated = { .calibrated = true };

static void rows_and_ranks(void **state)
{
    (void)state;
    for (int table = 1; table <= CRS_PAPER_TABLES; table++)
        for (int row = 1; row <= CRS_PAPER_ROWS; row++) {
            const crs_paper_row r = crs_paper_row_at(table, row);
            const double rank = (double)r.true_rank;
            const double guess = table == 1   ? rank
                                 : table == 2 ? rank + 1
                                              : rank + ceil(0.2 * rank);
            assert_true((double)r.rank == guess && r.shape.order == 3);
            assert_true(crease_size(&r.shape) == (row < 4 ? 6000 : row < 7 ? 15000 : 105000));
        }
}

/* Every figure is there and in its range, and BCD's errors of tables 1 and 2 agree but for R_CP =
 * 3: the sign, in print, that R does not matter to a method that stays at rank one. */
static void printed_figures(void **state)
{
    (void)state;
    for (int row = 1; row <= CRS_PAPER_ROWS; row++) {
        for (int table = 1; table <= CRS_PAPER_TABLES; table++)
            for (int m = 0; m < CRS_PAPER_METHODS; m++) {
                const crs_paper_cell c = crs_paper_cell_at(table, row, (crs_paper_method)m);
                const crs_paper_figures *f[] = { &c.printed, &c.earlier, &c.earlier_calibrated };
                for (int k = 0; k < 3; k++) {
                    assert_true(f[k]->iterations > 100 && f[k]->iterations <= CRS_PAPER_MOST);
                    assert_true(f[k]->error > 0 && f[k]->error < 1);
                    assert_true(f[k]->successes >= 0 && f[k]->successes <= f[k]->instances);
                    assert_true(m != CRS_PAPER_BCD || f[k]->successes <= 3);
                }
            }
        const double one = crs_paper_cell_at(1, row, CRS_PAPER_BCD).printed.error;
        const double two = crs_paper_cell_at(2, row, CRS_PAPER_BCD).printed.error;
        assert_true(row == 1 || one == two);
    }
}

static void run(const crs_paper_row *row, const crs_paper_recipe *r, crs_paper_method m,
                crs_paper_outcome *out)
{
    crease_error e = { CREASE_OK, "" };
    if (!crs_paper_runs(row, r, m, FEW, 1, out, &e)) fail_msg("%s", e.text);
}

static void constant_start_keeps_bcd_at_rank_one(void **state)
{
    const crs_paper_row row = crs_paper_row_at(1, 2), wider = crs_paper_row_at(2, 2);
    crs_paper_outcome one[FEW], same[FEW], any[FEW], proximal[FEW];
    (void)state;
    run(&row, &stated, CRS_PAPER_BCD, one);
    run(&wider, &stated, CRS_PAPER_BCD, same);
    run(&row, &generic, CRS_PAPER_BCD, any);
    run(&row, &stated, CRS_PAPER_PROX_BCD, proximal);
    for (int k = 0; k < FEW; k++) {
        assert_true(one[k].gram_rank == 1 && one[k].error > 0.5 && !crs_paper_success(&one[k]));
        assert_true(any[k].gram_rank == row.rank && proximal[k].gram_rank == row.rank);
        assert_true(any[k].error < one[k].error);
        if (one[k].stopped && same[k].stopped) /* one more column does not matter */
            assert_true(fabs(one[k].error - same[k].error) < 1e-3);
    }
}

/* R_CP = 3: all but one of the paper's 20 instances are solved. */
static void proximal_methods_solve_the_easy_row(void **state)
{
    const crs_paper_row row = crs_paper_row_at(1, 1);
    (void)state;
    for (int m = 0; m < CRS_PAPER_METHODS; m++) {
        crs_paper_outcome out[FEW];
        int good = 0;
        if (m == CRS_PAPER_BCD) continue;
        run(&row, &stated, (crs_paper_method)m, out);
        for (int k = 0; k < FEW; k++) good += crs_paper_success(&out[k]) && out[k].stopped;
        assert_true(good >= FEW - 1);
    }
}

/* Outliers and stop differ, so the runs do; the noise of the data bounds the error from below. */
static void recipes_differ(void **state)
{
    const crs_paper_row row = crs_paper_row_at(2, 1);
    crs_paper_outcome a[FEW], b[FEW];
    (void)state;
    run(&row, &stated, CRS_PAPER_PROX_BCD, a);
    run(&row, &calibrated, CRS_PAPER_PROX_BCD, b);
    for (int k = 0; k < FEW; k++) {
        assert_true(a[k].iterations != b[k].iterations && b[k].iterations <= CRS_PAPER_MOST);
        assert_true(a[k].error > 1e-5 && b[k].error > 1e-5 && a[k].error_z > 1e-5);
    }
}

static void threads_change_nothing(void **state)
{
    const crs_paper_row row = crs_paper_row_at(1, 1);
    crs_paper_outcome a[FEW], b[FEW];
    (void)state;
    for (int m = 0; m < CRS_PAPER_METHODS; m++) {
        run(&row, &stated, (crs_paper_method)m, a);
        assert_true(crs_paper_runs(&row, &stated, (crs_paper_method)m, FEW, 2, b, NULL));
        for (int k = 0; k < FEW; k++)
            assert_true(a[k].iterations == b[k].iterations && a[k].stopped == b[k].stopped &&
                        a[k].error == b[k].error && a[k].error_z == b[k].error_z &&
                        a[k].gram_rank == b[k].gram_rank);
        assert_true(a[0].error != a[1].error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_ranks),
        cmocka_unit_test(printed_figures),
        cmocka_unit_test(constant_start_keeps_bcd_at_rank_one),
        cmocka_unit_test(proximal_methods_solve_the_easy_row),
        cmocka_unit_test(recipes_differ),
        cmocka_unit_test(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
