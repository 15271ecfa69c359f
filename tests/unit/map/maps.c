/* SPDX-License-Identifier: MIT
 * maps: products against the matrices they stand for, multiples of the identity, refusals */
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
    static const char *const names[] = { "zero",
                                         "identity",
                                         "diagonal",
                                         "dense",
                                         "csr",
                                         "mask",
                                         "selection",
                                         "finite-difference",
                                         "callback",
                                         "sum",
                                         "composition",
                                         "scaled",
                                         "transposed",
                                         "stack",
                                         "side-by-side",
                                         "gradient",
                                         "kronecker",
                                         "low-rank",
                                         "wavelet",
                                         "dct",
                                         "circular-convolution",
                                         "convolution" };
    (void)state;
    assert_int_equal(crease_map_count(), sizeof names / sizeof *names);
    for (int k = 0; k < crease_map_count(); k++) {
        const crease_map_ops *ops = crease_map_at(k);
        assert_string_equal(ops->name, names[k]);
        assert_true(ops->formula && ops->apply && ops->adjoint && ops->norm && ops->sigma_min);
    }
}

static const double off = 1 + 0x1p-52;

static bool is(crease_map A, ptrdiff_t n, ptrdiff_t m, double c)
{
    const crease_space dom = crease_vector(n), ran = crease_vector(m);
    double found = NAN;
    return crease_map_is_identity(&A, &dom, &ran, &found) && found == c;
}

static bool is_none(crease_map A, ptrdiff_t n, ptrdiff_t m)
{
    const crease_space dom = crease_vector(n), ran = crease_vector(m);
    double found;
    return !crease_map_is_identity(&A, &dom, &ran, &found);
}

static void simple_ones(void **state)
{
    double d[] = { 2.5, 2.5, 2.5 };
    const double mask[] = { 1, 1, 0 };
    (void)state;
    assert_true(is(crease_identity(-0.1), 3, 3, -0.1) && is(crease_identity(0), 3, 3, 0));
    assert_true(is(crease_zero_map(), 3, 3, 0) && is_none(crease_zero_map(), 3, 2));
    assert_true(is(crease_diagonal(d), 3, 3, 2.5));
    d[1] *= off;
    assert_true(is_none(crease_diagonal(d), 3, 3));
    d[1] = NAN; /* does not pass the check */
    assert_true(is_none(crease_diagonal(d), 3, 3));
    assert_true(is(crease_mask(ones), 6, 6, 1) && is_none(crease_mask(mask), 3, 3));
    assert_true(is_none(crease_finite_difference(0), 3, 2));
    assert_true(is_none(crease_identity(1), 3, 2)); /* shapes differ */
}

static void matrices(void **state)
{
    double a[] = { -3, 0, 0, 0, -3, 0, 0, 0, -3 };
    (void)state;
    assert_true(is(crease_dense(a), 3, 3, -3) && is(crease_dense(a), 1, 1, -3));
    assert_true(is_none(crease_dense(a), 3, 2) && is_none(crease_dense(a), 2, 3));
    a[5] = 0x1p-1074;
    assert_true(is_none(crease_dense(a), 3, 3));
    a[5] = 0, a[8] *= off;
    assert_true(is_none(crease_dense(a), 3, 3));
}

static void sparse_matrices(void **state)
{
    const ptrdiff_t start[] = { 0, 2, 4, 5 }, empty[] = { 0, 0, 0, 0 };
    const ptrdiff_t col[] = { 0, 0, 2, 1, 2 };
    double value[] = { 1, 4, 0, 5, 5 }; /* duplicates that add up, and a stored zero */
    const crease_csr_matrix a = { 3, 3, start, col, value }, none = { 3, 3, empty, NULL, NULL };
    const crease_csr_matrix tall = { 3, 4, start, col, value };
    (void)state;
    assert_true(is(crease_csr(&a), 3, 3, 5) && is(crease_csr(&none), 3, 3, 0));
    assert_true(is_none(crease_csr(&tall), 4, 3));
    value[4] = 5 * off;
    assert_true(is_none(crease_csr(&a), 3, 3));
    value[4] = 5, value[2] = 0x1p-1074;
    assert_true(is_none(crease_csr(&a), 3, 3));
    value[2] = 0, value[0] = 0x1p-60, value[1] = 5; /* the exact sum is not 5 */
    assert_true(is_none(crease_csr(&a), 3, 3));
}

