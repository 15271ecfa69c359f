/* SPDX-License-Identifier: MIT
 * support: the Hessian on chosen columns is the derivative of the gradient, and Newton's step
 * solves with it */
#include "regress/regress.h"
#include "support/regression_naive.h"

enum { ROWS = 40, COLS = 6, UNITS = 3, ALL = COLS + 1 };
static double X[NAIVE_ROWS * NAIVE_COLS], y[NAIVE_ROWS];

/* grad F at b in the design's order, F = (1/n) sum phi + sum_u w_u rho(|b_u|) */
static void gradient(const crs_design *d, const crs_penalty_value *v, const double *b, double *loss,
                     double *all)
{
    double e[ROWS] = { 0 }, s[ROWS], lift = 0;
    for (ptrdiff_t j = 0; j < d->cols; j++) column_add(d, b[j], j, e, &lift);
    crs_loss_slopes(d, e, s);
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const double t = crs_norm(unit_size(d, u), b + d->start[u]);
        for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) {
            loss[j] = column_dot(d, j, s, 0) / ROWS;
            all[j] = loss[j] + d->weight[u] * v->rho->slope(v->par, t) * b[j] / t;
        }
    }
}

static void check(crease_regression_loss loss, crease_reg penalty)
{
    const ptrdiff_t start[] = { 0, 1, 4, 6 };
    const crease_groups groups = { UNITS, start, NULL };
    crease_regression_settings s = crease_regression_default();
    crease_error e = { CREASE_OK, "" };
    s.loss = loss, s.path = 2;
    s.penalty = crease_group(penalty.penalty, penalty.par, &groups);
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
    if (!m) fail_msg("%s", e.text);
    const crs_design *d = &m->d;
    const ptrdiff_t n = d->cols, chosen[] = { 0, 1, 2, 3, 4, 5, 6 };
    crs_penalty_value v = { .rho = penalty.penalty, .weight = 1 };
    double b[ALL], g[ALL], all[ALL], up[ALL], down[ALL], H[ALL * ALL], L[ALL * ALL], step[ALL];
    double scores[ROWS] = { 0 }, h[ROWS], row[ROWS], lift = 0;
    crs_penalty_at(&penalty, 0.3, v.par);
    for (ptrdiff_t j = 0; j < n; j++) b[j] = cos(3.0 * (double)j) / 2;
    for (ptrdiff_t j = 0; j < n; j++) column_add(d, b[j], j, scores, &lift);
    for (int i = 0; i < ROWS; i++) h[i] = loss_curve(d->loss, loss_argument(d, scores, i));
    gradient(d, &v, b, g, all);
    const crs_support at = {
        .d = d, .value = &v, .h = h, .b = b, .count = n, .chosen = chosen, .row = row
    };
    assert_true(crs_support_step(&at, NULL, H, NULL));
    for (ptrdiff_t j = 0; j < n; j++) {
        const double here = b[j], small = 1e-5;
        double unread[ALL];
        b[j] = here + small, gradient(d, &v, b, unread, up);
        b[j] = here - small, gradient(d, &v, b, unread, down);
        b[j] = here;
        for (ptrdiff_t i = 0; i < n; i++)
            assert_close(H[i * n + j], (up[i] - down[i]) / (2 * small), 1e-6);
    }
    assert_true(crs_support_step(&at, g, L, step));
    for (ptrdiff_t i = 0; i < n; i++) assert_close(crs_dot(n, H + i * n, step), all[i], 1e-10);
    crease_regression_free(m);
}

static void newton_is_by_definition(void **state)
{
    (void)state;
    draw_regression(ROWS, COLS, 3, X, y);
    check(CREASE_REGRESSION_SQUARED, crease_l1(1));
    check(CREASE_REGRESSION_SQUARED, crease_elastic_net(1, 2));
    check(CREASE_REGRESSION_SQUARED, crease_mcp(1, 20));
    for (int i = 0; i < ROWS; i++) y[i] = i % 3 ? 1 : -1;
    check(CREASE_REGRESSION_LOGISTIC, crease_l1(1));
    check(CREASE_REGRESSION_LOGISTIC, crease_elastic_net(1, 2));
    check(CREASE_REGRESSION_LOGISTIC, crease_scad(1, 30));
}

