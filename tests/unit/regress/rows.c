/* SPDX-License-Identifier: MIT
 * rows: a regression on rows in slabs has the path, the certificates and the scores of one in
 * memory, and the same bits wherever the rows are */
#include <stdio.h>
#include <stdlib.h>

#include "support/test.h"

#include <crease/random.h>
#include <crease/regression.h>

enum { N = 240, P = 7, PATH = 12 };

static double X[N * P], y[N], rows[N * (P + 3)], weight[N];
static int fold[N];

static double gauss(uint64_t k) { return crease_random_normal((crease_random){ 11, 0 }, k); }

/* Columns of unlike size, far from 0, one of them constant; outcomes of a loss. */
static void draw(crease_regression_loss loss)
{
    for (int i = 0; i < N; i++) {
        double score = 0.3;
        for (int j = 0; j < P; j++) {
            const double z = gauss((uint64_t)(i * P + j)) + (j > 0 ? 0.4 * X[i * P] / 2 : 0);
            X[i * P + j] = j == 6 ? 3 : j == 2 ? 100 + 50 * z : (j + 2) * z;
            if (j < 3) score += (j == 1 ? -1 : 1) * z;
        }
        const double noise = gauss((uint64_t)(N * P + i));
        y[i] = loss == CREASE_REGRESSION_LOGISTIC ? score + noise > 0 : score + noise;
        if (loss != CREASE_REGRESSION_LOGISTIC && i % 17 == 0) y[i] += 20;
        weight[i] = i % 9 == 0 ? 0 : 0.5 + (i % 4);
        fold[i] = i % 11 == 0 ? -1 : i % 3;
    }
}

/* X, y, and with them weights and folds */
static ptrdiff_t join(bool weighted, bool folded)
{
    const ptrdiff_t width = P + 1 + weighted + folded;
    for (ptrdiff_t i = 0; i < N; i++) {
        double *row = rows + i * width;
        memcpy(row, X + i * P, P * sizeof *row);
        row[P] = y[i];
        if (weighted) row[P + 1] = weight[i];
        if (folded) row[width - 1] = fold[i];
    }
    return width;
}

static crease_source *source_of(bool weighted, bool folded)
{
    crease_error e = { CREASE_OK, "" };
    const crease_space s = crease_matrix(N, join(weighted, folded));
    crease_source *out = crease_source_memory(&s, rows, false, &e);
    if (!out) fail_msg("%s", e.text);
    return out;
}

static void is_close(double a, double b, double tolerance, const char *what, int k)
{
    if (!(fabs(a - b) <= tolerance * (1 + fabs(b))))
        fail_msg("%s %d: %.17g, not %.17g", what, k, a, b);
}

static void compare(const crease_regression_settings *s, bool weighted, const char *name)
{
    crease_error e = { CREASE_OK, "" };
    crease_regression_settings own = *s;
    const crease_regression_rows columns = { .size = sizeof columns, .p = P, .weighted = weighted };
    crease_source *source = source_of(weighted, false);
    own.row_weight = weighted ? weight : NULL;
    crease_regression *m = crease_regression_new(&own, N, P, X, y, &e);
    if (!m || !crease_regression_fit(m, &e)) fail_msg("%s: %s", name, e.text);
    crease_regression *r = crease_regression_new_on(s, &columns, source, &e);
    if (!r || !crease_regression_fit(r, &e)) fail_msg("%s: %s", name, e.text);
    is_close(crease_regression_lambda_max(r), crease_regression_lambda_max(m), 1e-9, name, -1);
    for (int k = 0; k < PATH; k++) {
        const crease_regression_solution *a = crease_regression_at(r, k);
        const crease_regression_solution *b = crease_regression_at(m, k);
        crease_regression_certificate c, d;
        assert_true(crease_regression_certify(r, k, false, &c, &e));
        assert_true(crease_regression_certify(m, k, false, &d, &e));
        if (!c.certified) fail_msg("%s %d: relative %g", name, k, c.relative);
        if (d.convexity == CREASE_CONVEXITY_LOCAL) assert_int_equal(c.convexity, d.convexity);
        is_close(c.residual.scale, d.residual.scale, 1e-6, "scale", k);
        is_close(a->intercept, b->intercept, 1e-6, name, k);
        is_close(a->objective, b->objective, 1e-9, name, k);
        is_close(a->deviance, b->deviance, 1e-7, name, k);
        for (int j = 0; j < P; j++) {
            assert_int_equal(a->coef[j] == 0, b->coef[j] == 0);
            is_close(a->coef[j], b->coef[j], 1e-8, name, k);
        }
    }
    crease_regression_free(m);
    crease_regression_free(r);
    crease_source_free(source);
}