static void selections(void **state)
{
    const ptrdiff_t order[] = { 0, 1, 2 }, other[] = { 0, 2, 1 };
    const crease_index_list in_order = { 3, order }, swapped = { 3, other };
    (void)state;
    assert_true(is(crease_selection(&in_order), 3, 3, 1));
    assert_true(is_none(crease_selection(&swapped), 3, 3));
    assert_true(is_none(crease_selection(&in_order), 4, 3));
}

static void identities_of_combinations(void **state)
{
    const crease_space v4 = crease_vector(4);
    const double scale[] = { 2, -0.5 }, inexact[] = { 1, 0x1p-60 };
    crease_map parts[] = { crease_identity(3), crease_mask(ones) };
    const crease_map_list l = { 2, parts, scale }, plain = { 2, parts, NULL };
    const crease_map_list rounded = { 2, parts, inexact };
    const crease_map_pair p = { &parts[0], &parts[1], &v4 };
    (void)state;
    assert_true(is(crease_map_sum(&l), 4, 4, 5.5) && is(crease_map_sum(&plain), 4, 4, 4));
    assert_true(is_none(crease_map_sum(&rounded), 4, 4));
    assert_true(is(crease_composition(&p), 4, 4, 3));
    parts[1] = crease_identity(0.1); /* 3 * 0.1 is rounded */
    assert_true(is_none(crease_composition(&p), 4, 4));
    parts[1] = crease_map_callback(&ring_map);
    assert_true(is_none(parts[1], 4, 4) && is_none(crease_map_sum(&l), 4, 4));
    assert_true(is_none(crease_composition(&p), 4, 4));
}

/* Two ranks that answer each other from a table: this one holds three entries, the other one's
 * entries range from 2 to `most`. */
typedef struct {
    double most;
} other_rank;

static void add_other(const void *self, double *v, int n) { (void)self, (void)v, (void)n; }
static void max_with_other(const void *self, double *v, int n)
{
    const other_rank *o = self;
    for (int k = 0; k < n; k++) v[k] = larger(v[k], v[k] < 0 ? -2 : o->most);
}

static void entries_on_another_rank_count(void **state)
{
    other_rank o = { 2 };
    const crease_comm comm = { add_other, max_with_other, &o };
    const crease_space s = { .order = 1, .dim = { 3 }, .comm = &comm };
    const double d[] = { 2, 2, 2 }, larger_d[] = { 3, 3, 3 };
    crease_map A = crease_diagonal(d);
    double c, norm, least;
    (void)state;
    assert_true(crease_map_is_identity(&A, &s, &s, &c) && c == 2);
    o.most = 5;
    assert_false(crease_map_is_identity(&A, &s, &s, &c));
    A = crease_diagonal(larger_d);
    assert_true(crease_map_norm(&A, &s, &s, &norm, NULL) && norm == 5);
    assert_true(crease_map_sigma_min(&A, &s, &s, &least, NULL) && least == 4);
}

static void refused(crease_map A, crease_space dom, crease_space ran, crease_code code,
                    const char *says)
{
    crease_error e = { 0 };
    double bound;
    assert_false(crease_map_check(&A, &dom, &ran, &e));
    if (e.code != code || !strstr(e.text, says))
        fail_msg("code %d, \"%s\" does not say \"%s\"", (int)e.code, e.text, says);
    assert_false(crease_map_check(&A, &dom, &ran, NULL));
    assert_false(crease_map_norm(&A, &dom, &ran, &bound, NULL));
    assert_false(crease_map_sigma_min(&A, &dom, &ran, &bound, NULL));
    assert_false(crease_map_is_identity(&A, &dom, &ran, &bound));
    assert_false(crease_apply(&A, &dom, &ran, NULL, NULL, NULL));
    assert_false(crease_adjoint(&A, &dom, &ran, NULL, NULL, NULL));
}

#define V crease_vector
#define M crease_matrix