/* Where there are rows enough the Hessian is a sum of products of matrices. */
static void hessians_of_many_columns_are_by_definition(void **state)
{
    enum { MANY = 1003, WIDE = 30, CHOSEN = 20 };
    static double x[WIDE * MANY], h[MANY], row[MANY], found[CHOSEN * CHOSEN];
    ptrdiff_t chosen[CHOSEN];
    (void)state;
    for (int k = 0; k < WIDE * MANY; k++) x[k] = sin(k + k / 7);
    for (int i = 0; i < MANY; i++) h[i] = cos(3 * i) - 0.2;
    for (int k = 0; k < CHOSEN; k++) chosen[k] = k + k / 2;
    const crs_design d = { .n = MANY, .p = WIDE, .cols = WIDE, .x = x };
    const crs_support a = { .d = &d, .h = h, .count = CHOSEN, .chosen = chosen, .row = row };
    assert_true(crs_support_step(&a, NULL, found, NULL));
    for (int i = 0; i < CHOSEN; i++)
        for (int j = 0; j < CHOSEN; j++) {
            const double *u = x + chosen[i] * MANY, *v = x + chosen[j] * MANY;
            long double sum = 0;
            for (int r = 0; r < MANY; r++) sum += (long double)h[r] * u[r] * v[r];
            assert_true(fabsl(found[i * CHOSEN + j] - sum / MANY) <= 4 * MANY * 0x1p-53);
            assert_true(found[i * CHOSEN + j] == found[j * CHOSEN + i]);
        }
}

enum { LONG = 640, CHOSEN = CRS_MOST_SUPPORT + 60, BEYOND = CHOSEN + 20 };

/* x'diag(h)x v/n on the chosen columns */
static void multiply(const double *x, const double *h, const ptrdiff_t *chosen, const double *v,
                     double *out)
{
    double e[LONG] = { 0 };
    for (int k = 0; k < CHOSEN; k++)
        for (int i = 0; i < LONG; i++) e[i] += v[k] * x[chosen[k] * LONG + i];
    for (int k = 0; k < CHOSEN; k++) {
        out[k] = 0;
        for (int i = 0; i < LONG; i++) out[k] += x[chosen[k] * LONG + i] * h[i] * e[i] / LONG;
    }
}

static double scaled(const double *r, const double *diagonal)
{
    double sum = 0;
    for (int k = 0; k < CHOSEN; k++) sum += r[k] * r[k] / diagonal[k];
    return sqrt(sum);
}

/* More columns than a Hessian is made of: a tenth of the gradient is left, in the norm of the
 * diagonal. */
static void steps_on_many_columns_come_near(void **state)
{
    static double x[BEYOND * LONG], h[LONG], row[LONG], weight[BEYOND], g[BEYOND], step[CHOSEN];
    static double left[CHOSEN], diagonal[CHOSEN];
    static ptrdiff_t chosen[CHOSEN], start[BEYOND + 1];
    const crease_random r = { 11, 0 };
    (void)state;
    for (int k = 0; k < BEYOND * LONG; k++) x[k] = crease_random_normal(r, (uint64_t)k);
    for (int j = 0; j < BEYOND; j++) g[j] = crease_random_normal(r, (uint64_t)(BEYOND * LONG + j));
    for (int i = 0; i < LONG; i++) h[i] = 0.25 + 0.2 * cos(i);
    for (int j = 0; j <= BEYOND; j++) start[j] = j;
    for (int k = 0; k < CHOSEN; k++) chosen[k] = k + k / 30;
    const crs_design d = { .n = LONG,
                           .p = BEYOND,
                           .cols = BEYOND,
                           .units = BEYOND,
                           .x = x,
                           .start = start,
                           .weight = weight };
    const crs_support a = {
        .d = &d, .h = h, .b = x, .count = CHOSEN, .chosen = chosen, .row = row
    };
    double *room = crs_doubles(crs_support_room(CHOSEN), "a test", NULL);
    assert_true(room && crs_support_step(&a, g, room, step));
    multiply(x, h, chosen, step, left);
    for (int k = 0; k < CHOSEN; k++) {
        diagonal[k] = 0;
        for (int i = 0; i < LONG; i++)
            diagonal[k] += h[i] * x[chosen[k] * LONG + i] * x[chosen[k] * LONG + i] / LONG;
    }
    double all[CHOSEN];
    for (int k = 0; k < CHOSEN; k++) all[k] = g[chosen[k]], left[k] -= all[k];
    assert_true(scaled(left, diagonal) <= 0.1 * (1 + 1e-6) * scaled(all, diagonal));
    crs_free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(newton_is_by_definition),
                                        cmocka_unit_test(
                                            hessians_of_many_columns_are_by_definition),
                                        cmocka_unit_test(steps_on_many_columns_come_near) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
