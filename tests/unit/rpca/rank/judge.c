/* SPDX-License-Identifier: MIT
 * judge: losses, gains and their standard errors by definition; steps up and down by the rule;
 * the reason states the numbers the rule used */
#include "rpca/rank/rank.h"

#include <stdio.h>

#include <crease/random.h>

#include "support/test.h"

enum { COUNT = 600, RANKS = 5, FOLDS = CRS_RANK_FOLDS };

typedef struct {
    crease_cp_rank_table table;
    crease_cp_rank_row row[RANKS];
    double r[RANKS][FOLDS][COUNT];
    crs_magnitudes magnitude[RANKS][FOLDS];
    const crs_magnitudes *list[RANKS * FOLDS];
    double sigma[RANKS];
    crs_rank_judge judge;
} example;

static double noise_at(uint64_t stream, int j)
{
    return crease_random_normal((crease_random){ 5, stream }, (uint64_t)j);
}

/* Ranks 1 .. RANKS: noise of deviation 1 and, of row k, a part of deviation lack[k] that it lacks;
 * every tenth entry is an outlier, the same in every row. */
static example *made(const double *lack)
{
    static example x;
    x = (example){ .table = { .count = RANKS, .row = x.row } };
    for (int k = 0; k < RANKS; k++) {
        for (int f = 0; f < FOLDS; f++) {
            x.magnitude[k][f] = (crs_magnitudes){ .unit = 1 };
            for (int j = 0; j < COUNT; j++) {
                const double part = lack[k] * noise_at(100 + (uint64_t)f, j);
                x.r[k][f][j] = noise_at((uint64_t)f, j) + part + (j % 10 == 0 ? 1e3 * (j + 1) : 0);
                crs_magnitudes_add(&x.magnitude[k][f], x.r[k][f][j]);
            }
            x.list[k * FOLDS + f] = &x.magnitude[k][f];
        }
        x.sigma[k] = sqrt(1 + square(lack[k]));
        x.row[k] = (crease_cp_rank_row){ .rank = k + 1, .fitted = 0.6745 * x.sigma[k] };
    }
    x.judge = (crs_rank_judge){ &x.table, x.list, x.sigma, 1e-7 };
    crs_rank_losses(&x.judge);
    return &x;
}

static double loss_of(const example *x, int k, int f, double sigma)
{
    const double t = exp2(floor(32 * log2(2 * sigma) + 1e-9) / 32);
    double sum = 0;
    for (int j = 0; j < COUNT; j++) sum += square(smaller(fabs(x->r[k][f][j]), t)) / COUNT;
    return sum;
}

/* The loss by the best row's noise; a gain by that of the better of its two rows. */
static void losses_gains_and_errors_are_by_definition(void **state)
{
    const double lack[] = { 2, 0.5, 0, 0.1, 0 };
    const example *x = made(lack);
    (void)state;
    assert_true(isnan(x->row[0].gain) && isnan(x->row[0].error));
    for (int k = 0; k < RANKS; k++) {
        double loss = 0, gain = 0, squares = 0, base = 0, d[FOLDS];
        for (int f = 0; f < FOLDS; f++) loss += loss_of(x, k, f, 1) / FOLDS;
        assert_close(x->row[k].loss, loss, 1e-11);
        if (k == 0) continue;
        const double sigma = smaller(x->sigma[k - 1], x->sigma[k]);
        for (int f = 0; f < FOLDS; f++) {
            base += loss_of(x, k - 1, f, sigma) / FOLDS;
            d[f] = loss_of(x, k - 1, f, sigma) - loss_of(x, k, f, sigma);
            gain += d[f] / FOLDS;
        }
        for (int f = 0; f < FOLDS; f++) squares += square((d[f] - gain) / base);
        assert_true(fabs(x->row[k].gain - gain / base) < 1e-11);
        assert_true(fabs(x->row[k].error - sqrt(squares / FOLDS / (FOLDS - 1))) < 1e-8);
    }
}