static void entrywise_maps(void **state)
{
    const double bad[] = { 1, 2, NAN, 4 }, inf[] = { 1, -INFINITY }, half[] = { 1, 0.5 };
    (void)state;
    refused(crease_zero_map(), V(0), V(2), CREASE_BAD_SHAPE, "dimension 1 of a shape is 0");
    refused(crease_identity(1), V(3), V(2), CREASE_BAD_SHAPE, "3 entries");
    refused(crease_identity(1), V(6), M(2, 3), CREASE_BAD_SHAPE, "same shape");
    refused(crease_identity(NAN), V(3), V(3), CREASE_BAD_ARGUMENT, "scale = nan");
    refused(crease_identity(INFINITY), V(3), V(3), CREASE_BAD_ARGUMENT, "scale = inf");
    refused(crease_diagonal(NULL), V(3), V(3), CREASE_BAD_ARGUMENT, "diagonal has no data");
    refused(crease_diagonal(bad), V(4), V(4), CREASE_BAD_DATA, "number 3 of 4 is nan");
    refused(crease_diagonal(ones), V(4), V(3), CREASE_BAD_SHAPE, "diagonal");
    refused(crease_mask(half), V(2), V(2), CREASE_BAD_DATA, "number 2 of 2 is 0.5");
    refused(crease_mask(inf), V(2), V(2), CREASE_BAD_DATA, "number 2 of 2 is -inf");
    refused(crease_mask(NULL), V(2), V(2), CREASE_BAD_ARGUMENT, "mask has no data");
    refused(crease_dense(bad), V(2), V(2), CREASE_BAD_DATA, "dense: number 3 of 4");
    refused(crease_dense(NULL), V(2), V(2), CREASE_BAD_ARGUMENT, "dense has no data");
    refused(crease_dense(ones), V((ptrdiff_t)1 << 40), V((ptrdiff_t)1 << 40), CREASE_BAD_SHAPE,
            "larger than memory");
}

static void sparse_maps(void **state)
{
    crease_csr_matrix a = some_csr;
    ptrdiff_t start[] = { 0, 3, 3, 6, 7 }, col[] = { 4, 0, 2, 1, 3, 1, 0 };
    double value[] = { 2, -1.5, 0.5, 1, INFINITY, -2.25, 3 };
    (void)state;
    refused(crease_csr(NULL), V(5), V(4), CREASE_BAD_ARGUMENT, "no matrix");
    refused(crease_csr(&a), V(4), V(5), CREASE_BAD_SHAPE, "4 x 5");
    a.value = value;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_DATA, "number 5 of 7 is inf");
    a.value = NULL;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_ARGUMENT, "csr has no data");
    a = some_csr, a.col = col, col[3] = 5;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_DATA, "entry 4 has column 5");
    col[3] = -1;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_DATA, "entry 4 has column -1");
    a.col = NULL;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_ARGUMENT, "no columns");
    a = some_csr, a.start = start, start[2] = 2;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_DATA, "row 2 starts at 3 and ends at 2");
    start[0] = 1, start[2] = 3;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_DATA, "row 1 starts at 1");
    a.start = NULL;
    refused(crease_csr(&a), V(5), V(4), CREASE_BAD_ARGUMENT, "row starts");
}

static void selections_and_differences(void **state)
{
    const ptrdiff_t index[] = { 0, 6, -1 };
    const crease_index_list high = { 2, index }, low = { 1, index + 2 }, none = { 2, NULL };
    (void)state;
    refused(crease_selection(NULL), V(6), V(2), CREASE_BAD_ARGUMENT, "no indices");
    refused(crease_selection(&none), V(6), V(2), CREASE_BAD_ARGUMENT, "no indices");
    refused(crease_selection(&high), V(6), V(2), CREASE_BAD_DATA, "index 2 is 6");
    refused(crease_selection(&low), V(6), V(1), CREASE_BAD_DATA, "index 1 is -1");
    refused(crease_selection(&high), V(7), V(3), CREASE_BAD_SHAPE, "2 indices");
    refused(crease_finite_difference(-1), V(3), V(2), CREASE_BAD_ARGUMENT, "axis = -1");
    refused(crease_finite_difference(8), V(3), V(2), CREASE_BAD_ARGUMENT, "axis = 8");
    refused(crease_finite_difference(1), V(3), V(2), CREASE_BAD_SHAPE, "axis 1");
    refused(crease_finite_difference(0), V(1), V(1), CREASE_BAD_SHAPE, "at least 2");
    refused(crease_finite_difference(0), V(3), V(3), CREASE_BAD_SHAPE, "length 2 along axis 0");
    refused(crease_finite_difference(1), M(3, 4), M(2, 4), CREASE_BAD_SHAPE, "axis 1");
}

