/* SPDX-License-Identifier: MIT
 * regress_reread: loss, gradient and Gram matrix from readings of X are as near the definitions, in
 * long double, as their bounds say; verdicts and bounds of a large design are those of a small one,
 * which is judged in long double */
#include "support/regression_naive.h"
#include "verify/regress.h"

enum { ROWS = 700, COLS = 41, PATH = 30, WIDTH = COLS + 2, ALL = COLS + 1 };

static double X[ROWS * COLS], y[ROWS], v[ROWS], table[ROWS * WIDTH], point[PATH * ALL];
static double lambda[PATH];

static double draw(uint64_t stream, ptrdiff_t k)
{
    return sin((double)(stream * 7919 + 1) * 1.37 + 2.1 * (double)k * (double)(k % 97 + 1));
}

/* Columns of any mean and spread, one that is constant; points that are 0 in most places. */
static void draw_all(crease_regression_loss loss)
{
    for (ptrdiff_t i = 0; i < ROWS; i++) {
        for (ptrdiff_t j = 0; j < COLS; j++) {
            const double mean = j % 5 == 3 ? 1e6 : (double)(j % 5),
                         spread = pow(10, (double)(j % 7) - 3);
            X[i * COLS + j] = j == 11 ? 3 : mean + spread * draw(1, i * COLS + j);
        }
        y[i] = loss == CREASE_REGRESSION_LOGISTIC ? i % 3 == 0 : 5 + 2 * draw(2, i);
        v[i] = (double)(i * 7 % 5);
        copy(COLS, X + i * COLS, table + i * WIDTH);
        table[i * WIDTH + COLS] = y[i], table[i * WIDTH + COLS + 1] = v[i];
    }
    for (ptrdiff_t k = 0; k < PATH; k++) lambda[k] = 1 / (double)(k + 1);
    for (ptrdiff_t k = 0; k < PATH * ALL; k++) point[k] = k * 13 % 7 < 2 ? draw(3, k) / 3 : 0;
}

static bool read(void *user, ptrdiff_t first, ptrdiff_t count, double *out, crease_error *e)
{
    (void)user, (void)e;
    copy(count * WIDTH, table + first * WIDTH, out);
    return true;
}

/* The design in long double, nothing rounded to double */
static long double z[ROWS][ALL], t[ROWS], share[ROWS];

static void naive_column(const crease_regression_settings *s, ptrdiff_t j, long double one)
{
    long double mean = 0, sum = 0, low = INFINITY, high = -INFINITY;
    for (ptrdiff_t i = 0; i < ROWS; i++) mean += share[i] * X[i * COLS + j] / ROWS;
    if (!s->intercept) mean = 0;
    for (ptrdiff_t i = 0; i < ROWS; i++) {
        const long double x = X[i * COLS + j];
        sum += share[i] * (x - mean) * (x - mean) / ROWS;
        low = x < low ? x : low, high = x > high ? x : high;
    }
    const long double spread = s->standardize ? sqrtl(sum) : 1;
    for (ptrdiff_t i = 0; i < ROWS; i++)
        z[i][j] =
            s->intercept && low == high ? 0 : (X[i * COLS + j] - mean) / spread / s->loss_scale;
    for (ptrdiff_t i = 0; i < ROWS; i++) z[i][COLS] = one / s->loss_scale;
}

static void naive_design(const crease_regression_settings *s, bool weighted, long double one)
{
    const bool squared = s->loss == CREASE_REGRESSION_SQUARED;
    long double all = 0, mean = 0;
    for (ptrdiff_t i = 0; i < ROWS; i++) all += v[i];
    for (ptrdiff_t i = 0; i < ROWS; i++) share[i] = weighted ? v[i] * ROWS / all : 1;
    for (ptrdiff_t i = 0; i < ROWS; i++) mean += share[i] * y[i] / ROWS;
    if (!squared || !s->intercept) mean = 0;
    for (ptrdiff_t j = 0; j < COLS; j++) naive_column(s, j, one);
    for (ptrdiff_t i = 0; i < ROWS; i++) {
        t[i] = (y[i] - mean) / s->loss_scale;
        if (s->loss == CREASE_REGRESSION_LOGISTIC) t[i] = y[i] == 1 ? 1 : -1;
    }
}