/* From any row; a rank that gains nothing by itself is passed where two terms gain together. */
static void the_climb_ends_where_no_step_is_left(void **state)
{
    const double plain[] = { 2, 1, 0, 0, 0 }, pair[] = { 1, 1, 0, 0, 0 }, none[RANKS] = { 0 };
    (void)state;
    for (int from = 0; from < RANKS; from++) {
        assert_int_equal(crs_rank_climb(&made(plain)->judge, from), 2);
        assert_int_equal(crs_rank_climb(&made(pair)->judge, from), 2);
        assert_int_equal(crs_rank_climb(&made(none)->judge, from), 0);
    }
    const example *x = made(pair);
    assert_true(!crs_rank_step(&x->judge, 0, 1) && crs_rank_step(&x->judge, 0, 2));
    assert_false(crs_rank_step(&x->judge, 2, 2) || crs_rank_step(&x->judge, 4, 5));
}

/* Less than 2 % a term is no step, however sure it is. */
static void a_trifle_is_no_step(void **state)
{
    const double slight[] = { 0.13, 0, 0, 0, 0 };
    const example *x = made(slight);
    (void)state;
    assert_true(x->row[1].gain > 0 && x->row[1].gain < 0.02);
    assert_false(crs_rank_step(&x->judge, 0, 1));
}

static void losses_below_rounding_are_equal(void **state)
{
    const double plain[] = { 2, 1, 0, 0, 0 };
    example *x = made(plain);
    (void)state;
    x->judge.floor = 1e3;
    crs_rank_losses(&x->judge);
    assert_int_equal(crs_rank_climb(&x->judge, 4), 0);
    crs_rank_explain(&x->judge, 0, -1);
    assert_non_null(strstr(x->table.reason, "to rounding"));
}

static void the_reason_states_what_the_rule_compared(void **state)
{
    const double plain[] = { 2, 1, 0, 0, 0 };
    example *x = made(plain);
    char gain[40];
    (void)state;
    crs_rank_explain(&x->judge, 2, -1);
    assert_true(x->table.rank == 3 && x->table.predicts == 3 && x->table.reproduces == 0);
    snprintf(gain, sizeof gain, "%.3g %% (%.1f SE)", 100 * x->row[2].gain,
             x->row[2].gain / x->row[2].error);
    assert_non_null(strstr(x->table.reason, gain));
    assert_non_null(strstr(x->table.reason, "3 terms predict held-out data"));
}

/* The smaller number is taken within 15 % of the error, and never beyond. */
static void terms_that_reproduce_are_taken_where_they_predict_as_well(void **state)
{
    const double near[] = { 2, 0.45, 0, 0, 0 }, far[] = { 2, 1, 0, 0, 0 };
    example *x = made(near);
    (void)state;
    assert_true(crs_rank_step(&x->judge, 1, 2) && crs_rank_close(&x->judge, 1, 2));
    crs_rank_explain(&x->judge, 2, 1);
    assert_true(x->table.rank == 2 && x->table.predicts == 3 && x->table.reproduces == 2);
    assert_non_null(strstr(x->table.reason, "Only 2 reproduce in halves of the data"));
    x = made(far);
    assert_false(crs_rank_close(&x->judge, 1, 2));
    crs_rank_explain(&x->judge, 2, 1);
    assert_true(x->table.rank == 3 && x->table.predicts == 3 && x->table.reproduces == 2);
    crs_rank_explain(&x->judge, 2, 2);
    assert_true(x->table.rank == 3 && strstr(x->table.reason, "All reproduce"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_gains_and_errors_are_by_definition),
        cmocka_unit_test(the_climb_ends_where_no_step_is_left),
        cmocka_unit_test(a_trifle_is_no_step),
        cmocka_unit_test(losses_below_rounding_are_equal),
        cmocka_unit_test(the_reason_states_what_the_rule_compared),
        cmocka_unit_test(terms_that_reproduce_are_taken_where_they_predict_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