static void callbacks(void **state)
{
    crease_callback_map c = ring_map;
    crease_error e;
    double bound;
    (void)state;
    refused(crease_map_callback(NULL), V(4), V(4), CREASE_BAD_ARGUMENT, "no functions");
    c.apply = NULL;
    refused(crease_map_callback(&c), V(4), V(4), CREASE_BAD_ARGUMENT, "no apply");
    c = ring_map, c.adjoint = NULL;
    refused(crease_map_callback(&c), V(4), V(4), CREASE_BAD_ARGUMENT, "no adjoint");
    c = ring_map, c.norm_bound = -1;
    refused(crease_map_callback(&c), V(4), V(4), CREASE_BAD_ARGUMENT, "norm_bound is -1");
    c.norm_bound = 0.1, c.sigma_min_bound = NAN;
    refused(crease_map_callback(&c), V(4), V(4), CREASE_BAD_ARGUMENT, "sigma_min_bound is nan");
    c.sigma_min_bound = 0.02;
    refused(crease_map_callback(&c), V(4), V(4), CREASE_BAD_ARGUMENT, "exceeds the square");
    c.norm_bound = 3, c.sigma_min_bound = 1;
    refused(crease_map_callback(&c), V(3), V(4), CREASE_BAD_ARGUMENT, "singular");
    c = ring_map;
    const crease_map large = crease_map_callback(&c);
    const crease_space n = V(100000);
    assert_false(crease_map_norm(&large, &n, &n, &bound, &e));
    assert_true(e.code == CREASE_BAD_ARGUMENT && strstr(e.text, "norm_bound"));
    assert_true(crease_map_sigma_min(&large, &n, &n, &bound, &e) && bound == 0);
}

static void combinations_are_refused(void **state)
{
    const crease_space v3 = V(3), v4 = V(4);
    const double scale[] = { 1, INFINITY };
    const crease_map two[] = { crease_identity(1), crease_diagonal(NULL) };
    crease_map_list l = { 1, NULL, NULL };
    crease_map_pair p = { &two[0], &two[0], NULL };
    (void)state;
    refused(crease_map_sum(NULL), v3, v3, CREASE_BAD_ARGUMENT, "no maps");
    refused(crease_map_sum(&l), v3, v3, CREASE_BAD_ARGUMENT, "no maps");
    l.map = two, l.count = 0;
    refused(crease_map_sum(&l), v3, v3, CREASE_BAD_ARGUMENT, "no maps");
    l.count = 2;
    refused(crease_map_sum(&l), v3, v3, CREASE_BAD_ARGUMENT, "diagonal has no data");
    l.scale = scale;
    refused(crease_map_sum(&l), v3, v3, CREASE_BAD_DATA, "number 2 of 2 is inf");
    refused(crease_composition(NULL), v3, v3, CREASE_BAD_ARGUMENT, "composition");
    refused(crease_composition(&p), v3, v3, CREASE_BAD_ARGUMENT, "composition");
    p.between = &v4;
    refused(crease_composition(&p), v3, v4, CREASE_BAD_SHAPE, "identity");
    refused(crease_composition(&p), v4, v3, CREASE_BAD_SHAPE, "identity");
}

static void split_spaces(void **state)
{
    const crease_comm comm = { 0 };
    sample list[SAMPLES_MAX];
    combined c;
    (void)state;
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        sample s = list[k];
        const char *name = s.map.ops->name;
        const bool entrywise = !strcmp(name, "zero") || !strcmp(name, "identity") ||
                               !strcmp(name, "diagonal") || !strcmp(name, "mask");
        s.dom.comm = s.ran.comm = &comm;
        assert_int_equal(crease_map_check(&s.map, &s.dom, &s.ran, NULL), entrywise);
        if (!entrywise) refused(s.map, s.dom, s.ran, CREASE_UNSUPPORTED, "split over ranks");
        s.ran.comm = NULL;
        if (entrywise && strcmp(name, "zero"))
            refused(s.map, s.dom, s.ran, CREASE_BAD_SHAPE, "both or neither");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_agree),
        cmocka_unit_test(adjoints_are_adjoint),
        cmocka_unit_test(nan_reaches_the_output),
        cmocka_unit_test(one_nan_through_zero_entries),
        cmocka_unit_test(catalogue_is_complete),
        cmocka_unit_test(simple_ones),
        cmocka_unit_test(matrices),
        cmocka_unit_test(sparse_matrices),
        cmocka_unit_test(selections),
        cmocka_unit_test(identities_of_combinations),
        cmocka_unit_test(entries_on_another_rank_count),
        cmocka_unit_test(entrywise_maps),
        cmocka_unit_test(sparse_maps),
        cmocka_unit_test(selections_and_differences),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(combinations_are_refused),
        cmocka_unit_test(split_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