/* phi and phi' */
static long double naive_loss(crease_regression_loss loss, long double e, long double at,
                              long double *slope)
{
    const long double r = e - at;
    if (loss == CREASE_REGRESSION_LOGISTIC) {
        const long double m = at * e;
        *slope = -at / (1 + expl(m));
        return (m < 0 ? -m : 0) + log1pl(expl(-fabsl(m)));
    }
    if (loss == CREASE_REGRESSION_CAUCHY) return *slope = r / (1 + r * r), log1pl(r * r) / 2;
    if (loss == CREASE_REGRESSION_SQUARED || fabsl(r) <= 1) return *slope = r, r * r / 2;
    return *slope = copysignl(1, r), fabsl(r) - 0.5L;
}

static void expect_near(const char *what, ptrdiff_t k, long double off, long double bound)
{
    if (!(fabsl(off) <= bound)) fail_msg("%s %td: %Lg, but %Lg away", what, k, bound, off);
}

static void check_point(const crs_reread *a, ptrdiff_t m)
{
    const ptrdiff_t cols = a->cols;
    const crease_regression_settings *s = &a->d.c->s;
    static long double g[ALL];
    long double loss = 0;
    for (ptrdiff_t j = 0; j < cols; j++) g[j] = 0;
    for (ptrdiff_t i = 0; i < ROWS; i++) {
        long double e = 0, slope;
        for (ptrdiff_t j = 0; j < cols && m < PATH; j++) e += z[i][j] * point[m * cols + j];
        loss += share[i] * naive_loss(s->loss, e, t[i], &slope) / ROWS;
        for (ptrdiff_t j = 0; j < cols; j++) g[j] += share[i] * z[i][j] * slope / ROWS;
    }
    expect_near("loss", m, a->loss[m] - loss, crs_reread_blur(a, m));
    for (ptrdiff_t j = 0; j < cols; j++)
        expect_near("gradient", j, a->g[j * a->wide + m] - g[j], crs_reread_doubt(a, j, m));
}

static void check_gram(const crs_reread *a)
{
    long double size = 0, sum = 0;
    for (ptrdiff_t j = 0; j < a->cols; j++) size += a->wideness[j] * a->wideness[j];
    for (ptrdiff_t j = 0; j < a->cols; j++)
        for (ptrdiff_t k = 0; k < a->cols; k++) {
            long double h = 0;
            for (ptrdiff_t i = 0; i < ROWS; i++) h += share[i] * z[i][j] * z[i][k] / ROWS;
            sum += (a->hess[j * a->cols + k] - h) * (a->hess[j * a->cols + k] - h);
        }
    expect_near("Gram matrix", 0, sqrtl(sum), a->off * size);
}

static void expect_bounds_to_hold(crease_regression_loss loss, int way, crs_tile *tile)
{
    const bool weighted = way & 1, in_memory = way & 2;
    const ptrdiff_t some[] = { 0, 23, 24, PATH };
    const crease_regression_reading in = { true, read, NULL };
    crease_error e = { CREASE_OK, "" };
    double wanted[PATH];
    crease_regression_claim c = {
        ROWS, COLS, X, y, point, NULL, NULL, crease_regression_default()
    };
    crs_reread a = { .in = in_memory ? NULL : &in, .d = { .c = &c, .rows = true } };
    c.s.loss = loss, c.s.intercept = way & 4, c.s.standardize = way & 8;
    c.s.path = PATH, c.s.lambda = lambda, c.s.penalty = crease_mcp(1, 3);
    c.s.row_weight = weighted && in_memory ? v : NULL;
    c.s.loss_scale = loss == CREASE_REGRESSION_HUBER ? 0.75 : 1;
    for (ptrdiff_t i = 0; i < ROWS && !weighted; i++) table[i * WIDTH + COLS + 1] = 1;
    for (ptrdiff_t k = 0; k < PATH; k++) wanted[k] = 1;
    if (!crs_reread_open(&a, wanted, &e)) fail_msg("%s", e.text);
    if (tile) a.tile = tile;
    assert_true(a.exact == in_memory);
    a.exact = in_memory && way & 16;
    assert_true(a.gram == (loss == CREASE_REGRESSION_SQUARED));
    const bool gram = a.gram;
    assert_true(crs_reread_points(&a, &e));
    naive_design(&c.s, weighted, a.d.one);
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) check_point(&a, some[k]);
    if (gram) check_gram(&a);
    crs_free(a.memory);
    crs_free(a.d.memory);
}

