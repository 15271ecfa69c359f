/* SPDX-License-Identifier: MIT
 * engine: principal component pursuit through the handle of robust PCA: recovery is proved to 1e-8,
 * noise to 1e-6, matrices at the edge end at once, and a run that is stopped has its best point */
#include <crease/crease.h>

#include <stdlib.h>

#include "dense/dense.h"
#include "support/test.h"

static double *room(ptrdiff_t n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void plant(ptrdiff_t m, ptrdiff_t n, ptrdiff_t rank, double noise, uint64_t seed, double *T,
                  double *low)
{
    draws d = { { seed, 5 }, 0 };
    double *x = room(m * rank), *y = room(n * rank);
    for (ptrdiff_t j = 0; j < m * rank; j++) x[j] = normal(&d);
    for (ptrdiff_t j = 0; j < n * rank; j++) y[j] = normal(&d);
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            double t = 0;
            for (ptrdiff_t k = 0; k < rank; k++) t += x[i * rank + k] * y[j * rank + k];
            low[i * n + j] = t;
            t += noise * normal(&d);
            T[i * n + j] = uniform(&d, 0, 1) < 0.1 ? t + uniform(&d, -10, 10) : t;
        }
    free(x);
    free(y);
}

static crease_rpca *open(ptrdiff_t m, ptrdiff_t n, double *T, const crease_options *o)
{
    const crease_space shape = crease_matrix(m, n);
    crease_rpca_settings s = crease_rpca_default(&shape);
    crease_error e;
    s.kind = CREASE_RPCA_PCP;
    crease_rpca *r = crease_rpca_new(&s, o, T, &e);
    if (!r) fail_msg("%s", e.text);
    return r;
}

static crease_verdict judged(const crease_rpca *r, double eps)
{
    const double *x[] = { crease_rpca_block(r, 0), crease_rpca_block(r, 1) };
    crease_verification v;
    crease_error e;
    if (!crease_verify(crease_rpca_problem(r), x, crease_rpca_multiplier(r), NULL, false, eps, true,
                       &v, &e))
        fail_msg("%s", e.text);
    const crease_verdict verdict = v.verdict;
    if (verdict != CREASE_VERDICT_VALID)
        print_message("%s (%td x %td)\n", v.text, crease_rpca_used(r)->shape.dim[0],
                      crease_rpca_used(r)->shape.dim[1]);
    crease_verification_free(&v);
    return verdict;
}

/* Certified, valid for the checker, the gap as asked for; returns the distance from low. */
static double assert_answer(ptrdiff_t m, ptrdiff_t n, double *T, const double *low, double gap)
{
    double *L = room(m * n);
    crease_rpca *r = open(m, n, T, NULL);
    assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
    const crease_rpca_facts *f = crease_rpca_about(r);
    assert_string_equal(f->engine, "pursuit");
    if (!(f->gap <= gap)) fail_msg("%td x %td: gap %g", m, n, f->gap);
    assert_int_equal(judged(r, 1e-6), CREASE_VERDICT_VALID);
    crease_rpca_read(r, CREASE_RPCA_LOWRANK, 0, m, L);
    const double error = low ? crease_relative_error(m * n, L, low) : 0;
    crease_rpca_free(r);
    free(L);
    return error;
}

static void recovery(void **state)
{
    static const ptrdiff_t size[][3] = {
        { 60, 60, 3 }, { 100, 64, 4 }, { 64, 100, 4 }, { 120, 120, 10 }, { 600, 70, 3 }
    };
    (void)state;
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            const ptrdiff_t m = size[k][0], n = size[k][1];
            double *T = room(m * n), *low = room(m * n);
            plant(m, n, size[k][2], 0, seed, T, low);
            assert_true(assert_answer(m, n, T, low, 1e-8) <= 1e-10);
            free(T);
            free(low);
        }
}