static crease_reg grouped(crease_reg r, const crease_groups *g)
{
    return crease_group(r.penalty, r.par, g);
}

static void paths_agree_with_those_in_memory(void **state)
{
    static const crease_regression_loss losses[] = { CREASE_REGRESSION_SQUARED,
                                                     CREASE_REGRESSION_LOGISTIC,
                                                     CREASE_REGRESSION_HUBER,
                                                     CREASE_REGRESSION_CAUCHY };
    static const ptrdiff_t start[] = { 0, 2, 5, 7 };
    const crease_groups groups = { 3, start, NULL };
    const crease_reg penalties[] = {
        crease_l1(1),       crease_elastic_net(0.5, 0.5),   crease_mcp(1, 12),
        crease_scad(1, 12), grouped(crease_l1(1), &groups), grouped(crease_mcp(1, 12), &groups)
    };
    (void)state;
    for (size_t l = 0; l < 4; l++)
        for (size_t r = 0; r < sizeof penalties / sizeof *penalties; r++)
            for (int how = 0; how < 4; how++) {
                char name[80];
                crease_regression_settings s = crease_regression_default();
                draw(losses[l]);
                s.loss = losses[l], s.penalty = penalties[r], s.path = PATH, s.ratio = 0.05;
                s.eps = 1e-10, s.intercept = how != 1, s.standardize = how != 2;
                snprintf(name, sizeof name, "loss %zu, penalty %zu, way %d", l, r, how);
                compare(&s, how == 3, name);
            }
}

/* ---- folds ---- */

static void scores_agree_with_those_in_memory(void **state)
{
    (void)state;
    for (int l = 0; l < 3; l++) {
        crease_error e = { CREASE_OK, "" };
        crease_regression_scores a, b;
        crease_regression_settings s = crease_regression_default();
        const crease_regression_rows columns = {
            .size = sizeof columns, .p = P, .weighted = true, .folded = true
        };
        draw((crease_regression_loss)l);
        s.loss = (crease_regression_loss)l, s.path = PATH, s.ratio = 0.05, s.eps = 1e-10;
        crease_source *source = source_of(true, true);
        crease_regression *r = crease_regression_new_on(&s, &columns, source, &e);
        if (!r || !crease_regression_fit(r, &e) || !crease_regression_cv_on(r, &a, &e))
            fail_msg("%s", e.text);
        s.row_weight = weight;
        crease_regression *m = crease_regression_new(&s, N, P, X, y, &e);
        if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
        assert_true(crease_regression_cv_by(m, X, y, 3, fold, &b, &e));
        assert_int_equal(a.folds, 3);
        for (int k = 0; k < PATH; k++) {
            is_close(a.mean[k], b.mean[k], 1e-7, "score", k);
            is_close(a.error[k], b.error[k], 1e-7, "error", k);
        }
        assert_int_equal(a.best, b.best);
        assert_int_equal(a.one_se, b.one_se);
        crease_regression_scores_free(&a);
        crease_regression_scores_free(&b);
        crease_regression_free(r);
        crease_regression_free(m);
        crease_source_free(source);
    }
}

static void folds_are_dealt_evenly(void **state)
{
    crease_error e = { CREASE_OK, "" };
    crease_regression_scores a;
    crease_regression_settings s = crease_regression_default();
    const crease_regression_rows columns = {
        .size = sizeof columns, .p = P, .folds = 4, .seed = 3
    };
    (void)state;
    draw(CREASE_REGRESSION_SQUARED);
    crease_source *source = source_of(false, false);
    crease_regression *r = crease_regression_new_on(&s, &columns, source, &e);
    assert_non_null(r);
    assert_true(crease_regression_fit(r, &e) && crease_regression_cv_on(r, &a, &e));
    assert_int_equal(a.folds, 4);
    assert_true(a.mean[a.best] > 0 && a.mean[a.best] < a.mean[0]);
    crease_regression_scores_free(&a);
    crease_regression_free(r);
    crease_source_free(source);
}

/* ---- several slabs ---- */

enum { MANY = 1300000, WIDE = 8 };

static double entry(uint64_t k)
{
    k = (k + 1) * 0x9e3779b97f4a7c15u;
    k = (k ^ (k >> 31)) * 0xbf58476d1ce4e5b9u;
    return (double)(int64_t)(k ^ (k >> 29)) * 0x1p-62;
}

