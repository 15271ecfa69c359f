/* SPDX-License-Identifier: MIT
 * variable_projection: rows are minimized (by coordinate descent of another make), dictionaries end
 * certified in balls, boxes and the whole space, and phi never rises */
#include "factor/rows.h"
#include "support/core_run.h"

enum { M = 8, N = 30, MOST_RANK = 12 };

/* Coordinate descent on (1/2) c'Ac - p'c + l1 |c|_1 + (l2/2)|c|^2, low <= c <= high; returns the
 * value. */
static double descend(ptrdiff_t n, const double *A, const double *p, const double *l,
                      const double *range, double *c)
{
    double value = 0;
    for (int sweep = 0; sweep < 20000; sweep++)
        for (ptrdiff_t j = 0; j < n; j++) {
            double h = -p[j];
            for (ptrdiff_t i = 0; i < n; i++) h += A[j * n + i] * c[i];
            const double a = A[j * n + j] + l[1], z = A[j * n + j] * c[j] - h;
            c[j] = clip(copysign(pos(fabs(z) - l[0]), z) / a, range[0], range[1]);
        }
    for (ptrdiff_t j = 0; j < n; j++) {
        double Ac = 0;
        for (ptrdiff_t i = 0; i < n; i++) Ac += A[j * n + i] * c[i];
        value += c[j] * (Ac / 2 - p[j]) + l[0] * fabs(c[j]) + l[1] / 2 * c[j] * c[j];
    }
    return value;
}

/* A = X'X of full rank, or of less with more columns than rows. */
static void rows_are_minimized(void **state)
{
    static const double range[][2] = { { -INFINITY, INFINITY }, { 0, INFINITY }, { -0.3, 0.2 } };
    draws d = { { 41, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        const ptrdiff_t n = 1 + below(&d, MOST_RANK), m = 1 + below(&d, 2 * n);
        const crease_reg r = trial % 2 ? crease_l1(0.5) : crease_elastic_net(0.3, 0.2);
        const double l[] = { r.par[0], trial % 2 ? 0 : r.par[1] }, *in = range[trial % 3];
        double X[2 * MOST_RANK * MOST_RANK], p[MOST_RANK] = { 0 }, c[MOST_RANK], other[MOST_RANK];
        crs_coordinate by[MOST_RANK];
        crs_rows q = { .n = n, .most = 1000 };
        crs_carver count = { 0 };
        crs_rows_carve(&q, &count);
        void *memory = crs_alloc((size_t)count.used + CRS_LINE, 1);
        crs_carver v = carver_of(memory);
        crs_rows_carve(&q, &v);
        normals(&d, m * n, 1, X);
        for (ptrdiff_t j = 0; j < n * n; j++)
            for (ptrdiff_t i = 0; i < m; i++) q.A[j] += X[i * n + j / n] * X[i * n + j % n];
        for (ptrdiff_t j = 0; j < n; j++) {
            for (ptrdiff_t i = 0; i < m; i++) p[j] += X[i * n + j] * cos((double)(3 * i + trial));
            by[j] = (crs_coordinate){ r.penalty, r.par, 1, in[0], in[1], true };
            c[j] = below(&d, 2) ? clip(normal(&d), in[0], in[1]) : 0;
            other[j] = 0;
        }
        assert_true(crs_rows_take(by, n));
        assert_true(crs_rows_minimize(&q, by, p, c) <= 1e-10);
        const double want = descend(n, q.A, p, l, in, other);
        double found = 0;
        for (ptrdiff_t j = 0; j < n; j++)
            found += c[j] * ((q.h[j] - p[j]) / 2) + l[0] * fabs(c[j]) + l[1] / 2 * c[j] * c[j];
        if (!(found <= want + 1e-9 * (1 + fabs(want))))
            fail_msg("trial %d, %td coordinates: %.12g for %.12g", trial, n, found, want);
        crs_free(memory);
    }
}

static void only_convex_quadratic_penalties(void **state)
{
    const crease_reg no[] = { crease_mcp(1, 3), crease_l0(1), crease_lq(1, 0.5),
                              crease_huber(1, 0.1) };
    const crease_reg yes[] = { crease_l1(1), crease_squared_l2(2), crease_elastic_net(1, 2),
                               crease_zero() };
    (void)state;
    for (int k = 0; k < 4; k++) {
        const crs_coordinate a = { no[k].penalty, no[k].par, 1, -INFINITY, INFINITY, true };
        const crs_coordinate b = { yes[k].penalty, yes[k].par, 1, -INFINITY, INFINITY, true };
        assert_false(crs_rows_take(&a, 1));
        assert_true(crs_rows_take(&b, 1));
    }
}

typedef struct {
    crease_space space[2];
    crease_block block[2];
    crease_set set;
    double target[M * N], *start;
    crease_factorization_data mf;
    crease_problem p;
} dictionary;

/* turned: the target is N x M, and the factor that goes is the first. */
static void make_dictionary(dictionary *o, ptrdiff_t rank, int kind, bool turned, draws *d)
{
    double X[M * MOST_RANK], Y[N * MOST_RANK];
    const crease_set sets[] = { crease_l2_ball(sqrt((double)rank)), crease_box(-0.5, 0.5),
                                crease_l1_ball((double)rank) };
    static const double l1[] = { 0.1 };
    *o = (dictionary){ .set = sets[kind % 3] };
    normals(d, M * rank, 1, X);
    for (ptrdiff_t j = 0; j < N * rank; j++) Y[j] = below(d, 5) ? 0 : normal(d);
    for (ptrdiff_t i = 0; i < M; i++)
        for (ptrdiff_t j = 0; j < N; j++) {
            double *t = &o->target[turned ? j * M + i : i * N + j];
            *t = 0.02 * normal(d);
            for (ptrdiff_t r = 0; r < rank; r++) *t += X[i * rank + r] * Y[j * rank + r];
        }
    o->start = random_doubles(d, M * rank, 0.1);
    o->space[0] = crease_matrix(M, rank);
    o->space[1] = crease_matrix(N, rank);
    o->block[0] = (crease_block){ .set = &o->set, .start = o->start };
    o->block[1].reg = kind % 2 ? crease_nonneg(crease_l1(1).penalty, l1) : crease_l1(0.1);
    o->mf = (crease_factorization_data){ turned, !turned, -1, o->target };
    o->p =
        (crease_problem){ 2, o->space, o->block, crease_matrix_factorization(&o->mf), { 0 }, NULL };
}

static void dictionaries(void **state)
{
    draws d = { { 42, 0 }, 0 };
    (void)state;
    for (int trial = 0; trial < 36; trial++) {
        dictionary o;
        core_run r;
        make_dictionary(&o, 3 + below(&d, MOST_RANK - 3), trial, trial % 4 > 1, &d);
        run_to(&r, &crs_core_variable_projection, &o.p, 1e-6, 5000);
        end_run(&r);
        free(o.start);
    }
}

static void nan_ends_it(void **state)
{
    draws d = { { 43, 0 }, 0 };
    dictionary o;
    core_run r;
    (void)state;
    make_dictionary(&o, 5, 0, false, &d);
    o.target[11] = NAN;
    begin_run(&r, &crs_core_variable_projection, &o.p, 1e-6);
    assert_true(crs_core_variable_projection.step(r.self) == CRS_CORE_STUCK);
    end_run(&r);
    free(o.start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_minimized),
        cmocka_unit_test(only_convex_quadratic_penalties),
        cmocka_unit_test(dictionaries),
        cmocka_unit_test(nan_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