static void noise(void **state)
{
    static const ptrdiff_t size[][2] = { { 50, 40 }, { 70, 90 }, { 400, 30 } };
    (void)state;
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        for (int level = 0; level < 3; level++) {
            const ptrdiff_t m = size[k][0], n = size[k][1];
            double *T = room(m * n), *low = room(m * n);
            plant(m, n, 3, level == 0 ? 1 : level == 1 ? 0.1 : 0.001, k + 1, T, low);
            assert_answer(m, n, T, NULL, 1e-6);
            free(T);
            free(low);
        }
}

/* Zero, constant, one spike, rank 1; each of them as it is and times 1e8, 1e140 and 1e-140. */
static void edges(void **state)
{
    static const ptrdiff_t size[][2] = { { 20, 12 }, { 12, 20 }, { 70, 66 } };
    static const double unit[] = { 1, 1e8, 1e140, 1e-140 };
    (void)state;
    for (size_t k = 0; k < 3; k++)
        for (int kind = 0; kind < 4; kind++)
            for (int u = 0; u < 4; u++) {
                const ptrdiff_t m = size[k][0], n = size[k][1];
                double *T = room(m * n);
                for (ptrdiff_t j = 0; j < m * n; j++)
                    T[j] =
                        unit[u] * (kind == 0   ? 0
                                   : kind == 1 ? 3
                                   : kind == 2 ? (j == n + 3) * 5
                                               : sin(1 + (double)(j / n)) * cos((double)(j % n)));
                assert_answer(m, n, T, kind == 1 || kind == 3 ? T : NULL, 1e-9);
                free(T);
            }
}

/* One row or column: min |l| + lambda |x - l|_1 has a formula, for any lambda. */
static void vectors(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++)
        for (int k = 0; k < 6; k++) {
            enum { n = 40 };
            static const double alpha[] = { 0, 0.1, 0.2, 0.3, 0.7, 2 };
            double T[n], best = INFINITY;
            draws d = { { 3, 3 }, 0 };
            crease_error e;
            for (int j = 0; j < n; j++) T[j] = j % 4 == 0 ? 0 : normal(&d) * (j % 9 == 0 ? 10 : 1);
            const crease_space shape = wide ? crease_matrix(1, n) : crease_matrix(n, 1);
            crease_rpca_settings s = crease_rpca_default(&shape);
            s.kind = CREASE_RPCA_PCP;
            s.alpha = alpha[k];
            crease_rpca *r = crease_rpca_new(&s, NULL, T, &e);
            if (!r) fail_msg("%s", e.text);
            assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
            assert_true(crease_rpca_about(r)->gap <= 1e-12);
            assert_int_equal(judged(r, 1e-10), CREASE_VERDICT_VALID);
            const double lambda = crease_rpca_used(r)->alpha;
            for (double c = 0; c <= 40; c += 0.01) { /* l is x cut at some height */
                double l2 = 0, l1 = 0;
                for (int j = 0; j < n; j++) {
                    const double l = clip(T[j], -c, c);
                    l2 += l * l, l1 += fabs(T[j] - l);
                }
                best = smaller(best, sqrt(l2) + lambda * l1);
            }
            assert_true(crease_rpca_certificate(r)->objective <= best * (1 + 1e-12));
            crease_rpca_free(r);
        }
}

static bool enough(const crease_progress *now, void *most)
{
    return now->iteration < *(long *)most;
}

/* Iteration limits, callbacks and a request to stop before the first step: always a point that adds
 * up, with its gap, and never called stationary. */