/* y follows from columns 0 and 3; the entry `user` is nan. */
static bool bring(void *user, const crease_slab *slab, double *out, crease_error *e)
{
    const ptrdiff_t *bad = user, n = crease_size(&slab->shape);
    (void)e;
    for (ptrdiff_t k = 0; k < n; k++) out[k] = entry((uint64_t)(slab->first + k));
    for (ptrdiff_t k = WIDE - 1; k < n; k += WIDE)
        out[k] = out[k - 7] - out[k - 4] / 2 + out[k] > 0;
    if (*bad >= slab->first && *bad < slab->first + n) out[*bad - slab->first] = (double)NAN;
    return true;
}

typedef struct {
    double coef[4][WIDE], objective[4], mean[4];
} answer;

static void solve_many(crease_regression_loss loss, double bytes, int threads, answer *out)
{
    crease_error e = { CREASE_OK, "" };
    ptrdiff_t none = -1;
    const crease_space shape = crease_matrix(MANY, WIDE);
    const crease_regression_rows columns = { .size = sizeof columns,
                                             .p = WIDE - 1,
                                             .folds = loss == CREASE_REGRESSION_SQUARED ? 3 : 0 };
    crease_regression_settings s = crease_regression_default();
    crease_regression_scores scores = { .mean = NULL };
    s.loss = loss, s.path = 4, s.ratio = 0.01, s.threads = threads;
    crease_source *source = crease_source_function(&shape, bring, &none, bytes, false, &e);
    crease_regression *r = source ? crease_regression_new_on(&s, &columns, source, &e) : NULL;
    if (!r || !crease_regression_fit(r, &e)) fail_msg("%s", e.text);
    if (columns.folds) assert_true(crease_regression_cv_on(r, &scores, &e));
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 4; k++) {
        const crease_regression_solution *at = crease_regression_at(r, k);
        crease_regression_certificate c;
        assert_true(crease_regression_certify(r, k, false, &c, &e));
        assert_true(c.certified);
        assert_int_equal(c.convexity, CREASE_CONVEXITY_GLOBAL);
        memcpy(out->coef[k], at->coef, (WIDE - 1) * sizeof(double));
        out->coef[k][WIDE - 1] = at->intercept;
        out->objective[k] = at->objective;
        out->mean[k] = scores.mean ? scores.mean[k] : 0;
    }
    crease_regression_scores_free(&scores);
    crease_regression_free(r);
    crease_source_free(source);
}

static void bits_are_those_of_any_memory_and_threads(void **state)
{
    (void)state;
    for (int l = 0; l < 2; l++) {
        answer whole, ring, threads;
        solve_many((crease_regression_loss)l, 1e9, 1, &whole);
        solve_many((crease_regression_loss)l, 0, 1, &ring);
        solve_many((crease_regression_loss)l, 0, 3, &threads);
        assert_true(whole.coef[3][0] != 0);
        assert_memory_equal(&whole, &ring, sizeof whole);
        assert_memory_equal(&whole, &threads, sizeof whole);
    }
}

static void an_entry_that_is_not_finite_is_named(void **state)
{
    crease_error e = { CREASE_OK, "" };
    ptrdiff_t bad = 600000 * WIDE + 4;
    const crease_space shape = crease_matrix(MANY, WIDE);
    const crease_regression_rows columns = { .size = sizeof columns, .p = WIDE - 1 };
    (void)state;
    crease_source *source = crease_source_function(&shape, bring, &bad, 0, false, &e);
    assert_null(crease_regression_new_on(NULL, &columns, source, &e));
    assert_string_equal(e.text, "row 600001, column 5 of X is nan; give finite numbers, or leave "
                                "the row out");
    assert_int_equal(e.code, CREASE_BAD_DATA);
    crease_source_free(source);
}

static void what_cannot_be_is_refused(void **state)
{
    crease_error e = { CREASE_OK, "" };
    const crease_space shape = crease_matrix(10, 2003);
    const crease_regression_rows columns = { .size = sizeof columns, .p = 2002 };
    crease_regression_rows narrow = { .size = sizeof narrow, .p = 2 };
    double *x = calloc(10 * 2003, sizeof *x);
    (void)state;
    crease_source *source = crease_source_memory(&shape, x, false, &e);
    assert_null(crease_regression_new_on(NULL, &columns, source, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    assert_null(crease_regression_new_on(NULL, &narrow, source, &e));
    assert_int_equal(e.code, CREASE_BAD_SHAPE);
    crease_source_free(source);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_agree_with_those_in_memory),
        cmocka_unit_test(scores_agree_with_those_in_memory),
        cmocka_unit_test(folds_are_dealt_evenly),
        cmocka_unit_test(bits_are_those_of_any_memory_and_threads),
        cmocka_unit_test(an_entry_that_is_not_finite_is_named),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