static void losses_and_gradients_are_within_their_bounds(void **state)
{
    const crease_regression_loss loss[] = { CREASE_REGRESSION_SQUARED, CREASE_REGRESSION_LOGISTIC,
                                            CREASE_REGRESSION_HUBER, CREASE_REGRESSION_CAUCHY };
    (void)state;
    for (int k = 0; k < 4; k++)
        for (int way = 0; way < 32; way += k == 0 ? 1 : 3) {
            draw_all(loss[k]);
            expect_bounds_to_hold(loss[k], way, NULL);
        }
}

static void every_tile_is_within_its_bound(void **state)
{
    enum { MOST = 1000, SIZE = CRS_TILE_ROWS * CRS_TILE_COLUMNS };
    static double a[MOST * CRS_TILE_ROWS], b[MOST * CRS_TILE_COLUMNS], c[SIZE];
    const ptrdiff_t counts[] = { 0, 1, 2, 7, 128, MOST };
    (void)state;
    for (ptrdiff_t k = 0; k < MOST * CRS_TILE_ROWS; k++) a[k] = draw(4, k);
    for (ptrdiff_t k = 0; k < MOST * CRS_TILE_COLUMNS; k++)
        b[k] = draw(5, k) * pow(10, (double)(k % 5));
    for (int which = 0; crs_tile_at(which); which++) {
        for (int n = 0; n < 6; n++) {
            crs_tile_at(which)(counts[n], a, b, c);
            for (int k = 0; k < SIZE; k++) {
                long double sum = 0, size = 0;
                for (ptrdiff_t t_ = 0; t_ < counts[n]; t_++) {
                    const long double term =
                        (long double)a[t_ * CRS_TILE_ROWS + k / CRS_TILE_COLUMNS] *
                        b[t_ * CRS_TILE_COLUMNS + k % CRS_TILE_COLUMNS];
                    sum += term, size += fabsl(term);
                }
                assert_true(fabsl(sum - c[k]) <= 1.001L * (long double)counts[n] * 0x1p-53L * size);
            }
        }
        draw_all(CREASE_REGRESSION_SQUARED);
        expect_bounds_to_hold(CREASE_REGRESSION_SQUARED, 13, crs_tile_at(which));
    }
}

/* A fit of a design that is large enough for double, ROWS rows of it or a few. */
static void fit(crease_regression_settings s, ptrdiff_t n, ptrdiff_t p, const double *x,
                crease_regression_claim *c, double *coefficients, crease_regression **m)
{
    crease_error e = { CREASE_OK, "" };
    *m = crease_regression_new(&s, n, p, x, y, &e);
    if (!*m || !crease_regression_fit(*m, &e)) fail_msg("%s", e.text);
    for (ptrdiff_t k = 0; k < s.path; k++) {
        const crease_regression_solution b = *crease_regression_at(*m, k);
        coefficients[k * (p + 1)] = b.intercept;
        copy(p, b.coef, coefficients + k * (p + 1) + 1);
    }
    *c = (crease_regression_claim){
        n, p, x, y, crease_regression_point(*m, 0), coefficients, NULL, *crease_regression_used(*m)
    };
}

