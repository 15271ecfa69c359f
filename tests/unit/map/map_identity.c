/* SPDX-License-Identifier: MIT
 * map_identity: A = c I is seen when it holds exactly, and not when one entry is one ulp off */
#include "support/map_samples.h"

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

static void combinations(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_ones),     cmocka_unit_test(matrices),
        cmocka_unit_test(sparse_matrices), cmocka_unit_test(selections),
        cmocka_unit_test(combinations),    cmocka_unit_test(entries_on_another_rank_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
