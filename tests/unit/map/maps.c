/* SPDX-License-Identifier: MIT
 * maps: every map is the matrix of its definition, adds to its output, and has its adjoint */
#include "support/map_samples.h"

enum { ROOM = 4 * SIDE_MAX };

/* expected += a M x or a M' x, and the rounding it allows: 2^-53 a step, with at most 4 n + 8
 * steps (a sum of three maps) on terms whose parts are at most 64 in magnitude. */
static double naive(const sample *s, bool adjoint, double a, const double *x, double *expected)
{
    const ptrdiff_t m = crease_size(&s->ran), n = crease_size(&s->dom);
    double most = 0;
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            expected[adjoint ? j : i] += a * s->matrix[i * n + j] * x[adjoint ? i : j];
    for (ptrdiff_t j = 0; j < (adjoint ? m : n); j++) most = larger(most, fabs(a * x[j]));
    return (4 * SIDE_MAX + 8) * 0x1p-53 * 64 * SIDE_MAX * (1 + most);
}

static void matrices_agree(void **state)
{
    sample list[SAMPLES_MAX];
    combined c;
    draws d = { { 1, 2 }, 0 };
    (void)state;
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        const sample *s = &list[k];
        const ptrdiff_t m = crease_size(&s->ran), n = crease_size(&s->dom);
        double x[SIDE_MAX], y[SIDE_MAX], got[SIDE_MAX], expected[SIDE_MAX], work[ROOM];
        const double a = uniform(&d, -3, 3);
        assert_in_range(crease_map_scratch(&s->map, &s->dom, &s->ran), 0, ROOM);
        assert_true(crease_map_check(&s->map, &s->dom, &s->ran, NULL));

        for (ptrdiff_t j = 0; j < n; j++) x[j] = normal(&d);
        for (ptrdiff_t i = 0; i < m; i++) got[i] = expected[i] = y[i] = normal(&d);
        double tolerance = naive(s, false, a, x, expected);
        s->map.ops->apply(&s->map, &s->dom, &s->ran, a, x, got, work);
        for (ptrdiff_t i = 0; i < m; i++) assert_close(got[i], expected[i], tolerance);

        for (ptrdiff_t j = 0; j < n; j++) got[j] = expected[j] = x[j];
        tolerance = naive(s, true, a, y, expected);
        s->map.ops->adjoint(&s->map, &s->dom, &s->ran, a, y, got, work);
        for (ptrdiff_t j = 0; j < n; j++) assert_close(got[j], expected[j], tolerance);
    }
}

static void adjoints_are_adjoint(void **state)
{
    sample list[SAMPLES_MAX];
    combined c;
    draws d = { { 3, 4 }, 0 };
    (void)state;
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        const sample *s = &list[k];
        const ptrdiff_t m = crease_size(&s->ran), n = crease_size(&s->dom);
        double x[SIDE_MAX], y[SIDE_MAX], ax[SIDE_MAX], aty[SIDE_MAX];
        for (ptrdiff_t j = 0; j < n; j++) x[j] = normal(&d), aty[j] = NAN; /* overwritten */
        for (ptrdiff_t i = 0; i < m; i++) y[i] = normal(&d), ax[i] = NAN;
        assert_true(crease_apply(&s->map, &s->dom, &s->ran, x, ax, NULL));
        assert_true(crease_adjoint(&s->map, &s->dom, &s->ran, y, aty, NULL));
        const double scale = 64 * crease_norm(&s->dom, x) * crease_norm(&s->ran, y);
        assert_close(crease_dot(&s->ran, ax, y), crease_dot(&s->dom, x, aty),
                     (4 * SIDE_MAX + 8) * 0x1p-53 * SIDE_MAX * scale);
    }
}

static bool all_nan(ptrdiff_t n, const double *x)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isnan(x[j])) return false;
    return true;
}

/* NaN in every entry of x: it reaches y wherever the map reads x at all. */
static void nan_reaches_the_output(void **state)
{
    sample list[SAMPLES_MAX];
    combined c;
    (void)state;
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        const sample *s = &list[k];
        const ptrdiff_t m = crease_size(&s->ran), n = crease_size(&s->dom);
        double x[SIDE_MAX], y[SIDE_MAX];
        fill(n, NAN, x);
        assert_true(crease_apply(&s->map, &s->dom, &s->ran, x, y, NULL));
        for (ptrdiff_t i = 0; i < m; i++) {
            bool reads = false;
            for (ptrdiff_t j = 0; j < n; j++) reads = reads || s->matrix[i * n + j] != 0;
            if (reads && !isnan(y[i])) fail_msg("%s swallowed NaN", s->what);
        }
    }
}

static void one_nan_through_zero_entries(void **state)
{
    const crease_space two = crease_vector(2), six = crease_vector(6), four = crease_vector(4);
    const double zeros[4] = { 0 }, x[6] = { 1, NAN, 1, 1, 1, 1 };
    const ptrdiff_t others[] = { 0, 2, 3, 4 };
    const crease_index_list taken = { 4, others };
    crease_map A = crease_dense(zeros);
    double y[6];
    (void)state;
    assert_true(crease_apply(&A, &two, &two, x, y, NULL) && all_nan(2, y));
    A = crease_diagonal(zeros);
    assert_true(crease_apply(&A, &two, &two, x, y, NULL) && y[0] == 0 && isnan(y[1]));
    A = crease_identity(0);
    assert_true(crease_apply(&A, &two, &two, x, y, NULL) && y[0] == 0 && isnan(y[1]));
    A = crease_mask(some_mask); /* masked out: not read */
    assert_true(crease_apply(&A, &six, &six, x, y, NULL) && y[1] == 0 && crs_all_finite(6, y));
    A = crease_selection(&taken);
    assert_true(crease_apply(&A, &six, &four, x, y, NULL) && crs_all_finite(4, y));
}

static void catalogue_is_complete(void **state)
{
    static const char *const names[] = { "zero",     "identity", "diagonal",   "dense",
                                         "csr",      "mask",     "selection",  "finite-difference",
                                         "callback", "sum",      "composition" };
    (void)state;
    assert_int_equal(crease_map_count(), sizeof names / sizeof *names);
    for (int k = 0; k < crease_map_count(); k++) {
        const crease_map_ops *ops = crease_map_at(k);
        assert_string_equal(ops->name, names[k]);
        assert_true(ops->formula && ops->apply && ops->adjoint && ops->norm && ops->sigma_min);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_agree),         cmocka_unit_test(adjoints_are_adjoint),
        cmocka_unit_test(nan_reaches_the_output), cmocka_unit_test(one_nan_through_zero_entries),
        cmocka_unit_test(catalogue_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