/* Whatever is wrong with the point is found, and a bound is never below what the point lacks. */
static void large_claims_are_judged_as_small_ones(void **state)
{
    enum { N = 300, P = 250, FEW = 6 };
    static double A[N * P], coefficients[FEW * (P + 1)], moved[FEW * (P + 1)];
    const crease_reg penalty[] = { crease_l1(1), crease_elastic_net(0.4, 0.6), crease_mcp(1, 40) };
    crease_verification out[FEW];
    double wanted[FEW], objective[FEW], bound[FEW], least[FEW];
    crease_error e = { CREASE_OK, "" };
    (void)state;
    for (int way = 0; way < 6; way++) {
        crease_regression_settings s = crease_regression_default();
        crease_regression_claim c;
        crease_regression *m;
        draw_regression(N, P, 5, A, y);
        s.loss = way < 3 ? CREASE_REGRESSION_SQUARED : CREASE_REGRESSION_HUBER;
        s.penalty = penalty[way % 3], s.path = FEW, s.ratio = 0.2, s.eps = 1e-8;
        fit(s, N, P, A, &c, coefficients, &m);
        const ptrdiff_t cols = P + (s.loss != CREASE_REGRESSION_SQUARED);
        assert_true(crease_regression_verify(&c, out, &e));
        for (int k = 0; k < FEW; k++) {
            wanted[k] =
                s.penalty.penalty->convex ? 1e-8 * crease_regression_at(m, k)->objective : NAN;
            assert_int_equal(out[k].verdict, CREASE_VERDICT_VALID);
            crease_verification_free(&out[k]);
        }
        assert_true(crease_regression_bound(&c, wanted, least, bound, &e));
        for (int k = 0; k < FEW; k++) {
            assert_true(isnan(wanted[k]) ? isnan(bound[k]) : bound[k] <= wanted[k]);
            assert_true(fabs(least[k] - crease_regression_at(m, k)->objective) <= 1e-12 * least[k]);
        }
        copy(FEW * cols, c.point, moved);
        for (ptrdiff_t k = 0; k < FEW * cols; k++) moved[k] += 1e-5 * sin((double)k);
        c.point = moved;
        assert_true(crease_regression_bound(&c, wanted, objective, bound, &e));
        for (int k = 0; k < FEW; k++)
            assert_true(isnan(wanted[k]) || bound[k] >= objective[k] - least[k]);
        assert_true(crease_regression_verify(&c, out, &e));
        for (int k = 0; k < FEW; k++) {
            assert_int_equal(out[k].verdict, CREASE_VERDICT_INVALID);
            crease_verification_free(&out[k]);
        }
        crease_regression_free(m);
    }
}

static void data_that_are_no_numbers_are_never_valid(void **state)
{
    enum { N = 300, P = 250 };
    static double A[N * P], coefficients[2 * (P + 1)];
    crease_verification out[2];
    crease_error e = { CREASE_OK, "" };
    crease_regression_settings s = crease_regression_default();
    crease_regression_claim c;
    crease_regression *m;
    (void)state;
    draw_regression(N, P, 5, A, y);
    s.path = 2, s.ratio = 0.5;
    fit(s, N, P, A, &c, coefficients, &m);
    const double *const of[] = { A + 77, y + 5 };
    for (int k = 0; k < 2; k++) {
        double *at = (double *)(uintptr_t)of[k];
        const double was = *at;
        *at = NAN;
        const bool judged = crease_regression_verify(&c, out, &e);
        for (int i = 0; i < 2 && judged; i++) {
            assert_int_equal(out[i].verdict, CREASE_VERDICT_INVALID);
            crease_verification_free(&out[i]);
        }
        *at = was;
    }
    crease_regression_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_and_gradients_are_within_their_bounds),
        cmocka_unit_test(every_tile_is_within_its_bound),
        cmocka_unit_test(large_claims_are_judged_as_small_ones),
        cmocka_unit_test(data_that_are_no_numbers_are_never_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