static void stopped(void **state)
{
    enum { m = 50, n = 40 };
    double *T = room(m * n), *low = room(m * n), parts[3 * m * n];
    crease_options o = crease_rpca_options();
    long most = 4;
    (void)state;
    plant(m, n, 3, 0.1, 1, T, low);
    for (int how = 0; how < 3; how++) {
        o.max_iterations = how == 0 ? 5 : 100000;
        crease_rpca *r = open(m, n, T, &o);
        if (how == 1) crease_rpca_callback(r, enough, &most);
        if (how == 2) crease_rpca_stop(r);
        const crease_outcome out = crease_rpca_run(r);
        assert_int_equal(out, how == 0 ? CREASE_ITERATION_LIMIT : CREASE_STOPPED);
        assert_true(crease_rpca_report(r)->iterations <= 5);
        assert_true(crease_rpca_about(r)->gap > 1e-6 && crease_rpca_about(r)->gap <= 1);
        crease_rpca_read(r, CREASE_RPCA_LOWRANK, 0, m, parts);
        crease_rpca_read(r, CREASE_RPCA_SPARSE, 0, m, parts + m * n);
        crease_rpca_read(r, CREASE_RPCA_NOISE, 0, m, parts + 2 * m * n);
        for (int j = 0; j < m * n; j++)
            assert_true(fabs(parts[j] + parts[m * n + j] + parts[2 * m * n + j] - T[j]) <= 1e-12);
        crease_rpca_free(r);
    }
    free(T);
    free(low);
}

static bool listen(const crease_progress *now, void *told)
{
    *(double *)told = now->objective;
    return true;
}

/* What a step tells is |L|_* + lambda |T - L|_1 of the point before it, in the unit of the data. */
static void told(void **state)
{
    enum { m = 50, n = 40, steps = 7 };
    static double T[m * n], low[m * n];
    double s[n], *work = room(crs_svd_scratch(m, n)), objective = NAN, want = 0;
    crease_options o = crease_rpca_options();
    (void)state;
    plant(m, n, 3, 0.1, 1, T, low);
    for (int j = 0; j < m * n; j++) T[j] *= 1e6;
    for (int more = 0; more < 2; more++) {
        o.max_iterations = steps + more;
        crease_rpca *r = open(m, n, T, &o);
        crease_rpca_callback(r, listen, &objective);
        crease_rpca_run(r);
        if (!more) crease_rpca_read(r, CREASE_RPCA_LOWRANK, 0, m, low);
        crease_rpca_free(r);
    }
    assert_true(crs_singular_values(m, n, low, s, work));
    for (int j = 0; j < n; j++) want += s[j];
    for (int j = 0; j < m * n; j++) want += fabs(T[j] - low[j]) / sqrt(m);
    assert_true(fabs(objective - want) <= 1e-12 * want);
    free(work);
}

/* Other methods and modes, and options that these alone read, are theirs. */
static void others(void **state)
{
    enum { m = 12, n = 10 };
    double T[m * n], low[m * n];
    crease_error e;
    const crease_space shape = crease_matrix(m, n);
    crease_rpca_settings s = crease_rpca_default(&shape);
    (void)state;
    s.kind = CREASE_RPCA_PCP;
    plant(m, n, 1, 0.1, 1, T, low);
    for (int how = 0; how < 5; how++) {
        crease_options o = crease_rpca_options();
        if (how == 1) o.method = CREASE_METHOD_EXTENSION;
        if (how == 2) o.mu = 3;
        if (how == 3) o.relative = 0;
        if (how == 4) o.method = CREASE_METHOD_PURSUIT;
        crease_rpca *r = crease_rpca_new(&s, &o, T, &e);
        if (!r) fail_msg("%d: %s", how, e.text);
        assert_string_equal(crease_rpca_about(r)->engine,
                            how == 0 || how == 4 ? "pursuit" : "solver");
        crease_rpca_free(r);
    }
    s.kind = CREASE_RPCA_TUCKER;
    crease_options o = crease_rpca_options();
    o.method = CREASE_METHOD_PURSUIT;
    assert_null(crease_rpca_new(&s, &o, T, &e));
    assert_non_null(strstr(e.text, "principal component pursuit"));
    s.kind = CREASE_RPCA_CP;
    s.rank = 1;
    assert_null(crease_rpca_new(&s, &o, T, &e));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(recovery), cmocka_unit_test(noise),
                                        cmocka_unit_test(edges),    cmocka_unit_test(vectors),
                                        cmocka_unit_test(stopped),  cmocka_unit_test(told),
                                        cmocka_unit_test(others) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
