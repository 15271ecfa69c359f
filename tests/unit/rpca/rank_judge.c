/* SPDX-License-Identifier: MIT
 * rank_judge: losses and standard errors by their definitions; the smallest rank that is not
 * worse by more than chance and a trifle; what is said when chance may have decided */
#include "rpca/start.h"

#include <crease/random.h>

#include "support/test.h"

enum { COUNT = 400, RANKS = 4 };

typedef struct {
    crease_cp_rank_table table;
    crease_cp_rank_row row[RANKS];
    double r[RANKS][COUNT], *list[RANKS];
    crs_rank_judge judge;
} example;

static double noise_at(uint64_t stream, int j)
{
    return crease_random_normal((crease_random){ 5, stream }, (uint64_t)j);
}

/* Ranks 1 .. RANKS: noise of deviation 1 and, of row k, a part of deviation lack[k] that it lacks;
 * every tenth entry is an outlier, the same in every row. */
static void fill_in(example *x, const double *lack)
{
    double work[COUNT];
    *x = (example){ .table = { .count = RANKS, .row = x->row } };
    for (int k = 0; k < RANKS; k++) {
        for (int j = 0; j < COUNT; j++) {
            const double part = lack[k] * noise_at((uint64_t)k + 1, j);
            x->r[k][j] = work[j] = fabs(noise_at(0, j) + part + (j % 10 == 0 ? 1e3 * (j + 1) : 0));
        }
        x->row[k] = (crease_cp_rank_row){ .rank = k + 1, .consistency = 100 };
        x->row[k].held_out = crs_median(COUNT, work);
        x->list[k] = x->r[k];
    }
    x->judge = (crs_rank_judge){ &x->table, x->list, COUNT, 80 };
    crs_rank_losses(&x->judge);
}

static void losses_and_errors_are_by_definition(void **state)
{
    const double lack[] = { 2, 0.5, 0, 0.1 };
    example x;
    (void)state;
    fill_in(&x, lack);
    double median = INFINITY, loss[RANKS] = { 0 }, d[COUNT], squares = 0;
    for (int k = 0; k < RANKS; k++) median = smaller(median, x.row[k].held_out);
    const double t = 3 * median / 0.6745;
    for (int k = 0; k < RANKS; k++) {
        for (int j = 0; j < COUNT; j++)
            loss[k] += (x.r[k][j] < t ? x.r[k][j] * x.r[k][j] : t * t) / COUNT;
        assert_close(x.row[k].loss, loss[k], 1e-12);
        assert_close(x.row[k].excess, loss[k] - x.row[crs_rank_judged(&x.judge).best].loss, 1e-11);
    }
    for (int j = 0; j < COUNT; j++) {
        d[j] = square(smaller(x.r[0][j], t)) - square(smaller(x.r[1][j], t));
        squares += square(d[j] - (loss[0] - loss[1]));
    }
    assert_close(crs_rank_error(&x.judge, 0, 1), sqrt(squares / COUNT / (COUNT - 1)), 1e-11);
    assert_close(crs_rank_error(&x.judge, 1, 0), crs_rank_error(&x.judge, 0, 1), 1e-12);
    assert_true(crs_rank_error(&x.judge, 2, 2) == 0 && !crs_rank_worse(&x.judge, 2, 2));
}

/* Differences of the size of the outliers' own would hide a part of half the noise. */
static void outliers_cancel_in_differences(void **state)
{
    const double lack[] = { 2, 0.5, 0, 0.1 };
    example x;
    (void)state;
    fill_in(&x, lack);
    crs_rank_explain(&x.judge);
    assert_int_equal(x.table.rank, 3);
    assert_true(crs_rank_worse(&x.judge, 0, 2) && crs_rank_worse(&x.judge, 1, 2));
    assert_true(crs_rank_judged(&x.judge).rival == -1 && !strstr(x.table.reason, "not sure"));
}

/* One part in a hundred is a trifle even where it is no chance; what is not consistent is out. */
static void a_trifle_is_no_reason_and_inconsistent_ranks_are_out(void **state)
{
    const double alike[] = { 2, 0, 0, 0 };
    example x;
    (void)state;
    fill_in(&x, alike);
    for (int k = 1; k < RANKS; k++)
        for (int j = 0; j < COUNT; j++) x.r[k][j] = (1 - 0.001 * k) * fabs(noise_at(0, j));
    crs_rank_losses(&x.judge);
    assert_true(crs_rank_judged(&x.judge).best == 3 && x.row[1].excess > 2 * x.row[1].error);
    assert_int_equal(crs_rank_judged(&x.judge).recommended, 1);
    x.row[1].consistency = 10;
    crs_rank_losses(&x.judge);
    assert_int_equal(crs_rank_judged(&x.judge).recommended, 2);
}

/* Squares of 4, 1 + gap +- swing, 1, 1.2: the standard error of the gap is swing/sqrt(399). */
static void close_call(example *x, double gap, double swing)
{
    const double none[RANKS] = { 0 }, square_of[] = { 4, 1, 1, 1.2 };
    fill_in(x, none);
    for (int k = 0; k < RANKS; k++)
        for (int j = 0; j < COUNT; j++)
            x->r[k][j] = sqrt(square_of[k] + (k == 1 ? gap + (j % 2 ? swing : -swing) : 0));
    for (int k = 0; k < RANKS; k++) x->row[k].held_out = sqrt(square_of[k]);
    crs_rank_losses(&x->judge);
    crs_rank_explain(&x->judge);
}

static void the_reason_says_when_chance_may_have_decided(void **state)
{
    example x;
    (void)state;
    close_call(&x, 0.0375, 0.5); /* 1.5 standard errors, more than a trifle of 0.022 */
    assert_true(x.table.rank == 3 && crs_rank_judged(&x.judge).rival == 1);
    assert_non_null(strstr(x.table.reason, "not sure: rank 2 is worse by 1.5 standard errors"));
    close_call(&x, 0.03, 0.8); /* 0.75 */
    assert_true(x.table.rank == 2 && crs_rank_judged(&x.judge).rival == 2);
    assert_non_null(strstr(x.table.reason, "not sure: rank 3 is better by 0.7 standard errors"));
    close_call(&x, 0.075, 0.5); /* 3 */
    assert_true(x.table.rank == 3 && crs_rank_judged(&x.judge).rival == -1);
    assert_null(strstr(x.table.reason, "not sure"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_and_errors_are_by_definition),
        cmocka_unit_test(outliers_cancel_in_differences),
        cmocka_unit_test(a_trifle_is_no_reason_and_inconsistent_ranks_are_out),
        cmocka_unit_test(the_reason_says_when_chance_may_have_decided)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
